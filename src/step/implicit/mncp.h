// The step by the problem of 003 and thesis 3.5 (mncp_problem.h), from its starting points to a solution that holds.
#ifndef TS_STEP_IMPLICIT_MNCP_H
#define TS_STEP_IMPLICIT_MNCP_H

#include "step/implicit/arrival.h"

typedef struct ts_ecp_solution {
  ts_contact_set contacts; // one a pair of parts that may touch, at its equivalent contact point
  double *r;               // impulses of the contacts, then of limits and motors: as the step's system has them
  ts_twist *velocity;      // of all bodies at the end of the step
  double residual;         // by measures that know nothing of the problem
  int unknowns;            // of all problems of the step
} ts_ecp_solution;

// A solution of another formulation, to start from.
typedef struct ts_ecp_hint {
  const ts_twist *velocity;
  const ts_contact_set *contacts; // at most one a pair counts
  const double *r;                // impulses, `dimension` each
} ts_ecp_hint;

// Solve a step that has joints, free velocities and, in `points`, what may touch at its start; `joint_impulse` is that
// of the rows that hold, without contacts. From the last step, from free flight and with other faces, or from `hint`
// alone where that is given. True where the solution holds: it is as good as the tolerance by patch_residual.c, a plane
// through every equivalent contact point that bears separates its parts, and no parts overlap. Memory from the step's
// arena. The report gets the effort.
bool ts_ecp_step(ts_step *step, ts_arrival *arrival, const ts_contact_set *points, const double *joint_impulse,
                 const ts_ecp_hint *hint, ts_ecp_solution *solution);

#endif
