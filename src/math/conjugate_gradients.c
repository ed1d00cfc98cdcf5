#include "math/conjugate_gradients.h"

#include "math/matrix.h"

#include <string.h>

static double dot(const double *x, const double *y, size_t n)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void ts_conjugate_gradients(const ts_matrix *M, const double *diagonal, const double *f, double *x, ts_arena *arena)
{
  const size_t n = (size_t)M->rows;
  double *g = ts_arena_doubles(arena, n), *y = ts_arena_doubles(arena, n);
  double *p = ts_arena_doubles(arena, n), *Mp = ts_arena_doubles(arena, n);
  memset(x, 0, n * sizeof *x);
  memcpy(g, f, n * sizeof *g);
  for (size_t i = 0; i < n; ++i) y[i] = p[i] = g[i] / diagonal[i];
  double gy = dot(g, y, n);
  const double enough = 1e-26 * gy;
  for (size_t step = 0; step < 2 * n + 50 && gy > enough; ++step) {
    memset(Mp, 0, n * sizeof *Mp);
    ts_matrix_multiply_add(M, 1.0, p, Mp);
    const double alpha = gy / dot(p, Mp, n);
    for (size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      g[i] -= alpha * Mp[i];
      y[i] = g[i] / diagonal[i];
    }
    const double next = dot(g, y, n), beta = next / gy;
    for (size_t i = 0; i < n; ++i) p[i] = y[i] + beta * p[i];
    gy = next;
  }
}
