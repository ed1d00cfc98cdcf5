#include "statistics/pairs.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

ts_status ts_check_columns(size_t count, const double *x, const double *y, ts_error *error)
{
  for (size_t k = 0; k < count; ++k)
    if (isinf(x[k]) || isinf(y[k])) return ts_fail(error, TS_INVALID, "row %zu has an infinite value", k + 1);
  return TS_OK;
}

ts_status ts_pairs_gather(size_t count, const double *x, const double *y, ts_arena *arena, ts_pairs *pairs,
                          ts_error *error)
{
  *pairs = (ts_pairs){0};
  TS_TRY(ts_check_columns(count, x, y, error));
  pairs->list = ts_arena_bytes(arena, count, sizeof *pairs->list);
  for (size_t k = 0; k < count; ++k) {
    if (isnan(x[k]) || isnan(y[k]))
      ++pairs->missing;
    else
      pairs->list[pairs->count++] = (ts_pair){x[k], y[k], k};
  }
  return TS_OK;
}

static int by_x(const void *first, const void *second)
{
  const ts_pair *a = first, *b = second;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

void ts_pairs_sort(ts_pairs *pairs)
{
  if (pairs->count > 0) qsort(pairs->list, pairs->count, sizeof *pairs->list, by_x);
}
