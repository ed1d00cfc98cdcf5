#include "math/small_system.h"

#include "base/hot.h"
#include "math/quad.h"

#include <math.h>
#include <stddef.h>

static int largest_in_column(const ts_small_system *s, const int *order, int k)
{
  int best = k;
  double size = fabs(s->at[order[k]][k]);
  for (int i = k + 1; i < s->count; ++i) {
    const double candidate = fabs(s->at[order[i]][k]);
    if (candidate > size) {
      best = i;
      size = candidate;
    }
  }
  return best;
}

// row -= factor pivot from column k on. Starts at the quad that holds column k: what stands before it is not read
// again.
TS_INLINE void subtract_row(double *restrict row, const double *restrict pivot, double factor, int k, int width)
{
  for (size_t c = (size_t)k & ~(size_t)3; c < (size_t)width; c += 4)
    TS_QUAD(row + c) -= TS_CONST_QUAD(pivot + c) * factor;
}

TS_INLINE void fill_last_quads(ts_small_system *s)
{
  for (int i = 0; i < s->count; ++i)
    for (int c = s->count + 1; c % 4 != 0; ++c) s->at[i][c] = 0.0;
}

TS_HOT bool ts_small_system_solve(ts_small_system *s, double *x)
{
  const int n = s->count, width = n + 1;
  int order[TS_SMALL_SYSTEM_ROWS];
  for (int i = 0; i < n; ++i) order[i] = i;
  fill_last_quads(s);
  for (int k = 0; k < n; ++k) {
    const int best = largest_in_column(s, order, k), row = order[best];
    order[best] = order[k];
    order[k] = row;
    const double *pivot = s->at[row];
    if (!(fabs(pivot[k]) > 0.0) || isinf(pivot[k])) return false;
    const double inverse = 1.0 / pivot[k];
    for (int i = k + 1; i < n; ++i) {
      double *below = s->at[order[i]];
      if (below[k] != 0.0) subtract_row(below, pivot, below[k] * inverse, k, width);
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    const double *row = s->at[order[k]];
    double sum = row[n];
    for (int c = k + 1; c < n; ++c) sum -= row[c] * x[c];
    x[k] = sum / row[k];
  }
  return true;
}

// Row i is known from its diagonal on; what pivots take from it stands in their own rows.
TS_HOT bool ts_small_system_solve_definite(ts_small_system *s, double *x)
{
  const int n = s->count, width = n + 1;
  fill_last_quads(s);
  for (int k = 0; k < n; ++k) {
    const double *pivot = s->at[k];
    if (!(pivot[k] > 0.0) || isinf(pivot[k])) return false;
    const double inverse = 1.0 / pivot[k];
    for (int i = k + 1; i < n; ++i)
      if (pivot[i] != 0.0) subtract_row(s->at[i], pivot, pivot[i] * inverse, i, width);
  }
  for (int k = n - 1; k >= 0; --k) {
    const double *row = s->at[k];
    double sum = row[n];
    for (int c = k + 1; c < n; ++c) sum -= row[c] * x[c];
    x[k] = sum / row[k];
  }
  return true;
}
