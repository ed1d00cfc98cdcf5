// A picture of bodies: what is in it, and drawing it.
#ifndef TS_DRAW_PICTURE_H
#define TS_DRAW_PICTURE_H

#include "draw/camera.h"
#include "draw/scope.h"

#include "touchstone/model.h"

// A shape where it is at one of the picture's moments.
typedef struct ts_placed_shape {
  const ts_shape *shape;
  ts_pose pose;
  int body, moment;
  ts_body_kind kind;
} ts_placed_shape;

// A contact and the force on the body that can move, or on the first of two.
typedef struct ts_picture_force {
  ts_vec3 point;
  ts_vec3 force;  // [N]; zero: only the point is marked
  ts_vec3 moment; // about the normal, on the same body [N m]
  int patch;      // 0 a point, 1 a line, 2 a surface
} ts_picture_force;

// Where the centre of a body has been.
typedef struct ts_picture_trail {
  int body;
  const ts_vec3 *points;
  int count;
} ts_picture_trail;

typedef struct ts_picture_label {
  int body;
  ts_vec3 at;
  const char *text;
} ts_picture_label;

// A joint or spring at the last moment.
typedef struct ts_picture_link {
  bool is_spring;
  ts_joint_kind kind;  // of a joint
  int body[2];         // that it holds: the parent and the child; TS_WORLD is none
  ts_vec3 point[2];    // on the parent and the child; the ends of a spring
  ts_vec3 stem[2];     // of a joint: where each body begins as seen from its point, or the point itself
  ts_vec3 axis, axis2; // of a joint, unit
} ts_picture_link;

typedef struct ts_picture {
  bool planar;
  ts_vec3 gravity;
  const char *title;     // may be empty
  const double *moments; // times, ascending [s]; earlier ones are paler
  int moment_count;
  const ts_placed_shape *placed;
  int placed_count;
  const ts_picture_force *forces;
  int force_count;
  const ts_picture_trail *trails;
  int trail_count;
  const ts_picture_link *links;
  int link_count;
  const ts_picture_label *labels;
  int label_count;
  const char *const *names; // (bodies) for what is said about those that are not shown; NULL: they have none
  const bool *focus;        // (bodies) that the picture is about; NULL: all but those far away from the rest
  double zoom;              // how many times nearer the eye comes; 0: not at all
} ts_picture;

// Draw it as the camera, aimed but not fitted, sees it.
void ts_picture_draw(const ts_picture *picture, ts_camera *camera, ts_canvas *canvas);

// ---- parts of drawing, for the files picture_*.c --------------------------------------------------------------------

// Colours of a body's surface and of its lines, pale where its moment is past.
typedef struct ts_picture_look {
  ts_color surface, line;
} ts_picture_look;
ts_picture_look ts_picture_look_of(const ts_picture *picture, const ts_placed_shape *placed);
bool ts_placed_shape_is_finite(const ts_placed_shape *placed); // its pose is of finite numbers
bool ts_placed_shape_has_place(const ts_placed_shape *placed); // and it is no half-space

// Half-planes and shapes of the plane.
void ts_picture_draw_flat(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas);

// Half-spaces as patches of a grid. Those seen from their outer side lie behind everything and are drawn `behind`, with
// shadows of what is above them; the others, before everything, as outlines. ts_window_add_ground() makes room.
void ts_window_add_ground(ts_window *window, const ts_picture *picture, const ts_scope *scope, const ts_camera *camera);
void ts_picture_draw_ground(const ts_picture *picture, const ts_scope *scope, const ts_camera *camera, bool behind,
                            ts_canvas *canvas);

// Solids, those behind first.
void ts_picture_draw_solids(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas);

// Joints and springs.
bool ts_picture_link_is_finite(const ts_picture_link *link); // it is of finite numbers
void ts_picture_draw_links(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas);

// Trails; contacts; names of bodies where there is room for them within an edge [pixels].
void ts_picture_draw_trails(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas);
void ts_picture_draw_forces(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas);
void ts_picture_draw_force_key(const ts_picture *picture, double right, double base, double letter, ts_canvas *canvas);
void ts_picture_draw_arrow(ts_point from, ts_point to, ts_color color, ts_canvas *canvas);
void ts_picture_draw_labels(const ts_picture *picture, const ts_camera *camera, const ts_window *edge,
                            ts_canvas *canvas);
double ts_picture_font_size(const ts_canvas *canvas); // [pixels]

// Title, times, what `note` says, scale, axes. The margins keep room for them; a border clears them of what goes on
// beyond the picture's edge.
ts_margins ts_picture_margins(const ts_picture *picture, const char *note, const ts_canvas *canvas);
void ts_picture_draw_border(const ts_margins *margins, ts_canvas *canvas);
void ts_picture_draw_notes(const ts_picture *picture, const char *note, const ts_camera *camera, ts_canvas *canvas);

#endif
