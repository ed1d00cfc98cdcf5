#include "math/feasibility.h"

#include <float.h>
#include <math.h>

// Columns of the tableau: x, the surpluses s of A x - s = b, the artificial variables, b. Rows are multiplied by -1
// where b is negative. The artificial columns are kept up to date although they never enter: they become the inverse of
// the basis, from which the multipliers are read.
typedef struct tableau {
  const ts_inequalities *system;
  int rows, variables, width; // variables: x and s; width: of a row
  double *entry;              // rows x width, row after row
  double *cost;               // width: sum of the rows whose basic variable is artificial, which is to become zero
  double *sign;               // rows: what the row was multiplied by
  int *basis;                 // rows
} tableau;

static double *row_of(const tableau *t, int i)
{
  return t->entry + (size_t)i * (size_t)t->width;
}

static bool is_artificial(const tableau *t, int variable)
{
  return variable >= t->variables;
}

static void fill_row(tableau *t, int i)
{
  const ts_inequalities *s = t->system;
  double *row = row_of(t, i);
  const bool flip = s->b[i] < 0.0 || (s->b[i] == 0.0 && !s->equal[i]); // then the surplus can be basic
  t->sign[i] = flip ? -1.0 : 1.0;
  for (int j = 0; j < s->columns; ++j) row[j] = t->sign[i] * s->A[(size_t)j * (size_t)s->rows + (size_t)i];
  if (!s->equal[i]) row[s->columns + i] = -t->sign[i];
  row[t->variables + i] = 1.0;
  row[t->width - 1] = t->sign[i] * s->b[i];
  t->basis[i] = flip && !s->equal[i] ? s->columns + i : t->variables + i;
}

// From the rows, without the round-off of the pivots so far.
static void refresh_cost(tableau *t)
{
  for (int k = 0; k < t->width; ++k) t->cost[k] = 0.0;
  for (int i = 0; i < t->rows; ++i)
    for (int k = 0; k < t->width && is_artificial(t, t->basis[i]); ++k) t->cost[k] += row_of(t, i)[k];
}

static void tableau_init(tableau *t, const ts_inequalities *system, ts_arena *arena)
{
  const int rows = system->rows, variables = system->columns + rows;
  *t = (tableau){.system = system, .rows = rows, .variables = variables, .width = variables + rows + 1};
  t->entry = ts_arena_zeros(arena, (size_t)rows * (size_t)t->width);
  t->cost = ts_arena_doubles(arena, (size_t)t->width);
  t->sign = ts_arena_doubles(arena, (size_t)rows);
  t->basis = ts_arena_ints(arena, (size_t)rows);
  for (int i = 0; i < rows; ++i) fill_row(t, i);
  refresh_cost(t);
}

static const double SMALLEST_GAIN = 1e-12;

// The column that gains most; after many pivots the first that gains (Bland), so that it ends.
static int choose_column(const tableau *t, bool first)
{
  double best = SMALLEST_GAIN;
  int chosen = -1;
  for (int k = 0; k < t->variables; ++k) {
    if (!(t->cost[k] > best)) continue;
    chosen = k;
    if (first) break;
    best = t->cost[k];
  }
  return chosen;
}

// Of the rows that limit the column the one with the largest pivot.
static int choose_row(const tableau *t, int column)
{
  static const double SMALLEST_PIVOT = 1e-10, TIE = 1e-13;
  double ratio = INFINITY, pivot = 0.0;
  int chosen = -1;
  for (int i = 0; i < t->rows; ++i) {
    const double *row = row_of(t, i);
    if (!(row[column] > SMALLEST_PIVOT)) continue;
    const double limit = row[t->width - 1] / row[column];
    if (limit > ratio + TIE || (limit > ratio - TIE && row[column] <= pivot)) continue;
    ratio = fmin(ratio, limit);
    pivot = row[column];
    chosen = i;
  }
  return chosen;
}

static const double ROUND_OFF = 1e-13; // of values of basic variables, which are not negative

