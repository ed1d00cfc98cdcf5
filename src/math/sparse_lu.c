// J. R. Gilbert and T. Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J. Sci.
// Stat. Comput. 9 (1988). Column k of the factors is the solution of the lower triangular system L x = A q_k with the
// part of L that is known by then. A depth-first search through the columns of L finds the pattern of x before any
// arithmetic is done.
#include "math/sparse_lu.h"

#include "base/assert.h"
#include "math/matrix.h"
#include "math/ordering.h"

#include <colamd.h>
#include <float.h>
#include <math.h>
#include <string.h>

// A pivot on the diagonal is taken when it is at least this part of the largest candidate: keeps the order, and with
// it the fill, that AMD planned. The growth that it allows is repaired by refinement.
static const double DIAGONAL_PREFERENCE = 0.1;
// Refactoring keeps a pivot that is at least this part of the largest entry below it.
static const double KEEP_PIVOT = 1e-3;
// AMD is chosen where at least this part of the off-diagonal entries has a partner across the diagonal.
static const double NEARLY_SYMMETRIC = 0.7;
// ... and at least this part of the diagonal is not zero.
static const double NEARLY_FULL = 0.9;

static void triangle_init(ts_triangular_factor *t, size_t n, size_t capacity, ts_arena *arena)
{
  t->start = ts_arena_bytes(arena, n + 1, sizeof *t->start);
  t->index = ts_arena_ints(arena, capacity);
  t->value = ts_arena_doubles(arena, capacity);
  t->capacity = capacity;
}

void ts_sparse_lu_init(ts_sparse_lu *lu, int n, ts_arena *arena)
{
  const size_t size = (size_t)n;
  *lu = (ts_sparse_lu){.n = n, .arena = arena, .singular_column = -1};
  lu->column_of_step = ts_arena_ints(arena, size);
  lu->step_of_row = ts_arena_ints(arena, size);
  lu->pivot = ts_arena_doubles(arena, size);
  lu->work = ts_arena_zeros(arena, size);
  lu->gathered = ts_arena_doubles(arena, size);
  lu->reach = ts_arena_ints(arena, size);
  lu->child_row = ts_arena_ints(arena, size);
  lu->mark = ts_arena_ints(arena, size);
  lu->child = ts_arena_bytes(arena, size, sizeof *lu->child);
  triangle_init(&lu->lower, size, 8 * size, arena);
  triangle_init(&lu->upper, size, 8 * size, arena);
  for (int k = 0; k < n; ++k) lu->column_of_step[k] = k;
}

// ---- ordering ------------------------------------------------------------------------------------------------------

// Write the pattern of A^T, rows of a column ascending, without the diagonal.
static void transpose_pattern(const ts_matrix *A, int *start, int *index, int *next)
{
  const int n = A->columns;
  memset(start, 0, (size_t)(n + 1) * sizeof *start);
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->index[k] != j) ++start[A->index[k] + 1];
  for (int j = 0; j < n; ++j) start[j + 1] += start[j];
  memcpy(next, start, (size_t)n * sizeof *next);
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->index[k] != j) index[next[A->index[k]]++] = j;
}

// Merge column j of A and of A^T, both ascending, into `merged` without the diagonal. Returns how many entries that
// makes and adds those that occur in both to *paired.
static int merge_column(const ts_matrix *A, const int *transpose_start, const int *transpose_index, int j, int *merged,
                        int *paired)
{
  int a = A->start[j], b = transpose_start[j], count = 0;
  const int a_end = A->start[j + 1], b_end = transpose_start[j + 1];
  while (a < a_end || b < b_end) {
    if (a < a_end && A->index[a] == j) {
      ++a;
      continue;
    }
    const int row_a = a < a_end ? A->index[a] : A->rows, row_b = b < b_end ? transpose_index[b] : A->rows;
    if (row_a == row_b) ++*paired;
    merged[count++] = row_a < row_b ? row_a : row_b;
    if (row_a <= row_b) ++a;
    if (row_b <= row_a) ++b;
  }
  return count;
}

// AMD plans for pivots on the diagonal: worth following only where there are numbers.
static bool diagonal_is_occupied(const ts_matrix *A)
{
  int occupied = 0;
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) occupied += A->index[k] == j && A->value[k] != 0.0;
  return occupied >= NEARLY_FULL * A->columns;
}

