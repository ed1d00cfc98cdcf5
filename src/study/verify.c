// Levels of a verification, one after another. A level is a study whose trials are designs: each makes the runs of its
// design, so that journals, threads and going on are those of sweeps.
#include "touchstone/verify.h"

#include "study/verification.h"

#include "study/best_rows.h"
#include "study/study.h"
#include "study/table_format.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = TS_DESIGN_MOST_COLUMNS, PATH_SIZE = 4096 };

const char *const ts_level_result_names[] = {[TS_RUNS] = "runs",
                                             [TS_SUCCESSES] = "successes",
                                             [TS_SHARE] = "share",
                                             [TS_BROKEN] = "broken",
                                             [TS_FIRST_FAILURE] = "first_failure"};

void ts_verification_destroy(ts_verification *verification)
{
  if (!verification) return;
  ts_arena_release(&verification->memory);
  free(verification);
}

const char *ts_verification_name(const ts_verification *verification)
{
  TS_REQUIRE(verification);
  return verification->name;
}

uint64_t ts_verification_design_count(const ts_verification *verification)
{
  TS_REQUIRE(verification);
  return verification->designs.trials;
}

uint64_t ts_verification_run_count(const ts_verification *verification)
{
  TS_REQUIRE(verification);
  return verification->uncertain.trials;
}

int ts_verification_level_count(const ts_verification *verification)
{
  TS_REQUIRE(verification);
  return verification->level_count;
}

const char *ts_verification_level_name(const ts_verification *verification, int i)
{
  TS_REQUIRE(verification);
  TS_REQUIRE(i >= 0 && i < verification->level_count);
  return verification->levels[i].name;
}

int ts_verification_parameter_count(const ts_verification *verification)
{
  TS_REQUIRE(verification);
  return verification->designs.column_count;
}

const char *ts_verification_parameter_name(const ts_verification *verification, int i)
{
  TS_REQUIRE(verification);
  TS_REQUIRE(i >= 0 && i < verification->designs.column_count);
  return verification->designs.columns[i].name;
}

ts_status ts_verification_check_steps(const ts_verification *verification, ts_error *error)
{
  TS_REFUSE_UNLESS(verification, error);
  double values[2 * MOST_COLUMNS];
  double *const uncertain = values + verification->designs.column_count;
  if (ts_design_row(&verification->designs, 0, values, NULL) != TS_OK) return TS_OK;
  if (ts_design_row(&verification->uncertain, 0, uncertain, NULL) != TS_OK) return TS_OK;
  for (int k = 0; k < verification->level_count; ++k) {
    const ts_level *level = &verification->levels[k];
    ts_error why = {0};
    if (level->when || ts_scene_trials_check_steps(&level->trials, values, &why) == TS_OK) continue;
    return ts_fail(error, TS_INVALID, "level '%.60s': %.400s", level->name, why.text);
  }
  return TS_OK;
}

void ts_verification_allow_steps(ts_verification *verification)
{
  TS_REQUIRE(verification);
  for (int k = 0; k < verification->level_count; ++k) verification->levels[k].trials.any_steps = true;
}

ts_status ts_verification_parameters(const ts_verification *verification, uint64_t design, double *values,
                                     ts_error *error)
{
  TS_REFUSE_UNLESS(verification, error);
  TS_REFUSE_UNLESS(design < verification->designs.trials, error);
  TS_REFUSE_UNLESS(values, error);
  return ts_design_row(&verification->designs, design, values, error);
}

// ---- a design at a level -------------------------------------------------------------------------------------------

typedef struct level_trials {
  const ts_verification *all;
  const ts_level *level;
} level_trials;

static ts_status create_worker(void *user, void **worker, ts_error *error)
{
  const level_trials *trials = user;
  return ts_scene_worker_create((void *)&trials->level->trials, worker, error);
}

// One run. One that breaks off, or has steps that are not certified, does not succeed; why the first broke off is the
// outcome's text. TS_INTERRUPTED alone is passed on.
static ts_status run_once(const level_trials *trials, void *worker, const ts_trial *design, const double *values,
                          ts_trial_outcome *outcome, bool *succeeds)
{
  double success = NAN;
  ts_error why = {0};
  ts_trial_outcome run = {.results = &success};
  const ts_trial trial = {.number = design->number,
                          .parameters = values,
                          .interrupt = design->interrupt,
                          .interrupt_user = design->interrupt_user};
  const ts_status status = ts_scene_trial_run((void *)&trials->level->trials, worker, &trial, &run, &why);
  if (status == TS_INTERRUPTED) return status;
  outcome->steps += run.steps;
  outcome->uncertified += run.uncertified;
  if (!(run.residual <= outcome->residual)) outcome->residual = run.residual;
  *succeeds = status == TS_OK && run.uncertified == 0 && success != 0.0 && !isnan(success);
  if (status == TS_OK) return TS_OK;
  if (outcome->results[TS_BROKEN]++ == 0.0) snprintf(outcome->text, sizeof outcome->text, "%s", why.text);
  return TS_OK;
}

