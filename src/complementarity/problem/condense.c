// Condensing a global friction problem. With P M P^T = L L^T and Y = L^-1 P H, W = H^T M^-1 H is Y^T Y, and so for V
// and R with the columns of G. A contact touches few bodies and a body is coupled to few others through M, so a column
// of Y only has the rows on the paths of L's elimination tree that begin at the bodies it touches. Two contacts have a
// block in W where their rows meet. For bodies with masses of their own the cost is therefore linear in bodies and in
// pairs of contacts that share a body; for one coupled M it is that of solving for the columns of H.
#include "complementarity/problem/condense.h"

#include "touchstone/lowering.h"

#include "complementarity/problem/problem_copy.h"

#include "base/require.h"
#include "base/status.h"
#include "math/disjoint_sets.h"
#include "math/matrix.h"
#include "math/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the mass matrix -----------------------------------------------------------------------------------------------

// Half a symmetric matrix would pass the factorization, and products with it would then be wrong.
static ts_status check_symmetric(const ts_matrix *M, ts_arena *arena, ts_error *error)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_matrix T = ts_matrix_transpose(M, arena);
  double *diagonal = ts_arena_doubles(arena, (size_t)M->rows);
  ts_matrix_diagonal(M, diagonal);
  int row = -1, column = -1;
  for (int j = 0; j < M->columns && row < 0; ++j) {
    int a = M->start[j], b = T.start[j];
    while (a < M->start[j + 1] || b < T.start[j + 1]) { // merge the two columns
      const int i = a < M->start[j + 1] ? M->index[a] : INT_MAX, k = b < T.start[j + 1] ? T.index[b] : INT_MAX;
      const double x = i <= k ? M->value[a++] : 0.0, y = k <= i ? T.value[b++] : 0.0;
      const int at = i <= k ? i : k;
      if (fabs(x - y) <= 1e-8 * sqrt(fabs(diagonal[at])) * sqrt(fabs(diagonal[j]))) continue;
      row = at;
      column = j;
      break;
    }
  }
  ts_arena_restore(arena, mark);
  if (row < 0) return TS_OK;
  return ts_fail(error, TS_INVALID, "M is not symmetric: entries (%d, %d) and (%d, %d) differ", row, column, column,
                 row);
}

static ts_status factor_mass(const ts_matrix *M, ts_arena *arena, ts_sparse_cholesky *mass, ts_error *error)
{
  TS_TRY(check_symmetric(M, arena, error));
  if (!ts_sparse_cholesky_factor(M, arena, mass)) return ts_fail(error, TS_INVALID, "M is not positive definite");
  return TS_OK;
}

// ---- half solutions ------------------------------------------------------------------------------------------------

// The part of Y that belongs to one contact, or to one bilateral row: `rows` rows, `width` numbers each.
typedef struct panel {
  int rows;
  int *row;      // ascending, in elimination order
  double *value; // of row a: value[a*width] ...
} panel;

typedef struct panel_list {
  int count, width, n; // n: rows of M
  panel *panels;
  int *start, *owner, *place; // for every row: the panels that have it, ascending, and where in the panel it is
} panel_list;

static void sort_ascending(int *x, int count) // Shell's method with Ciura's gaps
{
  static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g)
    for (int i = gaps[g]; i < count; ++i) {
      const int moved = x[i];
      int k = i;
      for (; k >= gaps[g] && x[k - gaps[g]] > moved; k -= gaps[g]) x[k] = x[k - gaps[g]];
      x[k] = moved;
    }
}

typedef struct scratch {
  int *mark, *reach; // n each
  double *x;         // n, zero between uses
} scratch;

