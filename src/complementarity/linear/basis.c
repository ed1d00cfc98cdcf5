#include "complementarity/linear/basis.h"

#include "math/columns.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };
static const double DISAGREEMENT = 1e-7; // of a pivot computed in two ways, relative to its terms

// ---- storage -------------------------------------------------------------------------------------------------------

// Leading dimensions that are multiples of 8 but not of 16 keep columns aligned without mapping them on the same cache
// sets.
static int padded(int n)
{
  return (((n + 7) / 8) | 1) * 8;
}

static void ensure_capacity(ts_basis *b, int core)
{
  if (core <= b->capacity) return;
  int wanted = b->capacity * 2 > core ? b->capacity * 2 : core;
  if (wanted > b->problem->size) wanted = b->problem->size; // |I| <= n
  wanted = padded(wanted);
  double *X = ts_arena_doubles(b->arena, (size_t)wanted * (size_t)wanted);
  for (int c = 0; c < b->core; ++c)
    memcpy(X + (size_t)c * (size_t)wanted, b->X + (size_t)c * (size_t)b->capacity, (size_t)b->core * sizeof *X);
  b->X = X;
  b->capacity = wanted;
}

static double *X_column(const ts_basis *b, int c)
{
  return b->X + (size_t)c * (size_t)b->capacity;
}

void ts_basis_init(ts_basis *b, const ts_boxed *problem, const double *cover, ts_arena *arena)
{
  const size_t n = (size_t)problem->size;
  *b = (ts_basis){.problem = problem, .cover = cover, .arena = arena};
  b->rows = ts_arena_ints(arena, n + 1);
  b->columns = ts_arena_ints(arena, n + 1);
  b->row_place = ts_arena_ints(arena, n);
  b->column_place = ts_arena_ints(arena, n + 1);
  b->y = ts_arena_doubles(arena, n + 1);
  b->slope = ts_arena_doubles(arena, n);
  b->entry_place = ts_arena_ints(arena, n);
  b->entry_value = ts_arena_doubles(arena, n);
  b->row = ts_arena_doubles(arena, n + 1);
  b->factor = ts_arena_doubles(arena, n + 1);
  b->pointer = ts_arena_bytes(arena, n + 1, sizeof *b->pointer);
  ensure_capacity(b, problem->size < FIRST_CAPACITY ? problem->size : FIRST_CAPACITY);
  ts_basis_clear(b);
}

void ts_basis_clear(ts_basis *b)
{
  const int n = b->problem->size;
  b->core = b->updates = 0;
  for (int i = 0; i < n; ++i) b->row_place[i] = b->column_place[i] = -1;
  b->column_place[n] = -1;
}

// ---- the core from scratch -----------------------------------------------------------------------------------------

static void gather_core_column(const ts_basis *b, int variable, double *column)
{
  const ts_boxed *p = b->problem;
  if (variable == p->size) {
    for (int c = 0; c < b->core; ++c) column[c] = b->cover[b->rows[c]];
  } else if (p->dense) {
    const double *a = p->dense + (size_t)variable * (size_t)p->size;
    for (int c = 0; c < b->core; ++c) column[c] = a[b->rows[c]];
  } else {
    memset(column, 0, (size_t)b->core * sizeof *column);
    for (int k = p->column_start[variable]; k < p->column_start[variable + 1]; ++k) {
      const int c = b->row_place[p->row_of_entry[k]];
      if (c >= 0) column[c] = p->column_value[k];
    }
  }
}

double ts_basis_refactor(ts_basis *b)
{
  b->updates = 0;
  for (int c = 0; c < b->core; ++c) gather_core_column(b, b->columns[c], X_column(b, c));
  return ts_invert(b->core, b->X, (size_t)b->capacity, b->arena);
}

double ts_basis_set(ts_basis *b, int core, const int *rows, const int *columns)
{
  if (rows != b->rows) memcpy(b->rows, rows, (size_t)core * sizeof *rows);
  if (columns != b->columns) memcpy(b->columns, columns, (size_t)core * sizeof *columns);
  ts_basis_clear(b);
  ensure_capacity(b, core);
  b->core = core;
  for (int c = 0; c < core; ++c) {
    b->row_place[b->rows[c]] = c;
    b->column_place[b->columns[c]] = c;
  }
  const double condition = ts_basis_refactor(b);
  if (condition == 0.0) ts_basis_clear(b);
  return condition;
}

// ---- products with the basis ---------------------------------------------------------------------------------------

void ts_basis_add_column(const ts_basis *b, int j, double factor, double *y)
{
  const int n = b->problem->size;
  if (j < n) {
    ts_boxed_add_column(b->problem, j, factor, y);
    return;
  }
  for (int i = 0; i < n; ++i) y[i] += factor * b->cover[i];
}

