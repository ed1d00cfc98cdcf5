// What a family of built-in problems has to say for itself.
#ifndef TS_COMPLEMENTARITY_PROBLEM_BUILTIN_FAMILY_H
#define TS_COMPLEMENTARITY_PROBLEM_BUILTIN_FAMILY_H

#include "touchstone/builtin.h"

#include "base/arena.h"

typedef struct ts_builtin_family {
  const char *name, *summary;
  int start_count;
  // Fill in problem->mcp, memory from the arena. `grid` is positive.
  void (*build)(ts_mcp *mcp, int grid, ts_arena *arena);
  // Write the k-th starting point.
  void (*start)(const ts_mcp *mcp, int k, double *z);
} ts_builtin_family;

extern const ts_builtin_family ts_builtin_kojshin, ts_builtin_josephy, ts_builtin_billups, ts_builtin_munson1;
extern const ts_builtin_family ts_builtin_nash, ts_builtin_obstacle;

#endif
