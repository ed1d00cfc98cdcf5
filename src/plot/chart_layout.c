// Where the axes of a chart lie, what they reach over, and how many numbers stand at them: as many as there is room
// for.
#include "plot/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LETTER = 7.2, LINE = 19.0; // of text, in pixels, in all formats; most need less
enum { KEY_SAMPLE = 4 };                       // letters that the line before a name takes in a key

// ---- ranges --------------------------------------------------------------------------------------------------------

// Which columns of a layer lie on an axis.
typedef enum axis_kind { ACROSS, UPWARDS, COLOR } axis_kind;

static bool is_on_axis(ts_layer_kind kind, int column, axis_kind axis)
{
  static const char places[][TS_MOST_LAYER_COLUMNS + 1] = {
      [TS_LAYER_LINE] = "xy",       [TS_LAYER_POINTS] = "xy",  [TS_LAYER_BAND] = "xyy",
      [TS_LAYER_SEGMENTS] = "xyxy", [TS_LAYER_BOXES] = "xxyy", [TS_LAYER_CELLS] = "xxyyc"};
  return places[kind][column] == "xyc"[axis];
}

static void widen(ts_axis_range *range, double number, bool log_scale)
{
  if (!ts_chart_takes(number) || (log_scale && !(number > 0.0))) return;
  range->low = fmin(range->low, number);
  range->high = fmax(range->high, number);
}

static ts_axis_range data_range(const ts_chart *chart, axis_kind kind, bool log_scale)
{
  ts_axis_range range = {INFINITY, -INFINITY, 0.0};
  for (int i = 0; i < chart->layer_count; ++i) {
    const ts_layer *layer = &chart->layers[i];
    const int columns = ts_layer_column_count(layer->kind);
    for (int row = 0; row < layer->rows; ++row)
      for (int k = 0; k < columns; ++k)
        if (is_on_axis(layer->kind, k, kind)) widen(&range, layer->numbers[row * columns + k], log_scale);
  }
  if (range.low > range.high) range = log_scale ? (ts_axis_range){1.0, 10.0, 0.0} : (ts_axis_range){0.0, 1.0, 0.0};
  return range;
}

// What only rounding tells from a constant is shown as one.
static void open_up(ts_axis_range *range, bool log_scale)
{
  const double size = fmax(fabs(range->low), fabs(range->high));
  if (log_scale) {
    if (range->high <= range->low * (1.0 + 1e-9)) range->low *= 0.5, range->high *= 2.0;
  } else if (range->high - range->low <= 1e-9 * size || range->high == range->low) {
    const double room = size > 0.0 ? 0.1 * size : 1.0;
    range->low -= room;
    range->high += room;
  }
}

// 1, 2 or 5 times a power of ten that is no less.
static double nice_step(double least)
{
  const double power = pow(10.0, floor(log10(least)));
  const double part = least / power;
  return power * (part <= 1.0 + 1e-9 ? 1.0 : part <= 2.0 + 1e-9 ? 2.0 : part <= 5.0 + 1e-9 ? 5.0 : 10.0);
}

// Letters that the numbers at an axis take.
static double letters_of(const ts_axis_range *range, double step)
{
  size_t most = 1;
  for (double at = ceil(range->low / step) * step; at <= range->high; at += step) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", fabs(at) < 1e-9 * step ? 0.0 : at);
    if (strlen(text) > most) most = strlen(text);
    if (at + step == at) break;
  }
  return (double)most;
}

static double choose_step(const ts_axis_range *range, const ts_chart_axis *axis, bool across, double pixels)
{
  if (axis->log_scale) {
    const double decades = log10(range->high / range->low), most = fmax(2.0, pixels / (across ? 55.0 : 35.0));
    return pow(10.0, fmax(1.0, ceil(decades / most)));
  }
  const double span = range->high - range->low, most = across ? 8.0 : fmax(2.0, pixels / 38.0);
  double step = nice_step(span / fmin(8.0, most));
  // numbers side by side need their letters and some room
  for (int i = 0; across && i < 6; ++i) {
    if (span / step * LETTER * (letters_of(range, step) + 2.0) <= pixels) break;
    step = nice_step(1.5 * step);
  }
  return axis->is_whole ? fmax(1.0, step) : step;
}

