// Sweeps over patches, each solved by itself while the others stay.
#include "complementarity/friction/patch_problem.h"

#include "math/matrix.h"

#include <math.h>
#include <string.h>

// One patch of a problem.
typedef struct local {
  ts_friction points;
  ts_patch_problem problem;
  int start[2];
  int *row_start, *index;
  double *W, *q, *r;
} local;

static int most_points(const ts_patch_problem *problem)
{
  int most = 0;
  for (int i = 0; i < problem->patches; ++i) {
    const int count = problem->start[i + 1] - problem->start[i];
    if (count > most) most = count;
  }
  return most;
}

// Room for the largest patch.
static void begin(local *own, const ts_patch_problem *problem, ts_arena *arena)
{
  const size_t most = (size_t)most_points(problem), d = (size_t)problem->points->dimension;
  own->row_start = ts_arena_ints(arena, most + 1);
  own->index = ts_arena_ints(arena, most * most);
  own->W = ts_arena_doubles(arena, most * most * d * d);
  own->q = ts_arena_doubles(arena, most * d);
  own->r = ts_arena_doubles(arena, most * d);
}

// u += W_ik r_k, W_ik d x d by columns.
static void add_product(int d, const double *block, const double *r, double *u)
{
  for (int c = 0; c < d; ++c)
    for (int row = 0; row < d; ++row) u[row] += block[c * d + row] * r[c];
}

// Rows of point i of the patch: what others do to it goes into q.
static void take_point(local *own, const ts_patch_problem *problem, int patch, int i, const double *r)
{
  const ts_friction *p = problem->points;
  const int d = p->dimension, first = problem->start[patch], count = problem->start[patch + 1] - first;
  const size_t size = (size_t)(d * d);
  own->row_start[i] = i * count;
  memcpy(own->q + i * d, p->q + (first + i) * d, (size_t)d * sizeof *own->q);
  for (int k = 0; k < count; ++k) own->index[i * count + k] = k;
  memset(own->W + (size_t)(i * count) * size, 0, (size_t)count * size * sizeof *own->W);
  for (int k = p->W.start[first + i]; k < p->W.start[first + i + 1]; ++k) {
    const double *block = p->W.value + (size_t)k * size;
    const int at = p->W.index[k] - first;
    if (at >= 0 && at < count)
      memcpy(own->W + (size_t)(i * count + at) * size, block, size * sizeof *own->W);
    else
      add_product(d, block, r + (size_t)p->W.index[k] * (size_t)d, own->q + i * d);
  }
}

static void take_patch(local *own, const ts_patch_problem *problem, int patch, const double *r)
{
  const ts_friction *p = problem->points;
  const int d = p->dimension, first = problem->start[patch], count = problem->start[patch + 1] - first;
  for (int i = 0; i < count; ++i) take_point(own, problem, patch, i, r);
  own->row_start[count] = count * count;
  memcpy(own->r, r + first * d, (size_t)(count * d) * sizeof *own->r);
  own->start[0] = 0;
  own->start[1] = count;
  own->points =
      (ts_friction){.dimension = d,
                    .contacts = count,
                    .W = {.rows = count, .block = d, .start = own->row_start, .index = own->index, .value = own->W},
                    .q = own->q,
                    .mu = p->mu + first,
                    .ellipsoid = p->ellipsoid ? p->ellipsoid + first * (d - 1) : NULL};
  own->problem = (ts_patch_problem){&own->points, 1, own->start};
}

static double largest(const double *x, int count)
{
  double most = 0.0;
  for (int k = 0; k < count; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

// To `speed`, an absolute one: what is slow in itself may be so.
static void solve_patch(local *own, double speed, ts_arena *arena)
{
  enum { ITERATIONS = 12, PATH_STEPS = 60 };
  const double data = largest(own->q, own->points.contacts * own->points.dimension);
  const double tolerance = data > speed ? speed / data : 1.0;
  ts_patch_report report;
  if (!ts_patch_solve(&own->problem, tolerance, ITERATIONS, arena, own->r, &report))
    ts_patch_follow(&own->problem, tolerance, PATH_STEPS, arena, own->r, &report);
}

void ts_patch_sweep(const ts_patch_problem *problem, double tolerance, ts_arena *arena, double *r)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const int d = problem->points->dimension;
  const double speed = tolerance * largest(problem->points->q, problem->points->contacts * d);
  local own;
  begin(&own, problem, arena);
  for (int i = 0; i < problem->patches; ++i) {
    take_patch(&own, problem, i, r);
    solve_patch(&own, speed, arena);
    memcpy(r + problem->start[i] * d, own.r, (size_t)(own.points.contacts * d) * sizeof *r);
  }
  ts_arena_restore(arena, mark);
}
