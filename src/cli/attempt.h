// One solver on one formulation of a problem, and what came of it.
#ifndef TS_CLI_ATTEMPT_H
#define TS_CLI_ATTEMPT_H

#include "cli/formulation.h"

#include "touchstone/solver.h"

typedef struct cli_attempt {
  const ts_solver *solver;
  const cli_formulation *formulation;
  ts_status status; // other than TS_OK: `error` says why there is no result
  ts_error error;
  ts_report report;              // its buffers are owned here
  double *z;                     // the solver's own point
  double *point;                 // the same as a point of the original problem
  double residual;               // of `point` in the original problem; equals report.residual in the native form
  ts_friction_measures measures; // of `point`; zero where there is no friction
} cli_attempt;

// Run. `start` is a point of the original problem or NULL. `history_capacity` iterations are kept.
void cli_attempt_run(const ts_solver *solver, const cli_formulation *formulation, const ts_solve_options *options,
                     const double *start, int history_capacity, ts_workspace *workspace, cli_attempt *attempt);
void cli_attempt_destroy(cli_attempt *attempt);

bool cli_attempt_solved(const cli_attempt *attempt);
const char *cli_attempt_status(const cli_attempt *attempt); // the outcome's name, or that of the failure

#endif
