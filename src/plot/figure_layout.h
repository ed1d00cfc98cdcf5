// Where the panels of a figure and their keys lie.
#ifndef TS_PLOT_FIGURE_LAYOUT_H
#define TS_PLOT_FIGURE_LAYOUT_H

#include "plot/axis_numbers.h"
#include "plot/figure.h"

// Room beside the axes of a panel, in pixels.
typedef struct ts_panel_margins {
  double left, right;
} ts_panel_margins;

// What the vertical axis of a panel of curves reaches over, and digits of the numbers at it.
typedef struct ts_panel_numbers {
  double low, high; // NAN: nothing is shown
  bool is_constant; // but for rounding: the range is wider than the curves
  int digits;
} ts_panel_numbers;
ts_panel_numbers ts_panel_y_numbers(const ts_panel *panel);

// As panels and their keys need; it counts what is in them.
void ts_figure_choose_size(ts_figure *figure);

// Of a panel: for numbers or names of lanes on the left, and for a key on the right. The same for all panels of a
// column, at most a third of it.
ts_panel_margins ts_figure_margins(const ts_figure *figure, int k);

// Whether the key of a panel is too long to stand above it in one line.
bool ts_figure_key_is_beside(const ts_figure *figure, int k);
// Of the lines of such a key, in heights of a line: less than 1 where they have to stand closer to fit beside the
// panel.
double ts_figure_key_spacing(const ts_figure *figure, int k);

#endif
