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

// How much of the variance lies between classes.
typedef struct shares {
  double plain;     // of the sum of squares
  double corrected; // less what chance makes of it
} shares;

// Rows in the order of x: y less its mean, and the class of x.
typedef struct classified {
  size_t count;
  double *y;
  int *class;
  int classes;
  shares found;
} classified;

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

// Classes of at least `size` rows, equal x together; of size 0 each value is a class.
static void classify(const ts_pairs *pairs, double size, int *class, int *classes)
{
  size_t first = 0;
  *classes = 0;
  for (size_t k = 0; k < pairs->count; ++k) {
    const bool differs = k > 0 && pairs->list[k].x != pairs->list[k - 1].x;
    if (differs && (double)(k - first) >= size) {
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
  if (!(all > 1e-12 * squares)) return (shares){NAN, NAN}; // of round-off nothing can be said
  return (shares){1.0 - within / all, n > filled ? 1.0 - within / (n - filled) / (all / (n - 1.0)) : NAN};
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

// Sorts them by x. Classes are of values where there are few, or everywhere.
static classified put_in_classes(ts_pairs *pairs, bool by_value, ts_arena *arena)
{
  ts_pairs_sort(pairs);
  classified rows = {
      .count = pairs->count, .y = ts_arena_doubles(arena, pairs->count), .class = ts_arena_ints(arena, pairs->count)};
  const double size = class_size(pairs->count);
  const bool few = (double)count_distinct(pairs) * size <= (double)pairs->count;
  center(pairs, rows.y);
  classify(pairs, by_value || few ? 0.0 : size, rows.class, &rows.classes);
  rows.found = find_shares(&rows, NULL, ts_arena_bytes(arena, (size_t)rows.classes, sizeof(class_sums)));
  return rows;
}

// Replicates scatter about the share between classes that the rows have, chance included: that is the truth of who
// draws from them. This is how far they are off.
static ts_confidence_interval scatter_of(const classified *rows, const ts_bootstrap *bootstrap, ts_arena *arena)
{
  class_sums *sums = ts_arena_bytes(arena, (size_t)rows->classes, sizeof *sums);
  double *replicates = ts_arena_doubles(arena, (size_t)bootstrap->replicates);
  ts_random random;
  ts_random_init(&random, bootstrap->seed);
  for (int r = 0; r < bootstrap->replicates; ++r) replicates[r] = find_shares(rows, &random, sums).corrected;
  const ts_confidence_interval found = ts_percentile_interval(bootstrap, replicates);
  return (ts_confidence_interval){found.low - rows->found.plain, found.high - rows->found.plain};
}

// What replicates are off is taken off the estimate. Of too many rows some scatter instead of all, with classes of
// their own.
static ts_estimate estimate(const classified *rows, ts_pairs *pairs, const ts_bootstrap *bootstrap, ts_arena *arena)
{
  classified drawn = *rows;
  if (ts_bootstrap_row_count(bootstrap, pairs->count) < pairs->count) {
    ts_random random;
    ts_random_init(&random, bootstrap->seed);
    pairs->count = ts_bootstrap_pick(bootstrap, pairs->count, pairs->list, sizeof *pairs->list, &random);
    drawn = put_in_classes(pairs, false, arena);
  }
  const ts_confidence_interval off = scatter_of(&drawn, bootstrap, arena);
  const double scale = sqrt((double)drawn.count / (double)rows->count), value = rows->found.corrected;
  return (ts_estimate){value, {value - scale * off.high, value - scale * off.low}};
}

// The share of the rows themselves: none of it is chance where they are all that there can be.
ts_status ts_grid_sensitivity(size_t count, const double *x, const double *y, ts_arena *arena, double *first,
                              ts_error *error)
{
  *first = NAN;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_pairs pairs;
  const ts_status status = ts_pairs_gather(count, x, y, arena, &pairs, error);
  if (status == TS_OK) *first = put_in_classes(&pairs, true, arena).found.plain;
  ts_arena_restore(arena, mark);
  return status;
}

ts_status ts_given_data_sensitivity(size_t count, const double *x, const double *y, const ts_bootstrap *bootstrap,
                                    ts_arena *arena, ts_given_data_index *index, ts_error *error)
{
  *index = (ts_given_data_index){.first = {NAN, {NAN, NAN}}};
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_pairs pairs;
  const ts_status status = ts_pairs_gather(count, x, y, arena, &pairs, error);
  index->count = pairs.count;
  index->missing = pairs.missing;
  if (status == TS_OK && pairs.count >= LEAST_ROWS) {
    const classified rows = put_in_classes(&pairs, false, arena);
    index->classes = rows.classes;
    index->first = estimate(&rows, &pairs, bootstrap, arena);
  }
  ts_arena_restore(arena, mark);
  return status;
}
