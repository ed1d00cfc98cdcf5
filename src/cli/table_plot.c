#include "cli/table_plot.h"

#include "cli/message.h"
#include "cli/output_file.h"

#include <math.h>
#include <string.h>

const char *cli_table_plot_option(const ts_table_choice *choice)
{
  return choice->map                 ? "map"
         : choice->histogram         ? "histogram"
         : choice->scatter           ? "scatter"
         : choice->curves            ? "curves"
         : choice->color             ? "color"
         : choice->by                ? "by"
         : choice->errors            ? "error"
         : choice->bins != 0         ? "bins"
         : isfinite(choice->contour) ? "contour"
                                     : NULL;
}

static bool refuse(const char *file, const ts_error *error)
{
  cli_message_about(file, error);
  return false;
}

static bool check_choice(const ts_table_choice *choice)
{
  const int kinds = !!choice->map + !!choice->histogram + !!choice->scatter + !!choice->curves;
  const char *of_map = choice->color               ? "color"
                       : choice->errors            ? "error"
                       : isfinite(choice->contour) ? "contour"
                                                   : NULL;
  if (kinds > 1)
    cli_message("only one of '--map', '--histogram', '--scatter' and '--curves' can be drawn at a time");
  else if (of_map && !choice->map)
    cli_message("option '--%s' needs '--map'", of_map);
  else if (choice->by && !choice->curves)
    cli_message("option '--by' needs '--curves'");
  else if (choice->bins < 0 || choice->bins > 1000)
    cli_message("option '--bins' must be from 1 to 1000, not %d", choice->bins);
  else if (choice->log_scale && !choice->histogram && !choice->scatter && !choice->curves)
    cli_message("option '--log' needs '--histogram', '--scatter' or '--curves' of a table");
  else
    return true;
  return false;
}

static const char *title_of(const cli_table_plot *request, const ts_table *table)
{
  const char *slash = strrchr(request->input, '/');
  if (request->title) return request->title;
  return *ts_table_name(table) ? ts_table_name(table) : slash ? slash + 1 : request->input;
}

static bool draw_sheet(const ts_sheet *sheet, const char *path)
{
  cli_output output;
  ts_error error;
  if (!cli_output_open(path, &output)) return false;
  const bool drawn =
      ts_sheet_draw(sheet, output.stream, &error) == TS_OK ? cli_output_commit(&output) : refuse(NULL, &error);
  cli_output_discard(&output); // what has not been committed
  return drawn;
}

bool cli_plot_table(const cli_table_plot *request)
{
  ts_table *table;
  ts_error error;
  if (!check_choice(&request->choice)) return false;
  if (ts_table_open(request->input, &table, &error) != TS_OK) return refuse(request->input, &error);
  ts_sheet sheet = {
      .title = title_of(request, table), .format = ts_image_format_of(request->output), .size = request->size};
  const bool drawn = ts_table_figure(table, &request->choice, &sheet, &error) == TS_OK
                         ? draw_sheet(&sheet, request->output)
                         : refuse(request->input, &error);
  ts_sheet_destroy(&sheet);
  ts_table_close(table);
  return drawn;
}
