#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/study.h"

#include "study/table_format.h"
#include "text/c_locale.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- making --------------------------------------------------------------------------------------------------------

static void copy_results(const ts_study_def *def, ts_study *study)
{
  const size_t count = (size_t)def->result_count;
  study->result_count = def->result_count;
  study->results = ts_arena_bytes(&study->memory, count, sizeof *study->results);
  study->units = ts_arena_bytes(&study->memory, count, sizeof *study->units);
  for (int i = 0; i < def->result_count; ++i) {
    study->results[i] = ts_arena_text(&study->memory, def->results[i]);
    study->units[i] = ts_arena_text(&study->memory, def->units ? def->units[i] : "");
  }
}

static void describe(const ts_study_def *def, ts_study *study)
{
  ts_manifest *manifest = &study->manifest;
  ts_arena *arena = &study->memory;
  if (def->version) ts_manifest_add(manifest, arena, "version", def->version);
  ts_manifest_line *samples = ts_design_describe(def, "", manifest, arena);
  samples->may_change = ts_design_can_grow(&study->design) ? TS_MANIFEST_EXTENDED : TS_MANIFEST_NEVER;
  for (int i = 0; i < def->result_count; ++i) ts_manifest_add(manifest, arena, "result", def->results[i]);
}

// Parameters and results are columns of one table.
static ts_status check_parameters(const ts_study_def *def, ts_study_subject *about, ts_error *error)
{
  for (about->column = 0; about->column < def->variation_count; ++about->column) {
    const char *name = def->variations[about->column].name;
    if (name && ts_table_has_name(name))
      return ts_fail(error, TS_INVALID, "no parameter of a study can be called '%s': every table has such a column",
                     name);
  }
  about->column = -1;
  return TS_OK;
}

static ts_status check_result(const ts_study_def *def, int result, int *column, ts_error *error)
{
  const char *name = def->results[result];
  if (!name || !*name) return ts_fail(error, TS_INVALID, "result %d has no name", result + 1);
  if (!ts_table_is_name(name, strlen(name)))
    return ts_fail(error, TS_INVALID,
                   "result %d has a name of more than %d letters, or one with a '/' or a line break, or '.' or '..'",
                   result + 1, TS_TABLE_NAME_SIZE - 1);
  if (ts_table_has_name(name))
    return ts_fail(error, TS_INVALID,
                   "no result of a study can be called '%s': every table has such a column; rename it, or leave it out "
                   "by 'results'",
                   name);
  for (int i = 0; i < result; ++i)
    if (strcmp(def->results[i], name) == 0) return ts_fail(error, TS_INVALID, "there are two results '%s'", name);
  for (*column = 0; *column < def->variation_count; ++*column)
    if (def->variations[*column].name && strcmp(def->variations[*column].name, name) == 0)
      return ts_fail(error, TS_INVALID, "'%s' is a parameter and a result", name);
  *column = -1;
  return TS_OK;
}

static ts_status check_results(const ts_study_def *def, ts_study_subject *about, ts_error *error)
{
  for (about->result = 0; about->result < def->result_count; ++about->result)
    TS_TRY(check_result(def, about->result, &about->column, error));
  about->result = -1;
  return TS_OK;
}

static ts_status check_def(const ts_study_def *def, ts_study_subject *about, ts_error *error)
{
  if (!def->function.run) return ts_fail(error, TS_INVALID, "a study needs a function that runs a trial");
  if (def->result_count < 0 || def->result_count > 4096)
    return ts_fail(error, TS_INVALID, "a trial may yield 4096 results");
  TS_TRY(check_parameters(def, about, error));
  TS_TRY(check_results(def, about, error));
  if (def->most_attempts < 1 || def->most_attempts > 100)
    return ts_fail(error, TS_INVALID, "a trial is tried from 1 to 100 times");
  return TS_OK;
}

static ts_status fill_or_recover(const ts_study_def *def, ts_study *study, int *column, ts_error *error)
{
  jmp_buf recovery;
  study->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  TS_TRY(ts_design_make(def, &study->memory, &study->design, column, error));
  study->name = ts_arena_text(&study->memory, def->name);
  study->most_attempts = def->most_attempts;
  study->function = def->function;
  copy_results(def, study);
  describe(def, study);
  return TS_OK;
}

// Numbers of the description have a point, whatever the program has chosen.
static ts_status fill(const ts_study_def *def, ts_study *study, int *column, ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = fill_or_recover(def, study, column, error);
  ts_c_locale_leave(&locale);
  return status;
}

