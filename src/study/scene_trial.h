// Trials that are simulations of a scene.
#ifndef TS_STUDY_SCENE_TRIAL_H
#define TS_STUDY_SCENE_TRIAL_H

#include "touchstone/study.h"

// Another attempt: what of the step's options is different.
typedef struct ts_retry {
  double size_factor;
  const char **sets; // "solver=lemke" (set_count)
  int set_count;
} ts_retry;

// Everything is constant while trials run. Texts and arrays belong to whoever made it.
typedef struct ts_scene_trials {
  const char *scene; // path
  const char **overrides;
  int override_count;
  const ts_extensions *extensions; // or NULL
  uint64_t fingerprint;            // of the scene when it was first read (ts_scene_fingerprint_hash())
  int parameter_count;             // of the scene
  int column_count;                // of the study
  const int *parameter_of;         // of each column: which parameter of the scene, or -1
  const int *result_of;            // of each result of the study: which of the scene
  int result_count;
  int64_t most_steps;  // 0: no limit
  double most_seconds; // 0: no limit
  bool any_steps;      // trials of more than 1e9 steps run, too
  const ts_retry *retries;
  int retry_count;
} ts_scene_trials;

// create_worker(), destroy_worker() and run() of a ts_trial_function whose user is a ts_scene_trials.
ts_status ts_scene_worker_create(void *trials, void **worker, ts_error *error);
void ts_scene_worker_destroy(void *worker);
ts_status ts_scene_trial_run(void *trials, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                             ts_error *error);

// What all parameters of the scene are in a trial, into `all` (parameter_count). The worker simulates nothing for it.
ts_status ts_scene_trial_evaluate(void *worker, const double *parameters, double *all, ts_error *error);

// TS_INVALID, with the count, if a trial with these parameters has too many steps to be run.
ts_status ts_scene_trials_check_steps(const ts_scene_trials *trials, const double *parameters, ts_error *error);

// Options of an attempt.
ts_status ts_retry_apply(const ts_retry *retry, ts_step_options *options, ts_error *error);

#endif
