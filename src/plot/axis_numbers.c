#include "plot/axis_numbers.h"

#include <math.h>

bool ts_range_is_constant(double low, double high)
{
  return high - low <= 1e-9 * fmax(fabs(low), fabs(high));
}

void ts_range_open_up(double *low, double *high, bool log_scale)
{
  if (!ts_range_is_constant(*low, *high)) return;
  const double size = fmax(fabs(*low), fabs(*high)), room = size > 0.0 ? 0.1 * size : 1.0;
  *low = log_scale ? 0.5 * *low : *low - room;
  *high = log_scale ? 2.0 * *high : *high + room;
}

double ts_nice_step(double least)
{
  const double power = pow(10.0, floor(log10(least)));
  const double part = least / power;
  return power * (part <= 1.0 + 1e-9 ? 1.0 : part <= 2.0 + 1e-9 ? 2.0 : part <= 5.0 + 1e-9 ? 5.0 : 10.0);
}

int ts_axis_digits(double low, double high, double step)
{
  const double size = fmax(fabs(low), fabs(high));
  if (!(size > 0.0 && step > 0.0)) return 6;
  const double before = floor(log10(size)) + 1.0, digits = before - floor(log10(step) + 1e-9);
  if (digits <= 6.0) return 6;
  // with all digits before the point there is no power of ten beside them
  return (int)fmin(17.0, before <= 12.0 ? fmax(before, digits) : digits);
}

// 1, 2 and 5 times powers of ten.
static int list_parts(const ts_axis_range *range, double *numbers)
{
  static const double parts[] = {1.0, 2.0, 5.0};
  int count = 0;
  for (int power = (int)floor(log10(range->low)); count < TS_MOST_SHORT_LOG_NUMBERS; ++power)
    for (int i = 0; i < 3 && count < TS_MOST_SHORT_LOG_NUMBERS; ++i) {
      const double number = parts[i] * pow(10.0, power);
      if (number > range->high * (1.0 + 1e-9)) return count;
      if (number >= range->low * (1.0 - 1e-9)) numbers[count++] = number;
    }
  return count;
}

static int list_even(const ts_axis_range *range, double *numbers)
{
  const double step = ts_nice_step((range->high - range->low) / 5.0), first = ceil(range->low / step);
  int count = 0;
  while (count < TS_MOST_SHORT_LOG_NUMBERS && (first + count) * step <= range->high * (1.0 + 1e-9)) {
    numbers[count] = (first + count) * step;
    ++count;
  }
  return count;
}

int ts_short_log_numbers(const ts_axis_range *range, double numbers[static TS_MOST_SHORT_LOG_NUMBERS])
{
  if (log10(range->high / range->low) >= 1.5) return 0;
  const int count = list_parts(range, numbers);
  return count >= 3 ? count : list_even(range, numbers);
}
