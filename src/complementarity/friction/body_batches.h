// A friction problem in the space of bodies, laid out for visits of several contacts at a time. With M = L L^T and, a
// contact, G = S J L^-T (S its scale and ellipsoid)
//   W = G G^T,  v = G^T r,  u = G v + q,
// so that a visit reads the velocities of two bodies and changes them, and nobody needs W. A batch of contacts of one
// colour (contact_colours.h) is one record of vectors, a lane for each contact; an empty lane is a contact that nothing
// pushes. Four lanes have double precision; two such batches are rounded into one of eight lanes in single precision.
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

#define TS_KIND quad
#include "complementarity/friction/lane_batch_inline.h"
#undef TS_KIND
#define TS_KIND oct
#include "complementarity/friction/lane_batch_inline.h"
#undef TS_KIND

// Prepare the blocks W of d rows each, the lower triangles by rows: `axes` is what the tangents are turned into.
void ts_quad_block_init(int d, const ts_quad *W, ts_quad_block *block, ts_lane_axes *axes);

typedef struct ts_body_batches {
  int d, bodies;
  const ts_friction *problem;
  ts_contact_colours colours;
  ts_quad_batch *batches;
  ts_lane_axes *axes; // into which the tangents of a batch are turned
  ts_quad *G;         // TS_PAIR_ROWS components of d rows a batch, those of the first body first
  double data_size;   // |S q|
  double raw_data;    // |E q|, for FCLIB's figure
} ts_body_batches;

// The same in single precision: batch k has the contacts of the batches 2 k and 2 k + 1.
typedef struct ts_rounded_batches {
  ts_oct_batch *batches;
  ts_oct *G;
} ts_rounded_batches;

// Whether the problem says which rows of its mass matrix are whose.
bool ts_body_batches_apply(const ts_friction *problem);

// False where contacts push more than two bodies, a mass matrix is not positive definite, or the data have lost their
// squares. Impulses begin with 0. Lives in the arena. The team may be NULL.
bool ts_body_batches_init(ts_body_batches *b, const ts_friction *problem, ts_team *team, ts_arena *arena);

// Impulses of the problem as the present point and the one before it; and `point`, d quads a batch, as impulses.
void ts_body_batches_import(ts_body_batches *b, const double *z);
void ts_body_batches_export(const ts_body_batches *b, const ts_quad *point, double *z);

// The batches as they are, with their impulses, in single precision. Lives in the arena.
void ts_body_batches_round(const ts_body_batches *b, ts_team *team, ts_arena *arena, ts_rounded_batches *rounded);

#endif
