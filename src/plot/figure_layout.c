// Where the panels of a figure and their keys lie: panels of a column have their axes below each other, and keys never
// lie on curves.
#include "plot/figure_layout.h"

#include <math.h>
#include <string.h>

// Of letters, in pixels, in all formats; most names need less.
static const double LETTER = 7.2;
enum { SAMPLE = 5 };             // letters that the line before a name takes in a key
enum { NUMBERS = 14, EDGE = 3 }; // letters left of an axis, and right of it, where there is no text
enum { AROUND_DIGITS = 8 };      // letters left of an axis beside the digits of a number: sign, point and label

typedef struct key_extent {
  int entries;
  size_t longest; // of their texts, in letters
} key_extent;

static void add_entry(key_extent *key, size_t letters)
{
  ++key->entries;
  if (letters > key->longest) key->longest = letters;
}

static key_extent measure_key(const ts_figure *figure, int k)
{
  const ts_panel *panel = &figure->panels[k];
  key_extent key = {0};
  for (int i = 0; i < panel->curve_count; ++i) add_entry(&key, strlen(panel->curves[i].name));
  for (int mode = TS_SEPARATE; panel->lane_count > 0 && mode <= TS_ROLL; ++mode)
    add_entry(&key, strlen(ts_contact_mode_name((ts_contact_mode)mode)));
  if (panel->left_out > 0) add_entry(&key, sizeof "1000 more not shown");
  if (k == 0 && figure->mark_count > 0) add_entry(&key, sizeof "impact");
  return key;
}

// Pixels between the axes, where nobody says how large the figure is.
static double plain_width(const ts_figure *figure)
{
  return figure->columns == 1 ? 640.0 : 400.0;
}

bool ts_figure_key_is_beside(const ts_figure *figure, int k)
{
  const key_extent key = measure_key(figure, k);
  return LETTER * (double)key.entries * (double)(key.longest + SAMPLE) > plain_width(figure);
}

double ts_figure_key_spacing(const ts_figure *figure, int k)
{
  static const double LINE = 19.5, AROUND = 6.5; // pixels of a line at most (SVG), lines about the axes
  const int rows = (figure->panel_count + figure->columns - 1) / figure->columns;
  const double lines = (double)figure->size.height / rows / LINE - AROUND,
               needed = measure_key(figure, k).entries + 0.5;
  return lines > needed ? 1.0 : lines > 0.5 * needed ? lines / needed : 0.5;
}

ts_panel_numbers ts_panel_y_numbers(const ts_panel *panel)
{
  enum { MOST_NUMBERS = 20 }; // at an axis; gnuplot has about ten
  ts_panel_numbers numbers = {.low = NAN, .high = NAN, .digits = 6};
  for (int i = 0; i < panel->curve_count; ++i)
    for (int row = 0; row < panel->curves[i].count; ++row) {
      const double y = panel->curves[i].y[row];
      if (!ts_panel_shows(panel, panel->curves[i].x[row], y)) continue;
      numbers.low = fmin(numbers.low, y);
      numbers.high = fmax(numbers.high, y);
    }
  if (isnan(numbers.low) || panel->log_scale) return numbers;
  numbers.is_constant = ts_range_is_constant(numbers.low, numbers.high);
  ts_range_open_up(&numbers.low, &numbers.high, false);
  numbers.digits = ts_axis_digits(numbers.low, numbers.high, (numbers.high - numbers.low) / MOST_NUMBERS);
  return numbers;
}

// As the texts need it, in pixels.
static ts_panel_margins wanted_margins(const ts_figure *figure, int column)
{
  size_t left = NUMBERS, right = EDGE;
  for (int k = column; k < figure->panel_count; k += figure->columns) {
    const ts_panel *panel = &figure->panels[k];
    const size_t digits = (size_t)ts_panel_y_numbers(panel).digits + AROUND_DIGITS;
    if (digits > left) left = digits;
    for (int i = 0; i < panel->lane_count; ++i)
      if (strlen(panel->lanes[i]) + 2 > left) left = strlen(panel->lanes[i]) + 2;
    if (!ts_figure_key_is_beside(figure, k)) continue;
    const size_t key = measure_key(figure, k).longest + SAMPLE + EDGE;
    if (key > right) right = key;
  }
  return (ts_panel_margins){LETTER * (double)left, LETTER * (double)right};
}

void ts_figure_choose_size(ts_figure *figure)
{
  const int columns = figure->columns, rows = (figure->panel_count + columns - 1) / columns;
  const int height = rows == 1 ? 420 : 60 + 290 * rows;
  double widest = 0.0; // all columns are as wide
  for (int column = 0; column < columns; ++column) {
    const ts_panel_margins margins = wanted_margins(figure, column);
    const double width = margins.left + plain_width(figure) + margins.right;
    if (width > widest) widest = width;
  }
  const double least = columns == 1 ? 900.0 : 1240.0;
  const double width = widest * columns > least ? widest * columns : least;
  figure->size = (ts_image_size){width < TS_CANVAS_MOST ? (int)width : TS_CANVAS_MOST,
                                 height < TS_CANVAS_MOST ? height : TS_CANVAS_MOST};
}

ts_panel_margins ts_figure_margins(const ts_figure *figure, int k)
{
  const double width = (double)figure->size.width / figure->columns; // of a column
  const double most = 0.35 * width; // so that a picture that is too small shows curves at least
  ts_panel_margins margins = wanted_margins(figure, k % figure->columns);
  if (margins.left > most) margins.left = most;
  if (margins.right > most) margins.right = most;
  return margins;
}
