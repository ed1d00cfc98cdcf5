// A figure of curves: what is in it, and the gnuplot script that draws it.
#ifndef TS_PLOT_FIGURE_H
#define TS_PLOT_FIGURE_H

#include "draw/image_format.h"

#include "touchstone/sim.h"

#include <stdio.h>

enum { TS_MOST_CURVES = 8, TS_MOST_LANES = 12 }; // of a panel; more cannot be told apart

typedef struct ts_curve {
  char *name;    // for the legend
  double *x, *y; // that are not finite, or on a logarithmic axis not positive, leave a gap
  int count;
  bool scattered; // points instead of a line
} ts_curve;

// A stretch of a lane in which a pair of bodies was in this mode.
typedef struct ts_mode_span {
  double from, to;
  int lane;
  ts_contact_mode mode;
} ts_mode_span;

typedef struct ts_panel {
  const char *x_label;
  char *y_label;
  ts_curve curves[TS_MOST_CURVES];
  int curve_count;
  char *lanes[TS_MOST_LANES]; // names; a panel has curves or lanes
  int lane_count;
  ts_mode_span *spans;
  int span_count;
  int left_out; // curves or lanes that did not fit in
  bool log_scale;
  double from, to; // as the figure's
  ts_heap *heap;   // the figure's
} ts_panel;

typedef struct ts_figure {
  const char *title;             // may be empty
  const ts_image_format *format; // one that takes figures
  ts_image_size size;
  double from, to; // of x; infinite: as the data are
  int columns;     // panels side by side
  double *marks;   // x of thin lines through all panels, such as impacts
  int mark_count;
  ts_panel *panels;
  int panel_count;
  ts_heap heap; // when it is exhausted something is missing
} ts_figure;

// Set the range before adding panels; the figure stays where it is from then on. Panels own their names, numbers and
// spans, all copied from what is given. NULL: memory ran out.
ts_panel *ts_figure_add_panel(ts_figure *figure, const char *x_label, const char *y_label);
void ts_panel_add_curve(ts_panel *panel, const char *name, const double *x, const double *y, int count, bool scattered);
void ts_panel_add_lane(ts_panel *panel, const char *name);
void ts_panel_add_span(ts_panel *panel, ts_mode_span span);
// One range of x for all panels: that of these times, where nothing else is set. Before panels are added.
void ts_figure_span(ts_figure *figure, const double *times, int count);
void ts_figure_add_mark(ts_figure *figure, double x);
void ts_figure_destroy(ts_figure *figure); // the panels; not the struct

void ts_figure_drop_empty(ts_figure *figure); // panels in which nothing can be seen

bool ts_panel_shows(const ts_panel *panel, double x, double y); // whether the point can be seen
bool ts_curve_is_empty(const ts_panel *panel, const ts_curve *curve);

void ts_figure_write_script(const ts_figure *figure, FILE *out);

// A text as gnuplot reads it, whatever is in it; control characters become blanks.
void ts_gnuplot_quote(const char *text, FILE *out);
// The label of a tic is a format of its number, in which '%' counts twice for one.
void ts_gnuplot_quote_tic(const char *text, FILE *out);

#endif
