// Points of two columns and how they go together, and how often the numbers of one column lie where.
#include "plot/table_charts.h"

#include "draw/refusal.h"

#include <math.h>

enum { MOST_POINTS = 5000, DENSITY_BINS = 80, MOST_BARS = 40 };

// ---- points --------------------------------------------------------------------------------------------------------

static void add_points(const ts_table_view *view, int x, int y, ts_chart *chart)
{
  const double *xs = ts_table_column_values(view->table, x), *ys = ts_table_column_values(view->table, y);
  ts_layer *points = ts_chart_add_layer(chart, TS_LAYER_POINTS, NULL, 5);
  for (int i = 0; i < ts_table_row_count(view->table); ++i)
    if (isfinite(xs[i]) && isfinite(ys[i])) ts_chart_add_row(chart, points, (double[]){xs[i], ys[i]});
}

// Of very many points how close they lie.
static ts_status add_density(const ts_table_view *view, int x, int y, ts_chart *chart, ts_error *error)
{
  const ts_summary_grouping grouping = {
      .result = -1, .columns = {x, y}, .column_count = 2, .bins = {DENSITY_BINS, DENSITY_BINS}, .always_bin = true};
  ts_summary_groups groups;
  const ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status != TS_OK) return status;
  const ts_summary_axis *across = &groups.axes[0], *up = &groups.axes[1];
  ts_layer *cells = ts_chart_add_layer(chart, TS_LAYER_CELLS, NULL, 0);
  for (int i = 0; i < groups.count; ++i) {
    const int a = i / up->count, b = i % up->count;
    if (groups.list[i].count > 0)
      ts_chart_add_row(chart, cells,
                       (double[]){across->edges[a], across->edges[a + 1], up->edges[b], up->edges[b + 1],
                                  (double)groups.list[i].count});
  }
  chart->of_counts = true;
  chart->color.low = 0.0;
  chart->color.label = ts_heap_copy(&view->sheet->heap, "trials");
  return TS_OK;
}

static void add_trend(const ts_summary_trend *trend, ts_chart *chart)
{
  char name[64];
  ts_layer *band = ts_chart_add_layer(chart, TS_LAYER_BAND, NULL, 1);
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k)
    if (isfinite(trend->line[k].low))
      ts_chart_add_row(chart, band, (double[]){trend->x[k], trend->line[k].low, trend->line[k].high});
  snprintf(name, sizeof name, isnan(trend->correlation) ? "line" : "line, r = %.2f", trend->correlation);
  ts_layer *line = ts_chart_add_layer(chart, TS_LAYER_LINE, name, 1);
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k)
    ts_chart_add_row(chart, line, (double[]){trend->x[k], trend->line[k].value});
  ts_layer *smooth = ts_chart_add_layer(chart, TS_LAYER_LINE, "smooth (LOESS)", TS_COLOR_DARK);
  if (smooth) smooth->is_dashed = true;
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k)
    ts_chart_add_row(chart, smooth, (double[]){trend->x[k], trend->smooth[k]});
}

// Whether a column is best drawn over decades.
static ts_status ask_for_decades(const ts_table_view *view, int column, bool *over_decades, ts_error *error)
{
  const ts_summary_grouping grouping = {
      .result = -1, .columns = {column}, .column_count = 1, .bins = {1}, .always_bin = true};
  ts_summary_groups groups;
  const ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status == TS_OK) *over_decades = groups.axes[0].is_logarithmic;
  return status;
}

ts_status ts_table_scatter_chart(const ts_table_view *view, int x, int y, ts_error *error)
{
  char x_label[TS_TABLE_LABEL_SIZE], y_label[TS_TABLE_LABEL_SIZE];
  ts_summary_trend trend;
  bool x_over_decades = false, y_over_decades = false;
  ts_status status = ask_for_decades(view, x, &x_over_decades, error);
  if (status == TS_OK) status = ask_for_decades(view, y, &y_over_decades, error);
  if (status == TS_OK) status = ts_summary_trend_of(view->summary, x, y, x_over_decades, &trend, error);
  if (status != TS_OK) return status;
  if (trend.count == 0) return ts_table_refuse_pair(view->table, x, y, error);
  ts_table_label(view->table, "", x, x_label);
  ts_table_label(view->table, "", y, y_label);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, NULL, x_label, y_label);
  if (!chart) return ts_refuse_for_memory(error);
  chart->x.log_scale = x_over_decades;
  chart->y.log_scale = view->choice->log_scale || y_over_decades;
  if (trend.count <= MOST_POINTS)
    add_points(view, x, y, chart);
  else
    status = add_density(view, x, y, chart, error);
  add_trend(&trend, chart);
  char left_out[64] = "", some[96] = "";
  if (trend.missing > 0) snprintf(left_out, sizeof left_out, ", %d more lack a number", trend.missing);
  if (trend.smooth_count < trend.count) snprintf(some, sizeof some, "; LOESS by %d of them", trend.smooth_count);
  ts_chart_set_note(chart, "%d trials%s; rank correlation %.2f%s", trend.count, left_out, trend.rank_correlation, some);
  return status;
}

