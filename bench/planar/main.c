// What planar manipulation costs: one grasp of the gear, one drop of the cup, the needle and the fence, stepper by
// stepper. A trial ends where the thing itself does, at rest or at the end of the scene; its state is set back and the
// next one begins, so that a study of so many trials can be costed.
//
//   bench_planar [TRIALS]      default: 20; times are the least of the trials, CPU time
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "touchstone/scene.h"
#include "touchstone/sim.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// A scene and how it is stepped.
typedef struct contest {
  const char *name, *path;
  const char *overrides[2]; // NULL: none
  bool ends_at_rest;        // else with the scene's duration
  int study;                // trials that a study has
} contest;

static const contest contests[] = {
    {"grasp, stewart-trinkle", EXAMPLES "/gear_grasp/grasp.yaml", {NULL}, true, 100800},
    {"grasp, velocity", EXAMPLES "/gear_grasp/grasp.yaml", {"step.method=velocity"}, true, 100800},
    {"grasp, implicit", EXAMPLES "/gear_grasp/grasp.yaml", {"step={method: implicit, size: 1e-3}"}, true, 100800},
    {"feeder, stewart-trinkle", EXAMPLES "/part_feeder/feeder.yaml", {"longest=0.6"}, false, 90},
    {"feeder, compliant", EXAMPLES "/part_feeder/feeder.yaml", {"step.method=compliant", "longest=0.6"}, false, 90},
    {"needle, quasistatic", EXAMPLES "/needle_push/needle.yaml", {NULL}, false, 1000},
    {"needle, stewart-trinkle", EXAMPLES "/needle_push/needle.yaml", {"step.method=stewart-trinkle"}, false, 1000},
    {"fence, quasistatic", EXAMPLES "/fence_particle/fence.yaml", {NULL}, false, 1000},
};

static void need(ts_status status, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "bench_planar: %s\n", error->text);
  exit(EXIT_FAILURE);
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// All bodies slower than 2 mm/s, a twentieth of a second after the start: how grasps end.
static bool rests(const ts_sim *sim)
{
  for (int b = 0; b < ts_model_body_count(ts_sim_model(sim)); ++b) {
    const ts_twist v = ts_sim_velocity(sim, b);
    if (hypot(v.linear.x, v.linear.y) >= 2e-3 || fabs(v.angular.z) >= 0.1) return false;
  }
  return ts_sim_time(sim) > 0.05;
}

typedef struct cost {
  double seconds, worst; // of the quickest trial, and of the slowest step of all
  int steps, uncertified;
} cost;

static void take_trial(const contest *c, ts_sim *sim, int steps, cost *sum)
{
  ts_error error;
  const double start = cpu_seconds();
  int taken = 0;
  while (taken < steps && !(c->ends_at_rest && rests(sim))) {
    need(ts_sim_step(sim, &error), &error);
    sum->worst = fmax(sum->worst, ts_sim_report(sim)->seconds);
    sum->uncertified += !ts_sim_report(sim)->certified;
    ++taken;
  }
  sum->seconds = fmin(sum->seconds, cpu_seconds() - start);
  sum->steps = taken;
}

static void measure(const contest *c, int trials)
{
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  const int overrides = (c->overrides[0] != NULL) + (c->overrides[1] != NULL);
  need(ts_scene_read(c->path, c->overrides, overrides, &scene, &error), &error);
  need(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  double *start;
  size_t size;
  need(ts_sim_snapshot(sim, &start, &size, &error), &error);
  const int steps = (int)(ts_scene_duration(scene) / ts_scene_options(scene)->size + 0.5);
  cost sum = {.seconds = INFINITY};
  ts_sim_set_timing(sim, true);
  for (int k = 0; k < trials; ++k) {
    need(ts_sim_load(sim, start, size, &error), &error);
    take_trial(c, sim, steps, &sum);
  }
  printf("%-26s %8d %10.2f %10.2f %12.3f %12d %12.2f\n", c->name, sum.steps, 1e6 * sum.seconds / sum.steps,
         1e6 * sum.worst, 1e3 * sum.seconds, sum.uncertified, sum.seconds * c->study / 60.0);
  free(start);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  const int trials = argc > 1 ? atoi(argv[1]) : 20;
  if (trials < 1) {
    fprintf(stderr, "bench_planar: the number of trials must be at least 1\n");
    return EXIT_FAILURE;
  }
  printf("%-26s %8s %10s %10s %12s %12s %12s\n", "", "steps", "us/step", "worst us", "ms/trial", "uncertified",
         "study [min]");
  for (size_t k = 0; k < sizeof contests / sizeof *contests; ++k) measure(&contests[k], trials);
  printf("study: 100800 grasps, 90 drops, 1000 pushes, on one core\n");
  return EXIT_SUCCESS;
}
