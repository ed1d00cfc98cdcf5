// What every Newton-type solver of mixed complementarity problems has to pass. Each function fails the cmocka test that
// calls it.
#ifndef TS_SUPPORT_NEWTON_CHECKS_H
#define TS_SUPPORT_NEWTON_CHECKS_H

#include "mcp_generator.h"

#include "touchstone/solver.h"

// Run a solver in a workspace of its own. `options` may be NULL: the defaults.
ts_report run_solver(const char *solver, const ts_problem *problem, const ts_solve_options *options, double *z);

// Solved at 1e-10 by a residual measured here, claimed within a factor of 100 of it or both tiny.
void assert_certified(const char *solver, const ts_problem *problem, const ts_report *report, const double *z);

// `count` random problems of the class and size: certified, and equal to the solution they were built from where that
// is the only one.
void assert_solves_random(const char *solver, mcp_class class, int n, int count);

// The files of tests/data/problems/lcp and mlcp that have a solution, except those named in `except` (may be NULL; NULL
// at the end). Points are compared with the reference solutions where those are isolated.
void assert_solves_reference_files(const char *solver, const char *const *except);

// The largest of these files, of the shared data.
void assert_solves_deltasigma(const char *solver);

// Every start of every built-in problem, except "name start" given in `except`. `grid` is for obstacle.
void assert_solves_builtins(const char *solver, int grid, const char *const *except);

// Every failure of an allocation is reported as such and leaves a workspace that serves again.
void assert_survives_lack_of_memory(const char *solver);

// Warm workspaces allocate nothing, runs repeat bit for bit, limits are kept with a finite point, a warm start at a
// solution stays there, and a start where F is not defined does no harm.
void assert_allocates_nothing_when_warm(const char *solver);
void assert_deterministic(const char *solver);
void assert_keeps_limits(const char *solver);
void assert_stays_at_a_solution(const char *solver);
void assert_survives_undefined_values(const char *solver);

#endif
