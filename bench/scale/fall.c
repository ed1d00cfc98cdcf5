#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "fall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK_EVERY = 10 }; // steps between looks at overlap

// Of this thread; where several share a step, of the clock.
static double seconds_of(const scene *s)
{
  struct timespec now;
  clock_gettime(s->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double overlap(const scene *s, const engine *e, void *world, ts_pose *poses)
{
  ts_twist twist;
  for (int i = 0; i < s->body_count; ++i) e->state(world, i, &poses[i], &twist);
  return scene_penetration(s, poses);
}

// The mean of each phase is that of the steps that were taken in it.
static void average(fall *f, const int *counts)
{
  double sum = 0.0;
  for (int k = 0; k < FALL_PHASES; ++k) {
    sum += f->phase[k];
    if (counts[k] > 0) f->phase[k] /= counts[k];
  }
  if (f->steps == 0) return;
  f->mean = sum / f->steps;
  f->contacts /= f->steps;
}

fall fall_run(const scene *s, const engine *e, int steps, double limit)
{
  fall f = {.failed = -1};
  int counts[FALL_PHASES] = {0};
  void *world = e->create(s, e->variant);
  ts_pose *poses = calloc((size_t)s->body_count, sizeof *poses);
  if (!poses) {
    fprintf(stderr, "bench_scale: out of memory\n");
    exit(EXIT_FAILURE);
  }
  double used = 0.0;
  while (f.steps < steps && used < limit) {
    const int phase = f.steps * FALL_PHASES / steps;
    const double start = seconds_of(s);
    e->step(world);
    const double took = seconds_of(s) - start;
    used += took;
    f.worst = fmax(f.worst, took);
    f.phase[phase] += took;
    ++counts[phase];
    f.contacts += e->contact_count(world);
    if (++f.steps % LOOK_EVERY > 0) continue;
    double *deepest = 2 * f.steps <= steps ? &f.early : &f.late;
    *deepest = fmax(*deepest, overlap(s, e, world, poses));
  }
  f.complete = f.steps == steps;
  if (e->failed_steps) f.failed = e->failed_steps(world);
  average(&f, counts);
  e->destroy(world);
  free(poses);
  return f;
}
