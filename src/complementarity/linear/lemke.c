// Lemke's method for the linear complementarity problem with bounds (Cottle, Pang and Stone, "The Linear
// Complementarity Problem", sections 4.4 and 4.9).
//
// A covering variable t with a covering vector d is added, w = M z + q + t d, so that for a large t some complementary
// basis is feasible. Complementary pivoting then follows the path of points that are feasible and complementary but
// for one pair, until t leaves the basis (solved) or nothing blocks the entering variable (secondary ray).
//
// Beyond the textbook:
// - Bounds. z_i is basic between its bounds, or not basic at one of them; w_i >= 0 at the lower, w_i <= 0 at the upper
//   one. A variable that leaves at a bound hands over to its w, which enters in the direction that bound allows; an
//   entering variable that reaches its other bound first changes side without an exchange. No rows are added.
// - Free variables are basic from the start. Where their block of M is singular they are brought in by exchanges with
//   the rows of other variables, so that only regular pivots are used (pivoting.c).
// - Any complementary basis can be the start: d is chosen such that the basic variables move by given weights. A warm
//   start begins at the basis its point suggests.
// - Ties are broken lexicographically: the right-hand side is thought of as q + (eps, eps^2, ...). Only the columns of
//   the inverse that are needed to separate the tied rows are computed.
// - The basis is kept as the inverse of its core (basis.h) rather than as a tableau.
#include "complementarity/linear/pivoting.h"

#include <math.h>
#include <string.h>

enum {
  LIMIT = 100000, // pivots
  COVERS = 2,     // covering vectors to try at the cold start: of ones, then a random one
  RESTARTS = 6,   // random starting bases to try after that
  REPAIRS = 3,    // paths from a final basis that turns out to be infeasible
};

// ---- covering vector -----------------------------------------------------------------------------------------------

// What a basic z_j should rise by when t rises by 1. With one bound it moves away from that; between two bounds it
// moves only when it violates one, at most so far that it has reached the middle when t has made up the worst
// violation.
static double covering_rate(const ts_pivoting *s, int j, double weight, double worst)
{
  const double low = s->p->lower[j], high = s->p->upper[j], x = s->z[j];
  if (isinf(low) || isinf(high)) return isinf(low) && isinf(high) ? 0.0 : isinf(high) ? weight : -weight;
  if (x >= low && x <= high) return 0.0;
  return copysign(fmin(weight, fabs(0.5 * (low + high) - x) / worst), low - x);
}

static double next_weight(ts_random *random)
{
  return random ? exp2(ts_random_uniform(random, 0.0, 4.0)) : 1.0;
}

// A path that begins on a ray never comes back. With a basic variable between two bounds there is no ray: t cannot grow
// without end, and the first edge may be part of a loop.
static bool may_loop(const ts_pivoting *s)
{
  for (int c = 0; c < s->basis.core; ++c)
    if (isfinite(s->p->lower[s->basis.columns[c]]) && isfinite(s->p->upper[s->basis.columns[c]])) return true;
  return false;
}

// d such that the basic variables move at rates z' and w' that lead out of all violations: d = w' - M(:, J) z'_J.
static void build_cover(ts_pivoting *s, ts_random *random, double worst)
{
  const ts_basis *b = &s->basis;
  for (int i = 0; i < s->p->size; ++i) {
    const double weight = next_weight(random);
    const bool still = b->row_place[i] >= 0 || s->side[i] == TS_IDLE;
    s->cover[i] = still ? 0.0 : s->side[i] == TS_AT_LOWER ? weight : -weight;
  }
  for (int c = 0; c < b->core; ++c) {
    const double rate = covering_rate(s, b->columns[c], next_weight(random), worst);
    if (rate != 0.0) ts_boxed_add_column(s->p, b->columns[c], -rate, s->cover);
  }
}

// ---- paths ---------------------------------------------------------------------------------------------------------