static void subtract(double *target, double factor, const double *row, int width)
{
  if (factor == 0.0) return;
  for (int k = 0; k < width; ++k) target[k] -= factor * row[k];
}

static void pivot_at(tableau *t, int at, int column)
{
  double *row = row_of(t, at);
  const double scale = 1.0 / row[column];
  for (int k = 0; k < t->width; ++k) row[k] *= scale;
  for (int i = 0; i < t->rows; ++i) {
    if (i == at) continue;
    double *other = row_of(t, i), *value = &other[t->width - 1];
    subtract(other, other[column], row, t->width);
    if (*value < 0.0 && *value > -ROUND_OFF) *value = 0.0;
  }
  subtract(t->cost, t->cost[column], row, t->width);
  t->basis[at] = column;
}

// One pivot; false when none gains.
static bool gain(tableau *t, bool first)
{
  int column = choose_column(t, first);
  if (column < 0) {
    refresh_cost(t);
    column = choose_column(t, first);
  }
  const int row = column < 0 ? -1 : choose_row(t, column);
  if (row >= 0) pivot_at(t, row, column);
  return row >= 0;
}

static void read_point(const tableau *t, double *x)
{
  for (int j = 0; j < t->system->columns; ++j) x[j] = 0.0;
  for (int i = 0; i < t->rows; ++i)
    if (t->basis[i] < t->system->columns) x[t->basis[i]] = fmax(0.0, row_of(t, i)[t->width - 1]);
}

// The sum of the rows of the inverse basis whose variables are artificial, back in the signs of the system.
static void read_multipliers(const tableau *t, double *y)
{
  double size = 0.0;
  for (int i = 0; i < t->rows; ++i) y[i] = 0.0;
  for (int i = 0; i < t->rows; ++i) {
    if (!is_artificial(t, t->basis[i])) continue;
    for (int k = 0; k < t->rows; ++k) y[k] += t->sign[k] * row_of(t, i)[t->variables + k];
  }
  for (int i = 0; i < t->rows; ++i) size += fabs(y[i]);
  for (int i = 0; i < t->rows && size > 0.0; ++i) y[i] /= size;
}

// How far multipliers miss their signs and those of y A.
static double sign_error(const ts_inequalities *s, const double *y)
{
  double worst = DBL_EPSILON;
  for (int i = 0; i < s->rows; ++i)
    if (!s->equal[i]) worst = fmax(worst, -y[i]);
  for (int j = 0; j < s->columns; ++j) {
    double sum = 0.0;
    for (int i = 0; i < s->rows; ++i) sum += y[i] * s->A[(size_t)j * (size_t)s->rows + (size_t)i];
    worst = fmax(worst, sum);
  }
  return worst;
}

// With y A <= e and y >= -e instead of 0 any solution has e (sum of x and of surpluses) >= y b.
static bool is_proof(const ts_inequalities *s, const double *y)
{
  static const double LARGEST = 1e6;
  double gap = 0.0;
  for (int i = 0; i < s->rows; ++i) gap += y[i] * s->b[i];
  return gap > LARGEST * sign_error(s, y);
}

ts_feasibility ts_find_feasible(const ts_inequalities *system, int most_pivots, ts_arena *arena, double *x,
                                double *multipliers)
{
  tableau t;
  const ts_arena_mark mark = ts_arena_save(arena);
  tableau_init(&t, system, arena);
  const double small = 1e-12 * (1.0 + t.cost[t.width - 1]);
  ts_feasibility result = TS_FEASIBILITY_UNKNOWN;
  for (int k = 0; k < most_pivots && t.cost[t.width - 1] > small && gain(&t, k > most_pivots / 2); ++k) continue;
  refresh_cost(&t);
  if (t.cost[t.width - 1] <= small) {
    read_point(&t, x);
    result = TS_FEASIBLE;
  } else {
    read_multipliers(&t, multipliers);
    if (is_proof(system, multipliers)) result = TS_NOT_FEASIBLE;
  }
  ts_arena_restore(arena, mark);
  return result;
}
