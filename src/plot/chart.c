#include "plot/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *copy_or_null(ts_heap *heap, const char *text)
{
  return text ? ts_heap_copy(heap, text) : NULL;
}

int ts_layer_column_count(ts_layer_kind kind)
{
  static const int counts[] = {[TS_LAYER_LINE] = 2,     [TS_LAYER_POINTS] = 2, [TS_LAYER_BAND] = 3,
                               [TS_LAYER_SEGMENTS] = 4, [TS_LAYER_BOXES] = 4,  [TS_LAYER_CELLS] = 5};
  return counts[kind];
}

bool ts_chart_takes(double number)
{
  return fabs(number) < 1e150;
}

// ---- building ------------------------------------------------------------------------------------------------------

ts_chart *ts_sheet_add_chart(ts_sheet *sheet, const char *title, const char *x_label, const char *y_label)
{
  ts_heap *heap = &sheet->heap;
  ts_chart **grown = ts_heap_grow(heap, sheet->charts, (size_t)sheet->chart_count + 1, sizeof *grown);
  if (!grown) return NULL;
  sheet->charts = grown;
  ts_chart *chart = ts_heap_zeros(heap, 1, sizeof *chart);
  if (!chart) return NULL;
  const double unset = NAN;
  *chart = (ts_chart){.title = copy_or_null(heap, title),
                      .x = {.label = copy_or_null(heap, x_label), .low = unset, .high = unset},
                      .y = {.label = copy_or_null(heap, y_label), .low = unset, .high = unset},
                      .color = {.low = unset, .high = unset},
                      .sheet = sheet};
  sheet->charts[sheet->chart_count++] = chart;
  return heap->exhausted ? NULL : chart;
}

void ts_sheet_add_text(ts_sheet *sheet, double left, double top, const char *text)
{
  ts_sheet_text *grown = ts_heap_grow(&sheet->heap, sheet->texts, (size_t)sheet->text_count + 1, sizeof *grown);
  char *copy = grown ? ts_heap_copy(&sheet->heap, text) : NULL;
  if (grown) sheet->texts = grown;
  if (copy) sheet->texts[sheet->text_count++] = (ts_sheet_text){left, top, copy};
}

ts_layer *ts_chart_add_layer(ts_chart *chart, ts_layer_kind kind, const char *name, int color)
{
  ts_heap *heap = &chart->sheet->heap;
  ts_layer *grown = ts_heap_grow(heap, chart->layers, (size_t)chart->layer_count + 1, sizeof *grown);
  if (!grown) return NULL;
  chart->layers = grown;
  ts_layer *layer = &chart->layers[chart->layer_count++];
  *layer = (ts_layer){.kind = kind, .name = copy_or_null(heap, name), .color = color};
  return layer;
}

void ts_chart_add_row(ts_chart *chart, ts_layer *layer, const double *numbers)
{
  if (!layer) return;
  const size_t columns = (size_t)ts_layer_column_count(layer->kind);
  if (layer->rows == layer->capacity) {
    const int capacity = layer->capacity ? 2 * layer->capacity : 64;
    double *grown =
        ts_heap_grow(&chart->sheet->heap, layer->numbers, (size_t)capacity * columns, sizeof *layer->numbers);
    if (!grown) return;
    layer->numbers = grown;
    layer->capacity = capacity;
  }
  memcpy(layer->numbers + (size_t)layer->rows++ * columns, numbers, columns * sizeof *numbers);
}

void ts_chart_add_name(ts_chart *chart, ts_chart_axis *axis, const char *name)
{
  ts_heap *heap = &chart->sheet->heap;
  char **grown = ts_heap_grow(heap, axis->names, (size_t)axis->name_count + 1, sizeof *grown);
  if (!grown) return;
  axis->names = grown;
  char *copy = ts_heap_copy(heap, name);
  if (copy) axis->names[axis->name_count++] = copy;
}

void ts_chart_set_note(ts_chart *chart, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  free(chart->note);
  chart->note = ts_heap_copy(&chart->sheet->heap, text);
}

// ---- releasing -----------------------------------------------------------------------------------------------------

static void release_axis(ts_chart_axis *axis)
{
  for (int i = 0; i < axis->name_count; ++i) free(axis->names[i]);
  free(axis->names);
  free(axis->label);
}

static void destroy_chart(ts_chart *chart)
{
  for (int i = 0; i < chart->layer_count; ++i) {
    free(chart->layers[i].name);
    free(chart->layers[i].numbers);
  }
  release_axis(&chart->x);
  release_axis(&chart->y);
  release_axis(&chart->color);
  free(chart->layers);
  free(chart->title);
  free(chart->note);
  free(chart);
}

void ts_sheet_destroy(ts_sheet *sheet)
{
  for (int i = 0; i < sheet->chart_count; ++i) destroy_chart(sheet->charts[i]);
  for (int i = 0; i < sheet->text_count; ++i) free(sheet->texts[i].text);
  free(sheet->charts);
  free(sheet->texts);
}
