// A friction problem of either form made ready for the cone solvers: bodies condensed, bilateral rows eliminated,
// scaled. And the way back: from the scaled impulses to the full solution vector.
#ifndef TS_COMPLEMENTARITY_FRICTION_FRICTION_VIEW_H
#define TS_COMPLEMENTARITY_FRICTION_FRICTION_VIEW_H

#include "complementarity/problem/condense.h"
#include "complementarity/friction/cone_problem.h"
#include "complementarity/problem/eliminate.h"

typedef struct ts_friction_view {
  const ts_problem *problem;
  ts_condensation condensation; // of a global problem
  ts_elimination elimination;   // of a problem with bilateral rows
  const ts_friction *local;     // what the cone problem was made from
  ts_cone_problem cone;
  ts_compliance compliance; // of a global problem that was not condensed
} ts_friction_view;

// The view points into itself: leave it where it is. With `sparing` a global problem whose W would be too large is left
// uncondensed: the cone problem then has a compliance, and no sweeps are possible. False when a mass matrix is not
// positive definite.
bool ts_friction_view_init(ts_friction_view *view, const ts_problem *problem, bool sparing, ts_arena *arena);

// Scaled impulses of a starting point.
void ts_friction_view_import(const ts_friction_view *view, const double *z, double *scaled);

// Impulses, bilateral impulses and velocities from scaled impulses.
void ts_friction_view_export(const ts_friction_view *view, const double *scaled, double *z);

#endif
