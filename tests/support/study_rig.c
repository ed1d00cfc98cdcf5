#define _DEFAULT_SOURCE // MAP_ANONYMOUS, usleep
#include "study_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static const size_t SHARED_BYTES = (RIG_MOST_TRIALS + 1) * sizeof(atomic_uint);

void rig_init(study_rig *rig)
{
  *rig = (study_rig){0};
  rig->calls = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(rig->calls != MAP_FAILED);
  rig->run = rig->calls + RIG_MOST_TRIALS;
}

void rig_release(study_rig *rig)
{
  munmap(rig->calls, SHARED_BYTES);
}

void rig_forget(study_rig *rig)
{
  for (int i = 0; i < RIG_MOST_TRIALS; ++i) atomic_store(&rig->calls[i], 0);
  atomic_store(rig->run, 0);
}

unsigned rig_calls(const study_rig *rig, uint64_t trial)
{
  return atomic_load(&rig->calls[trial]);
}

void rig_outcome(const study_rig *rig, uint64_t trial, const double *p, ts_trial_outcome *outcome, char *failure,
                 size_t size)
{
  failure[0] = '\0';
  outcome->steps = 100 + trial;
  outcome->residual = 1e-9 * (double)(trial % 10);
  if (trial % 7 == 3 && !rig->healed) {
    if (trial % 2 == 0)
      snprintf(failure, size, "trial %d said \"no\", and no more", (int)trial);
    else
      snprintf(failure, size, "the ball has left\nthe table");
    return;
  }
  if (trial % 11 == 5) {
    outcome->end = TS_TRIAL_STOPPED;
    strcpy(outcome->text, "gate");
  } else if (trial % 13 == 6) {
    outcome->end = TS_TRIAL_LIMITED;
    strcpy(outcome->text, "time");
  }
  outcome->uncertified = trial % 17 == 4 && !rig->healed ? 2 : 0;
  outcome->results[0] = p[0] + p[1] + p[2] + p[3];
  if (trial % 5 != 2) outcome->results[1] = (p[0] + p[1] + p[2]) / 3.0;
}

static ts_status run(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)worker;
  study_rig *rig = user;
  char failure[128];
  atomic_fetch_add(&rig->calls[trial->number], 1);
  atomic_fetch_add(rig->run, 1);
  if (rig->pause > 0) usleep((useconds_t)rig->pause);
  if (trial->interrupt && trial->interrupt(trial->interrupt_user)) return TS_INTERRUPTED;
  rig_outcome(rig, trial->number, trial->parameters, outcome, failure, sizeof failure);
  return failure[0] ? ts_fail(error, TS_INVALID, "%s", failure) : TS_OK;
}

ts_study_def rig_def(study_rig *rig, uint64_t samples)
{
  static const double a[] = {0.1, 2.0}, b[] = {-1.0, 0.0, 1.0 / 3.0};
  static const ts_variation variations[] = {
      {.name = "a", .unit = "m", .kind = TS_VARY_VALUES, .count = 2, .values = a},
      {.name = "b", .kind = TS_VARY_VALUES, .count = 3, .values = b},
      {.name = "x", .unit = "m/s", .kind = TS_VARY_UNIFORM, .low = 1.0, .high = 3.0},
      {.name = "y", .kind = TS_VARY_EXPRESSION, .expression = "a + b * x"}};
  static const char *const results[] = {"sum", "a \"b\", c", "none"}, *const units[] = {"m", "", "rad"};
  return (ts_study_def){.name = "rig, \"quoted\"",
                        .variations = variations,
                        .variation_count = RIG_PARAMETERS,
                        .sampling = TS_SAMPLING_SOBOL,
                        .samples = samples,
                        .seed = UINT64_C(18446744073709551615),
                        .results = results,
                        .units = units,
                        .result_count = RIG_RESULTS,
                        .most_attempts = 1,
                        .function = {.run = run, .user = rig}};
}

ts_study *rig_study(study_rig *rig, uint64_t samples)
{
  const ts_study_def def = rig_def(rig, samples);
  ts_study *study;
  ts_error error = {0};
  if (ts_study_create(&def, &study, &error) != TS_OK) fail_msg("%s", error.text);
  return study;
}

bool rig_interrupt(void *user)
{
  study_rig *rig = user;
  return rig->stop_at > 0 && atomic_load(rig->run) >= rig->stop_at;
}

ts_sweep_options rig_options(int jobs, uint64_t trial_limit)
{
  ts_sweep_options options = ts_sweep_options_default();
  options.jobs = jobs;
  options.trial_limit = trial_limit;
  return options;
}

void rig_sweep(const ts_study *study, const char *output, const ts_sweep_options *options, ts_sweep_progress *progress)
{
  ts_error error = {0};
  if (ts_study_sweep(study, output, options, progress, &error) != TS_OK) fail_msg("%s", error.text);
}
