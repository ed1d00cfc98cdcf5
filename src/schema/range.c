#include "schema/range.h"

#include <float.h>
#include <math.h>

typedef enum range_ends { CLOSED, OPEN_BELOW, OPEN_ABOVE, OPEN } range_ends; // of finite ends: which do not belong to it
typedef enum range_grain { EVERY, EVEN, POWERS_OF_2, OR_RULE } range_grain; // the last: and -1 and -2

typedef struct range_row {
  const char *text;
  double least, most;
  range_ends ends;
  range_grain grain;
} range_row;

static const range_row rows[TS_RANGE_COUNT] = {
    [TS_RANGE_ANY] = {"", -INFINITY, INFINITY},
    [TS_RANGE_POSITIVE] = {"> 0", 0.0, INFINITY, OPEN_BELOW},
    [TS_RANGE_NOT_NEGATIVE] = {">= 0", 0.0, INFINITY},
    [TS_RANGE_FRACTION] = {"0 to 1", 0.0, 1.0},
    [TS_RANGE_OPEN_FRACTION] = {"> 0 and < 1", 0.0, 1.0, OPEN},
    [TS_RANGE_BELOW_1] = {">= 0 and < 1", 0.0, 1.0, OPEN_ABOVE},
    [TS_RANGE_UPPER_HALF] = {"0.5 to 1", 0.5, 1.0},
    [TS_RANGE_EVEN_FROM_4] = {"even, >= 4", 4.0, INFINITY, CLOSED, EVEN},
    [TS_RANGE_POWER_OF_2] = {"a power of 2 up to 1024", 1.0, 1024.0, CLOSED, POWERS_OF_2},
    [TS_RANGE_ONE] = {"1", 1.0, 1.0},
    [TS_RANGE_NOT_NEGATIVE_OR_RULE] = {">= 0, -1 or -2", 0.0, INFINITY, CLOSED, OR_RULE},
    [TS_RANGE_PLACE] = {"-1e9 to 1e9", -1e9, 1e9},
    [TS_RANGE_THREADS] = {"1 to 256", 1.0, 256.0},
    [TS_RANGE_EXPONENT] = {"2 to 1000", 2.0, 1000.0},
};

static bool is_on_grain(range_grain grain, double value)
{
  int exponent;
  switch (grain) {
  case EVEN:
    return fmod(value, 2.0) == 0.0;
  case POWERS_OF_2:
    return frexp(value, &exponent) == 0.5;
  default:
    return true;
  }
}

bool ts_range_holds(ts_range range, double value)
{
  const range_row *row = &rows[range];
  if (row->grain == OR_RULE && (value == -1.0 || value == -2.0)) return true;
  const bool above = row->ends == CLOSED || row->ends == OPEN_ABOVE ? value >= row->least : value > row->least;
  const bool below = row->ends == OPEN || row->ends == OPEN_ABOVE ? value < row->most : value <= row->most;
  return above && below && is_on_grain(row->grain, value);
}

const char *ts_range_text(ts_range range)
{
  return rows[range].text;
}

// A few operations leave this much, relative to a number.
#define ROUNDING (16.0 * DBL_EPSILON)

bool ts_range_fit(double *value, double least, double most)
{
  if (*value >= least && *value <= most) return true;
  const double end = *value < least ? least : most;
  if (!(fabs(*value - end) <= ROUNDING * fabs(end))) return false;
  *value = end;
  return true;
}

double ts_range_settle(ts_range range, double value)
{
  if (rows[range].ends == CLOSED) ts_range_fit(&value, rows[range].least, rows[range].most);
  return value;
}

bool ts_range_fit_whole(double *value)
{
  const double whole = round(*value);
  if (!(fabs(*value - whole) <= ROUNDING * fmax(fabs(whole), 1.0))) return false;
  *value = whole + 0.0; // no -0
  return true;
}
