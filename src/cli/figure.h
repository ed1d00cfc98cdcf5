// A figure of curves: what is in it, and the gnuplot script that draws it.
#ifndef TS_CLI_FIGURE_H
#define TS_CLI_FIGURE_H

#include "cli/image_file.h"

#include "touchstone/sim.h"

#include <stdio.h>

enum { CLI_MOST_CURVES = 8, CLI_MOST_LANES = 12 }; // of a panel; more cannot be told apart

typedef struct cli_curve {
  char *name;    // for the legend
  double *x, *y; // that are not finite, or on a logarithmic axis not positive, leave a gap
  int count;
  bool scattered; // points instead of a line
} cli_curve;

// A stretch of a lane in which a pair of bodies was in this mode.
typedef struct cli_span {
  double from, to;
  int lane;
  ts_contact_mode mode;
} cli_span;

typedef struct cli_panel {
  const char *x_label;
  char *y_label;
  cli_curve curves[CLI_MOST_CURVES];
  int curve_count;
  char *lanes[CLI_MOST_LANES]; // names; a panel has curves or lanes
  int lane_count;
  cli_span *spans;
  int span_count;
  int left_out; // curves or lanes that did not fit in
  bool log_scale;
  double from, to; // as the figure's
} cli_panel;

typedef struct cli_figure {
  const char *title; // may be empty
  cli_image_format format;
  cli_image_size size;
  double from, to; // of x; infinite: as the data are
  int columns;     // panels side by side
  cli_panel *panels;
  int panel_count;
} cli_figure;

// Set the range before adding panels. Panels own their names, numbers and spans, all copied from what is given.
cli_panel *cli_figure_add_panel(cli_figure *figure, const char *x_label, const char *y_label);
void cli_panel_add_curve(cli_panel *panel, const char *name, const double *x, const double *y, int count,
                         bool scattered);
void cli_panel_add_lane(cli_panel *panel, const char *name);
void cli_panel_add_span(cli_panel *panel, cli_span span);
void cli_figure_destroy(cli_figure *figure); // the panels; not the struct

void cli_figure_drop_empty(cli_figure *figure); // panels in which nothing can be seen

void cli_figure_write_script(const cli_figure *figure, FILE *out);

// A text as gnuplot reads it, whatever is in it; control characters become blanks.
void cli_gnuplot_quote(const char *text, FILE *out);

#endif
