// touchstone plot: figures of a run.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/canvas.h"
#include "cli/figure.h"
#include "cli/gnuplot.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/series.h"
#include "cli/summary_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct plot_request {
  const char *input, *y, *x, *output, *title;
  double from, to;
  cli_image_size size;
  bool log_scale;
} plot_request;

#define FIELD(field) offsetof(plot_request, field)

static const cli_option options[] = {
    {"y", 'y', "NAMES", &cli_value_text, FIELD(y), "",
     "series to draw (commas; * and ? as wildcards); without it a summary"},
    {"x", 'x', "NAME", &cli_value_text, FIELD(x), "", "series to draw against instead of time"},
    {"from", 0, "X", &cli_value_double, FIELD(from), "", "start of the horizontal axis"},
    {"to", 0, "X", &cli_value_double, FIELD(to), "", "its end"},
    {"output", 'o', "FILE", &cli_value_text, FIELD(output), "",
     "FILE.svg, FILE.png or FILE.pdf; without it RUN.plot.svg"},
    {"size", 's', "WxH", &cli_value_image_size, FIELD(size), "pixels", "size of the figure; without it as it needs"},
    {"title", 0, "TEXT", &cli_value_text, FIELD(title), "", "heading; without it the name of the file"},
    {"log", 'l', NULL, &cli_value_flag, FIELD(log_scale), "", "logarithmic vertical axes; needs --y"}};

static const cli_syntax syntax = {
    .verb = "plot",
    .operands = "RUN",
    .summary = "Draw figures of a run, by gnuplot.",
    .details = "RUN is a file written by 'touchstone run'. Series of different quantities get panels of their own.\n"
               "The summary shows positions, speeds, energy, contact forces and modes, residual and penetration.\n"
               "Exit status: 0 success, 2 bad usage or bad input.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(plot_request)};

// ---- panels of chosen series ---------------------------------------------------------------------------------------

static cli_panel *panel_for(const cli_series *series, const char *x_label, cli_figure *figure)
{
  for (int i = 0; i < figure->panel_count; ++i)
    if (strcmp(figure->panels[i].y_label, series->label) == 0) return &figure->panels[i];
  return cli_figure_add_panel(figure, x_label, series->label);
}

static bool check_abscissa(const cli_series *x, const cli_series *y)
{
  if (!x->values || x->times == y->times) return true;
  cli_message("'%s' cannot be drawn against '%s': they come from different tables of the run", y->name, x->name);
  return false;
}

static bool add_chosen(const plot_request *request, const cli_series *list, int count, const cli_series *x,
                       cli_figure *figure)
{
  for (int i = 0; i < count; ++i) {
    const cli_series *y = &list[i];
    if (!check_abscissa(x, y)) return false;
    cli_panel *panel = panel_for(y, x->values ? x->name : "time [s]", figure);
    panel->log_scale = request->log_scale;
    cli_panel_add_curve(panel, y->name, x->values ? x->values : y->times, y->values, y->count, y->scattered);
  }
  return true;
}

static bool add_panels(const plot_request *request, const ts_record *record, cli_figure *figure)
{
  figure->columns = 1;
  cli_series x = {0};
  if (request->x && !cli_series_find(record, request->x, &x)) {
    cli_series_refuse(record, request->x);
    return false;
  }
  int count = 0;
  cli_series *list = cli_series_choose(record, request->y, &count);
  const bool added = list && add_chosen(request, list, count, &x, figure);
  free(list);
  return added;
}

// ---- the figure ----------------------------------------------------------------------------------------------------

static void choose_size(const plot_request *request, cli_figure *figure)
{
  const int columns = figure->columns, rows = (figure->panel_count + columns - 1) / columns;
  const int height = rows == 1 ? 420 : 60 + (columns == 1 ? 290 : 270) * rows;
  figure->size = request->size.width > 0
                     ? request->size
                     : (cli_image_size){columns == 1 ? 900 : 1240, height < CLI_CANVAS_MOST ? height : CLI_CANVAS_MOST};
}

static bool draw_figure(const cli_figure *figure, const char *path)
{
  cli_output output;
  if (!cli_output_open(path, &output)) return false;
  char *script = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&script, &length);
  if (!stream) cli_out_of_memory();
  cli_figure_write_script(figure, stream);
  fclose(stream);
  const bool drawn = cli_gnuplot_run(script, length, output.stream) && cli_output_commit(&output);
  free(script);
  cli_output_discard(&output); // what has not been committed
  return drawn;
}

static const char *file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool plot_record(const plot_request *request, const ts_record *record, const char *path)
{
  cli_figure figure = {.title = request->title ? request->title : file_name(request->input),
                       .format = cli_image_format_of(path),
                       .from = request->from,
                       .to = request->to};
  bool good = true;
  if (request->y)
    good = add_panels(request, record, &figure);
  else
    cli_summary_sheet(record, &figure);
  if (good) {
    cli_figure_drop_empty(&figure);
    good = figure.panel_count > 0;
    if (!good) cli_message("%s: there is nothing to draw%s", request->input, request->log_scale ? " above zero" : "");
  }
  if (good) {
    choose_size(request, &figure);
    good = draw_figure(&figure, path);
  }
  cli_figure_destroy(&figure);
  return good;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static bool check_request(const plot_request *request, const char *path)
{
  if (cli_image_format_of(path) == CLI_IMAGE_UNKNOWN)
    cli_message("%s: figures are written as .svg, .png or .pdf", path);
  else if ((request->x || request->log_scale) && !request->y)
    cli_message("option '--%s' needs '--y'", request->x ? "x" : "log");
  else if (request->from >= request->to)
    cli_message("the axis would end at %g, not after its start at %g", request->to, request->from);
  else
    return true;
  return false;
}

static bool plot(const plot_request *request, const char *path)
{
  if (!check_request(request, path)) return false;
  ts_record *record;
  ts_error error;
  if (ts_record_open(request->input, &record, &error) != TS_OK) {
    cli_message_about(request->input, &error);
    return false;
  }
  const bool good = plot_record(request, record, path);
  ts_record_close(record);
  return good;
}

static int run(int argc, char **argv)
{
  plot_request request = {.from = -INFINITY, .to = INFINITY};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &request.input);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  char *beside = cli_name_beside(request.input, ".plot.svg");
  const char *path = request.output ? request.output : beside;
  const bool good = plot(&request, path);
  if (good) printf("%s\n", path);
  free(beside);
  return good ? CLI_SUCCESS : CLI_REFUSED;
}

const cli_verb cli_plot = {"plot", "RUN", "figures of a run", run};
