// What does a sweep cost beside its trials, how well do threads share it, and does its memory grow with the trials?
//   bench_studies [TRIALS]      trials of the longest sweep, 1000000 unless told
#define _XOPEN_SOURCE 700 // mkdtemp, getrusage
#include "touchstone/study.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void stop(const ts_error *error)
{
  fprintf(stderr, "bench_studies: %s\n", error->text);
  exit(1);
}

static double memory_in_mib(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024.0;
}

// ---- trials that are functions -------------------------------------------------------------------------------------

static ts_status add(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = trial->parameters[0] + trial->parameters[1];
  return TS_OK;
}

// A millisecond of work of a processor, not of the clock: threads that wait for each other show.
static ts_status work_a_millisecond(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                                    ts_error *error)
{
  (void)user, (void)worker, (void)error;
  double x = trial->parameters[0];
  for (int i = 0; i < 60000; ++i) x = sin(x + 1.0);
  outcome->results[0] = x;
  return TS_OK;
}

static ts_study *make_study(uint64_t samples,
                            ts_status (*run)(void *, void *, const ts_trial *, ts_trial_outcome *, ts_error *))
{
  static const char *const results[] = {"sum"};
  const ts_variation variations[] = {{.name = "a", .kind = TS_VARY_UNIFORM, .high = 1.0},
                                     {.name = "b", .kind = TS_VARY_NORMAL, .deviation = 1.0}};
  const ts_study_def def = {.name = "bench",
                            .variations = variations,
                            .variation_count = 2,
                            .samples = samples,
                            .results = results,
                            .result_count = 1,
                            .most_attempts = 1,
                            .function = {.run = run}};
  ts_study *study;
  ts_error error = {0};
  if (ts_study_create(&def, &study, &error) != TS_OK) stop(&error);
  return study;
}

static double sweep(const ts_study *study, const char *output, int jobs, bool fresh)
{
  ts_sweep_options options = ts_sweep_options_default();
  ts_error error = {0};
  options.jobs = jobs;
  options.fresh = fresh;
  const double start = ts_clock_seconds();
  if (ts_study_sweep(study, output, &options, NULL, &error) != TS_OK) stop(&error);
  return ts_clock_seconds() - start;
}

static double pack(const ts_study *study, const char *output)
{
  ts_error error = {0};
  const double start = ts_clock_seconds();
  if (ts_study_pack(study, output, &error) != TS_OK) stop(&error);
  return ts_clock_seconds() - start;
}

// ---- tables --------------------------------------------------------------------------------------------------------

static void measure_rows(const char *output, uint64_t most)
{
  printf("trials that add two numbers, one thread\n%12s %14s %14s %14s %14s\n", "trials", "us a trial", "resume, us each",
         "pack, us a row", "memory, MiB");
  for (uint64_t trials = most / 100 > 0 ? most / 100 : 1; trials <= most; trials *= 10) {
    ts_study *study = make_study(trials, add);
    const double each = 1e6 / (double)trials, seconds = sweep(study, output, 1, true),
                 again = sweep(study, output, 1, false), packing = pack(study, output);
    printf("%12llu %14.2f %14.2f %14.2f %14.1f\n", (unsigned long long)trials, each * seconds, each * again,
           each * packing, memory_in_mib());
    ts_study_destroy(study);
  }
}

static void measure_threads(const char *output)
{
  enum { TRIALS = 4000 };
  ts_study *study = make_study(TRIALS, work_a_millisecond);
  const double one = sweep(study, output, 1, true);
  printf("\n%d trials of %.2f ms\n%12s %14s %14s\n", TRIALS, 1e3 * one / TRIALS, "threads", "seconds", "of ideal, %");
  printf("%12d %14.3f %14.1f\n", 1, one, 100.0);
  for (int jobs = 2; jobs <= sysconf(_SC_NPROCESSORS_ONLN); jobs *= 2) {
    const double several = sweep(study, output, jobs, true);
    printf("%12d %14.3f %14.1f\n", jobs, several, 100.0 * one / (several * jobs));
  }
  ts_study_destroy(study);
}

// ---- trials of scenes ----------------------------------------------------------------------------------------------

static void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  if (!file) exit(1);
  fputs(text, file);
  fclose(file);
}

// A ball that falls for one step: all that a trial takes but its steps.
static void measure_scene(const char *folder, const char *output)
{
  enum { TRIALS = 20000 };
  char scene[256], file[256], text[512];
  ts_study *study;
  ts_error error = {0};
  snprintf(scene, sizeof scene, "%s/ball.yaml", folder);
  snprintf(file, sizeof file, "%s/balls.yaml", folder);
  write_text(scene, "touchstone: 1\nparameters: {z: 1, mu: 0.5}\ncontact: {friction: =mu}\nbodies:\n"
                    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                    "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, =z]}\n"
                    "step: {size: 1e-3}\nduration: 1e-3\nresults: {height: ball.z}\n");
  snprintf(text, sizeof text,
           "study: 1\nscene: ball.yaml\nvary: {z: {uniform: [1, 2]}, mu: {uniform: [0, 1]}}\nsamples: %d\n", TRIALS);
  write_text(file, text);
  if (ts_study_read(file, NULL, &study, &error) != TS_OK) stop(&error);
  const double seconds = sweep(study, output, 1, true);
  printf("\ntrials of a scene with one ball and one step: %.1f us each, the step included\n", 1e6 * seconds / TRIALS);
  ts_study_destroy(study);
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/bench_studies.XXXXXX", output[64], command[128];
  const uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  if (!mkdtemp(folder) || most == 0) return 1;
  snprintf(output, sizeof output, "%s/out.h5", folder);
  measure_rows(output, most);
  measure_threads(output);
  measure_scene(folder, output);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) == 0 ? 0 : 1;
}
