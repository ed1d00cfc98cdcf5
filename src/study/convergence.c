#include "touchstone/convergence.h"

#include "base/require.h"
#include "base/status.h"
#include "study/study.h"
#include "study/table.h"
#include "touchstone/suggest.h"
#include "statistics/trend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A row as it is sorted: what belongs together is together then, coarse runs first.
typedef struct sorted_row {
  const double *key; // its parameters
  int key_count;
  double size;
  int row;
} sorted_row;

struct ts_convergence {
  const char **names; // of parameters (parameter_count)
  int *parameters;    // their columns
  int parameter_count, result_count;
  int *results; // columns (result_count)
  ts_convergence_series *series;
  int series_count;
  ts_convergence_run *runs; // of all series, one after another
  sorted_row *rows;
  double *keys;       // parameters of every row
  double *values;     // results of every row
  double *references; // of every series
  double *logs;       // of sizes and errors of a series: room for twice the rows
};

const char *ts_reference_name(ts_reference reference)
{
#define NAME(enumerator, name, help) #name,
  static const char *const names[] = {TS_REFERENCE_LIST(NAME)};
#undef NAME
  TS_REQUIRE(reference >= 0 && reference < TS_REFERENCE_COUNT);
  return names[reference];
}

// ---- columns -------------------------------------------------------------------------------------------------------

static const char *name_of_column(int i, const void *user)
{
  return ts_table_column_name(user, i);
}

static ts_status find_column(const ts_table *table, const char *name, int *column, ts_error *error)
{
  *column = ts_table_find_column(table, name);
  if (*column >= 0) return TS_OK;
  const char *near = ts_suggest(name, ts_table_column_count(table), name_of_column, table);
  ts_fail(error, TS_INVALID, "the table has no column '%.60s'%s%.60s%s", name, near ? "; did you mean '" : "",
          near ? near : "", near ? "'?" : "");
  if (error) snprintf(error->file, sizeof error->file, "%s", table->path); // there may be two tables
  return TS_INVALID;
}

static ts_status find_results(const ts_table *table, const ts_convergence_def *def, int *results, ts_error *error)
{
  for (int i = 0; i < def->result_count; ++i) {
    TS_TRY(find_column(table, def->results[i], &results[i], error));
    const char *unit = ts_table_column_unit(table, results[i]), *first = ts_table_column_unit(table, results[0]);
    if (strcmp(unit, first) != 0)
      return ts_fail(error, TS_INVALID, "'%.60s' is in %.30s and '%.60s' in %.30s: their errors have no common measure",
                     def->results[0], *first ? first : "no unit", def->results[i], *unit ? unit : "no unit");
  }
  return TS_OK;
}

// What goes along with the size on its axis is no other parameter.
static bool tells_apart(const ts_table *table, int column, int size)
{
  const ts_table_role role = ts_table_column_role(table, column);
  const int axis = ts_table_column_axis(table, column);
  if (column == size || (role != TS_TABLE_ROLE_GRID && role != TS_TABLE_ROLE_RANDOM)) return false;
  return axis < 0 || axis != ts_table_column_axis(table, size);
}

static void find_parameters(const ts_table *table, int size, ts_convergence *c)
{
  for (int i = 0; i < ts_table_column_count(table); ++i)
    if (tells_apart(table, i, size)) {
      c->names[c->parameter_count] = ts_table_column_name(table, i);
      c->parameters[c->parameter_count++] = i;
    }
}

// ---- series --------------------------------------------------------------------------------------------------------

// NaN is like itself, and behind all numbers.
static int compare_numbers(double a, double b)
{
  if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
  return (a > b) - (a < b);
}

static int compare_keys(const sorted_row *a, const sorted_row *b)
{
  for (int i = 0; i < a->key_count; ++i) {
    const int order = compare_numbers(a->key[i], b->key[i]);
    if (order != 0) return order;
  }
  return 0;
}

static int compare_rows(const void *first, const void *second)
{
  const sorted_row *a = first, *b = second;
  const int keys = compare_keys(a, b);
  if (keys != 0) return keys;
  return a->size != b->size ? (a->size > b->size ? -1 : 1) : a->row - b->row;
}

