#include "complementarity/problem/eliminate.h"

#include "math/dense.h"
#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// Rows of R whose part outside the span of the rows before them is below this share of the largest are dependent.
static const double DEPENDENT = 1e-11;

// What the joints leave of a contact's block below this share of it is round-off: the joints hold its bodies fast.
static const double IMMOVABLE = 1e-12;

static void factor_independent_rows(ts_elimination *e, ts_arena *arena)
{
  const ts_friction *p = e->whole;
  const size_t n = (size_t)p->bilaterals;
  double *R = ts_arena_doubles(arena, n * n), largest = 0.0;
  int *order = ts_arena_ints(arena, n);
  ts_matrix_to_dense(&p->R, R, n);
  for (size_t k = 0; k < n; ++k) largest = fmax(largest, R[k * n + k]);
  const int rank = ts_cholesky_pivoted(p->bilaterals, R, order, DEPENDENT * largest, arena);
  e->rank = largest > 0.0 ? rank : 0;
  e->factor = ts_arena_doubles(arena, (size_t)(e->rank * e->rank));
  for (int c = 0; c < e->rank; ++c)
    memcpy(e->factor + (size_t)c * (size_t)e->rank, R + (size_t)c * n, (size_t)e->rank * sizeof *R);
  e->rows = order;
}

// Y = L^-1 V^T on the independent rows (rank x m, column-major) and y = L^-1 s.
static double *half_solutions(const ts_elimination *e, double *y, ts_arena *arena)
{
  const ts_friction *p = e->whole;
  const size_t m = (size_t)p->dimension * (size_t)p->contacts, rank = (size_t)e->rank;
  double *V = ts_arena_doubles(arena, m * (size_t)p->bilaterals), *Y = ts_arena_doubles(arena, m * rank);
  ts_matrix_to_dense(&p->V, V, m);
  for (size_t k = 0; k < rank; ++k) {
    const double *column = V + (size_t)e->rows[k] * m;
    for (size_t i = 0; i < m; ++i) Y[i * rank + k] = column[i];
    y[k] = p->s[e->rows[k]];
  }
  if (rank == 0) return Y;
  ts_lower_solve(e->rank, e->factor, (int)m, Y);
  ts_lower_solve(e->rank, e->factor, 1, y);
  return Y;
}

static bool touches_bilaterals(const double *Y, size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (Y[k] != 0.0) return true;
  return false;
}

// Pattern of W': the blocks of W, and every pair of contacts that both feel the bilateral rows.
static void union_pattern(const ts_elimination *e, const double *Y, int *start, int **index, ts_arena *arena)
{
  const ts_friction *p = e->whole;
  const size_t piece = (size_t)p->dimension * (size_t)e->rank;
  char *coupled = ts_arena_bytes(arena, (size_t)p->contacts, 1);
  int *list = ts_arena_ints(arena, (size_t)p->contacts), feeling = 0;
  for (int i = 0; i < p->contacts; ++i) {
    coupled[i] = touches_bilaterals(Y + (size_t)i * piece, piece);
    if (coupled[i]) list[feeling++] = i;
  }
  const size_t blocks = p->contacts > 0 ? (size_t)p->W.start[p->contacts] : 0; // W is not read without contacts
  *index = ts_arena_ints(arena, blocks + (size_t)feeling * (size_t)feeling);
  int filled = 0;
  for (int i = 0; i < p->contacts; ++i) {
    start[i] = filled;
    int a = p->W.start[i], b = coupled[i] ? 0 : feeling;
    const int end = p->W.start[i + 1];
    while (a < end || b < feeling) { // merge two ascending lists
      const int left = a < end ? p->W.index[a] : p->contacts, right = b < feeling ? list[b] : p->contacts;
      (*index)[filled++] = left < right ? left : right;
      a += left <= right;
      b += right <= left;
    }
  }
  start[p->contacts] = filled;
}