// The first column of a level's study is the number of the design, which its parameters follow.
static ts_status run_design(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  const level_trials *trials = user;
  const ts_design *uncertain = &trials->all->uncertain;
  const int own = trials->all->designs.column_count;
  double values[2 * MOST_COLUMNS];
  uint64_t runs = 0, successes = 0;
  memcpy(values, trial->parameters + 1, (size_t)own * sizeof *values);
  outcome->results[TS_BROKEN] = 0.0;
  for (; runs < uncertain->trials; ++runs) {
    bool succeeds;
    if (trials->level->most_failures >= 0 && runs - successes > (uint64_t)trials->level->most_failures) break;
    TS_TRY(ts_design_row(uncertain, runs, values + own, error));
    if (run_once(trials, worker, trial, values, outcome, &succeeds) != TS_OK)
      return ts_fail(error, TS_INTERRUPTED, "the run was interrupted");
    if (!succeeds && successes == runs) outcome->results[TS_FIRST_FAILURE] = (double)runs;
    successes += succeeds;
  }
  outcome->results[TS_RUNS] = (double)runs;
  outcome->results[TS_SUCCESSES] = (double)successes;
  outcome->results[TS_SHARE] = (double)successes / (double)uncertain->trials;
  if (outcome->results[TS_BROKEN] == (double)runs) outcome->end = TS_TRIAL_FAILED; // no run of it can be made
  return TS_OK;
}

// ---- designs on their way
// --------------------------------------------------------------------------------------------

// Designs that are left: their numbers and all their parameters.
typedef struct design_list {
  uint64_t *numbers;
  double **values; // of each column (count)
  uint64_t count;
  int columns;
} design_list;

static void release_list(design_list *list)
{
  free(list->numbers);
  for (int c = 0; list->values && c < list->columns; ++c) free(list->values[c]);
  free(list->values);
  *list = (design_list){0};
}

static bool allocate_list(design_list *list, uint64_t count, int columns)
{
  *list = (design_list){.count = count, .columns = columns};
  list->numbers = malloc((count + 1) * sizeof *list->numbers);
  list->values = calloc((size_t)columns + 1, sizeof *list->values);
  bool made = list->numbers && list->values;
  for (int c = 0; made && c < columns; ++c) {
    list->values[c] = malloc((count + 1) * sizeof **list->values);
    made = list->values[c] != NULL;
  }
  return made;
}

// All designs but those whose parameters cannot be computed, which pass nothing.
static ts_status list_all(const ts_verification *all, design_list *list, ts_error *error)
{
  double values[MOST_COLUMNS];
  if (!allocate_list(list, all->designs.trials, all->designs.column_count))
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for %llu designs", (unsigned long long)all->designs.trials);
  list->count = 0;
  for (uint64_t i = 0; i < all->designs.trials; ++i) {
    if (ts_design_row(&all->designs, i, values, NULL) != TS_OK) continue;
    list->numbers[list->count] = i;
    for (int c = 0; c < list->columns; ++c) list->values[c][list->count] = values[c];
    ++list->count;
  }
  return TS_OK;
}

static void keep(design_list *list, uint64_t from, uint64_t to)
{
  list->numbers[to] = list->numbers[from];
  for (int c = 0; c < list->columns; ++c) list->values[c][to] = list->values[c][from];
}

// ---- levels --------------------------------------------------------------------------------------------------------

// Whether a design passes a level that is an expression. One of which a parameter of the scene cannot be computed, or
// is out of its range, does not. `values` has room for the columns and all parameters of the scene.
static bool holds(const ts_level *level, void *worker, const design_list *list, uint64_t i, double *values)
{
  double value;
  for (int c = 0; c < list->columns; ++c) values[c] = list->values[c][i];
  if (worker && ts_scene_trial_evaluate(worker, values, values + list->columns, NULL) != TS_OK) return false;
  return ts_expression_evaluate(level->when, values, &value, NULL) && value != 0.0;
}

