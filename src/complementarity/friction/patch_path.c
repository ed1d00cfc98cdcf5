// The path of solutions from the problem without friction, whose impulses are determined, to that with t = 1. It is
// followed by its length, for it turns where t cannot grow: a patch that turns fast has several slips for one t, or
// none near the last. Orientation tells the way at turns, and at kinks, where a point lifts or a patch begins to slip:
// the determinant of [dF/dx dF/dt; tangent] keeps its sign. Solutions are bounded, and without friction what bodies
// feel is unique: the path has to get to t = 1. It may be lost all the same, among kinks that lie close together.
#include "complementarity/friction/patch_map.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS = 6, LAST_ITERATIONS = 30 };
static const double NEAR_PATH = 1e-8; // of the speed: how close steps come to it
static const double BEYOND = 1e-7;    // how far on the tangent is taken, so that it is that behind a kink
static const double LONGEST = 0.5, SHORTEST = 1e-7;

// Lengths are those of (x/scale, t).
typedef struct path {
  ts_patch_map map;
  double scale; // an impulse
  double sign;  // of the orientation
  double t, *x;
  double tangent_t, *tangent;
  double ahead_t, *ahead; // a point off the path
  double *F, *growth, *switches, *later;
  int *pivots;
  int factorizations;
} path;

static path begin(const ts_patch_problem *problem, ts_arena *arena)
{
  path s = {.sign = 0.0};
  ts_patch_map_begin(&s.map, problem, arena);
  const size_t m = (size_t)s.map.unknowns;
  s.x = ts_arena_zeros(arena, 7 * m);
  s.tangent = s.x + m;
  s.ahead = s.tangent + m;
  s.F = s.ahead + m;
  s.growth = s.F + m;
  s.switches = s.growth + m;
  s.later = s.switches + m;
  s.pivots = ts_arena_ints(arena, m);
  return s;
}

static void go_ahead(path *s, double length)
{
  for (int k = 0; k < s->map.unknowns; ++k) s->ahead[k] = s->x[k] + length * s->scale * s->tangent[k];
  s->ahead_t = s->t + length * s->tangent_t;
}

// F, dF/dt and the factors of dF/dx at the point ahead.
static bool linearize(path *s)
{
  const int m = s->map.unknowns;
  s->map.share = s->ahead_t;
  ts_patch_map_values(&s->map, s->ahead, s->F);
  ts_patch_map_derivatives(&s->map, s->ahead);
  ts_patch_map_growth(&s->map, s->ahead, s->growth);
  ++s->factorizations;
  return ts_lu_factor(m, s->map.H, s->pivots);
}

static double determinant_sign(const path *s)
{
  const size_t m = (size_t)s->map.unknowns;
  double sign = 1.0;
  for (size_t k = 0; k < m; ++k) {
    if (s->map.H[k * m + k] < 0.0) sign = -sign;
    if (s->pivots[k] != (int)k + 1) sign = -sign;
  }
  return sign;
}

// The direction of the path a little beyond where it has come to, and the kinks along it.
static bool take_tangent(path *s)
{
  const int m = s->map.unknowns;
  go_ahead(s, BEYOND);
  if (!linearize(s)) return false;
  ts_patch_map_switches(&s->map, s->ahead, s->switches);
  const double orientation = determinant_sign(s);
  if (s->sign == 0.0) s->sign = orientation; // at the start, where t grows
  ts_lu_solve(m, s->map.H, s->pivots, s->growth);
  double squared = 1.0;
  for (int k = 0; k < m; ++k) squared += s->growth[k] * s->growth[k] / (s->scale * s->scale);
  s->tangent_t = s->sign * orientation / sqrt(squared);
  for (int k = 0; k < m; ++k) s->tangent[k] = -s->tangent_t * s->growth[k] / s->scale;
  return isfinite(squared);
}

// How far the nearest kink is along the tangent.
static double to_next_kink(path *s)
{
  double nearest = INFINITY;
  go_ahead(s, 2.0 * BEYOND);
  s->map.share = s->ahead_t;
  ts_patch_map_values(&s->map, s->ahead, s->F);
  ts_patch_map_switches(&s->map, s->ahead, s->later);
  for (int k = 0; k < s->map.unknowns; ++k) {
    const double rate = (s->later[k] - s->switches[k]) / BEYOND;
    const double distance = -s->switches[k] / rate;
    if (distance > 0.5 * BEYOND) nearest = fmin(nearest, distance); // nearer ones are passed, or noise
  }
  return nearest;
}

static double along(const path *s, const double *direction)
{
  double sum = 0.0;
  for (int k = 0; k < s->map.unknowns; ++k) sum += s->tangent[k] * direction[k] / s->scale;
  return sum;
}

// From the point ahead back to the path, across the tangent. How many corrections it took; -1: it was not reached.
static int correct(path *s, double length)
{
  const int m = s->map.unknowns;
  for (int pass = 0; pass < CORRECTIONS; ++pass) {
    if (!linearize(s)) return -1;
    if (ts_patch_map_largest(&s->map, s->F) <= NEAR_PATH * s->map.speed) return pass;
    ts_lu_solve(m, s->map.H, s->pivots, s->F);
    ts_lu_solve(m, s->map.H, s->pivots, s->growth);
    const double dt = along(s, s->F) / (s->tangent_t - along(s, s->growth));
    double moved = dt * dt;
    for (int k = 0; k < m; ++k) {
      const double dx = s->F[k] + dt * s->growth[k];
      s->ahead[k] -= dx;
      moved += dx * dx / (s->scale * s->scale);
    }
    s->ahead_t += dt;
    if (!(moved <= 16.0 * length * length + 1e-12)) return -1; // another branch, or NAN
  }
  return -1;
}

