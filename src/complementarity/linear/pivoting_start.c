// Bases that pivoting starts from.
#include "complementarity/linear/pivoting.h"

#include "math/dense.h"
#include "math/larger.h"

#include <math.h>

static const double SOUND_PIVOT = 1e-3; // of a pivot that is not forced
static const double REGULAR = 1e-11;    // reciprocal condition number of an acceptable starting core

// All bounded variables at the bound next to 0, all free ones at 0.
static void rest_at_bounds(ts_pivoting *s)
{
  const ts_boxed *p = s->p;
  ts_basis_clear(&s->basis);
  for (int i = 0; i < p->size; ++i) {
    const bool upper = fabs(p->upper[i]) < fabs(p->lower[i]);
    s->side[i] = p->lower[i] == p->upper[i] || ts_boxed_is_free(p, i) ? TS_IDLE : upper ? TS_AT_UPPER : TS_AT_LOWER;
    s->z[i] = ts_boxed_is_free(p, i) ? 0.0 : upper ? p->upper[i] : p->lower[i];
  }
  s->z[p->size] = 0.0;
}

static void swap(int *a, int *b)
{
  const int old = *a;
  *a = *b;
  *b = old;
}

// Order the free rows and columns by elimination with complete pivoting. Returns the rank of their block.
static int order_free_block(ts_pivoting *s, int count, int *rows, int *columns)
{
  ts_arena *arena = s->run->arena;
  const size_t m = (size_t)count;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *A = ts_arena_doubles(arena, m * m);
  for (size_t j = 0; j < m; ++j)
    for (size_t i = 0; i < m; ++i) A[j * m + i] = ts_boxed_entry(s->p, rows[i], columns[j]);
  const int rank = ts_eliminate_completely(count, A, rows, columns, REGULAR);
  ts_arena_restore(arena, mark);
  return rank;
}

// The bounded variable k whose exchange brings both free row i and free column j in: |S_ik S_kj| is largest in the
// Schur complement S of the core, and *size of it. -1 when there is none.
static int find_partner(ts_pivoting *s, int i, int j, double *size)
{
  const ts_boxed *p = s->p;
  ts_basis *b = &s->basis;
  ts_arena *arena = s->run->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *spread = ts_arena_zeros(arena, (size_t)p->size);
  ts_basis_row(b, i);
  for (int c = 0; c < b->core; ++c) spread[b->rows[c]] = -b->row[c];
  spread[i] += 1.0;
  ts_basis_column(b, j);
  int partner = -1;
  double best = REGULAR;
  for (int k = 0; k < p->size; ++k) {
    if (b->row_place[k] >= 0 || b->column_place[k] >= 0 || s->side[k] == TS_IDLE) continue;
    const double product = fabs(ts_boxed_dot_column(p, k, spread) * b->slope[k]);
    if (product > best) {
      best = product;
      partner = k;
    }
  }
  *size = best;
  ts_arena_restore(arena, mark);
  return partner;
}

// Bring in free row i together with one of the free columns that are left, through the row and the column of a bounded
// variable: two regular pivots where the direct one is zero. The column used is moved to the end of the list.
static bool enter_through_partner(ts_pivoting *s, int i, int *columns, int left)
{
  ts_basis *b = &s->basis;
  int best_place = -1, best_partner = -1;
  double best = 0.0;
  for (int c = 0; c < left; ++c) {
    double size = 0.0;
    const int partner = find_partner(s, i, columns[c], &size);
    if (partner < 0 || size <= best) continue;
    best = size;
    best_place = c;
    best_partner = partner;
  }
  if (best_place < 0) return false;
  swap(&columns[best_place], &columns[left - 1]);
  ts_basis_column(b, best_partner);
  if (!ts_basis_exchange(b, best_partner, ts_basis_w(b, i))) return false;
  ts_basis_column(b, columns[left - 1]);
  if (ts_basis_exchange(b, columns[left - 1], ts_basis_w(b, best_partner))) return true;
  ts_basis_exchange(b, ts_basis_w(b, i), best_partner); // undo the first
  return false;
}

// Make all free variables basic. Their block of M may be singular though the problem is sound (an ideal diode, a
// redundant constraint): what elimination leaves over enters through bounded variables. A row that no column can take
// depends on the others; it and a free column stay out, and the final check tells whether the equation holds.
static void enter_free_variables(ts_pivoting *s)
{
  const size_t n = (size_t)s->p->size;
  int count = 0, *rows = ts_arena_ints(s->run->arena, n), *columns = ts_arena_ints(s->run->arena, n);
  for (int i = 0; i < s->p->size; ++i)
    if (ts_boxed_is_free(s->p, i)) rows[count] = columns[count] = i, ++count;
  if (count == 0) return;
  ++s->run->report->factorizations;
  if (ts_basis_set(&s->basis, count, rows, columns) >= REGULAR) return;
  const int rank = order_free_block(s, count, rows, columns);
  ts_basis_set(&s->basis, rank, rows, columns);
  for (int k = rank, left = count - rank; k < count; ++k)
    if (enter_through_partner(s, rows[k], columns + rank, left)) --left;
}

void ts_pivoting_start_cold(ts_pivoting *s)
{
  rest_at_bounds(s);
  enter_free_variables(s);
}

// A complementary basis with some bounded variables, chosen at random, made basic. Where no positive d leads anywhere
// from the cold start (a bimatrix game: M >= 0 with a zero diagonal ends on a ray at once) another basis may.
void ts_pivoting_start_random(ts_pivoting *s, ts_random *random)
{
  const ts_basis *b = &s->basis;
  const int n = s->p->size, wanted = 1 + ts_random_below(random, n);
  ts_pivoting_start_cold(s);
  for (int tries = 0; tries < n && b->core < wanted; ++tries) {
    int k = ts_random_below(random, n);
    if (b->column_place[k] >= 0 || s->side[k] == TS_IDLE) continue;
    ts_basis_column(&s->basis, k);
    if (fabs(b->slope[k]) > SOUND_PIVOT)
      ts_basis_exchange(&s->basis, k, ts_basis_w(b, k));
    else
      enter_through_partner(s, k, &k, 1);
  }
}

bool ts_pivoting_start_warm(ts_pivoting *s, const double *z)
{
  const ts_boxed *p = s->p;
  int count = 0, *list = ts_arena_ints(s->run->arena, (size_t)p->size);
  rest_at_bounds(s);
  for (int i = 0; i < p->size; ++i) {
    if (s->side[i] == TS_IDLE && !ts_boxed_is_free(p, i)) continue;
    const double slack = TS_PIVOTING_TIE * ts_larger(1.0, fabs(z[i]));
    if (z[i] <= p->lower[i] + slack || z[i] >= p->upper[i] - slack) {
      s->side[i] = z[i] <= p->lower[i] + slack ? TS_AT_LOWER : TS_AT_UPPER;
      s->z[i] = s->side[i] == TS_AT_LOWER ? p->lower[i] : p->upper[i];
    } else {
      list[count++] = i;
    }
  }
  ++s->run->report->factorizations;
  return ts_basis_set(&s->basis, count, list, list) >= REGULAR;
}
