// Which parameters a result depends on: Sobol' indices of what a table has.
//
// Points of the grid count as a parameter like others, of equally likely values, and all indices are shares of the
// variance over everything. Jansen's estimator of T_i, E (y_A - y_A_B^i)^2 / 2 Var y, holds with a grid as it stands:
// both trials are at the same point. That of S_i takes products of y_B and y_A_B^i, which share the point as well as
// x_i, so that it would count what x_i does together with the grid; S_i is taken from the trials of A and B by
// themselves then, which are a random sample.
#include "study/summary.h"

#include "base/require.h"
#include "statistics/given_data.h"
#include "statistics/quantile.h"
#include "statistics/sensitivity.h"
#include "study/verification.h"

#include <math.h>
#include <stdlib.h>

typedef struct sensitivity_request {
  int column;
  ts_summary_sensitivities *sensitivities;
} sensitivity_request;

static ts_summary_number number_of(ts_estimate estimate)
{
  return (ts_summary_number){estimate.value, estimate.interval.low, estimate.interval.high};
}

// ---- parameters ----------------------------------------------------------------------------------------------------

// Whether others go along with a parameter on its axis of the grid.
static bool shares_axis(const ts_table *table, int column)
{
  const int axis = ts_table_column_axis(table, column);
  for (int i = 0; axis >= 0 && i < ts_table_column_count(table); ++i)
    if (i != column && ts_table_column_axis(table, i) == axis) return true;
  return false;
}

// What counts the rows says nothing that the columns beside it do not say: it is one more than in the row before, or
// the number of a design, of which levels of a verification leave out some.
static bool numbers_rows(const ts_table *table, int column)
{
  const bool of_designs = strcmp(ts_table_column_name(table, column), TS_LEVEL_DESIGN) == 0;
  const double *values = ts_table_column_values(table, column), *trials = ts_table_column_values(table, 0);
  const int rows = ts_table_row_count(table);
  if (rows < 2 || !shares_axis(table, column)) return false;
  for (int row = 1; row < rows; ++row) {
    const double more = values[row] - values[row - 1];
    if (!(of_designs ? more >= 1.0 && more == rint(more) : more == trials[row] - trials[row - 1])) return false;
  }
  return true;
}

static int list_parameters(ts_summary *summary, ts_summary_sensitivity *list)
{
  static const ts_summary_number unknown = {NAN, NAN, NAN};
  int count = 0;
  for (int i = 0; i < ts_table_column_count(summary->table); ++i) {
    const ts_table_role role = ts_table_column_role(summary->table, i);
    if (role == TS_TABLE_ROLE_RANDOM || (role == TS_TABLE_ROLE_GRID && !numbers_rows(summary->table, i)))
      list[count++] = (ts_summary_sensitivity){i, unknown, unknown};
  }
  return count;
}

static bool is_random(const ts_summary *summary, const ts_summary_sensitivity *parameter)
{
  return ts_table_column_role(summary->table, parameter->column) == TS_TABLE_ROLE_RANDOM;
}

// ---- from rows as they are -----------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Replaces numbers by those of `classes` parts of them that have as many rows each; where no more values differ, they
// stay.
static void classify(ts_summary *summary, int rows, int classes, double *x)
{
  double *sorted = ts_arena_doubles(&summary->scratch, (size_t)rows);
  const size_t count = ts_drop_missing((size_t)rows, x, sorted);
  size_t distinct = 0;
  qsort(sorted, count, sizeof *sorted, by_size);
  for (size_t i = 0; i < count; ++i) distinct += i == 0 || sorted[i] != sorted[i - 1];
  if (distinct <= (size_t)classes) return;
  for (int row = 0; row < rows; ++row) {
    if (isnan(x[row])) continue;
    size_t low = 0, high = (size_t)classes; // the class begins at sorted[low count/classes] <= x
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      if (x[row] >= sorted[middle * count / (size_t)classes])
        low = middle;
      else
        high = middle;
    }
    x[row] = (double)low;
  }
}

// An axis of a full grid, beside others and nothing else. Columns that share an axis are a list of points: each is
// known by one of its numbers alone where they differ, whatever the result depends on.
static bool is_whole_axis(const ts_summary *summary, int column)
{
  const ts_table *table = summary->table;
  for (int i = 0; i < ts_table_column_count(table); ++i)
    if (ts_table_column_role(table, i) == TS_TABLE_ROLE_RANDOM) return false;
  return ts_table_column_role(table, column) == TS_TABLE_ROLE_GRID && !shares_axis(table, column);
}

static bool is_even(const ts_summary *summary)
{
  const ts_table_design *design = ts_table_design_of(summary->table);
  return design && design->sampling != TS_SAMPLING_RANDOM;
}

static ts_status use_axis(ts_summary *summary, int rows, const double *y, ts_summary_sensitivity *parameter,
                          ts_error *error)
{
  const double *x = ts_summary_numbers(summary, parameter->column);
  double share;
  TS_TRY(ts_grid_sensitivity((size_t)rows, x, y, &summary->scratch, &share, error));
  parameter->first = (ts_summary_number){share, share, share};
  return TS_OK;
}

