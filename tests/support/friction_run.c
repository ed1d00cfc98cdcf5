#include "friction_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void friction_run_init(friction_run *run)
{
  *run = (friction_run){.workspace = ts_workspace_create(NULL), .options = ts_solve_options_default()};
  if (!run->workspace) abort();
}

void friction_run_release(friction_run *run)
{
  ts_workspace_destroy(run->workspace);
  free(run->z);
}

int friction_run_setup(void **state)
{
  friction_run *run = malloc(sizeof *run);
  if (!run) return -1;
  friction_run_init(run);
  *state = run;
  return 0;
}

int friction_run_teardown(void **state)
{
  friction_run_release(*state);
  free(*state);
  return 0;
}

void friction_run_resize(friction_run *run, const ts_problem *problem)
{
  const size_t size = ts_problem_size(problem), bytes = (size + 1) * sizeof *run->z; // never of size 0
  double *z = realloc(run->z, bytes);
  if (!z) abort();
  if (size > run->size) memset(z + run->size, 0, (size - run->size) * sizeof *z);
  run->z = z;
  run->size = size;
}

ts_outcome friction_run_solve(friction_run *run, const ts_solver *solver, const ts_problem *problem)
{
  ts_error error = {0};
  friction_run_resize(run, problem);
  run->report = (ts_report){0};
  if (ts_solve(solver, problem, &run->options, run->workspace, run->z, &run->report, &error) != TS_OK) {
    fprintf(stderr, "%s: %s\n", ts_solver_name(solver), error.text);
    abort();
  }
  return run->report.outcome;
}

bool friction_run_is_certified(const friction_run *run, const ts_problem *problem, double tolerance)
{
  ts_friction_measures measures;
  for (size_t k = 0; k < run->size; ++k)
    if (!isfinite(run->z[k])) return false;
  if (ts_friction_measure(problem, run->z, &measures) != TS_OK) return false;
  return measures.scaled <= tolerance && measures.fclib <= tolerance;
}

void friction_run_print_miss(const friction_run *run, const ts_problem *problem, const char *what)
{
  ts_friction_measures measures = {0};
  ts_friction_measure(problem, run->z, &measures);
  fprintf(stderr, "%s: %s by %s, scaled %.3g, fclib %.3g, claimed %.3g\n", what, ts_outcome_name(run->report.outcome),
          run->report.solver, measures.scaled, measures.fclib, run->report.claimed);
}
