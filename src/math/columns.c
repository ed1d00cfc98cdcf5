#include "math/columns.h"

#include "base/hot.h"

#include <math.h>
#include <string.h>

TS_HOT
void ts_columns_combine(int rows, int count, const double *const *column, const double *factor, double *restrict y)
{
  int c = 0;
  for (; c + 4 <= count; c += 4) { // four at a time: y is read and written once for them
    const double *restrict a0 = column[c], *restrict a1 = column[c + 1];
    const double *restrict a2 = column[c + 2], *restrict a3 = column[c + 3];
    const double f0 = factor[c], f1 = factor[c + 1], f2 = factor[c + 2], f3 = factor[c + 3];
    for (int i = 0; i < rows; ++i) y[i] = y[i] + f0 * a0[i] + f1 * a1[i] + f2 * a2[i] + f3 * a3[i];
  }
  for (; c < count; ++c) {
    const double *restrict a = column[c];
    const double f = factor[c];
    for (int i = 0; i < rows; ++i) y[i] += f * a[i];
  }
}

// Four partial sums, so that the loop can be vectorized without changing the order of any of them.
enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

TS_HOT
void ts_columns_dot(int rows, int columns, const double *A, size_t leading, const double *x, double *product)
{
  for (int c = 0; c < columns; ++c) {
    const double *a = A + (size_t)c * leading;
    lanes even = {0}, odd = {0};
    int i = 0;
    for (; i + 2 * LANES <= rows; i += 2 * LANES) {
      lanes a0, a1, x0, x1;
      memcpy(&a0, a + i, sizeof a0);
      memcpy(&a1, a + i + LANES, sizeof a1);
      memcpy(&x0, x + i, sizeof x0);
      memcpy(&x1, x + i + LANES, sizeof x1);
      even += a0 * x0;
      odd += a1 * x1;
    }
    even += odd;
    double sum = (even[0] + even[1]) + (even[2] + even[3]);
    for (; i < rows; ++i) sum += a[i] * x[i];
    product[c] = sum;
  }
}

TS_HOT
void ts_columns_rank_one(int rows, int columns, const double *restrict x, const double *factor, double *A,
                         size_t leading)
{
  for (int c = 0; c < columns; ++c) {
    const double f = factor[c];
    if (f == 0.0) continue;
    double *restrict a = A + (size_t)c * leading;
    for (int i = 0; i < rows; ++i) a[i] += f * x[i];
  }
}

TS_HOT
double ts_columns_raise_maxima(int rows, const double *restrict x, const double *restrict weight, double factor,
                               double *restrict maxima)
{
  double largest[LANES] = {0};
  int i = 0;
  for (; i + LANES <= rows; i += LANES)
    for (int l = 0; l < LANES; ++l) {
      const double value = fabs(x[i + l]) * weight[i + l] * factor;
      maxima[i + l] = value > maxima[i + l] ? value : maxima[i + l];
      largest[l] = value > largest[l] ? value : largest[l];
    }
  for (; i < rows; ++i) {
    const double value = fabs(x[i]) * weight[i] * factor;
    maxima[i] = value > maxima[i] ? value : maxima[i];
    largest[0] = value > largest[0] ? value : largest[0];
  }
  for (int l = 1; l < LANES; ++l) largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
  return largest[0];
}