static ts_status sort_rows(const ts_table *table, const ts_convergence_def *def, int size, ts_convergence *c,
                           ts_error *error)
{
  const int count = ts_table_row_count(table);
  const double *sizes = ts_table_column_values(table, size);
  for (int row = 0; row < count; ++row) {
    double *key = c->keys + (size_t)row * (size_t)c->parameter_count;
    for (int i = 0; i < c->parameter_count; ++i) key[i] = ts_table_column_values(table, c->parameters[i])[row];
    if (!(sizes[row] > 0.0 && isfinite(sizes[row])))
      return ts_fail(error, TS_INVALID, "'%.60s' has to be above 0, and is %g in row %d", def->size, sizes[row], row);
    c->rows[row] = (sorted_row){key, c->parameter_count, def->inverse ? 1.0 / sizes[row] : sizes[row], row};
  }
  qsort(c->rows, (size_t)count, sizeof *c->rows, compare_rows);
  for (int i = 1; i < count; ++i)
    if (compare_keys(&c->rows[i - 1], &c->rows[i]) == 0 && c->rows[i - 1].size == c->rows[i].size)
      return ts_fail(error, TS_INVALID, "rows %d and %d have the same '%.60s' and do not differ in another parameter",
                     c->rows[i - 1].row, c->rows[i].row, def->size);
  return TS_OK;
}

// Results of a row; false where they are not those of a whole run.
static bool take_values(const ts_table *table, int row, const int *results, int count, double *values)
{
  const ts_trial_end end = ts_table_row_end(table, row);
  bool whole = end == TS_TRIAL_FINISHED || end == TS_TRIAL_STOPPED;
  for (int i = 0; i < count; ++i) {
    values[i] = ts_table_column_values(table, results[i])[row];
    whole = whole && isfinite(values[i]);
  }
  return whole;
}

static void make_series(const ts_table *table, ts_convergence *c)
{
  const int count = ts_table_row_count(table);
  ts_convergence_run *next = c->runs;
  double *values = c->values;
  for (int i = 0; i < count; ++i) {
    const sorted_row *at = &c->rows[i];
    if (i == 0 || compare_keys(at - 1, at) != 0)
      c->series[c->series_count++] = (ts_convergence_series){.parameters = at->key, .runs = next, .order = NAN};
    ts_convergence_series *series = &c->series[c->series_count - 1];
    if (take_values(table, at->row, c->results, c->result_count, values)) {
      *next++ = (ts_convergence_run){at->row, at->size, NAN, NAN, values};
      ++series->run_count;
      values += c->result_count;
    } else {
      ++series->left_out;
    }
  }
}

// ---- references ----------------------------------------------------------------------------------------------------

static double distance(const double *a, const double *b, int count)
{
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum = hypot(sum, a[i] - b[i]);
  return sum;
}

// Of runs of sizes r3 > r2 > 1 whose errors are proportional to size^p: how much farther the coarse two are apart than
// the fine ones. It grows with p.
static double ratio_of(double r3, double r2, double p)
{
  return (pow(r3, p) - pow(r2, p)) / (pow(r2, p) - 1.0);
}

// The order that makes it `ratio`, by bisection; 0 where it would have to be less than the least.
static double order_of(double r3, double r2, double ratio)
{
  double low = 0.01, high = 20.0;
  if (!(ratio > ratio_of(r3, r2, low))) return 0.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    *(ratio_of(r3, r2, middle) < ratio ? &low : &high) = middle;
  }
  return low;
}

// y = y0 + C size^p through the three finest runs: p is that of the lengths of their differences, and y0 follows from
// the two finest.
static const char *extrapolate(const ts_convergence_series *series, int count, double *limit)
{
  if (series->run_count < 3) return "extrapolation takes three runs";
  const ts_convergence_run *fine = &series->runs[series->run_count - 1], *middle = fine - 1, *coarse = fine - 2;
  const double apart = distance(middle->values, fine->values, count);
  memcpy(limit, fine->values, (size_t)count * sizeof *limit);
  if (apart == 0.0) return "";
  const double r2 = middle->size / fine->size;
  const double p = order_of(coarse->size / fine->size, r2, distance(coarse->values, middle->values, count) / apart);
  if (p == 0.0) return "the three finest runs do not come closer to each other";
  for (int i = 0; i < count; ++i) limit[i] -= (middle->values[i] - fine->values[i]) / (pow(r2, p) - 1.0);
  return "";
}

// Columns of another table that has the references.
typedef struct reference_table {
  const ts_table *table;
  int *parameters, *results;
} reference_table;

