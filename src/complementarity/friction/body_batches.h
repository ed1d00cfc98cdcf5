// A friction problem in the space of bodies, laid out for visits of four contacts at a time. With M = L L^T and, a
// contact, G = S J L^-T (S its scale and ellipsoid)
//   W = G G^T,  v = G^T r,  u = G v + q,
// so that a visit reads the velocities of two bodies and changes them, and nobody needs W. A batch of contacts of one
// colour (contact_colours.h) is one record of quads, a lane for each contact; an empty lane is a contact that nothing
// pushes.
#ifndef TS_COMPLEMENTARITY_FRICTION_BODY_BATCHES_H
#define TS_COMPLEMENTARITY_FRICTION_BODY_BATCHES_H

#include "touchstone/problem.h"

#include "complementarity/friction/contact_colours.h"
#include "complementarity/friction/lane_axes_inline.h"

#include "base/team.h"
#include "math/quad.h"

enum {
  TS_BODY_ROWS = 6,    // of a body at most
  TS_BODY_NUMBERS = 8, // of a body's velocity, padded
  TS_PAIR_ROWS = 2 * TS_BODY_ROWS
};

// One contact prepared for its own solution, in four lanes. The tangents are turned into the axes in which the scaled
// block of W is
//   W_nn = normal, W_tn = normal nt, W_tt = S + normal nt nt^T  with S diagonal.
typedef struct ts_lane_block {
  ts_quad mu, normal, inverse_normal; // 1/W_nn, or 0 where that is not positive
  ts_quad a;                          // multiplier of the last slip: where the next search starts; 0: none yet
  ts_quad nt[TS_MOST_TANGENTS], S[TS_MOST_TANGENTS], inverse_S[TS_MOST_TANGENTS];
} ts_lane_block;

// Prepare the blocks W of d rows each, the lower triangles by rows: `axes` is what the tangents are turned into.
void ts_lane_block_init(int d, const ts_quad *W, ts_lane_block *block, ts_lane_axes *axes);

// Four contacts. Arrays over rows have room for d = 4, G for as many rows as there are.
typedef struct ts_batch {
  int body[2][TS_LANES]; // velocities they push; of what does not move the number of bodies
  ts_quad scale;         // s
  ts_quad q[4];          // scaled and turned, |q| = 1
  ts_quad x[4], before[4];
  ts_lane_block block;
} ts_batch;

typedef struct ts_body_batches {
  int d, bodies;
  const ts_friction *problem;
  ts_contact_colours colours;
  ts_batch *batches;
  ts_lane_axes *axes; // into which the tangents of a batch are turned
  ts_quad *G;         // TS_PAIR_ROWS components of d rows a batch
  double data_size;   // |S q|
  double raw_data;    // |E q|, for FCLIB's figure
} ts_body_batches;

// The rows of G of batch k: d quads a component, those of the first body first.
TS_INLINE const ts_quad *ts_batch_rows(const ts_body_batches *b, int k, const int d)
{
  return b->G + (size_t)k * (size_t)(TS_PAIR_ROWS * d);
}

// Whether the problem says which rows of its mass matrix are whose.
bool ts_body_batches_apply(const ts_friction *problem);

// False where contacts push more than two bodies, a mass matrix is not positive definite, or the data have lost their
// squares. Impulses begin with 0. Lives in the arena. The team may be NULL.
bool ts_body_batches_init(ts_body_batches *b, const ts_friction *problem, ts_team *team, ts_arena *arena);

// Impulses of the problem as the present point and the one before it; and `point`, d quads a batch, as impulses.
void ts_body_batches_import(ts_body_batches *b, const double *z);
void ts_body_batches_export(const ts_body_batches *b, const ts_quad *point, double *z);

#endif