static void accept(path *s)
{
  memcpy(s->x, s->ahead, (size_t)s->map.unknowns * sizeof *s->x);
  s->t = s->ahead_t;
}

// Where t = 1 lies between the last point and the one ahead, the last point becomes the solution. False, and the point
// stays, where Newton's method leaves the path: the step was too long for a straight line.
static bool arrive(path *s, double tolerance, ts_arena *arena, ts_patch_report *report)
{
  const double share = (1.0 - s->t) / (s->ahead_t - s->t);
  double *end = s->growth;
  for (int k = 0; k < s->map.unknowns; ++k) end[k] = s->x[k] + share * (s->ahead[k] - s->x[k]);
  s->map.share = 1.0;
  ts_patch_report last;
  const bool arrived = ts_patch_map_newton(&s->map, tolerance, LAST_ITERATIONS, arena, end, &last);
  s->factorizations += last.iterations;
  if (!arrived) return false;
  memcpy(s->x, end, (size_t)s->map.unknowns * sizeof *end);
  report->residual = last.residual;
  return true;
}

// The start, a little way into friction, where all that rubs has a direction.
static bool start(path *s, ts_arena *arena)
{
  ts_patch_report report;
  s->map.share = 0.0;
  ts_patch_map_newton(&s->map, NEAR_PATH, LAST_ITERATIONS, arena, s->x, &report);
  s->factorizations += report.iterations;
  for (int k = 0; k < s->map.unknowns; ++k) s->scale = fmax(s->scale, fabs(s->x[k]));
  s->t = s->map.share = 1e-6;
  const bool found = ts_patch_map_newton(&s->map, NEAR_PATH, LAST_ITERATIONS, arena, s->x, &report);
  s->factorizations += report.iterations;
  return found && s->scale > 0.0 && take_tangent(s);
}

// How long the next step is: up to the next kink, less after one that failed. Kinks that are foreseen and do not come,
// for the path bends before them, are taken as farther away. Where kinks are so close to each other that no step is
// short enough, leaps over them are tried.
typedef struct stride {
  double longest;
  double farther; // than foreseen, as a factor
  double leap;    // 0 as a rule
} stride;

static double length_of(const stride *next, double to_kink)
{
  return next->leap > 0.0 ? next->leap : fmin(next->longest, next->farther * to_kink);
}

static bool shorten(stride *next, double length)
{
  static const double LEAST_LEAP = 1e-6, MOST_LEAP = 1e-2;
  next->farther = 1.0;
  if (next->leap == 0.0) {
    next->longest = 0.4 * length;
    if (next->longest < SHORTEST) next->leap = LEAST_LEAP;
    return true;
  }
  next->leap *= 10.0;
  return next->leap <= MOST_LEAP;
}

static void lengthen(stride *next, int corrections, bool passed_kink)
{
  next->farther = passed_kink ? 1.0 : fmin(2.0 * next->farther, 64.0);
  if (next->leap > 0.0)
    *next = (stride){.longest = 10.0 * next->leap, .farther = 1.0};
  else if (corrections <= 3)
    next->longest = fmin(2.0 * next->longest, LONGEST);
}

// Since the switches in `later`.
static bool passed_kink(const path *s)
{
  for (int k = 0; k < s->map.unknowns; ++k)
    if ((s->later[k] > 0.0) != (s->switches[k] > 0.0)) return true;
  return false;
}

static bool walk(path *s, double tolerance, int most_steps, ts_arena *arena, ts_patch_report *report)
{
  stride next = {.longest = 0.2, .farther = 1.0};
  for (int k = 0; k < most_steps; ++k) {
    const double length = length_of(&next, to_next_kink(s));
    go_ahead(s, length);
    const int corrections = correct(s, length);
    if (corrections < 0) {
      if (!shorten(&next, length)) return false;
      continue;
    }
    if (s->ahead_t >= 1.0) {
      if (arrive(s, tolerance, arena, report)) return true;
      if (!shorten(&next, length)) return false;
      continue;
    }
    if (!(s->ahead_t >= 0.0)) return false;
    accept(s);
    memcpy(s->later, s->switches, (size_t)s->map.unknowns * sizeof *s->later);
    if (!take_tangent(s)) return false;
    lengthen(&next, corrections, passed_kink(s));
  }
  return false;
}

bool ts_patch_follow(const ts_patch_problem *problem, double tolerance, int most_steps, ts_arena *arena, double *r,
                     ts_patch_report *report)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  path s = begin(problem, arena);
  *report = (ts_patch_report){.residual = INFINITY};
  const bool arrived = start(&s, arena) && walk(&s, tolerance, most_steps, arena, report);
  if (arrived) ts_patch_map_impulses(&s.map, s.x, r);
  report->iterations = s.factorizations;
  ts_arena_restore(arena, mark);
  return arrived;
}
