#include "statistics/given_data.h"

#include "base/status.h"
#include "statistics/moments.h"
#include "statistics/pairs.h"

#include <math.h>

enum { LEAST_ROWS = 4 };
static const double LEAST_CLASS = 3.0;

typedef struct class_sums {
  double count, sum, squares;
} class_sums;

// Rows in the order of x: y less its mean, and the class of x.
typedef struct classified {
  size_t count;
  double *y;
  int *class;
  int classes;
} classified;

// How much of the variance lies between classes.
typedef struct shares {
  double plain;     // of the sum of squares
  double corrected; // less what chance makes of it
} shares;

static void center(const ts_pairs *pairs, double *y)
{
  ts_moments moments = ts_moments_of_none();
  for (size_t k = 0; k < pairs->count; ++k) ts_moments_add(&moments, pairs->list[k].y);
  for (size_t k = 0; k < pairs->count; ++k) y[k] = pairs->list[k].y - moments.mean;
}

static size_t count_distinct(const ts_pairs *pairs)
{
  size_t distinct = pairs->count > 0 ? 1 : 0;
  for (size_t k = 1; k < pairs->count; ++k) distinct += pairs->list[k].x != pairs->list[k - 1].x;
  return distinct;
}

// Rows of a class. The share between classes is corrected whatever their number, so that there may be many, 2 sqrt(n):
// they lose 1/(4 n) of the index of a line, and add a scatter of 2/n^(3/4), less than the rows have themselves.
static double class_size(size_t count)
{
  return fmax(LEAST_CLASS, 0.5 * sqrt((double)count));
}

static void classify(const ts_pairs *pairs, bool by_value, int *class, int *classes)
{
  const double size = class_size(pairs->count);
  size_t first = 0;
  *classes = 0;
  for (size_t k = 0; k < pairs->count; ++k) {
    const bool differs = k > 0 && pairs->list[k].x != pairs->list[k - 1].x;
    if (differs && (by_value || (double)(k - first) >= size)) {
      first = k;
      ++*classes;
    }
    class[k] = *classes;
  }
  if (pairs->count > 0) ++*classes;
}

static shares shares_of(const class_sums *sums, int classes)
{
  double n = 0.0, sum = 0.0, squares = 0.0, within = 0.0, filled = 0.0;
  for (int c = 0; c < classes; ++c) {
    if (sums[c].count == 0.0) continue;
    ++filled;
    n += sums[c].count;
    sum += sums[c].sum;
    squares += sums[c].squares;
    within += fmax(0.0, sums[c].squares - sums[c].sum * sums[c].sum / sums[c].count);
  }
  const double all = squares - sum * sum / n;
  if (!(all > 1e-12 * squares) || n <= filled) return (shares){NAN, NAN}; // of round-off nothing can be said
  return (shares){1.0 - within / all, 1.0 - within / (n - filled) / (all / (n - 1.0))};
}

// Of all rows, or, with `random`, of rows drawn from them.
static shares find_shares(const classified *rows, ts_random *random, class_sums *sums)
{
  memset(sums, 0, (size_t)rows->classes * sizeof *sums);
  for (size_t k = 0; k < rows->count; ++k) {
    const double times = random ? ts_bootstrap_weight(random) : 1.0, taken = times * rows->y[k];
    class_sums *s = sums + rows->class[k];
    s->count += times;
    s->sum += taken;
    s->squares += taken * rows->y[k];
  }
  return shares_of(sums, rows->classes);
}

// Replicates scatter about the share between classes that the rows have, chance included: that is the truth of who
// draws from them. How far they are off is taken off the estimate.
static ts_estimate estimate(const classified *rows, const ts_bootstrap *bootstrap, ts_arena *arena)
{
  class_sums *sums = ts_arena_bytes(arena, (size_t)rows->classes, sizeof *sums);
  const shares found = find_shares(rows, NULL, sums);
  double *replicates = ts_arena_doubles(arena, (size_t)bootstrap->replicates);
  ts_random random;
  ts_random_init(&random, bootstrap->seed);
  for (int r = 0; r < bootstrap->replicates; ++r) replicates[r] = find_shares(rows, &random, sums).corrected;
  const ts_confidence_interval off = ts_percentile_interval(bootstrap, replicates);
  return (ts_estimate){found.corrected,
                       {found.corrected - (off.high - found.plain), found.corrected - (off.low - found.plain)}};
}

// (mean of y_j y_N(j) - mean^2)/variance, N(j) being next to j in the order of x, and the first to the last; y has the
// mean 0.
static double index_by_ranks(size_t count, const double *y)
{
  double products = 0.0, squares = 0.0;
  for (size_t k = 0; k < count; ++k) {
    products += y[k] * y[k + 1 < count ? k + 1 : 0];
    squares += y[k] * y[k];
  }
  return squares > 0.0 ? products / squares : NAN;
}

static void find_index(ts_pairs *pairs, const ts_bootstrap *bootstrap, ts_arena *arena, ts_given_data_index *index)
{
  ts_pairs_sort(pairs);
  classified rows = {
      .count = pairs->count, .y = ts_arena_doubles(arena, pairs->count), .class = ts_arena_ints(arena, pairs->count)};
  center(pairs, rows.y);
  index->by_value = (double)count_distinct(pairs) * class_size(pairs->count) <= (double)pairs->count;
  classify(pairs, index->by_value, rows.class, &rows.classes);
  index->classes = rows.classes;
  index->first = estimate(&rows, bootstrap, arena);
  index->by_ranks = index_by_ranks(rows.count, rows.y);
}

ts_status ts_given_data_sensitivity(size_t count, const double *x, const double *y, const ts_bootstrap *bootstrap,
                                    ts_arena *arena, ts_given_data_index *index, ts_error *error)
{
  *index = (ts_given_data_index){.first = {NAN, {NAN, NAN}}, .by_ranks = NAN};
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_pairs pairs;
  const ts_status status = ts_pairs_gather(count, x, y, arena, &pairs, error);
  index->count = pairs.count;
  index->missing = pairs.missing;
  if (status == TS_OK && pairs.count >= LEAST_ROWS) find_index(&pairs, bootstrap, arena, index);
  ts_arena_restore(arena, mark);
  return status;
}
