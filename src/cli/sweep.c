// touchstone sweep: run the trials of a study, and make a table of them.
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/convergence.h"
#include "cli/document_kind.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/plugins.h"
#include "cli/study_progress.h"
#include "cli/table_summary.h"

#include "touchstone/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct sweep_request {
  const char *study, *output, *worker, *retry, *keep, *convergence, *reference;
  int jobs;
  uint64_t limit;
  double stale;
  cli_texts overrides, plugins;
  bool fresh, extend, pack, summary, json, quiet, yes;
} sweep_request;

#define FIELD(field) offsetof(sweep_request, field)

static const cli_option options[] = {
    {"output", 'o', "FILE", &cli_value_text, FIELD(output), "",
     "the table: HDF5 (.h5) or CSV (.csv); work lies in FILE.work; left out: STUDY.h5 beside where you are"},
    {"jobs", 'n', "N", &cli_value_int, FIELD(jobs), "", "threads, a trial each; 0: one a core"},
    {"worker", 'w', "K/N", &cli_value_text, FIELD(worker), "",
     "this is worker K of N (from 1) that share the folder, on one machine or several"},
    {"stale", 0, "T", &cli_value_double, FIELD(stale), "s",
     "workers of other machines that are silent for so long count as dead"},
    {"fresh", 0, NULL, &cli_value_flag, FIELD(fresh), "", "throw away what is there, and start anew"},
    {"extend", 0, NULL, &cli_value_flag, FIELD(extend), "", "the study has more samples than before: add them"},
    {"retry", 0, "WHICH", &cli_value_text, FIELD(retry), "", "'failed': try trials again that failed"},
    {"limit", 0, "N", &cli_value_uint64_t, FIELD(limit), "", "end after N trials; 0: when all are done"},
    {"keep", 'k', "WHICH", &cli_value_text, FIELD(keep), "",
     "record trials as FILE.records/trial_I.h5: 'all', 'failed', or a number: so many from the first"},
    {"pack", 0, NULL, &cli_value_flag, FIELD(pack), "", "run nothing: make the table of what there is"},
    {"convergence", 'c', "SIZE:RESULT,...", &cli_value_text, FIELD(convergence), "",
     "print errors of results and the order in which they fall with a parameter, as h:x,y, or 1/directions:x,y"},
    {"reference", 'r', "WHAT", &cli_value_text, FIELD(reference), "",
     "of errors: 'finest' or 'extrapolated' run, or a table that has the same parameters; left out: finest"},
    {"summary", 0, NULL, &cli_value_flag, FIELD(summary), "",
     "run nothing: say what the table says. STUDY may be the table itself"},
    {"set", 's', "KEY=VALUE", &cli_value_texts, FIELD(overrides), "",
     "replace a value of the scene for all trials; may come more than once"},
    {"json", 'j', NULL, &cli_value_flag, FIELD(json), "", "one JSON object instead of the summary"},
    {"quiet", 'q', NULL, &cli_value_flag, FIELD(quiet), "", "no progress bar and no summary"},
    {"yes", 'y', NULL, &cli_value_flag, FIELD(yes), "", "take trials of more than 1e9 steps"},
    CLI_PLUGIN_OPTION(sweep_request, plugins)};

