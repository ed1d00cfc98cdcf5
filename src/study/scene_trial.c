#include "study/scene_trial.h"

#include "scene/fingerprint.h"
#include "scene/scene.h"
#include "step/sim.h"

#include "base/clock.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a thread keeps from trial to trial. The last simulation stays until the next is made, which takes over from it
// what is slow to find; trials do not depend on it.
typedef struct scene_worker {
  const ts_scene_trials *trials;
  ts_scene *scene;
  ts_sim *sim;
  ts_watch *watch;
  double *values; // of the scene's parameters
} scene_worker;

// The scene as it was when the study was read: what was kept of the study says so.
static ts_status read_scene(const ts_scene_trials *trials, ts_scene **scene, ts_error *error)
{
  const ts_scene_request request = {trials->overrides, trials->override_count, trials->extensions};
  TS_TRY(ts_scene_read_with(trials->scene, &request, scene, error));
  if (ts_scene_fingerprint_hash(*scene) == trials->fingerprint) return TS_OK;
  return ts_fail(error, TS_INVALID, "the scene '%.200s' has changed while the study was running", trials->scene);
}

ts_status ts_scene_worker_create(void *user, void **out, ts_error *error)
{
  const ts_scene_trials *trials = user;
  scene_worker *worker = calloc(1, sizeof *worker);
  *out = worker;
  if (!worker) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  worker->trials = trials;
  worker->values = malloc(((size_t)trials->parameter_count + 1) * sizeof *worker->values);
  const ts_status status =
      worker->values ? read_scene(trials, &worker->scene, error) : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (status == TS_OK) return TS_OK;
  ts_scene_worker_destroy(worker);
  *out = NULL;
  return status;
}

void ts_scene_worker_destroy(void *user)
{
  scene_worker *worker = user;
  if (!worker) return;
  ts_watch_destroy(worker->watch);
  ts_sim_destroy(worker->sim);
  ts_scene_destroy(worker->scene);
  free(worker->values);
  free(worker);
}

// ---- the scene of a trial ------------------------------------------------------------------------------------------

// The values of the scene's parameters; those that are no column of the study are the scene's own.
static const double *values_of(scene_worker *worker, const double *columns)
{
  const ts_scene_trials *trials = worker->trials;
  for (int p = 0; p < trials->parameter_count; ++p) worker->values[p] = NAN;
  for (int c = 0; c < trials->column_count; ++c)
    if (trials->parameter_of[c] >= 0) worker->values[trials->parameter_of[c]] = columns[c];
  return worker->values;
}

ts_status ts_scene_trial_evaluate(void *user, const double *parameters, double *all, ts_error *error)
{
  scene_worker *worker = user;
  return ts_scene_evaluate_parameters(worker->scene, values_of(worker, parameters), all, error);
}

static ts_status renew_watch(scene_worker *worker, ts_error *error)
{
  if (worker->watch && !worker->scene->watch_is_stale) {
    for (int p = 0; p < worker->trials->parameter_count; ++p)
      ts_watch_set_parameter(worker->watch, p, ts_scene_parameter_at(worker->scene, p).value);
    return TS_OK;
  }
  ts_watch_destroy(worker->watch);
  return ts_scene_create_watch(worker->scene, &worker->watch, error);
}

ts_status ts_retry_apply(const ts_retry *retry, ts_step_options *options, ts_error *error)
{
  options->size *= retry->size_factor;
  for (int i = 0; i < retry->set_count; ++i) {
    char name[96];
    const char *equals = strchr(retry->sets[i], '=');
    if (!equals || equals - retry->sets[i] >= (ptrdiff_t)sizeof name)
      return ts_fail(error, TS_INVALID, "'%.60s' is not of the form option=value", retry->sets[i]);
    snprintf(name, sizeof name, "%.*s", (int)(equals - retry->sets[i]), retry->sets[i]);
    TS_TRY(ts_step_options_set(options, name, equals + 1, error));
  }
  return ts_step_options_check(options, error);
}

static ts_status renew_sim(scene_worker *worker, int attempt, ts_error *error)
{
  ts_step_options options = *ts_scene_options(worker->scene);
  ts_sim *sim;
  options.threads = 1; // trials share the cores, not steps
  if (attempt > 0) TS_TRY(ts_retry_apply(&worker->trials->retries[attempt - 1], &options, error));
  const ts_status status = ts_sim_create_like(worker->sim, ts_scene_model(worker->scene), &options, NULL, &sim, error);
  ts_sim_destroy(worker->sim);
  worker->sim = sim;
  TS_TRY(status);
  return ts_watch_needs_joint_forces(worker->watch) ? ts_sim_measure_joints(sim, true, error) : TS_OK;
}

