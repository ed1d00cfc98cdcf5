#include "complementarity/linear/boxed.h"

#include "math/columns.h"
#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double INFINITE_BOUND = 1e20; // what optimization codes write for "none"

enum {
  PASSES = 6,       // of equilibration
  SPARSE_RATIO = 4, // M is kept sparse when fewer than 1/4 of its entries are not zero
};

// ---- equilibration -------------------------------------------------------------------------------------------------

// 2^-k with 4^k near x: what brings an entry of size x to size 1 when applied from both sides. Sizes within a factor of
// 4 are left alone, so that sound problems are not copied.
static double inverse_root_power(double x)
{
  if (x == 0.0 || (x >= 0.25 && x <= 4.0)) return 1.0;
  int exponent;
  frexp(x, &exponent);
  return ldexp(1.0, -(int)floor(0.5 * exponent));
}

// Largest entries of the rows and columns of R M C.
static void row_and_column_maxima(const ts_matrix *M, const double *r, const double *c, double *restrict row,
                                  double *column)
{
  const int n = M->rows;
  memset(row, 0, (size_t)n * sizeof *row);
  for (int j = 0; j < n; ++j) {
    if (ts_matrix_is_dense(M)) {
      column[j] = ts_columns_raise_maxima(n, M->value + (size_t)j * (size_t)n, r, c[j], row);
      continue;
    }
    double largest = 0.0;
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
      const int i = M->index[k];
      const double x = fabs(M->value[k]) * r[i] * c[j];
      largest = x > largest ? x : largest;
      row[i] = x > row[i] ? x : row[i];
    }
    column[j] = largest;
  }
}

// Ruiz's equilibration: divide rows and columns by the roots of their largest entries until these are near 1.
static void equilibrate(const ts_matrix *M, double *r, double *c, ts_arena *arena)
{
  const int n = M->rows;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *row = ts_arena_doubles(arena, (size_t)n), *column = ts_arena_doubles(arena, (size_t)n);
  for (int i = 0; i < n; ++i) r[i] = c[i] = 1.0;
  for (int pass = 0; pass < PASSES; ++pass) {
    row_and_column_maxima(M, r, c, row, column);
    bool changed = false;
    for (int i = 0; i < n; ++i) {
      const double by_row = inverse_root_power(row[i]), by_column = inverse_root_power(column[i]);
      changed |= by_row != 1.0 || by_column != 1.0;
      r[i] *= by_row;
      c[i] *= by_column;
    }
    if (!changed) break;
  }
  ts_arena_restore(arena, mark);
}

// ---- storage -------------------------------------------------------------------------------------------------------

static size_t count_entries(const ts_matrix *M)
{
  const size_t stored = ts_matrix_entries(M);
  size_t count = 0;
  for (size_t k = 0; k < stored; ++k) count += M->value[k] != 0.0;
  return count;
}

static bool all_ones(const double *x, int n)
{
  for (int i = 0; i < n; ++i)
    if (x[i] != 1.0) return false;
  return true;
}

static void store_dense(ts_boxed *p, const ts_matrix *M, ts_arena *arena)
{
  const size_t n = (size_t)p->size;
  if (ts_matrix_is_dense(M) && all_ones(p->row_scale, p->size) && all_ones(p->column_scale, p->size)) {
    p->dense = M->value; // nothing to scale: no copy
    return;
  }
  double *value = ts_arena_doubles(arena, n * n);
  ts_matrix_to_dense(M, value, n);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) value[j * n + i] *= p->row_scale[i] * p->column_scale[j];
  p->dense = value;
}

static void store_sparse_columns(ts_boxed *p, const ts_matrix *M, size_t entries, ts_arena *arena)
{
  const int n = p->size;
  int *start = ts_arena_ints(arena, (size_t)n + 1), *index = ts_arena_ints(arena, entries), next = 0;
  double *value = ts_arena_doubles(arena, entries);
  for (int j = 0; j < n; ++j) {
    start[j] = next;
    const size_t first = ts_matrix_is_dense(M) ? (size_t)j * (size_t)n : (size_t)M->start[j];
    const size_t end = ts_matrix_is_dense(M) ? first + (size_t)n : (size_t)M->start[j + 1];
    for (size_t k = first; k < end; ++k) {
      if (M->value[k] == 0.0) continue;
      const int i = ts_matrix_is_dense(M) ? (int)(k - first) : M->index[k];
      index[next] = i;
      value[next++] = M->value[k] * (p->row_scale[i] * p->column_scale[j]);
    }
  }
  start[n] = next;
  p->column_start = start;
  p->row_of_entry = index;
  p->column_value = value;
}

static void store_sparse_rows(ts_boxed *p, ts_arena *arena)
{
  const int n = p->size;
  const size_t entries = (size_t)p->column_start[n];
  int *start = ts_arena_ints(arena, (size_t)n + 2), *index = ts_arena_ints(arena, entries);
  double *value = ts_arena_doubles(arena, entries);
  memset(start, 0, ((size_t)n + 2) * sizeof *start);
  for (size_t k = 0; k < entries; ++k) ++start[p->row_of_entry[k] + 2];
  for (int i = 0; i < n; ++i) start[i + 2] += start[i + 1];
  for (int j = 0; j < n; ++j)
    for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k) {
      const int place = start[p->row_of_entry[k] + 1]++;
      index[place] = j;
      value[place] = p->column_value[k];
    }
  p->row_start = start;
  p->column_of_entry = index;
  p->row_value = value;
}

// ---- data ----------------------------------------------------------------------------------------------------------

static double scaled_bound(double bound, double scale)
{
  return fabs(bound) >= INFINITE_BOUND ? copysign((double)INFINITY, bound) : bound / scale;
}