static const cli_syntax syntax = {
    .verb = "sweep",
    .operands = "STUDY",
    .summary = "Run a scene with many parameters, and make a table of what comes of each.",
    .details =
        "A sweep that was ended, by Ctrl-C or otherwise, goes on where it stopped when it is started again: no\n"
        "trial that was finished is lost. Trials that fail are rows of the table. The table does not depend on\n"
        "how many threads or workers there are.\n"
        "Exit status: 0 every trial has its row, or other workers are at those that have none; 1 some have none\n"
        "yet; 2 bad usage or bad input; 128 plus the number of the signal that ended it (Ctrl-C: 130).\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(sweep_request)};

static bool read_worker(const char *text, ts_sweep_options *sweep)
{
  char end;
  if (!text) return true;
  if (sscanf(text, "%d/%d%c", &sweep->worker, &sweep->workers, &end) == 2 && sweep->worker >= 1 &&
      sweep->worker <= sweep->workers) {
    --sweep->worker;
    return true;
  }
  cli_message("--worker must be K/N with K from 1 to N, as 2/8, not '%s'", text);
  return false;
}

// Threads that were not asked for: one a core, of several processes one each.
static int default_jobs(const cli_job *job)
{
  return job->cluster ? 1 : cli_core_count();
}

// Of several processes each has its part of the limit.
static uint64_t own_limit(uint64_t limit, const cli_job *job)
{
  const uint64_t size = (uint64_t)job->size, rank = (uint64_t)job->rank;
  return limit / size + (rank < limit % size);
}

static bool read_options(const sweep_request *request, const cli_job *job, ts_sweep_options *sweep)
{
  *sweep = ts_sweep_options_default();
  if (!cli_jobs_are_good(request->jobs)) return false;
  sweep->jobs = request->jobs > 0 ? request->jobs : default_jobs(job);
  sweep->stale = request->stale;
  sweep->fresh = request->fresh;
  sweep->extend = request->extend;
  sweep->trial_limit = own_limit(request->limit, job);
  if (request->retry && strcmp(request->retry, "failed") != 0) {
    cli_message("--retry takes 'failed', not '%s'", request->retry);
    return false;
  }
  sweep->retry_failed = request->retry != NULL;
  return read_worker(request->worker, sweep);
}

// ---- a sweep -------------------------------------------------------------------------------------------------------

static void report(const sweep_request *request, const ts_study *study, const char *output,
                   const ts_sweep_progress *progress, const cli_convergence *convergence)
{
  const unsigned long long done = progress->before;
  if (request->json) {
    cli_json json;
    cli_json_init(&json, stdout);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "study", request->study);
    cli_json_text(&json, "name", ts_study_name(study));
    cli_json_text(&json, "output", output);
    cli_json_number(&json, "trials", (double)progress->trials);
    cli_json_number(&json, "done", (double)done);
    cli_json_number(&json, "done_now", (double)progress->now);
    cli_json_number(&json, "finished", (double)progress->ends[TS_TRIAL_FINISHED]);
    cli_json_number(&json, "stopped", (double)progress->ends[TS_TRIAL_STOPPED]);
    cli_json_number(&json, "limited", (double)progress->ends[TS_TRIAL_LIMITED]);
    cli_json_number(&json, "failed", (double)progress->ends[TS_TRIAL_FAILED]);
    cli_json_number(&json, "uncertified", (double)progress->uncertified);
    cli_json_number(&json, "seconds", progress->seconds);
    cli_convergence_write(convergence, &json);
    cli_json_close(&json);
    return;
  }
  if (request->quiet) return;
  printf("%s%s%s\n", request->study, *ts_study_name(study) ? ": " : "", ts_study_name(study));
  printf("  %-20s%llu of %llu, %llu of them now\n", "trials", done, (unsigned long long)progress->trials,
         (unsigned long long)progress->now);
  printf("  %-20s%llu finished, %llu stopped, %llu at a limit, %llu failed\n", "outcomes",
         (unsigned long long)progress->ends[TS_TRIAL_FINISHED], (unsigned long long)progress->ends[TS_TRIAL_STOPPED],
         (unsigned long long)progress->ends[TS_TRIAL_LIMITED], (unsigned long long)progress->ends[TS_TRIAL_FAILED]);
  printf("  %-20s%llu trials have steps that are not certified\n", "uncertified",
         (unsigned long long)progress->uncertified);
  if (progress->now > 0)
    printf("  %-20s%.3g s, %.3g trials a second\n", "wall time", progress->seconds,
           (double)progress->now / progress->seconds);
  printf("  %-20s%s\n", "table", output);
}

static void serve_job(void *user)
{
  const cli_study_progress *shown = user;
  shown->job->cluster->serve();
}

// Of several processes the first makes ready, so that the others find all in place.
static ts_status make_ready(const ts_study *study, const char *output, const cli_job *job, ts_sweep_options *sweep,
                            ts_error *error)
{
  ts_status status = TS_OK;
  if (!job->cluster) return TS_OK;
  if (job->rank == 0) status = ts_study_prepare(study, output, sweep, error);
  sweep->ticket = job->cluster->ticket;
  sweep->processes = job->size;
  sweep->meanwhile = serve_job;
  sweep->fresh = sweep->extend = false;
  return (ts_status)job->cluster->share((int)status);
}