static bool is_row_of(const reference_table *from, int row, const ts_convergence *c,
                      const ts_convergence_series *series)
{
  for (int i = 0; i < c->parameter_count; ++i)
    if (compare_numbers(ts_table_column_values(from->table, from->parameters[i])[row], series->parameters[i]) != 0)
      return false;
  return true;
}

// True if two rows have other results.
static bool are_apart(const reference_table *from, int row, int other, int results)
{
  for (int i = 0; i < results; ++i) {
    const double *values = ts_table_column_values(from->table, from->results[i]);
    if (compare_numbers(values[row], values[other]) != 0) return true;
  }
  return false;
}

// Several rows are no reference unless their results are equal.
static const char *look_up(const reference_table *from, const ts_convergence *c, const ts_convergence_series *series,
                           double *values)
{
  int found = -1;
  for (int row = 0; row < ts_table_row_count(from->table); ++row) {
    if (!is_row_of(from, row, c, series)) continue;
    if (found >= 0 && are_apart(from, row, found, c->result_count))
      return "several rows of the reference have these parameters, and other results";
    found = found < 0 ? row : found;
  }
  if (found < 0) return "the reference has no row with these parameters";
  return take_values(from->table, found, from->results, c->result_count, values) ? "" : "the reference has no results";
}

static const char *find_reference(const ts_convergence *c, ts_reference kind, const reference_table *table,
                                  const ts_convergence_series *series, double *values)
{
  if (series->run_count == 0) return "no run has results";
  if (kind == TS_REFERENCE_TABLE) return look_up(table, c, series, values);
  if (kind == TS_REFERENCE_EXTRAPOLATED) return extrapolate(series, c->result_count, values);
  memcpy(values, series->runs[series->run_count - 1].values, (size_t)c->result_count * sizeof *values);
  return "";
}

// ---- errors --------------------------------------------------------------------------------------------------------

// `runs` are those of the series.
static void measure_errors(const ts_convergence *c, ts_convergence_series *series, ts_convergence_run *runs)
{
  double *x = c->logs, *y = c->logs + series->run_count;
  size_t count = 0;
  for (int i = 0; i < series->run_count; ++i) {
    ts_convergence_run *run = &runs[i];
    run->error = distance(run->values, series->reference, c->result_count);
    if (!(run->error > 0.0 && isfinite(run->error))) continue;
    x[count] = log(run->size);
    y[count++] = log(run->error);
    if (i > 0 && runs[i - 1].error > 0.0)
      run->order = log(run->error / runs[i - 1].error) / log(run->size / runs[i - 1].size);
  }
  ts_trend_line line;
  if (count >= 2 && ts_trend_line_fit(count, x, y, &line, NULL) == TS_OK) series->order = line.slope;
}

static void measure_series(ts_convergence *c, ts_reference kind, const reference_table *table)
{
  ts_convergence_run *runs = c->runs;
  for (int i = 0; i < c->series_count; ++i) {
    ts_convergence_series *series = &c->series[i];
    double *reference = c->references + (size_t)i * (size_t)c->result_count;
    series->why_not = find_reference(c, kind, table, series, reference);
    if (!*series->why_not) {
      series->reference = reference;
      measure_errors(c, series, runs);
    }
    runs += series->run_count;
  }
}

// ---- all of it -----------------------------------------------------------------------------------------------------

static bool make_room(const ts_table *table, int results, ts_convergence *c)
{
  const size_t rows = (size_t)ts_table_row_count(table) + 1, columns = (size_t)ts_table_column_count(table) + 1;
  c->result_count = results;
  c->names = calloc(columns, sizeof *c->names);
  c->parameters = calloc(columns, sizeof *c->parameters);
  c->results = calloc((size_t)results, sizeof *c->results);
  c->series = calloc(rows, sizeof *c->series);
  c->runs = calloc(rows, sizeof *c->runs);
  c->rows = calloc(rows, sizeof *c->rows);
  c->keys = calloc(rows * columns, sizeof *c->keys);
  c->values = calloc(rows * (size_t)results, sizeof *c->values);
  c->references = calloc(rows * (size_t)results, sizeof *c->references);
  c->logs = calloc(2 * rows, sizeof *c->logs);
  return c->names && c->parameters && c->results && c->series && c->runs && c->rows && c->keys && c->values &&
         c->references && c->logs;
}

