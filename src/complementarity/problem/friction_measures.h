// What a point of a friction problem is like, for the certificate alone: no solver may use it.
#ifndef TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H
#define TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H

#include "touchstone/certificate.h"

#include "base/team.h"

// `m` is zero before. Memory from the arena, work shared among the team (or NULL).
void ts_measure_local_friction(const ts_friction *p, const double *z, ts_team *team, ts_arena *arena,
                               ts_friction_measures *m);
// The same without bilateral rows where whoever has made the problem knows the velocities u = W r + q without W: `trace`
// has the traces of W's diagonal blocks, tangents in units of their ellipsoid, and is changed.
void ts_measure_friction_at(const ts_friction *p, const double *r, const double *u, double *trace, ts_team *team,
                            ts_arena *arena, ts_friction_measures *m);
void ts_measure_global_friction(const ts_global_friction *p, const double *z, ts_team *team, ts_arena *arena,
                                ts_friction_measures *m);

#endif
