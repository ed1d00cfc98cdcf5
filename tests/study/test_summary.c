// What summaries say of tables, against numbers from loops over the trials themselves, printed formulas, and functions
// whose sensitivities are known.
#include "touchstone/summary.h"

#include "scratch_folder.h"
#include "sensitivity_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define scratch_test(function)                                                                                         \
  cmocka_unit_test_setup_teardown(function, scratch_folder_set_up, scratch_folder_tear_down)

// ---- studies -------------------------------------------------------------------------------------------------------

// Parameters g, h (grid), u (uniform on [0, 1]) and s (their sum); results hit = u < g, value = g + 10 h + u^2, and
// none.
enum { CELLS = 6, COIN_PARAMETERS = 4 };
static const double coin_g[] = {0.0, 0.4, 0.9}, coin_h[] = {-1.0, 2.0};

// Every seventh trial fails; every fifth has no value.
static bool coin_fails(uint64_t trial)
{
  return trial % 7 == 2;
}

static double coin_value(uint64_t trial, const double *p)
{
  return coin_fails(trial) || trial % 5 == 3 ? NAN : p[0] + 10.0 * p[1] + p[2] * p[2];
}

static double coin_hit(uint64_t trial, const double *p)
{
  return coin_fails(trial) ? NAN : p[2] < p[0];
}

static ts_status toss(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker;
  const double *p = trial->parameters;
  if (coin_fails(trial->number)) return ts_fail(error, TS_INVALID, "the coin is lost in %s", p[1] > 0.0 ? "a" : "b");
  outcome->end = p[2] > 0.9 ? TS_TRIAL_STOPPED : TS_TRIAL_FINISHED;
  if (p[2] > 0.9) strcpy(outcome->text, "edge");
  outcome->uncertified = trial->number % 10 == 0 ? 3 : 0;
  outcome->residual = 1e-9 * (double)(trial->number % 8);
  outcome->results[0] = coin_hit(trial->number, p);
  outcome->results[1] = coin_value(trial->number, p);
  return TS_OK;
}

static ts_study *create(const ts_study_def *def)
{
  ts_study *study;
  ts_error error = {0};
  if (ts_study_create(def, &study, &error) != TS_OK) fail_msg("%s", error.text);
  return study;
}

static ts_study *coin_study(uint64_t samples)
{
  static const ts_variation variations[] = {
      {.name = "g", .kind = TS_VARY_VALUES, .count = 3, .values = coin_g},
      {.name = "h", .unit = "m", .kind = TS_VARY_VALUES, .count = 2, .values = coin_h},
      {.name = "u", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0},
      {.name = "s", .kind = TS_VARY_EXPRESSION, .expression = "g + h + u"}};
  static const char *const results[] = {"hit", "value", "none"}, *const units[] = {"", "m", ""};
  return create(&(ts_study_def){.name = "coin",
                                .variations = variations,
                                .variation_count = COIN_PARAMETERS,
                                .samples = samples,
                                .seed = 5,
                                .results = results,
                                .units = units,
                                .result_count = 3,
                                .most_attempts = 1,
                                .function = {.run = toss}});
}

// A table of what `limit` trials give (0: of all), under that name.
static ts_table *make_table(const ts_study *study, const char *output, uint64_t limit)
{
  ts_sweep_options options = ts_sweep_options_default();
  ts_error error = {0};
  ts_table *table;
  options.trial_limit = limit;
  if (ts_study_sweep(study, output, &options, NULL, &error) != TS_OK || ts_study_pack(study, output, &error) != TS_OK ||
      ts_table_open(output, &table, &error) != TS_OK)
    fail_msg("%s", error.text);
  return table;
}

static ts_summary *summarize(const ts_table *table)
{
  ts_summary *summary;
  ts_error error = {0};
  if (ts_summary_create(table, NULL, &summary, &error) != TS_OK) fail_msg("%s", error.text);
  return summary;
}

static int column_of(const ts_table *table, const char *name)
{
  const int column = ts_table_find_column(table, name);
  assert_true(column >= 0);
  return column;
}

static void assert_near(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%.17g is not %.17g within %g", found, expected, tolerance);
}

// ---- by loops over the trials --------------------------------------------------------------------------------------

// Numbers of the trials, gathered by the plain sums of the definitions.
typedef struct sums {
  int n, missing;
  double values[4096];
} sums;

static void add(sums *s, double value)
{
  if (isnan(value))
    ++s->missing;
  else
    s->values[s->n++] = value;
}

static double mean_of(const sums *s)
{
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) sum += s->values[i];
  return sum / s->n;
}

static double deviation_of(const sums *s)
{
  const double mean = mean_of(s);
  double squares = 0.0;
  for (int i = 0; i < s->n; ++i) squares += (s->values[i] - mean) * (s->values[i] - mean);
  return sqrt(squares / (s->n - 1));
}

