// touchstone verify: designs, level by level.
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/arguments.h"
#include "cli/document_kind.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/plugins.h"
#include "cli/study_progress.h"
#include "cli/time_text.h"

#include "touchstone/verify.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct verify_request {
  const char *file, *output;
  int jobs;
  cli_texts overrides, plugins;
  bool fresh, json, quiet, yes;
} verify_request;

#define FIELD(field) offsetof(verify_request, field)

static const cli_option options[] = {
    {"output", 'o', "NAME.h5", &cli_value_text, FIELD(output), "",
     "tables of the levels are NAME.LEVEL.h5 (or .csv); left out: FILE.h5 beside where you are"},
    {"jobs", 'n', "N", &cli_value_int, FIELD(jobs), "", "threads, a design each; 0: one a core"},
    {"fresh", 0, NULL, &cli_value_flag, FIELD(fresh), "", "throw away what is there, and start anew"},
    {"set", 's', "KEY=VALUE", &cli_value_texts, FIELD(overrides), "",
     "replace a value of the scenes of all levels; may come more than once"},
    {"json", 'j', NULL, &cli_value_flag, FIELD(json), "", "one JSON object instead of the table"},
    {"quiet", 'q', NULL, &cli_value_flag, FIELD(quiet), "", "no progress bar"},
    {"yes", 'y', NULL, &cli_value_flag, FIELD(yes), "", "take runs of more than 1e9 steps"},
    CLI_PLUGIN_OPTION(verify_request, plugins)};

