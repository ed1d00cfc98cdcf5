#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double IN_FLIGHT = 0.6; // [s]

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts.
static double median(double *values, int count)
{
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, ascending);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static double energy_of(const scene *s, const engine *e, void *world)
{
  ts_pose *poses = calloc((size_t)s->body_count, sizeof *poses);
  ts_twist *twists = calloc((size_t)s->body_count, sizeof *twists);
  if (!poses || !twists) exit(EXIT_FAILURE);
  for (int i = 0; i < s->body_count; ++i) e->state(world, i, &poses[i], &twists[i]);
  const double energy = scene_energy(s, poses, twists);
  free(poses);
  free(twists);
  return energy;
}

// Times of the steps, those in flight from the front and those in contact from the back of one list.
typedef struct step_times {
  int steps, flying, touching;
  double *list;
} step_times;

static void take_step(const engine *e, void *world, step_times *times)
{
  const double start = seconds(CLOCK_MONOTONIC);
  e->step(world);
  const double time = 1e6 * (seconds(CLOCK_MONOTONIC) - start);
  if (e->contact_count(world) > 0)
    times->list[times->steps - ++times->touching] = time;
  else
    times->list[times->flying++] = time;
}

// The run as a whole, without a look at the clock between its steps: for small chains that takes as long as a tenth of
// a step.
static double whole_run(const scene *s, const engine *e, int steps)
{
  void *world = e->create(s, e->variant);
  const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
  for (int k = 0; k < steps; ++k) e->step(world);
  const double spent = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
  e->destroy(world);
  return spent;
}

// The same once more, step by step.
static void run_by_steps(const scene *s, const engine *e, int steps, table_run *run)
{
  step_times times = {.steps = steps};
  times.list = calloc((size_t)steps, sizeof *times.list);
  if (!times.list) exit(EXIT_FAILURE);
  void *world = e->create(s, e->variant);
  const double before = energy_of(s, e, world);
  const int watched = (int)lround(IN_FLIGHT / s->step_size);
  for (int k = 1; k <= steps; ++k) {
    take_step(e, world, &times);
    if (k == watched) run->flight_error = energy_of(s, e, world) / before - 1.0;
  }
  run->flight = fmin(run->flight, median(times.list, times.flying)); // fmin leaves out what is no number
  run->contact = fmin(run->contact, median(times.list + times.flying, times.touching));
  run->contact_share = (double)times.touching / steps;
  run->energy = energy_of(s, e, world);
  run->failed_steps = e->failed_steps ? e->failed_steps(world) : -1;
  e->destroy(world);
  free(times.list);
}

void run_table(const scene *s, const engine *const *engines, int count, int rounds, double duration, table_run *runs)
{
  const int steps = (int)lround(duration / s->step_size);
  for (int i = 0; i < count; ++i)
    runs[i] = (table_run){.engine = engines[i],
                          .ran = engine_runs(engines[i], s),
                          .seconds = INFINITY,
                          .flight = NAN,
                          .contact = NAN,
                          .flight_error = NAN};
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < count; ++i) {
      if (!runs[i].ran) continue;
      runs[i].seconds = fmin(runs[i].seconds, whole_run(s, engines[i], steps));
      run_by_steps(s, engines[i], steps, &runs[i]);
    }
}
