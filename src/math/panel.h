// Dense blocks of a Cholesky factor, column after column: the arithmetic that sparse factors and single blocks share.
// The diagonal of a factor is inverted: 1/L_ii, and 0 where a pivot was dropped.
#ifndef TS_MATH_PANEL_H
#define TS_MATH_PANEL_H

#include "base/hot.h"

#include <math.h>
#include <stdbool.h>

// Cholesky of a panel's diagonal block, and what is below it times the inverse transpose of that factor. A pivot not
// above `relative` times the entry that it began as is dropped; dropped[c] says before which to drop in any case, and
// afterwards which were.
TS_INLINE void ts_panel_factor(const int size, const int height, double *P, const double *diagonal, double relative,
                               bool *dropped)
{
  for (int c = 0; c < size; ++c) {
    double *column = P + c * height;
    const bool sound = !dropped[c] && column[c] > relative * diagonal[c]; // false also for what is not a number
    const double inverse = sound ? 1.0 / sqrt(column[c]) : 0.0;
    dropped[c] = !sound;
    column[c] = inverse;
    for (int r = c + 1; r < height; ++r) column[r] = sound ? column[r] * inverse : 0.0;
    for (int d = c + 1; d < size && sound; ++d) {
      double *other = P + d * height;
      const double l = column[d];
      for (int r = d; r < height; ++r) other[r] -= l * column[r];
    }
  }
}

// x becomes L^-1 x.
TS_INLINE void ts_panel_solve(const double *P, int size, int height, double *x)
{
  for (int c = 0; c < size; ++c) {
    x[c] *= P[c + c * height];
    for (int r = c + 1; r < size; ++r) x[r] -= P[r + c * height] * x[c];
  }
}

// x becomes L^-T x.
TS_INLINE void ts_panel_solve_transposed(const double *P, int size, int height, double *x)
{
  for (int c = size - 1; c >= 0; --c) {
    for (int r = c + 1; r < size; ++r) x[c] -= P[r + c * height] * x[r];
    x[c] *= P[c + c * height];
  }
}

#endif
