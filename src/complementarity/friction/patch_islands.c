// Patches that act on each other, directly or through others, are a problem by themselves: a body that tumbles does not
// hold up those at rest elsewhere, and factors are small.
#include "complementarity/friction/islands.h"
#include "complementarity/friction/patch_problem.h"

#include "math/larger.h"

#include <math.h>
#include <string.h>

// An island in the making: where it is solved best, and how well.
typedef struct search {
  const ts_patch_problem *problem;
  double tolerance, enough;
  size_t rows;
  double *best, *trial; // impulses
  ts_patch_report *report;
} search;

// Newton's method from the trial. True where it gets to what is enough.
static bool try_newton(search *s, int most_iterations, ts_arena *arena)
{
  ts_patch_report own;
  ts_patch_solve(s->problem, s->tolerance, most_iterations, arena, s->trial, &own);
  s->report->iterations += own.iterations;
  if (own.residual < s->report->residual) {
    s->report->residual = own.residual;
    memcpy(s->best, s->trial, s->rows * sizeof *s->best);
  }
  return s->report->residual <= s->enough;
}

// Sweeps get near a solution, Newton's method ends there. Where loads are hardly determined (a body that is held from
// its side may as well stand) sweeps creep: what does not get better is left.
static bool try_sweeps(search *s, double *r, ts_arena *arena)
{
  enum { ROUNDS = 12, SWEEPS = 3, ITERATIONS = 10 };
  static const double CREEP = 0.7;
  double before = INFINITY;
  for (int k = 0; k < ROUNDS; ++k) {
    for (int i = 0; i < SWEEPS; ++i) ts_patch_sweep(s->problem, s->tolerance, arena, r);
    const double now = ts_patch_residual(s->problem, r, arena);
    memcpy(s->trial, r, s->rows * sizeof *r);
    if (try_newton(s, ITERATIONS, arena)) return true;
    if (k > 1 && now > CREEP * before) return false;
    before = now;
  }
  return false;
}

// The path is long where patches are many, each of which slips and sticks along it.
static bool try_path(search *s, ts_arena *arena)
{
  enum { STEPS = 200 };
  ts_patch_report own;
  const bool found = ts_patch_follow(s->problem, s->tolerance, STEPS, arena, s->trial, &own);
  s->report->iterations += own.iterations;
  return found && try_newton(s, 0, arena);
}

// Where a patch turns fast the velocity at its equivalent contact point depends on where that lies, which is to say on
// the friction, more than on what the friction does: Newton's method may get nowhere.
static bool solve_island(const ts_patch_problem *problem, double tolerance, double enough, ts_arena *arena, double *r,
                         ts_patch_report *report)
{
  enum { ITERATIONS = 20 };
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t rows = (size_t)(problem->points->contacts * problem->points->dimension);
  *report = (ts_patch_report){.residual = ts_patch_residual(problem, r, arena)};
  if (report->residual <= enough) return true;
  search s = {problem, tolerance, enough, rows, ts_arena_doubles(arena, rows), ts_arena_doubles(arena, rows), report};
  memcpy(s.best, r, rows * sizeof *r);
  memcpy(s.trial, r, rows * sizeof *r);
  bool solved = try_newton(&s, ITERATIONS, arena);
  if (!solved && problem->patches > 1) {
    solved = try_sweeps(&s, r, arena);
    memset(r, 0, rows * sizeof *r);
    solved = solved || try_sweeps(&s, r, arena);
  }
  solved = solved || try_path(&s, arena);
  memcpy(r, s.best, rows * sizeof *r);
  ts_arena_restore(arena, mark);
  return solved;
}

typedef struct island {
  ts_friction points;
  const int *member; // points of the whole, ascending
  int *start;        // of its patches
  int patches;
} island;

// Points of a patch push the same bodies: they are neighbours in their island, too.
static void take_patches(island *own, const ts_patch_problem *problem, const int *number, ts_arena *arena)
{
  own->start = ts_arena_ints(arena, (size_t)own->points.contacts + 1);
  own->patches = 0;
  for (int p = 0; p < problem->patches; ++p) {
    const int at = number[problem->start[p]];
    if (at < own->points.contacts && own->member[at] == problem->start[p]) own->start[own->patches++] = at;
  }
  own->start[own->patches] = own->points.contacts;
}

static void copy_impulses(const island *own, int d, const double *all, double *r)
{
  for (int i = 0; i < own->points.contacts; ++i)
    memcpy(r + (size_t)i * (size_t)d, all + (size_t)own->member[i] * (size_t)d, (size_t)d * sizeof *r);
}

static void return_impulses(const island *own, int d, const double *r, double *all)
{
  for (int i = 0; i < own->points.contacts; ++i)
    memcpy(all + (size_t)own->member[i] * (size_t)d, r + (size_t)i * (size_t)d, (size_t)d * sizeof *r);
}

static double speed_of(const ts_friction *p)
{
  double most = 0.0;
  for (int k = 0; k < p->contacts * p->dimension; ++k) most = ts_larger(fabs(p->q[k]), most);
  return most;
}

bool ts_patch_solve_islands(const ts_patch_problem *problem, double tolerance, double enough, ts_arena *arena,
                            double *r, ts_patch_report *report)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const int d = problem->points->dimension;
  ts_islands islands;
  bool solved = true;
  ts_islands_find(problem->points, arena, &islands);
  if (islands.count < 2) {
    solved = solve_island(problem, tolerance, enough, arena, r, report);
    ts_arena_restore(arena, mark);
    return solved;
  }
  const double speed = speed_of(problem->points);
  *report = (ts_patch_report){0};
  for (int k = 0; k < islands.count; ++k) {
    const ts_arena_mark before = ts_arena_save(arena);
    ts_bodies bodies;
    island own = {.points = ts_island_problem(problem->points, &islands, k, &bodies, arena),
                  .member = islands.contacts.member + islands.contacts.start[k]};
    double *own_r = ts_arena_doubles(arena, (size_t)(own.points.contacts * d));
    ts_patch_report effort;
    take_patches(&own, problem, islands.contacts.number, arena);
    copy_impulses(&own, d, r, own_r);
    const ts_patch_problem part = {&own.points, own.patches, own.start};
    const double slower = speed > 0.0 ? speed_of(&own.points) / speed : 1.0; // residuals are by the speed of all data
    if (slower > 0.0)
      solved = solve_island(&part, tolerance / slower, enough / slower, arena, own_r, &effort) && solved;
    else
      effort = (ts_patch_report){0};
    return_impulses(&own, d, own_r, r);
    report->iterations += effort.iterations;
    report->residual = fmax(report->residual, slower * effort.residual);
    ts_arena_restore(arena, before);
  }
  ts_arena_restore(arena, mark);
  return solved;
}
