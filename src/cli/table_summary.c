#include "cli/table_summary.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/study_progress.h"
#include "cli/table.h"

#include "touchstone/summary.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_OUTCOMES = 12 };

static const double shares[] = {
#define SHARE(share, text) share,
    TS_SUMMARY_QUANTILE_LIST(SHARE)
#undef SHARE
};

#define END_TEXT(enumerator, text) text,
static const char *const end_texts[] = {TS_TRIAL_END_LIST(END_TEXT)};
#undef END_TEXT
static const char *const end_keys[] = {[TS_TRIAL_FINISHED] = "finished",
                                       [TS_TRIAL_STOPPED] = "stopped",
                                       [TS_TRIAL_LIMITED] = "limited",
                                       [TS_TRIAL_FAILED] = "failed"};

#define SAMPLING_NAME(enumerator, name, help) #name,
static const char *const samplings[] = {TS_SAMPLING_LIST(SAMPLING_NAME)};
#undef SAMPLING_NAME

// What is printed, all of one table.
typedef struct printed {
  const char *path;
  const ts_table *table;
  ts_summary *summary;
  bool as_json;
  cli_json json;
} printed;

// Results, and what may be one.
static bool is_result(const ts_table *table, int column)
{
  const ts_table_role role = ts_table_column_role(table, column);
  return role == TS_TABLE_ROLE_RESULT || role == TS_TABLE_ROLE_UNKNOWN;
}

// ---- outcomes ------------------------------------------------------------------------------------------------------

static void json_design(printed *p)
{
  const ts_table_design *design = ts_table_design_of(p->table);
  cli_json *json = &p->json;
  cli_json_text(json, "table", p->path);
  cli_json_text(json, "name", ts_table_name(p->table));
  cli_json_integer(json, "rows", ts_table_row_count(p->table));
  if (!design) return;
  cli_json_open_object(json, "design");
  cli_json_text(json, "sampling", samplings[design->sampling]);
  cli_json_number(json, "samples", (double)design->samples);
  cli_json_number(json, "cells", (double)design->cells);
  cli_json_number(json, "trials", (double)design->trials);
  cli_json_text(json, "seed", design->seed);
  cli_json_close(json);
}

static void json_outcomes(printed *p, const ts_summary_outcomes *outcomes)
{
  cli_json *json = &p->json;
  for (int end = 0; end < TS_TRIAL_END_COUNT; ++end) cli_json_integer(json, end_keys[end], outcomes->ends[end]);
  cli_json_integer(json, "uncertified", outcomes->uncertified);
  cli_json_number(json, "worst_residual", outcomes->worst_residual);
  cli_json_open_array(json, "outcomes");
  for (int i = 0; i < outcomes->count; ++i) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "end", end_keys[outcomes->list[i].end]);
    cli_json_text(json, "text", outcomes->list[i].text);
    cli_json_integer(json, "rows", outcomes->list[i].rows);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_design(const printed *p)
{
  const ts_table_design *design = ts_table_design_of(p->table);
  const char *name = ts_table_name(p->table);
  printf("%s%s%s\n", p->path, *name ? ": " : "", name);
  if (!design) {
    printf("  %-20s%d\n", "trials", ts_table_row_count(p->table));
    return;
  }
  printf("  %-20s%d of %llu\n", "trials", ts_table_row_count(p->table), (unsigned long long)design->trials);
  printf("  %-20s%llu point%s of a grid, %llu sample%s each, sampling %s, seed %s\n", "design",
         (unsigned long long)design->cells, design->cells == 1 ? "" : "s", (unsigned long long)design->samples,
         design->samples == 1 ? "" : "s", samplings[design->sampling], design->seed);
}

// One line, whatever the text is.
static void add_text(cli_table *table, const char *end, const char *text)
{
  char line[CLI_CELL_SIZE];
  snprintf(line, sizeof line, "%s%s%s", end, *text ? " " : "", text);
  for (char *c = line; *c; ++c)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  cli_table_cell(table, "%s", line);
}

static void print_outcomes(const ts_summary_outcomes *outcomes)
{
  printf("  %-20s%d trials have steps that are not certified\n", "uncertified", outcomes->uncertified);
  printf("  %-20s%.3g\n\noutcomes\n", "worst residual", outcomes->worst_residual);
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "trials", 'r');
  cli_table_column(&table, "share", 'r');
  cli_table_column(&table, "end", 'l');
  for (int i = 0; i < outcomes->count && i < MOST_OUTCOMES; ++i) {
    const ts_summary_outcome *outcome = &outcomes->list[i];
    cli_table_row(&table);
    cli_table_cell(&table, "%d", outcome->rows);
    cli_table_cell(&table, "%.1f %%", 100.0 * outcome->rows / outcomes->rows);
    add_text(&table, end_texts[outcome->end], outcome->text);
  }
  cli_table_print(&table, 2, stdout);
  cli_table_destroy(&table);
  if (outcomes->count > MOST_OUTCOMES) printf("  and %d others\n", outcomes->count - MOST_OUTCOMES);
}

