#include "sampling/elementary.h"

#include <math.h>

// ln 2 in two parts: the first has 42 bits, so that its products with exponents are exact.
static const double LN2_HIGH = 0x1.62e42fefa38p-1, LN2_LOW = 0x1.ef35793c7673p-45;

// x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). With s = f / (2 + f), ln(1 + f) = 2 artanh s = 2 s + s r,
// where r = 2 s^2/3 + 2 s^4/5 + ..; and 2 s = f - s f, in which f is exact. s^2 < 0.0295: what is left out is below
// 1e-17.
double ts_same_log(double x)
{
  int e;
  double m = frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    e -= 1;
  }
  const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
  double r = 0.0;
  for (int k = 10; k >= 1; --k) r = z * (r + 2.0 / (2.0 * k + 1.0));
  return e * LN2_HIGH + (f - (s * (f - r) - e * LN2_LOW));
}

// x = k ln 2 + r with |r| <= ln(2)/2, and the series of exp(r): r^15/15! < 1e-19.
double ts_same_exp(double x)
{
  if (x < -746.0) return 0.0;
  if (x > 710.0) return INFINITY;
  const double k = floor(x * 0x1.71547652b82fep+0 + 0.5), r = (x - k * LN2_HIGH) - k * LN2_LOW;
  double sum = 0.0;
  for (int n = 14; n >= 2; --n) sum = (1.0 + sum) * (r / n);
  return ldexp(1.0 + (r + r * sum), (int)k);
}
