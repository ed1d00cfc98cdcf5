#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef TOUCHSTONE_HAVE_CALLGRIND
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

static void *checked_alloc(size_t count, size_t size)
{
  void *memory = calloc(count, size);
  if (memory) return memory;
  fprintf(stderr, "bench_step: out of memory\n");
  exit(EXIT_FAILURE);
}

static void advance(const engine *e, void *world, int steps)
{
  for (int i = 0; i < steps; ++i) e->step(world);
}

static void read_state(const engine *e, void *world, int body_count, ts_pose *poses, ts_twist *twists)
{
  for (int i = 0; i < body_count; ++i) e->state(world, i, &poses[i], &twists[i]);
}

// Take the observed steps and judge them.
static void observe(const scene *s, const engine *e, void *world, measurement *m)
{
  const size_t n = (size_t)s->body_count;
  ts_pose *start = checked_alloc(n, sizeof *start), *poses = checked_alloc(n, sizeof *poses);
  ts_twist *twists = checked_alloc(n, sizeof *twists);
  m->quality = (quality){0.0, NAN, NAN, NAN, NAN};
  m->contacts = 0.0;
  read_state(e, world, s->body_count, start, twists);
  const int looks = s->observed / s->observe_every;
  for (int i = 1; i <= looks; ++i) {
    advance(e, world, s->observe_every);
    m->contacts += (double)e->contact_count(world) / looks;
    read_state(e, world, s->body_count, poses, twists);
    m->quality.penetration = fmax(m->quality.penetration, scene_penetration(s, poses));
    const observation seen = {i * s->observe_every, start, poses, twists};
    if (s->judge) s->judge(s, &seen, &m->quality);
  }
  free(start);
  free(poses);
  free(twists);
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A world that is to begin anew takes its first step outside the clock: that is where memory grows.
static int prepare_block(const scene *s, const engine *e, void **world)
{
  if (!s->restarts) return s->block;
  e->destroy(*world);
  *world = e->create(s, e->variant);
  e->step(*world);
  return s->block - 1;
}

static double timed_block(const scene *s, const engine *e, void **world)
{
  const int steps = prepare_block(s, e, world);
  const double start = cpu_seconds();
  advance(e, *world, steps);
  return 1e6 * (cpu_seconds() - start) / steps;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, ascending);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static void *judged_world(const scene *s, const engine *e, measurement *m)
{
  void *world = e->create(s, e->variant);
  advance(e, world, s->settle);
  observe(s, e, world, m);
  return world;
}

void measure_scene(const scene *s, const engine *const *engines, int count, int blocks, measurement *results)
{
  void **worlds = checked_alloc((size_t)count, sizeof *worlds);
  double *times = checked_alloc((size_t)(count * blocks), sizeof *times);
  for (int i = 0; i < count; ++i) {
    results[i] = (measurement){.engine = engines[i], .ran = engine_runs(engines[i], s)};
    if (results[i].ran) worlds[i] = judged_world(s, engines[i], &results[i]);
  }
  for (int k = 0; k < blocks; ++k)
    for (int i = 0; i < count; ++i)
      if (worlds[i]) times[i * blocks + k] = timed_block(s, engines[i], &worlds[i]);
  for (int i = 0; i < count; ++i) {
    if (!worlds[i]) continue;
    results[i].median = median(&times[i * blocks], blocks);
    results[i].best = times[i * blocks]; // sorted by now
    results[i].failed_steps = engines[i]->failed_steps ? engines[i]->failed_steps(worlds[i]) : -1;
    engines[i]->destroy(worlds[i]);
  }
  free(worlds);
  free(times);
}

int measure_instructions(const scene *s, const engine *e)
{
  void *world = e->create(s, e->variant);
  advance(e, world, s->settle + 1);
  CALLGRIND_START_INSTRUMENTATION;
  advance(e, world, s->block - 1);
  CALLGRIND_STOP_INSTRUMENTATION;
  e->destroy(world);
  return s->block - 1;
}