// y += factor [M d](:, J) x
static void add_basic_columns(ts_basis *b, double factor, const double *x, double *y)
{
  const ts_boxed *p = b->problem;
  if (!p->dense) {
    for (int c = 0; c < b->core; ++c)
      if (x[c] != 0.0) ts_basis_add_column(b, b->columns[c], factor * x[c], y);
    return;
  }
  int count = 0;
  for (int c = 0; c < b->core; ++c) {
    if (x[c] == 0.0) continue;
    const int j = b->columns[c];
    b->pointer[count] = j < p->size ? p->dense + (size_t)j * (size_t)p->size : b->cover;
    b->factor[count++] = factor * x[c];
  }
  ts_columns_combine(p->size, count, b->pointer, b->factor, y);
}

// y = sum of value[e] X(:, place[e])
static void combine_core(ts_basis *b, int count, const int *place, const double *value, double *y)
{
  for (int e = 0; e < count; ++e) b->pointer[e] = X_column(b, place[e]);
  memset(y, 0, (size_t)b->core * sizeof *y);
  ts_columns_combine(b->core, count, b->pointer, value, y);
}

static void note_entry(ts_basis *b, int place, double value)
{
  b->entry_place[b->entries] = place;
  b->entry_value[b->entries++] = value;
}

// The non-zeros of column j of [M d] on the rows I.
static void collect_entries(ts_basis *b, int j)
{
  const ts_boxed *p = b->problem;
  b->entries = 0;
  if (j < p->size && !p->dense) {
    for (int k = p->column_start[j]; k < p->column_start[j + 1]; ++k) {
      const int place = b->row_place[p->row_of_entry[k]];
      if (place >= 0) note_entry(b, place, p->column_value[k]);
    }
    return;
  }
  const double *a = j < p->size ? p->dense + (size_t)j * (size_t)p->size : b->cover;
  for (int c = 0; c < b->core; ++c)
    if (a[b->rows[c]] != 0.0) note_entry(b, c, a[b->rows[c]]);
}

void ts_basis_column(ts_basis *b, int entering)
{
  const int n = b->problem->size;
  memset(b->slope, 0, (size_t)n * sizeof *b->slope);
  if (ts_basis_is_w(b, entering)) { // the column of w_e is -e_e
    const double *column = X_column(b, b->row_place[entering - n - 1]);
    for (int r = 0; r < b->core; ++r) b->y[r] = -column[r];
  } else {
    collect_entries(b, entering);
    combine_core(b, b->entries, b->entry_place, b->entry_value, b->y);
    ts_basis_add_column(b, entering, 1.0, b->slope);
  }
  add_basic_columns(b, -1.0, b->y, b->slope);
}

// [M d](i, J), as a list of non-zeros by place in J. Returns their number.
static int collect_row(const ts_basis *b, int i, int *place, double *value)
{
  const ts_boxed *p = b->problem;
  int count = 0;
  if (p->dense) {
    for (int c = 0; c < b->core; ++c) {
      const int j = b->columns[c];
      place[count] = c;
      value[count++] = j < p->size ? p->dense[(size_t)j * (size_t)p->size + (size_t)i] : b->cover[i];
    }
    return count;
  }
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
    const int c = b->column_place[p->column_of_entry[k]];
    if (c < 0) continue;
    place[count] = c;
    value[count++] = p->row_value[k];
  }
  if (b->column_place[p->size] >= 0) {
    place[count] = b->column_place[p->size];
    value[count++] = b->cover[i];
  }
  return count;
}

void ts_basis_row(ts_basis *b, int i)
{
  const ts_arena_mark mark = ts_arena_save(b->arena);
  int *place = ts_arena_ints(b->arena, (size_t)b->core + 1);
  double *value = ts_arena_doubles(b->arena, (size_t)b->core + 1);
  const int count = collect_row(b, i, place, value);
  if (4 * count < b->core) {
    for (int c = 0; c < b->core; ++c) {
      const double *column = X_column(b, c);
      double sum = 0.0;
      for (int e = 0; e < count; ++e) sum += value[e] * column[place[e]];
      b->row[c] = sum;
    }
  } else {
    double *full = b->factor;
    memset(full, 0, (size_t)b->core * sizeof *full);
    for (int e = 0; e < count; ++e) full[place[e]] = value[e];
    ts_columns_dot(b->core, b->core, b->X, (size_t)b->capacity, full, b->row);
  }
  ts_arena_restore(b->arena, mark);
}

void ts_basis_apply_inverse(ts_basis *b, const double *x, double *product)
{
  for (int c = 0; c < b->core; ++c) b->pointer[c] = X_column(b, c);
  memset(product, 0, (size_t)b->core * sizeof *product);
  ts_columns_combine(b->core, b->core, b->pointer, x, product);
}

double ts_basis_solve(ts_basis *b, double *w, double *x)
{
  const ts_arena_mark mark = ts_arena_save(b->arena);
  double *residual = ts_arena_doubles(b->arena, (size_t)b->core),
         *correction = ts_arena_doubles(b->arena, (size_t)b->core);
  memset(x, 0, (size_t)b->core * sizeof *x);
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < b->core; ++c) residual[c] = -w[b->rows[c]];
    ts_basis_apply_inverse(b, residual, correction);
    for (int c = 0; c < b->core; ++c) x[c] += correction[c];
    add_basic_columns(b, 1.0, correction, w);
  }
  double worst = 0.0;
  for (int c = 0; c < b->core; ++c)
    if (!(fabs(w[b->rows[c]]) <= worst)) worst = fabs(w[b->rows[c]]);
  ts_arena_restore(b->arena, mark);
  return worst;
}

