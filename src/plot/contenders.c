#include "plot/contenders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double variation_of(const double *values, int count)
{
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; ++i) {
    if (!isfinite(values[i])) continue;
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  return high >= low ? high - low : 0.0;
}

void ts_contenders_add(ts_contenders *c, const char *name, double *values, int count, ts_heap *heap)
{
  ts_contender *grown = values ? ts_heap_grow(heap, c->list, (size_t)c->count + 1, sizeof *grown) : NULL;
  if (!grown) {
    free(values);
    return;
  }
  c->list = grown;
  c->list[c->count] = (ts_contender){ts_heap_copy(heap, name), values, variation_of(values, count), c->count};
  ++c->count;
}

double *ts_contender_copy(const double *values, int count, ts_heap *heap)
{
  double *copy = ts_heap_zeros(heap, (size_t)count, sizeof *copy);
  if (copy) memcpy(copy, values, (size_t)count * sizeof *copy);
  return copy;
}

static int by_variation(const void *a, const void *b)
{
  const ts_contender *first = a, *second = b;
  if (first->variation != second->variation) return first->variation > second->variation ? -1 : 1;
  return (first->rank > second->rank) - (first->rank < second->rank);
}

// A panel of the best contenders, the best first.
static void add_panel(const ts_contenders *c, const char *label, const double *times, int count, ts_figure *figure)
{
  const int shown = c->count < TS_MOST_CURVES ? c->count : TS_MOST_CURVES;
  qsort(c->list, (size_t)c->count, sizeof *c->list, by_variation);
  ts_panel *panel = ts_figure_add_panel(figure, TS_TIME_LABEL, label);
  if (!panel) return;
  for (int i = 0; i < shown; ++i) ts_panel_add_curve(panel, c->list[i].name, times, c->list[i].values, count, false);
  panel->left_out = c->count - shown;
}

void ts_contenders_show(ts_contenders *c, const char *label, const double *times, int count, ts_figure *figure)
{
  if (c->count > 0 && !figure->heap.exhausted) add_panel(c, label, times, count, figure);
  for (int i = 0; i < c->count; ++i) {
    free(c->list[i].name);
    free(c->list[i].values);
  }
  free(c->list);
  *c = (ts_contenders){NULL, 0};
}