static ts_status test_designs(const ts_level *level, design_list *list, ts_level_report *report, ts_error *error)
{
  const double start = ts_clock_seconds();
  void *worker = NULL;
  uint64_t kept = 0;
  if (level->asks_scene) TS_TRY(ts_scene_worker_create((void *)&level->trials, &worker, error));
  double *values = malloc((size_t)(list->columns + level->trials.parameter_count + 1) * sizeof *values);
  for (uint64_t i = 0; values && i < list->count; ++i)
    if (holds(level, worker, list, i, values)) keep(list, i, kept++);
  const ts_status status = values ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  list->count = report->passed = kept;
  report->seconds = ts_clock_seconds() - start;
  ts_scene_worker_destroy(worker);
  free(values);
  return status;
}

// What came of each design of a level's study.
typedef struct level_outcome {
  const ts_level *level;
  const design_list *list;
  bool *passes; // (designs)
  ts_level_report *report;
  double *seconds; // of all of them
} level_outcome;

static ts_status note_design(void *user, const ts_trial_row *row, ts_error *error)
{
  level_outcome *to = user;
  const double *results = row->outcome.results;
  ts_level_report *report = to->report;
  (void)error;
  to->passes[row->trial] = results[TS_SHARE] >= to->level->share && row->outcome.end != TS_TRIAL_FAILED;
  report->runs += (uint64_t)results[TS_RUNS];
  report->uncertified += row->outcome.uncertified > 0;
  if (results[TS_BROKEN] > 0.0 && report->broken == 0)
    snprintf(report->why, sizeof report->why, "design %llu: %.400s", (unsigned long long)to->list->numbers[row->trial],
             row->outcome.text);
  report->broken += (uint64_t)results[TS_BROKEN];
  *to->seconds += row->seconds;
  return TS_OK;
}

static ts_status read_outcome(const ts_study *study, const char *output, level_outcome *to, ts_error *error)
{
  char *folder = ts_study_folder(output);
  if (!folder) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = ts_best_rows_visit(study, folder, note_design, to, error);
  free(folder);
  return status;
}

// A study whose trials are these designs.
static ts_status make_study(level_trials *trials, const design_list *list, ts_study **study, ts_error *error)
{
  const ts_verification *all = trials->all;
  ts_variation variations[MOST_COLUMNS + 1];
  double *numbers = malloc((list->count + 1) * sizeof *numbers);
  if (!numbers) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  for (uint64_t i = 0; i < list->count; ++i) numbers[i] = (double)list->numbers[i];
  variations[0] = (ts_variation){.name = TS_LEVEL_DESIGN, .axis = 1, .values = numbers, .count = (int)list->count};
  for (int c = 0; c < list->columns; ++c)
    variations[c + 1] = (ts_variation){.name = all->designs.columns[c].name,
                                       .unit = all->designs.columns[c].unit,
                                       .axis = 1,
                                       .values = list->values[c],
                                       .count = (int)list->count};
  const ts_study_def def = {.name = trials->level->name,
                            .variations = variations,
                            .variation_count = list->columns + 1,
                            .samples = 1,
                            .results = ts_level_result_names,
                            .result_count = TS_LEVEL_RESULTS,
                            .most_attempts = 1,
                            .function = {create_worker, ts_scene_worker_destroy, run_design, trials}};
  ts_study_subject unused;
  const ts_status status = ts_study_make(&def, study, &unused, error);
  free(numbers);
  return status;
}

static void add_lines(const ts_manifest *from, ts_study *study)
{
  for (const ts_manifest_line *line = from->first; line; line = line->next)
    ts_manifest_add(&study->manifest, &study->memory, line->key, line->value);
}

static void describe_level(const ts_verification *all, const ts_level *level, ts_study *study)
{
  ts_manifest_print(&study->manifest, &study->memory, "stop_after", "%d", level->most_failures);
  add_lines(&all->uncertain_manifest, study);
  add_lines(&level->manifest, study);
}

// "NAME.h5" to "NAME.LEVEL.h5", with something behind the level's name or nothing.
static void level_path(const char *output, const char *level, const char *more, char *path)
{
  const char *slash = strrchr(output, '/'), *point = strrchr(slash ? slash : output, '.');
  const int length = point ? (int)(point - output) : (int)strlen(output);
  snprintf(path, PATH_SIZE, "%.*s.%s%s%s", length > 3800 ? 3800 : length, output, level, more, point ? point : "");
}

