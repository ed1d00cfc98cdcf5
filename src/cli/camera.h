// Where a picture is looked at from. Projection is orthographic: lengths in the plane of the picture are true.
#ifndef TS_CLI_CAMERA_H
#define TS_CLI_CAMERA_H

#include "cli/geometry.h"

typedef struct cli_camera {
  ts_vec3 right, up, toward; // of the picture, and towards the eye: unit, in the world
  double scale;              // [pixels/m]
  cli_point origin;          // where the world's origin is in the picture [pixels]
} cli_camera;

// Look as `view` says: "iso", "x", "y", "z" (from that side; "y" from the front, which is -y) or "AZIMUTH,ELEVATION" in
// degrees, the azimuth being the eye's angle from x about the vertical. The vertical is the axis that gravity is
// nearest to. False: `view` is none of these.
bool cli_camera_aim(const char *view, ts_vec3 gravity, cli_camera *camera);
// Look at the plane of x and y.
void cli_camera_aim_planar(cli_camera *camera);

// A rectangle in the plane of the camera, in metres along right and up. Empty when low > high.
typedef struct cli_window {
  cli_point low, high;
} cli_window;

cli_window cli_window_empty(void);
void cli_window_add(cli_window *window, const cli_camera *camera, ts_vec3 point);
void cli_window_add_shape(cli_window *window, const cli_camera *camera, const ts_shape *shape, const ts_pose *pose);
bool cli_windows_overlap(const cli_window *a, const cli_window *b);

// Choose scale and origin so that the window fills the middle of a picture that keeps these margins [pixels].
typedef struct cli_margins {
  double left, right, top, bottom;
} cli_margins;
void cli_camera_fit(cli_camera *camera, const cli_window *window, int width, int height, const cli_margins *margins);

cli_point cli_project(const cli_camera *camera, ts_vec3 point);
cli_point cli_project_direction(const cli_camera *camera, ts_vec3 direction); // [pixels/m times its unit]

#endif
