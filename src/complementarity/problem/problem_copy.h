// Deep copies of problems into an arena.
#ifndef TS_COMPLEMENTARITY_PROBLEM_PROBLEM_COPY_H
#define TS_COMPLEMENTARITY_PROBLEM_PROBLEM_COPY_H

#include "touchstone/problem.h"

#include "base/arena.h"

ts_friction ts_friction_copy(const ts_friction *problem, ts_arena *arena); // without `bodies`
ts_global_friction ts_global_friction_copy(const ts_global_friction *problem, ts_arena *arena);

#endif
