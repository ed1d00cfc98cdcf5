#define _POSIX_C_SOURCE 200809L // strdup
#include "cli/convergence.h"

#include "cli/message.h"

#include "touchstone/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what is asked -------------------------------------------------------------------------------------------------

static bool refuse_words(const char *what)
{
  cli_message("--convergence takes SIZE:RESULT,... with at most %d results, as h:x,y or 1/directions:x,y, not '%s'",
              CLI_CONVERGENCE_RESULTS, what);
  return false;
}

static bool read_words(const char *what, cli_convergence *c)
{
  c->words = strdup(what);
  char *results = c->words ? strchr(c->words, ':') : NULL;
  if (!results) return refuse_words(what);
  *results++ = '\0';
  c->def.inverse = strncmp(c->words, "1/", 2) == 0;
  c->def.size = c->words + (c->def.inverse ? 2 : 0);
  c->def.results = c->results;
  while (results && c->def.result_count < CLI_CONVERGENCE_RESULTS) {
    char *comma = strchr(results, ',');
    if (comma) *comma++ = '\0';
    if (!*results) return refuse_words(what);
    c->results[c->def.result_count++] = results;
    results = comma;
  }
  return (!results && *c->def.size) || refuse_words(what);
}

bool cli_convergence_read(const char *what, const char *reference, cli_convergence *convergence)
{
  *convergence = (cli_convergence){.def.reference = TS_REFERENCE_FINEST};
  if (reference && !what) {
    cli_message("--reference goes with --convergence");
    return false;
  }
  if (!what) return true;
  if (reference && strcmp(reference, ts_reference_name(TS_REFERENCE_EXTRAPOLATED)) == 0) {
    convergence->def.reference = TS_REFERENCE_EXTRAPOLATED;
  } else if (reference && strcmp(reference, ts_reference_name(TS_REFERENCE_FINEST)) != 0) {
    convergence->def.reference = TS_REFERENCE_TABLE;
    convergence->against = reference;
  }
  return read_words(what, convergence);
}

// ---- before trials are run ------------------------------------------------------------------------------------------

static const char *const own_columns[] = {"trial", "end", "steps", "uncertified", "residual", "attempt", "seconds"};
enum { OWN_COLUMNS = sizeof own_columns / sizeof own_columns[0] };

// Of the table of a study: parameters, results, and what every table has.
static const char *name_column(int i, const void *user)
{
  const int parameters = ts_study_parameter_count(user), results = ts_study_result_count(user);
  return i < parameters             ? ts_study_parameter_name(user, i)
         : i < parameters + results ? ts_study_result_name(user, i - parameters)
                                    : own_columns[i - parameters - results];
}

static bool check_name(const char *name, const ts_study *study)
{
  const int count = ts_study_parameter_count(study) + ts_study_result_count(study) + OWN_COLUMNS;
  for (int i = 0; i < count; ++i)
    if (strcmp(name, name_column(i, study)) == 0) return true;
  const char *near = ts_suggest(name, count, name_column, study);
  cli_message("--convergence: the study has no column '%s'%s%s%s", name, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "");
  return false;
}

static bool open_reference(cli_convergence *convergence, const ts_study *study)
{
  ts_error error = {0};
  const char *path = convergence->against;
  if (!path) return true;
  ts_status status = ts_table_open(path, &convergence->exact, &error);
  convergence->def.table = convergence->exact;
  if (status == TS_OK) status = ts_convergence_check(study, &convergence->def, &error);
  if (status != TS_OK) cli_message_about(path, &error);
  return status == TS_OK;
}

bool cli_convergence_check(cli_convergence *convergence, const ts_study *study)
{
  if (!convergence->words) return true;
  bool known = check_name(convergence->def.size, study);
  for (int i = 0; known && i < convergence->def.result_count; ++i) known = check_name(convergence->results[i], study);
  return known && open_reference(convergence, study);
}

// ---- measuring -----------------------------------------------------------------------------------------------------

bool cli_convergence_measure(cli_convergence *convergence, const ts_study *study, const char *path)
{
  ts_error error = {0};
  if (!convergence->words) return true;
  if (ts_study_open_table(study, path, &convergence->table, &error) == TS_OK &&
      ts_convergence_measure(convergence->table, &convergence->def, &convergence->measured, &error) == TS_OK)
    return true;
  cli_message_about(path, &error);
  return false;
}

// ---- text ----------------------------------------------------------------------------------------------------------

static int column_of(const cli_convergence *c, int parameter)
{
  return ts_table_find_column(c->table, ts_convergence_parameter_name(c->measured, parameter));
}

static void print_values(const double *values, int count)
{
  for (int i = 0; i < count; ++i) printf(" %15.9g", values[i]);
  printf("\n");
}

