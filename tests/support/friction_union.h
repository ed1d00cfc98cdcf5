// Several friction problems as one whose contacts are shuffled: what does not touch must not matter to each other.
#ifndef FRICTION_UNION_H
#define FRICTION_UNION_H

#include "touchstone/problem.h"

#include "base/arena.h"

#include <stdint.h>

// Never moved: `problem` points into it.
typedef struct friction_union {
  ts_problem problem; // TS_FRICTION
  ts_bodies bodies;
  int *part, *place; // of each contact: which problem it comes from, and which of its contacts it is there
  ts_arena arena;    // owns every array of the above
} friction_union;

// Problems of one dimension, without bilateral rows, all with bodies or none; q of problem k times scale[k] (NULL: 1).
// With ellipsoids where the first has them.
friction_union *friction_union_create(const ts_friction *const *parts, int count, const double *scale, uint64_t seed);
void friction_union_destroy(friction_union *all); // accepts NULL

// The impulses of problem k in those of the union.
void friction_union_take(const friction_union *all, int k, const double *z, double *own);

// A body of d degrees of freedom between two contacts that close on it with 1 m/s each: no impulses stop that.
ts_friction friction_vice(int dimension, ts_arena *arena, ts_bodies *bodies);

#endif
