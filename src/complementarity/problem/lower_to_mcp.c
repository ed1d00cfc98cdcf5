// The friction ellipsoid as a quadratic cone: thesis (004) eqs. 2.62-2.64 and the last rows of 2.77, with the semi-axes
// of the ellipsoid. Unknowns l, then r_n, r_t, sigma of each contact; per contact the rows
//   0 <= r_n _|_ u_n,   e_k^2 mu r_n u_k + r_k sigma = 0,   0 <= sigma _|_ (mu r_n)^2 - sum (r_k / e_k)^2,
// and V^T r + R l + s = 0. At a solution with slip sigma is |D u_t|.
#include "complementarity/problem/lowering.h"

#include "complementarity/problem/column_sink.h"

#include "base/require.h"
#include "base/status.h"
#include "math/matrix.h"
#include "math/sparse.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int place(const ts_friction *p, int contact, int component) // component `dimension` is sigma
{
  return p->bilaterals + contact * (p->dimension + 1) + component;
}

static void gather_impulses(const ts_friction *p, const double *z, double *r)
{
  const int d = p->dimension;
  for (int i = 0; i < p->contacts; ++i) memcpy(r + i * d, z + place(p, i, 0), (size_t)d * sizeof *r);
}

static int evaluate(void *user, const double *z, double *F)
{
  const ts_lowering *lowering = user;
  const ts_friction *p = &lowering->original;
  const int d = p->dimension;
  gather_impulses(p, z, lowering->impulse);
  ts_contact_velocity(p, lowering->impulse, z, lowering->velocity);
  if (p->bilaterals > 0) {
    memcpy(F, p->s, (size_t)p->bilaterals * sizeof *F);
    ts_matrix_multiply_add(&lowering->R, 1.0, z, F);
    ts_matrix_transpose_multiply_add(&lowering->V, 1.0, lowering->impulse, F);
  }
  for (int i = 0; i < p->contacts; ++i) {
    const double *r = lowering->impulse + i * d, *u = lowering->velocity + i * d, sigma = z[place(p, i, d)];
    double *f = F + place(p, i, 0);
    const double bound = p->mu[i] * r[0];
    f[0] = u[0];
    f[d] = bound * bound;
    for (int k = 1; k < d; ++k) {
      const double e = ts_semi_axis(p, i, k);
      f[k] = e * e * bound * u[k] + r[k] * sigma;
      f[d] -= r[k] / e * (r[k] / e);
    }
  }
  return 0;
}

// What row `component` of contact i multiplies its velocity by.
static double velocity_factor(const ts_friction *p, const double *r, int i, int component)
{
  if (component == 0) return 1.0;
  const double e = ts_semi_axis(p, i, component);
  return e * e * p->mu[i] * r[i * p->dimension];
}

static void put_bilateral_column(const ts_lowering *lowering, const double *r, int k, ts_column_sink *sink)
{
  const ts_friction *p = &lowering->original;
  const ts_matrix *R = &lowering->R, *V = &lowering->V;
  for (int a = R->start[k]; a < R->start[k + 1]; ++a) ts_put(sink, R->index[a], R->value[a]);
  for (int a = V->start[k]; a < V->start[k + 1]; ++a) {
    const int i = V->index[a] / p->dimension, component = V->index[a] % p->dimension;
    ts_put(sink, place(p, i, component), velocity_factor(p, r, i, component) * V->value[a]);
  }
}

// Derivatives by component c of the impulse of contact j.
static void put_impulse_column(const ts_lowering *lowering, const double *z, int j, int c, ts_column_sink *sink)
{
  const ts_friction *p = &lowering->original;
  const int d = p->dimension;
  const double *r = lowering->impulse, *u = lowering->velocity + j * d;
  if (p->bilaterals > 0) {
    const ts_matrix *T = &lowering->V_by_row;
    for (int a = T->start[j * d + c]; a < T->start[j * d + c + 1]; ++a) ts_put(sink, T->index[a], T->value[a]);
  }
  for (int k = p->W.start[j]; k < p->W.start[j + 1]; ++k) {
    const int i = p->W.index[k];
    const double *column = p->W.value + (size_t)lowering->mate[k] * (size_t)(d * d) + c * d;
    ts_put(sink, place(p, i, 0), column[0]);
    for (int row = 1; row < d; ++row) {
      const double e = ts_semi_axis(p, i, row);
      double value = velocity_factor(p, r, i, row) * column[row];
      if (i == j && c == 0) value += e * e * p->mu[i] * u[row];
      if (i == j && c == row) value += z[place(p, i, d)];
      ts_put(sink, place(p, i, row), value);
    }
    if (i != j) continue;
    const double e = c > 0 ? ts_semi_axis(p, i, c) : 1.0;
    ts_put(sink, place(p, i, d), c == 0 ? 2.0 * p->mu[i] * p->mu[i] * r[i * d] : -2.0 * r[i * d + c] / (e * e));
  }
}

