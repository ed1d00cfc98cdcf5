#include "statistics/student.h"

#include "base/assert.h"
#include "sampling/normal.h"
#include "touchstone/vector.h"

#include <float.h>
#include <math.h>

static const double MANY = 1e4;

// Gamma(x + 1/2)/Gamma(x) for x > 0. Both grow by a factor of their argument from x to x + 1; from 20 on the series in
// 1/x (Stirling's, of the one less that of the other) has its next term below 2e-17. The C library's lgamma() writes a
// global variable, and cancels.
static double gamma_ratio(double x)
{
  double factor = 1.0;
  for (; x < 20.0; x += 1.0) factor *= x / (x + 0.5);
  const double u = 1.0 / x, v = u * u;
  const double series =
      u * (-1.0 / 8.0 + v * (1.0 / 192.0 + v * (-1.0 / 640.0 + v * (17.0 / 14336.0 + v * (-31.0 / 18432.0)))));
  return factor * sqrt(x) * exp(series);
}

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), front to back by Lentz:
// I_x(a, b) = x^a (1 - x)^b/(a B(a, b)) times what is returned. Fast for x < (a + 1)/(a + b + 2).
static double beta_fraction(double x, double a, double b)
{
  double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), value = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / (1.0 + even * d);
    c = 1.0 + even / c;
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / (1.0 + odd * d);
    c = 1.0 + odd / c;
    value *= d * c;
    if (fabs(d * c - 1.0) < DBL_EPSILON) break;
  }
  return value;
}

// t times the density at t > 0, which is x^(n/2) (1 - x)^(1/2)/B(n/2, 1/2) with x = n/(n + t^2). `ratio` is that of the
// gamma functions.
static double weighted_density(double t, double n, double ratio)
{
  const double r = t / sqrt(n), log_x = r > 1.0 ? -2.0 * log(hypot(1.0, r)) : -log1p(r * r);
  return ratio / sqrt(TS_PI) * exp(0.5 * n * log_x) * (r / hypot(1.0, r));
}

// Probability of more than t > 0: I_x(n/2, 1/2)/2, or what I_{1-x}(1/2, n/2)/2 leaves of a half.
static double upper_tail(double t, double n, double ratio)
{
  const double w = weighted_density(t, n, ratio);
  if (t * t > 3.0 * n / (n + 2.0)) return w / n * beta_fraction(1.0 / (1.0 + t / n * t), 0.5 * n, 0.5);
  return 0.5 - w * beta_fraction(t * t / (n + t * t), 0.5, 0.5 * n);
}

// Of many degrees of freedom, where x is so close to 1 that it has few digits left: Fisher's and Cornish's series about
// the normal quantile (Abramowitz and Stegun 26.7.5). The next term is below 1e-14 for |z| < 8 and n > 1e4.
static double expand(double z, double n)
{
  const double y = z * z;
  const double first = z * (y + 1.0) / 4.0, second = z * ((5.0 * y + 16.0) * y + 3.0) / 96.0;
  const double third = z * (((3.0 * y + 19.0) * y + 17.0) * y - 15.0) / 384.0;
  const double fourth = z * ((((79.0 * y + 776.0) * y + 1482.0) * y - 1920.0) * y - 945.0) / 92160.0;
  return z + (first + (second + (third + fourth / n) / n) / n) / n;
}

// Newton's method on the logarithm of the tail over that of t: almost a line far out, where the tail is a power of t.
// It is concave and falls, so that iterates come from the right after the first one.
double ts_student_quantile(double p, double freedom)
{
  TS_ASSERT(p > 0.0 && p < 1.0 && freedom >= 1.0);
  const double n = freedom, tail = fmin(p, 1.0 - p), z = -ts_normal_quantile(tail);
  if (z <= 0.0) return 0.0;
  if (n > MANY) return p < 0.5 ? -expand(z, n) : expand(z, n);
  const double ratio = gamma_ratio(0.5 * n);
  double t = z;
  for (int k = 0; k < 100; ++k) {
    const double q = upper_tail(t, n, ratio), step = log(q / tail) * q / weighted_density(t, n, ratio);
    t *= exp(step);
    if (fabs(step) < 1e-15) break;
  }
  return p < 0.5 ? -t : t;
}