// Order by AMD on the pattern of A + A^T. False, with nothing done, where the matrix is not made for that.
static bool order_by_amd(const ts_matrix *A, int *order, ts_arena *arena)
{
  if (!diagonal_is_occupied(A)) return false;
  const int n = A->columns;
  const size_t size = (size_t)n, entries = (size_t)A->start[n];
  int *transpose_start = ts_arena_ints(arena, size + 1), *transpose_index = ts_arena_ints(arena, entries);
  int *start = ts_arena_ints(arena, size + 1), *index = ts_arena_ints(arena, 2 * entries);
  transpose_pattern(A, transpose_start, transpose_index, start);
  int paired = 0;
  start[0] = 0;
  for (int j = 0; j < n; ++j)
    start[j + 1] = start[j] + merge_column(A, transpose_start, transpose_index, j, index + start[j], &paired);
  if (paired < NEARLY_SYMMETRIC * transpose_start[n]) return false;
  ts_order_minimum_degree(n, start, index, order, arena);
  return true;
}

static void order_by_colamd(const ts_matrix *A, int *order, ts_arena *arena)
{
  const int n = A->columns, entries = A->start[n];
  const size_t room = colamd_recommended(entries, n, n);
  int *pattern = ts_arena_ints(arena, room), *start = ts_arena_ints(arena, (size_t)n + 1);
  int statistics[COLAMD_STATS];
  memcpy(pattern, A->index, (size_t)entries * sizeof *pattern);
  memcpy(start, A->start, (size_t)(n + 1) * sizeof *start);
  const bool ordered = colamd(n, n, (int)room, pattern, start, NULL, statistics);
  for (int k = 0; k < n; ++k) order[k] = ordered ? start[k] : k;
}

void ts_sparse_lu_order(ts_sparse_lu *lu, const ts_matrix *A)
{
  TS_ASSERT(A->start && A->rows == lu->n && A->columns == lu->n);
  if (lu->n == 0) return;
  const ts_arena_mark mark = ts_arena_save(lu->arena);
  lu->prefer_diagonal = order_by_amd(A, lu->column_of_step, lu->arena);
  if (!lu->prefer_diagonal) order_by_colamd(A, lu->column_of_step, lu->arena);
  ts_arena_restore(lu->arena, mark);
}

// ---- factorization -------------------------------------------------------------------------------------------------

// Make room for n more entries after the first `used`. The outgrown arrays stay behind in the arena.
static void reserve(ts_triangular_factor *t, size_t used, size_t n, ts_arena *arena)
{
  if (t->capacity - used >= n) return;
  const size_t capacity = 2 * t->capacity + n;
  int *index = ts_arena_ints(arena, capacity);
  double *value = ts_arena_doubles(arena, capacity);
  memcpy(index, t->index, used * sizeof *index);
  memcpy(value, t->value, used * sizeof *value);
  t->index = index;
  t->value = value;
  t->capacity = capacity;
}

// All rows that can be reached from `row` and have not been marked with this stamp are put before `top` in lu->reach,
// each before the rows it leads to. Rows are those of A; row i leads to the rows of the column of L it is pivot of.
static int search_from(ts_sparse_lu *lu, int row, int stamp, int top)
{
  int depth = 0;
  lu->child_row[0] = row;
  while (depth >= 0) {
    const int i = lu->child_row[depth], step = lu->step_of_row[i];
    if (lu->mark[i] != stamp) {
      lu->mark[i] = stamp;
      lu->child[depth] = step < 0 ? 0 : lu->lower.start[step];
    }
    const size_t end = step < 0 ? 0 : lu->lower.start[step + 1];
    bool done = true;
    for (size_t k = lu->child[depth]; k < end; ++k) {
      const int next = lu->lower.index[k];
      if (lu->mark[next] == stamp) continue;
      lu->child[depth] = k + 1;
      lu->child_row[++depth] = next;
      done = false;
      break;
    }
    if (!done) continue;
    --depth;
    lu->reach[--top] = i;
  }
  return top;
}