// Contacts that the joints leave no freedom: no impulse moves them, and none that acts on them moves anything.
static const char *find_immovable(const ts_elimination *e, const double *Y, ts_arena *arena)
{
  const ts_friction *p = e->whole;
  const int d = p->dimension;
  char *immovable = ts_arena_bytes(arena, (size_t)p->contacts, 1);
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = ts_block_diagonal(&p->W, i);
    const double taken = cblas_dnrm2(d * e->rank, Y + (size_t)i * (size_t)(d * e->rank), 1);
    double trace = 0.0;
    for (int k = 0; k < d; ++k) trace += block[k * d + k];
    immovable[i] = taken > 0.0 && trace - taken * taken <= IMMOVABLE * trace;
  }
  return immovable;
}

// block -= Yi^T Yj, both rank x d.
static void subtract_product(int d, int rank, const double *Yi, const double *Yj, double *block)
{
  for (int b = 0; b < d; ++b)
    for (int a = 0; a < d; ++a)
      block[b * d + a] -= cblas_ddot(rank, Yi + (size_t)a * (size_t)rank, 1, Yj + (size_t)b * (size_t)rank, 1);
}

static void fill_blocks(const ts_elimination *e, const double *Y, const int *start, const int *index, double *value,
                        const char *immovable)
{
  const ts_friction *p = e->whole;
  const int d = p->dimension;
  const size_t block = (size_t)(d * d), piece = (size_t)d * (size_t)e->rank;
  for (int i = 0; i < p->contacts; ++i) {
    int a = p->W.start[i];
    for (int k = start[i]; k < start[i + 1]; ++k) {
      double *to = value + (size_t)k * block;
      const int j = index[k];
      const bool own = a < p->W.start[i + 1] && p->W.index[a] == j;
      const double *from = own ? p->W.value + (size_t)a++ * block : NULL;
      if (immovable[i] || immovable[j]) from = NULL;
      if (from)
        memcpy(to, from, block * sizeof *to);
      else
        memset(to, 0, block * sizeof *to);
      if (!immovable[i] && !immovable[j])
        subtract_product(d, e->rank, Y + (size_t)i * piece, Y + (size_t)j * piece, to);
    }
  }
}

void ts_eliminate_bilaterals(ts_elimination *e, const ts_friction *problem, ts_arena *arena)
{
  const int d = problem->dimension;
  const size_t m = (size_t)d * (size_t)problem->contacts;
  *e = (ts_elimination){.whole = problem, .scratch = ts_arena_doubles(arena, (size_t)problem->bilaterals)};
  factor_independent_rows(e, arena);
  double *y = ts_arena_doubles(arena, (size_t)e->rank), *q = ts_arena_doubles(arena, m);
  const double *Y = half_solutions(e, y, arena);
  int *start = ts_arena_ints(arena, (size_t)problem->contacts + 1), *index;
  union_pattern(e, Y, start, &index, arena);
  double *value = ts_arena_doubles(arena, (size_t)start[problem->contacts] * (size_t)(d * d));
  fill_blocks(e, Y, start, index, value, find_immovable(e, Y, arena));
  if (m > 0) memcpy(q, problem->q, m * sizeof *q);
  if (e->rank > 0 && m > 0) cblas_dgemv(CblasColMajor, CblasTrans, e->rank, (int)m, -1.0, Y, e->rank, y, 1, 1.0, q, 1);
  e->reduced = *problem;
  e->reduced.bilaterals = 0;
  e->reduced.W = (ts_block_matrix){problem->contacts, d, start, index, value};
  e->reduced.q = q;
  e->reduced.bodies = NULL; // W' is no longer H^T M^-1 H
}

void ts_elimination_recover(const ts_elimination *e, const double *r, double *l)
{
  const ts_friction *p = e->whole;
  const size_t n = (size_t)p->bilaterals;
  double *x = e->scratch;
  memcpy(l, p->s, n * sizeof *l);
  ts_matrix_transpose_multiply_add(&p->V, 1.0, r, l);
  for (int k = 0; k < e->rank; ++k) x[k] = -l[e->rows[k]];
  ts_cholesky_solve(e->rank, e->factor, x);
  memset(l, 0, n * sizeof *l);
  for (int k = 0; k < e->rank; ++k) l[e->rows[k]] = x[k];
}
