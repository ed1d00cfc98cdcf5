// Supernodal right-looking LU, see block_lu.h and block_lu_inside.h. Factoring supernode s computes the update
// lower_below * upper^T once, and scatters it into the panels of the supernodes that own its rows and columns.
#include "math/block_lu.h"

#include "math/block_lu_inside.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/hot.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// ---- assembly ------------------------------------------------------------------------------------------------------

void ts_block_lu_clear(ts_block_lu *lu)
{
  memset(lu->values, 0, lu->value_count * sizeof *lu->values);
}

static int row_below(const ts_supernode *s, int scalar)
{
  int low = 0, high = s->below - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->rows[middle] < scalar)
      low = middle + 1;
    else
      high = middle;
  }
  TS_ASSERT(s->below > 0 && s->rows[low] == scalar);
  return low;
}

ts_block_place ts_block_lu_place(const ts_block_lu *lu, int i, int j)
{
  const int si = lu->node_super[i], sj = lu->node_super[j];
  const int row = lu->node_first[i], column = lu->node_first[j];
  if (si < sj) { // right of the pivot block: kept transposed
    const ts_supernode *s = &lu->super[si];
    return (ts_block_place){s->upper + row_below(s, column) + (size_t)(row - s->first) * (size_t)s->below, s->below, 1};
  }
  const ts_supernode *s = &lu->super[sj];
  const int height = s->pivots + s->below;
  const int at = si == sj ? row - s->first : s->pivots + row_below(s, row);
  return (ts_block_place){s->lower + at + (size_t)(column - s->first) * (size_t)height, 1, height};
}

// ---- numeric -------------------------------------------------------------------------------------------------------

// y -= a x down a column.
TS_INLINE void subtract_multiple(int n, double a, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

static void swap_rows(double *a, double *b, int count, size_t stride)
{
  for (int k = 0; k < count; ++k) {
    const double t = a[(size_t)k * stride];
    a[(size_t)k * stride] = b[(size_t)k * stride];
    b[(size_t)k * stride] = t;
  }
}

static void swap_columns(double *restrict a, double *restrict b, int count)
{
  for (int i = 0; i < count; ++i) {
    const double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// LU of the pivot block with row exchanges inside it.
TS_HOT static int factor_pivots(ts_supernode *s, double smallest)
{
  const int p = s->pivots, height = p + s->below;
  int replaced = 0;
  for (int k = 0; k < p; ++k) {
    double *column = s->lower + (size_t)k * (size_t)height;
    for (int i = 0; i < k; ++i) // left-looking: apply the columns before
      subtract_multiple(p - i - 1, column[i], s->lower + (size_t)i * (size_t)height + i + 1, column + i + 1);
    int pivot = k;
    for (int i = k + 1; i < p; ++i)
      if (fabs(column[i]) > fabs(column[pivot])) pivot = i;
    s->exchange[k] = pivot;
    if (pivot != k) swap_rows(s->lower + k, s->lower + pivot, p, (size_t)height);
    if (!(fabs(column[k]) >= smallest)) {
      if (isnan(column[k])) return -1;
      column[k] = column[k] < 0.0 ? -smallest : smallest;
      ++replaced;
    }
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < p; ++i) column[i] *= inverse;
  }
  return replaced;
}

// The part of L below the pivot block: solve with the upper triangle from the right.
TS_HOT static void factor_lower(ts_supernode *s)
{
  const int p = s->pivots, u = s->below, height = p + u;
  double *below = s->lower + p;
  if ((double)p * p * u > TS_SMALL_WORK) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, u, p, 1.0, s->lower, height, below,
                height);
    return;
  }
  for (int k = 0; k < p; ++k) {
    const double *pivot = s->lower + (size_t)k * (size_t)height;
    double *column = below + (size_t)k * (size_t)height;
    for (int i = 0; i < k; ++i) subtract_multiple(u, pivot[i], below + (size_t)i * (size_t)height, column);
    const double inverse = 1.0 / pivot[k];
    for (int r = 0; r < u; ++r) column[r] *= inverse;
  }
}

// The transposed part of U right of the pivot block: exchange its columns as the rows of the pivot block were, then
// solve with the unit lower triangle.
TS_HOT static void factor_upper(ts_supernode *s)
{
  const int p = s->pivots, u = s->below, height = p + u;
  for (int k = 0; k < p; ++k)
    if (s->exchange[k] != k)
      swap_columns(s->upper + (size_t)k * (size_t)u, s->upper + (size_t)s->exchange[k] * (size_t)u, u);
  if ((double)p * p * u > TS_SMALL_WORK) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, u, p, 1.0, s->lower, height, s->upper, u);
    return;
  }
  for (int k = 1; k < p; ++k)
    for (int i = 0; i < k; ++i)
      subtract_multiple(u, s->lower[(size_t)i * (size_t)height + (size_t)k], s->upper + (size_t)i * (size_t)u,
                        s->upper + (size_t)k * (size_t)u);
}

