// Ordinary differential equations y' = f(t, y) by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer),
// with control of order and step: math/extrapolation.h. For smooth motion between events to nearly full precision. The
// rule sees f at the start of a step and inside of it, not at its end, where f may jump.
#ifndef TS_MATH_ODE_H
#define TS_MATH_ODE_H

#include "math/extrapolation.h"

// Writes f(t, y) to `rate`. False: y is not a state that the equation is defined for; the step is then made shorter.
typedef bool ts_ode_rate(void *user, double t, const double *y, double *rate);

typedef struct ts_ode {
  ts_ode_rate *rate;
  void *user;
  ts_extrapolation extrapolation; // its `step` is that of the equation, `trial` the end of a step
  double *start;                  // f where the step starts
  double *change[2];              // y minus that at the start, of the last two points
  double *point, *slope;          // where f is evaluated, and f there
  long evaluations;
} ts_ode;

// Memory from the arena. The tolerance is that of the local error of a component, over 1 + |y|. The last components may
// be carried along without a say in the length of steps: extrapolation.controlled is how many have one, at first all.
void ts_ode_init(ts_ode *ode, size_t size, ts_ode_rate *rate, void *user, double tolerance, ts_arena *arena);

// One step from (t, y) toward `end` > t, as long as the tolerance allows. On return `y` is unchanged, the trial is the
// new state and the length of the step is returned; 0 when no step is short enough, or f is not defined at (t, y).
double ts_ode_step(ts_ode *ode, double t, const double *y, double end);

// The trial at exactly h after the start of the last step instead, by as many rows. False where f is not defined on the
// way.
bool ts_ode_attempt(ts_ode *ode, double t, const double *y, double h);

#endif
