// Lowered friction problems: the common object, and the same lowerings with memory from an arena.
#ifndef TS_COMPLEMENTARITY_PROBLEM_LOWERING_H
#define TS_COMPLEMENTARITY_PROBLEM_LOWERING_H

#include "touchstone/lowering.h"

#include "complementarity/problem/friction_polygon.h"

#include "base/arena.h"

struct ts_lowering {
  ts_problem problem;   // the lowered one; an MCP's callbacks are handed this struct, which must stay where it is
  ts_friction original; // views of the caller's arrays, or of a copy that ts_lowering_create() made
  void (*recover)(const ts_lowering *lowering, const double *lowered, double *original);
  void (*start)(const ts_lowering *lowering, const double *original, double *lowered);
  double *impulse, *velocity; // scratch, dimension*contacts each

  // MCP
  const int *mate;          // of the blocks of W, see ts_block_mates()
  ts_matrix V, R, V_by_row; // compressed columns; V_by_row is V^T. Empty without bilateral rows

  // MLCP and LCP
  ts_friction_polygon polygon;
  ts_friction_polygon_order order;
  const double *bilateral_LU; // LCP with bilateral rows: factors of R
  const int *bilateral_pivots;
};

// How a lowering is made in an arena. `options` is not read where the cone stays round. Borrows the problem's arrays;
// the problem is one that ts_problem_check() passes. Such a lowering is not destroyed: it ends with the arena.
typedef ts_status ts_lower_into(const ts_friction *problem, const ts_friction_polygon_options *options, ts_arena *arena,
                                ts_lowering *lowering, ts_error *error);
ts_lower_into ts_lower_to_mcp_into, ts_lower_to_mlcp_into, ts_lower_to_lcp_into;

// Check the problem, copy it, and lower the copy, all in memory of its own.
ts_status ts_lowering_create(const ts_friction *problem, ts_lower_into *lower,
                             const ts_friction_polygon_options *options, ts_lowering **lowering, ts_error *error);

// Fill in what all kinds share, and clear the rest.
void ts_lowering_init(const ts_friction *problem, ts_arena *arena, ts_lowering *lowering);

// Semi-axis k (1 ..) of a contact's friction ellipsoid.
static inline double ts_semi_axis(const ts_friction *problem, int contact, int k)
{
  return problem->ellipsoid ? problem->ellipsoid[contact * (problem->dimension - 1) + k - 1] : 1.0;
}

// u = W r + V l + q.
void ts_contact_velocity(const ts_friction *problem, const double *r, const double *l, double *u);

#endif