// Wilson (1927): (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2))/(1 + z^2/n), z of 95 %.
static void wilson(double share, double n, double *low, double *high)
{
  const double z = 1.959963984540054, z2 = z * z;
  const double middle = share + z2 / (2.0 * n), half = z * sqrt(share * (1.0 - share) / n + z2 / (4.0 * n * n));
  *low = (middle - half) / (1.0 + z2 / n);
  *high = (middle + half) / (1.0 + z2 / n);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void outcomes_are_counted_by_their_texts(void **state)
{
  ts_study *study = coin_study(30);
  ts_table *table = make_table(study, scratch_path(*state, "coin.h5"), 0);
  ts_summary *summary = summarize(table);
  int finished = 0, edge = 0, in_a = 0, in_b = 0, uncertified = 0;
  for (uint64_t trial = 0; trial < 180; ++trial) {
    double p[COIN_PARAMETERS];
    assert_int_equal(ts_study_parameters(study, trial, p, NULL), TS_OK);
    if (coin_fails(trial))
      ++*(p[1] > 0.0 ? &in_a : &in_b);
    else
      ++*(p[2] > 0.9 ? &edge : &finished), uncertified += trial % 10 == 0;
  }
  ts_summary_outcomes outcomes;
  assert_int_equal(ts_summary_outcomes_of(summary, &outcomes, NULL), TS_OK);
  assert_int_equal(outcomes.rows, 180);
  assert_int_equal(outcomes.ends[TS_TRIAL_FINISHED], finished);
  assert_int_equal(outcomes.ends[TS_TRIAL_STOPPED], edge);
  assert_int_equal(outcomes.ends[TS_TRIAL_LIMITED], 0);
  assert_int_equal(outcomes.ends[TS_TRIAL_FAILED], in_a + in_b);
  assert_int_equal(outcomes.uncertified, uncertified);
  assert_near(outcomes.worst_residual, 7e-9, 1e-20);
  assert_int_equal(outcomes.count, 4);
  assert_true(outcomes.list[0].end == TS_TRIAL_FINISHED && outcomes.list[0].rows == finished);
  for (int i = 1; i < 4; ++i) {
    const ts_summary_outcome *o = &outcomes.list[i];
    assert_true(o->rows <= o[-1].rows);
    assert_int_equal(o->rows, strcmp(o->text, "edge") == 0                    ? edge
                              : strcmp(o->text, "the coin is lost in a") == 0 ? in_a
                              : strcmp(o->text, "the coin is lost in b") == 0 ? in_b
                                                                              : -1);
  }
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static ts_status take_steps(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->uncertified = trial->number == 1 ? 4 : 0;
  outcome->residual = 1e-9;
  outcome->results[0] = outcome->results[1] = 5.0;
  return TS_OK;
}

// A trial with steps that are not certified, and the worst residual.
static void outcomes_of_steps_are_told(void **state)
{
  static const double values[] = {1.0, 2.0, 3.0};
  static const ts_variation variation = {.name = "a", .kind = TS_VARY_VALUES, .count = 3, .values = values};
  static const char *const results[] = {"x", "y"};
  ts_study *study = create(&(ts_study_def){.variations = &variation,
                                           .variation_count = 1,
                                           .samples = 1,
                                           .results = results,
                                           .result_count = 2,
                                           .most_attempts = 1,
                                           .function = {.run = take_steps}});
  ts_table *table = make_table(study, scratch_path(*state, "steps.h5"), 0);
  ts_summary *summary = summarize(table);
  ts_summary_outcomes outcomes;
  assert_int_equal(ts_summary_outcomes_of(summary, &outcomes, NULL), TS_OK);
  assert_int_equal(outcomes.uncertified, 1);
  assert_true(outcomes.worst_residual == 1e-9);
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static void columns_have_means_and_shares_with_intervals(void **state)
{
  ts_study *study = coin_study(30);
  ts_table *table = make_table(study, scratch_path(*state, "coin.h5"), 0);
  ts_summary *summary = summarize(table);
  static sums hits, values;
  hits.n = hits.missing = values.n = values.missing = 0;
  for (uint64_t trial = 0; trial < 180; ++trial) {
    double p[COIN_PARAMETERS];
    assert_int_equal(ts_study_parameters(study, trial, p, NULL), TS_OK);
    add(&hits, coin_hit(trial, p));
    add(&values, coin_value(trial, p));
  }
  ts_summary_column told;
  double low, high;
  assert_int_equal(ts_summary_column_of(summary, column_of(table, "hit"), &told, NULL), TS_OK);
  wilson(mean_of(&hits), hits.n, &low, &high);
  assert_true(told.is_share && told.count == hits.n && told.missing == hits.missing);
  assert_near(told.mean.value, mean_of(&hits), 1e-14);
  assert_near(told.mean.low, low, 1e-12);
  assert_near(told.mean.high, high, 1e-12);

  assert_int_equal(ts_summary_column_of(summary, column_of(table, "value"), &told, NULL), TS_OK);
  assert_true(!told.is_share && told.count == values.n && told.missing == values.missing && values.n == 123);
  const double deviation = deviation_of(&values), half = 1.979599878 * deviation / sqrt(123.0); // t of 122 degrees
  assert_near(told.mean.value, mean_of(&values), 1e-12);
  assert_near(told.deviation, deviation, 1e-12);
  assert_near(told.mean.low, mean_of(&values) - half, 1e-6 * half);
  assert_near(told.mean.high, mean_of(&values) + half, 1e-6 * half);
  qsort(values.values, (size_t)values.n, sizeof(double), by_size);
  assert_true(told.low == values.values[0] && told.high == values.values[122]);
  assert_near(told.quantiles[2], values.values[61], 0.0);
  assert_near(told.quantiles[1], 0.5 * (values.values[30] + values.values[31]), 1e-14); // 0.25 122 = 30.5
  assert_near(told.quantiles[0], 0.9 * values.values[6] + 0.1 * values.values[7], 1e-13);

  assert_int_equal(ts_summary_column_of(summary, column_of(table, "none"), &told, NULL), TS_OK);
  assert_true(told.count == 0 && told.missing == 180 && !told.is_share && isnan(told.mean.value) && isnan(told.low));
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static void groups_of_a_grid_are_its_points(void **state)
{
  ts_study *study = coin_study(30);
  ts_table *table = make_table(study, scratch_path(*state, "coin.h5"), 0);
  ts_summary *summary = summarize(table);
  static sums hits[CELLS], values[CELLS];
  memset(hits, 0, sizeof hits);
  memset(values, 0, sizeof values);
  for (uint64_t trial = 0; trial < 180; ++trial) {
    double p[COIN_PARAMETERS];
    assert_int_equal(ts_study_parameters(study, trial, p, NULL), TS_OK);
    const int cell = (p[0] > 0.5 ? 2 : p[0] > 0.2 ? 1 : 0) * 2 + (p[1] > 0.0);
    add(&hits[cell], coin_hit(trial, p));
    add(&values[cell], coin_value(trial, p));
  }
  ts_summary_grouping grouping = {
      .result = column_of(table, "hit"), .columns = {column_of(table, "g"), column_of(table, "h")}, .column_count = 2};
  ts_summary_groups groups;
  assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
  assert_true(groups.is_share && groups.count == CELLS && groups.axis_count == 2 && groups.left_out == 0);
  assert_true(groups.axes[0].count == 3 && groups.axes[1].count == 2 && !groups.axes[0].is_binned);
  for (int i = 0; i < 3; ++i) assert_true(groups.axes[0].values[i] == coin_g[i]);
  assert_near(groups.axes[0].edges[0], -0.2, 1e-15);
  assert_near(groups.axes[0].edges[2], 0.65, 1e-15);
  assert_near(groups.axes[0].edges[3], 1.15, 1e-15);
  for (int i = 0; i < CELLS; ++i) {
    double low, high;
    const ts_summary_group *group = &groups.list[i];
    wilson(mean_of(&hits[i]), hits[i].n, &low, &high);
    assert_true(group->count == hits[i].n && group->missing == hits[i].missing);
    assert_near(group->mean.value, mean_of(&hits[i]), 1e-14);
    assert_near(group->mean.low, low, 1e-12);
    assert_near(group->mean.high, high, 1e-12);
    assert_near(group->error, (high - low) / (2.0 * 1.959963984540054), 1e-12);
  }
  // Nobody hits with g = 0, and that is not sure: of 26 trials Wilson's interval ends at 0.129.
  assert_true(groups.list[0].mean.value == 0.0 && groups.list[0].mean.low == 0.0 && groups.list[0].error > 0.02);

  grouping.result = column_of(table, "value");
  assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
  for (int i = 0; i < CELLS; ++i) {
    assert_true(groups.list[i].count == values[i].n);
    assert_near(groups.list[i].mean.value, mean_of(&values[i]), 1e-12);
    assert_near(groups.list[i].error, deviation_of(&values[i]) / sqrt(values[i].n), 1e-12);
  }
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

// A column that is drawn goes into bins, which together have all rows.
static void groups_of_what_is_drawn_are_bins(void **state)
{
  ts_study *study = coin_study(100);
  ts_table *table = make_table(study, scratch_path(*state, "coin.h5"), 0);
  ts_summary *summary = summarize(table);
  const int u = column_of(table, "u"), rows = ts_table_row_count(table);
  const double *numbers = ts_table_column_values(table, u),
               *hit = ts_table_column_values(table, column_of(table, "hit"));
  const ts_summary_grouping grouping = {
      .result = column_of(table, "hit"), .columns = {u}, .column_count = 1, .bins = {7}};
  ts_summary_groups groups;
  assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
  assert_true(groups.count == 7 && groups.axes[0].is_binned && !groups.axes[0].is_logarithmic);
  int all = 0;
  for (int i = 0; i < 7; ++i) {
    double sum = 0.0;
    int count = 0;
    for (int row = 0; row < rows; ++row) {
      const bool inside =
          numbers[row] >= groups.axes[0].edges[i] &&
          (numbers[row] < groups.axes[0].edges[i + 1] || (i == 6 && numbers[row] <= groups.axes[0].edges[7]));
      if (!inside || isnan(hit[row])) continue;
      sum += hit[row];
      ++count;
    }
    assert_int_equal(groups.list[i].count, count);
    assert_near(groups.list[i].mean.value, sum / count, 1e-14);
    all += groups.list[i].count + groups.list[i].missing;
  }
  assert_int_equal(all, rows);
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static ts_status first_parameter(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                                 ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = trial->parameters[0];
  return TS_OK;
}

// Where no number of bins is asked for: some ten rows each, and 3 at least, of two columns the root of it.
static void few_rows_make_three_bins(void **state)
{
  static const struct {
    uint64_t samples;
    int columns, bins;
  } cases[] = {{20, 1, 3}, {40, 1, 4}, {900, 1, 20}, {80, 2, 3}, {250, 2, 5}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    static const ts_variation variations[] = {{.name = "u", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0},
                                              {.name = "v", .kind = TS_VARY_UNIFORM, .low = 1.0, .high = 2.0}};
    static const char *const results[] = {"y"};
    ts_study *study = create(&(ts_study_def){.variations = variations,
                                             .variation_count = 2,
                                             .samples = cases[k].samples,
                                             .results = results,
                                             .result_count = 1,
                                             .most_attempts = 1,
                                             .function = {.run = first_parameter}});
    char name[32];
    snprintf(name, sizeof name, "few%zu.h5", k);
    ts_table *table = make_table(study, scratch_path(*state, name), 0);
    ts_summary *summary = summarize(table);
    const ts_summary_grouping grouping = {.result = column_of(table, "y"),
                                          .columns = {column_of(table, "u"), column_of(table, "v")},
                                          .column_count = cases[k].columns};
    ts_summary_groups groups;
    assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
    for (int i = 0; i < cases[k].columns; ++i) assert_int_equal(groups.axes[i].count, cases[k].bins);
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// ---- sensitivities -------------------------------------------------------------------------------------------------

static ts_status ishigami(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = ishigami_value(trial->parameters);
  return TS_OK;
}

// The same where samples 3, 13, 23, ... lack a trial each.
static ts_status ishigami_with_gaps(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                                    ts_error *error)
{
  const uint64_t sample = trial->number / 5, part = trial->number % 5;
  if (sample % 10 == 3 && part == sample / 10 % 5) return TS_OK; // no result
  return ishigami(user, worker, trial, outcome, error);
}

static ts_study *ishigami_study(ts_sampling sampling, uint64_t samples,
                                ts_status (*run)(void *, void *, const ts_trial *, ts_trial_outcome *, ts_error *))
{
  static const ts_variation variations[] = {{.name = "x1", .kind = TS_VARY_UNIFORM, .low = -TS_PI, .high = TS_PI},
                                            {.name = "x2", .kind = TS_VARY_UNIFORM, .low = -TS_PI, .high = TS_PI},
                                            {.name = "x3", .kind = TS_VARY_UNIFORM, .low = -TS_PI, .high = TS_PI}};
  static const char *const results[] = {"y"};
  return create(&(ts_study_def){.name = "Ishigami",
                                .variations = variations,
                                .variation_count = 3,
                                .sampling = sampling,
                                .samples = samples,
                                .seed = 11,
                                .results = results,
                                .result_count = 1,
                                .most_attempts = 1,
                                .function = {.run = run}});
}

static void assert_holds(ts_summary_number number, double truth)
{
  assert_near(number.value, truth, 0.03);
  if (!(number.low <= truth && truth <= number.high && number.low < number.high))
    fail_msg("[%g, %g] does not hold %g", number.low, number.high, truth);
}

static void saltelli_tables_tell_first_and_total(void **state)
{
  const sensitivity_model model = ishigami_model();
  for (int gaps = 0; gaps < 2; ++gaps) {
    ts_study *study = ishigami_study(TS_SAMPLING_SALTELLI, 2048, gaps ? ishigami_with_gaps : ishigami);
    ts_table *table = make_table(study, scratch_path(*state, gaps ? "gaps.h5" : "whole.h5"), 0);
    ts_summary *summary = summarize(table);
    ts_summary_sensitivities found;
    assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
    assert_true(found.is_designed && found.count == 3);
    assert_int_equal(found.missing, gaps ? 205 * 5 : 0); // samples 3, 13, ..., 2043
    assert_int_equal(found.used, 2048 * 5 - found.missing);
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(found.list[i].column, 1 + i);
      assert_holds(found.list[i].first, model.first[i]);
      assert_holds(found.list[i].total, model.total[i]);
    }
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// Of 16 rows of a sequence that fills space evenly: 4 classes of 4 rows in the order of x, and with the variance within
// them less or not less what chance makes of it, S = 1 - (W/(n - c))/(T/(n - 1)) and half of (c - 1)/(n - 1) (1 - S)
// more.
static void even_rows_are_four_classes(void **state)
{
  enum { ROWS = 16, CLASSES = 4 };
  ts_study *study = ishigami_study(TS_SAMPLING_SOBOL, ROWS, ishigami);
  ts_table *table = make_table(study, scratch_path(*state, "sixteen.h5"), 0);
  ts_summary *summary = summarize(table);
  ts_summary_sensitivities found;
  assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
  assert_int_equal(found.count, 3);
  const double *y = ts_table_column_values(table, column_of(table, "y"));
  for (int i = 0; i < 3; ++i) {
    const double *x = ts_table_column_values(table, found.list[i].column);
    double of_class[CLASSES] = {0.0}, sum = 0.0, within = 0.0, all = 0.0;
    int class[ROWS] = {0};
    for (int k = 0; k < ROWS; ++k) {
      for (int j = 0; j < ROWS; ++j) class[k] += x[j] < x[k];
      class[k] /= ROWS / CLASSES;
      of_class[class[k]] += y[k];
      sum += y[k];
    }
    for (int k = 0; k < ROWS; ++k) {
      within += pow(y[k] - of_class[class[k]] / (ROWS / CLASSES), 2.0);
      all += pow(y[k] - sum / ROWS, 2.0);
    }
    const double share = 1.0 - within / (ROWS - CLASSES) / (all / (ROWS - 1.0));
    assert_near(found.list[i].first.value, share + 0.5 * (CLASSES - 1.0) / (ROWS - 1.0) * (1.0 - share), 1e-12);
  }
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static void other_tables_tell_first_order_alone(void **state)
{
  static const ts_sampling samplings[] = {TS_SAMPLING_RANDOM, TS_SAMPLING_SOBOL};
  const sensitivity_model model = ishigami_model();
  for (int k = 0; k < 2; ++k) {
    ts_study *study = ishigami_study(samplings[k], 8192, ishigami);
    ts_table *table = make_table(study, scratch_path(*state, k ? "sobol.h5" : "random.h5"), 0);
    ts_summary *summary = summarize(table);
    ts_summary_sensitivities found;
    assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
    assert_true(!found.is_designed && found.count == 3 && found.used == 8192 && found.missing == 0);
    for (int i = 0; i < 3; ++i) {
      assert_holds(found.list[i].first, model.first[i]);
      assert_true(isnan(found.list[i].total.value));
    }
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// y = c + x c on c in {-1, 1}, x uniform on [-1, 1]: Var = 1 + 1/3; c alone has 1, c and x together 1/3, x alone
// nothing.
static ts_status product(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = trial->parameters[0] * (1.0 + trial->parameters[1]);
  return TS_OK;
}

static void a_grid_counts_as_a_parameter(void **state)
{
  static const double values[] = {-1.0, 1.0};
  static const ts_variation variations[] = {{.name = "c", .kind = TS_VARY_VALUES, .count = 2, .values = values},
                                            {.name = "x", .kind = TS_VARY_UNIFORM, .low = -1.0, .high = 1.0}};
  static const char *const results[] = {"y"};
  for (int k = 0; k < 2; ++k) {
    ts_study *study = create(&(ts_study_def){.variations = variations,
                                             .variation_count = 2,
                                             .sampling = k ? TS_SAMPLING_SALTELLI : TS_SAMPLING_RANDOM,
                                             .samples = 2000,
                                             .seed = 3,
                                             .results = results,
                                             .result_count = 1,
                                             .most_attempts = 1,
                                             .function = {.run = product}});
    ts_table *table = make_table(study, scratch_path(*state, k ? "saltelli.h5" : "random.h5"), 0);
    ts_summary *summary = summarize(table);
    ts_summary_sensitivities found;
    assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
    assert_int_equal(found.count, 2);
    assert_holds(found.list[0].first, 0.75);
    assert_holds(found.list[1].first, 0.0);
    assert_true(isnan(found.list[0].total.value));
    if (k)
      assert_holds(found.list[1].total, 0.25);
    else
      assert_true(isnan(found.list[1].total.value));
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

static ts_status add_up(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = trial->parameters[0] + trial->parameters[1];
  return TS_OK;
}

static ts_study *sum_study(const ts_variation *variations, int count)
{
  static const char *const results[] = {"y"};
  return create(&(ts_study_def){.variations = variations,
                                .variation_count = count,
                                .samples = 1,
                                .results = results,
                                .result_count = 1,
                                .most_attempts = 1,
                                .function = {.run = add_up}});
}

// y = a + b: each has one half of the variance of every full grid of n x n points, whatever the sampling is called.
static void full_grids_have_exact_sensitivities(void **state)
{
  static const int sizes[] = {2, 3, 5, 10};
  for (int k = 0; k < 4; ++k) {
    double values[10];
    char name[16];
    const int n = sizes[k];
    for (int i = 0; i < n; ++i) values[i] = 0.1 * i;
    const ts_variation variations[] = {{.name = "a", .kind = TS_VARY_VALUES, .count = n, .values = values},
                                       {.name = "b", .kind = TS_VARY_VALUES, .count = n, .values = values}};
    snprintf(name, sizeof name, "%d.h5", n);
    ts_study *study = sum_study(variations, 2);
    ts_table *table = make_table(study, scratch_path(*state, name), 0);
    ts_summary *summary = summarize(table);
    ts_summary_sensitivities found;
    assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
    assert_true(found.count == 2 && found.used == n * n);
    for (int i = 0; i < 2; ++i) {
      const ts_summary_number *first = &found.list[i].first;
      assert_near(first->value, 0.5, 1e-12);
      assert_true(first->low == first->value && first->high == first->value);
    }
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// Points in a list have columns that share an axis: one that numbers them is no parameter, and the others have the
// indices that random points have, not 1 because each of their values comes once.
static void what_numbers_the_rows_is_no_parameter(void **state)
{
  enum { POINTS = 400 };
  static double a[POINTS], b[POINTS], numbers[POINTS], designs[POINTS];
  ts_random random;
  ts_random_init(&random, 8);
  for (int i = 0; i < POINTS; ++i) {
    a[i] = ts_random_uniform(&random, 0.0, 1.0);
    b[i] = ts_random_uniform(&random, 0.0, 1.0);
    numbers[i] = i + 1.0;
    designs[i] = 3.0 * i + i % 2;
  }
  for (int k = 0; k < 2; ++k) {
    const ts_variation variations[] = {{.name = "a", .axis = 1, .kind = TS_VARY_VALUES, .count = POINTS, .values = a},
                                       {.name = "b", .axis = 1, .kind = TS_VARY_VALUES, .count = POINTS, .values = b},
                                       {.name = k ? "design" : "i",
                                        .axis = 1,
                                        .kind = TS_VARY_VALUES,
                                        .count = POINTS,
                                        .values = k ? designs : numbers}};
    ts_study *study = sum_study(variations, 3);
    ts_table *table = make_table(study, scratch_path(*state, k ? "designs.h5" : "numbers.h5"), 0);
    ts_summary *summary = summarize(table);
    ts_summary_sensitivities found;
    assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
    assert_int_equal(found.count, 2);
    for (int i = 0; i < 2; ++i) {
      assert_string_equal(ts_table_column_name(table, found.list[i].column), i ? "b" : "a");
      assert_near(found.list[i].first.value, 0.5, 0.1);
    }
    ts_summary_destroy(summary);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// A line of so many points that not all of them are drawn from: the interval is there, holds the truth, and is narrow.
static void many_rows_have_intervals(void **state)
{
  enum { ROWS = 60000 };
  static const ts_variation variations[] = {{.name = "a", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0},
                                            {.name = "b", .kind = TS_VARY_UNIFORM, .low = 0.0, .high = 1.0}};
  static const char *const results[] = {"y"};
  ts_study *study = create(&(ts_study_def){.variations = variations,
                                           .variation_count = 2,
                                           .samples = ROWS,
                                           .seed = 2,
                                           .results = results,
                                           .result_count = 1,
                                           .most_attempts = 1,
                                           .function = {.run = add_up}});
  ts_table *table = make_table(study, scratch_path(*state, "many.h5"), 0);
  ts_summary *summary = summarize(table);
  ts_summary_sensitivities found;
  assert_int_equal(ts_summary_sensitivities_of(summary, column_of(table, "y"), &found, NULL), TS_OK);
  for (int i = 0; i < 2; ++i) {
    assert_holds(found.list[i].first, 0.5);
    assert_true(found.list[i].first.high - found.list[i].first.low < 0.03);
  }
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static void trends_follow_lines_and_curves(void **state)
{
  ts_study *study = ishigami_study(TS_SAMPLING_SOBOL, 1024, ishigami);
  ts_table *table = make_table(study, scratch_path(*state, "y.h5"), 0);
  ts_summary *summary = summarize(table);
  const int x = column_of(table, "x1"), y = column_of(table, "y");
  ts_summary_trend trend;
  assert_int_equal(ts_summary_trend_of(summary, &(ts_summary_trend_axes){.x = x, .y = x}, &trend, NULL), TS_OK);
  assert_near(trend.slope, 1.0, 1e-12);
  assert_near(trend.correlation, 1.0, 1e-12);
  assert_near(trend.rank_correlation, 1.0, 1e-12);
  assert_int_equal(ts_summary_trend_of(summary, &(ts_summary_trend_axes){.x = x, .y = y}, &trend, NULL), TS_OK);
  assert_true(trend.count == 1024 && trend.missing == 0 && trend.smooth_count == 1024);
  // Slope of y over x_1: Cov/Var = (1 + 0.1 pi^4/5) E(x sin x)/(pi^2/3), E(x sin x) = 1.
  assert_near(trend.slope, (1.0 + 0.1 * pow(TS_PI, 4.0) / 5.0) * 3.0 / (TS_PI * TS_PI), 0.05);
  // The mean of y at x_1 is 3.5 + (1 + 0.1 pi^4/5) sin x_1. Half of the points at once make its hills lower, but a line
  // would say 3.5 + 1.4 at 3 pi/4, and less at the end than in the middle of the hill.
  const int hill = 75;
  assert_near(trend.x[hill], TS_PI / 2.0, 0.01);
  assert_true(trend.smooth[hill] > 4.5 && trend.smooth[hill] > trend.smooth[100] && trend.smooth[25] < trend.smooth[0]);
  ts_summary_histogram histogram;
  assert_int_equal(ts_summary_histogram_of(summary, x, 8, &histogram, NULL), TS_OK);
  int sum = 0;
  for (int i = 0; i < histogram.bins; ++i) sum += histogram.counts[i];
  assert_true(histogram.bins == 8 && sum == 1024);
  for (int i = 0; i < 8; ++i) assert_true(abs(histogram.counts[i] - 128) <= 2); // as evenly as Sobol' points are
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static ts_status decades(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = log10(trial->parameters[0]);
  return TS_OK;
}

static void numbers_over_decades_are_binned_by_their_logarithm(void **state)
{
  static const ts_variation variations[] = {{.name = "x", .kind = TS_VARY_LOG_UNIFORM, .low = 1e-3, .high = 1e3}};
  static const char *const results[] = {"y"};
  ts_study *study = create(&(ts_study_def){.variations = variations,
                                           .variation_count = 1,
                                           .sampling = TS_SAMPLING_SOBOL,
                                           .samples = 600,
                                           .results = results,
                                           .result_count = 1,
                                           .most_attempts = 1,
                                           .function = {.run = decades}});
  ts_table *table = make_table(study, scratch_path(*state, "x.h5"), 0);
  ts_summary *summary = summarize(table);
  const ts_summary_grouping grouping = {
      .result = column_of(table, "y"), .columns = {column_of(table, "x")}, .column_count = 1, .bins = {6}};
  ts_summary_groups groups;
  assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
  assert_true(groups.count == 6 && groups.axes[0].is_logarithmic);
  for (int i = 0; i < 6; ++i) {
    assert_true(abs(groups.list[i].count - 100) <= 5);
    assert_near(log10(groups.axes[0].values[i]), i - 2.5, 0.03);
    assert_near(groups.list[i].mean.value, i - 2.5, 0.05);
  }
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

static ts_status power(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)error;
  outcome->results[0] = 5.0 * pow(trial->parameters[0], -1.5);
  outcome->results[1] = trial->number < 4 ? 0.0 : 2.0 + 3.0 * log10(trial->parameters[0]);
  return TS_OK;
}

// y = 5 x^-1.5 and z = 2 + 3 log10 x are lines, each where it is one, up to their ends. What has no logarithm is
// missing.
static void powers_are_lines_of_logarithms(void **state)
{
  static const ts_variation variations[] = {{.name = "x", .kind = TS_VARY_LOG_UNIFORM, .low = 1.0, .high = 1e4}};
  static const char *const results[] = {"y", "z"};
  ts_study *study = create(&(ts_study_def){.variations = variations,
                                           .variation_count = 1,
                                           .samples = 100,
                                           .results = results,
                                           .result_count = 2,
                                           .most_attempts = 1,
                                           .function = {.run = power}});
  ts_table *table = make_table(study, scratch_path(*state, "power.h5"), 0);
  ts_summary *summary = summarize(table);
  const int x = column_of(table, "x"), y = column_of(table, "y"), z = column_of(table, "z");
  ts_summary_trend trend;
  assert_int_equal(ts_summary_trend_of(summary, &(ts_summary_trend_axes){x, y, true, true}, &trend, NULL), TS_OK);
  assert_near(trend.slope, -1.5, 1e-9);
  assert_near(trend.intercept, log10(5.0), 1e-9);
  assert_near(trend.correlation, -1.0, 1e-12);
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k) {
    const double truth = 5.0 * pow(trend.x[k], -1.5);
    assert_near(trend.line[k].value / truth, 1.0, 1e-9);
    assert_near(trend.smooth[k] / truth, 1.0, 1e-6);
  }
  assert_int_equal(ts_summary_trend_of(summary, &(ts_summary_trend_axes){x, z, true, true}, &trend, NULL), TS_OK);
  assert_true(trend.count == 96 && trend.missing == 4);
  assert_int_equal(ts_summary_trend_of(summary, &(ts_summary_trend_axes){x, y, false, false}, &trend, NULL), TS_OK);
  assert_true(fabs(trend.correlation) < 0.7);
  ts_summary_destroy(summary);
  ts_table_close(table);
  ts_study_destroy(study);
}

// ---- little, and nothing -------------------------------------------------------------------------------------------

// All that can be asked, of a table with so many rows.
static void ask_everything(const ts_table *table)
{
  ts_summary *summary = summarize(table);
  ts_summary_outcomes outcomes;
  assert_int_equal(ts_summary_outcomes_of(summary, &outcomes, NULL), TS_OK);
  assert_int_equal(outcomes.rows, ts_table_row_count(table));
  for (int i = 0; i < ts_table_column_count(table); ++i) {
    ts_summary_column told;
    ts_summary_histogram histogram;
    ts_summary_sensitivities sensitivities;
    ts_summary_trend trend;
    assert_int_equal(ts_summary_column_of(summary, i, &told, NULL), TS_OK);
    assert_int_equal(told.count + told.missing, ts_table_row_count(table));
    assert_int_equal(ts_summary_histogram_of(summary, i, 10, &histogram, NULL), TS_OK);
    assert_true(histogram.count == told.count && (histogram.bins > 0) == (told.count > 0));
    assert_int_equal(ts_summary_sensitivities_of(summary, i, &sensitivities, NULL), TS_OK);
    for (int k = 0; k < ts_table_column_count(table); ++k) {
      const ts_summary_grouping grouping = {.result = i, .columns = {k, i}, .column_count = 1 + k % 2};
      ts_summary_groups groups;
      assert_int_equal(ts_summary_group_rows(summary, &grouping, &groups, NULL), TS_OK);
      int all = groups.left_out;
      for (int g = 0; g < groups.count; ++g) all += groups.list[g].count + groups.list[g].missing;
      assert_int_equal(all, ts_table_row_count(table));
      const ts_summary_trend_axes axes = {k, i, true, k % 2 == 0};
      assert_int_equal(ts_summary_trend_of(summary, &axes, &trend, NULL), TS_OK);
    }
  }
  ts_summary_destroy(summary);
}

static void tables_of_few_rows_and_none_can_be_asked(void **state)
{
  static const char heading[] = "trial,a,outcome,steps,uncertified,residual,attempt\n";
  ts_study *study = coin_study(3);
  ts_table *table;
  for (uint64_t rows = 1; rows <= 4; ++rows) {
    char name[16];
    snprintf(name, sizeof name, "%d.h5", (int)rows);
    table = make_table(study, scratch_path(*state, name), rows);
    assert_int_equal(ts_table_row_count(table), (int)rows);
    ask_everything(table);
    ts_table_close(table);
  }
  scratch_write(scratch_path(*state, "none.csv"), heading, sizeof heading - 1);
  assert_int_equal(ts_table_open(scratch_path(*state, "none.csv"), &table, NULL), TS_OK);
  assert_int_equal(ts_table_row_count(table), 0);
  ask_everything(table);
  ts_table_close(table);
  ts_study_destroy(study);
}

static void infinite_results_count_as_missing(void **state)
{
  static const char text[] = "trial,a,outcome,steps,uncertified,residual,attempt\n"
                             "0,inf,finished,1,0,0,0\n1,2,finished,1,0,0,0\n2,-inf,finished,1,0,0,0\n"
                             "3,4,finished,1,0,0,0\n4,nan,failed: why,1,0,0,0\n";
  ts_table *table;
  scratch_write(scratch_path(*state, "x.csv"), text, sizeof text - 1);
  assert_int_equal(ts_table_open(scratch_path(*state, "x.csv"), &table, NULL), TS_OK);
  ask_everything(table);
  ts_summary *summary = summarize(table);
  ts_summary_column told;
  assert_int_equal(ts_summary_column_of(summary, 1, &told, NULL), TS_OK);
  assert_true(told.count == 2 && told.missing == 3 && told.mean.value == 3.0);
  ts_summary_destroy(summary);
  ts_table_close(table);
}

static void mistakes_are_refused(void **state)
{
  (void)state;
  static const char text[] = "trial,a,outcome,steps,uncertified,residual,attempt\n0,1,finished,1,0,0,0\n";
  ts_table *table;
  scratch_write(scratch_path(*state, "x.csv"), text, sizeof text - 1);
  assert_int_equal(ts_table_open(scratch_path(*state, "x.csv"), &table, NULL), TS_OK);
  ts_summary_options options = ts_summary_options_default();
  ts_summary *summary;
  ts_error error;
  options.level = 1.0;
  assert_int_equal(ts_summary_create(table, &options, &summary, &error), TS_INVALID);
  assert_null(summary);
  options = (ts_summary_options){.level = 0.5};
  assert_int_equal(ts_summary_create(table, &options, &summary, &error), TS_INVALID);
  summary = summarize(table);
  ts_summary_column told;
  ts_summary_groups groups;
  assert_int_equal(ts_summary_column_of(summary, 99, &told, &error), TS_INVALID);
  assert_int_equal(ts_summary_column_of(summary, -1, &told, &error), TS_INVALID);
  assert_int_equal(ts_summary_group_rows(summary, &(ts_summary_grouping){.column_count = 3}, &groups, &error),
                   TS_INVALID);
  ts_summary_destroy(summary);
  ts_table_close(table);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_true(text && fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

// What is written from an HDF5 table is what the study would have written itself.
static void tables_are_written_as_csv(void **state)
{
  ts_study *study = coin_study(30);
  ts_table *table = make_table(study, scratch_path(*state, "coin.h5"), 0);
  ts_error error = {0};
  assert_int_equal(ts_table_write_csv(table, scratch_path(*state, "written.csv"), &error), TS_OK);
  ts_table_close(make_table(study, scratch_path(*state, "packed.csv"), 0));
  char *written = read_text(scratch_path(*state, "written.csv")),
       *packed = read_text(scratch_path(*state, "packed.csv"));
  assert_string_equal(written, packed);
  free(written);
  free(packed);
  assert_int_equal(ts_table_write_csv(table, scratch_path(*state, "nowhere/x.csv"), &error), TS_IO);
  assert_non_null(strstr(error.text, "cannot be written"));
  ts_table_close(table);
  ts_study_destroy(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(outcomes_are_counted_by_their_texts),
                                     scratch_test(outcomes_of_steps_are_told),
                                     scratch_test(columns_have_means_and_shares_with_intervals),
                                     scratch_test(groups_of_a_grid_are_its_points),
                                     scratch_test(groups_of_what_is_drawn_are_bins),
                                     scratch_test(few_rows_make_three_bins),
                                     scratch_test(even_rows_are_four_classes),
                                     scratch_test(saltelli_tables_tell_first_and_total),
                                     scratch_test(other_tables_tell_first_order_alone),
                                     scratch_test(a_grid_counts_as_a_parameter),
                                     scratch_test(full_grids_have_exact_sensitivities),
                                     scratch_test(what_numbers_the_rows_is_no_parameter),
                                     scratch_test(many_rows_have_intervals),
                                     scratch_test(trends_follow_lines_and_curves),
                                     scratch_test(powers_are_lines_of_logarithms),
                                     scratch_test(numbers_over_decades_are_binned_by_their_logarithm),
                                     scratch_test(tables_of_few_rows_and_none_can_be_asked),
                                     scratch_test(infinite_results_count_as_missing),
                                     scratch_test(mistakes_are_refused),
                                     scratch_test(tables_are_written_as_csv)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