static ts_status tell_outcomes(printed *p, ts_error *error)
{
  ts_summary_outcomes outcomes;
  const ts_status status = ts_summary_outcomes_of(p->summary, &outcomes, error);
  if (status != TS_OK) return status;
  if (p->as_json)
    json_outcomes(p, &outcomes);
  else
    print_outcomes(&outcomes);
  return TS_OK;
}

// ---- results -------------------------------------------------------------------------------------------------------

static void json_result(printed *p, int column, const ts_summary_column *told)
{
  cli_json *json = &p->json;
  cli_json_open_object(json, NULL);
  cli_json_text(json, "name", ts_table_column_name(p->table, column));
  cli_json_text(json, "unit", ts_table_column_unit(p->table, column));
  cli_json_integer(json, "count", told->count);
  cli_json_integer(json, "missing", told->missing);
  cli_json_boolean(json, "share", told->is_share);
  cli_json_number(json, "mean", told->mean.value);
  cli_json_number(json, "mean_low", told->mean.low);
  cli_json_number(json, "mean_high", told->mean.high);
  cli_json_number(json, "deviation", told->deviation);
  cli_json_number(json, "min", told->low);
  cli_json_number(json, "max", told->high);
  cli_json_numbers(json, "quantiles", told->quantiles, TS_SUMMARY_QUANTILE_COUNT);
  cli_json_close(json);
}

static void add_result_columns(cli_table *table)
{
  static const char *const quantiles[] = {
#define TEXT(share, text) text,
      TS_SUMMARY_QUANTILE_LIST(TEXT)
#undef TEXT
  };
  cli_table_column(table, "", 'l');
  cli_table_column(table, "n", 'r');
  cli_table_column(table, "missing", 'r');
  cli_table_column(table, "mean", 'r');
  cli_table_column(table, "interval", 'l');
  cli_table_column(table, "deviation", 'r');
  cli_table_column(table, "min", 'r');
  for (int i = 0; i < TS_SUMMARY_QUANTILE_COUNT; ++i) cli_table_column(table, quantiles[i], 'r');
  cli_table_column(table, "max", 'r');
}

static void add_number(cli_table *table, double value)
{
  if (isnan(value))
    cli_table_cell(table, "-");
  else
    cli_table_cell(table, "%.4g", value);
}

static void add_result(const printed *p, cli_table *table, int column, const ts_summary_column *told)
{
  const char *unit = ts_table_column_unit(p->table, column);
  cli_table_row(table);
  cli_table_cell(table, *unit ? "%.60s [%s]" : "%.60s%s", ts_table_column_name(p->table, column), unit);
  cli_table_cell(table, "%d", told->count);
  cli_table_cell(table, "%d", told->missing);
  add_number(table, told->mean.value);
  if (isnan(told->mean.low))
    cli_table_cell(table, "-");
  else
    cli_table_cell(table, "%.4g to %.4g", told->mean.low, told->mean.high);
  if (told->is_share) return; // of 0 and 1 the share says all
  add_number(table, told->deviation);
  add_number(table, told->low);
  for (int i = 0; i < TS_SUMMARY_QUANTILE_COUNT; ++i) add_number(table, told->quantiles[i]);
  add_number(table, told->high);
}

static ts_status tell_results(printed *p, ts_error *error)
{
  cli_table table;
  ts_status status = TS_OK;
  cli_table_init(&table);
  add_result_columns(&table);
  if (p->as_json) {
    cli_json_open_array(&p->json, "quantile_shares");
    for (int i = 0; i < TS_SUMMARY_QUANTILE_COUNT; ++i) cli_json_number(&p->json, NULL, shares[i]);
    cli_json_close(&p->json);
    cli_json_open_array(&p->json, "results");
  }
  for (int i = 0; status == TS_OK && i < ts_table_column_count(p->table); ++i) {
    ts_summary_column told;
    if (!is_result(p->table, i)) continue;
    status = ts_summary_column_of(p->summary, i, &told, error);
    if (status != TS_OK) break;
    if (p->as_json)
      json_result(p, i, &told);
    else
      add_result(p, &table, i, &told);
  }
  if (p->as_json)
    cli_json_close(&p->json);
  else if (table.rows > 0) {
    printf("\n%s\n", ts_table_design_of(p->table) ? "results" : "columns");
    cli_table_print(&table, 2, stdout);
  }
  cli_table_destroy(&table);
  return status;
}

