// Running a solver on a small LCP or MLCP, with everything a test looks at afterwards.
#ifndef TS_SUPPORT_LINEAR_RUN_H
#define TS_SUPPORT_LINEAR_RUN_H

#include "touchstone/touchstone.h"

enum { LINEAR_RUN_CAPACITY = 1600 };

typedef struct linear_run {
  ts_workspace *workspace;
  ts_solve_options options; // the defaults, to be changed by the test
  ts_report report;
  double z[LINEAR_RUN_CAPACITY], ray[LINEAR_RUN_CAPACITY];
} linear_run;

void linear_run_init(linear_run *run);
void linear_run_release(linear_run *run);

// The same as the set-up and tear-down of a group of tests, with the run as its state.
int linear_run_setup(void **state);
int linear_run_teardown(void **state);

// Run a solver; the call itself has to succeed. Returns how it ended.
ts_outcome linear_run_solve(linear_run *run, const char *solver, const ts_problem *problem);

// Problems on the caller's arrays, M dense by columns.
ts_problem dense_lcp(int n, const double *M, const double *q);
ts_problem dense_mlcp(int n, const double *M, const double *q, const double *lower, const double *upper);

double largest_difference(int n, const double *a, const double *b);

// The same problem with M in compressed columns. Release with sparse_copy_release().
ts_problem sparse_copy(const ts_problem *dense);
void sparse_copy_release(ts_problem *sparse);

#endif
