#include "math/extrapolation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Step control: the next step aims at AIM of the error that is allowed.
static const double AIM = 0.6, LARGEST_GROWTH = 5.0, SMALLEST_GROWTH = 0.1, LARGEST_CUT = 0.5;

void ts_extrapolation_init(ts_extrapolation *x, size_t size, size_t controlled, int power,
                           ts_extrapolated_method *method, void *user, double tolerance, ts_arena *arena)
{
  *x = (ts_extrapolation){.size = size,
                          .controlled = controlled,
                          .method = method,
                          .user = user,
                          .power = power,
                          .most = power == 1 ? TS_EXTRAPOLATION_ROWS - 1 : TS_EXTRAPOLATION_ROWS,
                          .tolerance = tolerance,
                          .hint = INFINITY,
                          .end = ts_arena_doubles(arena, size)};
  x->rows = x->taken = x->most - 1;
  for (int j = 0; j < x->most; ++j) x->table[j] = ts_arena_doubles(arena, size);
}

// Row j = `row` (from 1) of the table over the one before it:
// T_{j,m+1} = T_jm + (T_jm - T_{j-1,m})/((j/(j - m))^power - 1).
static void append_row(ts_extrapolation *x, int row)
{
  double weight[TS_EXTRAPOLATION_ROWS];
  for (int m = 1; m < row; ++m) {
    const double ratio = (double)row / (double)(row - m);
    weight[m] = x->power == 1 ? (double)(row - m) / (double)m : 1.0 / (ratio * ratio - 1.0);
  }
  for (size_t k = 0; k < x->size; ++k) {
    double value = x->end[k];
    for (int m = 1; m < row; ++m) {
      const double above = x->table[m - 1][k];
      x->table[m - 1][k] = value;
      value += (value - above) * weight[m];
    }
    x->table[row - 1][k] = value;
  }
  x->trial = x->table[row - 1];
}

// T_jj - T_{j,j-1} over the tolerance. That goes by y at the start: a trial that has exploded must not excuse itself.
static double error_ratio(const ts_extrapolation *x, const double *y, int row)
{
  const double *last = x->table[row - 1], *next_to_last = x->table[row - 2];
  double sum = 0.0;
  for (size_t k = 0; k < x->controlled; ++k) {
    const double error = (last[k] - next_to_last[k]) / (x->tolerance * (1.0 + fabs(y[k])));
    sum += error * error;
  }
  const double ratio = x->controlled > 0 ? sqrt(sum / (double)x->controlled) : 0.0;
  return isnan(ratio) ? INFINITY : ratio;
}

static bool run_row(ts_extrapolation *x, double t, const double *y, double h, int row)
{
  const int substeps = x->power * row;
  x->substeps += substeps;
  x->hint = INFINITY;
  x->row = row;
  const bool done = x->method(x->user, t, y, h, substeps, x->end);
  x->row = 0;
  if (!done) return false;
  append_row(x, row);
  return true;
}

double ts_extrapolation_attempt(ts_extrapolation *x, double t, const double *y, double h, int rows)
{
  for (int row = 1; row <= rows; ++row)
    if (!run_row(x, t, y, h, row)) return INFINITY;
  return error_ratio(x, y, rows);
}

// Whether the rows left are too few for the error to come down: each takes a factor of about its number, or its square.
static bool is_hopeless(const ts_extrapolation *x, double error, int row, int limit)
{
  double reach = 1.0;
  for (int i = row + 1; i <= limit; ++i) reach *= x->power == 1 ? 2.0 * i : 4.0 * i * i;
  return error > reach;
}

// Rows that a step has at least. Of forces that change with time the 2 and 4 substeps of a symmetric method may meet
// the same phase: a third row sees it.
static int least_rows(const ts_extrapolation *x)
{
  return x->power + 1;
}

// All substeps of a step, of a method of power 1; else twice that.
static double parts_of(int rows)
{
  return 0.5 * rows * (rows + 1);
}

// How much longer a step may be for this error, which is that of column row - 1 and grows as h^(power (row - 1) + 1).
static double growth_for(const ts_extrapolation *x, double error, int row)
{
  const double growth = error > 0.0 ? pow(AIM / error, 1.0 / (x->power * (row - 1) + 1)) : LARGEST_GROWTH;
  return fmax(SMALLEST_GROWTH, fmin(LARGEST_GROWTH, growth));
}

// After a step of length h converged in `rows` rows: that number of rows for the next one which makes the fewest
// substeps a unit of time, and its length.
static void propose(ts_extrapolation *x, double h, const double *error, int rows)
{
  int best = rows;
  double growth = growth_for(x, error[rows], rows);
  const double work = parts_of(rows) / growth;
  const double growth_below = rows > least_rows(x) ? growth_for(x, error[rows - 1], rows - 1) : 0.0;
  const double work_below = rows > least_rows(x) ? parts_of(rows - 1) / growth_below : INFINITY;
  if (work_below < 0.8 * work) {
    best = rows - 1;
    growth = growth_below;
  } else if (work < 0.9 * work_below && rows < x->most) {
    best = rows + 1;
    growth = fmin(LARGEST_GROWTH, growth * parts_of(rows + 1) / parts_of(rows));
  }
  x->rows = best;
  x->step = h * growth;
}

// Rows until the step converges; 0: it does not. error[j] is that of row j.
static int converge(ts_extrapolation *x, double t, const double *y, double h, double *error, int *reached)
{
  const int limit = x->rows < x->most ? x->rows + 1 : x->most;
  *reached = 2;
  error[2] = AIM; // unless a row comes to be judged the method has failed: then the step is cut in two
  for (int row = 1; row <= limit; ++row) {
    if (!run_row(x, t, y, h, row)) return 0;
    if (row == 1) continue;
    *reached = row;
    error[row] = error_ratio(x, y, row);
    if (error[row] <= 1.0 && row >= least_rows(x)) return row;
    if (row >= x->rows - 1 && is_hopeless(x, error[row], row, limit)) return 0;
  }
  return 0;
}

double ts_extrapolation_step(ts_extrapolation *x, double t, const double *y, double end)
{
  const double span = end - t, smallest = fmax(x->shortest, 4.0 * DBL_EPSILON * fmax(fabs(t), fabs(end)));
  double h = x->step > 0.0 ? fmin(x->step, span) : 0.1 * span;
  int in_vain = 0;
  while (h > smallest || h == span) {
    const bool last = h >= span * (1.0 - 1e-12);
    if (!last && 2.0 * h > span) h = 0.5 * span; // not a sliver at the end: rather two equal steps
    const double taken = last ? span : h, proposed = x->step;
    double error[TS_EXTRAPOLATION_ROWS + 1];
    int reached;
    const int rows = converge(x, t, y, taken, error, &reached);
    if (rows > 0) {
      x->taken = rows;
      propose(x, taken, error, rows);
      if (last) x->step = fmax(x->step, proposed); // a step cut short by the end says little about the next one
      return taken;
    }
    ++x->rejected;
    if (++in_vain > 1) x->rows = 3; // where the motion has a kink more rows do not help
    h = isfinite(x->hint) ? fmin(x->hint, 0.99 * taken)
                          : taken * fmin(LARGEST_CUT, growth_for(x, error[reached], reached));
    x->step = h;
  }
  return 0.0;
}
