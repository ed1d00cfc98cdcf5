// touchstone run: simulate a scene, record it, and say how it went.
#include "cli/verb.h"

#include "cli/checkpoint_file.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/run_file.h"
#include "cli/run_outcome.h"
#include "cli/run_request.h"
#include "cli/run_summary.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"
#include "cli/start_notes.h"

#include "touchstone/record.h"

#include <math.h>
#include <string.h>

// ---- a run ---------------------------------------------------------------------------------------------------------

typedef struct running {
  const cli_run_request *request;
  const char *output; // or NULL
  ts_extensions *extensions;
  ts_scene *scene;
  ts_sim *sim;
  ts_recorder *recorder; // NULL: nothing is recorded
  long long step, last;  // taken, and to take in all
  long long interval;    // steps from one recorded state to the next
  long long step_limit;  // of a trial of a study that would take more steps, or 0
  cli_checkpoint checkpoint;
  ts_watch *watch;
  int scene_stops; // conditions of the scene; those of --stop-on follow
  bool watching;   // the watch has begun
  cli_run_summary summary;
} running;

static long long output_interval(const ts_scene *scene)
{
  const double steps = ts_scene_output_interval(scene) / ts_scene_options(scene)->size;
  return steps < 1.5 ? 1 : steps > 1e15 ? (long long)1e15 : llround(steps);
}

static bool refuse(const char *file, const ts_error *error)
{
  cli_message_about(file, error);
  return false;
}

// How many threads there are is no matter of the scene: its text, which records keep, stays as it is.
static ts_status create_sim(running *run, ts_error *error)
{
  ts_step_options step = *ts_scene_options(run->scene);
  if (run->request->threads != 0) step.threads = run->request->threads;
  return ts_sim_create(ts_scene_model(run->scene), &step, NULL, &run->sim, error);
}

// What the scene and --stop-on ask to watch.
static bool create_watch(running *run)
{
  ts_error error = {0};
  if (ts_scene_create_watch(run->scene, &run->watch, &error) != TS_OK) return refuse(run->request->scene, &error);
  run->scene_stops = ts_watch_stop_count(run->watch);
  if (ts_watch_add_stops(run->watch, run->request->stop_on, &error) != TS_OK) {
    cli_message("--stop-on: %s", error.text);
    return false;
  }
  return true;
}

static bool has_met_limit(const running *run)
{
  return run->step_limit > 0 && run->step == run->step_limit;
}

// A quasi-static step that bodies have not moved in: none that follows is of any use. Trials of studies go on, as they
// do in sweeps.
static bool is_unbalanced(const running *run)
{
  return ts_sim_report(run->sim)->stayed && !run->request->go_on && run->request->trial < 0;
}

// Why the run has ended before its time, or NULL.
static const char *reason_to_stop(const running *run)
{
  const int stopped = ts_watch_stopped(run->watch);
  if (stopped >= 0) return ts_watch_stop_name(run->watch, stopped);
  if (is_unbalanced(run)) return "a quasi-static step without balance (--go-on continues)";
  return has_met_limit(run) ? "limit of steps" : NULL;
}

static bool open_file(running *run)
{
  const cli_run_request *request = run->request;
  if (request->trial < 0)
    return cli_scene_open(request->scene, &request->robot, &request->overrides, run->extensions, &run->scene);
  const ts_scene_request scene = {request->overrides.items, request->overrides.count, run->extensions};
  return cli_trial_open(request->scene, &scene, request->trial, request->attempt, &run->scene, &run->step_limit);
}

static bool count_steps(running *run)
{
  const cli_run_request *request = run->request;
  const double duration = request->duration > 0.0 ? request->duration : ts_scene_duration(run->scene);
  const double size = ts_scene_options(run->scene)->size;
  ts_error error = {0};
  run->last = ts_step_count(duration, size);
  if (run->step_limit >= run->last) run->step_limit = 0;
  if (run->step_limit > 0) run->last = run->step_limit;
  if (request->yes || run->step_limit > 0 || ts_step_count_check(duration, size, &error) == TS_OK) return true;
  cli_message("%s: %s; --yes takes them", request->scene, error.text);
  return false;
}

