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

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A world, with what it has taken so far
typedef struct contestant {
  const scene *scene;
  const engine *engine;
  void *world;
  double start, limit; // CPU time at which it began, and which it may take [s]
  int steps;           // taken within that
} contestant;

// Take up to `steps` steps. False: the time is over.
static bool advance_within_limit(contestant *c, int steps)
{
  for (int i = 0; i < steps; ++i) {
    if (cpu_seconds() - c->start > c->limit) return false;
    c->engine->step(c->world);
    ++c->steps;
  }
  return true;
}

static void read_state(const contestant *c, ts_pose *poses, ts_twist *twists)
{
  for (int i = 0; i < c->scene->body_count; ++i) c->engine->state(c->world, i, &poses[i], &twists[i]);
}

// Take the observed steps and judge them. False: the time is over.
static bool observe(contestant *c, measurement *m)
{
  const scene *s = c->scene;
  const size_t n = (size_t)s->body_count;
  ts_pose *start = checked_alloc(n, sizeof *start), *poses = checked_alloc(n, sizeof *poses);
  ts_twist *twists = checked_alloc(n, sizeof *twists);
  m->quality = (quality){0.0, NAN, NAN, NAN, NAN, NAN};
  m->contacts = 0.0;
  read_state(c, start, twists);
  const int looks = s->observed / s->observe_every;
  int i = 0;
  while (i < looks && advance_within_limit(c, s->observe_every)) {
    ++i;
    m->contacts += (double)c->engine->contact_count(c->world) / looks;
    read_state(c, poses, twists);
    m->quality.penetration = fmax(m->quality.penetration, scene_penetration(s, poses, c->steps * s->step_size));
    const observation seen = {i * s->observe_every, start, poses, twists};
    if (s->judge) s->judge(s, &seen, &m->quality);
  }
  free(start);
  free(poses);
  free(twists);
  return i == looks;
}

// Settle and judge. An engine that takes too long is out.
static void judge(contestant *c, measurement *m)
{
  c->world = c->engine->create(c->scene, c->engine->variant);
  c->start = cpu_seconds();
  if (advance_within_limit(c, c->scene->settle) && observe(c, m)) return;
  m->stopped_after = c->steps;
  m->median = 1e6 * (cpu_seconds() - c->start) / c->steps;
}

// A scene that begins anew for every block takes its first step outside the clock: that is where memory grows.
static int prepare_block(contestant *c)
{
  if (!c->scene->restarts) return c->scene->block;
  c->engine->destroy(c->world);
  c->world = c->engine->create(c->scene, c->engine->variant);
  c->engine->step(c->world);
  return c->scene->block - 1;
}

// Time of a step of one block [us]
static double timed_block(contestant *c)
{
  const int steps = prepare_block(c);
  const double start = cpu_seconds();
  advance(c->engine, c->world, steps);
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

// Blocks in turn; an engine whose time is over has as many as it got.
static void time_blocks(contestant *contestants, int count, const measure_options *options, measurement *results)
{
  double *times = checked_alloc((size_t)(count * options->blocks), sizeof *times);
  double *spent = checked_alloc((size_t)count, sizeof *spent);
  int *taken = checked_alloc((size_t)count, sizeof *taken);
  for (int k = 0; k < options->blocks; ++k) {
    for (int i = 0; i < count; ++i) {
      if (!contestants[i].world || results[i].stopped_after || spent[i] > options->time_limit) continue;
      const double per_step = timed_block(&contestants[i]);
      spent[i] += 1e-6 * per_step * contestants[i].scene->block;
      times[i * options->blocks + taken[i]++] = per_step;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (taken[i] == 0) continue;
    results[i].median = median(&times[i * options->blocks], taken[i]);
    results[i].best = times[i * options->blocks]; // sorted by now
  }
  free(times);
  free(spent);
  free(taken);
}

void measure_scene(const scene *s, const engine *const *engines, int count, const measure_options *options,
                   measurement *results)
{
  contestant *contestants = checked_alloc((size_t)count, sizeof *contestants);
  for (int i = 0; i < count; ++i) {
    results[i] = (measurement){.engine = engines[i], .ran = engine_runs(engines[i], s), .failed_steps = -1};
    contestants[i] = (contestant){.scene = s, .engine = engines[i], .limit = options->time_limit};
    if (results[i].ran) judge(&contestants[i], &results[i]);
  }
  time_blocks(contestants, count, options, results);
  for (int i = 0; i < count; ++i) {
    if (!results[i].ran) continue;
    if (engines[i]->failed_steps) results[i].failed_steps = engines[i]->failed_steps(contestants[i].world);
    engines[i]->destroy(contestants[i].world);
  }
  free(contestants);
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
