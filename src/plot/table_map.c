// Maps: means of a result over two parameters, as colours.
#include "plot/table_charts.h"

#include "plot/contour.h"

#include "draw/refusal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { FEW = 5 }; // rows of a cell, below which it is marked

static double shown_value(const ts_table_view *view, const ts_summary_group *group)
{
  return view->choice->errors ? group->error : group->mean.value;
}

static void add_cells(const ts_table_view *view, const ts_summary_groups *groups, ts_chart *chart)
{
  const ts_summary_axis *x = &groups->axes[0], *y = &groups->axes[1];
  ts_layer *cells = ts_chart_add_layer(chart, TS_LAYER_CELLS, NULL, 0);
  for (int i = 0; i < x->count; ++i)
    for (int j = 0; j < y->count; ++j) {
      const double value = shown_value(view, &groups->list[i * y->count + j]);
      if (isnan(value)) continue;
      ts_chart_add_row(chart, cells, (double[]){x->edges[i], x->edges[i + 1], y->edges[j], y->edges[j + 1], value});
    }
}

// How many rows cells have, empty ones left aside.
typedef struct cell_counts {
  int least, most, few, empty;
} cell_counts;

static cell_counts count_rows(const ts_summary_groups *groups)
{
  cell_counts counts = {.least = INT_MAX};
  for (int i = 0; i < groups->count; ++i) {
    const int rows = groups->list[i].count;
    counts.empty += rows == 0;
    if (rows == 0) continue;
    counts.few += rows < FEW;
    if (rows < counts.least) counts.least = rows;
    if (rows > counts.most) counts.most = rows;
  }
  return counts;
}

static void add_crosses(const ts_summary_groups *groups, int color, bool is_thin, ts_chart *chart)
{
  static const double PIXELS = 600.0, LETTER = 10.0; // a cross fits into its cell
  const ts_summary_axis *x = &groups->axes[0], *y = &groups->axes[1];
  ts_layer *marks = ts_chart_add_layer(chart, TS_LAYER_POINTS, NULL, color);
  if (!marks) return;
  marks->is_thin = is_thin;
  marks->cross = fmax(0.2, fmin(1.0, 0.8 * PIXELS / LETTER / fmax(x->count, y->count)));
  for (int i = 0; i < groups->count; ++i)
    if (groups->list[i].count > 0 && groups->list[i].count < FEW)
      ts_chart_add_row(chart, marks, (double[]){x->values[i / y->count], y->values[i % y->count]});
}

// Cells that little is known of, dark on white so that it is seen on all colours. Where all have one row nothing is
// drawn at random, and nothing is to be marked.
static void mark_few(const ts_summary_groups *groups, const cell_counts *counts, ts_chart *chart)
{
  if (counts->few == 0 || counts->most == 1) return;
  add_crosses(groups, TS_COLOR_WHITE, false, chart);
  add_crosses(groups, TS_COLOR_DARK, true, chart);
}

static void write_note(const cell_counts *counts, ts_chart *chart)
{
  char rows[64], few[64] = "", empty[64] = "";
  if (counts->least == counts->most)
    snprintf(rows, sizeof rows, "%d trial%s a cell", counts->most, counts->most == 1 ? "" : "s");
  else
    snprintf(rows, sizeof rows, "%d to %d trials a cell", counts->least, counts->most);
  if (counts->few > 0 && counts->most > 1) snprintf(few, sizeof few, "; crosses: fewer than %d", FEW);
  if (counts->empty > 0) snprintf(empty, sizeof empty, "; white: none");
  ts_chart_set_note(chart, "%s%s%s", rows, few, empty);
}

// ---- the contour ---------------------------------------------------------------------------------------------------

typedef struct contour_layer {
  ts_chart *chart;
  ts_layer *layer;
  bool x_log, y_log;
} contour_layer;

static void add_piece(void *user, double x0, double y0, double x1, double y1)
{
  const contour_layer *to = user;
  ts_chart_add_row(to->chart, to->layer,
                   (double[]){to->x_log ? exp(x0) : x0, to->y_log ? exp(y0) : y0, to->x_log ? exp(x1) : x1,
                              to->y_log ? exp(y1) : y1});
}

static double *places(const ts_summary_axis *axis, ts_heap *heap)
{
  double *at = ts_heap_zeros(heap, (size_t)axis->count, sizeof *at);
  for (int i = 0; at && i < axis->count; ++i) at[i] = axis->is_logarithmic ? log(axis->values[i]) : axis->values[i];
  return at;
}

static void add_contour(const ts_table_view *view, const ts_summary_groups *groups, ts_chart *chart)
{
  const double level = view->choice->contour;
  ts_heap *heap = &view->sheet->heap;
  if (!isfinite(level)) return;
  char name[64];
  snprintf(name, sizeof name, "mean %g", level);
  contour_layer to = {chart, ts_chart_add_layer(chart, TS_LAYER_SEGMENTS, name, 1), groups->axes[0].is_logarithmic,
                      groups->axes[1].is_logarithmic};
  double *x = places(&groups->axes[0], heap), *y = places(&groups->axes[1], heap),
         *values = ts_heap_zeros(heap, (size_t)groups->count, sizeof *values);
  for (int i = 0; values && i < groups->count; ++i) values[i] = groups->list[i].mean.value;
  const ts_contour_field field = {groups->axes[0].count, groups->axes[1].count, x, y, values};
  if (!heap->exhausted) ts_contour_find(&field, level, add_piece, &to);
  free(x);
  free(y);
  free(values);
}

// ---- the chart -----------------------------------------------------------------------------------------------------

static void set_range(const ts_summary_axis *from, ts_chart_axis *axis)
{
  axis->log_scale = from->is_logarithmic;
  axis->low = from->edges[0];
  axis->high = from->edges[from->count];
}

ts_status ts_table_map_chart(const ts_table_view *view, int x, int y, int color, ts_error *error)
{
  const int bins = view->choice->bins;
  const ts_summary_grouping grouping = {.result = color, .columns = {x, y}, .column_count = 2, .bins = {bins, bins}};
  ts_summary_groups groups;
  char x_label[TS_TABLE_LABEL_SIZE], y_label[TS_TABLE_LABEL_SIZE], label[TS_TABLE_LABEL_SIZE];
  const ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status != TS_OK) return status;
  const cell_counts counts = groups.count > 0 ? count_rows(&groups) : (cell_counts){0};
  if (counts.most == 0)
    return ts_refuse(error, TS_INVALID, "no trial has numbers for '%.60s', '%.60s' and '%.60s'",
                     ts_table_column_name(view->table, x), ts_table_column_name(view->table, y),
                     ts_table_column_name(view->table, color));
  ts_table_label(view->table, "", x, x_label);
  ts_table_label(view->table, "", y, y_label);
  ts_table_label(view->table,
                 view->choice->errors ? "standard error of "
                 : groups.is_share    ? "share of "
                                      : "mean of ",
                 color, label);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, NULL, x_label, y_label);
  if (!chart) return ts_refuse_for_memory(error);
  chart->color.label = ts_heap_copy(&view->sheet->heap, label);
  set_range(&groups.axes[0], &chart->x);
  set_range(&groups.axes[1], &chart->y);
  if (groups.is_share && !view->choice->errors) chart->color.low = 0.0, chart->color.high = 1.0;
  add_cells(view, &groups, chart);
  mark_few(&groups, &counts, chart);
  add_contour(view, &groups, chart);
  write_note(&counts, chart);
  return TS_OK;
}
