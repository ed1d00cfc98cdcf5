#include "statistics/histogram.h"

#include "base/assert.h"
#include "base/status.h"
#include "statistics/moments.h"
#include "statistics/quantile.h"

#include <float.h>
#include <math.h>

// Whole numbers beyond this have no halves between them any more.
static const double LARGEST_WHOLE = 0x1p51;

// So many whole numbers have a bin each, however few values there are.
static const double FEW_WHOLE = 20.0;

double ts_histogram_edge(const ts_histogram *histogram, int i)
{
  if (i == histogram->bins) return histogram->high;
  if (histogram->integers) return histogram->low + i * ((histogram->high - histogram->low) / histogram->bins);
  const double part = (double)i / histogram->bins;
  return (1.0 - part) * histogram->low + part * histogram->high; // high - low may be too large for a double
}

static bool are_whole(size_t count, const double *values)
{
  for (size_t k = 0; k < count; ++k)
    if (values[k] != rint(values[k]) || fabs(values[k]) > LARGEST_WHOLE) return false;
  return true;
}

// Half the width of bins that suits the values, which are put into another order. `half_span` is half of high - low;
// the whole may be too large for a double.
static double half_width(size_t count, double *values, double half_span)
{
  const double n = (double)count;
  const double upper = ts_quantile(count, values, 0.75), lower = ts_quantile(count, values, 0.25);
  const double half_range = 0.5 * upper - 0.5 * lower;
  return half_range > 0.0 ? half_range / (0.5 * cbrt(n)) : half_span / (ceil(log2(n)) + 1.0);
}

static int limited(double bins, int most)
{
  return bins >= most ? most : bins < 1.0 ? 1 : (int)bins;
}

// Bins of w whole numbers each: of one where there are few, else as many as suit and at least what `most` asks for. The
// last may reach beyond the largest value.
static void set_whole_edges(ts_histogram *histogram, double low, double high, double half, int most)
{
  const double span = high - low + 1.0, least = ceil(span / most);
  const double w = fmax(least, span <= FEW_WHOLE ? 1.0 : floor(2.0 * half));
  histogram->bins = limited(ceil(span / w), most);
  histogram->low = low - 0.5;
  histogram->high = histogram->low + w * histogram->bins;
}

// Bins are not so narrow that their edges would coincide by rounding.
static void set_edges(ts_histogram *histogram, double low, double high, double half, int most)
{
  const double half_span = 0.5 * high - 0.5 * low;
  const double resolution = fmax(2.0 * DBL_EPSILON * fmax(fabs(low), fabs(high)), DBL_MIN);
  histogram->bins = limited(fmin(ceil(half_span / half), floor(half_span / resolution)), most);
  histogram->low = low;
  histogram->high = high;
}

// All values are the same, and no whole number: one bin about them, as wide as a tenth of the value.
static void set_single_bin(ts_histogram *histogram, double value)
{
  const double half = fmax(0.05 * fabs(value), DBL_MIN);
  histogram->bins = 1;
  histogram->low = fmax(value - half, -DBL_MAX);
  histogram->high = fmin(value + half, DBL_MAX);
}

// A quotient finds the bin up to rounding, the edges decide.
static int bin_of(const ts_histogram *histogram, double value)
{
  if (histogram->bins == 1) return 0;
  const double half_span = 0.5 * histogram->high - 0.5 * histogram->low;
  const double place = (0.5 * value - 0.5 * histogram->low) / half_span * histogram->bins;
  int i = place >= histogram->bins ? histogram->bins - 1 : (int)place;
  while (i > 0 && value < ts_histogram_edge(histogram, i)) --i;
  while (i + 1 < histogram->bins && value >= ts_histogram_edge(histogram, i + 1)) ++i;
  return i;
}

ts_status ts_histogram_make(size_t count, const double *values, int most, ts_arena *arena, ts_histogram *histogram,
                            ts_error *error)
{
  TS_ASSERT(most >= 1);
  *histogram = (ts_histogram){0};
  ts_moments moments = ts_moments_of_none();
  ts_moments_add_column(&moments, count, values);
  histogram->count = moments.count;
  histogram->missing = moments.missing;
  if (moments.count == 0) return TS_OK;
  const double low = moments.low, high = moments.high;
  if (!isfinite(low) || !isfinite(high))
    return ts_fail(error, TS_INVALID, "a histogram has no place for infinite values");
  const ts_arena_mark mark = ts_arena_save(arena);
  double *kept = ts_arena_doubles(arena, moments.count);
  ts_drop_missing(count, values, kept);
  histogram->integers = are_whole(moments.count, kept);
  const double half = half_width(moments.count, kept, 0.5 * high - 0.5 * low);
  ts_arena_restore(arena, mark);
  if (histogram->integers)
    set_whole_edges(histogram, low, high, half, most);
  else if (low == high)
    set_single_bin(histogram, low);
  else
    set_edges(histogram, low, high, half, most);
  histogram->counts = ts_arena_bytes(arena, (size_t)histogram->bins, sizeof *histogram->counts);
  memset(histogram->counts, 0, (size_t)histogram->bins * sizeof *histogram->counts);
  for (size_t k = 0; k < count; ++k)
    if (!isnan(values[k])) ++histogram->counts[bin_of(histogram, values[k])];
  return TS_OK;
}
