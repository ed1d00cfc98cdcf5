#include "statistics/bootstrap.h"

#include "base/assert.h"
#include "statistics/quantile.h"

#include <math.h>
#include <string.h>

// 1/k!, e times the probability of k. That of more than 18 is below 1e-17.
static const double WEIGHTS[] = {1.0,
                                 1.0,
                                 1.0 / 2.0,
                                 1.0 / 6.0,
                                 1.0 / 24.0,
                                 1.0 / 120.0,
                                 1.0 / 720.0,
                                 1.0 / 5040.0,
                                 1.0 / 40320.0,
                                 1.0 / 362880.0,
                                 1.0 / 3628800.0,
                                 1.0 / 39916800.0,
                                 1.0 / 479001600.0,
                                 1.0 / 6227020800.0,
                                 1.0 / 87178291200.0,
                                 1.0 / 1307674368000.0,
                                 1.0 / 20922789888000.0,
                                 1.0 / 355687428096000.0,
                                 1.0 / 6402373705728000.0};

size_t ts_bootstrap_row_count(const ts_bootstrap *bootstrap, size_t count)
{
  return bootstrap->most_rows > 0 && bootstrap->most_rows < count ? bootstrap->most_rows : count;
}

// Each row is taken with the chance that so many of those that are left are wanted (Fan, Muller and Rezucha, 1962).
size_t ts_bootstrap_pick(const ts_bootstrap *bootstrap, size_t count, void *rows, size_t row_size, ts_random *random)
{
  const size_t wanted = ts_bootstrap_row_count(bootstrap, count);
  char *bytes = rows;
  for (size_t k = 0, taken = 0; taken < wanted; ++k) {
    if (ts_random_uniform(random, 0.0, (double)(count - k)) >= (double)(wanted - taken)) continue;
    memmove(bytes + taken++ * row_size, bytes + k * row_size, row_size);
  }
  return wanted;
}

double ts_bootstrap_weight(ts_random *random)
{
  enum { LAST = sizeof WEIGHTS / sizeof WEIGHTS[0] - 1 };
  double left = ts_random_uniform(random, 0.0, exp(1.0));
  int k = 0;
  while (k < LAST && left >= WEIGHTS[k]) left -= WEIGHTS[k++];
  return k;
}

ts_confidence_interval ts_percentile_interval(const ts_bootstrap *bootstrap, double *replicates)
{
  TS_ASSERT(bootstrap->replicates >= 0 && bootstrap->level > 0.0 && bootstrap->level < 1.0);
  const size_t count = ts_drop_missing((size_t)bootstrap->replicates, replicates, replicates);
  const double low = ts_quantile(count, replicates, 0.5 - 0.5 * bootstrap->level);
  return (ts_confidence_interval){low, ts_quantile(count, replicates, 0.5 + 0.5 * bootstrap->level)};
}
