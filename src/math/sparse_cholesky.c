#include "math/sparse_cholesky.h"

#include "math/blas.h"
#include "math/dense.h"
#include "math/elimination.h"
#include "math/matrix.h"
#include "math/small_dense.h"

#include "base/assert.h"

#include <amd.h>
#include <cblas.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// ---- ordering ------------------------------------------------------------------------------------------------------

// An order of elimination and what follows from it before any arithmetic.
typedef struct plan {
  int *order, *position, *parent;
  int *length;    // entries of each column of L
  double entries; // of L; a double cannot overflow
} plan;

static void invert(const int *order, int n, int *position)
{
  for (int k = 0; k < n; ++k) position[order[k]] = k;
}

// Upper triangle of P A P^T by columns, rows in any order. `value` is filled when it is not NULL.
static void permute_upper(const ts_matrix *A, const int *position, int *start, int *index, double *value,
                          ts_arena *arena)
{
  const int n = A->columns;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *next = ts_arena_ints(arena, (size_t)n);
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (position[A->index[k]] <= position[j]) ++start[position[j] + 1];
  for (int j = 0; j < n; ++j) {
    start[j + 1] += start[j];
    next[j] = start[j];
  }
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      const int row = position[A->index[k]];
      if (row > position[j]) continue;
      const int to = next[position[j]]++;
      index[to] = row;
      if (value) value[to] = A->value[k];
    }
  ts_arena_restore(arena, mark);
}

// Fill in parent, length and entries of a plan whose order is given.
static void foresee(const ts_matrix *A, plan *p, ts_arena *arena)
{
  const int n = A->columns;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *start = ts_arena_ints(arena, (size_t)n + 1), *index = ts_arena_ints(arena, ts_matrix_entries(A));
  int *seen = ts_arena_ints(arena, (size_t)n), *stack = ts_arena_ints(arena, (size_t)n);
  permute_upper(A, p->position, start, index, NULL, arena);
  ts_elimination_tree(n, start, index, p->parent, arena);
  p->entries = n;
  for (int k = 0; k < n; ++k) {
    p->length[k] = 1;
    seen[k] = -1;
  }
  for (int k = 0; k < n; ++k)
    for (int t = ts_elimination_row(n, k, start, index, p->parent, seen, stack); t < n; ++t) {
      ++p->length[stack[t]];
      p->entries += 1.0;
    }
  ts_arena_restore(arena, mark);
}

static plan empty_plan(int n, ts_arena *arena)
{
  const size_t size = (size_t)n;
  return (plan){ts_arena_ints(arena, size), ts_arena_ints(arena, size), ts_arena_ints(arena, size),
                ts_arena_ints(arena, size), 0.0};
}

// Approximate minimum degree. The entry point that takes its memory from the caller wants the pattern without the
// diagonal, and room to move it about in.
static void minimum_degree(const ts_matrix *A, int *order, ts_arena *arena)
{
  const int n = A->columns, entries = A->start[n];
  const size_t size = (size_t)n, room = (size_t)entries + (size_t)entries / 5 + size + 1;
  TS_ASSERT(room <= INT_MAX);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *start = ts_arena_ints(arena, size), *length = ts_arena_ints(arena, size), *index = ts_arena_ints(arena, room);
  int *work = ts_arena_ints(arena, 6 * size), count = 0;
  for (int j = 0; j < n; ++j) {
    start[j] = count;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->index[k] != j) index[count++] = A->index[k];
    length[j] = count - start[j];
  }
  amd_2(n, start, index, length, (int)room, count, work, work + size, order, work + 2 * size, work + 3 * size,
        work + 4 * size, work + 5 * size, NULL, NULL);
  ts_arena_restore(arena, mark);
}

// The natural order where it makes little fill, as it does for bodies that are numbered one after another; else minimum
// degree where that makes less.
static plan choose_order(const ts_matrix *A, ts_arena *arena)
{
  const int n = A->columns;
  plan natural = empty_plan(n, arena);
  for (int k = 0; k < n; ++k) natural.order[k] = natural.position[k] = k;
  foresee(A, &natural, arena);
  const double lower = 0.5 * (A->start[n] + n);
  if (natural.entries <= 1.25 * lower || (double)A->start[n] > 0.8 * INT_MAX - n) return natural;
  plan reordered = empty_plan(n, arena);
  minimum_degree(A, reordered.order, arena);
  invert(reordered.order, n, reordered.position);
  foresee(A, &reordered, arena);
  return reordered.entries < natural.entries ? reordered : natural;
}

// ---- factorization -------------------------------------------------------------------------------------------------

// A pivot this small against its diagonal entry is what round-off leaves of a singular matrix.
static bool pivot_is_sound(double pivot, double diagonal)
{
  return isfinite(pivot) && pivot > 4.0 * DBL_EPSILON * fabs(diagonal);
}

static bool factor_dense(const ts_matrix *A, const plan *p, ts_arena *arena, ts_sparse_cholesky *factor)
{
  const int n = A->columns;
  const size_t size = (size_t)n;
  if (n > TS_SMALL_DENSE) ts_blas_prepare(arena);
  double *L = ts_arena_zeros(arena, size * size);
  const ts_arena_mark mark = ts_arena_save(arena);
  double *diagonal = ts_arena_doubles(arena, size);
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      L[(size_t)p->position[j] * size + (size_t)p->position[A->index[k]]] = A->value[k];
  for (size_t k = 0; k < size; ++k) diagonal[k] = L[k * size + k];
  bool sound = ts_cholesky_factor(n, L);
  for (size_t k = 0; k < size && sound; ++k) sound = pivot_is_sound(L[k * size + k] * L[k * size + k], diagonal[k]);
  ts_arena_restore(arena, mark);
  for (int k = 0; k < n; ++k) p->parent[k] = k + 1 < n ? k + 1 : -1;
  factor->value = L;
  return sound;
}

