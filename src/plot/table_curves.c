// Curves: means of a result over a parameter, for each value of another.
#include "plot/table_charts.h"

#include "draw/refusal.h"

#include <math.h>

enum { MOST_PLACES_WITH_BARS = 30, BINS_OF_GROUPS = 4, MOST_GROUPS = 6, FEW = 5 };

// Which of `count` groups is shown as the k-th of `shown`: the first, the last, and those between as evenly as can be.
static int spread_out(int k, int shown, int count)
{
  return shown > 1 ? (2 * k * (count - 1) + shown - 1) / (2 * (shown - 1)) : 0;
}

static void name_group(const ts_summary_axis *by, int i, char *name, size_t size)
{
  if (by->is_binned)
    snprintf(name, size, "%.3g to %.3g", by->edges[i], by->edges[i + 1]);
  else
    snprintf(name, size, "%.5g", by->values[i]);
}

// A little to the right or left, so that bars of several curves stand beside each other.
static double moved(const ts_summary_axis *x, int i, double by)
{
  const double low = x->edges[0], high = x->edges[x->count];
  return x->is_logarithmic ? x->values[i] * pow(high / low, by) : x->values[i] + by * (high - low);
}

// Intervals as bars where there is room between them, else as a band; the line lies upon them.
static void add_curve(const ts_summary_groups *groups, int group, int stride, const char *name, int color, double by,
                      ts_chart *chart)
{
  const ts_summary_axis *x = &groups->axes[0];
  const bool bars = x->count <= MOST_PLACES_WITH_BARS;
  ts_layer *intervals = ts_chart_add_layer(chart, bars ? TS_LAYER_SEGMENTS : TS_LAYER_BAND, NULL, color);
  if (intervals) intervals->is_thin = true;
  for (int i = 0; i < x->count; ++i) {
    const ts_summary_number *mean = &groups->list[i * stride + group].mean;
    if (isnan(mean->low)) continue;
    const double at = moved(x, i, bars ? by : 0.0);
    // on a logarithmic axis what reaches to 0 and below reaches to its end
    const double low = chart->y.log_scale && !(mean->low > 0.0) ? chart->y.low : mean->low;
    ts_chart_add_row(chart, intervals,
                     bars ? (double[]){at, low, at, mean->high} : (double[]){at, low, mean->high, 0.0});
  }
  ts_layer *line = ts_chart_add_layer(chart, TS_LAYER_LINE, name, color);
  for (int i = 0; i < x->count; ++i)
    ts_chart_add_row(chart, line,
                     (double[]){moved(x, i, bars ? by : 0.0), groups->list[i * stride + group].mean.value});
  if (!bars) return;
  ts_layer *points = ts_chart_add_layer(chart, TS_LAYER_POINTS, NULL, color);
  for (int i = 0; i < x->count; ++i)
    ts_chart_add_row(chart, points,
                     (double[]){moved(x, i, bars ? by : 0.0), groups->list[i * stride + group].mean.value});
}

static void widen(const ts_chart_axis *axis, double number, double *low, double *high)
{
  if (isnan(number) || (axis->log_scale && !(number > 0.0))) return;
  *low = fmin(*low, number);
  *high = fmax(*high, number);
}

// Intervals of very few rows may be a thousand times as long as others: they reach beyond the chart.
static void set_range(const ts_summary_groups *groups, ts_chart_axis *axis)
{
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < groups->count; ++i) {
    const ts_summary_group *group = &groups->list[i];
    widen(axis, group->mean.value, &low, &high);
    if (group->count < FEW) continue;
    widen(axis, group->mean.low, &low, &high);
    widen(axis, group->mean.high, &low, &high);
  }
  const bool whole = groups->is_share && !axis->log_scale;
  if (!(high > low) && !whole) return;
  const double room = 0.04 * (high - low), factor = axis->log_scale ? pow(high / low, 0.04) : 1.0;
  axis->low = whole ? 0.0 : axis->log_scale ? low / factor : low - room;
  axis->high = whole ? 1.0 : axis->log_scale ? high * factor : high + room;
}

static bool is_empty(const ts_summary_groups *groups)
{
  for (int i = 0; i < groups->count; ++i)
    if (groups->list[i].count > 0) return false;
  return true;
}

static void add_groups(const ts_table_view *view, const ts_summary_groups *groups, int by, ts_chart *chart)
{
  const ts_summary_axis *axis = &groups->axes[1];
  const int shown = axis->count < MOST_GROUPS ? axis->count : MOST_GROUPS;
  char heading[TS_TABLE_LABEL_SIZE];
  ts_table_shorten(ts_table_column_name(view->table, by), 20, heading);
  for (int k = 0; k < shown; ++k) {
    char value[64], name[TS_TABLE_LABEL_SIZE + 80];
    const int group = spread_out(k, shown, axis->count);
    name_group(axis, group, value, sizeof value);
    snprintf(name, sizeof name, "%s = %s", heading, value);
    add_curve(groups, group, axis->count, name, k, 0.007 * (k - 0.5 * (shown - 1)), chart);
  }
  if (shown < axis->count)
    ts_chart_set_note(chart, "intervals: 95 %%; %d of the %d values of %s are shown, spread evenly from first to last",
                      shown, axis->count, heading);
}

ts_status ts_table_curve_chart(const ts_table_view *view, int x, int y, int by, ts_error *error)
{
  const ts_summary_grouping grouping = {.result = y,
                                        .columns = {x, by},
                                        .column_count = by >= 0 ? 2 : 1,
                                        .bins = {view->choice->bins > 0 ? view->choice->bins
                                                 : by >= 0              ? 12
                                                                        : 0,
                                                 BINS_OF_GROUPS}};
  ts_summary_groups groups;
  char x_label[TS_TABLE_LABEL_SIZE], y_label[TS_TABLE_LABEL_SIZE];
  const ts_status status = ts_summary_group_rows(view->summary, &grouping, &groups, error);
  if (status != TS_OK) return status;
  if (is_empty(&groups)) return ts_table_refuse_pair(view->table, x, y, error);
  ts_table_label(view->table, "", x, x_label);
  ts_table_label(view->table, groups.is_share ? "share of " : "mean of ", y, y_label);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, NULL, x_label, y_label);
  if (!chart) return ts_refuse_for_memory(error);
  chart->x.log_scale = groups.axes[0].is_logarithmic;
  chart->y.log_scale = view->choice->log_scale;
  set_range(&groups, &chart->y);
  if (by >= 0)
    add_groups(view, &groups, by, chart);
  else
    add_curve(&groups, 0, 1, NULL, 0, 0.0, chart);
  if (!chart->note) ts_chart_set_note(chart, "intervals: 95 %%");
  return TS_OK;
}