// A simulation must not outlive its model by more than one change of parameters; after a failure it goes at once.
static ts_status prepare(scene_worker *worker, const ts_trial *trial, ts_error *error)
{
  ts_status status = ts_scene_set_parameters(worker->scene, values_of(worker, trial->parameters), error);
  if (status == TS_OK) status = renew_watch(worker, error);
  if (status == TS_OK) status = renew_sim(worker, trial->attempt, error);
  if (status == TS_OK) return TS_OK;
  ts_sim_destroy(worker->sim);
  worker->sim = NULL;
  return status;
}

// ---- its steps -----------------------------------------------------------------------------------------------------

static void note_step(const ts_step_report *report, ts_trial_outcome *outcome)
{
  ++outcome->steps;
  outcome->uncertified += !report->certified;
  if (!(report->residual <= outcome->residual)) outcome->residual = report->residual;
}

static void end_by_limit(ts_trial_outcome *outcome, const char *limit)
{
  outcome->end = TS_TRIAL_LIMITED;
  snprintf(outcome->text, sizeof outcome->text, "%s", limit);
}

static ts_status check_steps(const ts_scene_trials *trials, double duration, double size, ts_error *error)
{
  const bool limited = trials->most_steps > 0 || trials->most_seconds > 0.0;
  return limited || trials->any_steps ? TS_OK : ts_step_count_check(duration, size, error);
}

// What else is wrong with such a trial it says itself.
ts_status ts_scene_trials_check_steps(const ts_scene_trials *trials, const double *parameters, ts_error *error)
{
  void *own;
  ts_status status = TS_OK;
  if (ts_scene_worker_create((void *)trials, &own, NULL) != TS_OK) return TS_OK;
  scene_worker *worker = own;
  if (ts_scene_set_parameters(worker->scene, values_of(worker, parameters), NULL) == TS_OK)
    status = check_steps(trials, ts_scene_duration(worker->scene), ts_scene_options(worker->scene)->size, error);
  ts_scene_worker_destroy(worker);
  return status;
}

static ts_status take_steps(scene_worker *worker, ts_trial_outcome *outcome, ts_error *error)
{
  const ts_scene_trials *trials = worker->trials;
  ts_sim *sim = worker->sim;
  const double duration = ts_scene_duration(worker->scene), size = ts_sim_options(sim)->size;
  const int64_t last = ts_step_count(duration, size);
  const double deadline = trials->most_seconds > 0.0 ? ts_clock_seconds() + trials->most_seconds : INFINITY;
  TS_TRY(check_steps(trials, duration, size, error));
  for (int64_t step = 0; step < last; ++step) {
    if (trials->most_steps > 0 && step == trials->most_steps) return end_by_limit(outcome, "steps"), TS_OK;
    if (isfinite(deadline) && ts_clock_seconds() > deadline) return end_by_limit(outcome, "seconds"), TS_OK;
    TS_TRY(ts_sim_step(sim, error));
    note_step(ts_sim_report(sim), outcome);
    TS_TRY(ts_watch_step(worker->watch, sim, error));
    const int stopped = ts_watch_stopped(worker->watch);
    if (stopped < 0) continue;
    outcome->end = TS_TRIAL_STOPPED;
    snprintf(outcome->text, sizeof outcome->text, "%s", ts_watch_stop_name(worker->watch, stopped));
    return TS_OK;
  }
  return TS_OK;
}

ts_status ts_scene_trial_run(void *user, void *own, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  const ts_scene_trials *trials = user;
  scene_worker *worker = own;
  TS_TRY(prepare(worker, trial, error));
  ts_sim_set_interrupt(worker->sim, trial->interrupt, trial->interrupt_user);
  TS_TRY(ts_watch_begin(worker->watch, worker->sim, error));
  TS_TRY(take_steps(worker, outcome, error));
  TS_TRY(ts_watch_end(worker->watch, worker->sim, error));
  for (int i = 0; i < trials->result_count; ++i)
    outcome->results[i] = ts_watch_result(worker->watch, trials->result_of[i]);
  return TS_OK;
}