// Row after row: L_k. solves L_(1..k-1) x = the upper part of column k; what is left of the diagonal is the pivot.
static bool factor_sparse(const ts_matrix *A, const plan *p, ts_arena *arena, ts_sparse_cholesky *factor)
{
  const int n = A->columns;
  const size_t size = (size_t)n;
  int *start = ts_arena_ints(arena, size + 1), *index = ts_arena_ints(arena, (size_t)p->entries);
  double *value = ts_arena_doubles(arena, (size_t)p->entries);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *upper = ts_arena_ints(arena, size + 1), *row = ts_arena_ints(arena, ts_matrix_entries(A));
  double *entry = ts_arena_doubles(arena, ts_matrix_entries(A)), *x = ts_arena_zeros(arena, size);
  int *next = ts_arena_ints(arena, size), *seen = ts_arena_ints(arena, size), *stack = ts_arena_ints(arena, size);
  permute_upper(A, p->position, upper, row, entry, arena);
  start[0] = 0;
  for (int k = 0; k < n; ++k) {
    next[k] = start[k];
    start[k + 1] = start[k] + p->length[k];
    seen[k] = -1;
  }
  bool sound = true;
  for (int k = 0; k < n && sound; ++k) {
    int top = ts_elimination_row(n, k, upper, row, p->parent, seen, stack);
    for (int a = upper[k]; a < upper[k + 1]; ++a) x[row[a]] = entry[a];
    const double diagonal = x[k];
    double pivot = diagonal;
    x[k] = 0.0;
    for (; top < n; ++top) {
      const int i = stack[top];
      const double l = x[i] / value[start[i]];
      x[i] = 0.0;
      for (int a = start[i] + 1; a < next[i]; ++a) x[index[a]] -= value[a] * l;
      pivot -= l * l;
      index[next[i]] = k;
      value[next[i]++] = l;
    }
    sound = pivot_is_sound(pivot, diagonal);
    index[next[k]] = k;
    value[next[k]++] = sqrt(fmax(pivot, 0.0));
  }
  ts_arena_restore(arena, mark);
  factor->start = start;
  factor->index = index;
  factor->value = value;
  return sound;
}

bool ts_sparse_cholesky_factor(const ts_matrix *A, ts_arena *arena, ts_sparse_cholesky *factor)
{
  TS_ASSERT(!ts_matrix_is_dense(A) && A->rows == A->columns);
  const plan p = choose_order(A, arena);
  *factor = (ts_sparse_cholesky){.n = A->columns, .order = p.order, .position = p.position, .parent = p.parent};
  const double full = 0.5 * A->columns * (A->columns + 1.0);
  enum { WORTH_DENSE = 24 }; // below, calls cost more than they save
  if (A->columns >= WORTH_DENSE && p.entries > 0.5 * full) return factor_dense(A, &p, arena, factor);
  return p.entries <= INT_MAX && factor_sparse(A, &p, arena, factor);
}

// ---- solving -------------------------------------------------------------------------------------------------------

static void forward(const ts_sparse_cholesky *f, double *x)
{
  for (int k = 0; k < f->n; ++k) {
    if (x[k] == 0.0) continue;
    x[k] /= f->value[f->start[k]];
    for (int a = f->start[k] + 1; a < f->start[k + 1]; ++a) x[f->index[a]] -= f->value[a] * x[k];
  }
}

static void backward(const ts_sparse_cholesky *f, double *x)
{
  for (int k = f->n - 1; k >= 0; --k) {
    double sum = x[k];
    for (int a = f->start[k] + 1; a < f->start[k + 1]; ++a) sum -= f->value[a] * x[f->index[a]];
    x[k] = sum / f->value[f->start[k]];
  }
}

void ts_sparse_cholesky_solve(const ts_sparse_cholesky *factor, double *x, double *scratch)
{
  const int n = factor->n;
  double *y = scratch;
  for (int k = 0; k < n; ++k) y[k] = x[factor->order[k]];
  if (factor->index) {
    forward(factor, y);
    backward(factor, y);
  } else {
    ts_cholesky_solve(n, factor->value, y);
  }
  for (int k = 0; k < n; ++k) x[factor->order[k]] = y[k];
}

int ts_sparse_cholesky_reach(const ts_sparse_cholesky *factor, int row, int stamp, int *mark, int *reach, int count)
{
  for (int i = factor->position[row]; i != -1 && mark[i] != stamp; i = factor->parent[i]) {
    mark[i] = stamp;
    reach[count++] = i;
  }
  return count;
}

void ts_sparse_cholesky_half_solve(const ts_sparse_cholesky *factor, int count, const int *reach, double *x)
{
  if (count == 0) return;
  const double *L = factor->value;
  if (!factor->index) { // a closed set of the chain 0, 1, 2, ... is its tail
    const size_t n = (size_t)factor->n, first = (size_t)reach[0];
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, count, L + first * n + first, factor->n,
                x + first, 1);
    return;
  }
  for (int t = 0; t < count; ++t) {
    const int k = reach[t];
    x[k] /= L[factor->start[k]];
    for (int a = factor->start[k] + 1; a < factor->start[k + 1]; ++a) x[factor->index[a]] -= L[a] * x[k];
  }
}