ts_status ts_study_make(const ts_study_def *def, ts_study **study, ts_study_subject *about, ts_error *error)
{
  *study = NULL;
  *about = (ts_study_subject){-1, -1};
  TS_TRY(check_def(def, about, error));
  ts_study *made = calloc(1, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_arena_init(&made->memory, NULL);
  const ts_status status = fill(def, made, &about->column, error);
  if (status == TS_OK)
    *study = made;
  else
    ts_study_destroy(made);
  return status;
}

ts_status ts_study_create(const ts_study_def *def, ts_study **study, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  *study = NULL;
  TS_REFUSE_UNLESS(def, error);
  ts_study_subject unused;
  return ts_study_make(def, study, &unused, error);
}

void ts_study_destroy(ts_study *study)
{
  if (!study) return;
  if (study->release) study->release(study->function.user);
  ts_arena_release(&study->memory);
  free(study);
}

// ---- asking --------------------------------------------------------------------------------------------------------

const char *ts_study_name(const ts_study *study)
{
  TS_REQUIRE(study);
  return study->name;
}

uint64_t ts_study_trial_count(const ts_study *study)
{
  TS_REQUIRE(study);
  return study->design.trials;
}

uint64_t ts_study_cell_count(const ts_study *study)
{
  TS_REQUIRE(study);
  return study->design.cells;
}

int ts_study_parameter_count(const ts_study *study)
{
  TS_REQUIRE(study);
  return study->design.column_count;
}

const char *ts_study_parameter_name(const ts_study *study, int i)
{
  TS_REQUIRE(study);
  TS_REQUIRE(i >= 0 && i < study->design.column_count);
  return study->design.columns[i].name;
}

const char *ts_study_parameter_unit(const ts_study *study, int i)
{
  TS_REQUIRE(study);
  TS_REQUIRE(i >= 0 && i < study->design.column_count);
  return study->design.columns[i].unit;
}

int ts_study_result_count(const ts_study *study)
{
  TS_REQUIRE(study);
  return study->result_count;
}

const char *ts_study_result_name(const ts_study *study, int i)
{
  TS_REQUIRE(study);
  TS_REQUIRE(i >= 0 && i < study->result_count);
  return study->results[i];
}

const char *ts_study_result_unit(const ts_study *study, int i)
{
  TS_REQUIRE(study);
  TS_REQUIRE(i >= 0 && i < study->result_count);
  return study->units[i];
}

ts_status ts_study_parameters(const ts_study *study, uint64_t trial, double *values, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(trial < study->design.trials, error);
  TS_REFUSE_UNLESS(values, error);
  return ts_design_row(&study->design, trial, values, error);
}

ts_journal_identity ts_study_identity(const ts_study *study)
{
  ts_journal_identity identity;
  for (uint64_t k = 0; k < sizeof identity.bytes / 8; ++k) {
    const uint64_t hash = ts_manifest_hash(&study->manifest, k);
    for (int byte = 0; byte < 8; ++byte) identity.bytes[8 * k + (uint64_t)byte] = (unsigned char)(hash >> (8 * byte));
  }
  return identity;
}

static char *beside(const char *output, const char *ending)
{
  const size_t size = strlen(output) + strlen(ending) + 1;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s%s", output, ending);
  return path;
}

char *ts_study_folder(const char *output)
{
  return beside(output, ".work");
}

char *ts_study_records(const char *output)
{
  return beside(output, ".records");
}

// ---- a trial -------------------------------------------------------------------------------------------------------

static void clear_outcome(const ts_study *study, ts_trial_outcome *outcome)
{
  double *results = outcome->results;
  *outcome = (ts_trial_outcome){.results = results};
  for (int i = 0; i < study->result_count; ++i) results[i] = NAN;
}

static void fail_outcome(const ts_study *study, const ts_error *why, ts_trial_outcome *outcome)
{
  clear_outcome(study, outcome);
  outcome->end = TS_TRIAL_FAILED;
  snprintf(outcome->text, sizeof outcome->text, "%s", why->text);
}

// One attempt. TS_INTERRUPTED alone is passed on; all else is an outcome.
static ts_status attempt(const ts_study *study, void *worker, const ts_trial *trial, ts_trial_outcome *outcome)
{
  ts_error why = {0};
  clear_outcome(study, outcome);
  ts_status status = study->function.run(study->function.user, worker, trial, outcome, &why);
  if (status == TS_INTERRUPTED) return status;
  outcome->text[sizeof outcome->text - 1] = '\0';
  if (status == TS_OK && (unsigned)outcome->end >= TS_TRIAL_END_COUNT)
    status = ts_fail(&why, TS_INVALID, "the trial says that it ended in way %d, which there is not", (int)outcome->end);
  if (status != TS_OK) {
    const ts_trial_outcome came_to = *outcome;
    fail_outcome(study, &why, outcome);
    outcome->steps = came_to.steps;
    outcome->uncertified = came_to.uncertified;
    outcome->residual = came_to.residual;
  }
  return TS_OK;
}

ts_status ts_study_try(const ts_study *study, void *worker, ts_trial *trial, ts_trial_row *row, ts_error *error)
{
  double values[TS_DESIGN_MOST_COLUMNS];
  ts_error why = {0};
  const double start = ts_clock_seconds();
  row->trial = trial->number;
  row->attempt = 0;
  trial->parameters = values;
  if (ts_design_row(&study->design, trial->number, values, &why) != TS_OK) {
    fail_outcome(study, &why, &row->outcome);
  } else {
    for (int k = 0; k < study->most_attempts; ++k) {
      trial->attempt = k;
      row->attempt = (uint32_t)k;
      if (attempt(study, worker, trial, &row->outcome) != TS_OK)
        return ts_fail(error, TS_INTERRUPTED, "the trial was interrupted");
      if (!ts_row_has_failed(row)) break;
    }
  }
  row->seconds = ts_clock_seconds() - start;
  return TS_OK;
}

ts_status ts_study_run_trial(const ts_study *study, uint64_t trial, int number, ts_trial_outcome *outcome,
                             ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(trial < study->design.trials, error);
  TS_REFUSE_UNLESS(number >= 0 && number < study->most_attempts, error);
  TS_REFUSE_UNLESS(outcome && outcome->results, error);
  double values[TS_DESIGN_MOST_COLUMNS];
  void *worker = NULL;
  const ts_trial_function *function = &study->function;
  TS_TRY(ts_design_row(&study->design, trial, values, error));
  if (function->create_worker) TS_TRY(function->create_worker(function->user, &worker, error));
  const ts_trial asked = {.number = trial, .parameters = values, .attempt = number};
  const ts_status status = attempt(study, worker, &asked, outcome);
  if (worker && function->destroy_worker) function->destroy_worker(worker);
  return status;
}
