// Eliminating the bodies of a global friction problem, with memory from an arena.
#ifndef TS_COMPLEMENTARITY_PROBLEM_CONDENSE_H
#define TS_COMPLEMENTARITY_PROBLEM_CONDENSE_H

#include "touchstone/problem.h"

#include "base/arena.h"
#include "math/sparse_cholesky.h"

// A condensed problem and what is needed to find the velocities again. `local.bodies` points into this struct, so it
// must stay where it was filled in. Borrows the arrays of the global problem.
typedef struct ts_condensation {
  ts_friction local;  // the problem without bodies; its solution vector is the head (r, l) of the global one
  bool diagonal_only; // W holds its diagonal blocks alone: the rest would be too much
  ts_bodies bodies;   // M and H in compressed columns
  ts_matrix G;        // compressed columns; not set without bilateral rows
  const double *f;
  ts_sparse_cholesky mass; // factor of M
  double *scratch;         // rows of M, for ts_condensation_velocity()
} ts_condensation;

// Blocks of W beyond which ts_condense_into() may leave all but the diagonal ones out. Bodies with masses of their own
// stay far below; it is for many contacts on one coupled M, whose W is dense.
enum { TS_MOST_BLOCKS = 40000, TS_MOST_BLOCKS_A_CONTACT = 64 };

// With fewer contacts than this their own space is the smaller one, whatever the bodies: the bodies are not handed on.
enum { TS_FEWEST_FOR_BODIES = 12 };

// W = H^T M^-1 H, q = H^T M^-1 f + w, V = H^T M^-1 G, R = G^T M^-1 G, s = G^T M^-1 f + b. The global problem is one
// that ts_problem_check() passes. TS_INVALID when M is not symmetric positive definite; what was filled in is then
// undefined. With `sparing` a W beyond the limits above is left out but for its diagonal blocks (never with bilateral
// rows, whose elimination needs all of it).
ts_status ts_condense_into(const ts_global_friction *global, bool sparing, ts_arena *arena,
                           ts_condensation *condensation, ts_error *error);

// v = M^-1 (H r + G l + f), z holding r and then l.
void ts_condensation_velocity(const ts_condensation *condensation, const double *z, double *v);

#endif
