#include "cli/support_list.h"

#include "cli/table.h"

#include <stdio.h>

int cli_support_count(const ts_model *model)
{
  int count = 0;
  for (int b = 0; b < ts_model_body_count(model); ++b) count += ts_model_support_count(model, b);
  return count;
}

void cli_print_supports(const ts_model *model)
{
  enum { POINTS_SHOWN = 12 }; // of a body: a grid has hundreds
  if (cli_support_count(model) == 0) return;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "support of", 'l');
  cli_table_column(&table, "x [m]", 'r');
  cli_table_column(&table, "y [m]", 'r');
  cli_table_column(&table, "load [N]", 'r');
  cli_table_column(&table, "friction", 'r');
  for (int b = 0; b < ts_model_body_count(model); ++b)
    for (int i = 0; i < ts_model_support_count(model, b) && i < POINTS_SHOWN; ++i) {
      const ts_support_point point = ts_model_support(model, b, i);
      cli_table_row(&table);
      cli_table_cell(&table, "%s", ts_model_body_name(model, b));
      cli_table_cell(&table, "%.6g", point.at.x);
      cli_table_cell(&table, "%.6g", point.at.y);
      cli_table_cell(&table, "%.6g", point.load);
      cli_table_cell(&table, "%.6g", point.friction);
    }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
  for (int b = 0; b < ts_model_body_count(model); ++b)
    if (ts_model_support_count(model, b) > POINTS_SHOWN)
      printf("  and %d more of %s\n", ts_model_support_count(model, b) - POINTS_SHOWN, ts_model_body_name(model, b));
}

void cli_write_supports(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "supports");
  for (int b = 0; b < ts_model_body_count(model); ++b)
    for (int i = 0; i < ts_model_support_count(model, b); ++i) {
      const ts_support_point point = ts_model_support(model, b, i);
      cli_json_open_object(json, NULL);
      cli_json_text(json, "body", ts_model_body_name(model, b));
      cli_json_number(json, "x", point.at.x);
      cli_json_number(json, "y", point.at.y);
      cli_json_number(json, "load", point.load);
      cli_json_number(json, "friction", point.friction);
      cli_json_close(json);
    }
  cli_json_close(json);
}
