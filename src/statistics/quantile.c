#include "statistics/quantile.h"

#include "base/assert.h"
#include "base/random.h"

#include <limits.h>
#include <math.h>

size_t ts_drop_missing(size_t count, const double *values, double *kept)
{
  size_t left = 0;
  for (size_t k = 0; k < count; ++k)
    if (!isnan(values[k])) kept[left++] = values[k];
  return left;
}

static void swap(double *a, double *b)
{
  const double other = *a;
  *a = *b;
  *b = other;
}

// Puts the value that belongs there into place k, smaller ones before it and larger ones behind (Hoare, 1961). In three
// parts, for many values may be equal; by pivots drawn at random, for columns are often in order.
static double select_place(size_t count, double *values, size_t k)
{
  ts_random random;
  ts_random_init(&random, count);
  size_t first = 0, last = count; // place k is in [first, last)
  while (last - first > 1) {
    const double pivot = values[first + ts_random_bits(&random) % (last - first)];
    size_t below = first, next = first, above = last;
    while (next < above) {
      if (values[next] < pivot)
        swap(&values[below++], &values[next++]);
      else if (values[next] > pivot)
        swap(&values[next], &values[--above]);
      else
        ++next;
    }
    if (k < below)
      last = below;
    else if (k >= above)
      first = above;
    else
      break;
  }
  return values[k];
}

double ts_quantile(size_t count, double *values, double share)
{
  TS_ASSERT(share >= 0.0 && share <= 1.0);
  if (count == 0) return NAN;
  const double place = share * (double)(count - 1);
  const size_t k = (size_t)place;
  const double part = place - (double)k, value = select_place(count, values, k);
  if (part == 0.0 || k + 1 == count) return value;
  double next = values[k + 1];
  for (size_t i = k + 2; i < count; ++i) next = fmin(next, values[i]);
  return next == value ? value : (1.0 - part) * value + part * next;
}