// L^-1 P applied to columns first .. first+width-1 of A.
static panel solve_panel(const ts_sparse_cholesky *mass, const ts_matrix *A, int first, int width, scratch *s,
                         ts_arena *arena)
{
  int rows = 0;
  for (int k = A->start[first]; k < A->start[first + width]; ++k)
    rows = ts_sparse_cholesky_reach(mass, A->index[k], first, s->mark, s->reach, rows);
  sort_ascending(s->reach, rows);
  panel p = {rows, ts_arena_ints(arena, (size_t)rows), ts_arena_doubles(arena, (size_t)rows * (size_t)width)};
  memcpy(p.row, s->reach, (size_t)rows * sizeof *p.row);
  for (int c = 0; c < width; ++c) {
    for (int k = A->start[first + c]; k < A->start[first + c + 1]; ++k) s->x[mass->position[A->index[k]]] = A->value[k];
    ts_sparse_cholesky_half_solve(mass, rows, p.row, s->x);
    for (int a = 0; a < rows; ++a) {
      p.value[a * width + c] = s->x[p.row[a]];
      s->x[p.row[a]] = 0.0;
    }
  }
  return p;
}

static void list_rows(panel_list *list, ts_arena *arena)
{
  const size_t n = (size_t)list->n;
  size_t total = 0;
  for (int i = 0; i < list->count; ++i) total += (size_t)list->panels[i].rows;
  list->start = ts_arena_ints(arena, n + 1);
  list->owner = ts_arena_ints(arena, total);
  list->place = ts_arena_ints(arena, total);
  memset(list->start, 0, (n + 1) * sizeof *list->start);
  for (int i = 0; i < list->count; ++i)
    for (int a = 0; a < list->panels[i].rows; ++a) ++list->start[list->panels[i].row[a] + 1];
  for (size_t k = 0; k < n; ++k) list->start[k + 1] += list->start[k];
  const ts_arena_mark mark = ts_arena_save(arena);
  int *next = ts_arena_ints(arena, n);
  memcpy(next, list->start, n * sizeof *next);
  for (int i = 0; i < list->count; ++i)
    for (int a = 0; a < list->panels[i].rows; ++a) {
      const int to = next[list->panels[i].row[a]]++;
      list->owner[to] = i;
      list->place[to] = a;
    }
  ts_arena_restore(arena, mark);
}

static panel_list half_solve(const ts_sparse_cholesky *mass, const ts_matrix *A, int width, ts_arena *arena)
{
  const size_t n = (size_t)mass->n;
  panel_list list = {.count = A->columns / width, .width = width, .n = mass->n};
  list.panels = ts_arena_bytes(arena, (size_t)list.count, sizeof *list.panels);
  scratch s = {ts_arena_ints(arena, n), ts_arena_ints(arena, n), ts_arena_zeros(arena, n)};
  for (size_t k = 0; k < n; ++k) s.mark[k] = -1;
  for (int i = 0; i < list.count; ++i) list.panels[i] = solve_panel(mass, A, i * width, width, &s, arena);
  list_rows(&list, arena);
  return list;
}

// ---- products ------------------------------------------------------------------------------------------------------

// Which panels of one list share rows with which of another: row i of the pattern lists the partners of panel i of A,
// ascending.
typedef struct coupling {
  int *start, *index;
} coupling;

// Write the panels of B that share a row with panel p, in any order, and panel `self` of B whatever it shares (-1:
// none).
static int partners(const panel *p, const panel_list *B, int self, int stamp, int *mark, int *found)
{
  int count = 0;
  if (self >= 0) {
    mark[self] = stamp;
    found[count++] = self;
  }
  for (int a = 0; a < p->rows; ++a)
    for (int k = B->start[p->row[a]]; k < B->start[p->row[a] + 1]; ++k)
      if (mark[B->owner[k]] != stamp) {
        mark[B->owner[k]] = stamp;
        found[count++] = B->owner[k];
      }
  return count;
}

// One pass over the partners of all panels of B: count[i] grows by one for every partner of panel i of A, and where
// `index` is not NULL the partner goes to that place. B's panels come in ascending order, so each row of the pattern is
// sorted. A list coupled with itself has every diagonal entry. Returns the number of partners, as a double against
// overflow.
static double sweep(const panel_list *A, const panel_list *B, int *count, int *index, ts_arena *arena)
{
  const ts_arena_mark before = ts_arena_save(arena);
  int *mark = ts_arena_ints(arena, (size_t)A->count), *found = ts_arena_ints(arena, (size_t)A->count);
  double total = 0.0;
  for (int i = 0; i < A->count; ++i) mark[i] = -1;
  for (int j = 0; j < B->count; ++j) {
    const int partner_count = partners(&B->panels[j], A, A == B ? j : -1, j, mark, found);
    for (int k = 0; k < partner_count; ++k) {
      const int place = count[found[k]]++;
      if (index) index[place] = j;
    }
    total += partner_count;
  }
  ts_arena_restore(arena, before);
  return total;
}