static double clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

// Scale q and the bounds, then divide all by the power of two nearest to their size; column_scale takes it up.
static void store_data(ts_boxed *p, const double *q, const double *lower, const double *upper, ts_arena *arena)
{
  const int n = p->size;
  p->q = ts_arena_doubles(arena, (size_t)n);
  p->lower = ts_arena_doubles(arena, (size_t)n);
  p->upper = ts_arena_doubles(arena, (size_t)n);
  double size = 0.0;
  for (int i = 0; i < n; ++i) {
    p->q[i] = p->row_scale[i] * q[i];
    p->lower[i] = lower ? scaled_bound(lower[i], p->column_scale[i]) : 0.0;
    p->upper[i] = upper ? scaled_bound(upper[i], p->column_scale[i]) : (double)INFINITY;
    size = fmax(size, fmax(fabs(p->q[i]), fabs(clamp(0.0, p->lower[i], p->upper[i]))));
  }
  int exponent = 0;
  frexp(size, &exponent); // 0 for a size of 0
  const double common = ldexp(1.0, -exponent);
  for (int i = 0; i < n; ++i) {
    p->q[i] *= common;
    p->lower[i] *= common;
    p->upper[i] *= common;
    p->row_scale[i] *= common;
    p->column_scale[i] /= common;
  }
}

void ts_boxed_init(ts_boxed *p, const ts_problem *problem, ts_arena *arena)
{
  const bool mixed = problem->type == TS_MLCP;
  const ts_matrix *M = mixed ? &problem->mlcp.M : &problem->lcp.M;
  const size_t n = (size_t)M->rows;
  *p = (ts_boxed){.size = M->rows};
  p->row_scale = ts_arena_doubles(arena, n);
  p->column_scale = ts_arena_doubles(arena, n);
  equilibrate(M, p->row_scale, p->column_scale, arena);
  const size_t entries = count_entries(M);
  if (entries * SPARSE_RATIO < n * n) {
    store_sparse_columns(p, M, entries, arena);
    store_sparse_rows(p, arena);
  } else {
    store_dense(p, M, arena);
  }
  store_data(p, mixed ? problem->mlcp.q : problem->lcp.q, mixed ? problem->mlcp.lower : NULL,
             mixed ? problem->mlcp.upper : NULL, arena);
}

// ---- products ------------------------------------------------------------------------------------------------------

void ts_boxed_add_column(const ts_boxed *p, int j, double factor, double *y)
{
  if (p->dense) {
    const double *column = p->dense + (size_t)j * (size_t)p->size;
    ts_columns_combine(p->size, 1, &column, &factor, y);
    return;
  }
  for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k)
    y[p->row_of_entry[k]] += factor * p->column_value[k];
}

void ts_boxed_multiply_add(const ts_boxed *p, const double *x, double *y)
{
  for (int j = 0; j < p->size; ++j)
    if (x[j] != 0.0) ts_boxed_add_column(p, j, x[j], y);
}

void ts_boxed_extended_w(const ts_boxed *p, const double *z, long double *w)
{
  for (int i = 0; i < p->size; ++i) w[i] = p->q[i];
  for (int j = 0; j < p->size; ++j) {
    if (z[j] == 0.0) continue;
    if (p->dense) {
      const double *column = p->dense + (size_t)j * (size_t)p->size;
      for (int i = 0; i < p->size; ++i) w[i] += (long double)column[i] * z[j];
    } else {
      for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k)
        w[p->row_of_entry[k]] += (long double)p->column_value[k] * z[j];
    }
  }
}

double ts_boxed_dot_column(const ts_boxed *p, int j, const double *x)
{
  if (p->dense) return cblas_ddot(p->size, p->dense + (size_t)j * (size_t)p->size, 1, x, 1);
  double sum = 0.0;
  for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k) sum += p->column_value[k] * x[p->row_of_entry[k]];
  return sum;
}

double ts_boxed_entry(const ts_boxed *p, int i, int j)
{
  if (p->dense) return p->dense[(size_t)j * (size_t)p->size + (size_t)i];
  for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k)
    if (p->row_of_entry[k] == i) return p->column_value[k];
  return 0.0;
}

void ts_boxed_scale(const ts_boxed *p, const double *z, double *scaled)
{
  for (int i = 0; i < p->size; ++i) {
    const double value = z[i] / p->column_scale[i];
    scaled[i] = clamp(isfinite(value) ? value : 0.0, p->lower[i], p->upper[i]); // an overflow leaves 0
  }
}

void ts_boxed_unscale(const ts_boxed *p, const ts_problem *problem, const double *scaled, double *z)
{
  const bool mixed = problem->type == TS_MLCP;
  for (int i = 0; i < p->size; ++i) {
    const double product = scaled[i] * p->column_scale[i], value = isfinite(product) ? product : 0.0;
    z[i] = mixed ? clamp(value, problem->mlcp.lower[i], problem->mlcp.upper[i]) : fmax(value, 0.0);
  }
}

void ts_boxed_clamp(const ts_boxed *p, double *z)
{
  for (int i = 0; i < p->size; ++i) z[i] = clamp(z[i], p->lower[i], p->upper[i]);
}

double ts_boxed_natural(const ts_boxed *p, const double *z, double *w)
{
  memcpy(w, p->q, (size_t)p->size * sizeof *w);
  ts_boxed_multiply_add(p, z, w);
  double worst = 0.0;
  for (int i = 0; i < p->size; ++i) {
    const double natural = fabs(z[i] - clamp(z[i] - w[i], p->lower[i], p->upper[i]));
    if (!(natural <= worst)) worst = natural;
  }
  return worst;
}