// ---- sensitivities -------------------------------------------------------------------------------------------------

static void json_number(cli_json *json, const char *key, const char *low, const char *high, ts_summary_number number)
{
  cli_json_number(json, key, number.value);
  cli_json_number(json, low, number.low);
  cli_json_number(json, high, number.high);
}

static void json_sensitivities(printed *p, int column, const ts_summary_sensitivities *found)
{
  cli_json *json = &p->json;
  cli_json_open_object(json, NULL);
  cli_json_text(json, "result", ts_table_column_name(p->table, column));
  cli_json_text(json, "method", found->is_designed ? "saltelli" : "given-data");
  cli_json_integer(json, "used", found->used);
  cli_json_integer(json, "missing", found->missing);
  cli_json_open_array(json, "parameters");
  for (int i = 0; i < found->count; ++i) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", ts_table_column_name(p->table, found->list[i].column));
    json_number(json, "first", "first_low", "first_high", found->list[i].first);
    json_number(json, "total", "total_low", "total_high", found->list[i].total);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_close(json);
}

static void add_share(cli_table *table, ts_summary_number number)
{
  if (isnan(number.value))
    cli_table_cell(table, "-");
  else
    cli_table_cell(table, "%.3f", number.value);
  if (isnan(number.low))
    cli_table_cell(table, "-");
  else
    cli_table_cell(table, "%.3f to %.3f", number.low, number.high);
}

static void print_sensitivities(const printed *p, int column, const ts_summary_sensitivities *found)
{
  cli_table table;
  cli_table_init(&table);
  printf("\nwhat %s depends on: shares of its variance, by %d trials%s\n", ts_table_column_name(p->table, column),
         found->used, found->is_designed ? " of Saltelli's design" : "");
  cli_table_column(&table, "", 'l');
  cli_table_column(&table, "first", 'r');
  cli_table_column(&table, "interval", 'l');
  if (found->is_designed) {
    cli_table_column(&table, "total", 'r');
    cli_table_column(&table, "interval", 'l');
  }
  for (int i = 0; i < found->count; ++i) {
    cli_table_row(&table);
    cli_table_cell(&table, "%.100s", ts_table_column_name(p->table, found->list[i].column));
    add_share(&table, found->list[i].first);
    if (found->is_designed) add_share(&table, found->list[i].total);
  }
  cli_table_print(&table, 2, stdout);
  cli_table_destroy(&table);
}

// Nothing is said of a result that does not vary, or that no trial has.
static bool is_known(const ts_summary_sensitivities *found)
{
  for (int i = 0; i < found->count; ++i)
    if (!isnan(found->list[i].first.value)) return true;
  return false;
}

static ts_status tell_sensitivities(printed *p, ts_error *error)
{
  if (p->as_json) cli_json_open_array(&p->json, "sensitivities");
  for (int i = 0; i < ts_table_column_count(p->table); ++i) {
    ts_summary_sensitivities found;
    if (ts_table_column_role(p->table, i) != TS_TABLE_ROLE_RESULT) continue;
    const ts_status status = ts_summary_sensitivities_of(p->summary, i, &found, error);
    if (status != TS_OK) return status;
    if (p->as_json)
      json_sensitivities(p, i, &found);
    else if (is_known(&found))
      print_sensitivities(p, i, &found);
  }
  if (p->as_json) cli_json_close(&p->json);
  return TS_OK;
}

// ---- all -----------------------------------------------------------------------------------------------------------

static ts_status tell(printed *p, ts_error *error)
{
  ts_status status = ts_summary_create(p->table, NULL, &p->summary, error);
  if (status != TS_OK) return status;
  if (p->as_json) {
    cli_json_init(&p->json, stdout);
    cli_json_open_object(&p->json, NULL);
    json_design(p);
  } else
    print_design(p);
  status = tell_outcomes(p, error);
  if (status == TS_OK) status = tell_results(p, error);
  if (status == TS_OK) status = tell_sensitivities(p, error);
  if (p->as_json && status == TS_OK) cli_json_close(&p->json);
  ts_summary_destroy(p->summary);
  return status;
}

int cli_summarize_table(const char *path, const char *output, bool as_json)
{
  ts_table *table;
  ts_error error = {0};
  char *named = ts_table_recognizes(path) || output ? NULL : cli_study_output(path);
  const char *file = ts_table_recognizes(path) ? path : output ? output : named;
  ts_status status = ts_table_open(file, &table, &error);
  if (status == TS_OK) {
    printed p = {.path = file, .table = table, .as_json = as_json};
    status = tell(&p, &error);
    ts_table_close(table);
  }
  if (status != TS_OK) cli_message_about(file, &error);
  free(named);
  return status == TS_OK ? CLI_SUCCESS : CLI_REFUSED;
}