// The pattern of A^T B. False when it has more entries than an int counts.
static bool couple(const panel_list *A, const panel_list *B, coupling *c, ts_arena *arena)
{
  const size_t rows = (size_t)A->count;
  c->start = ts_arena_ints(arena, rows + 1);
  memset(c->start, 0, (rows + 1) * sizeof *c->start);
  const double total = sweep(A, B, c->start + 1, NULL, arena);
  if (total > INT_MAX) return false;
  for (size_t i = 0; i < rows; ++i) c->start[i + 1] += c->start[i];
  c->index = ts_arena_ints(arena, (size_t)total);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *next = ts_arena_ints(arena, rows);
  memcpy(next, c->start, rows * sizeof *next);
  sweep(A, B, next, c->index, arena);
  ts_arena_restore(arena, mark);
  return true;
}

// The blocks A_i^T B_j of the pattern, A.width x B.width numbers each, column after column.
static double *multiply(const panel_list *A, const panel_list *B, const coupling *c, ts_arena *arena)
{
  const int wa = A->width, wb = B->width, block = wa * wb;
  double *value = ts_arena_zeros(arena, (size_t)c->start[A->count] * (size_t)block);
  const ts_arena_mark mark = ts_arena_save(arena);
  double **slot = ts_arena_bytes(arena, (size_t)B->count, sizeof *slot);
  for (int i = 0; i < A->count; ++i) {
    const panel *p = &A->panels[i];
    for (int k = c->start[i]; k < c->start[i + 1]; ++k) slot[c->index[k]] = value + (size_t)k * (size_t)block;
    for (int a = 0; a < p->rows; ++a) {
      const double *x = p->value + (size_t)a * (size_t)wa;
      for (int k = B->start[p->row[a]]; k < B->start[p->row[a] + 1]; ++k) {
        const double *y = B->panels[B->owner[k]].value + (size_t)B->place[k] * (size_t)wb;
        double *to = slot[B->owner[k]];
        for (int col = 0; col < wb; ++col)
          for (int row = 0; row < wa; ++row) to[col * wa + row] += x[row] * y[col];
      }
    }
  }
  ts_arena_restore(arena, mark);
  return value;
}

// V = contacts^T bilaterals in compressed columns: column k has d rows for every contact that bilateral row k meets.
static ts_matrix expand_columns(const coupling *c, const double *value, int columns, int d, int rows, ts_arena *arena)
{
  const size_t entries = (size_t)c->start[columns] * (size_t)d;
  int *start = ts_arena_ints(arena, (size_t)columns + 1), *index = ts_arena_ints(arena, entries);
  for (int j = 0; j <= columns; ++j) start[j] = c->start[j] * d;
  for (size_t k = 0; k < entries; ++k) index[k] = c->index[k / (size_t)d] * d + (int)(k % (size_t)d);
  return (ts_matrix){rows, columns, start, index, value};
}

static bool couple_bilaterals(const panel_list *contacts, ts_condensation *c, ts_arena *arena)
{
  ts_friction *p = &c->local;
  const panel_list bilaterals = half_solve(&c->mass, &c->G, 1, arena);
  coupling with_contacts, with_bilaterals;
  if (!couple(&bilaterals, contacts, &with_contacts, arena)) return false;
  if (!couple(&bilaterals, &bilaterals, &with_bilaterals, arena)) return false;
  if ((double)with_contacts.start[p->bilaterals] * p->dimension > INT_MAX) return false;
  const double *value = multiply(&bilaterals, contacts, &with_contacts, arena);
  p->V = expand_columns(&with_contacts, value, p->bilaterals, p->dimension, p->dimension * p->contacts, arena);
  p->R = (ts_matrix){p->bilaterals, p->bilaterals, with_bilaterals.start, with_bilaterals.index,
                     multiply(&bilaterals, &bilaterals, &with_bilaterals, arena)};
  return true;
}

