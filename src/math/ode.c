#include "math/ode.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Fehlberg's coefficients: nodes, the lower triangle of A by rows, and the weights of order 8. The solution of order 7
// differs from that of order 8 by ERROR_WEIGHT h (f_0 + f_10 - f_11 - f_12).
static const double NODES[TS_ODE_STAGES] = {0.0,     2.0 / 27, 1.0 / 9, 1.0 / 6, 5.0 / 12, 1.0 / 2, 5.0 / 6,
                                            1.0 / 6, 2.0 / 3,  1.0 / 3, 1.0,     0.0,      1.0};
static const double A[TS_ODE_STAGES][TS_ODE_STAGES - 1] = {
    {0.0},
    {2.0 / 27},
    {1.0 / 36, 1.0 / 12},
    {1.0 / 24, 0.0, 1.0 / 8},
    {5.0 / 12, 0.0, -25.0 / 16, 25.0 / 16},
    {1.0 / 20, 0.0, 0.0, 1.0 / 4, 1.0 / 5},
    {-25.0 / 108, 0.0, 0.0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
    {31.0 / 300, 0.0, 0.0, 0.0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
    {2.0, 0.0, 0.0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3.0},
    {-91.0 / 108, 0.0, 0.0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
    {2383.0 / 4100, 0.0, 0.0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164,
     18.0 / 41},
    {3.0 / 205, 0.0, 0.0, 0.0, 0.0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41, 0.0},
    {-1777.0 / 4100, 0.0, 0.0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164,
     12.0 / 41, 0.0, 1.0},
};
static const double WEIGHTS[TS_ODE_STAGES] = {0.0,      0.0,       0.0,       0.0, 0.0,        34.0 / 105, 9.0 / 35,
                                              9.0 / 35, 9.0 / 280, 9.0 / 280, 0.0, 41.0 / 840, 41.0 / 840};
static const double ERROR_WEIGHT = 41.0 / 840;

// Step control: the next step aims at SAFETY of the error that is allowed.
static const double SAFETY = 0.9, LARGEST_GROWTH = 4.0, SMALLEST_GROWTH = 0.1;

void ts_ode_init(ts_ode *ode, size_t size, ts_ode_rate *rate, void *user, double relative, double absolute,
                 ts_arena *arena)
{
  *ode = (ts_ode){.size = size,
                  .rate = rate,
                  .user = user,
                  .relative = relative,
                  .absolute = absolute,
                  .largest = INFINITY,
                  .trial = ts_arena_doubles(arena, size),
                  .point = ts_arena_doubles(arena, size)};
  for (int s = 0; s < TS_ODE_STAGES; ++s) ode->stage[s] = ts_arena_doubles(arena, size);
}

// y + h sum of weights times stages, into `out`.
static void combine(const ts_ode *ode, const double *y, double h, const double *weights, int stages, double *out)
{
  memcpy(out, y, ode->size * sizeof *out);
  for (int s = 0; s < stages; ++s) {
    const double weight = h * weights[s];
    const double *stage = ode->stage[s];
    if (weight != 0.0)
      for (size_t k = 0; k < ode->size; ++k) out[k] += weight * stage[k];
  }
}

// The difference of the two orders, over the tolerance.
static double error_ratio(const ts_ode *ode, const double *y, double h)
{
  double *const *f = ode->stage;
  double sum = 0.0;
  for (size_t k = 0; k < ode->size; ++k) {
    const double error = ERROR_WEIGHT * h * (f[0][k] + f[10][k] - f[11][k] - f[12][k]);
    const double allowed = ode->absolute + ode->relative * fmax(fabs(y[k]), fabs(ode->trial[k]));
    sum += (error / allowed) * (error / allowed);
  }
  const double ratio = ode->size > 0 ? sqrt(sum / (double)ode->size) : 0.0;
  return isnan(ratio) ? INFINITY : ratio;
}

double ts_ode_attempt(ts_ode *ode, double t, const double *y, double h)
{
  for (int s = 1; s < TS_ODE_STAGES; ++s) {
    combine(ode, y, h, A[s], s, ode->point);
    ++ode->evaluations;
    if (!ode->rate(ode->user, t + NODES[s] * h, ode->point, ode->stage[s])) return INFINITY;
  }
  combine(ode, y, h, WEIGHTS, TS_ODE_STAGES, ode->trial);
  return error_ratio(ode, y, h);
}

// A first step that changes y by about a thousandth of itself.
static double first_step(const ts_ode *ode, const double *y, double span)
{
  double size = 0.0, speed = 0.0;
  for (size_t k = 0; k < ode->size; ++k) {
    size = fmax(size, fabs(y[k]));
    speed = fmax(speed, fabs(ode->stage[0][k]));
  }
  const double guess = speed > 0.0 ? 1e-2 * fmax(size, 1e-3) / speed : fabs(span);
  return fmin(fabs(span), guess);
}

double ts_ode_step(ts_ode *ode, double t, const double *y, double end)
{
  const double span = end - t, smallest = 4.0 * DBL_EPSILON * fmax(fabs(t), fabs(end));
  if (!(ode->step > 0.0)) ode->step = first_step(ode, y, span);
  double h = fmin(fmin(ode->step, ode->largest), fabs(span));
  while (h > smallest || h == fabs(span)) {
    // Not a sliver at the end: rather two equal steps.
    const bool last = h >= fabs(span) * (1.0 - 1e-12);
    if (!last && 2.0 * h > fabs(span)) h = 0.5 * fabs(span);
    const double signed_step = last ? span : copysign(h, span);
    const double ratio = ts_ode_attempt(ode, t, y, signed_step);
    const double growth = ratio > 0.0 ? SAFETY * pow(ratio, -1.0 / 8.0) : LARGEST_GROWTH;
    const double bounded = fmax(SMALLEST_GROWTH, fmin(LARGEST_GROWTH, growth));
    if (ratio <= 1.0) {
      ++ode->steps;
      // A step cut short by the end says little about the next one.
      ode->step = last && h < ode->step ? fmax(ode->step, h * bounded) : h * bounded;
      return signed_step;
    }
    ++ode->rejected;
    h = ode->step = h * fmin(bounded, 0.9);
  }
  return 0.0;
}
