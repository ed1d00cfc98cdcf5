#include "sampling/normal.h"

#include "sampling/elementary.h"

#include <math.h>

// exp(-x^2/2) / sqrt(2 pi). x^2 is taken in two parts, of which that of x rounded to sixteenths is exact: the error of
// a rounded square would become one of the result, x^2 / 2 times as large.
static double density(double x)
{
  const double head = floor(x * 16.0 + 0.5) * 0.0625;
  return 0.39894228040143267794 * ts_same_exp(-0.5 * head * head) * ts_same_exp(-0.5 * (x - head) * (x + head));
}

// Between the centre and the tail, the series needs this many terms and the continued fraction this many levels for
// 1e-17.
static const double CENTRE = 1.25;
enum { TERMS = 24, FRACTION_LEVELS = 200 };

// P(0 < X < x) = density(x) (x + x^3/3 + x^5/(3 5) + ..)
static double from_centre(double x)
{
  double sum = 0.0;
  for (int k = TERMS; k >= 1; --k) sum = x * x / (2.0 * k + 1.0) * (1.0 + sum);
  return density(x) * (x + x * sum);
}

// P(X > x) = density(x) / (x + 1/(x + 2/(x + 3/(x + ..)))), x > 0: Laplace's continued fraction.
static double tail(double x)
{
  double fraction = x;
  for (int k = FRACTION_LEVELS; k >= 1; --k) fraction = x + k / fraction;
  return density(x) / fraction;
}

static const double NOTHING_BEYOND = 40.0; // P(X > x) is no double any more

double ts_normal_probability(double x)
{
  if (fabs(x) > NOTHING_BEYOND) return x < 0.0 ? 0.0 : 1.0;
  if (fabs(x) < CENTRE) return 0.5 + from_centre(x);
  return x < 0.0 ? tail(-x) : 1.0 - tail(x);
}

// Wichura (1988), algorithm AS 241, PPND16: quotients of polynomials in 0.425^2 - (p - 1/2)^2 next to the middle, and
// in sqrt(-ln p) in two ranges of the tail.
typedef struct quotient {
  double numerator[8], denominator[8];
} quotient;

static const quotient MIDDLE = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
     3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
static const quotient NEAR = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
static const quotient FAR = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

static double polynomial(const double c[8], double r)
{
  double sum = c[7];
  for (int k = 6; k >= 0; --k) sum = sum * r + c[k];
  return sum;
}

static double evaluate(const quotient *q, double r)
{
  return polynomial(q->numerator, r) / polynomial(q->denominator, r);
}

double ts_normal_quantile(double p)
{
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) return q * evaluate(&MIDDLE, 0.180625 - q * q);
  const double r = sqrt(-ts_same_log(q < 0.0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? evaluate(&NEAR, r - 1.6) : evaluate(&FAR, r - 5.0);
  return q < 0.0 ? -x : x;
}