// ---- the condensed problem -----------------------------------------------------------------------------------------

// A^T v + c.
static double *velocity_along(const ts_matrix *A, const double *v, const double *c, ts_arena *arena)
{
  const size_t columns = (size_t)A->columns;
  double *u = ts_arena_doubles(arena, columns);
  if (columns) memcpy(u, c, columns * sizeof *u);
  ts_matrix_transpose_multiply_add(A, 1.0, v, u);
  return u;
}

// Blocks of W, counted as if every contact on a connected part of M were coupled to every other one there.
static double estimate_blocks(const ts_matrix *M, const ts_matrix *H, int d, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t n = (size_t)M->rows;
  int *parent = ts_arena_ints(arena, n), *last = ts_arena_ints(arena, n);
  double *contacts = ts_arena_zeros(arena, n), blocks = 0.0;
  for (int i = 0; i < M->rows; ++i) {
    parent[i] = i;
    last[i] = -1;
  }
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) ts_join_sets(parent, M->index[k], j);
  for (int j = 0; j < H->columns; ++j)
    for (int k = H->start[j]; k < H->start[j + 1]; ++k) {
      const int root = ts_find_set(parent, H->index[k]);
      if (last[root] == j / d) continue;
      last[root] = j / d;
      contacts[root] += 1.0;
    }
  for (size_t i = 0; i < n; ++i) blocks += contacts[i] * contacts[i];
  ts_arena_restore(arena, mark);
  return blocks;
}

// The diagonal blocks of W alone, one contact after the other.
static ts_block_matrix diagonal_blocks(const ts_condensation *c, ts_arena *arena)
{
  const int d = c->local.dimension, contacts = c->local.contacts;
  const size_t n = (size_t)c->mass.n;
  int *start = ts_arena_ints(arena, (size_t)contacts + 1), *index = ts_arena_ints(arena, (size_t)contacts);
  double *value = ts_arena_zeros(arena, (size_t)contacts * (size_t)(d * d));
  const ts_arena_mark outer = ts_arena_save(arena);
  scratch s = {ts_arena_ints(arena, n), ts_arena_ints(arena, n), ts_arena_zeros(arena, n)};
  for (size_t k = 0; k < n; ++k) s.mark[k] = -1;
  for (int i = 0; i < contacts; ++i) {
    const ts_arena_mark inner = ts_arena_save(arena);
    const panel p = solve_panel(&c->mass, &c->bodies.H, i * d, d, &s, arena);
    double *block = value + (size_t)i * (size_t)(d * d);
    for (int a = 0; a < p.rows; ++a)
      for (int col = 0; col < d; ++col)
        for (int row = 0; row < d; ++row) block[col * d + row] += p.value[a * d + row] * p.value[a * d + col];
    start[i] = index[i] = i;
    ts_arena_restore(arena, inner);
  }
  start[contacts] = contacts;
  ts_arena_restore(arena, outer);
  return (ts_block_matrix){contacts, d, start, index, value};
}

static bool is_too_large(const ts_condensation *c, ts_arena *arena)
{
  const double blocks = estimate_blocks(&c->bodies.M, &c->bodies.H, c->local.dimension, arena);
  return blocks > TS_MOST_BLOCKS && blocks > (double)TS_MOST_BLOCKS_A_CONTACT * c->local.contacts;
}

