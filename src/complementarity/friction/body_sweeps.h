// Friction problems swept in the space of bodies (body_batches.h), colour by colour: eight contacts at a time in single
// precision, four in double.
#ifndef TS_COMPLEMENTARITY_FRICTION_BODY_SWEEPS_H
#define TS_COMPLEMENTARITY_FRICTION_BODY_SWEEPS_H

#include "complementarity/solver.h"

// Whether the problem says which rows of its mass matrix are whose, each contact being between two bodies of at most
// six rows.
bool ts_body_sweeps_apply(const ts_friction *problem);

// Sweeps with momentum, and where these do not do, with Anderson's acceleration from the best point.
typedef struct ts_sweep_turn {
  int momentum, accelerated; // sweeps at most
} ts_sweep_turn;

// Improve z by sweeps in turns, from z itself where `warm`, else from no impulses.
// TS_SOLVED or TS_ACCURATE (the options state a velocity error) is the solver's own belief; else the best point is left
// in z. *error is what it believes of the point.
ts_outcome ts_body_sweeps_solve(const ts_friction *problem, ts_run *run, bool warm, const ts_sweep_turn *turns,
                                int count, double *z, double *error);

#endif
