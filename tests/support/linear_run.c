#include "linear_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void linear_run_init(linear_run *run)
{
  *run = (linear_run){.workspace = ts_workspace_create(NULL), .options = ts_solve_options_default()};
  if (!run->workspace) abort();
}

void linear_run_release(linear_run *run)
{
  ts_workspace_destroy(run->workspace);
}

int linear_run_setup(void **state)
{
  linear_run *run = malloc(sizeof *run);
  if (!run) return -1;
  linear_run_init(run);
  *state = run;
  return 0;
}

int linear_run_teardown(void **state)
{
  linear_run_release(*state);
  free(*state);
  return 0;
}

ts_outcome linear_run_solve(linear_run *run, const char *solver, const ts_problem *problem)
{
  ts_error error = {0};
  run->report = (ts_report){.ray = run->ray};
  if (ts_problem_size(problem) > LINEAR_RUN_CAPACITY) abort();
  if (ts_solve(ts_solver_find(solver), problem, &run->options, run->workspace, run->z, &run->report, &error) != TS_OK) {
    fprintf(stderr, "%s: %s\n", solver, error.text);
    abort();
  }
  return run->report.outcome;
}

ts_problem dense_lcp(int n, const double *M, const double *q)
{
  return ts_problem_lcp((ts_lcp){.size = n, .M = {.rows = n, .columns = n, .value = M}, .q = q});
}

ts_problem dense_mlcp(int n, const double *M, const double *q, const double *lower, const double *upper)
{
  return ts_problem_mlcp(
      (ts_mlcp){.size = n, .M = {.rows = n, .columns = n, .value = M}, .q = q, .lower = lower, .upper = upper});
}

double largest_difference(int n, const double *a, const double *b)
{
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(a[i] - b[i]) <= largest)) largest = fabs(a[i] - b[i]);
  return largest;
}

static void *need(void *memory)
{
  if (!memory) abort();
  return memory;
}

ts_problem sparse_copy(const ts_problem *dense)
{
  ts_problem copy = *dense;
  ts_matrix *M = copy.type == TS_LCP ? &copy.lcp.M : &copy.mlcp.M;
  const int n = M->rows;
  const size_t most = (size_t)n * (size_t)n + 1;
  int *start = need(calloc((size_t)n + 1, sizeof *start)), *index = need(calloc(most, sizeof *index)), next = 0;
  double *value = need(calloc(most, sizeof *value));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (M->value[j * n + i] == 0.0) continue;
      index[next] = i;
      value[next++] = M->value[j * n + i];
    }
    start[j + 1] = next;
  }
  *M = (ts_matrix){n, n, start, index, value};
  return copy;
}

void sparse_copy_release(ts_problem *sparse)
{
  const ts_matrix *M = sparse->type == TS_LCP ? &sparse->lcp.M : &sparse->mlcp.M;
  free((void *)M->start);
  free((void *)M->index);
  free((void *)M->value);
}