ts_status ts_condense_into(const ts_global_friction *global, bool sparing, ts_arena *arena,
                           ts_condensation *condensation, ts_error *error)
{
  ts_condensation *c = condensation;
  *c = (ts_condensation){
      .local = {.dimension = global->dimension,
                .contacts = global->contacts,
                .bilaterals = global->bilaterals,
                .mu = global->mu,
                .ellipsoid = global->ellipsoid},
      .bodies = {.M = ts_matrix_compress(&global->M, arena), .H = ts_matrix_compress(&global->H, arena)},
      .f = global->f};
  TS_TRY(factor_mass(&c->bodies.M, arena, &c->mass, error));
  const size_t n = (size_t)c->mass.n;
  double *v = ts_arena_doubles(arena, n);
  c->scratch = ts_arena_doubles(arena, n);
  if (n) memcpy(v, global->f, n * sizeof *v);
  ts_sparse_cholesky_solve(&c->mass, v, c->scratch);

  ts_friction *p = &c->local;
  if (sparing && p->bilaterals == 0 && is_too_large(c, arena)) {
    c->diagonal_only = true;
    p->W = diagonal_blocks(c, arena);
    p->q = velocity_along(&c->bodies.H, v, global->w, arena);
    p->bodies = &c->bodies;
    return TS_OK;
  }
  const panel_list contacts = half_solve(&c->mass, &c->bodies.H, p->dimension, arena);
  coupling pattern;
  bool fits = couple(&contacts, &contacts, &pattern, arena);
  if (fits) {
    const double *value = multiply(&contacts, &contacts, &pattern, arena);
    p->W = (ts_block_matrix){p->contacts, p->dimension, pattern.start, pattern.index, value};
    p->q = velocity_along(&c->bodies.H, v, global->w, arena);
  }
  if (fits && p->bilaterals > 0) {
    c->G = ts_matrix_compress(&global->G, arena);
    fits = couple_bilaterals(&contacts, c, arena);
    p->s = velocity_along(&c->G, v, global->b, arena);
  }
  if (!fits) return ts_fail(error, TS_OUT_OF_MEMORY, "the condensed matrix has more blocks than an int counts");
  if (p->bilaterals == 0 && p->contacts >= TS_FEWEST_FOR_BODIES) p->bodies = &c->bodies;
  return TS_OK;
}

void ts_condensation_velocity(const ts_condensation *condensation, const double *z, double *v)
{
  const ts_condensation *c = condensation;
  if (c->mass.n == 0) return;
  memcpy(v, c->f, (size_t)c->mass.n * sizeof *v);
  ts_matrix_multiply_add(&c->bodies.H, 1.0, z, v);
  if (c->local.bilaterals > 0) ts_matrix_multiply_add(&c->G, 1.0, z + c->bodies.H.columns, v);
  ts_sparse_cholesky_solve(&c->mass, v, c->scratch);
}

// ---- with its own memory -------------------------------------------------------------------------------------------

struct ts_condensed {
  ts_arena arena;
  ts_global_friction global; // copy in the arena
  ts_condensation condensation;
  ts_problem problem;
};

ts_status ts_condense(const ts_global_friction *problem, ts_condensed **condensed, ts_error *error)
{
  TS_REFUSE_UNLESS(condensed, error);
  *condensed = NULL;
  TS_REFUSE_UNLESS(problem, error);
  const ts_problem wrapped = ts_problem_global_friction(*problem);
  TS_TRY(ts_problem_check(&wrapped, error));
  ts_condensed *c = malloc(sizeof *c);
  if (!c) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out while condensing");
  jmp_buf recovery;
  ts_arena_init(&c->arena, NULL);
  c->arena.recovery = &recovery;
  if (setjmp(recovery)) {
    ts_condensed_destroy(c);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out while condensing");
  }
  c->global = ts_global_friction_copy(problem, &c->arena);
  const ts_status status = ts_condense_into(&c->global, false, &c->arena, &c->condensation, error);
  c->arena.recovery = NULL;
  if (status != TS_OK) {
    ts_condensed_destroy(c);
    return status;
  }
  c->problem = ts_problem_friction(c->condensation.local);
  *condensed = c;
  return TS_OK;
}

const ts_problem *ts_condensed_problem(const ts_condensed *condensed)
{
  TS_REQUIRE(condensed);
  return &condensed->problem;
}

void ts_condensed_recover(const ts_condensed *condensed, const double *local, double *global)
{
  TS_REQUIRE(condensed);
  const size_t size = ts_problem_size(&condensed->problem);
  TS_REQUIRE(local || size == 0);
  TS_REQUIRE(global);
  if (size) memcpy(global, local, size * sizeof *global);
  ts_condensation_velocity(&condensed->condensation, local, global + size);
}

void ts_condensed_destroy(ts_condensed *condensed)
{
  if (!condensed) return;
  ts_arena_release(&condensed->arena);
  free(condensed);
}
