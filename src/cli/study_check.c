#include "cli/study_check.h"

#include "cli/allocation.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/table.h"

#include "touchstone/verify.h"

#include <math.h>
#include <stdlib.h>

enum { SHOWN = 3, MOST_LOOKED_AT = 100000 };

// Trials of a study, or designs of a verification: rows of numbers.
typedef struct points {
  const void *of;
  uint64_t count;
  int columns;
  const char *(*name)(const void *of, int column);
  const char *(*unit)(const void *of, int column);
  ts_status (*row)(const void *of, uint64_t i, double *values, ts_error *error);
} points;

// What is seen of them: the first rows, and how far the columns reach.
typedef struct survey {
  double *first;           // (SHOWN*columns), NAN where it cannot be computed
  double *least, *largest; // (columns), NAN where no row can be computed
  uint64_t looked_at, failed;
  ts_error why; // of the first that failed
} survey;

static void note_row(const points *p, const double *values, survey *s)
{
  for (int c = 0; c < p->columns; ++c) {
    s->least[c] = fmin(s->least[c], values[c]);
    s->largest[c] = fmax(s->largest[c], values[c]);
  }
}

static survey look_at(const points *p)
{
  const size_t columns = (size_t)p->columns;
  survey s = {.looked_at = p->count < MOST_LOOKED_AT ? p->count : MOST_LOOKED_AT};
  s.first = cli_zeros((SHOWN + 3) * columns + 1, sizeof *s.first);
  s.least = s.first + SHOWN * columns;
  s.largest = s.least + columns;
  double *values = s.largest + columns;
  for (size_t i = 0; i < (SHOWN + 2) * columns; ++i) s.first[i] = NAN;
  for (uint64_t i = 0; i < s.looked_at; ++i) {
    if (p->row(p->of, i, values, s.failed ? NULL : &s.why) != TS_OK) {
      ++s.failed;
      continue;
    }
    note_row(p, values, &s);
    for (size_t c = 0; i < SHOWN && c < columns; ++c) s.first[i * columns + c] = values[c];
  }
  return s;
}

// ---- text ----------------------------------------------------------------------------------------------------------

static void print_number(cli_table *table, double value)
{
  if (isnan(value))
    cli_table_cell(table, "-");
  else
    cli_table_cell(table, "%.6g", value);
}

static void print_points(const points *p, const survey *s, const char *what)
{
  static const char *const headings[SHOWN] = {"first", "second", "third"};
  cli_table table;
  if (p->columns == 0) return;
  cli_table_init(&table);
  cli_table_column(&table, "parameter", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "least", 'r');
  cli_table_column(&table, "largest", 'r');
  for (uint64_t i = 0; i < SHOWN && i < p->count; ++i) cli_table_column(&table, headings[i], 'r');
  for (int c = 0; c < p->columns; ++c) {
    cli_table_row(&table);
    cli_table_cell(&table, "%s", p->name(p->of, c));
    cli_table_cell(&table, "%s", p->unit(p->of, c));
    print_number(&table, s->least[c]);
    print_number(&table, s->largest[c]);
    for (uint64_t i = 0; i < SHOWN && i < p->count; ++i)
      print_number(&table, s->first[i * (uint64_t)p->columns + (uint64_t)c]);
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
  if (s->looked_at < p->count) printf("least and largest are of the first %d %s\n", MOST_LOOKED_AT, what);
  if (s->failed > 0)
    printf("%s that cannot be computed: %llu (%s)\n", what, (unsigned long long)s->failed, s->why.text);
}

static void print_results(const ts_study *study)
{
  const int count = ts_study_result_count(study);
  printf("\nresults: %s", count == 0 ? "none" : "");
  for (int i = 0; i < count; ++i) {
    const char *unit = ts_study_result_unit(study, i);
    printf("%s%s%s%s%s", i > 0 ? ", " : "", ts_study_result_name(study, i), *unit ? " [" : "", unit, *unit ? "]" : "");
  }
  putchar('\n');
}

static void print_title(const char *path, const char *name)
{
  printf("%s%s%s\n", path, *name ? ": " : "", name);
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void write_points(cli_json *json, const points *p, const survey *s)
{
  cli_json_open_array(json, "parameters");
  for (int c = 0; c < p->columns; ++c) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", p->name(p->of, c));
    cli_json_text(json, "unit", p->unit(p->of, c));
    cli_json_number(json, "least", s->least[c]);
    cli_json_number(json, "largest", s->largest[c]);
    cli_json_open_array(json, "first");
    for (uint64_t i = 0; i < SHOWN && i < p->count; ++i)
      cli_json_number(json, NULL, s->first[i * (uint64_t)p->columns + (uint64_t)c]);
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_number(json, "looked_at", (double)s->looked_at);
  cli_json_number(json, "not_computed", (double)s->failed);
}

static void write_results(cli_json *json, const ts_study *study)
{
  cli_json_open_array(json, "results");
  for (int i = 0; i < ts_study_result_count(study); ++i) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", ts_study_result_name(study, i));
    cli_json_text(json, "unit", ts_study_result_unit(study, i));
    cli_json_close(json);
  }
  cli_json_close(json);
}

// ---- studies -------------------------------------------------------------------------------------------------------

static const char *study_name(const void *of, int column)
{
  return ts_study_parameter_name(of, column);
}

static const char *study_unit(const void *of, int column)
{
  return ts_study_parameter_unit(of, column);
}

static ts_status study_row(const void *of, uint64_t i, double *values, ts_error *error)
{
  return ts_study_parameters(of, i, values, error);
}

static void print_study(const char *path, const ts_study *study, const points *p, const survey *s)
{
  const unsigned long long cells = ts_study_cell_count(study);
  print_title(path, ts_study_name(study));
  printf("scene: %s\n", ts_study_scene_path(study));
  printf("trials: %llu", (unsigned long long)p->count);
  if (cells > 1) printf(", %llu at each of %llu points of a grid", (unsigned long long)p->count / cells, cells);
  putchar('\n');
  print_points(p, s, "trials");
  print_results(study);
}

static void write_study(const char *path, const ts_study *study, const points *p, const survey *s)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_object(&json, NULL);
  cli_json_text(&json, "study", path);
  cli_json_text(&json, "name", ts_study_name(study));
  cli_json_text(&json, "scene", ts_study_scene_path(study));
  cli_json_number(&json, "trials", (double)p->count);
  cli_json_number(&json, "cells", (double)ts_study_cell_count(study));
  write_points(&json, p, s);
  write_results(&json, study);
  cli_json_close(&json);
}

