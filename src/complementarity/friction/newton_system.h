// The linear systems of Newton methods on a cone problem: (A + B (W + shift I)) x = b with a d x d block of A and B for
// each contact. Solved in the space of contacts, or, when the bodies behind W are known and that is cheaper, in the
// space of bodies: with A' = A + shift B, K = A'^-1 B and W = H^T M^-1 H,
//   (M + H K H^T) y = H A'^-1 b,   x = A'^-1 b - K H^T y.
// Contacts with B = 0 (open ones) cost nothing there. One step of iterative refinement follows every solve.
#ifndef TS_COMPLEMENTARITY_FRICTION_NEWTON_SYSTEM_H
#define TS_COMPLEMENTARITY_FRICTION_NEWTON_SYSTEM_H

#include "complementarity/friction/cone_problem.h"

typedef struct ts_newton_system ts_newton_system;

// Analyze the patterns and choose the space. Lives in the arena. No factorization goes on after `deadline`
// (ts_clock_seconds(); INFINITY: none).
ts_newton_system *ts_newton_system_create(const ts_cone_problem *p, double deadline, ts_arena *arena);

// Blocks of A and B for contact i to be filled in before factoring: column-major, d x d each.
double *ts_newton_system_A(ts_newton_system *system, int i);
double *ts_newton_system_B(ts_newton_system *system, int i);

// Factor; `shift` > 0 regularizes a rank-deficient W. False when the factor is useless (not finite, or
// not finished in time).
bool ts_newton_system_factor(ts_newton_system *system, double shift);

// x: right-hand side in (padded vector), solution out.
void ts_newton_system_solve(ts_newton_system *system, double *x);

#endif
