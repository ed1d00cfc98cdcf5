// touchstone plot: figures of a run, or of the table of a study.
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/arguments.h"
#include "cli/image_file.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/table_plot.h"

#include "plot/figure_layout.h"
#include "plot/gnuplot.h"
#include "plot/series_panels.h"
#include "plot/summary_sheet.h"

#include "touchstone/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct plot_request {
  const char *input, *y, *x, *output, *title;
  double from, to;
  ts_image_size size;
  bool log_scale;
  ts_table_choice table;
} plot_request;

#define FIELD(field) offsetof(plot_request, field)

static const cli_option options[] = {
    {"y", 'y', "NAMES", &cli_value_text, FIELD(y), "",
     "series to draw (commas; * and ? as wildcards), contacts(NAME, NAME).fn among them; without it a summary"},
    {"x", 'x', "NAME", &cli_value_text, FIELD(x), "", "series to draw against instead of time"},
    {"from", 0, "X", &cli_value_double, FIELD(from), "", "start of the horizontal axis"},
    {"to", 0, "X", &cli_value_double, FIELD(to), "", "its end"},
    {"map", 0, "X,Y", &cli_value_text, FIELD(table.map), "",
     "of a table: means over two columns as colours; columns of many values are binned"},
    {"color", 0, "NAME", &cli_value_text, FIELD(table.color), "",
     "of a map: whose mean it is, or share where all is 0 or 1; without it the first result"},
    {"error", 0, NULL, &cli_value_flag, FIELD(table.errors), "", "of a map: standard errors instead of means"},
    {"contour", 0, "V", &cli_value_double, FIELD(table.contour), "", "of a map: a line where the mean is V"},
    {"histogram", 0, "NAMES", &cli_value_text, FIELD(table.histogram), "",
     "of a table: how columns are spread (commas)"},
    {"scatter", 0, "X,Y", &cli_value_text, FIELD(table.scatter), "",
     "of a table: points, their line, and a trend that follows them"},
    {"curves", 0, "X,Y", &cli_value_text, FIELD(table.curves), "",
     "of a table: means of Y over X with intervals of 95 %"},
    {"by", 0, "NAME", &cli_value_text, FIELD(table.by), "", "of curves: one for each value of this column"},
    {"bins", 0, "N", &cli_value_int, FIELD(table.bins), "", "of columns of a table that are binned; 0: as rows allow"},
    {"output", 'o', "FILE", &cli_value_figure_file, FIELD(output), "", "%s; without it RUN.plot.svg"},
    {"size", 's', "WxH", &cli_value_image_size, FIELD(size), "pixels", "size of the figure; without it as it needs"},
    {"title", 0, "TEXT", &cli_value_text, FIELD(title), "",
     "heading; without it the name of the scene or study, or of the file"},
    {"log", 'l', NULL, &cli_value_flag, FIELD(log_scale), "",
     "logarithmic vertical axes; needs --y, or --histogram, --scatter or --curves"}};

