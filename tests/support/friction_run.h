// Running solvers on friction problems of any size, and judging what they return by the certificate.
#ifndef TS_SUPPORT_FRICTION_RUN_H
#define TS_SUPPORT_FRICTION_RUN_H

#include "touchstone/solver.h"

#include <stdbool.h>

typedef struct friction_run {
  ts_workspace *workspace;
  ts_solve_options options; // the defaults, to be changed by the test
  ts_report report;         // of the last run
  double *z;                // its point: the warm start of the next run where the options say so
  size_t size;              // numbers in z
} friction_run;

void friction_run_init(friction_run *run);
void friction_run_release(friction_run *run);

// The same as the set-up and tear-down of a test, with the run as its state.
int friction_run_setup(void **state);
int friction_run_teardown(void **state);

// Make z hold a point of this problem; numbers beyond the old size are zero.
void friction_run_resize(friction_run *run, const ts_problem *problem);

// Run a solver; the call itself has to succeed. Returns how it ended.
ts_outcome friction_run_solve(friction_run *run, const ts_solver *solver, const ts_problem *problem);

// Whether z is finite and both figures of the certificate, measured anew from the problem's data, are within the
// tolerance.
bool friction_run_is_certified(const friction_run *run, const ts_problem *problem, double tolerance);

// One line about a run that missed, on standard error; `what` names the problem.
void friction_run_print_miss(const friction_run *run, const ts_problem *problem, const char *what);

#endif
