// Numbers at axes: how far apart, which ones, and with how many digits, so that neighbours differ.
#ifndef TS_PLOT_AXIS_NUMBERS_H
#define TS_PLOT_AXIS_NUMBERS_H

#include <stdbool.h>

// What an axis reaches over.
typedef struct ts_axis_range {
  double low, high, step; // between numbers; a factor of logarithmic axes
} ts_axis_range;

// Whether only rounding tells numbers from each other: their range is narrower than 1e-9 of their size.
bool ts_range_is_constant(double low, double high);
// Gives such a range some room about the constant that it shows. low > 0 on logarithmic axes.
void ts_range_open_up(double *low, double *high, bool log_scale);

// 1, 2 or 5 times a power of ten that is no less.
double ts_nice_step(double least);

// Significant digits that numbers of a range need when they are `step` apart: 6, or more, at most 17.
int ts_axis_digits(double low, double high, double step);

// Where numbers stand at a logarithmic axis of less than one and a half decades, which powers of ten are too far apart
// for; returns how many, 0 of other axes.
enum { TS_MOST_SHORT_LOG_NUMBERS = 16 };
int ts_short_log_numbers(const ts_axis_range *range, double numbers[static TS_MOST_SHORT_LOG_NUMBERS]);

#endif