static const cli_syntax syntax = {
    .verb = "plot",
    .operands = "RUN",
    .summary = "Draw figures of a run, or of the table of a study, by gnuplot.",
    .details = "RUN is a file written by 'touchstone run' or 'touchstone sweep'. Series of different quantities get "
               "panels of their own.\n"
               "contacts(NAME, NAME).fn is the sum of the normal forces between two bodies, or groups of them,\n"
               "contacts(NAME, NAME).patch by what they touch: 0 a point, 1 a line, 2 a surface.\n"
               "The summary shows positions, speeds, joints, energy, contact forces and modes, residual and\n"
               "penetration; of each those that vary most. Thin lines mark impacts of event-driven steps.\n"
               "The summary of a table shows how trials ended, and for each result how it is spread, which parameters\n"
               "it depends on, and how on the two that matter most.\n"
               "Exit status: 0 success, 2 bad usage or bad input.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(plot_request)};

// ---- the figure ----------------------------------------------------------------------------------------------------

static bool refuse(const char *file, const ts_error *error)
{
  cli_message_about(file, error);
  return false;
}

static bool add_panels(const plot_request *request, const ts_record *record, ts_figure *figure)
{
  ts_error error;
  if (!request->y) {
    ts_summary_sheet(record, figure);
    return true;
  }
  const ts_series_choice choice = {request->y, request->x, request->log_scale};
  return ts_series_panels(record, &choice, figure, &error) == TS_OK || refuse(NULL, &error);
}

static bool draw_figure(const ts_figure *figure, const char *path)
{
  cli_output output;
  ts_error error;
  if (!cli_output_open(path, &output)) return false;
  const bool drawn =
      ts_gnuplot_draw(figure, output.stream, &error) == TS_OK ? cli_output_commit(&output) : refuse(NULL, &error);
  cli_output_discard(&output); // what has not been committed
  return drawn;
}

static bool complete_figure(const plot_request *request, const ts_record *record, ts_figure *figure)
{
  if (!add_panels(request, record, figure)) return false;
  if (figure->heap.exhausted) cli_out_of_memory();
  ts_figure_drop_empty(figure);
  if (figure->panel_count == 0) {
    cli_message("%s: there is nothing to draw%s", request->input, request->log_scale ? " above zero" : "");
    return false;
  }
  if (figure->size.width == 0) ts_figure_choose_size(figure);
  return true;
}

static const char *file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The scene that the run holds, for its name; NULL: there is none that can be read.
static ts_scene *scene_of(const ts_record *record, const char *path)
{
  ts_scene *scene = NULL;
  const char *text = ts_record_scene(record);
  if (text) ts_scene_parse(text, strlen(text), path, NULL, 0, &scene, NULL);
  return scene;
}

static const char *title_of(const plot_request *request, const ts_scene *scene)
{
  if (request->title) return request->title;
  return scene && *ts_scene_name(scene) ? ts_scene_name(scene) : file_name(request->input);
}

static bool plot_record(const plot_request *request, const ts_record *record, const char *path)
{
  ts_scene *scene = request->title ? NULL : scene_of(record, request->input);
  ts_figure figure = {.title = title_of(request, scene),
                      .format = ts_image_format_of(path),
                      .size = request->size,
                      .from = request->from,
                      .to = request->to};
  const bool drawn = complete_figure(request, record, &figure) && draw_figure(&figure, path);
  ts_figure_destroy(&figure);
  ts_scene_destroy(scene);
  return drawn;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static bool check_request(const plot_request *request, const char *path)
{
  if (!cli_figure_format(path)) return false;
  const char *of_table = cli_table_plot_option(&request->table);
  if (of_table)
    cli_message("option '--%s' is for tables of studies, and %s is none", of_table, request->input);
  else if ((request->x || request->log_scale) && !request->y)
    cli_message("option '--%s' needs '--y'", request->x ? "x" : "log");
  else if (request->from >= request->to)
    cli_message("the axis would end at %g, not after its start at %g", request->to, request->from);
  else
    return true;
  return false;
}

// Options that are of runs alone.
static bool check_table_request(const plot_request *request)
{
  const char *option = request->y                   ? "y"
                       : request->x                 ? "x"
                       : request->from != -INFINITY ? "from"
                       : request->to != INFINITY    ? "to"
                                                    : NULL;
  if (option) cli_message("option '--%s' is for runs, and %s is a table of a study", option, request->input);
  return !option;
}

static bool plot_table(const plot_request *request, const char *path)
{
  cli_table_plot table = {request->input, path, request->title, request->size, request->table};
  table.choice.log_scale = request->log_scale;
  return cli_figure_format(path) && check_table_request(request) && cli_plot_table(&table);
}

static bool plot(const plot_request *request, const char *path)
{
  if (ts_table_recognizes(request->input)) return plot_table(request, path);
  if (!check_request(request, path)) return false;
  ts_record *record;
  ts_error error;
  if (ts_record_open(request->input, &record, &error) != TS_OK) return refuse(request->input, &error);
  const bool good = plot_record(request, record, path);
  ts_record_close(record);
  return good;
}

static int run(int argc, char **argv)
{
  plot_request request = {.from = -INFINITY, .to = INFINITY, .table.contour = INFINITY};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &request.input);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  char *beside = cli_name_beside(request.input, ".plot.svg");
  const char *path = request.output ? request.output : beside;
  const bool good = plot(&request, path);
  if (good) printf("%s\n", path);
  free(beside);
  return good ? CLI_SUCCESS : CLI_REFUSED;
}

const cli_verb cli_plot = {"plot", "RUN", "figures of a run or of a table", run};
