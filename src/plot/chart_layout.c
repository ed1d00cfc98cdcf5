// Where the axes of a chart lie, what they reach over, and how many numbers stand at them: as many as there is room
// for.
#include "plot/chart.h"

#include "plot/text_width.h"

#include <math.h>
#include <stdlib.h>

// Pixels, in all formats; most need less.
static const double LINE = 19.0;       // of text
static const double KEY_SAMPLE = 30.0; // what stands before a name in a key
static const double TO_NAMES = 14.0;   // between names and their axis

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

// Pixels that the widest number at an axis takes.
static double width_of_numbers(const ts_axis_range *range, bool log_scale)
{
  const int digits = ts_axis_digits(range->low, range->high, range->step);
  char text[32];
  if (log_scale) return ts_text_width("0.0002");
  double most = 0.0, at = ceil(range->low / range->step) * range->step;
  for (int i = 0; i < 50 && at <= range->high; ++i, at += range->step) {
    snprintf(text, sizeof text, "%.*g", digits, fabs(at) < 1e-9 * range->step ? 0.0 : at);
    most = fmax(most, ts_text_width(text));
  }
  return most;
}

static double choose_step(const ts_axis_range *range, const ts_chart_axis *axis, bool across, double pixels)
{
  if (axis->log_scale) {
    const double decades = log10(range->high / range->low), most = fmax(2.0, pixels / (across ? 55.0 : 35.0));
    return pow(10.0, fmax(1.0, ceil(decades / most)));
  }
  const double span = range->high - range->low, most = across ? 8.0 : fmax(2.0, pixels / 38.0);
  double step = ts_nice_step(span / fmin(8.0, most));
  // numbers side by side need their own room and some between them
  for (int i = 0; across && i < 6; ++i) {
    const ts_axis_range tried = {range->low, range->high, step};
    if (span / step * (width_of_numbers(&tried, false) + 14.0) <= pixels) break;
    step = ts_nice_step(1.5 * step);
  }
  return axis->is_whole ? fmax(1.0, step) : step;
}

// Numbers are chosen for an axis of so many pixels.
static ts_axis_range range_of(const ts_chart *chart, const ts_chart_axis *axis, axis_kind kind, double pixels)
{
  ts_axis_range range = data_range(chart, kind, axis->log_scale);
  ts_range_open_up(&range.low, &range.high, axis->log_scale);
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
  ts_range_open_up(&range.low, &range.high, axis->log_scale);
  range.step = choose_step(&range, axis, kind == ACROSS, pixels);
  return range;
}

// ---- places --------------------------------------------------------------------------------------------------------

typedef struct key_extent {
  int entries;
  double sum, widest; // of their texts, with what stands before them [pixels]
} key_extent;

static key_extent measure_key(const ts_chart *chart)
{
  key_extent key = {0};
  for (int i = 0; i < chart->layer_count; ++i) {
    if (!chart->layers[i].name) continue;
    const double width = KEY_SAMPLE + ts_text_width(chart->layers[i].name);
    ++key.entries;
    key.sum += width;
    key.widest = fmax(key.widest, width);
  }
  return key;
}

bool ts_chart_key_is_beside(const ts_chart *chart)
{
  return measure_key(chart).sum > 0.75 * chart->frame.width;
}

static double widest_name(const ts_chart_axis *axis)
{
  double widest = 0.0;
  for (int i = 0; i < axis->name_count; ++i) widest = fmax(widest, ts_text_width(axis->names[i]));
  return widest;
}

static bool has_cells(const ts_chart *chart)
{
  for (int i = 0; i < chart->layer_count; ++i)
    if (chart->layers[i].kind == TS_LAYER_CELLS) return true;
  return false;
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
  const double most = 0.5 * chart->frame.width;
  if (chart->y.name_count > 0) return fmin(most, TO_NAMES + widest_name(&chart->y) + 6.0);
  const ts_axis_range range = ts_chart_y_range(chart);
  return fmin(most, 18.0 + width_of_numbers(&range, chart->y.log_scale) + (chart->y.label ? LINE + 6.0 : 0.0));
}

// Half of a number or a name at the horizontal axis: the last one may have its middle at the end.
static double beyond_the_end(const ts_chart *chart)
{
  if (chart->x.name_count > 0) return 0.5 * widest_name(&chart->x);
  const ts_axis_range range = range_of(chart, &chart->x, ACROSS, 0.7 * chart->frame.width);
  return 0.5 * width_of_numbers(&range, chart->x.log_scale);
}

static double room_right(const ts_chart *chart)
{
  const double most = 0.4 * chart->frame.width;
  const key_extent key = measure_key(chart);
  if (key.entries > 0 && ts_chart_key_is_beside(chart)) return fmin(most, key.widest + 20.0);
  if (!has_cells(chart)) return fmin(most, fmax(24.0, 4.0 + beyond_the_end(chart)));
  const ts_axis_range range = ts_chart_color_range(chart);
  return fmin(most, 0.07 * chart->frame.width + width_of_numbers(&range, chart->color.log_scale) + LINE + 20.0);
}

ts_chart_frame ts_chart_inside(const ts_chart *chart)
{
  const ts_chart_frame *frame = &chart->frame;
  const double left = room_left(chart), right = room_right(chart);
  return (ts_chart_frame){frame->left + left, frame->top + room_above(chart), frame->width - left - right,
                          inside_height(chart)};
}

// The middle of a text about `middle`, moved where it would leave the part from `first` to `last`.
static double middle_of(const char *text, double middle, double first, double last)
{
  const double half = 0.5 * fmin(ts_text_width(text ? text : ""), last - first);
  return fmax(first + half, fmin(last - half, middle));
}

ts_chart_room ts_chart_text_room(const ts_chart *chart)
{
  static const double EDGE = 3.0;
  const ts_chart_frame *frame = &chart->frame, inside = ts_chart_inside(chart);
  const double left = frame->left + EDGE, right = frame->left + frame->width - EDGE, top = frame->top + EDGE,
               bottom = frame->top + frame->height - (chart->note ? LINE + 4.0 : EDGE),
               across = inside.left + 0.5 * inside.width, up = inside.top + 0.5 * inside.height;
  return (ts_chart_room){.title = right - ts_chart_title_left(chart),
                         .note = frame->width - 20.0,
                         .x_label = right - left,
                         .y_label = bottom - top,
                         .x_middle = middle_of(chart->x.label, across, left, right),
                         .y_middle = middle_of(chart->y.label, up, top, bottom),
                         .color_middle = middle_of(chart->color.label, up, top, bottom),
                         .names = room_left(chart) - TO_NAMES - 2.0,
                         .key = ts_chart_key_is_beside(chart) ? room_right(chart) - KEY_SAMPLE - 10.0 : INFINITY};
}

double ts_chart_title_left(const ts_chart *chart)
{
  return chart->y.name_count > 0 ? chart->frame.left + 14.0 : ts_chart_inside(chart).left;
}

int ts_chart_x_name_stride(const ts_chart *chart)
{
  const ts_axis_range range = ts_chart_x_range(chart);
  const double apart = ts_chart_inside(chart).width / (range.high - range.low);
  return (int)fmax(1.0, ceil((widest_name(&chart->x) + 12.0) / apart));
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