static ts_status run_trials(const sweep_request *request, const ts_study *study, const char *output, const cli_job *job,
                            ts_sweep_progress *progress, ts_error *error)
{
  ts_sweep_options sweep;
  cli_study_progress shown = {.wanted = !request->quiet && job->rank == 0, .job = job};
  if (!read_options(request, job, &sweep)) return ts_fail(error, TS_INVALID, "%s", "");
  cli_study_progress_attach(&shown, &sweep);
  const ts_status ready = make_ready(study, output, job, &sweep, error);
  const bool has_none = request->limit > 0 && sweep.trial_limit == 0; // of the limit, this process
  if (ready != TS_OK || has_none) return ready;
  const ts_status status = ts_study_sweep(study, output, &sweep, progress, error);
  cli_study_progress_end(&shown);
  return status;
}

// What others have done counts too.
static ts_status take_stock(const ts_study *study, const char *output, ts_sweep_progress *progress, ts_error *error)
{
  const ts_sweep_progress own = *progress;
  const ts_status status = ts_study_stand(study, output, progress, error);
  progress->now = own.now;
  progress->seconds = own.seconds;
  progress->others_work = own.others_work;
  return status;
}

// What has to be done for the rest of the trials.
static const char *how_to_go_on(const sweep_request *request)
{
  if (request->pack) return "without --pack the same command runs the others";
  return request->fresh ? "without --fresh the same command goes on" : "the same command goes on";
}

static int say_end(const sweep_request *request, const ts_sweep_progress *progress, ts_status status)
{
  const unsigned long long done = progress->before, trials = progress->trials;
  if (progress->note[0]) cli_message("%s", progress->note);
  if (status == TS_INTERRUPTED) {
    cli_message("interrupted with %llu of %llu trials done; %s", done, trials, how_to_go_on(request));
    return 128 + cli_interrupt_signal();
  }
  if (done == trials) return CLI_SUCCESS;
  if (progress->others_work) {
    if (!request->quiet) cli_message("%llu of %llu trials are done, and other workers are at the rest", done, trials);
    return CLI_SUCCESS;
  }
  cli_message("%llu of %llu trials are done; %s", done, trials, how_to_go_on(request));
  return CLI_NOT_SOLVED;
}

static bool read_keep(const char *text, ts_keep *which, uint64_t *first)
{
  char *end;
  *first = strtoull(text, &end, 10);
  *which = strcmp(text, "all") == 0 ? TS_KEEP_ALL : strcmp(text, "failed") == 0 ? TS_KEEP_FAILED : TS_KEEP_FIRST;
  if (*which != TS_KEEP_FIRST || (end != text && *end == '\0' && text[0] != '-')) return true;
  cli_message("--keep takes 'all', 'failed' or a number of trials, not '%s'", text);
  return false;
}

static bool keep_records(const sweep_request *request, const ts_study *study, const char *output)
{
  ts_keep which;
  uint64_t first, kept = 0;
  ts_error error = {0};
  cli_study_progress unused = {0};
  ts_sweep_options sweep = ts_sweep_options_default();
  cli_study_progress_attach(&unused, &sweep);
  if (!read_keep(request->keep, &which, &first)) return false;
  const ts_status status = ts_study_keep(study, output, which, first, &sweep, &kept, &error);
  if (status != TS_OK && status != TS_INTERRUPTED) cli_message_about(output, &error);
  if (!request->quiet && !request->json)
    printf("  %-20s%llu in %s.records\n", "records", (unsigned long long)kept, output);
  return status == TS_OK;
}

// All processes find the same; the first one says so.
static bool check_steps(const sweep_request *request, ts_study *study, const cli_job *job)
{
  ts_error error = {0};
  if (request->yes) ts_study_allow_steps(study);
  if (request->yes || request->pack || ts_study_check_steps(study, &error) == TS_OK) return true;
  if (job->rank == 0) cli_message("%s: %s; --yes takes them", request->study, error.text);
  return false;
}