static ts_status find_in_reference(const ts_convergence_def *def, const ts_convergence *c, reference_table *from,
                                   ts_error *error)
{
  if (def->reference != TS_REFERENCE_TABLE) return TS_OK;
  for (int i = 0; i < c->parameter_count; ++i)
    TS_TRY(find_column(from->table, c->names[i], &from->parameters[i], error));
  for (int i = 0; i < c->result_count; ++i) TS_TRY(find_column(from->table, def->results[i], &from->results[i], error));
  return TS_OK;
}

static ts_status measure_against(const ts_convergence_def *def, ts_convergence *c, ts_error *error)
{
  reference_table from = {.table = def->table,
                          .parameters = calloc((size_t)c->parameter_count + 1, sizeof *from.parameters),
                          .results = calloc((size_t)c->result_count, sizeof *from.results)};
  ts_status status = from.parameters && from.results ? find_in_reference(def, c, &from, error)
                                                     : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (status == TS_OK) measure_series(c, def->reference, &from);
  free(from.parameters);
  free(from.results);
  return status;
}

static ts_status measure(const ts_table *table, const ts_convergence_def *def, ts_convergence *c, ts_error *error)
{
  int size;
  if (!make_room(table, def->result_count, c)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  TS_TRY(find_column(table, def->size, &size, error));
  TS_TRY(find_results(table, def, c->results, error));
  find_parameters(table, size, c);
  TS_TRY(sort_rows(table, def, size, c, error));
  make_series(table, c);
  return measure_against(def, c, error);
}

// The column of the design that is called so, or NULL.
static const ts_design_column *find_in_design(const ts_design *design, const char *name)
{
  for (int i = 0; i < design->column_count; ++i)
    if (strcmp(design->columns[i].name, name) == 0) return &design->columns[i];
  return NULL;
}

ts_status ts_convergence_check(const ts_study *study, const ts_convergence_def *def, ts_error *error)
{
  int unused;
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(def, error);
  if (def->reference != TS_REFERENCE_TABLE) return TS_OK;
  TS_REFUSE_UNLESS(def->table, error);
  const ts_design_column *size = find_in_design(&study->design, def->size);
  for (int i = 0; i < study->design.column_count; ++i) {
    const ts_design_column *column = &study->design.columns[i];
    const bool goes_along = column->axis >= 0 && size && column->axis == size->axis;
    if (column != size && column->kind != TS_VARY_EXPRESSION && !goes_along)
      TS_TRY(find_column(def->table, column->name, &unused, error));
  }
  for (int i = 0; i < def->result_count; ++i) TS_TRY(find_column(def->table, def->results[i], &unused, error));
  return TS_OK;
}

ts_status ts_convergence_measure(const ts_table *table, const ts_convergence_def *def, ts_convergence **convergence,
                                 ts_error *error)
{
  TS_REFUSE_UNLESS(convergence, error);
  *convergence = NULL;
  TS_REFUSE_UNLESS(table && def && def->size && def->results && def->result_count > 0, error);
  TS_REFUSE_UNLESS((def->reference == TS_REFERENCE_TABLE) == (def->table != NULL), error);
  ts_convergence *made = calloc(1, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = measure(table, def, made, error);
  if (status == TS_OK)
    *convergence = made;
  else
    ts_convergence_destroy(made);
  return status;
}

void ts_convergence_destroy(ts_convergence *convergence)
{
  if (!convergence) return;
  free(convergence->names);
  free(convergence->parameters);
  free(convergence->results);
  free(convergence->series);
  free(convergence->runs);
  free(convergence->rows);
  free(convergence->keys);
  free(convergence->values);
  free(convergence->references);
  free(convergence->logs);
  free(convergence);
}

int ts_convergence_parameter_count(const ts_convergence *convergence)
{
  TS_REQUIRE(convergence);
  return convergence->parameter_count;
}

const char *ts_convergence_parameter_name(const ts_convergence *convergence, int parameter)
{
  TS_REQUIRE(convergence && parameter >= 0 && parameter < convergence->parameter_count);
  return convergence->names[parameter];
}

int ts_convergence_series_count(const ts_convergence *convergence)
{
  TS_REQUIRE(convergence);
  return convergence->series_count;
}

const ts_convergence_series *ts_convergence_series_at(const ts_convergence *convergence, int series)
{
  TS_REQUIRE(convergence && series >= 0 && series < convergence->series_count);
  return &convergence->series[series];
}
