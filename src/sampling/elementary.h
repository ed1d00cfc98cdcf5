// Logarithm and exponential from sums, products and quotients alone. The C library's may differ between machines in the
// last bit, and samples with them; these do not.
#ifndef TS_SAMPLING_ELEMENTARY_H
#define TS_SAMPLING_ELEMENTARY_H

double ts_same_log(double x); // x > 0 and finite; to 2e-16 of it
double ts_same_exp(double x); // x finite; to 3e-16 of it, 0 and infinity beyond the range of doubles

#endif
