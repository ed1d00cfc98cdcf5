#include "cli/option_list.h"

#include "cli/json.h"
#include "cli/table.h"

#include "touchstone/sim.h"

#include <stdio.h>

static const char *taker_of(const ts_step_option *option)
{
  return option->stepper ? ts_stepper_name(option->stepper) : "";
}

void cli_print_step_options(void)
{
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "option", 'l');
  cli_table_column(&table, "stepper", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "range", 'l');
  cli_table_column(&table, "default", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < ts_step_option_count(); ++i) {
    const ts_step_option option = ts_step_option_at(i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", option.name);
    cli_table_cell(&table, "%s", taker_of(&option));
    cli_table_cell(&table, "%s", option.unit);
    cli_table_cell(&table, "%s", option.range);
    cli_table_cell(&table, "%s", option.fallback);
    cli_table_cell(&table, "%s", option.help);
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

void cli_write_step_options(void)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < ts_step_option_count(); ++i) {
    const ts_step_option option = ts_step_option_at(i);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "name", option.name);
    cli_json_text(&json, "stepper", taker_of(&option));
    cli_json_text(&json, "type", option.type);
    cli_json_text(&json, "unit", option.unit);
    cli_json_text(&json, "range", option.range);
    cli_json_text(&json, "default", option.fallback);
    cli_json_text(&json, "help", option.help);
    cli_json_close(&json);
  }
  cli_json_close(&json);
}
