// A membrane between two obstacles (MCPLIB "obstacle"): v on grid x grid interior points of the unit square, 0 on its
// edge, F = -Laplace(v) dx dy - dx dy by the five-point formula, lb <= v <= ub with, at (x, y) and
// s = sin(9.2 x) sin(9.3 y), lb = s^3 and ub = s^2 + 0.2. The Jacobian is a symmetric M-matrix.
#include "complementarity/problem/builtin_family.h"

#include <math.h>
#include <string.h>

typedef struct membrane {
  int side;
  ts_mcp mcp; // for the pattern and the bounds
} membrane;

static int evaluate(void *user, const double *v, double *F)
{
  const int side = ((const membrane *)user)->side;
  const double d = 1.0 / (side + 1);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int k = j * side + i;
      const double left = i > 0 ? v[k - 1] : 0.0, right = i < side - 1 ? v[k + 1] : 0.0;
      const double below = j > 0 ? v[k - side] : 0.0, above = j < side - 1 ? v[k + side] : 0.0;
      F[k] = 4.0 * v[k] - left - right - below - above - d * d;
    }
  return 0;
}

static int jacobian(void *user, const double *v, double *values)
{
  (void)v;
  const ts_mcp *mcp = &((const membrane *)user)->mcp;
  for (int j = 0; j < mcp->size; ++j)
    for (int k = mcp->start[j]; k < mcp->start[j + 1]; ++k) values[k] = mcp->index[k] == j ? 4.0 : -1.0;
  return 0;
}

static void make_pattern(int side, int *column_start, int *index)
{
  int used = 0;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int k = j * side + i;
      column_start[k] = used;
      if (j > 0) index[used++] = k - side;
      if (i > 0) index[used++] = k - 1;
      index[used++] = k;
      if (i < side - 1) index[used++] = k + 1;
      if (j < side - 1) index[used++] = k + side;
    }
  column_start[side * side] = used;
}

static void make_obstacles(int side, double *lower, double *upper)
{
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const double s = sin(9.2 * (i + 1) / (side + 1)) * sin(9.3 * (j + 1) / (side + 1));
      lower[j * side + i] = s * s * s;
      upper[j * side + i] = s * s + 0.2;
    }
}

static void build(ts_mcp *mcp, int grid, ts_arena *arena)
{
  const size_t n = (size_t)grid * (size_t)grid;
  membrane *data = ts_arena_bytes(arena, 1, sizeof *data);
  double *lower = ts_arena_doubles(arena, n), *upper = ts_arena_doubles(arena, n);
  int *column_start = ts_arena_ints(arena, n + 1), *index = ts_arena_ints(arena, 5 * n);
  make_obstacles(grid, lower, upper);
  make_pattern(grid, column_start, index);
  *mcp = (ts_mcp){.size = grid * grid,
                  .lower = lower,
                  .upper = upper,
                  .start = column_start,
                  .index = index,
                  .evaluate = evaluate,
                  .jacobian = jacobian,
                  .user = data};
  *data = (membrane){grid, *mcp};
}

static void start(const ts_mcp *mcp, int k, double *z)
{
  (void)k;
  memcpy(z, mcp->lower, (size_t)mcp->size * sizeof *z);
}

const ts_builtin_family ts_builtin_obstacle = {
    "obstacle", "membrane between two obstacles, linear and sparse (n = grid^2)", 1, build, start};
