#include "sampling/distribution.h"

#include "base/assert.h"
#include "sampling/elementary.h"
#include "sampling/normal.h"

#include <float.h>
#include <math.h>

double ts_distribution_quantile(const ts_distribution *distribution, double u)
{
  TS_ASSERT(u >= 0.0 && u < 1.0);
  return distribution->quantile(distribution, u);
}

static double clamped(const ts_distribution *d, double x)
{
  return x < d->low ? d->low : x > d->high ? d->high : x;
}

// Rounding may reach an end that is excluded.
static double below_high(const ts_distribution *d, double x)
{
  return x < d->high ? x : nextafter(d->high, d->low);
}

static ts_status check_range(double low, double high, ts_error *error)
{
  if (!isfinite(low) || !isfinite(high))
    return ts_fail(error, TS_INVALID, "a range needs finite ends, not %g and %g", low, high);
  if (!(low < high)) return ts_fail(error, TS_INVALID, "the range from %g to %g is empty", low, high);
  if (!isfinite(high - low)) return ts_fail(error, TS_INVALID, "the range from %g to %g is too wide", low, high);
  return TS_OK;
}

static double uniform_quantile(const ts_distribution *d, double u)
{
  return below_high(d, d->low + (d->high - d->low) * u);
}

ts_status ts_distribution_uniform(ts_distribution *distribution, double low, double high, ts_error *error)
{
  TS_TRY(check_range(low, high, error));
  *distribution = (ts_distribution){.quantile = uniform_quantile, .low = low, .high = high};
  return TS_OK;
}

// low (high/low)^u, from the nearer end, so that both ends are exact; the power is a square because it may itself be
// too large for a double.
static double log_uniform_quantile(const ts_distribution *d, double u)
{
  const double root = ts_same_exp(0.5 * (u < 0.5 ? u : u - 1.0) * d->log_ratio);
  const double x = (u < 0.5 ? d->low : d->high) * root * root;
  return below_high(d, x > d->low ? x : d->low);
}

ts_status ts_distribution_log_uniform(ts_distribution *distribution, double low, double high, ts_error *error)
{
  TS_TRY(check_range(low, high, error));
  if (!(low > 0.0)) return ts_fail(error, TS_INVALID, "a log-uniform range begins above 0, not at %g", low);
  *distribution = (ts_distribution){
      .quantile = log_uniform_quantile, .low = low, .high = high, .log_ratio = ts_same_log(high) - ts_same_log(low)};
  return TS_OK;
}

// Up to the mode, P(x) = (x - low)^2 / (width (mode - low)); from there on the same from the other end.
static double triangular_quantile(const ts_distribution *d, double u)
{
  const double width = d->high - d->low, share = (d->mode - d->low) / width;
  const double x =
      u < share ? d->low + width * sqrt(u * share) : d->high - width * sqrt((1.0 - u) * ((d->high - d->mode) / width));
  return clamped(d, x);
}

ts_status ts_distribution_triangular(ts_distribution *distribution, double low, double mode, double high,
                                     ts_error *error)
{
  TS_TRY(check_range(low, high, error));
  if (!(mode >= low && mode <= high))
    return ts_fail(error, TS_INVALID, "the mode %g is not between %g and %g", mode, low, high);
  *distribution = (ts_distribution){.quantile = triangular_quantile, .low = low, .high = high, .mode = mode};
  return TS_OK;
}

// Of the probabilities of values below x and above, which add to 1, the smaller one says where x is: it keeps all its
// digits.
static double normal_quantile(const ts_distribution *d, double u)
{
  if (u == 0.0) u = 0x1p-54;
  const double below = d->below + u * d->inside, above = d->above + (1.0 - u) * d->inside;
  const double z = below < above ? ts_normal_quantile(below) : -ts_normal_quantile(above);
  return clamped(d, d->mean + d->deviation * z);
}

