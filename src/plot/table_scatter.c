// Points of two columns and how they go together, and how often the numbers of one column lie where.
#include "plot/table_charts.h"

#include "draw/refusal.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 5000, DENSITY_BINS = 80, MOST_BARS = 40, MOST_NAMED_BARS = 24 };

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

static void name_line(const ts_summary_trend *trend, const ts_chart *chart, char *name, size_t size)
{
  const bool x = chart->x.log_scale, y = chart->y.log_scale;
  const char *of = x && y ? "line of log y over log x" : x ? "line over log x" : y ? "line of log y" : "line";
  if (isnan(trend->correlation))
    snprintf(name, size, "%s", of);
  else
    snprintf(name, size, "%s, r = %.2f", of, trend->correlation);
}

// Fitted to what is drawn: on logarithmic axes to logarithms.
static void add_trend(const ts_summary_trend *trend, ts_chart *chart)
{
  char name[64];
  ts_layer *band = ts_chart_add_layer(chart, TS_LAYER_BAND, NULL, 1);
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k)
    if (isfinite(trend->line[k].low))
      ts_chart_add_row(chart, band, (double[]){trend->x[k], trend->line[k].low, trend->line[k].high});
  name_line(trend, chart, name, sizeof name);
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
  if (view->choice->log_scale) y_over_decades = true;
  const ts_summary_trend_axes axes = {x, y, x_over_decades, y_over_decades};
  if (status == TS_OK) status = ts_summary_trend_of(view->summary, &axes, &trend, error);
  if (status != TS_OK) return status;
  if (trend.count == 0) return ts_table_refuse_pair(view->table, x, y, error);
  ts_table_label(view->table, "", x, x_label);
  ts_table_label(view->table, "", y, y_label);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, NULL, x_label, y_label);
  if (!chart) return ts_refuse_for_memory(error);
  chart->x.log_scale = x_over_decades;
  chart->y.log_scale = y_over_decades;
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

// With three digits, or as many more as it takes to see `resolution`.
static void write_number(double value, double resolution, char text[static 32])
{
  const double least = 0.1 * resolution;
  if (fabs(value) > 0.0 && least > 0.0 && least < 1e-4 * fabs(value))
    snprintf(text, 32, "%.*g", ts_axis_digits(value, value, least), value);
  else
    snprintf(text, 32, fabs(value) >= 1000.0 && fabs(value) < 1e6 ? "%.0f" : "%.3g", value);
}

static void note_mean(const ts_summary_column *told, ts_chart *chart)
{
  char missing[48] = "", value[32], low[32], high[32];
  const double width = told->mean.high - told->mean.low;
  if (told->missing > 0) snprintf(missing, sizeof missing, "; %d lack it", told->missing);
  write_number(told->mean.value, width, value);
  write_number(told->mean.low, width, low);
  write_number(told->mean.high, width, high);
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

// What only rounding tells from a constant is one bar.
static void add_single_bar(const ts_summary_column *told, ts_chart *chart)
{
  const double middle = told->mean.value, half = middle != 0.0 ? 0.05 * fabs(middle) : 0.5;
  add_bar(chart, ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, 0), middle - half, middle + half, told->count);
}

static double drawn_width(const ts_summary_axis *axis, int i)
{
  return axis->is_logarithmic ? log(axis->edges[i + 1] / axis->edges[i]) : axis->edges[i + 1] - axis->edges[i];
}

static bool is_even(const ts_summary_axis *axis)
{
  for (int i = 1; i < axis->count; ++i)
    if (fabs(drawn_width(axis, i) - drawn_width(axis, 0)) > 0.01 * drawn_width(axis, 0)) return false;
  return true;
}

// So few whole numbers that each has its bar, those between them included.
static bool are_whole(const ts_summary_axis *axis)
{
  enum { MOST = 20 };
  for (int i = 0; i < axis->count; ++i)
    if (axis->values[i] != rint(axis->values[i])) return false;
  return axis->values[axis->count - 1] - axis->values[0] < MOST;
}

