#include "statistics/interval.h"

#include "base/assert.h"
#include "sampling/normal.h"
#include "statistics/student.h"

#include <math.h>

// The smaller root p of (p - k/n)^2 = z^2 p (1 - p)/n. Of the two forms of a root the one without a difference: for k =
// 0 it is 0.
static double lower_score_bound(double k, double n, double z)
{
  return k * k / n / (k + 0.5 * z * z + z * sqrt(k * (n - k) / n + 0.25 * z * z));
}

ts_confidence_interval ts_share_interval(size_t hits, size_t trials, double level)
{
  TS_ASSERT(hits <= trials && level > 0.0 && level < 1.0);
  if (trials == 0) return (ts_confidence_interval){0.0, 1.0};
  const double k = (double)hits, n = (double)trials, z = ts_normal_quantile(0.5 + 0.5 * level);
  return (ts_confidence_interval){lower_score_bound(k, n, z), 1.0 - lower_score_bound(n - k, n, z)};
}

ts_confidence_interval ts_mean_interval(size_t count, double mean, double deviation, double level)
{
  TS_ASSERT(level > 0.0 && level < 1.0);
  if (count < 2) return (ts_confidence_interval){NAN, NAN};
  const double n = (double)count;
  const double half = ts_student_quantile(0.5 + 0.5 * level, n - 1.0) * deviation / sqrt(n);
  return (ts_confidence_interval){mean - half, mean + half};
}