static const double FARTHEST = 40.0; // deviations from the mean: quantiles of the smallest probability are nearer

static ts_status check_normal(double mean, double deviation, ts_error *error)
{
  if (!isfinite(mean)) return ts_fail(error, TS_INVALID, "a mean of %g is not finite", mean);
  if (!(deviation > 0.0 && isfinite(deviation)))
    return ts_fail(error, TS_INVALID, "a standard deviation is positive and finite, not %g", deviation);
  if (!isfinite(fabs(mean) + FARTHEST * deviation))
    return ts_fail(error, TS_INVALID, "a normal distribution with mean %g and deviation %g is too wide", mean,
                   deviation);
  return TS_OK;
}

ts_status ts_distribution_normal(ts_distribution *distribution, double mean, double deviation, ts_error *error)
{
  TS_TRY(check_normal(mean, deviation, error));
  *distribution = (ts_distribution){.quantile = normal_quantile,
                                    .low = -INFINITY,
                                    .high = INFINITY,
                                    .mean = mean,
                                    .deviation = deviation,
                                    .inside = 1.0};
  return TS_OK;
}

// P(a < X < b), from the side on which both probabilities are small
static double probability_between(double a, double b)
{
  if (a > 0.0) return ts_normal_probability(-a) - ts_normal_probability(-b);
  if (b < 0.0) return ts_normal_probability(b) - ts_normal_probability(a);
  return 1.0 - ts_normal_probability(a) - ts_normal_probability(-b);
}

ts_status ts_distribution_truncated_normal(ts_distribution *distribution, double mean, double deviation, double low,
                                           double high, ts_error *error)
{
  TS_TRY(check_normal(mean, deviation, error));
  if (!(low < high)) return ts_fail(error, TS_INVALID, "the range from %g to %g is empty", low, high);
  const double a = (low - mean) / deviation, b = (high - mean) / deviation, inside = probability_between(a, b);
  if (!(inside >= DBL_MIN))
    return ts_fail(error, TS_INVALID,
                   "of a normal distribution with mean %g and deviation %g next to nothing lies from %g to %g", mean,
                   deviation, low, high);
  *distribution = (ts_distribution){.quantile = normal_quantile,
                                    .low = low,
                                    .high = high,
                                    .mean = mean,
                                    .deviation = deviation,
                                    .below = ts_normal_probability(a),
                                    .inside = inside,
                                    .above = ts_normal_probability(-b)};
  return TS_OK;
}

// The first value whose sum of weights, with those before it, is above u times the whole. It is so of the last one: for
// u <= 1 - 2^-53 the product is rounded to less than the whole.
static double discrete_quantile(const ts_distribution *d, double u)
{
  const double sum = u * d->sums[d->count - 1];
  int first = 0, last = d->count - 1;
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (d->sums[middle] > sum)
      last = middle;
    else
      first = middle + 1;
  }
  return d->values[first];
}

ts_status ts_distribution_discrete(ts_distribution *distribution, int count, const double *values,
                                   const double *weights, double *sums, ts_error *error)
{
  if (count < 1) return ts_fail(error, TS_INVALID, "a discrete distribution needs a value");
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const double weight = weights ? weights[i] : 1.0;
    if (!isfinite(values[i])) return ts_fail(error, TS_INVALID, "value %d is %g: not finite", i + 1, values[i]);
    if (!(weight >= 0.0 && isfinite(weight)))
      return ts_fail(error, TS_INVALID, "weight %d is %g: weights are finite, and not negative", i + 1, weight);
    sum += weight;
    sums[i] = sum;
  }
  if (!(sum >= DBL_MIN)) return ts_fail(error, TS_INVALID, "all weights are 0, or next to it");
  if (!isfinite(sum)) return ts_fail(error, TS_INVALID, "the weights have no finite sum");
  *distribution = (ts_distribution){.quantile = discrete_quantile, .count = count, .values = values, .sums = sums};
  return TS_OK;
}