// update = lower_below upper^T. Small ones by plain loops: the call into BLAS costs more than the product.
TS_HOT static void compute_update(const ts_supernode *s, double *update)
{
  const int p = s->pivots, u = s->below, height = p + u;
  if ((double)p * u * u > TS_SMALL_WORK) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, u, u, p, 1.0, s->lower + p, height, s->upper, u, 0.0, update,
                u);
    return;
  }
  for (int j = 0; j < u; ++j) {
    double *restrict column = update + (size_t)j * (size_t)u;
    const double *restrict first = s->lower + p, a = s->upper[j];
    for (int i = 0; i < u; ++i) column[i] = a * first[i];
    int k = 1;
    for (; k + 1 < p; k += 2) {
      const double *restrict x = s->lower + (size_t)k * (size_t)height + p, *restrict y = x + height;
      const double ax = s->upper[(size_t)k * (size_t)u + (size_t)j],
                   ay = s->upper[(size_t)(k + 1) * (size_t)u + (size_t)j];
      for (int i = 0; i < u; ++i) column[i] += ax * x[i] + ay * y[i];
    }
    if (k < p) {
      const double *restrict x = s->lower + (size_t)k * (size_t)height + p;
      const double ax = s->upper[(size_t)k * (size_t)u + (size_t)j];
      for (int i = 0; i < u; ++i) column[i] += ax * x[i];
    }
  }
}

TS_HOT static void scatter_update(ts_block_lu *lu, const ts_supernode *s, const double *update)
{
  const size_t u = (size_t)s->below;
  for (int k = 0; k < s->targets; ++k) {
    ts_supernode *t = &lu->super[s->target[k]];
    const int from = s->target_at[k], to = s->target_at[k + 1], height = t->pivots + t->below, rest = s->below - from;
    const int *into = s->into[k];
    for (int c = from; c < to; ++c) { // columns among t's pivots: its lower panel, pivot block included
      double *restrict column = t->lower + (size_t)into[c - from] * (size_t)height;
      const double *restrict value = update + (size_t)c * u + from;
      for (int r = 0; r < rest; ++r) column[into[r]] -= value[r];
    }
    for (int c = to; c < s->below; ++c) { // rows among t's pivots, columns beyond: its transposed upper panel
      double *restrict row = t->upper + (into[c - from] - t->pivots);
      const double *restrict value = update + (size_t)c * u;
      for (int r = from; r < to; ++r) row[(size_t)into[r - from] * (size_t)t->below] -= value[r];
    }
  }
}

// Largest entry on the diagonal: the size that a pivot is compared with.
static double largest_diagonal(const ts_block_lu *lu)
{
  double largest = 0.0;
  for (int k = 0; k < lu->supernodes; ++k) {
    const ts_supernode *s = &lu->super[k];
    const size_t step = (size_t)(s->pivots + s->below) + 1;
    for (size_t i = 0; i < (size_t)s->pivots; ++i)
      if (fabs(s->lower[i * step]) > largest) largest = fabs(s->lower[i * step]);
  }
  return largest;
}

void ts_block_lu_set_deadline(ts_block_lu *lu, double deadline)
{
  lu->deadline = deadline;
}

// Multiply-adds between looks at the clock: some milliseconds.
static const double WORK_A_LOOK = 1e7;

int ts_block_lu_factor(ts_block_lu *lu, double tiny)
{
  const double smallest = tiny * largest_diagonal(lu);
  int replaced = 0;
  double work = 0.0;
  for (int k = 0; k < lu->supernodes; ++k) {
    ts_supernode *s = &lu->super[k];
    work += (double)s->pivots * (s->pivots + s->below) * (s->pivots + s->below);
    if (work > WORK_A_LOOK && isfinite(lu->deadline)) {
      if (ts_clock_seconds() >= lu->deadline) return -1;
      work = 0.0;
    }
    const int more = factor_pivots(s, smallest);
    if (more < 0) return -1;
    replaced += more;
    if (s->below == 0) continue;
    factor_lower(s);
    factor_upper(s);
    compute_update(s, lu->update);
    scatter_update(lu, s, lu->update);
  }
  return replaced;
}

TS_HOT static void solve_lower(const ts_supernode *s, double *x)
{
  const int p = s->pivots, height = p + s->below;
  double *pivot = x + s->first;
  for (int k = 0; k < p; ++k)
    if (s->exchange[k] != k) {
      const double t = pivot[k];
      pivot[k] = pivot[s->exchange[k]];
      pivot[s->exchange[k]] = t;
    }
  for (int k = 0; k < p; ++k) {
    const double *column = s->lower + (size_t)k * (size_t)height, xk = pivot[k];
    for (int i = k + 1; i < p; ++i) pivot[i] -= column[i] * xk;
    for (int r = 0; r < s->below; ++r) x[s->rows[r]] -= column[p + r] * xk;
  }
}

TS_HOT static void solve_upper(const ts_supernode *s, double *x)
{
  const int p = s->pivots, height = p + s->below;
  double *pivot = x + s->first;
  for (int k = p - 1; k >= 0; --k) {
    const double *row = s->upper + (size_t)k * (size_t)s->below;
    double sum = pivot[k];
    for (int r = 0; r < s->below; ++r) sum -= row[r] * x[s->rows[r]];
    pivot[k] = sum;
  }
  for (int k = p - 1; k >= 0; --k) {
    const double *column = s->lower + (size_t)k * (size_t)height;
    pivot[k] /= column[k];
    for (int i = 0; i < k; ++i) pivot[i] -= column[i] * pivot[k];
  }
}

void ts_block_lu_solve(const ts_block_lu *lu, double *x)
{
  double *y = lu->permuted;
  for (int i = 0; i < lu->nodes; ++i)
    for (int r = 0; r < lu->size[i]; ++r) y[lu->node_first[i] + r] = x[lu->caller_first[i] + r];
  for (int k = 0; k < lu->supernodes; ++k) solve_lower(&lu->super[k], y);
  for (int k = lu->supernodes - 1; k >= 0; --k) solve_upper(&lu->super[k], y);
  for (int i = 0; i < lu->nodes; ++i)
    for (int r = 0; r < lu->size[i]; ++r) x[lu->caller_first[i] + r] = y[lu->node_first[i] + r];
}