static void print_run(const ts_convergence_run *run, int count)
{
  char order[24] = "";
  if (!isnan(run->order)) snprintf(order, sizeof order, "%.3f", run->order);
  printf("  %14.6g %14.6g %9s", run->size, run->error, order);
  print_values(run->values, count);
}

// What goes along with another parameter on its axis, as in a table of fields, says nothing new.
static bool goes_along(const cli_convergence *c, int parameter)
{
  const int axis = ts_table_column_axis(c->table, column_of(c, parameter));
  for (int i = 0; axis >= 0 && i < parameter; ++i)
    if (ts_table_column_axis(c->table, column_of(c, i)) == axis) return true;
  return false;
}

static void print_parameters(const cli_convergence *c, const double *values)
{
  const char *before = "  ";
  const int count = ts_convergence_parameter_count(c->measured);
  for (int i = 0; i < count; ++i) {
    if (goes_along(c, i)) continue;
    printf("%s%s = %g", before, ts_convergence_parameter_name(c->measured, i), values[i]);
    before = ", ";
  }
  if (count > 0) printf("\n");
}

static void print_series(const cli_convergence *c, const ts_convergence_series *series)
{
  const int count = c->def.result_count;
  print_parameters(c, series->parameters);
  if (series->left_out > 0) printf("  %-20s%d runs without results\n", "left out", series->left_out);
  if (*series->why_not) {
    printf("  %-20s%s\n", "no reference", series->why_not);
    return;
  }
  for (int i = 0; i < series->run_count; ++i) print_run(&series->runs[i], count);
  printf("  %14s %14s %9s", "reference", "", "");
  print_values(series->reference, count);
  if (!isnan(series->order)) printf("  %-20s%.3f by least squares\n", "order", series->order);
}

void cli_convergence_print(const cli_convergence *convergence)
{
  if (!convergence->measured) return;
  const ts_convergence_def *def = &convergence->def;
  const char *unit =
      ts_table_column_unit(convergence->table, ts_table_find_column(convergence->table, def->results[0]));
  printf("errors%s%s%s against %s %s\n", *unit ? " [" : "", unit, *unit ? "]" : "",
         convergence->against ? "the table" : "the run that is",
         convergence->against ? convergence->against : ts_reference_name(def->reference));
  printf("  %14s %14s %9s", convergence->words, "error", "order");
  for (int i = 0; i < def->result_count; ++i) printf(" %15s", def->results[i]);
  printf("\n");
  for (int i = 0; i < ts_convergence_series_count(convergence->measured); ++i)
    print_series(convergence, ts_convergence_series_at(convergence->measured, i));
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void write_series(const cli_convergence *c, const ts_convergence_series *series, cli_json *json)
{
  const size_t count = (size_t)c->def.result_count;
  cli_json_open_object(json, NULL);
  cli_json_open_object(json, "parameters");
  for (int i = 0; i < ts_convergence_parameter_count(c->measured); ++i)
    cli_json_number(json, ts_convergence_parameter_name(c->measured, i), series->parameters[i]);
  cli_json_close(json);
  cli_json_integer(json, "left_out", series->left_out);
  if (series->reference) {
    cli_json_numbers(json, "reference", series->reference, count);
    cli_json_number(json, "order", series->order);
  } else {
    cli_json_text(json, "why_not", series->why_not);
  }
  cli_json_open_array(json, "runs");
  for (int i = 0; i < series->run_count; ++i) {
    const ts_convergence_run *run = &series->runs[i];
    cli_json_open_object(json, NULL);
    cli_json_number(json, "trial", ts_table_column_values(c->table, 0)[run->row]);
    cli_json_number(json, "size", run->size);
    cli_json_number(json, "error", run->error);
    cli_json_number(json, "order", run->order);
    cli_json_numbers(json, "values", run->values, count);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_close(json);
}

void cli_convergence_write(const cli_convergence *convergence, cli_json *json)
{
  if (!convergence->measured) return;
  const ts_convergence_def *def = &convergence->def;
  cli_json_open_object(json, "convergence");
  cli_json_text(json, "size", convergence->words);
  cli_json_text(json, "reference", convergence->against ? convergence->against : ts_reference_name(def->reference));
  cli_json_open_array(json, "results");
  for (int i = 0; i < def->result_count; ++i) cli_json_text(json, NULL, def->results[i]);
  cli_json_close(json);
  cli_json_open_array(json, "series");
  for (int i = 0; i < ts_convergence_series_count(convergence->measured); ++i)
    write_series(convergence, ts_convergence_series_at(convergence->measured, i), json);
  cli_json_close(json);
  cli_json_close(json);
}

void cli_convergence_release(cli_convergence *convergence)
{
  ts_convergence_destroy(convergence->measured);
  ts_table_close(convergence->table);
  ts_table_close(convergence->exact);
  free(convergence->words);
}
