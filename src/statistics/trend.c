#include "statistics/trend.h"

#include "base/assert.h"
#include "base/status.h"
#include "statistics/moments.h"
#include "statistics/pairs.h"
#include "statistics/student.h"

#include <math.h>

static bool has_both(double x, double y)
{
  return !isnan(x) && !isnan(y);
}

static void find_means(size_t count, const double *x, const double *y, ts_trend_line *line)
{
  ts_moments of_x = ts_moments_of_none(), of_y = ts_moments_of_none();
  for (size_t k = 0; k < count; ++k) {
    if (!has_both(x[k], y[k])) continue;
    ts_moments_add(&of_x, x[k]);
    ts_moments_add(&of_y, y[k]);
  }
  line->count = of_x.count;
  line->missing = count - of_x.count;
  line->mean_x = of_x.count > 0 ? of_x.mean : NAN;
  line->mean_y = of_y.count > 0 ? of_y.mean : NAN;
}

// Sum of squared deviations of y from the line. Not S_yy - S_xy^2/S_xx, which cancels where the points are on it.
static double residual_squares(size_t count, const double *x, const double *y, const ts_trend_line *line)
{
  double sum = 0.0;
  for (size_t k = 0; k < count; ++k) {
    if (!has_both(x[k], y[k])) continue;
    const double off = (y[k] - line->mean_y) - line->slope * (x[k] - line->mean_x);
    sum += off * off;
  }
  return sum;
}

// Means first, then deviations from them: sums of squares themselves would cancel.
ts_status ts_trend_line_fit(size_t count, const double *x, const double *y, ts_trend_line *line, ts_error *error)
{
  *line = (ts_trend_line){.slope = NAN, .intercept = NAN, .correlation = NAN, .deviation = NAN};
  TS_TRY(ts_check_columns(count, x, y, error));
  find_means(count, x, y, line);
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (size_t k = 0; k < count; ++k) {
    if (!has_both(x[k], y[k])) continue;
    const double dx = x[k] - line->mean_x, dy = y[k] - line->mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  line->spread = xx;
  if (xx == 0.0) return TS_OK;
  line->slope = xy / xx;
  line->intercept = line->mean_y - line->slope * line->mean_x;
  if (yy > 0.0) line->correlation = fmax(-1.0, fmin(1.0, xy / (sqrt(xx) * sqrt(yy))));
  if (line->count > 2) line->deviation = sqrt(residual_squares(count, x, y, line) / (double)(line->count - 2));
  return TS_OK;
}

double ts_trend_line_at(const ts_trend_line *line, double x)
{
  return line->mean_y + line->slope * (x - line->mean_x);
}

// Student's interval.
ts_confidence_interval ts_trend_line_band(const ts_trend_line *line, double x, double level)
{
  TS_ASSERT(level > 0.0 && level < 1.0);
  if (line->count < 3 || isnan(line->slope)) return (ts_confidence_interval){NAN, NAN};
  const double off = x - line->mean_x, value = ts_trend_line_at(line, x),
               error = line->deviation * sqrt(1.0 / (double)line->count + off * off / line->spread),
               half = ts_student_quantile(0.5 + 0.5 * level, (double)(line->count - 2)) * error;
  return (ts_confidence_interval){value - half, value + half};
}

// Pairs sorted by x: places in that order instead, from 1, equal x sharing the mean of theirs. Then x and y change
// places, so that the same works on the other.
static void rank_and_turn(ts_pairs *pairs)
{
  ts_pair *list = pairs->list;
  for (size_t first = 0, next; first < pairs->count; first = next) {
    for (next = first + 1; next < pairs->count && list[next].x == list[first].x;) ++next;
    const double rank = 0.5 * (double)(first + next + 1);
    for (size_t k = first; k < next; ++k) list[k] = (ts_pair){list[k].y, rank, list[k].row};
  }
}

ts_status ts_rank_correlation(size_t count, const double *x, const double *y, ts_arena *arena, double *correlation,
                              ts_error *error)
{
  *correlation = NAN;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_pairs pairs;
  const ts_status status = ts_pairs_gather(count, x, y, arena, &pairs, error);
  if (status == TS_OK) {
    double *rank_x = ts_arena_doubles(arena, pairs.count), *rank_y = ts_arena_doubles(arena, pairs.count);
    for (int turn = 0; turn < 2; ++turn) {
      ts_pairs_sort(&pairs);
      rank_and_turn(&pairs);
    }
    for (size_t k = 0; k < pairs.count; ++k) {
      rank_x[k] = pairs.list[k].x;
      rank_y[k] = pairs.list[k].y;
    }
    ts_trend_line line;
    ts_trend_line_fit(pairs.count, rank_x, rank_y, &line, NULL);
    *correlation = line.correlation;
  }
  ts_arena_restore(arena, mark);
  return status;
}
