// Figures of tables: a sheet of charts, each of layers drawn upon one another, and the gnuplot script that draws them.
#ifndef TS_PLOT_CHART_H
#define TS_PLOT_CHART_H

#include "plot/axis_numbers.h"

#include "draw/image_format.h"

#include "touchstone/status.h"

#include <stdio.h>

typedef enum ts_layer_kind {
  TS_LAYER_LINE,     // x, y; a row that is not finite is a gap
  TS_LAYER_POINTS,   // x, y
  TS_LAYER_BAND,     // x, low, high
  TS_LAYER_SEGMENTS, // x, y, x, y
  TS_LAYER_BOXES,    // x from, to, y from, to
  TS_LAYER_CELLS,    // the same, and the number that its colour stands for
  TS_LAYER_KIND_COUNT
} ts_layer_kind;

enum { TS_MOST_LAYER_COLUMNS = 5, TS_COLOR_GRAY = -1, TS_COLOR_DARK = -2, TS_COLOR_WHITE = -3 };

typedef struct ts_layer {
  ts_layer_kind kind;
  char *name; // for the key, or NULL
  int color;  // of the palette, or one of the above
  bool is_dashed, is_thin;
  double cross;    // of points: crosses of this size, in heights of a letter; 0: dots
  double *numbers; // row after row (rows times the columns of its kind)
  int rows, capacity;
} ts_layer;

typedef struct ts_chart_axis {
  char *label;
  bool log_scale;
  bool is_whole;    // no numbers between whole ones
  double low, high; // NAN: as the layers need
  char **names;     // at 0, 1, 2, ..., instead of numbers
  int name_count;
} ts_chart_axis;

// A rectangle of the sheet, from its upper left corner [pixels].
typedef struct ts_chart_frame {
  double left, top, width, height;
} ts_chart_frame;

typedef struct ts_sheet ts_sheet;

typedef struct ts_chart {
  char *title, *note; // above it, and below it; may be NULL
  ts_chart_axis x, y, color;
  bool of_counts; // colours are of counts: the more the darker
  ts_layer *layers;
  int layer_count;
  ts_chart_frame frame;
  ts_sheet *sheet;
} ts_chart;

typedef struct ts_sheet_text {
  double left, top; // [pixels]
  char *text;
} ts_sheet_text;

struct ts_sheet {
  const char *title;             // may be empty
  const ts_image_format *format; // one that takes figures
  ts_image_size size;
  ts_chart **charts;
  int chart_count;
  ts_sheet_text *texts;
  int text_count;
  ts_heap heap; // when it is exhausted something is missing
};

// All texts are copied, and may be NULL. The sheet stays where it is. NULL: memory ran out.
ts_chart *ts_sheet_add_chart(ts_sheet *sheet, const char *title, const char *x_label, const char *y_label);
void ts_sheet_add_text(ts_sheet *sheet, double left, double top, const char *text);
void ts_sheet_destroy(ts_sheet *sheet); // what is in it; not the struct

// The layer is the chart's; the number of a layer stays. NULL: memory ran out.
ts_layer *ts_chart_add_layer(ts_chart *chart, ts_layer_kind kind, const char *name, int color);
// One row of as many numbers as the kind has. `chart` is the layer's; nothing happens without a layer.
void ts_chart_add_row(ts_chart *chart, ts_layer *layer, const double *numbers);
void ts_chart_add_name(ts_chart *chart, ts_chart_axis *axis, const char *name);
__attribute__((format(printf, 2, 3))) void ts_chart_set_note(ts_chart *chart, const char *format, ...);

int ts_layer_column_count(ts_layer_kind kind);
// Whether a number can be drawn: gnuplot takes no differences of such as are larger.
bool ts_chart_takes(double number);

// ---- how it is laid out --------------------------------------------------------------------------------------------

// What is between the axes [pixels].
ts_chart_frame ts_chart_inside(const ts_chart *chart);
bool ts_chart_key_is_beside(const ts_chart *chart);

double ts_chart_title_left(const ts_chart *chart); // where the title begins [pixels]

// Pixels that texts may take without lying upon others or leaving the frame.
typedef struct ts_chart_room {
  double title, note, x_label, y_label;    // labels of vertical axes all have that of y
  double x_middle, y_middle, color_middle; // where labels have their middles
  double names;                            // each, at the vertical axis
  double key;                              // each name of it
} ts_chart_room;
ts_chart_room ts_chart_text_room(const ts_chart *chart);

// Of names at the horizontal axis every so manieth has room.
int ts_chart_x_name_stride(const ts_chart *chart);

// The range of an axis: as it is set, or what the layers need and some room around.
ts_axis_range ts_chart_x_range(const ts_chart *chart);
ts_axis_range ts_chart_y_range(const ts_chart *chart);
ts_axis_range ts_chart_color_range(const ts_chart *chart);

// ---- drawing -------------------------------------------------------------------------------------------------------

void ts_sheet_write_script(const ts_sheet *sheet, FILE *out);
ts_status ts_sheet_draw(const ts_sheet *sheet, FILE *out, ts_error *error);

#endif
