#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "cost.h"

#include "touchstone/scene.h"
#include "touchstone/sim.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef TOUCHSTONE_HAVE_CALLGRIND
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#define LINE_AND_SURFACE EXAMPLES "/line_and_surface_contact/"

enum { MOST_RUNS = 100 };

const cost_scene *cost_scene_at(int i)
{
  static const cost_scene scenes[] = {{"cube_slides", LINE_AND_SURFACE "cube_slides.yaml", true, NULL},
                                      {"cylinder_rolls", LINE_AND_SURFACE "cylinder_rolls.yaml", true, NULL},
                                      {"cube_tips", LINE_AND_SURFACE "cube_tips.yaml", true, NULL},
                                      {"cylinder_walks", LINE_AND_SURFACE "cylinder_walks.yaml", true, NULL},
                                      {"disc_rolls", LINE_AND_SURFACE "disc_rolls.yaml", true, NULL},
                                      {"sphere_on_spheres", LINE_AND_SURFACE "sphere_on_spheres.yaml", false, NULL},
                                      {"box", SCENES "/box_on_plane.yaml", true, NULL},
                                      {"cone", SCENES "/cone_on_plane.yaml", true, NULL},
                                      {"superellipsoid", SCENES "/superellipsoid_on_plane.yaml", true, NULL},
                                      {"bin-20", EXAMPLES "/mixer/mixer.yaml", false, "count=20"}};
  return i < (int)(sizeof scenes / sizeof *scenes) ? &scenes[i] : NULL;
}

static void accept(ts_status status, const cost_scene *scene, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "bench_implicit: %s: %s\n", scene->path, error->text);
  exit(EXIT_FAILURE);
}

typedef struct run {
  ts_scene *scene;
  ts_sim *sim;
  int steps; // that make the scene's duration
} run;

static run begin(const cost_scene *scene, const char *method)
{
  ts_error error;
  run r;
  char wanted[64];
  const char *const overrides[] = {wanted, scene->parameter};
  snprintf(wanted, sizeof wanted, "step.method=%s", method);
  accept(ts_scene_read(scene->path, overrides, scene->parameter ? 2 : 1, &r.scene, &error), scene, &error);
  accept(ts_sim_create(ts_scene_model(r.scene), ts_scene_options(r.scene), NULL, &r.sim, &error), scene, &error);
  r.steps = (int)(ts_scene_duration(r.scene) / ts_scene_options(r.scene)->size + 0.5);
  return r;
}

static void end(run *r)
{
  ts_sim_destroy(r->sim);
  ts_scene_destroy(r->scene);
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void take_down(const ts_step_report *report, cost *c)
{
  c->unknowns += report->problem_size;
  c->iterations += report->iterations;
  c->fell_back += report->fallbacks > 0;
  c->cut += report->substeps > 1;
  c->uncertified += !report->certified;
  if (report->problem_size > c->most_unknowns) c->most_unknowns = report->problem_size;
  if (report->iterations > c->most_iterations) c->most_iterations = report->iterations;
  c->deepest = fmax(c->deepest, report->penetration);
}

static void take_means(cost *c)
{
  c->unknowns /= c->steps;
  c->iterations /= c->steps;
  c->fell_back /= c->steps;
  c->cut /= c->steps;
}

// A run whose reports are looked at: each step is clocked for itself.
static cost observe(const cost_scene *scene, const char *method, double limit)
{
  cost c = {.whole = true};
  run r = begin(scene, method);
  const double start = cpu_seconds();
  for (int k = 0; k < r.steps && c.whole; ++k) {
    ts_error error;
    const double before = cpu_seconds();
    accept(ts_sim_step(r.sim, &error), scene, &error);
    const double after = cpu_seconds();
    if (k > 0) c.worst = fmax(c.worst, 1e6 * (after - before)); // memory grows in the first
    ++c.steps;
    take_down(ts_sim_report(r.sim), &c);
    c.whole = after - start <= limit;
  }
  c.median = c.best = 1e6 * (cpu_seconds() - start) / c.steps;
  end(&r);
  take_means(&c);
  return c;
}

// Of a step; the first, in which memory grows, is not clocked [us].
static double timed(const cost_scene *scene, const char *method)
{
  ts_error error;
  run r = begin(scene, method);
  accept(ts_sim_step(r.sim, &error), scene, &error);
  const double start = cpu_seconds();
  for (int k = 1; k < r.steps; ++k) accept(ts_sim_step(r.sim, &error), scene, &error);
  const double seconds = cpu_seconds() - start;
  const int steps = r.steps - 1;
  end(&r);
  return 1e6 * seconds / steps;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

cost cost_measure(const cost_scene *scene, const char *method, const cost_options *options)
{
  double times[MOST_RUNS];
  const int runs = options->runs < MOST_RUNS ? options->runs : MOST_RUNS;
  cost c = observe(scene, method, options->time_limit);
  int taken = 0;
  for (double spent = 1e-6 * c.median * c.steps; taken < runs && c.whole && spent < options->time_limit; ++taken) {
    times[taken] = timed(scene, method);
    spent += 1e-6 * times[taken] * c.steps;
  }
  if (taken == 0) return c;
  qsort(times, (size_t)taken, sizeof *times, ascending);
  c.median = 0.5 * (times[(taken - 1) / 2] + times[taken / 2]);
  c.best = times[0];
  return c;
}

int cost_instructions(const cost_scene *scene, const char *method, int most)
{
  ts_error error;
  run r = begin(scene, method);
  const int steps = r.steps < most ? r.steps : most;
  accept(ts_sim_step(r.sim, &error), scene, &error);
  CALLGRIND_START_INSTRUMENTATION;
  for (int k = 1; k < steps; ++k) accept(ts_sim_step(r.sim, &error), scene, &error);
  CALLGRIND_STOP_INSTRUMENTATION;
  end(&r);
  return steps - 1;
}