// Follow the path from the present complementary basis, whose values are known. t enters from infinity and stops where
// the first variable would become infeasible.
static ts_pivoting_end solve_from_basis(ts_pivoting *s, ts_random *random)
{
  const double worst = ts_pivoting_worst_violation(s);
  if (worst <= TS_PIVOTING_TIE * ts_pivoting_size(s)) return TS_PIVOTING_SOLVED;
  build_cover(s, random, worst);
  s->may_loop = may_loop(s);
  s->z[s->p->size] = 0.0;
  return ts_pivoting_follow(s, (ts_entering){ts_basis_t(&s->basis), -1.0});
}

// The same with a check of the final basis, and another path from there when rounding errors have led to one that is
// not quite feasible. The best point is remembered.
static ts_pivoting_end solve_and_repair(ts_pivoting *s, ts_random *random)
{
  bool solved = false;
  if (!ts_pivoting_refresh(s)) return TS_PIVOTING_TROUBLE;
  for (int repair = 0; repair <= REPAIRS; ++repair) {
    const ts_pivoting_end end = solve_from_basis(s, random);
    const bool sound = end != TS_PIVOTING_SOLVED || ts_pivoting_refresh(s);
    ts_pivoting_keep_best(s);
    if (end != TS_PIVOTING_SOLVED || !sound) return solved ? TS_PIVOTING_SOLVED : sound ? end : TS_PIVOTING_TROUBLE;
    solved |= ts_pivoting_is_solution(s);
    if (ts_pivoting_worst_violation(s) <= TS_PIVOTING_TIE * ts_pivoting_size(s)) break;
  }
  return solved ? TS_PIVOTING_SOLVED : TS_PIVOTING_TROUBLE;
}

// Whether the ray is a u >= 0 with M^T u <= 0 and q.u < 0: then no z >= 0 has M z + q >= 0, for u.(M z + q) < 0. Rays
// of copositive-plus problems are (Cottle, Pang and Stone, theorem 4.4.12). For z >= 0 only.
static bool ray_proves_infeasible(const ts_pivoting *s)
{
  const ts_boxed *p = s->p;
  const double *u = s->ray;
  double size = 0.0, product = 0.0;
  for (int i = 0; i < p->size; ++i) {
    if (p->lower[i] != 0.0 || p->upper[i] != (double)INFINITY) return false;
    size = fmax(size, fabs(u[i]));
    product += p->q[i] * u[i];
  }
  const double allowed = TS_PIVOTING_FEASIBILITY * size;
  if (product >= -allowed) return false;
  for (int j = 0; j < p->size; ++j)
    if (u[j] < -allowed || ts_boxed_dot_column(p, j, u) > allowed) return false;
  return true;
}

// Follow a path from the basis at hand. True when there is no point in trying another one.
static bool try_path(ts_pivoting *s, ts_random *random, ts_pivoting_end *end)
{
  *end = solve_and_repair(s, random);
  if (*end == TS_PIVOTING_RAY) return ray_proves_infeasible(s);
  return *end != TS_PIVOTING_TROUBLE;
}

static ts_pivoting_end try_all_paths(ts_pivoting *s, const double *warm)
{
  ts_random random;
  ts_pivoting_end end = TS_PIVOTING_TROUBLE;
  bool ray = false;
  ts_random_init(&random, s->run->options->seed);
  if (warm && ts_pivoting_start_warm(s, warm) && try_path(s, NULL, &end)) return end;
  for (int path = 0; path < COVERS + RESTARTS; ++path) {
    if (path < COVERS)
      ts_pivoting_start_cold(s);
    else
      ts_pivoting_start_random(s, &random);
    if (try_path(s, path == 0 || path >= COVERS ? NULL : &random, &end)) return end;
    ray |= end == TS_PIVOTING_RAY;
  }
  return ray ? TS_PIVOTING_RAY : end;
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_boxed p;
  ts_pivoting s;
  ts_boxed_init(&p, problem, run->arena);
  ts_pivoting_init(&s, &p, run);
  return ts_pivoting_finish(&s, problem, try_all_paths(&s, ts_pivoting_warm_point(&s, z)), z);
}

const ts_solver ts_solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's complementary pivoting, lexicographic (Cottle, Pang and Stone, section 4.4)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve,
};
