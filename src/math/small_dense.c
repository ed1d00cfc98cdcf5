#include "math/small_dense.h"

#include "base/hot.h"

#include <math.h>
#include <string.h>

TS_INLINE void subtract_multiple(int count, double factor, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < count; ++i) y[i] -= factor * x[i];
}

static double dot(int count, const double *x, const double *y)
{
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

static void swap(double *a, double *b)
{
  const double old = *a;
  *a = *b;
  *b = old;
}

// ---- LU ------------------------------------------------------------------------------------------------------------

static int largest_below(int n, const double *column, int k)
{
  int best = k;
  for (int i = k + 1; i < n; ++i)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  return best;
}

TS_HOT bool ts_small_lu_factor(int n, double *A, size_t leading, int *pivots)
{
  for (int k = 0; k < n; ++k) {
    double *column = A + (size_t)k * leading;
    const int best = largest_below(n, column, k);
    pivots[k] = best + 1;
    if (!(fabs(column[best]) > 0.0) || isinf(column[best])) return false;
    if (best != k)
      for (int j = 0; j < n; ++j) swap(A + (size_t)j * leading + k, A + (size_t)j * leading + best);
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double *other = A + (size_t)j * leading;
      subtract_multiple(n - k - 1, other[k], column + k + 1,
                        other + k + 1); // by zero too: that is how NAN comes to light
    }
  }
  return n == 0 || isfinite(A[(size_t)(n - 1) * (leading + 1)]);
}

// x = U^-1 L^-1 x for a right-hand side whose rows are exchanged already, and whose first `zeros` numbers are zero.
TS_INLINE void solve_triangles(int n, const double *LU, size_t leading, int zeros, double *x)
{
  for (int k = zeros; k < n; ++k)
    if (x[k] != 0.0) subtract_multiple(n - k - 1, x[k], LU + (size_t)k * leading + k + 1, x + k + 1);
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= LU[(size_t)k * leading + (size_t)k];
    subtract_multiple(k, x[k], LU + (size_t)k * leading, x);
  }
}

TS_HOT void ts_small_lu_solve(int n, const double *LU, size_t leading, const int *pivots, double *x)
{
  for (int k = 0; k < n; ++k) swap(x + k, x + pivots[k] - 1);
  solve_triangles(n, LU, leading, 0, x);
}

void ts_small_lu_solve_transposed(int n, const double *LU, size_t leading, const int *pivots, double *x)
{
  for (int k = 0; k < n; ++k) {
    const double *column = LU + (size_t)k * leading;
    x[k] = (x[k] - dot(k, column, x)) / column[k];
  }
  for (int k = n - 1; k >= 0; --k) x[k] -= dot(n - k - 1, LU + (size_t)k * leading + k + 1, x + k + 1);
  for (int k = n - 1; k >= 0; --k) swap(x + k, x + pivots[k] - 1);
}

TS_HOT void ts_small_lu_invert(int n, const double *LU, const int *pivots, double *X, size_t leading)
{
  int row_of[TS_SMALL_DENSE]; // original row that stands in each row of LU
  for (int k = 0; k < n; ++k) row_of[k] = k;
  for (int k = 0; k < n; ++k) {
    const int old = row_of[k], other = pivots[k] - 1;
    row_of[k] = row_of[other];
    row_of[other] = old;
  }
  for (int k = 0; k < n; ++k) {
    double *x = X + (size_t)row_of[k] * leading;
    memset(x, 0, (size_t)n * sizeof *x);
    x[k] = 1.0;
    solve_triangles(n, LU, (size_t)n, k, x);
  }
}

// ---- Cholesky ------------------------------------------------------------------------------------------------------

TS_HOT bool ts_small_cholesky_factor(int n, double *A)
{
  const size_t size = (size_t)n;
  for (int k = 0; k < n; ++k) {
    double *column = A + (size_t)k * size;
    if (!(column[k] > 0.0) || isinf(column[k])) return false;
    const double root = sqrt(column[k]), inverse = 1.0 / root;
    column[k] = root;
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) subtract_multiple(n - j, column[j], column + j, A + (size_t)j * size + j);
  }
  return true;
}

TS_HOT void ts_small_cholesky_solve(int n, const double *L, double *x)
{
  const size_t size = (size_t)n;
  for (int k = 0; k < n; ++k) {
    const double *column = L + (size_t)k * size;
    x[k] /= column[k];
    subtract_multiple(n - k - 1, x[k], column + k + 1, x + k + 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    const double *column = L + (size_t)k * size;
    x[k] = (x[k] - dot(n - k - 1, column + k + 1, x + k + 1)) / column[k];
  }
}

// Rows and columns k and p > k change places in a matrix of which only the lower triangle is kept.
static void exchange_symmetrically(int n, double *A, int k, int p)
{
  const size_t size = (size_t)n;
  for (int j = 0; j < k; ++j) swap(A + (size_t)j * size + k, A + (size_t)j * size + p);
  swap(A + (size_t)k * size + k, A + (size_t)p * size + p);
  for (int i = k + 1; i < p; ++i) swap(A + (size_t)k * size + i, A + (size_t)i * size + p);
  for (int i = p + 1; i < n; ++i) swap(A + (size_t)k * size + i, A + (size_t)p * size + i);
}

int ts_small_cholesky_pivoted(int n, double *A, int *order, double smallest)
{
  const size_t size = (size_t)n;
  for (int k = 0; k < n; ++k) order[k] = k;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (A[(size_t)i * size + (size_t)i] > A[(size_t)p * size + (size_t)p]) p = i;
    double *column = A + (size_t)k * size;
    if (!(A[(size_t)p * size + (size_t)p] > smallest)) return k;
    if (p != k) {
      exchange_symmetrically(n, A, k, p);
      const int old = order[k];
      order[k] = order[p];
      order[p] = old;
    }
    const double root = sqrt(column[k]);
    column[k] = root;
    for (int i = k + 1; i < n; ++i) column[i] /= root;
    for (int j = k + 1; j < n; ++j) subtract_multiple(n - j, column[j], column + j, A + (size_t)j * size + j);
  }
  return n;
}

