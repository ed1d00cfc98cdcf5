// What a point of a friction problem is like, for the certificate alone: no solver may use it.
#ifndef TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H
#define TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H

#include "touchstone/certificate.h"

#include "base/team.h"

// `m` is zero before. Memory from the arena, work shared among the team (or NULL).
void ts_measure_local_friction(const ts_friction *p, const double *z, ts_team *team, ts_arena *arena,
                               ts_friction_measures *m);
void ts_measure_global_friction(const ts_global_friction *p, const double *z, ts_team *team, ts_arena *arena,
                                ts_friction_measures *m);

#endif
