// What joints hold: rows, each beside the change that motion alone makes of its rate. The rows of a kind of joint are
// put together from these (dynamics/joint/joint_mechanics.h).
//
// Frame 1 is the parent's, frame 2 the child's; X, Y, Z their axes, o their origins.
#ifndef TS_DYNAMICS_JOINT_HOLDS_H
#define TS_DYNAMICS_JOINT_HOLDS_H

#include "dynamics/joint_frames.h"

// A joint as it stands, and where its next row goes.
typedef struct ts_row_writer {
  const ts_model *model;
  const ts_state *state;
  int joint;
  const ts_joint_frames *at;
  double h;
  ts_bilateral_row *next;
} ts_row_writer;

// A joint in motion, and where the next number goes.
typedef struct ts_bias_writer {
  const ts_joint *joint;
  const ts_joint_frames *at;
  ts_vec3 spin[2];     // angular velocities of parent and child
  ts_vec3 relative;    // velocity of o2 against the parent's matter
  ts_vec3 centripetal; // what d meets in a slide
  double *next;
} ts_bias_writer;

typedef struct ts_hold {
  void (*write)(ts_row_writer *w); // rows
  void (*bias)(ts_bias_writer *w); // as many numbers: d/dt (G^T V) without G^T V'
} ts_hold;

extern const ts_hold ts_hold_across;  // no sliding along X1 and Y1 (2 rows)
extern const ts_hold ts_hold_along;   // nor along Z1
extern const ts_hold ts_hold_aligned; // Z1 and Z2 (2)
extern const ts_hold ts_hold_normal;  // Z1 and X2
extern const ts_hold ts_hold_turns;   // no turning (3)

// The same in the plane: no sliding (2), none across Z1, no turning.
extern const ts_hold ts_hold_point_in_plane;
extern const ts_hold ts_hold_across_in_plane;
extern const ts_hold ts_hold_turn_in_plane;

// ---- parts of holds ------------------------------------------------------------------------------------------------

// Inline, for rows are large: they are made where they are to stay.
TS_INLINE void ts_put_row(ts_row_writer *w, ts_row row, double error)
{
  *w->next++ = (ts_bilateral_row){.row = row, .bias = error / w->h, .error = error};
}

// d.(o2 - o1)
double ts_slide_along(const ts_joint_frames *at, ts_vec3 d);

// The bias of a slide along d, which is carried by the parent, and d/dt (a x b), a carried by the parent and b by the
// child.
double ts_slide_bias(const ts_bias_writer *w, ts_vec3 d);
ts_vec3 ts_product_change(const ts_bias_writer *w, ts_vec3 a, ts_vec3 b);

#endif
