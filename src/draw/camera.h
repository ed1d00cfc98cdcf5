// Where a picture is looked at from. Projection is orthographic: lengths in the plane of the picture are true.
#ifndef TS_DRAW_CAMERA_H
#define TS_DRAW_CAMERA_H

#include "draw/geometry.h"

typedef struct ts_camera {
  ts_vec3 right, up, toward; // of the picture, and towards the eye: unit, in the world
  double scale;              // [pixels/m]
  ts_point origin;           // where the world's origin is in the picture [pixels]
} ts_camera;

// Look as `view` says: "iso", "x", "y", "z" (from that side; "y" from the front, which is -y) or "AZIMUTH,ELEVATION" in
// degrees, the azimuth being the eye's angle from x about the vertical. The vertical is the axis that gravity is
// nearest to. False: `view` is none of these.
bool ts_camera_aim(const char *view, ts_vec3 gravity, ts_camera *camera);
// Look at the plane of x and y.
void ts_camera_aim_planar(ts_camera *camera);

// A rectangle in the plane of the camera, in metres along right and up. Empty when low > high.
typedef struct ts_window {
  ts_point low, high;
} ts_window;

ts_window ts_window_empty(void);
void ts_window_add(ts_window *window, const ts_camera *camera, ts_vec3 point);
void ts_window_add_shape(ts_window *window, const ts_camera *camera, const ts_shape *shape, const ts_pose *pose);
void ts_window_widen(ts_window *window, double room);  // on all sides [m]
void ts_window_zoom(ts_window *window, double factor); // keep its centre, and 1/factor of its sides
bool ts_windows_overlap(const ts_window *a, const ts_window *b);

// Choose scale and origin so that the window fills the middle of a picture that keeps these margins [pixels].
typedef struct ts_margins {
  double left, right, top, bottom;
} ts_margins;
void ts_camera_fit(ts_camera *camera, const ts_window *window, int width, int height, const ts_margins *margins);

ts_point ts_camera_project(const ts_camera *camera, ts_vec3 point);
ts_point ts_camera_project_direction(const ts_camera *camera, ts_vec3 direction); // [pixels/m times its unit]

#endif