// x = L^-1 A q in lu->work. Returns where its pattern starts in lu->reach; *largest: the largest entry of the column.
static int sparse_triangular_solve(ts_sparse_lu *lu, const ts_matrix *A, int column, int stamp, double *largest)
{
  double *x = lu->work;
  int top = lu->n;
  *largest = 0.0;
  for (int k = A->start[column]; k < A->start[column + 1]; ++k) {
    const int i = A->index[k];
    if (lu->mark[i] != stamp) top = search_from(lu, i, stamp, top);
    x[i] = A->value[k];
    *largest = fmax(*largest, fabs(x[i]));
  }
  for (int p = top; p < lu->n; ++p) {
    const int step = lu->step_of_row[lu->reach[p]];
    const double xp = x[lu->reach[p]];
    if (step < 0 || xp == 0.0) continue;
    for (size_t k = lu->lower.start[step]; k < lu->lower.start[step + 1]; ++k)
      x[lu->lower.index[k]] -= lu->lower.value[k] * xp;
  }
  return top;
}

// Row of the pivot among the rows of x that are none yet, or -1.
static int choose_pivot(const ts_sparse_lu *lu, int top, int column)
{
  double largest = 0.0;
  int row = -1;
  for (int p = top; p < lu->n; ++p) {
    const int i = lu->reach[p];
    if (lu->step_of_row[i] >= 0) continue;
    if (!isfinite(lu->work[i])) return -1;
    if (fabs(lu->work[i]) > largest) {
      largest = fabs(lu->work[i]);
      row = i;
    }
  }
  const bool diagonal_is_candidate =
      lu->prefer_diagonal && row >= 0 && lu->step_of_row[column] < 0 && lu->mark[column] == lu->mark[row];
  return diagonal_is_candidate && fabs(lu->work[column]) >= DIAGONAL_PREFERENCE * largest ? column : row;
}

// Move column k of the factors out of lu->work, which is zero again afterwards.
static void store_column(ts_sparse_lu *lu, int k, int top, int pivot_row)
{
  double *x = lu->work;
  const size_t reached = (size_t)(lu->n - top);
  size_t l = lu->lower.start[k], u = lu->upper.start[k];
  reserve(&lu->lower, l, reached, lu->arena);
  reserve(&lu->upper, u, reached, lu->arena);
  const double pivot = x[pivot_row];
  lu->pivot[k] = pivot;
  for (int p = top; p < lu->n; ++p) {
    const int i = lu->reach[p], step = lu->step_of_row[i];
    if (step >= 0) {
      lu->upper.index[u] = step;
      lu->upper.value[u++] = x[i];
    } else if (i != pivot_row) {
      lu->lower.index[l] = i;
      lu->lower.value[l++] = x[i] / pivot;
    }
    x[i] = 0.0;
  }
  lu->lower.start[k + 1] = l;
  lu->upper.start[k + 1] = u;
  lu->step_of_row[pivot_row] = k;
}

static void clear_work(ts_sparse_lu *lu)
{
  memset(lu->work, 0, (size_t)lu->n * sizeof *lu->work);
}

bool ts_sparse_lu_factor(ts_sparse_lu *lu, const ts_matrix *A)
{
  TS_ASSERT(A->start && A->rows == lu->n && A->columns == lu->n);
  lu->lower.start[0] = lu->upper.start[0] = 0;
  lu->pivot_ratio = 1.0;
  lu->singular_column = -1;
  for (int i = 0; i < lu->n; ++i) lu->mark[i] = lu->step_of_row[i] = -1;
  for (int k = 0; k < lu->n; ++k) {
    const int column = lu->column_of_step[k];
    double largest;
    const int top = sparse_triangular_solve(lu, A, column, k, &largest);
    const int pivot_row = choose_pivot(lu, top, column);
    if (pivot_row < 0) {
      lu->singular_column = column;
      lu->pivot_ratio = 0.0;
      clear_work(lu);
      return false;
    }
    lu->pivot_ratio = fmin(lu->pivot_ratio, fabs(lu->work[pivot_row]) / largest);
    store_column(lu, k, top, pivot_row);
  }
  const size_t entries = lu->lower.start[lu->n];
  for (size_t k = 0; k < entries; ++k) lu->lower.index[k] = lu->step_of_row[lu->lower.index[k]];
  return true;
}

