// The chain of stages behind `auto` for friction problems.
#ifndef TS_COMPLEMENTARITY_FRICTION_AUTO_FRICTION_H
#define TS_COMPLEMENTARITY_FRICTION_AUTO_FRICTION_H

#include "complementarity/solver.h"

ts_outcome ts_auto_friction(const ts_problem *problem, ts_run *run, double *z);

#endif
