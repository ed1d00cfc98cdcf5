#include "cli/time_text.h"

#include <math.h>
#include <stdio.h>

// What three digits round up to 1000 is 1 of the next unit. Beyond 1000 s there is none: whole seconds.
char *cli_time_text(double seconds, char *text, size_t size)
{
  static const char *const units[] = {"ns", "us", "ms"};
  double value = 1e9 * seconds;
  int unit = 0;
  while (unit < 3 && fabs(value) >= 999.5) {
    value *= 1e-3;
    ++unit;
  }
  if (unit < 3 && value != 0.0)
    snprintf(text, size, "%.3g %s", value, units[unit]);
  else
    snprintf(text, size, fabs(seconds) < 999.5 ? "%.3g s" : "%.0f s", seconds);
  return text;
}
