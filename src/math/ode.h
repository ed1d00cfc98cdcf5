// Ordinary differential equations y' = f(t, y) by an explicit Runge-Kutta pair of orders 7 and 8 with step control
// (Fehlberg, NASA TR R-287, 1968). For smooth motion between events to nearly full precision.
#ifndef TS_MATH_ODE_H
#define TS_MATH_ODE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// Writes f(t, y) to `rate`. False: y is not a state that the equation is defined for; the step is then made shorter.
typedef bool ts_ode_rate(void *user, double t, const double *y, double *rate);

enum { TS_ODE_STAGES = 13 };

typedef struct ts_ode {
  size_t size;
  ts_ode_rate *rate;
  void *user;
  double relative, absolute;    // tolerance of a component: relative |y| + absolute
  double step;                  // proposed for the next step; 0: to be found
  double largest;               // step that is never exceeded; INFINITY: none
  double *stage[TS_ODE_STAGES]; // f at the stages
  double *trial, *point;        // end of the step, and where a stage is evaluated
  long evaluations, steps, rejected;
} ts_ode;

// Memory from the arena.
void ts_ode_init(ts_ode *ode, size_t size, ts_ode_rate *rate, void *user, double relative, double absolute,
                 ts_arena *arena);

// The state after exactly h from (t, y), whatever its error, in ode->trial; stage[0] must hold f(t, y). Returns the
// estimated error over the tolerance (weighted root mean square), INFINITY where f is not defined on the way.
double ts_ode_attempt(ts_ode *ode, double t, const double *y, double h);

// One step from (t, y) toward `end`, as long as the tolerance allows. On return `y` is unchanged, ode->trial holds the
// new state and the length of the step is returned; 0 when no step is short enough. stage[0] must hold f(t, y).
double ts_ode_step(ts_ode *ode, double t, const double *y, double end);

#endif
