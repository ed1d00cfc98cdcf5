#include "goodness_of_fit.h"

#include <math.h>
#include <stdlib.h>

double chi_square(const int *counts, int cells, double expected)
{
  double sum = 0.0;
  for (int i = 0; i < cells; ++i) sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  return sum;
}

// Wilson and Hilferty: the cube root of chi^2 / k is nearly normal; 3.719 deviations are exceeded once in 10,000 times.
double chi_square_bound(int freedoms)
{
  const double v = 2.0 / (9.0 * freedoms), root = 1.0 - v + 3.719 * sqrt(v);
  return freedoms * root * root * root;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double kolmogorov_distance(double *values, int count, double (*probability)(double x))
{
  qsort(values, (size_t)count, sizeof *values, compare);
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    const double p = probability(values[i]);
    largest = fmax(largest, fmax((i + 1.0) / count - p, p - (double)i / count));
  }
  return largest;
}

// 2 exp(-2 n D^2) = 1e-4
double kolmogorov_bound(int count)
{
  return sqrt(0.5 * log(2e4) / count);
}

double uniform_probability(double x)
{
  return fmin(fmax(x, 0.0), 1.0);
}