// The scene and a simulation of it at its beginning.
static bool open_scene(running *run)
{
  ts_error error = {0};
  const cli_run_request *request = run->request;
  run->extensions = cli_plugins_load(&request->plugins);
  if (!run->extensions) return false;
  if (!open_file(run)) return false;
  cli_scene_print_notes(request->scene, run->scene);
  if (create_sim(run, &error) != TS_OK) {
    ts_scene_place_error(run->scene, &error);
    return refuse(request->scene, &error);
  }
  if (!create_watch(run)) return false;
  ts_sim_set_timing(run->sim, true);
  if (!count_steps(run)) return false;
  run->interval = output_interval(run->scene);
  cli_run_summary_init(&run->summary, run->sim);
  return true;
}

// ---- recording -----------------------------------------------------------------------------------------------------

static bool record_state(running *run)
{
  if (!run->recorder) return true;
  ts_error error = {0};
  if (ts_recorder_add(run->recorder, run->sim, run->step % run->interval == 0, &error) == TS_OK) return true;
  ts_recorder_close(run->recorder, run->sim, &error); // keeps what fits, and says so
  run->recorder = NULL;
  return refuse(run->output, &error);
}

// Put the file in place; there is no recorder after it.
static bool close_recorder(running *run, bool ended)
{
  if (!run->recorder) return true;
  ts_error error = {0};
  const ts_watch *watch = run->watching ? run->watch : NULL;
  if (cli_record_outcome(run->recorder, run->scene, watch, ended, &error) != TS_OK) refuse(run->output, &error);
  const ts_status status = ts_recorder_close(run->recorder, run->sim, &error);
  run->recorder = NULL;
  return status == TS_OK || refuse(run->output, &error);
}

// What acts in joints is measured where it is recorded.
static bool measure_joints(running *run)
{
  ts_error error = {0};
  if (ts_model_joint_count(ts_sim_model(run->sim)) == 0) return true;
  return ts_sim_measure_joints(run->sim, true, &error) == TS_OK || refuse(run->request->scene, &error);
}

static bool begin_recording(running *run)
{
  ts_error error = {0};
  if (ts_watch_needs_joint_forces(run->watch) && !measure_joints(run)) return false;
  if (!run->output) return true;
  if (!measure_joints(run)) return false;
  if (ts_recorder_create(run->output, run->sim, ts_scene_text(run->scene), &run->recorder, &error) != TS_OK)
    return refuse(run->output, &error);
  return record_state(run);
}

// Go on from a recorded run: everything in it is taken over.
static bool continue_recording(running *run, const ts_record *record)
{
  ts_error error = {0};
  if (!measure_joints(run)) return false;
  if (ts_recorder_resume(run->output, record, run->sim, ts_scene_text(run->scene), &run->recorder, &error) == TS_OK)
    return true;
  return refuse(error.status == TS_INVALID ? run->request->resume : run->output, &error);
}

// ---- resuming ------------------------------------------------------------------------------------------------------

static bool load_checkpoint(running *run, const ts_record *record)
{
  ts_error error = {0};
  size_t size;
  const double *checkpoint = ts_record_checkpoint(record, &size);
  if (ts_sim_load(run->sim, checkpoint, size, &error) != TS_OK) return refuse(run->request->resume, &error);
  run->step = llround(ts_sim_time(run->sim) / ts_sim_options(run->sim)->size);
  return true;
}

// A run that its own conditions have ended stays so; --stop-on asks anew.
static bool continue_watch(running *run, const ts_record *record)
{
  ts_error error = {0};
  size_t size;
  const double *watched = ts_record_watched(record, &size);
  if (ts_watch_result_count(run->watch) == 0 && ts_watch_stop_count(run->watch) == 0) return true;
  if (!watched) {
    if (ts_watch_result_count(run->watch) > 0 || run->scene_stops > 0)
      cli_message("%s: it is not recorded what was watched before: results and conditions count from t = %.9g s on",
                  run->request->resume, ts_sim_time(run->sim));
    return true;
  }
  if (ts_watch_load(run->watch, run->sim, watched, size, &error) != TS_OK) return refuse(run->request->resume, &error);
  run->watching = true;
  if (ts_watch_stopped(run->watch) >= run->scene_stops) ts_watch_go_on(run->watch);
  return true;
}