static void add_bars_of_groups(const ts_summary_groups *groups, ts_chart *chart)
{
  const ts_summary_axis *axis = &groups->axes[0];
  ts_layer *bars = ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, 0);
  chart->x.log_scale = axis->is_logarithmic;
  chart->x.is_whole = !axis->is_binned;
  for (int i = 0; i < axis->count; ++i) {
    chart->x.is_whole = chart->x.is_whole && axis->values[i] == rint(axis->values[i]);
    add_bar(chart, bars, axis->edges[i], axis->edges[i + 1], groups->list[i].count);
  }
}

// The fewest digits that tell all values apart, three at least.
static int digits_of(const ts_summary_axis *axis)
{
  int digits = 3;
  for (int i = 1; i < axis->count && digits < 17;) {
    char before[32], text[32];
    snprintf(before, sizeof before, "%.*g", digits, axis->values[i - 1]);
    snprintf(text, sizeof text, "%.*g", digits, axis->values[i]);
    if (strcmp(before, text) == 0)
      ++digits;
    else
      ++i;
  }
  return digits;
}

// Values that are not as far apart as each other stand side by side.
static void add_bars_of_values(const ts_summary_groups *groups, ts_chart *chart)
{
  const ts_summary_axis *axis = &groups->axes[0];
  const int digits = digits_of(axis);
  ts_layer *bars = ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, 0);
  for (int i = 0; i < axis->count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "%.*g", digits, axis->values[i]);
    ts_chart_add_name(chart, &chart->x, name);
    add_bar(chart, bars, i - 0.4, i + 0.4, groups->list[i].count);
  }
  chart->x.low = -0.6;
  chart->x.high = axis->count - 0.4;
}

static ts_status add_bars_of_bins(const ts_table_view *view, int column, ts_chart *chart, ts_error *error)
{
  const int most = view->choice->bins > 0 ? view->choice->bins : MOST_BARS;
  ts_summary_histogram histogram;
  const ts_status status = ts_summary_histogram_of(view->summary, column, most, &histogram, error);
  if (status != TS_OK) return status;
  ts_layer *bars = ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, 0);
  for (int i = 0; i < histogram.bins; ++i)
    add_bar(chart, bars, histogram.edges[i], histogram.edges[i + 1], histogram.counts[i]);
  chart->x.is_whole = is_halfway(histogram.edges[0]) && is_halfway(histogram.edges[1]);
  return TS_OK;
}

// Bars of equal width suit numbers that are spread evenly. Of few values each has its bar, and numbers over decades
// have bars of equal width there.
static ts_status add_bars(const ts_table_view *view, int column, const ts_summary_column *told, ts_chart *chart,
                          ts_error *error)
{
  const ts_summary_grouping grouping = {
      .result = -1, .columns = {column}, .column_count = 1, .bins = {view->choice->bins}};
  ts_summary_groups groups;
  const ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status != TS_OK) return status;
  const ts_summary_axis *axis = &groups.axes[0];
  const bool of_values = !axis->is_binned;
  if (told->low < told->high && ts_range_is_constant(told->low, told->high))
    add_single_bar(told, chart);
  else if ((axis->is_logarithmic || of_values) && is_even(axis))
    add_bars_of_groups(&groups, chart);
  else if (of_values && axis->count <= MOST_NAMED_BARS && !are_whole(axis))
    add_bars_of_values(&groups, chart);
  else
    return add_bars_of_bins(view, column, chart, error);
  return TS_OK;
}

ts_status ts_table_histogram_chart(const ts_table_view *view, int column, ts_error *error)
{
  ts_summary_column told;
  char label[TS_TABLE_LABEL_SIZE], title[TS_TABLE_LABEL_SIZE];
  const ts_status status = ts_summary_column_of(view->summary, column, &told, error);
  if (status != TS_OK) return status;
  ts_table_label(view->table, "", column, label);
  ts_table_shorten(ts_table_column_name(view->table, column), 40, title);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, title, label, "trials");
  if (!chart) return ts_refuse_for_memory(error);
  chart->y.log_scale = view->choice->log_scale;
  chart->y.low = chart->y.log_scale ? 0.5 : 0.0;
  chart->y.is_whole = true;
  note_mean(&told, chart);
  return add_bars(view, column, &told, chart, error);
}