// Numbers are chosen for an axis of so many pixels.
static ts_axis_range range_of(const ts_chart *chart, const ts_chart_axis *axis, axis_kind kind, double pixels)
{
  ts_axis_range range = data_range(chart, kind, axis->log_scale);
  open_up(&range, axis->log_scale);
  const double room = kind == COLOR ? 0.0 : 0.04;
  if (axis->log_scale) {
    const double factor = pow(range.high / range.low, room);
    range.low /= factor;
    range.high *= factor;
  } else {
    const double span = range.high - range.low;
    range.low -= room * span;
    range.high += room * span;
  }
  if (ts_chart_takes(axis->low)) range.low = axis->low;
  if (ts_chart_takes(axis->high)) range.high = axis->high;
  if (range.low > range.high) range.high = range.low;
  open_up(&range, axis->log_scale);
  range.step = choose_step(&range, axis, kind == ACROSS, pixels);
  return range;
}

// ---- places --------------------------------------------------------------------------------------------------------

typedef struct key_extent {
  int entries;
  size_t letters, longest;
} key_extent;

static key_extent measure_key(const ts_chart *chart)
{
  key_extent key = {0};
  for (int i = 0; i < chart->layer_count; ++i) {
    if (!chart->layers[i].name) continue;
    const size_t letters = strlen(chart->layers[i].name);
    ++key.entries;
    key.letters += letters + KEY_SAMPLE;
    if (letters > key.longest) key.longest = letters;
  }
  return key;
}

bool ts_chart_key_is_beside(const ts_chart *chart)
{
  return LETTER * (double)measure_key(chart).letters > 0.75 * chart->frame.width;
}

static double longest_name(const ts_chart_axis *axis)
{
  size_t longest = 0;
  for (int i = 0; i < axis->name_count; ++i)
    if (strlen(axis->names[i]) > longest) longest = strlen(axis->names[i]);
  return (double)longest;
}

static bool has_cells(const ts_chart *chart)
{
  for (int i = 0; i < chart->layer_count; ++i)
    if (chart->layers[i].kind == TS_LAYER_CELLS) return true;
  return false;
}

// Letters of the longest number at an axis.
static double axis_letters(const ts_chart_axis *axis, const ts_axis_range *range)
{
  return axis->log_scale ? 6.0 : letters_of(range, range->step);
}

// From the upper edge of the frame to the axes, and from these to the lower edge.
static double room_above(const ts_chart *chart)
{
  const bool key_above = measure_key(chart).entries > 0 && !ts_chart_key_is_beside(chart);
  return 10.0 + (key_above ? LINE : 0.0) + (chart->title ? LINE + 4.0 : 0.0);
}

static double inside_height(const ts_chart *chart)
{
  const double below = 30.0 + (chart->x.label ? LINE + 4.0 : 0.0) + (chart->note ? LINE + 2.0 : 0.0);
  return fmax(20.0, chart->frame.height - room_above(chart) - below);
}

static double room_left(const ts_chart *chart)
{
  if (chart->y.name_count > 0) return 14.0 + 0.95 * LETTER * longest_name(&chart->y);
  const ts_axis_range range = ts_chart_y_range(chart);
  return 18.0 + LETTER * axis_letters(&chart->y, &range) + (chart->y.label ? LINE + 6.0 : 0.0);
}

static double room_right(const ts_chart *chart)
{
  const key_extent key = measure_key(chart);
  if (key.entries > 0 && ts_chart_key_is_beside(chart)) return LETTER * (double)(key.longest + KEY_SAMPLE + 3);
  if (!has_cells(chart)) return 24.0;
  const ts_axis_range range = ts_chart_color_range(chart);
  return 0.07 * chart->frame.width + LETTER * axis_letters(&chart->color, &range) + LINE + 20.0;
}

ts_chart_frame ts_chart_inside(const ts_chart *chart)
{
  const ts_chart_frame *frame = &chart->frame;
  const double left = fmin(room_left(chart), 0.5 * frame->width), right = fmin(room_right(chart), 0.4 * frame->width);
  return (ts_chart_frame){frame->left + left, frame->top + room_above(chart), frame->width - left - right,
                          inside_height(chart)};
}

ts_axis_range ts_chart_x_range(const ts_chart *chart)
{
  return range_of(chart, &chart->x, ACROSS, ts_chart_inside(chart).width);
}

ts_axis_range ts_chart_y_range(const ts_chart *chart)
{
  return range_of(chart, &chart->y, UPWARDS, inside_height(chart));
}

ts_axis_range ts_chart_color_range(const ts_chart *chart)
{
  return range_of(chart, &chart->color, COLOR, inside_height(chart));
}
