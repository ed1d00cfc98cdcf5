#include "statistics/sensitivity.h"

#include "base/assert.h"
#include "base/status.h"
#include "statistics/moments.h"

#include <math.h>

// The samples that are complete, row by row.
typedef struct table {
  int parameters;
  size_t count;
  double *rows; // count x (2 + parameters): f(A), f(B), f(A_B^0), ...
} table;

// Sums over rows that make the indices: of all parameters, and of one.
typedef struct common_sums {
  double count;        // rows, each as often as it is drawn
  double sum, squares; // of f(A) and f(B)
} common_sums;

typedef struct index_sums {
  double difference; // f(A_B) - f(A)
  double product;    // f(B) (f(A_B) - f(A))
  double square;     // (f(A_B) - f(A))^2
} index_sums;

static ts_status take_row(const ts_design_results *results, size_t j, double *row, bool *complete, ts_error *error)
{
  *complete = true;
  for (int c = 0; c < results->parameters + 2; ++c) {
    row[c] = c == 0 ? results->a[j] : c == 1 ? results->b[j] : results->mixed[(size_t)(c - 2) * results->samples + j];
    if (isinf(row[c])) return ts_fail(error, TS_INVALID, "sample %zu has an infinite result", j + 1);
    if (isnan(row[c])) *complete = false;
  }
  return TS_OK;
}

// Less the mean of f(A) and f(B): S does not depend on it, but its estimator does, and sums of squares would cancel.
static void center(table *t, size_t width)
{
  ts_moments moments = ts_moments_of_none();
  for (size_t j = 0; j < t->count; ++j) ts_moments_add_column(&moments, 2, t->rows + j * width);
  for (size_t k = 0; k < t->count * width; ++k) t->rows[k] -= moments.mean;
}

static ts_status gather(const ts_design_results *results, ts_arena *arena, table *t, ts_error *error)
{
  const size_t width = (size_t)results->parameters + 2;
  *t = (table){.parameters = results->parameters, .rows = ts_arena_doubles(arena, results->samples * width)};
  for (size_t j = 0; j < results->samples; ++j) {
    bool complete;
    TS_TRY(take_row(results, j, t->rows + t->count * width, &complete, error));
    if (complete) ++t->count;
  }
  center(t, width);
  return TS_OK;
}

// S = mean of f(B) (f(A_B) - f(A)) over V (Saltelli et al., 2010, table 2 (b)), T = mean of (f(A) - f(A_B))^2/2 over V
// (same table, (f)). V and the mean to be taken off f(B) are those of f(A) and f(B) together.
static void write_indices(const table *t, const common_sums *common, const index_sums *sums, double *first,
                          double *total)
{
  const double n = common->count, mean = common->sum / (2.0 * n), V = common->squares / (2.0 * n) - mean * mean;
  const bool varies = t->count > 1 && V > 1e-12 * common->squares / n; // else it is round-off
  for (int i = 0; i < t->parameters; ++i) {
    first[i] = varies ? (sums[i].product - mean * sums[i].difference) / n / V : NAN;
    total[i] = varies ? 0.5 * sums[i].square / n / V : NAN;
  }
}

// The indices of all rows, or, with `random`, of rows drawn from them.
static void find_indices(const table *t, ts_random *random, index_sums *sums, double *first, double *total)
{
  const size_t width = (size_t)t->parameters + 2;
  common_sums common = {0};
  memset(sums, 0, (size_t)t->parameters * sizeof *sums);
  for (size_t j = 0; j < t->count; ++j) {
    const double *row = t->rows + width * j, times = random ? ts_bootstrap_weight(random) : 1.0;
    if (times == 0.0) continue;
    common.count += times;
    common.sum += times * (row[0] + row[1]);
    common.squares += times * (row[0] * row[0] + row[1] * row[1]);
    for (int i = 0; i < t->parameters; ++i) {
      const double change = row[2 + i] - row[0], taken = times * change;
      sums[i].difference += taken;
      sums[i].product += taken * row[1];
      sums[i].square += taken * change;
    }
  }
  write_indices(t, &common, sums, first, total);
}

// Replicates of one index are `stride` numbers apart, and scatter about `middle`: how far.
static ts_confidence_interval scatter_of(const ts_bootstrap *bootstrap, const double *replicates, size_t stride,
                                         double middle, double *scratch)
{
  for (int r = 0; r < bootstrap->replicates; ++r) scratch[r] = replicates[(size_t)r * stride];
  const ts_confidence_interval found = ts_percentile_interval(bootstrap, scratch);
  return (ts_confidence_interval){found.low - middle, found.high - middle};
}

static ts_estimate about(double value, ts_confidence_interval off, double scale)
{
  return (ts_estimate){value, {value + scale * off.low, value + scale * off.high}};
}

// Of too many rows some scatter instead of all.
static void estimate(table *t, const ts_bootstrap *bootstrap, ts_arena *arena, ts_estimate *first, ts_estimate *total)
{
  const size_t k = (size_t)t->parameters, replicates = (size_t)bootstrap->replicates, all = t->count;
  index_sums *sums = ts_arena_bytes(arena, k, sizeof *sums);
  double *found = ts_arena_doubles(arena, 2 * k * (replicates + 2)), *scratch = ts_arena_doubles(arena, replicates);
  double *middle = found + 2 * k, *again = middle + 2 * k;
  find_indices(t, NULL, sums, found, found + k);
  ts_random random;
  ts_random_init(&random, bootstrap->seed);
  t->count = ts_bootstrap_pick(bootstrap, all, t->rows, (k + 2) * sizeof *t->rows, &random);
  find_indices(t, NULL, sums, middle, middle + k);
  ts_random_init(&random, bootstrap->seed);
  for (size_t r = 0; r < replicates; ++r) find_indices(t, &random, sums, again + 2 * k * r, again + 2 * k * r + k);
  const double scale = sqrt((double)t->count / (double)all);
  for (size_t i = 0; i < k; ++i) {
    first[i] = about(found[i], scatter_of(bootstrap, again + i, 2 * k, middle[i], scratch), scale);
    total[i] = about(found[k + i], scatter_of(bootstrap, again + k + i, 2 * k, middle[k + i], scratch), scale);
  }
}

ts_status ts_design_sensitivity(const ts_design_results *results, const ts_bootstrap *bootstrap, ts_arena *arena,
                                ts_estimate *first, ts_estimate *total, size_t *used, ts_error *error)
{
  TS_ASSERT(results->parameters >= 0);
  const ts_arena_mark mark = ts_arena_save(arena);
  table t;
  const ts_status status = gather(results, arena, &t, error);
  if (used) *used = status == TS_OK ? t.count : 0;
  if (status == TS_OK) estimate(&t, bootstrap, arena, first, total);
  ts_arena_restore(arena, mark);
  return status;
}