// ---- Householder QR ------------------------------------------------------------------------------------------------

static double length_of(int count, const double *x)
{
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0.0) || isinf(largest)) return largest;
  for (int i = 0; i < count; ++i) sum += x[i] / largest * (x[i] / largest);
  return largest * sqrt(sum);
}

// The reflection that makes x (count numbers) a multiple of its first axis: x becomes its vector v, v[0] in *head, and
// x[0] what is left of it. Returns 2 / v^T v, 0 when x is zero already.
static double make_reflection(int count, double *x, double *head)
{
  const double length = length_of(count, x);
  if (!(length > 0.0)) return *head = 0.0;
  const double left = x[0] > 0.0 ? -length : length;
  *head = x[0] - left;
  x[0] = left;
  return -1.0 / (left * *head);
}

static void reflect(int count, double head, const double *tail, double scale, double *y)
{
  const double along = scale * (head * y[0] + dot(count - 1, tail, y + 1));
  y[0] -= along * head;
  subtract_multiple(count - 1, along, tail, y + 1);
}

// One column of QR, applied to the columns behind it and to b (may be NULL).
static double reduce_column(int rows, int columns, double *A, int k, double *head, double *b)
{
  double *x = A + (size_t)k * (size_t)rows + k;
  const double scale = make_reflection(rows - k, x, head);
  for (int j = k + 1; j < columns && scale != 0.0; ++j)
    reflect(rows - k, *head, x + 1, scale, A + (size_t)j * (size_t)rows + k);
  if (b && scale != 0.0) reflect(rows - k, *head, x + 1, scale, b + k);
  return scale;
}

static void solve_upper(int n, const double *R, size_t leading, double *x)
{
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= R[(size_t)k * leading + (size_t)k];
    subtract_multiple(k, x[k], R + (size_t)k * leading, x);
  }
}

bool ts_small_least_squares(int rows, int columns, double *A, double *b)
{
  for (int k = 0; k < columns; ++k) {
    double head;
    reduce_column(rows, columns, A, k, &head, b);
    if (A[(size_t)k * (size_t)rows + (size_t)k] == 0.0) return false;
  }
  solve_upper(columns, A, (size_t)rows, b);
  return true;
}

static int longest_column(int rows, int columns, const double *A, int k)
{
  int best = k;
  double longest = -1.0;
  for (int j = k; j < columns; ++j) {
    const double length = length_of(rows - k, A + (size_t)j * (size_t)rows + k);
    if (length > longest) longest = length, best = j;
  }
  return best;
}

// QR with column pivoting, as far as the diagonal of R is above rcond of its first. Returns that rank.
static int reduce_with_pivoting(int rows, int columns, double *A, double *b, double rcond, int *order)
{
  const int most = rows < columns ? rows : columns;
  double first = 0.0;
  for (int j = 0; j < columns; ++j) order[j] = j;
  for (int k = 0; k < most; ++k) {
    const int best = longest_column(rows, columns, A, k), old = order[k];
    const double length = length_of(rows - k, A + (size_t)best * (size_t)rows + k);
    if (k == 0) first = length;
    if (!(length > rcond * first)) return k;
    order[k] = order[best];
    order[best] = old;
    if (best != k)
      for (int i = 0; i < rows; ++i) swap(A + (size_t)k * (size_t)rows + i, A + (size_t)best * (size_t)rows + i);
    double head;
    reduce_column(rows, columns, A, k, &head, b);
  }
  return most;
}

// The shortest x with R x = b, R (rank x columns) of full row rank: R^T = Q L^T, x = Q L^-1 b.
static void shortest_solution(int rank, int columns, const double *R, size_t leading, const double *b, double *x,
                              ts_arena *arena)
{
  double *T = ts_arena_doubles(arena, (size_t)columns * (size_t)rank);
  double *heads = ts_arena_doubles(arena, (size_t)rank), *scales = ts_arena_doubles(arena, (size_t)rank);
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j < columns; ++j)
      T[(size_t)i * (size_t)columns + (size_t)j] = j >= i ? R[(size_t)j * leading + (size_t)i] : 0.0;
  for (int k = 0; k < rank; ++k) scales[k] = reduce_column(columns, rank, T, k, &heads[k], NULL);
  for (int k = 0; k < rank; ++k) { // L = U^T, U the upper triangle of T
    const double *column = T + (size_t)k * (size_t)columns;
    x[k] = (b[k] - dot(k, column, x)) / column[k];
  }
  for (int k = rank; k < columns; ++k) x[k] = 0.0;
  for (int k = rank - 1; k >= 0; --k)
    reflect(columns - k, heads[k], T + (size_t)k * (size_t)columns + k + 1, scales[k], x + k);
}

int ts_small_minimum_norm(int rows, int columns, double *A, double *b, double rcond, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  int *order = ts_arena_ints(arena, (size_t)columns);
  double *x = ts_arena_zeros(arena, (size_t)columns);
  const int rank = reduce_with_pivoting(rows, columns, A, b, rcond, order);
  if (rank > 0) shortest_solution(rank, columns, A, (size_t)rows, b, x, arena);
  for (int j = 0; j < columns; ++j) b[order[j]] = x[j];
  ts_arena_restore(arena, mark);
  return rank;
}
