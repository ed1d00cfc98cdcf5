// A picture of bodies: what is in it, and drawing it.
#ifndef TS_CLI_PICTURE_H
#define TS_CLI_PICTURE_H

#include "cli/camera.h"

#include "touchstone/model.h"

// A shape where it is at one of the picture's moments.
typedef struct cli_placed {
  const ts_shape *shape;
  ts_pose pose;
  int body, moment;
  ts_body_kind kind;
} cli_placed;

// A contact and the force on the body that can move, or on the first of two.
typedef struct cli_force {
  ts_vec3 point;
  ts_vec3 force; // [N]; zero: only the point is marked
} cli_force;

// Where the centre of a body has been.
typedef struct cli_trail {
  int body;
  const ts_vec3 *points;
  int count;
} cli_trail;

typedef struct cli_label {
  ts_vec3 at;
  const char *text;
} cli_label;

// A joint or spring at the last moment.
typedef struct cli_link {
  bool is_spring;
  ts_joint_kind kind;  // of a joint
  ts_vec3 point[2];    // on the parent and the child; the ends of a spring
  ts_vec3 stem[2];     // of a joint: where each body begins as seen from its point, or the point itself
  ts_vec3 axis, axis2; // of a joint, unit
} cli_link;

typedef struct cli_picture {
  bool planar;
  ts_vec3 gravity;
  const char *title;     // may be empty
  const double *moments; // times, ascending [s]; earlier ones are paler
  int moment_count;
  const cli_placed *placed;
  int placed_count;
  const cli_force *forces;
  int force_count;
  const cli_trail *trails;
  int trail_count;
  const cli_link *links;
  int link_count;
  const cli_label *labels;
  int label_count;
} cli_picture;

// Draw it as the camera, aimed but not fitted, sees it.
void cli_picture_draw(const cli_picture *picture, cli_camera *camera, cli_canvas *canvas);

// ---- parts of drawing, for the files picture_*.c --------------------------------------------------------------------

// A box along the world's axes that holds what matters: the bodies that move, what stands still near them, and the
// ground that they are close to.
typedef struct cli_stage {
  ts_vec3 low, high;
} cli_stage;
cli_stage cli_stage_of(const cli_picture *picture);
ts_vec3 cli_stage_corner(const cli_stage *stage, int i); // 0 <= i < 8
double cli_stage_size(const cli_stage *stage);           // its diagonal [m]

// Colours of a body's surface and of its lines, pale where its moment is past.
typedef struct cli_look {
  cli_color surface, line;
} cli_look;
cli_look cli_look_of(const cli_picture *picture, const cli_placed *placed);
bool cli_can_be_drawn(const cli_placed *placed); // its pose is of finite numbers

// Half-planes and shapes of the plane.
void cli_draw_flat(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);

// Half-spaces as patches of a grid. Those seen from their outer side lie behind everything and are drawn `behind`, with
// shadows of what is above them; the others, before everything, as outlines. cli_window_add_ground() makes room.
void cli_window_add_ground(cli_window *window, const cli_picture *picture, const cli_stage *stage,
                           const cli_camera *camera);
void cli_draw_ground(const cli_picture *picture, const cli_stage *stage, const cli_camera *camera, bool behind,
                     cli_canvas *canvas);

// Solids, those behind first.
void cli_draw_solids(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);

// Joints and springs.
bool cli_link_can_be_drawn(const cli_link *link); // it is of finite numbers
void cli_draw_links(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);

// Title, times, scale, axes; trails; contacts and names.
cli_margins cli_note_margins(const cli_picture *picture, const cli_canvas *canvas);
void cli_draw_trails(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);
void cli_draw_forces(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);
void cli_draw_labels(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);
void cli_draw_notes(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas);

#endif
