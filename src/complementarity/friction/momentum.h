// Gauss-Seidel sweeps with Nesterov's momentum: sweeps start from y = x + b (x - x_before) instead of x, with a weight
// b that grows towards 1 and begins anew where the residual rises or the last move points uphill. A pass costs little
// more than a plain sweep, and three to five times fewer are needed where impulses creep through a pile.
//
// The loop knows no problem: it drives what can sweep and measure, in the space of bodies (body_sweeps.h) or with W
// (ts_cone_momentum_sweeps()).
#ifndef TS_COMPLEMENTARITY_FRICTION_MOMENTUM_H
#define TS_COMPLEMENTARITY_FRICTION_MOMENTUM_H

#include "complementarity/solver.h"

// How good the present point is.
typedef struct ts_momentum_figures {
  double error; // what has to come under the tolerance, as ts_cone_error() has it
  double worst; // velocity error of the worst contact [m/s]
} ts_momentum_figures;

// What is swept. x is its present point.
typedef struct ts_momentum_ops {
  // One sweep from y = x + weight (x - x_before). Returns (y - x').(x' - x) for the new x': above 0 the move went
  // uphill.
  double (*sweep)(void *self, double weight);
  ts_momentum_figures (*measure)(void *self);
  void (*keep)(void *self); // the present point as the best one
} ts_momentum_ops;

typedef struct ts_momentum_goal {
  double target;         // error that solves the problem
  double will_do;        // the same after many sweeps: just inside the tolerance
  double velocity_error; // of the worst contact that is good enough after TS_MOMENTUM_EFFORT sweeps; 0: never
  int most;              // sweeps
  int spent;             // sweeps that were made before, which count
  int stall;             // accelerated sweeps in which the error has to halve; 0: hundreds
} ts_momentum_goal;

// Sweeps that have to be spent before a point that is not solved is good enough: what is at rest would otherwise creep
// for ever at the error that is just allowed, instead of being solved in a few more steps. Fewer where the start is far
// inside.
enum { TS_MOMENTUM_EFFORT = 40 };

// Sweep until the goal is reached: TS_SOLVED, TS_ACCURATE, or why not. The best point is what was kept last.
ts_outcome ts_momentum_run(const ts_momentum_ops *ops, void *self, const ts_momentum_goal *goal, ts_run *run);

#endif
