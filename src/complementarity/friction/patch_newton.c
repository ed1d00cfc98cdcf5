// Newton's method on the natural map of patches.
#include "complementarity/friction/patch_map.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 12 };

typedef struct newton {
  const ts_patch_map *map;
  double *x, *trial, *step, *F, *trial_F;
  int *pivots;
} newton;

static newton begin(const ts_patch_map *map, const double *x, ts_arena *arena)
{
  const size_t m = (size_t)map->unknowns;
  double *room = ts_arena_doubles(arena, 5 * m);
  memcpy(room, x, m * sizeof *x);
  return (newton){.map = map,
                  .x = room,
                  .trial = room + m,
                  .step = room + 2 * m,
                  .F = room + 3 * m,
                  .trial_F = room + 4 * m,
                  .pivots = ts_arena_ints(arena, m)};
}

// The largest share of the step, by halves, that lowers the sum of squares; the last one tried where none does.
static double search(const newton *s, double before)
{
  double sum = INFINITY, share = 1.0;
  for (int k = 0; k < HALVINGS; ++k, share *= 0.5) {
    for (int i = 0; i < s->map->unknowns; ++i) s->trial[i] = s->x[i] - share * s->step[i];
    sum = ts_patch_map_values(s->map, s->trial, s->trial_F);
    if (sum <= (1.0 - 1e-4 * share) * before) break;
  }
  return sum;
}

// Where loads are hardly determined the shift is what keeps the method from getting on: it becomes less where the error
// hardly falls, and more again where it grows.
static double next_shift(double shift, double rate)
{
  static const double LEAST = 1e-11, MOST = 1e-6, HARDLY = 0.3;
  if (!(rate <= 1.0)) return fmin(MOST, 10.0 * shift);
  return rate > HARDLY ? fmax(LEAST, 0.1 * shift) : shift;
}

bool ts_patch_map_newton(const ts_patch_map *map, double tolerance, int most_iterations, ts_arena *arena, double *x,
                         ts_patch_report *report)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_patch_map own = *map; // with a shift of its own
  map = &own;
  const newton s = begin(map, x, arena);
  const size_t bytes = (size_t)map->unknowns * sizeof *x;
  double sum = ts_patch_map_values(map, s.x, s.F), best = ts_patch_map_largest(map, s.F);
  *report = (ts_patch_report){0};
  while (best > tolerance * map->speed && report->iterations < most_iterations) {
    ts_patch_map_derivatives(map, s.x);
    memcpy(s.step, s.F, bytes);
    if (!ts_lu_factor(map->unknowns, map->H, s.pivots)) break;
    ts_lu_solve(map->unknowns, map->H, s.pivots, s.step);
    sum = search(&s, sum);
    memcpy(s.x, s.trial, bytes);
    memcpy(s.F, s.trial_F, bytes);
    ++report->iterations;
    const double now = ts_patch_map_largest(map, s.F);
    own.shift = next_shift(own.shift, now / best);
    if (now < best) {
      best = now;
      memcpy(x, s.x, bytes);
    }
    if (!isfinite(sum)) break;
  }
  report->residual = map->speed > 0.0 ? best / map->speed : best;
  ts_arena_restore(arena, mark);
  return best <= tolerance * map->speed;
}

bool ts_patch_solve(const ts_patch_problem *problem, double tolerance, int most_iterations, ts_arena *arena, double *r,
                    ts_patch_report *report)
{
  *report = (ts_patch_report){0};
  if (problem->patches == 0) return true;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_patch_map map;
  ts_patch_map_begin(&map, problem, arena);
  double *x = ts_arena_doubles(arena, (size_t)map.unknowns);
  ts_patch_map_unknowns(&map, r, x);
  const bool solved = ts_patch_map_newton(&map, tolerance, most_iterations, arena, x, report);
  ts_patch_map_impulses(&map, x, r);
  ts_arena_restore(arena, mark);
  return solved;
}
