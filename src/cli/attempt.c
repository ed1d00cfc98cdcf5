#include "cli/attempt.h"

#include "cli/allocation.h"

#include <stdlib.h>

static void recover(cli_attempt *a)
{
  const cli_formulation *f = a->formulation;
  cli_formulation_recover(f, a->z, a->point);
  a->residual = a->report.residual;
  a->measures = a->report.measures;
  if (f->form == CLI_NATIVE) return;
  a->residual = ts_problem_residual(f->original, a->point);
  ts_friction_measure(f->original, a->point, &a->measures);
}

void cli_attempt_run(const ts_solver *solver, const cli_formulation *formulation, const ts_solve_options *options,
                     const double *start, int history_capacity, ts_workspace *workspace, cli_attempt *attempt)
{
  cli_attempt *a = attempt;
  *a = (cli_attempt){.solver = solver, .formulation = formulation};
  a->z = cli_zeros(ts_problem_size(formulation->problem), sizeof *a->z);
  a->point = cli_zeros(ts_problem_size(formulation->original), sizeof *a->point);
  a->report.ray = cli_zeros(ts_problem_size(formulation->problem), sizeof *a->report.ray);
  a->report.history_capacity = history_capacity;
  if (history_capacity > 0) a->report.history = cli_zeros((size_t)history_capacity, sizeof *a->report.history);
  ts_solve_options chosen = *options;
  chosen.warm_start = start != NULL;
  if (start) cli_formulation_start(formulation, start, a->z);
  a->status = ts_solve(solver, formulation->problem, &chosen, workspace, a->z, &a->report, &a->error);
  if (a->status == TS_OK) recover(a);
}

void cli_attempt_destroy(cli_attempt *attempt)
{
  free(attempt->z);
  free(attempt->point);
  free(attempt->report.history);
  free(attempt->report.ray);
  *attempt = (cli_attempt){0};
}

bool cli_attempt_solved(const cli_attempt *attempt)
{
  return attempt->status == TS_OK && attempt->report.outcome == TS_SOLVED;
}

const char *cli_attempt_status(const cli_attempt *attempt)
{
  switch (attempt->status) {
  case TS_OK:
    return ts_outcome_name(attempt->report.outcome);
  case TS_OUT_OF_MEMORY:
    return "out-of-memory";
  case TS_UNSUPPORTED:
    return "unsupported";
  default:
    return "refused";
  }
}