// The estimate takes off what chance makes of the variance between c classes of n rows, (c - 1)/(n - 1) of what is
// within them. Sequences that fill space evenly leave less to chance, nobody knows how much: none of it in smooth
// results, all of it in rough ones. So classes are few then, and the interval holds both.
static ts_status use_rows(ts_summary *summary, int rows, const double *y, ts_summary_sensitivity *parameter,
                          ts_error *error)
{
  if (is_whole_axis(summary, parameter->column)) return use_axis(summary, rows, y, parameter, error);
  const ts_bootstrap bootstrap = ts_summary_bootstrap(summary, rows);
  ts_given_data_index index;
  double *x = ts_summary_numbers(summary, parameter->column);
  const bool even = is_even(summary);
  if (even) classify(summary, rows, (int)fmax(4.0, cbrt(rows)), x);
  TS_TRY(ts_given_data_sensitivity((size_t)rows, x, y, &bootstrap, &summary->scratch, &index, error));
  parameter->first = number_of(index.first);
  if (!even || index.count < 2) return TS_OK;
  const double chance = (index.classes - 1.0) / ((double)index.count - 1.0) * (1.0 - parameter->first.value);
  parameter->first.value += 0.5 * chance;
  parameter->first.high += chance;
  return TS_OK;
}

// ---- from trials made for it ---------------------------------------------------------------------------------------

// Results by their place in the design; NAN where a row is missing.
typedef struct design_rows {
  ts_design_results results;
  double *a, *b, *mixed;
} design_rows;

static design_rows arrange(ts_summary *summary, const ts_table_design *design, int parameters, const double *y)
{
  const uint64_t parts = (uint64_t)parameters + 2, samples = design->samples * design->cells;
  const size_t n = (size_t)samples, k = (size_t)parameters;
  design_rows rows = {.a = ts_arena_doubles(&summary->scratch, n),
                      .b = ts_arena_doubles(&summary->scratch, n),
                      .mixed = ts_arena_doubles(&summary->scratch, n * k)};
  for (size_t i = 0; i < n; ++i) rows.a[i] = rows.b[i] = NAN;
  for (size_t i = 0; i < n * k; ++i) rows.mixed[i] = NAN;
  const double *trials = ts_table_column_values(summary->table, 0);
  for (int row = 0; row < ts_table_row_count(summary->table); ++row) {
    const uint64_t trial = (uint64_t)trials[row], sample = trial / parts, part = trial % parts;
    if (sample >= samples) continue;
    double *to = part == 0 ? rows.a : part == 1 ? rows.b : rows.mixed + (size_t)(part - 2) * n;
    to[sample] = y[row];
  }
  rows.results = (ts_design_results){n, parameters, rows.a, rows.b, rows.mixed};
  return rows;
}

// y of the trials of A and B, NAN of the others.
static double *keep_independent(ts_summary *summary, int parameters, const double *y)
{
  const int rows = ts_table_row_count(summary->table);
  const double *trials = ts_table_column_values(summary->table, 0);
  double *kept = ts_arena_doubles(&summary->scratch, (size_t)rows);
  for (int row = 0; row < rows; ++row) kept[row] = fmod(trials[row], parameters + 2.0) < 2.0 ? y[row] : NAN;
  return kept;
}

static ts_status use_design(ts_summary *summary, const ts_table_design *design, const double *y,
                            ts_summary_sensitivities *found, ts_summary_sensitivity *list, ts_error *error)
{
  int k = 0;
  for (int i = 0; i < found->count; ++i) k += is_random(summary, &list[i]);
  const int rows = ts_table_row_count(summary->table);
  ts_bootstrap bootstrap = ts_summary_bootstrap(summary, rows);
  bootstrap.most_rows /= (size_t)k + 2; // of the table; it is samples that are drawn
  const design_rows arranged = arrange(summary, design, k, y);
  ts_estimate *first = ts_arena_bytes(&summary->scratch, (size_t)k, sizeof *first),
              *total = ts_arena_bytes(&summary->scratch, (size_t)k, sizeof *total);
  size_t used;
  TS_TRY(ts_design_sensitivity(&arranged.results, &bootstrap, &summary->scratch, first, total, &used, error));
  const double *independent = design->cells > 1 ? keep_independent(summary, k, y) : NULL;
  for (int i = 0, d = 0; i < found->count; ++i) {
    const bool random = is_random(summary, &list[i]);
    if (random) {
      list[i].first = number_of(first[d]);
      list[i].total = number_of(total[d++]);
    }
    if (independent) TS_TRY(use_rows(summary, rows, independent, &list[i], error));
  }
  found->used = (int)used * (k + 2);
  return TS_OK;
}

// ---- both ----------------------------------------------------------------------------------------------------------

static ts_status find_sensitivities(ts_summary *summary, void *user, ts_error *error)
{
  const sensitivity_request *request = user;
  ts_summary_sensitivities *found = request->sensitivities;
  const ts_table_design *design = ts_table_design_of(summary->table);
  const int rows = ts_table_row_count(summary->table);
  ts_summary_sensitivity *list =
      ts_arena_bytes(&summary->kept, (size_t)ts_table_column_count(summary->table), sizeof *list);
  const double *y = ts_summary_numbers(summary, request->column);
  *found = (ts_summary_sensitivities){.is_designed = design && design->sampling == TS_SAMPLING_SALTELLI,
                                      .count = list_parameters(summary, list),
                                      .list = list};
  if (found->is_designed)
    TS_TRY(use_design(summary, design, y, found, list, error));
  else
    for (int row = 0; row < rows; ++row) found->used += !isnan(y[row]);
  for (int i = 0; !found->is_designed && i < found->count; ++i) TS_TRY(use_rows(summary, rows, y, &list[i], error));
  found->missing = rows - found->used;
  return TS_OK;
}

ts_status ts_summary_sensitivities_of(ts_summary *summary, int column, ts_summary_sensitivities *sensitivities,
                                      ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(sensitivities, error);
  TS_TRY(ts_summary_check_column(summary, column, error));
  sensitivity_request request = {column, sensitivities};
  return ts_summary_work(summary, find_sensitivities, &request, error);
}