// ---- histograms ----------------------------------------------------------------------------------------------------

static void write_number(double value, char text[static 24])
{
  snprintf(text, 24, fabs(value) >= 1000.0 && fabs(value) < 1e6 ? "%.0f" : "%.3g", value);
}

static void note_mean(const ts_summary_column *told, ts_chart *chart)
{
  char missing[48] = "", value[24], low[24], high[24];
  if (told->missing > 0) snprintf(missing, sizeof missing, "; %d lack it", told->missing);
  write_number(told->mean.value, value);
  write_number(told->mean.low, low);
  write_number(told->mean.high, high);
  if (isnan(told->mean.low))
    ts_chart_set_note(chart, "%s%s", value, missing);
  else
    ts_chart_set_note(chart, "%s %s (%s to %s)%s", told->is_share ? "share" : "mean", value, low, high, missing);
}

// Bars of whole numbers have their edges halfway between them.
static bool is_halfway(double edge)
{
  return edge == floor(edge) + 0.5;
}

static void add_bar(ts_chart *chart, ts_layer *bars, double from, double to, int count)
{
  if (count > 0) ts_chart_add_row(chart, bars, (double[]){from, to, chart->y.low, (double)count});
}

// Bars of equal width suit numbers that are spread evenly. Of few values each has its bar, and numbers over decades
// have bars of equal width there.
static ts_status add_bars(const ts_table_view *view, int column, ts_chart *chart, ts_error *error)
{
  const int most = view->choice->bins > 0 ? view->choice->bins : MOST_BARS;
  const ts_summary_grouping grouping = {
      .result = -1, .columns = {column}, .column_count = 1, .bins = {view->choice->bins}};
  const ts_summary_axis *axis;
  ts_summary_groups groups;
  ts_summary_histogram histogram;
  ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status == TS_OK) status = ts_summary_histogram_of(view->summary, column, most, &histogram, error);
  if (status != TS_OK) return status;
  ts_layer *bars = ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, 0);
  axis = &groups.axes[0];
  if (axis->is_logarithmic || !axis->is_binned) {
    chart->x.log_scale = axis->is_logarithmic;
    for (int i = 0; i < axis->count; ++i)
      add_bar(chart, bars, axis->edges[i], axis->edges[i + 1], groups.list[i].count);
  } else
    for (int i = 0; i < histogram.bins; ++i)
      add_bar(chart, bars, histogram.edges[i], histogram.edges[i + 1], histogram.counts[i]);
  chart->x.is_whole = is_halfway(histogram.edges[0]) && is_halfway(histogram.edges[1]);
  return TS_OK;
}

ts_status ts_table_histogram_chart(const ts_table_view *view, int column, ts_error *error)
{
  ts_summary_column told;
  char label[TS_TABLE_LABEL_SIZE], title[TS_TABLE_LABEL_SIZE];
  const ts_status status = ts_summary_column_of(view->summary, column, &told, error);
  if (status != TS_OK) return status;
  if (told.count == 0)
    return ts_refuse(error, TS_INVALID, "no trial has a number for '%.60s'", ts_table_column_name(view->table, column));
  ts_table_label(view->table, "", column, label);
  ts_table_shorten(ts_table_column_name(view->table, column), 40, title);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, title, label, "trials");
  if (!chart) return ts_refuse_for_memory(error);
  chart->y.log_scale = view->choice->log_scale;
  chart->y.low = chart->y.log_scale ? 0.5 : 0.0;
  chart->y.is_whole = true;
  note_mean(&told, chart);
  return add_bars(view, column, chart, error);
}