static const cli_syntax syntax = {
    .verb = "verify",
    .operands = "FILE",
    .summary = "Verify designs level by level, each level only on what passed the one before.",
    .details =
        "Prints what each level took, how many designs it left, and what the levels would have cost without the\n"
        "ones before (measured on a sample, where the file says how many). A verification that was ended goes on\n"
        "where it stopped.\n"
        "Exit status: 0 it was done, 2 bad usage or bad input, 128 plus the number of the signal that ended it.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(verify_request)};

// ---- the table -----------------------------------------------------------------------------------------------------

static const char *time_or_nothing(bool known, double seconds, char *text, size_t size)
{
  if (!known) return "-";
  return cli_time_text(seconds, text, size);
}

static void print_level(const ts_level_report *level)
{
  char total[32], each[32], naive[32];
  printf("  %-16s %9llu %9llu %9llu %9llu %10s %10s %10s\n", level->name, (unsigned long long)level->designs,
         (unsigned long long)level->passed, (unsigned long long)(level->designs - level->passed),
         (unsigned long long)level->runs, cli_time_text(level->seconds, total, sizeof total),
         time_or_nothing(level->designs > 0, level->seconds / (double)level->designs, each, sizeof each),
         time_or_nothing(level->sampled > 0, level->naive_seconds, naive, sizeof naive));
}

static void print_levels(const ts_verification *verification, const ts_level_report *levels)
{
  double total = 0.0, naive = 0.0;
  char text[32], other[32];
  printf("  %-16s %9s %9s %9s %9s %10s %10s %10s\n", "level", "designs", "passed", "pruned", "runs", "time", "a design",
         "naive");
  for (int k = 0; k < ts_verification_level_count(verification); ++k) {
    print_level(&levels[k]);
    total += levels[k].seconds;
    naive += levels[k].naive_seconds;
  }
  printf("  %-16s %9s %9s %9s %9s %10s\n", "all", "", "", "", "", cli_time_text(total, text, sizeof text));
  if (naive > 0.0)
    printf("without the order all designs would have taken %s at the levels that simulate: %.3g times as long\n",
           cli_time_text(naive, other, sizeof other), naive / total);
}

// Runs that break off count as failures, which they need not be of the design.
static void tell_broken(const ts_verification *verification, const ts_level_report *levels)
{
  for (int k = 0; k < ts_verification_level_count(verification); ++k)
    if (levels[k].broken > 0)
      cli_message("at level '%s' %llu of %llu runs broke off, first of %s", levels[k].name,
                  (unsigned long long)levels[k].broken, (unsigned long long)levels[k].runs, levels[k].why);
}

static void write_levels(const ts_verification *verification, const ts_level_report *levels, cli_json *json)
{
  cli_json_open_array(json, "levels");
  for (int k = 0; k < ts_verification_level_count(verification); ++k) {
    const ts_level_report *level = &levels[k];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", level->name);
    cli_json_number(json, "designs", (double)level->designs);
    cli_json_number(json, "passed", (double)level->passed);
    cli_json_number(json, "runs", (double)level->runs);
    cli_json_number(json, "uncertified", (double)level->uncertified);
    cli_json_number(json, "broken", (double)level->broken);
    cli_json_number(json, "seconds", level->seconds);
    cli_json_number(json, "sampled", (double)level->sampled);
    cli_json_number(json, "naive_seconds", level->naive_seconds);
    cli_json_close(json);
  }
  cli_json_close(json);
}

// ---- designs that passed all ---------------------------------------------------------------------------------------

typedef struct survivors {
  const ts_verification *verification;
  cli_json *json; // or NULL: as text
} survivors;

static void show_survivor(void *user, uint64_t design, const double *parameters)
{
  const survivors *all = user;
  const int count = ts_verification_parameter_count(all->verification);
  if (all->json) {
    cli_json_open_object(all->json, NULL);
    cli_json_number(all->json, "design", (double)design);
    for (int i = 0; i < count; ++i)
      cli_json_number(all->json, ts_verification_parameter_name(all->verification, i), parameters[i]);
    cli_json_close(all->json);
    return;
  }
  printf("passed all levels: design %llu", (unsigned long long)design);
  for (int i = 0; i < count; ++i)
    printf("%s %s=%.6g", i ? "," : ":", ts_verification_parameter_name(all->verification, i), parameters[i]);
  putchar('\n');
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int verify_designs(const verify_request *request, const ts_verification *verification, const char *output)
{
  const int count = ts_verification_level_count(verification);
  ts_level_report *levels = cli_zeros((size_t)count, sizeof *levels);
  cli_study_progress shown = {.wanted = !request->quiet};
  ts_sweep_options sweep = ts_sweep_options_default();
  cli_json json;
  survivors all = {verification, request->json ? &json : NULL};
  ts_error error = {0};
  sweep.jobs = request->jobs > 0 ? request->jobs : cli_core_count();
  sweep.fresh = request->fresh;
  cli_study_progress_attach(&shown, &sweep);
  if (request->json) {
    cli_json_init(&json, stdout);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "file", request->file);
    cli_json_open_array(&json, "passed");
  }
  const ts_status status = ts_verification_run(verification, output, &sweep, levels, show_survivor, &all, &error);
  cli_study_progress_end(&shown);
  if (request->json) {
    cli_json_close(&json);
    if (status == TS_OK) write_levels(verification, levels, &json);
    cli_json_close(&json);
  } else if (status == TS_OK) {
    print_levels(verification, levels);
  }
  if (status == TS_OK) tell_broken(verification, levels);
  free(levels);
  if (status == TS_OK) return CLI_SUCCESS;
  if (status == TS_INTERRUPTED) {
    cli_message("interrupted; %s",
                request->fresh ? "without --fresh the same command goes on" : "the same command goes on");
    return 128 + cli_interrupt_signal();
  }
  cli_message_about(output, &error);
  return CLI_REFUSED;
}

static bool check_steps(const verify_request *request, ts_verification *verification)
{
  ts_error error = {0};
  if (request->yes) ts_verification_allow_steps(verification);
  if (request->yes || ts_verification_check_steps(verification, &error) == TS_OK) return true;
  cli_message("%s: %s; --yes takes them", request->file, error.text);
  return false;
}

static int verify_file(const verify_request *request)
{
  ts_verification *verification = NULL;
  ts_error error = {0};
  int status = CLI_REFUSED;
  ts_extensions *extensions = cli_plugins_load(&request->plugins);
  if (!extensions) return status;
  const ts_scene_request scene = {request->overrides.items, request->overrides.count, extensions};
  char *named = request->output ? NULL : cli_study_output(request->file);
  cli_interrupt_watch();
  if (ts_verification_read(request->file, &scene, &verification, &error) != TS_OK)
    cli_message_about(request->file, &error);
  else if (check_steps(request, verification))
    status = verify_designs(request, verification, request->output ? request->output : named);
  ts_verification_destroy(verification);
  ts_extensions_destroy(extensions);
  free(named);
  return status;
}

static int verify(int argc, char **argv)
{
  verify_request request = {0};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &request.file);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  const bool good = cli_jobs_are_good(request.jobs) && cli_document_may_be(request.file, CLI_VERIFICATION);
  return good ? verify_file(&request) : CLI_REFUSED;
}

const cli_verb cli_verify = {"verify", "FILE", "verify designs level by level", verify};
