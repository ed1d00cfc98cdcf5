#include "math/difference.h"

#include <math.h>
#include <string.h>

static const double FARTHEST = 1.0 / 256.0; // [s]
static const double AGREED = 1e-11;         // of value and derivative: nearer would not be better
enum { DISTANCES = 9 };

// (8 (f(d) - f(-d)) - (f(2 d) - f(-2 d))) / (12 d). Returns how large function and derivative are.
static double difference_over(double d, ts_function_of_time *function, void *user, double t, int count,
                              double *derivative)
{
  static const struct {
    double offset, weight;
  } POINTS[] = {{-2.0, 1.0 / 12.0}, {-1.0, -8.0 / 12.0}, {1.0, 8.0 / 12.0}, {2.0, -1.0 / 12.0}};
  double size = 0.0;
  memset(derivative, 0, (size_t)count * sizeof *derivative);
  for (int i = 0; i < 4; ++i) {
    double values[TS_DIFFERENCE_LIMIT];
    function(user, t + POINTS[i].offset * d, values);
    for (int k = 0; k < count; ++k) {
      derivative[k] += POINTS[i].weight / d * values[k];
      size = fmax(size, fabs(values[k]));
    }
  }
  for (int k = 0; k < count; ++k) size = fmax(size, fabs(derivative[k]));
  return size;
}

void ts_difference(ts_function_of_time *function, void *user, double t, int count, double *derivative)
{
  double earlier[TS_DIFFERENCE_LIMIT], now[TS_DIFFERENCE_LIMIT], best = INFINITY, d = FARTHEST;
  difference_over(d, function, user, t, count, earlier);
  memcpy(derivative, earlier, (size_t)count * sizeof *derivative);
  for (int i = 1; i < DISTANCES && best > 0.0; ++i) {
    d *= 0.25;
    const double size = difference_over(d, function, user, t, count, now);
    double apart = 0.0;
    for (int k = 0; k < count; ++k) apart = fmax(apart, fabs(now[k] - earlier[k]));
    if (apart < best) {
      best = apart;
      memcpy(derivative, now, (size_t)count * sizeof *derivative);
    }
    if (apart <= AGREED * size) return;
    memcpy(earlier, now, (size_t)count * sizeof *earlier);
  }
}
