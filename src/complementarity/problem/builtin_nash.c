// Nash equilibrium of ten firms (Murphy, Sherali and Soyster 1982; Harker 1984). With Q = sum x and the price
// P = (5000/Q)^(1/1.2): F_i = c_i + (10 x_i)^(1/beta_i) - P + x_i P/(1.2 Q), x >= 0. Data: as builtin_quadratic.c.
#include "complementarity/problem/builtin_family.h"

#include <math.h>

enum { FIRMS = 10, STARTS = 4 };

static const double GAMMA = 1.2, DEMAND = 5000.0, COST_SCALE = 10.0;

static const double c[FIRMS] = {5, 3, 8, 5, 1, 3, 7, 4, 6, 3};
static const double beta[FIRMS] = {1.2, 1, 0.9, 0.6, 1.5, 1, 0.7, 1.1, 0.95, 0.75};
static const double starts[STARTS][FIRMS] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                             {10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
                                             {1.0, 1.2, 1.4, 1.6, 1.8, 2.1, 2.3, 2.5, 2.7, 2.9},
                                             {7, 4, 3, 1, 18, 4, 1, 6, 3, 2}};

// Sum of x, or 0 where F is not defined: a negative component or nothing produced at all.
static double total(const double *x)
{
  double Q = 0.0;
  for (int i = 0; i < FIRMS; ++i) {
    if (x[i] < 0.0) return 0.0;
    Q += x[i];
  }
  return Q;
}

static int evaluate(void *user, const double *x, double *F)
{
  (void)user;
  const double Q = total(x);
  if (!(Q > 0.0)) return 1;
  const double P = pow(DEMAND / Q, 1.0 / GAMMA);
  for (int i = 0; i < FIRMS; ++i) F[i] = c[i] + pow(COST_SCALE * x[i], 1.0 / beta[i]) - P + x[i] * P / (GAMMA * Q);
  return 0;
}

static int jacobian(void *user, const double *x, double *values)
{
  (void)user;
  const double Q = total(x);
  if (!(Q > 0.0)) return 1;
  const double P = pow(DEMAND / Q, 1.0 / GAMMA);
  const double dP = -P / (GAMMA * Q), d_ratio = (dP - P / Q) / Q; // dP/dQ and d(P/Q)/dQ
  for (int i = 0; i < FIRMS; ++i) {
    const double others = -dP + x[i] * d_ratio / GAMMA;
    for (int j = 0; j < FIRMS; ++j) values[j * FIRMS + i] = others;
    const double marginal = COST_SCALE / beta[i] * pow(COST_SCALE * x[i], 1.0 / beta[i] - 1.0);
    if (!isfinite(marginal)) return 1; // x_i = 0 with beta_i > 1
    values[i * FIRMS + i] += P / (GAMMA * Q) + marginal;
  }
  return 0;
}

static void build(ts_mcp *mcp, int grid, ts_arena *arena)
{
  (void)grid;
  double *upper = ts_arena_doubles(arena, FIRMS);
  for (int i = 0; i < FIRMS; ++i) upper[i] = INFINITY;
  *mcp = (ts_mcp){
      .size = FIRMS, .lower = ts_arena_zeros(arena, FIRMS), .upper = upper, .evaluate = evaluate, .jacobian = jacobian};
}

static void start(const ts_mcp *mcp, int k, double *z)
{
  for (int i = 0; i < mcp->size; ++i) z[i] = starts[k][i];
}

const ts_builtin_family ts_builtin_nash = {"nash", "Nash equilibrium of ten firms, not defined at the origin (n = 10)",
                                           STARTS, build, start};
