// Bodies that joints hold to the world, each by one joint and for itself: pads on guides, wheels on fixed axles. No
// impulse passes from body to body, so that nothing is sparse and nothing has to be ordered: A = G^T M^-1 G + softness
// is a small dense block a body.
#ifndef TS_DYNAMICS_ANCHOR_H
#define TS_DYNAMICS_ANCHOR_H

#include "dynamics/rows.h"

// One body and the rows of the source that holds it. Its inverse mass is M^-1 - sum of half_k half_k^T.
typedef struct ts_body_anchor {
  int body, side;                                 // on which the rows have it
  int first, count;                               // rows
  double half[TS_SOURCE_ROWS][6];                 // the columns of M^-1 G L^-T, twists
  double response[TS_SOURCE_ROWS][6];             // M^-1 G
  double factor[TS_SOURCE_ROWS * TS_SOURCE_ROWS]; // L of A, count x count
} ts_body_anchor;

typedef struct ts_body_anchors {
  int count;
  const ts_body_anchor *anchors;
  const ts_body_anchor *const *of_body; // (body_count) or NULL: what holds a body, NULL where nothing does
} ts_body_anchors;

// Factor. Nothing is done, and of_body is NULL, where a row joins two bodies or none, or where two sources hold one
// body. Writes which rows add nothing (depends). Memory from the arena.
ts_body_anchors ts_anchors_factor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                                  int count, bool *depends, ts_arena *arena);

// One solution of A x = -(what is left of the rows), added to impulse and velocity (body_count).
void ts_anchors_relax(const ts_body_anchors *list, const ts_bilateral_row *rows, bool biased, ts_twist *velocity,
                      double *impulse);

// C (columns x columns) = - K^T A^-1 K of other rows, see ts_bilateral_delassus().
void ts_anchors_delassus(const ts_body_anchors *list, const ts_row *rows, int columns, double *C);

#endif