static int run_sweep(const sweep_request *request, ts_study *study, const char *output, const cli_job *job,
                     cli_convergence *convergence)
{
  ts_sweep_progress progress = {.trials = ts_study_trial_count(study)};
  ts_error error = {0};
  ts_status status = TS_OK;
  if (request->keep && !read_keep(request->keep, &(ts_keep){0}, &(uint64_t){0})) return CLI_REFUSED;
  if (!cli_convergence_check(convergence, study) || !check_steps(request, study, job)) return CLI_REFUSED;
  if (!request->pack) status = run_trials(request, study, output, job, &progress, &error);
  if (job->cluster) {
    job->cluster->meet();
    progress.now = job->cluster->sum(progress.now);
  }
  if (status != TS_OK && status != TS_INTERRUPTED) {
    if (error.text[0]) cli_message_about(output, &error);
    return CLI_REFUSED;
  }
  if (job->rank > 0) return CLI_SUCCESS;
  if (take_stock(study, output, &progress, &error) != TS_OK || ts_study_pack(study, output, &error) != TS_OK) {
    cli_message_about(output, &error);
    return CLI_REFUSED;
  }
  const bool measured = cli_convergence_measure(convergence, study, output);
  report(request, study, output, &progress, convergence);
  if (!request->json) cli_convergence_print(convergence);
  if (status == TS_OK && request->keep && !keep_records(request, study, output)) return CLI_REFUSED;
  if (!measured) return CLI_REFUSED;
  return say_end(request, &progress, status);
}

static int sweep_study(const sweep_request *request)
{
  ts_study *study = NULL;
  ts_error error = {0};
  int status = CLI_REFUSED;
  cli_job job = {.size = 1};
  cli_convergence convergence;
  const bool asked_well = cli_convergence_read(request->convergence, request->reference, &convergence) &&
                          cli_document_may_be(request->study, CLI_STUDY);
  ts_extensions *extensions = asked_well ? cli_plugins_load(&request->plugins) : NULL;
  if (!extensions) {
    cli_convergence_release(&convergence);
    return status;
  }
  const ts_scene_request scene = {request->overrides.items, request->overrides.count, extensions};
  char *named = request->output ? NULL : cli_study_output(request->study);
  const char *output = request->output ? request->output : named;
  cli_interrupt_watch();
  if (ts_study_read(request->study, &scene, &study, &error) != TS_OK)
    cli_message_about(request->study, &error);
  else if (cli_job_begin(&job))
    status = run_sweep(request, study, output, &job, &convergence);
  cli_job_end(&job);
  ts_study_destroy(study);
  ts_extensions_destroy(extensions);
  cli_convergence_release(&convergence);
  free(named);
  return status;
}

// What runs nothing takes no options about running.
static bool options_agree(const sweep_request *request)
{
  const struct {
    const char *name;
    bool given;
  } of_running[] = {{"--fresh", request->fresh},
                    {"--extend", request->extend},
                    {"--retry", request->retry != NULL},
                    {"--limit", request->limit > 0},
                    {"--worker", request->worker != NULL}};
  for (size_t i = 0; i < sizeof of_running / sizeof of_running[0]; ++i)
    if ((request->pack || request->summary) && of_running[i].given) {
      cli_message("%s runs nothing, so that it takes no %s", request->pack ? "--pack" : "--summary",
                  of_running[i].name);
      return false;
    }
  return true;
}

static int sweep(int argc, char **argv)
{
  sweep_request request = {.stale = 300.0};
  switch (cli_parse(argc, argv, &syntax, &request, &request.study)) {
  case CLI_HELP_SHOWN:
    return CLI_SUCCESS;
  case CLI_BAD_USAGE:
    return CLI_REFUSED;
  default:
    if (!options_agree(&request)) return CLI_REFUSED;
    if (request.summary && request.convergence) {
      cli_message("--summary and --convergence do not go together; --pack --convergence runs nothing either");
      return CLI_REFUSED;
    }
    if (request.summary) return cli_summarize_table(request.study, request.output, request.json);
    return sweep_study(&request);
  }
}

const cli_verb cli_sweep = {"sweep", "STUDY", "run a scene with many parameters, and make a table", sweep};