static bool take_over(running *run, const ts_record *record)
{
  size_t size;
  if (!ts_record_checkpoint(record, &size)) {
    cli_message("%s: this run cannot be resumed: it has no checkpoint (CSV keeps none)", run->request->resume);
    return false;
  }
  if (!continue_recording(run, record) || !load_checkpoint(run, record) || !continue_watch(run, record)) return false;
  cli_run_summary_replay(&run->summary, record);
  return true;
}

static bool resume(running *run)
{
  ts_error error = {0};
  ts_record *record;
  if (ts_record_open(run->request->resume, &record, &error) != TS_OK) return refuse(run->request->resume, &error);
  const bool resumed = take_over(run, record);
  ts_record_close(record);
  return resumed;
}

// ---- stepping ------------------------------------------------------------------------------------------------------

typedef enum run_end {
  RUN_DONE, // the scene's own conditions count as its end
  RUN_INTERRUPTED,
  RUN_STOPPED,    // by --stop-on
  RUN_UNBALANCED, // a quasi-static step in which forces do not balance
  RUN_STEP_FAILED,
  RUN_NOT_RECORDED
} run_end;

static bool is_interrupted(void *user)
{
  (void)user;
  return cli_interrupt_signal() != 0;
}

static run_end fail_step(running *run, cli_progress *progress, ts_error *error)
{
  cli_progress_end(progress);
  ts_scene_place_error(run->scene, error);
  cli_message_about(run->request->scene, error);
  return RUN_STEP_FAILED;
}

static bool write_checkpoint(running *run)
{
  if (!cli_checkpoint_is_due(&run->checkpoint)) return true;
  ts_error error = {0};
  if (cli_record_outcome(run->recorder, run->scene, run->watch, false, &error) != TS_OK)
    return refuse(run->output, &error);
  return cli_checkpoint_write(&run->checkpoint, &run->recorder, run->sim);
}

// What has no value at the start ends the run as it would after a step: the start is recorded, and that is all.
static bool begin_watch(running *run, ts_error *error)
{
  run->watching = run->watching || ts_watch_begin(run->watch, run->sim, error) == TS_OK;
  return run->watching;
}

static run_end take_steps(running *run, cli_progress *progress)
{
  ts_error error = {0};
  if (!begin_watch(run, &error)) return fail_step(run, progress, &error);
  if (ts_watch_stopped(run->watch) >= 0) return RUN_DONE; // before it was resumed
  ts_sim_set_interrupt(run->sim, is_interrupted, NULL);
  while (run->step < run->last) {
    if (cli_interrupt_signal()) return RUN_INTERRUPTED;
    const ts_status status = ts_sim_step(run->sim, &error);
    if (status == TS_INTERRUPTED) return RUN_INTERRUPTED;
    if (status != TS_OK) return fail_step(run, progress, &error);
    ++run->step;
    cli_run_summary_add(&run->summary, ts_sim_time(run->sim), ts_sim_report(run->sim));
    cli_run_summary_name_bodies(&run->summary, run->sim);
    if (!record_state(run)) return RUN_NOT_RECORDED;
    cli_progress_show(progress, run->step, ts_sim_time(run->sim));
    if (ts_watch_step(run->watch, run->sim, &error) != TS_OK) return fail_step(run, progress, &error);
    const int stopped = ts_watch_stopped(run->watch);
    if (stopped >= 0) return stopped < run->scene_stops ? RUN_DONE : RUN_STOPPED;
    if (is_unbalanced(run)) return RUN_UNBALANCED;
    if (!write_checkpoint(run)) return RUN_NOT_RECORDED;
  }
  return RUN_DONE;
}

