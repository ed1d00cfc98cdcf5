#include "statistics/local_regression.h"

#include "base/assert.h"
#include "base/status.h"
#include "statistics/pairs.h"
#include "statistics/quantile.h"

#include <math.h>

enum { MOST_NODES = 200 };

// A line through fewer is their noise.
static const double LEAST_NEIGHBORS = 3.0;

// Of the weighted variance of x over the square of the reach: points of nearly one x would make any slope of their
// noise.
static const double SMALLEST_SPREAD = 1e-6;

typedef struct scatter {
  ts_pairs points;  // sorted by x
  size_t neighbors; // that a line goes by
  double *weight;   // count: robustness weights
} scatter;

static double cube(double x)
{
  return x * x * x;
}

// The first of the `neighbors` points in a row that are nearest to x. Windows of so many points begin ever further left
// as long as the point on the left is nearer than the last one.
static size_t first_neighbor(const scatter *s, double x)
{
  const ts_pair *p = s->points.list;
  size_t low = 0, high = s->points.count - s->neighbors;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (x - p[middle].x > p[middle + s->neighbors].x - x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The weighted line through points first ... last - 1 at x: tricube weights of the distance over h, times those of
// robustness where they count. NaN where no point has weight. Sums are updated as moments are, so that they do not
// cancel.
static double local_line(const scatter *s, double x, size_t first, size_t last, double h, bool robust)
{
  const ts_pair *p = s->points.list;
  double sum = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
  for (size_t k = first; k < last; ++k) {
    const double near = h > 0.0 ? cube(1.0 - cube(fabs(p[k].x - x) / h)) : 1.0;
    const double w = robust ? near * s->weight[k] : near;
    if (w <= 0.0) continue;
    sum += w;
    const double dx = p[k].x - mean_x, dy = p[k].y - mean_y;
    mean_x += w / sum * dx;
    mean_y += w / sum * dy;
    xx += w * dx * (p[k].x - mean_x);
    xy += w * dx * (p[k].y - mean_y);
  }
  if (sum == 0.0) return NAN;
  const bool is_spread = xx > SMALLEST_SPREAD * h * h * sum;
  return is_spread ? mean_y + xy / xx * (x - mean_x) : mean_y;
}

// The farthest neighbour would have no weight; h reaches beyond it by as much as makes a line of the last two. Points
// with the x of the outermost neighbours take part, too: the order of rows is no matter.
static double trend_at(const scatter *s, double x, bool robust)
{
  const ts_pair *p = s->points.list;
  const size_t count = s->points.count;
  if (count < 2 || !(x >= p[0].x && x <= p[count - 1].x)) return NAN;
  size_t first = first_neighbor(s, x), last = first + s->neighbors;
  const double h = fmax(x - p[first].x, p[last - 1].x - x) * (1.0 + 1.0 / (double)s->neighbors);
  while (first > 0 && p[first - 1].x == p[first].x) --first;
  while (last < count && p[last].x == p[last - 1].x) ++last;
  const double value = local_line(s, x, first, last, h, robust);
  return isnan(value) && robust ? local_line(s, x, first, last, h, false) : value;
}

// |y - trend| of all points. The trend is known at nodes, which are as dense as the points are, and a line in between.
static void find_residuals(const scatter *s, bool robust, double *residual)
{
  const ts_pair *p = s->points.list;
  const size_t count = s->points.count, nodes = count < MOST_NODES ? count : MOST_NODES;
  double from = p[0].x, trend_from = trend_at(s, from, robust);
  size_t k = 0;
  for (size_t node = 0; node < nodes; ++node) {
    const double until = p[node * (count - 1) / (nodes - 1)].x;
    const double trend_until = until > from ? trend_at(s, until, robust) : trend_from;
    for (; k < count && p[k].x <= until; ++k) {
      const double part = until > from ? (p[k].x - from) / (until - from) : 0.0;
      residual[k] = fabs(p[k].y - (1.0 - part) * trend_from - part * trend_until);
    }
    from = until;
    trend_from = trend_until;
  }
}

// Cleveland's weights (bisquare, 0 beyond six times the median of residuals). False: all but a few points are on the
// trend already, and those few may not be all that is left.
static bool find_weights(const scatter *s, bool robust, double *residual, double *copy)
{
  const size_t count = s->points.count;
  find_residuals(s, robust, residual);
  double mean = 0.0;
  for (size_t k = 0; k < count; ++k) mean += residual[k] / (double)count;
  memcpy(copy, residual, count * sizeof *copy);
  const double reach = 6.0 * ts_quantile(count, copy, 0.5);
  if (reach <= 1e-7 * mean) return false;
  for (size_t k = 0; k < count; ++k) {
    const double r = fmin(1.0, residual[k] / reach);
    s->weight[k] = (1.0 - r * r) * (1.0 - r * r);
  }
  return true;
}

ts_status ts_local_regression_fit(ts_local_regression *fit, size_t count, const double *x, const double *y,
                                  size_t places, const double *at, ts_arena *arena, double *trend, ts_error *error)
{
  TS_ASSERT(fit->span > 0.0 && fit->span <= 1.0 && fit->passes >= 0);
  const ts_arena_mark mark = ts_arena_save(arena);
  scatter s;
  const ts_status status = ts_pairs_gather(count, x, y, arena, &s.points, error);
  fit->count = s.points.count;
  fit->missing = s.points.missing;
  if (status == TS_OK) {
    const size_t n = s.points.count;
    ts_pairs_sort(&s.points);
    s.neighbors = (size_t)fmin((double)n, fmax(LEAST_NEIGHBORS, ceil(fit->span * (double)n)));
    s.weight = ts_arena_doubles(arena, n);
    double *residual = ts_arena_doubles(arena, n), *copy = ts_arena_doubles(arena, n);
    bool robust = false;
    for (int pass = 0; n > 1 && pass < fit->passes && find_weights(&s, robust, residual, copy); ++pass) robust = true;
    for (size_t k = 0; k < places; ++k) trend[k] = trend_at(&s, at[k], robust);
  }
  ts_arena_restore(arena, mark);
  return status;
}
