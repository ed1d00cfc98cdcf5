#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 4000 }; // of a curve: twice as many as a wide picture has columns

// ---- building ------------------------------------------------------------------------------------------------------

ts_panel *ts_figure_add_panel(ts_figure *figure, const char *x_label, const char *y_label)
{
  ts_panel *grown = ts_heap_grow(&figure->heap, figure->panels, (size_t)figure->panel_count + 1, sizeof *grown);
  if (!grown) return NULL;
  figure->panels = grown;
  ts_panel *panel = &figure->panels[figure->panel_count];
  *panel = (ts_panel){.x_label = x_label,
                      .y_label = ts_heap_copy(&figure->heap, y_label),
                      .from = figure->from,
                      .to = figure->to,
                      .heap = &figure->heap};
  if (!panel->y_label) return NULL;
  ++figure->panel_count;
  return panel;
}

void ts_figure_span(ts_figure *figure, const double *times, int count)
{
  if (count < 2) return;
  if (!isfinite(figure->from)) figure->from = times[0];
  if (!isfinite(figure->to)) figure->to = times[count - 1];
}

void ts_figure_add_mark(ts_figure *figure, double x)
{
  if (x < figure->from || x > figure->to) return;
  double *grown = ts_heap_grow(&figure->heap, figure->marks, (size_t)figure->mark_count + 1, sizeof *grown);
  if (!grown) return;
  figure->marks = grown;
  figure->marks[figure->mark_count++] = x;
}

static void keep(ts_curve *curve, double x, double y)
{
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
}

static bool inside(const ts_panel *panel, double x)
{
  return x >= panel->from && x <= panel->to;
}

// Points of the panel's range, and their neighbours, so that lines run to its ends.
static void keep_range(const ts_panel *panel, ts_curve *curve, const double *x, const double *y, int count)
{
  for (int i = 0; i < count; ++i)
    if (inside(panel, x[i]) || (i > 0 && inside(panel, x[i - 1])) || (i + 1 < count && inside(panel, x[i + 1])))
      keep(curve, x[i], y[i]);
}

// Of each stretch of a long curve the lowest and the highest point, in their order: no peak is lost. Works in place:
// what is kept never overtakes what is read.
static void thin_out(ts_curve *curve)
{
  const double *x = curve->x, *y = curve->y;
  const int count = curve->count;
  if (count <= MOST_POINTS) return;
  curve->count = 0;
  const int stretches = MOST_POINTS / 2;
  for (int k = 0; k < stretches; ++k) {
    const int begin = (int)((long long)count * k / stretches), end = (int)((long long)count * (k + 1) / stretches);
    int low = begin, high = begin;
    for (int i = begin; i < end; ++i) {
      if (y[i] < y[low] || isnan(y[low])) low = i;
      if (y[i] > y[high] || isnan(y[high])) high = i;
    }
    const int first = low < high ? low : high, second = low < high ? high : low;
    keep(curve, x[first], y[first]);
    if (second != first) keep(curve, x[second], y[second]);
  }
}

void ts_panel_add_curve(ts_panel *panel, const char *name, const double *x, const double *y, int count, bool scattered)
{
  if (panel->curve_count == TS_MOST_CURVES) {
    ++panel->left_out;
    return;
  }
  const size_t room = (size_t)count;
  ts_curve *curve = &panel->curves[panel->curve_count++];
  *curve = (ts_curve){ts_heap_copy(panel->heap, name), ts_heap_zeros(panel->heap, room, sizeof(double)),
                      ts_heap_zeros(panel->heap, room, sizeof(double)), 0, scattered};
  if (panel->heap->exhausted) return;
  keep_range(panel, curve, x, y, count);
  thin_out(curve);
}

void ts_panel_add_lane(ts_panel *panel, const char *name)
{
  if (panel->lane_count == TS_MOST_LANES)
    ++panel->left_out;
  else
    panel->lanes[panel->lane_count++] = ts_heap_copy(panel->heap, name);
}

void ts_panel_add_span(ts_panel *panel, ts_mode_span span)
{
  if (!(span.to > panel->from && span.from < panel->to)) return;
  ts_mode_span *grown = ts_heap_grow(panel->heap, panel->spans, (size_t)panel->span_count + 1, sizeof *grown);
  if (!grown) return;
  panel->spans = grown;
  panel->spans[panel->span_count++] = span;
}

static void destroy_panel(ts_panel *panel)
{
  for (int i = 0; i < panel->curve_count; ++i) {
    free(panel->curves[i].name);
    free(panel->curves[i].x);
    free(panel->curves[i].y);
  }
  for (int i = 0; i < panel->lane_count; ++i) free(panel->lanes[i]);
  free(panel->y_label);
  free(panel->spans);
}

void ts_figure_destroy(ts_figure *figure)
{
  for (int i = 0; i < figure->panel_count; ++i) destroy_panel(&figure->panels[i]);
  free(figure->panels);
  free(figure->marks);
}

// ---- what can be seen ----------------------------------------------------------------------------------------------

bool ts_panel_shows(const ts_panel *panel, double x, double y)
{
  return isfinite(x) && isfinite(y) && (!panel->log_scale || y > 0.0);
}

bool ts_curve_is_empty(const ts_panel *panel, const ts_curve *curve)
{
  for (int i = 0; i < curve->count; ++i)
    if (ts_panel_shows(panel, curve->x[i], curve->y[i])) return false;
  return true;
}

static bool panel_is_empty(const ts_panel *panel)
{
  for (int i = 0; i < panel->curve_count; ++i)
    if (!ts_curve_is_empty(panel, &panel->curves[i])) return false;
  return panel->span_count == 0;
}

void ts_figure_drop_empty(ts_figure *figure)
{
  int kept = 0;
  for (int i = 0; i < figure->panel_count; ++i)
    if (panel_is_empty(&figure->panels[i]))
      destroy_panel(&figure->panels[i]);
    else
      figure->panels[kept++] = figure->panels[i];
  figure->panel_count = kept;
}
