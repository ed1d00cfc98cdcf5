#include "cli/parameter_list.h"

#include "cli/table.h"

static bool is_bounded(const ts_parameter *p)
{
  return p->least != 0.0 || p->most != 0.0;
}

static const char *text_of(const char *text)
{
  return text ? text : "";
}

static void print_parameter(cli_table *table, const ts_extension_info *info, const ts_parameter *p)
{
  cli_table_row(table);
  cli_table_cell(table, "%s", info->name);
  cli_table_cell(table, "%s", p->name);
  cli_table_cell(table, "%s", text_of(p->unit));
  if (is_bounded(p))
    cli_table_cell(table, "%g .. %g", p->least, p->most);
  else
    cli_table_cell(table, "any");
  cli_table_cell(table, "%g", p->fallback);
  cli_table_cell(table, "%s", text_of(p->help));
}

void cli_print_parameters(const ts_extensions *extensions, ts_extension_kind kind, const char *owner)
{
  cli_table table;
  ts_extension_info info;
  int count = 0;
  cli_table_init(&table);
  cli_table_column(&table, owner, 'l');
  cli_table_column(&table, "parameter", 'l');
  cli_table_column(&table, "unit", 'l');
  cli_table_column(&table, "range", 'l');
  cli_table_column(&table, "default", 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; ts_extensions_at(extensions, kind, i, &info); ++i)
    for (int k = 0; k < info.parameter_count; ++k, ++count) print_parameter(&table, &info, &info.parameters[k]);
  if (count > 0) {
    putchar('\n');
    cli_table_print(&table, 0, stdout);
  }
  cli_table_destroy(&table);
}

void cli_write_parameters(cli_json *json, const ts_extension_info *info)
{
  cli_json_open_array(json, "parameters");
  for (int k = 0; k < info->parameter_count; ++k) {
    const ts_parameter *p = &info->parameters[k];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", p->name);
    cli_json_text(json, "unit", text_of(p->unit));
    if (is_bounded(p)) {
      cli_json_number(json, "least", p->least);
      cli_json_number(json, "most", p->most);
    }
    cli_json_number(json, "default", p->fallback);
    cli_json_text(json, "help", text_of(p->help));
    cli_json_close(json);
  }
  cli_json_close(json);
}