int cli_check_study(const char *path, const ts_scene_request *request, bool json)
{
  ts_study *study;
  ts_error error = {0};
  if (ts_study_read(path, request, &study, &error) != TS_OK) {
    cli_message_about(path, &error);
    return CLI_REFUSED;
  }
  const points p = {study,    ts_study_trial_count(study), ts_study_parameter_count(study), study_name, study_unit,
                    study_row};
  const survey s = look_at(&p);
  (json ? write_study : print_study)(path, study, &p, &s);
  if (ts_study_check_steps(study, &error) != TS_OK)
    cli_message("%s: warning: the first trial: %s; 'sweep' needs --yes", path, error.text);
  free(s.first);
  ts_study_destroy(study);
  return CLI_SUCCESS;
}

// ---- verifications -------------------------------------------------------------------------------------------------

static const char *design_name(const void *of, int column)
{
  return ts_verification_parameter_name(of, column);
}

// Levels may have scenes of their own.
static const char *design_unit(const void *of, int column)
{
  (void)of, (void)column;
  return "";
}

static ts_status design_row(const void *of, uint64_t i, double *values, ts_error *error)
{
  return ts_verification_parameters(of, i, values, error);
}

static void print_verification(const char *path, const ts_verification *all, const points *p, const survey *s)
{
  print_title(path, ts_verification_name(all));
  printf("designs: %llu, runs of each at a level: %llu\nlevels:", (unsigned long long)p->count,
         (unsigned long long)ts_verification_run_count(all));
  for (int k = 0; k < ts_verification_level_count(all); ++k)
    printf("%s %s", k > 0 ? "," : "", ts_verification_level_name(all, k));
  putchar('\n');
  print_points(p, s, "designs");
}

static void write_verification(const char *path, const ts_verification *all, const points *p, const survey *s)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_object(&json, NULL);
  cli_json_text(&json, "verification", path);
  cli_json_text(&json, "name", ts_verification_name(all));
  cli_json_number(&json, "designs", (double)p->count);
  cli_json_number(&json, "runs_of_a_design", (double)ts_verification_run_count(all));
  cli_json_open_array(&json, "levels");
  for (int k = 0; k < ts_verification_level_count(all); ++k)
    cli_json_text(&json, NULL, ts_verification_level_name(all, k));
  cli_json_close(&json);
  write_points(&json, p, s);
  cli_json_close(&json);
}

int cli_check_verification(const char *path, const ts_scene_request *request, bool json)
{
  ts_verification *all;
  ts_error error = {0};
  if (ts_verification_read(path, request, &all, &error) != TS_OK) {
    cli_message_about(path, &error);
    return CLI_REFUSED;
  }
  const points p = {
      all,       ts_verification_design_count(all), ts_verification_parameter_count(all), design_name, design_unit,
      design_row};
  const survey s = look_at(&p);
  (json ? write_verification : print_verification)(path, all, &p, &s);
  if (ts_verification_check_steps(all, &error) != TS_OK)
    cli_message("%s: warning: %s; 'verify' needs --yes", path, error.text);
  free(s.first);
  ts_verification_destroy(all);
  return CLI_SUCCESS;
}