// Column k of the factors with known pattern and pivot. False where the pivot is not to be trusted any more.
static bool refactor_column(ts_sparse_lu *lu, const ts_matrix *A, int k)
{
  double *x = lu->work; // by steps
  const int column = lu->column_of_step[k];
  double largest = 0.0, below = 0.0;
  for (int e = A->start[column]; e < A->start[column + 1]; ++e) {
    x[lu->step_of_row[A->index[e]]] = A->value[e];
    largest = fmax(largest, fabs(A->value[e]));
  }
  for (size_t e = lu->upper.start[k]; e < lu->upper.start[k + 1]; ++e) {
    const int step = lu->upper.index[e];
    const double u = x[step];
    lu->upper.value[e] = u;
    x[step] = 0.0;
    if (u == 0.0) continue;
    for (size_t f = lu->lower.start[step]; f < lu->lower.start[step + 1]; ++f)
      x[lu->lower.index[f]] -= lu->lower.value[f] * u;
  }
  const double pivot = x[k];
  x[k] = 0.0;
  for (size_t e = lu->lower.start[k]; e < lu->lower.start[k + 1]; ++e) {
    const int step = lu->lower.index[e];
    below = fmax(below, fabs(x[step]));
    lu->lower.value[e] = x[step] / pivot;
    x[step] = 0.0;
  }
  if (pivot == 0.0 || !isfinite(pivot) || !isfinite(below) || fabs(pivot) < KEEP_PIVOT * below) return false;
  lu->pivot[k] = pivot;
  lu->pivot_ratio = fmin(lu->pivot_ratio, fabs(pivot) / largest);
  return true;
}

bool ts_sparse_lu_refactor(ts_sparse_lu *lu, const ts_matrix *A)
{
  lu->pivot_ratio = 1.0;
  for (int k = 0; k < lu->n; ++k)
    if (!refactor_column(lu, A, k)) {
      clear_work(lu);
      return false;
    }
  return true;
}

// ---- solution ------------------------------------------------------------------------------------------------------

void ts_sparse_lu_solve(ts_sparse_lu *lu, double *x)
{
  const int n = lu->n;
  double *y = lu->gathered;
  for (int i = 0; i < n; ++i) y[lu->step_of_row[i]] = x[i];
  for (int k = 0; k < n; ++k) {
    if (y[k] == 0.0) continue;
    for (size_t e = lu->lower.start[k]; e < lu->lower.start[k + 1]; ++e)
      y[lu->lower.index[e]] -= lu->lower.value[e] * y[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    if (y[k] == 0.0) continue;
    y[k] /= lu->pivot[k];
    for (size_t e = lu->upper.start[k]; e < lu->upper.start[k + 1]; ++e)
      y[lu->upper.index[e]] -= lu->upper.value[e] * y[k];
  }
  for (int k = 0; k < n; ++k) x[lu->column_of_step[k]] = y[k];
}

void ts_sparse_lu_solve_transposed(ts_sparse_lu *lu, double *x)
{
  const int n = lu->n;
  double *y = lu->gathered;
  for (int k = 0; k < n; ++k) {
    double sum = x[lu->column_of_step[k]];
    for (size_t e = lu->upper.start[k]; e < lu->upper.start[k + 1]; ++e)
      sum -= lu->upper.value[e] * y[lu->upper.index[e]];
    y[k] = sum / lu->pivot[k];
  }
  for (int k = n - 1; k >= 0; --k)
    for (size_t e = lu->lower.start[k]; e < lu->lower.start[k + 1]; ++e)
      y[k] -= lu->lower.value[e] * y[lu->lower.index[e]];
  for (int i = 0; i < n; ++i) x[i] = y[lu->step_of_row[i]];
}

void ts_sparse_lu_refine(ts_sparse_lu *lu, const ts_matrix *A, const double *b, double *x, double *scratch)
{
  memcpy(scratch, b, (size_t)lu->n * sizeof *scratch);
  ts_matrix_multiply_add(A, -1.0, x, scratch);
  ts_sparse_lu_solve(lu, scratch);
  for (int i = 0; i < lu->n; ++i) x[i] += scratch[i];
}