static ts_status run_study(level_trials *trials, const design_list *list, const char *output,
                           const ts_sweep_options *options, level_outcome *to, ts_error *error)
{
  ts_study *study;
  TS_TRY(make_study(trials, list, &study, error));
  jmp_buf recovery;
  study->memory.recovery = &recovery;
  ts_status status = TS_OK;
  if (setjmp(recovery)) {
    status = ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  } else {
    describe_level(trials->all, trials->level, study);
    status = ts_study_sweep(study, output, options, NULL, error);
  }
  if (status == TS_OK) status = read_outcome(study, output, to, error);
  if (status == TS_OK) status = ts_study_pack(study, output, error);
  ts_study_destroy(study);
  return status;
}

static ts_status simulate(const ts_verification *all, const ts_level *level, design_list *list, const char *output,
                          const ts_sweep_options *options, ts_level_report *report, ts_error *error)
{
  char path[PATH_SIZE];
  level_trials trials = {all, level};
  level_outcome outcome = {.level = level, .list = list, .report = report, .seconds = &report->seconds};
  if (list->count == 0) return TS_OK;
  outcome.passes = calloc(list->count, sizeof *outcome.passes);
  if (!outcome.passes) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  level_path(output, level->name, "", path);
  const ts_status status = run_study(&trials, list, path, options, &outcome, error);
  uint64_t kept = 0;
  for (uint64_t i = 0; status == TS_OK && i < list->count; ++i)
    if (outcome.passes[i]) keep(list, i, kept++);
  if (status == TS_OK) list->count = report->passed = kept;
  free(outcome.passes);
  return status;
}

// What all designs would take at a level, from some of them. Those that were drawn are as good a sample as any; points
// of a grid are taken from all over it.
static ts_status measure_naive(const ts_verification *all, const ts_level *level, const char *output,
                               const ts_sweep_options *options, ts_level_report *report, ts_error *error)
{
  char path[PATH_SIZE];
  design_list list;
  ts_level_report unused = {0};
  double seconds = 0.0;
  level_trials trials = {all, level};
  level_outcome outcome = {.level = level, .list = &list, .report = &unused, .seconds = &seconds};
  TS_TRY(list_all(all, &list, error));
  const uint64_t wanted = all->naive < list.count ? all->naive : list.count, designs = list.count;
  for (uint64_t i = 0; i < wanted; ++i) keep(&list, i * designs / wanted, i);
  list.count = wanted;
  outcome.passes = calloc(wanted + 1, sizeof *outcome.passes);
  level_path(output, level->name, ".naive", path);
  ts_status status = outcome.passes ? run_study(&trials, &list, path, options, &outcome, error)
                                    : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  report->sampled = wanted;
  report->naive_seconds = seconds / (double)wanted * (double)designs;
  free(outcome.passes);
  release_list(&list);
  return status;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static ts_status run_level(const ts_verification *all, int k, design_list *list, const char *output,
                           const ts_sweep_options *options, ts_level_report *report, ts_error *error)
{
  const ts_level *level = &all->levels[k];
  const uint64_t designs = k == 0 ? all->designs.trials : list->count; // also those that no number is known of
  *report = (ts_level_report){.name = level->name, .simulates = !level->when, .designs = designs};
  if (level->when) return test_designs(level, list, report, error);
  TS_TRY(simulate(all, level, list, output, options, report, error));
  return all->naive > 0 ? measure_naive(all, level, output, options, report, error) : TS_OK;
}

static void tell_passed(const design_list *list, void (*passed)(void *user, uint64_t design, const double *parameters),
                        void *user)
{
  double values[MOST_COLUMNS];
  for (uint64_t i = 0; passed && i < list->count; ++i) {
    for (int c = 0; c < list->columns; ++c) values[c] = list->values[c][i];
    passed(user, list->numbers[i], values);
  }
}

ts_status ts_verification_run(const ts_verification *verification, const char *output, const ts_sweep_options *options,
                              ts_level_report *reports,
                              void (*passed)(void *user, uint64_t design, const double *parameters), void *user,
                              ts_error *error)
{
  TS_REFUSE_UNLESS(verification, error);
  TS_REFUSE_UNLESS(output, error);
  TS_REFUSE_UNLESS(options, error);
  TS_REFUSE_UNLESS(reports, error);
  if (options->trial_limit > 0 || options->workers > 0 || options->ticket)
    return ts_fail(error, TS_INVALID, "a verification is run by one process, and to its end");
  if (ts_table_kind_of(output) == TS_TABLE_KIND_COUNT) return ts_table_refuse_name(error);
  design_list list = {0};
  ts_status status = list_all(verification, &list, error);
  for (int k = 0; k < verification->level_count && status == TS_OK; ++k)
    status = run_level(verification, k, &list, output, options, &reports[k], error);
  if (status == TS_OK) tell_passed(&list, passed, user);
  release_list(&list);
  return status;
}
