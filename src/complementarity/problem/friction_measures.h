// What a point of a friction problem is like, for the certificate alone: no solver may use it.
#ifndef TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H
#define TS_COMPLEMENTARITY_PROBLEM_FRICTION_MEASURES_H

#include "touchstone/certificate.h"

#include "base/arena.h"

// `m` is zero before. Memory from the arena.
void ts_measure_local_friction(const ts_friction *p, const double *z, ts_arena *arena, ts_friction_measures *m);
void ts_measure_global_friction(const ts_global_friction *p, const double *z, ts_arena *arena, ts_friction_measures *m);

#endif
