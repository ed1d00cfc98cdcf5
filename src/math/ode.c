#include "math/ode.h"

#include <math.h>

// The modified midpoint rule: y_1 = y_0 + d f_0, y_{k+1} = y_{k-1} + 2 d f_k with d = h/substeps. Its error is a series
// in d^2 (Gragg, 1965; substeps are even). Changes of y are summed apart from y: less round-off for the table to
// magnify.
static bool midpoint(void *user, double t, const double *y, double h, int substeps, double *end)
{
  ts_ode *ode = user;
  const size_t size = ode->extrapolation.size;
  const double d = h / substeps;
  double *earlier = ode->change[0], *now = ode->change[1];
  for (size_t k = 0; k < size; ++k) {
    earlier[k] = 0.0;
    now[k] = d * ode->start[k];
  }
  for (int i = 1; i < substeps; ++i) {
    for (size_t k = 0; k < size; ++k) ode->point[k] = y[k] + now[k];
    ++ode->evaluations;
    if (!ode->rate(ode->user, t + i * d, ode->point, ode->slope)) return false;
    for (size_t k = 0; k < size; ++k) earlier[k] += 2.0 * d * ode->slope[k];
    double *swapped = earlier;
    earlier = now;
    now = swapped;
  }
  for (size_t k = 0; k < size; ++k) end[k] = y[k] + now[k];
  return true;
}

void ts_ode_init(ts_ode *ode, size_t size, ts_ode_rate *rate, void *user, double tolerance, ts_arena *arena)
{
  *ode = (ts_ode){.rate = rate,
                  .user = user,
                  .start = ts_arena_doubles(arena, size),
                  .change = {ts_arena_doubles(arena, size), ts_arena_doubles(arena, size)},
                  .point = ts_arena_doubles(arena, size),
                  .slope = ts_arena_doubles(arena, size)};
  ts_extrapolation_init(&ode->extrapolation, size, size, 2, midpoint, ode, tolerance, arena);
}

// Weighted as errors are, without the tolerance.
static double norm(const ts_ode *ode, const double *x, const double *y)
{
  const size_t size = ode->extrapolation.controlled;
  double sum = 0.0;
  for (size_t k = 0; k < size; ++k) {
    const double weighted = x[k] / (1.0 + fabs(y[k]));
    sum += weighted * weighted;
  }
  return size > 0 ? sqrt(sum / (double)size) : 0.0;
}

// A first step that changes y by little, and in which f, as it begins to change, changes by no more than itself (after
// Hairer, Norsett and Wanner, I, II.4). Where f is about 0 that says little, and the step is very short.
static double first_step(ts_ode *ode, double t, const double *y, double span)
{
  static const double SHORT = 1e-6, LITTLE = 1e-2, LARGEST = 100.0;
  const size_t size = ode->extrapolation.size;
  const double speed = norm(ode, ode->start, y);
  double probe = speed > 1e-5 ? LITTLE * fmax(norm(ode, y, y), 1e-3) / speed : SHORT;
  probe = fmin(probe, 0.1 * span);
  for (size_t k = 0; k < size; ++k) ode->point[k] = y[k] + probe * ode->start[k];
  ++ode->evaluations;
  if (!ode->rate(ode->user, t + probe, ode->point, ode->slope)) return fmin(probe, span);
  for (size_t k = 0; k < size; ++k) ode->slope[k] -= ode->start[k];
  const double change = norm(ode, ode->slope, y) / probe;
  double h = fmin(span, LARGEST * probe);
  if (change > 0.0) h = fmin(h, fmax(probe, speed / change));
  return h;
}

double ts_ode_step(ts_ode *ode, double t, const double *y, double end)
{
  ts_extrapolation *x = &ode->extrapolation;
  ++ode->evaluations;
  if (!ode->rate(ode->user, t, y, ode->start)) return 0.0;
  if (!(x->step > 0.0)) x->step = first_step(ode, t, y, end - t);
  return ts_extrapolation_step(x, t, y, end);
}

bool ts_ode_attempt(ts_ode *ode, double t, const double *y, double h)
{
  return isfinite(ts_extrapolation_attempt(&ode->extrapolation, t, y, h, ode->extrapolation.taken));
}