static void report(const running *run, run_end end)
{
  const cli_run_request *request = run->request;
  const char *reason = reason_to_stop(run);
  if (request->json) {
    cli_json json;
    cli_json_init(&json, stdout);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "scene", request->scene);
    cli_json_text(&json, "name", ts_scene_name(run->scene));
    cli_json_text(&json, "output", run->output);
    cli_json_boolean(&json, "complete", end == RUN_DONE && !has_met_limit(run));
    if (reason) cli_json_text(&json, "stopped_on", reason);
    cli_scene_write_notes(run->scene, &json);
    cli_write_start_notes(&json, run->sim, ts_scene_options(run->scene));
    cli_run_summary_json(&run->summary, &json);
    cli_write_scene_parameters(run->scene, &json);
    cli_write_results(run->watch, &json);
    cli_json_close(&json);
  } else if (!request->quiet) {
    const char *name = ts_scene_name(run->scene);
    printf("%s%s%s\n", request->scene, *name ? ": " : "", name);
    cli_print_start_notes(run->sim, ts_scene_options(run->scene), stdout);
    if (reason) printf("  %-20s%s\n", "stopped on", reason);
    cli_run_summary_print(&run->summary, stdout);
    if (run->output) printf("  %-20s%s\n", "recorded in", run->output);
    cli_print_results(run->watch, stdout);
  }
}

// Why it ended, and how to go on where there is something to go on from.
static void explain_end(const running *run)
{
  const bool resumable = run->output && cli_run_is_resumable(run->output);
  const char *reason = reason_to_stop(run);
  cli_message("%s%s at t = %.9g s%s%s%s", reason ? "stopped on " : "", reason ? reason : "interrupted",
              ts_sim_time(run->sim), resumable ? "; continue with the same command and --resume '" : "",
              resumable ? run->output : "", resumable ? "'" : "");
}

static int exit_status(const running *run, run_end end)
{
  switch (end) {
  case RUN_INTERRUPTED:
    return 128 + cli_interrupt_signal();
  case RUN_STOPPED:
    return CLI_STOPPED;
  case RUN_STEP_FAILED:
    return CLI_NOT_SOLVED;
  case RUN_NOT_RECORDED:
    return CLI_REFUSED;
  default:
    return run->summary.uncertified > 0 ? CLI_NOT_SOLVED : CLI_SUCCESS;
  }
}

static bool end_watch(running *run)
{
  ts_error error = {0};
  return ts_watch_end(run->watch, run->sim, &error) == TS_OK || refuse(run->request->scene, &error);
}

static int simulate(running *run)
{
  cli_progress progress;
  const double started = cli_seconds();
  cli_progress_begin(&progress, !run->request->quiet, run->step, run->last);
  run_end end = take_steps(run, &progress);
  cli_progress_end(&progress);
  if (end != RUN_STEP_FAILED && !end_watch(run)) end = RUN_STEP_FAILED;
  if (!close_recorder(run, end != RUN_STEP_FAILED)) end = RUN_NOT_RECORDED;
  cli_checkpoint_end(&run->checkpoint, end != RUN_NOT_RECORDED);
  if (end == RUN_NOT_RECORDED) return exit_status(run, end);
  cli_run_summary_end(&run->summary, run->sim, cli_seconds() - started);
  report(run, end);
  if (end == RUN_INTERRUPTED || end == RUN_STOPPED || end == RUN_UNBALANCED) explain_end(run);
  return exit_status(run, end);
}

// ---- the verb ------------------------------------------------------------------------------------------------------

// Checkpoints begin when there is a run that they are of.
static bool begin(running *run)
{
  const cli_run_request *request = run->request;
  if (!open_scene(run) || !(request->resume ? resume(run) : begin_recording(run))) return false;
  cli_checkpoint_begin(&run->checkpoint, run->output, request->checkpoint_interval);
  cli_checkpoint_mention(&run->checkpoint, request->scene, run->output, request->resume);
  return true;
}

static int run_scene(const cli_run_request *request)
{
  running run = {.request = request, .output = request->output ? request->output : request->resume};
  int status = CLI_REFUSED;
  cli_interrupt_watch();
  if (begin(&run)) status = simulate(&run);
  cli_checkpoint_end(&run.checkpoint, false);
  ts_recorder_discard(run.recorder);
  ts_watch_destroy(run.watch);
  ts_sim_destroy(run.sim);
  ts_scene_destroy(run.scene);
  ts_extensions_destroy(run.extensions);
  cli_run_summary_release(&run.summary);
  return status;
}

static int run(int argc, char **argv)
{
  cli_run_request request;
  int status;
  return cli_run_parse(argc, argv, &request, &status) ? run_scene(&request) : status;
}

const cli_verb cli_run = {"run", "SCENE", "simulate a scene and record it", run};