static void put_sigma_column(const ts_lowering *lowering, int j, ts_column_sink *sink)
{
  const ts_friction *p = &lowering->original;
  for (int k = 1; k < p->dimension; ++k) ts_put(sink, place(p, j, k), lowering->impulse[j * p->dimension + k]);
}

// All columns; the offsets are written where `start` is not NULL.
static void put_jacobian(const ts_lowering *lowering, const double *z, int *start, ts_column_sink *sink)
{
  const ts_friction *p = &lowering->original;
  int column = 0;
  gather_impulses(p, z, lowering->impulse);
  ts_contact_velocity(p, lowering->impulse, z, lowering->velocity);
  for (int k = 0; k < p->bilaterals; ++k) {
    if (start) start[column++] = (int)sink->count;
    put_bilateral_column(lowering, lowering->impulse, k, sink);
  }
  for (int j = 0; j < p->contacts; ++j)
    for (int c = 0; c <= p->dimension; ++c) {
      if (start) start[column++] = (int)sink->count;
      if (c < p->dimension)
        put_impulse_column(lowering, z, j, c, sink);
      else
        put_sigma_column(lowering, j, sink);
    }
  if (start) start[column] = (int)sink->count;
}

static int jacobian(void *user, const double *z, double *values)
{
  ts_column_sink sink = {.value = values};
  put_jacobian(user, z, NULL, &sink);
  return 0;
}

static void recover(const ts_lowering *lowering, const double *lowered, double *original)
{
  const ts_friction *p = &lowering->original;
  const size_t rows = (size_t)p->dimension * (size_t)p->contacts;
  gather_impulses(p, lowered, original);
  for (int k = 0; k < p->bilaterals; ++k) original[rows + (size_t)k] = lowered[k];
}

static void start(const ts_lowering *lowering, const double *original, double *lowered)
{
  const ts_friction *p = &lowering->original;
  const int d = p->dimension;
  const double *l = original + d * p->contacts;
  for (int k = 0; k < p->bilaterals; ++k) lowered[k] = l[k];
  ts_contact_velocity(p, original, l, lowering->velocity);
  for (int i = 0; i < p->contacts; ++i) {
    double slip = 0.0; // sigma = |D u_t|
    for (int k = 1; k < d; ++k) slip = hypot(slip, ts_semi_axis(p, i, k) * lowering->velocity[i * d + k]);
    memcpy(lowered + place(p, i, 0), original + i * d, (size_t)d * sizeof *lowered);
    lowered[place(p, i, d)] = slip;
  }
}

static void set_bounds(const ts_friction *p, double *lower, double *upper)
{
  const int size = place(p, p->contacts, 0);
  for (int k = 0; k < size; ++k) {
    lower[k] = -INFINITY;
    upper[k] = INFINITY;
  }
  for (int i = 0; i < p->contacts; ++i) lower[place(p, i, 0)] = lower[place(p, i, p->dimension)] = 0.0;
}

ts_status ts_lower_to_mcp_into(const ts_friction *problem, const ts_friction_polygon_options *options, ts_arena *arena,
                               ts_lowering *lowering, ts_error *error)
{
  (void)options;
  const double unknowns = problem->bilaterals + (double)problem->contacts * (problem->dimension + 1);
  if (unknowns > INT_MAX) return ts_fail(error, TS_UNSUPPORTED, "the MCP has more unknowns than an int counts");
  ts_lowering_init(problem, arena, lowering);
  lowering->mate = ts_block_mates(&problem->W, arena);
  if (problem->bilaterals > 0) {
    lowering->V = ts_matrix_compress(&problem->V, arena);
    lowering->R = ts_matrix_compress(&problem->R, arena);
    lowering->V_by_row = ts_matrix_transpose(&lowering->V, arena);
  }
  lowering->recover = recover;
  lowering->start = start;
  const size_t size = (size_t)unknowns;
  double *lower = ts_arena_doubles(arena, size), *upper = ts_arena_doubles(arena, size);
  const double *origin = ts_arena_zeros(arena, size);
  set_bounds(problem, lower, upper);
  ts_column_sink sink = {0};
  put_jacobian(lowering, origin, NULL, &sink);
  if (sink.count > INT_MAX) return ts_fail(error, TS_UNSUPPORTED, "the Jacobian has more entries than an int counts");
  int *offsets = ts_arena_ints(arena, size + 1);
  sink = (ts_column_sink){.index = ts_arena_ints(arena, sink.count)};
  put_jacobian(lowering, origin, offsets, &sink);
  lowering->problem = ts_problem_mcp((ts_mcp){.size = (int)size,
                                              .lower = lower,
                                              .upper = upper,
                                              .start = offsets,
                                              .index = sink.index,
                                              .evaluate = evaluate,
                                              .jacobian = jacobian,
                                              .user = lowering});
  return TS_OK;
}

ts_status ts_lower_to_mcp(const ts_friction *problem, ts_lowering **lowering, ts_error *error)
{
  TS_REFUSE_UNLESS(lowering, error);
  *lowering = NULL;
  TS_REFUSE_UNLESS(problem, error);
  return ts_lowering_create(problem, ts_lower_to_mcp_into, NULL, lowering, error);
}