// ---- exchanges -----------------------------------------------------------------------------------------------------

static bool agree(double by_row, double by_column, double terms)
{
  return fabs(by_row - by_column) <= DISAGREEMENT * fmin(terms, fabs(by_column)) || by_row == by_column;
}

static void rank_one(ts_basis *b, const double *x)
{
  ts_columns_rank_one(b->core, b->core, x, b->factor, b->X, (size_t)b->capacity);
}

// z_e or t enters and w_i leaves: the core gains row i and column e,
//   [C a; g a_i]^-1 = [X + y r/s, -y/s; -r/s, 1/s],  r = g X,  s = a_i - g y.
static bool add_row_and_column(ts_basis *b, int entering, int i)
{
  const int k = b->core, n = b->problem->size;
  const double s = b->slope[i];
  const double corner = entering < n ? ts_boxed_entry(b->problem, i, entering) : b->cover[i];
  ts_basis_row(b, i);
  double by_row = corner, terms = fabs(corner);
  for (int e = 0; e < b->entries; ++e) {
    const double term = b->row[b->entry_place[e]] * b->entry_value[e];
    by_row -= term;
    terms += fabs(term);
  }
  if (!agree(by_row, s, terms)) return false;
  ensure_capacity(b, k + 1);
  for (int c = 0; c < k; ++c) b->factor[c] = b->row[c] / s;
  rank_one(b, b->y);
  for (int r = 0; r < k; ++r) X_column(b, k)[r] = -b->y[r] / s;
  for (int c = 0; c < k; ++c) X_column(b, c)[k] = -b->factor[c];
  X_column(b, k)[k] = 1.0 / s;
  b->rows[k] = i;
  b->row_place[i] = k;
  b->columns[k] = entering;
  b->column_place[entering] = k;
  ++b->core;
  return true;
}

// z_e enters and z_j leaves: column j of the core is replaced.
static bool replace_column(ts_basis *b, int entering, int leaving)
{
  const int place = b->column_place[leaving];
  const double pivot = b->y[place];
  for (int c = 0; c < b->core; ++c) b->factor[c] = -X_column(b, c)[place] / pivot;
  b->y[place] = pivot - 1.0; // makes row `place` of the update X(place, :)/pivot
  rank_one(b, b->y);
  b->column_place[leaving] = -1;
  b->columns[place] = entering;
  b->column_place[entering] = place;
  return true;
}

// w_e enters and w_i leaves: row e of the core is replaced by row i.
static bool replace_row(ts_basis *b, int e, int i)
{
  const int place = b->row_place[e];
  ts_basis_row(b, i);
  const double pivot = b->row[place];
  if (!agree(pivot, b->slope[i], fabs(pivot))) return false;
  for (int c = 0; c < b->core; ++c) b->factor[c] = -b->row[c] / pivot;
  b->factor[place] = (1.0 - pivot) / pivot;
  memcpy(b->y, X_column(b, place), (size_t)b->core * sizeof *b->y);
  rank_one(b, b->y);
  b->row_place[e] = -1;
  b->rows[place] = i;
  b->row_place[i] = place;
  return true;
}

// w_e enters and z_j leaves: the core loses row e and column j; the last ones move into their places.
static bool remove_row_and_column(ts_basis *b, int e, int leaving)
{
  const int column = b->row_place[e], row = b->column_place[leaving], last = b->core - 1;
  const double pivot = X_column(b, column)[row];
  for (int c = 0; c < b->core; ++c) b->factor[c] = -X_column(b, c)[row] / pivot;
  memcpy(b->y, X_column(b, column), (size_t)b->core * sizeof *b->y);
  rank_one(b, b->y);
  if (column != last) memcpy(X_column(b, column), X_column(b, last), (size_t)b->core * sizeof *b->X);
  for (int c = 0; c < last; ++c) X_column(b, c)[row] = X_column(b, c)[last];
  b->rows[column] = b->rows[last];
  b->row_place[b->rows[column]] = column;
  b->row_place[e] = -1;
  b->columns[row] = b->columns[last];
  b->column_place[b->columns[row]] = row;
  b->column_place[leaving] = -1;
  b->core = last;
  return true;
}

bool ts_basis_exchange(ts_basis *b, int entering, int leaving)
{
  const int first_w = b->problem->size + 1;
  const bool enters_w = ts_basis_is_w(b, entering), leaves_w = ts_basis_is_w(b, leaving);
  const bool done = enters_w && leaves_w ? replace_row(b, entering - first_w, leaving - first_w)
                    : enters_w           ? remove_row_and_column(b, entering - first_w, leaving)
                    : leaves_w           ? add_row_and_column(b, entering, leaving - first_w)
                                         : replace_column(b, entering, leaving);
  b->updates += done;
  return done;
}
