#include "statistics/moments.h"

#include <math.h>

ts_moments ts_moments_of_none(void)
{
  return (ts_moments){.low = INFINITY, .high = -INFINITY};
}

void ts_moments_add(ts_moments *moments, double value)
{
  if (isnan(value)) {
    ++moments->missing;
    return;
  }
  ++moments->count;
  const double off = value - moments->mean;
  moments->mean += off / (double)moments->count;
  moments->squares += off * (value - moments->mean);
  moments->low = fmin(moments->low, value);
  moments->high = fmax(moments->high, value);
}

void ts_moments_add_column(ts_moments *moments, size_t count, const double *values)
{
  for (size_t k = 0; k < count; ++k) ts_moments_add(moments, values[k]);
}

double ts_moments_variance(const ts_moments *moments)
{
  return moments->count < 2 ? NAN : moments->squares / (double)(moments->count - 1);
}

double ts_moments_deviation(const ts_moments *moments)
{
  return sqrt(ts_moments_variance(moments));
}

ts_confidence_interval ts_moments_mean_interval(const ts_moments *moments, double level)
{
  return ts_mean_interval(moments->count, moments->mean, ts_moments_deviation(moments), level);
}
