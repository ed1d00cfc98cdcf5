/// Nonlinear problems of the literature (MCPLIB), built in, each with its classical starting points.
#ifndef TOUCHSTONE_BUILTIN_H
#define TOUCHSTONE_BUILTIN_H

#include "touchstone/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many built-in problems there are.
TS_API int ts_builtin_count(void);
/// "kojshin", "josephy", "billups", "munson1", "nash", "obstacle" (static text).
TS_API const char *ts_builtin_name(int i);
/// One line about the i-th problem.
TS_API const char *ts_builtin_summary(int i);

typedef struct ts_builtin ts_builtin;

/// Create a built-in problem by name. `grid` is the number of interior grid points a side of those that live on a grid
/// (obstacle), 0: 50. On failure *builtin is NULL and `error` (may be NULL) says why. Release with
/// ts_builtin_destroy(), which accepts NULL.
TS_API ts_status ts_builtin_create(const char *name, int grid, ts_builtin **builtin, ts_error *error);
/// The problem itself, an MCP; valid as long as `builtin`.
TS_API const ts_problem *ts_builtin_problem(const ts_builtin *builtin);
/// How many starting points it has; at least 1.
TS_API int ts_builtin_start_count(const ts_builtin *builtin);
/// Copy the k-th starting point (0-based) into z.
TS_API void ts_builtin_start(const ts_builtin *builtin, int k, double *z);
/// Release a built-in problem. Accepts NULL.
TS_API void ts_builtin_destroy(ts_builtin *builtin);

#ifdef __cplusplus
}
#endif

#endif
