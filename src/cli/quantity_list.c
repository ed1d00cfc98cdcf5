#include "cli/quantity_list.h"

#include "cli/json.h"
#include "cli/table.h"

#include "touchstone/watch.h"

static const char *spaces_of(const ts_quantity_info *quantity)
{
  return quantity->in_space && quantity->in_plane ? "" : quantity->in_space ? "3d" : "2d, 2.5d";
}

void cli_print_quantities(void)
{
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "quantity", 'l');
  cli_table_column(&table, "space", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < ts_quantity_count(); ++i) {
    const ts_quantity_info quantity = ts_quantity_at(i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", quantity.name);
    cli_table_cell(&table, "%s", spaces_of(&quantity));
    cli_table_cell(&table, "%s", quantity.unit);
    cli_table_cell(&table, "%s", quantity.help);
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

void cli_write_quantities(void)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < ts_quantity_count(); ++i) {
    const ts_quantity_info quantity = ts_quantity_at(i);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "name", quantity.name);
    cli_json_text(&json, "space", spaces_of(&quantity));
    cli_json_text(&json, "unit", quantity.unit);
    cli_json_text(&json, "help", quantity.help);
    cli_json_close(&json);
  }
  cli_json_close(&json);
}
