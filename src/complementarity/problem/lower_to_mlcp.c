// The friction polygon as an MLCP, 000 eq. 22: unknowns l (free), r_n and beta contact by contact, then all sigma.
#include "complementarity/problem/lowering.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>

static void recover(const ts_lowering *lowering, const double *lowered, double *original)
{
  const ts_friction *p = &lowering->original;
  ts_friction_polygon_impulse(p, &lowering->polygon, &lowering->order, lowered, original);
  for (int k = 0; k < p->bilaterals; ++k) original[p->dimension * p->contacts + k] = lowered[k];
}

static void start(const ts_lowering *lowering, const double *original, double *lowered)
{
  const ts_friction *p = &lowering->original;
  const double *l = original + p->dimension * p->contacts;
  ts_contact_velocity(p, original, l, lowering->velocity);
  ts_friction_polygon_decompose(p, &lowering->polygon, &lowering->order, original, lowering->velocity, lowered);
  for (int k = 0; k < p->bilaterals; ++k) lowered[k] = l[k];
}

ts_status ts_lower_to_mlcp_into(const ts_friction *problem, const ts_friction_polygon_options *options, ts_arena *arena,
                                ts_lowering *lowering, ts_error *error)
{
  ts_lowering_init(problem, arena, lowering);
  TS_TRY(ts_friction_polygon_choose(problem, options, arena, &lowering->polygon, error));
  lowering->order =
      (ts_friction_polygon_order){problem->bilaterals, problem->contacts, lowering->polygon.directions, true};
  lowering->recover = recover;
  lowering->start = start;
  const int size = ts_friction_polygon_size(&lowering->order);
  ts_mlcp mlcp = {.size = size};
  TS_TRY(ts_friction_polygon_assemble(problem, &lowering->polygon, &lowering->order, arena, &mlcp.M, &mlcp.q, error));
  double *lower = ts_arena_zeros(arena, (size_t)size), *upper = ts_arena_doubles(arena, (size_t)size);
  for (int k = 0; k < size; ++k) upper[k] = INFINITY;
  for (int k = 0; k < problem->bilaterals; ++k) lower[k] = -INFINITY;
  mlcp.lower = lower;
  mlcp.upper = upper;
  lowering->problem = ts_problem_mlcp(mlcp);
  return TS_OK;
}

ts_status ts_lower_to_mlcp(const ts_friction *problem, int directions, const double *slip, ts_lowering **lowering,
                           ts_error *error)
{
  TS_REFUSE_UNLESS(lowering, error);
  *lowering = NULL;
  TS_REFUSE_UNLESS(problem, error);
  const ts_friction_polygon_options options = {directions, slip};
  return ts_lowering_create(problem, ts_lower_to_mlcp_into, &options, lowering, error);
}
