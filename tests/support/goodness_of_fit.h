// Whether numbers are distributed as they should be: statistics, and what they exceed once in 10,000 times. Seeds of
// tests are fixed: a test that passes does so always.
#ifndef SUPPORT_GOODNESS_OF_FIT_H
#define SUPPORT_GOODNESS_OF_FIT_H

// Sum of (counts - expected)^2 / expected, and its bound for so many freedoms (cells - 1, and 1 less for each
// parameter).
double chi_square(const int *counts, int cells, double expected);
double chi_square_bound(int freedoms);

// Largest distance between the distribution function and that of the values, which are sorted; and its bound.
double kolmogorov_distance(double *values, int count, double (*probability)(double x));
double kolmogorov_bound(int count);

double uniform_probability(double x); // of values below x, uniform in [0, 1)

#endif
