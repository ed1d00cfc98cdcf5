// Patches that act on each other, directly or through others, are a problem by themselves: a body that tumbles does not
// hold up those at rest elsewhere, and factors are small.
#include "touchstone/vector.h"

#include "complementarity/friction/islands.h"
#include "complementarity/friction/patch_problem.h"

#include <math.h>
#include <string.h>

// The friction of a patch as if it slid along a direction, shared out evenly.
static void let_slide(const ts_patch_problem *problem, int patch, double angle, double *r)
{
  const ts_friction *p = problem->points;
  const int d = p->dimension, first = problem->start[patch], end = problem->start[patch + 1];
  double load = 0.0;
  for (int i = first; i < end; ++i) load += fmax(0.0, r[i * d]);
  for (int i = first; i < end; ++i) {
    const double most = p->mu[first] * load / (end - first);
    r[i * d + 1] = most * cos(angle);
    if (d > 2) r[i * d + 2] = most * sin(angle);
    if (d > 3) r[i * d + 3] = 0.0;
  }
}

// Where a patch turns fast the velocity at its equivalent contact point depends on where that lies, which is to say on
// the friction, more than on what the friction does: from some starts Newton's method gets nowhere. There is a
// solution, for what friction answers a slip with depends on it continuously; the patch that is worst is tried with
// slips all round.
static bool solve_island(const ts_patch_problem *problem, double tolerance, int most_iterations, ts_arena *arena,
                         double *r, ts_patch_report *report)
{
  enum { STARTS = 8, MANY = 16 }; // patches, of which it is seldom one alone that is in the way
  bool solved = ts_patch_solve(problem, tolerance, most_iterations, arena, r, report);
  if (solved || problem->patches > MANY) return solved;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t rows = (size_t)(problem->points->contacts * problem->points->dimension);
  const int worst = ts_patch_worst(problem, r, arena);
  const double *start = memcpy(ts_arena_doubles(arena, rows), r, rows * sizeof *r);
  double *trial = ts_arena_doubles(arena, rows);
  for (int k = 0; k < STARTS && !solved; ++k) {
    ts_patch_report own;
    memcpy(trial, start, rows * sizeof *trial);
    let_slide(problem, worst, k * (TS_PI / (0.5 * STARTS)), trial);
    solved = ts_patch_solve(problem, tolerance, most_iterations, arena, trial, &own);
    report->iterations += own.iterations;
    if (!(own.residual < report->residual)) continue;
    report->residual = own.residual;
    memcpy(r, trial, rows * sizeof *r);
  }
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

bool ts_patch_solve_islands(const ts_patch_problem *problem, double tolerance, int most_iterations, ts_arena *arena,
                            double *r, ts_patch_report *report)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const int d = problem->points->dimension;
  ts_islands islands;
  bool solved = true;
  ts_islands_find(problem->points, arena, &islands);
  if (islands.count < 2) {
    solved = solve_island(problem, tolerance, most_iterations, arena, r, report);
    ts_arena_restore(arena, mark);
    return solved;
  }
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
    solved = solve_island(&part, tolerance, most_iterations, arena, own_r, &effort) && solved;
    return_impulses(&own, d, own_r, r);
    report->iterations += effort.iterations;
    report->residual = fmax(report->residual, effort.residual);
    ts_arena_restore(arena, before);
  }
  ts_arena_restore(arena, mark);
  return solved;
}
