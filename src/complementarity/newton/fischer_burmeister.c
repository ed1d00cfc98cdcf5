// 000 eqs. 23-25 with off-diagonals at kinks (corrections.md 7), and for two bounds the composition of
// S. C. Billups, "Algorithms for complementarity problems and generalized equations" (1995), in the paper's sign:
//   lower only  phi(z - l, F)
//   upper only  -phi(u - z, -F)
//   both        phi(z - l, phi(u - z, -F))
//   free        -F
// The first two and the last are limits of the third as the bounds go to infinity.
#include "complementarity/newton/fischer_burmeister.h"

#include <math.h>

// As printed it cancels next to a solution, where it matters. For a + b > 0 multiply by the conjugate:
// phi = -2ab / (sqrt(a^2 + b^2) + a + b) keeps all digits.
double ts_fischer_burmeister(double a, double b)
{
  const double norm = hypot(a, b), sum = a + b;
  return sum > 0.0 ? -2.0 * a * (b / (norm + sum)) : norm - sum;
}

// a/|(a, b)| - 1, again without cancellation where a > 0.
static double unit_minus_one(double a, double b)
{
  const double norm = hypot(a, b);
  return a > 0.0 ? -(b / norm) * (b / (norm + a)) : a / norm - 1.0;
}

typedef struct derivative {
  double a, b;
} derivative;

// Derivative of phi at (a, b); at the origin its limit along the direction (u, v).
static derivative differentiate(double a, double b, double u, double v)
{
  if (a == 0.0 && b == 0.0) a = u, b = v;
  return (derivative){unit_minus_one(a, b), unit_minus_one(b, a)};
}

ts_fb_row ts_fischer_burmeister_row(double z, double F, double lower, double upper, double slope)
{
  const int bounded_below = lower > -(double)INFINITY, bounded_above = upper < (double)INFINITY;
  if (!bounded_below && !bounded_above) return (ts_fb_row){-F, 0.0, -1.0};
  if (!bounded_above) {
    const derivative d = differentiate(z - lower, F, 1.0, slope);
    return (ts_fb_row){ts_fischer_burmeister(z - lower, F), d.a, d.b};
  }
  const derivative inner = differentiate(upper - z, -F, -1.0, -slope);
  const ts_fb_row g = {ts_fischer_burmeister(upper - z, -F), -inner.a, -inner.b};
  if (!bounded_below) return (ts_fb_row){-g.value, -g.dz, -g.dF};
  const derivative outer = differentiate(z - lower, g.value, 1.0, g.dz + g.dF * slope);
  return (ts_fb_row){ts_fischer_burmeister(z - lower, g.value), outer.a + outer.b * g.dz, outer.b * g.dF};
}
