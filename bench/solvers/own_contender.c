#include "own_contender.h"

#include "touchstone/solver.h"

#include <stdlib.h>

// What one solver needs to run again and again on one problem.
typedef struct bench_run {
  const ts_solver *solver;
  const trial *trial;
  ts_solve_options options;
  ts_workspace *workspace;
  double *z;
} bench_run;

static bool takes(const contender *self, const ts_problem *problem)
{
  return (ts_solver_takes(self->solver) & (unsigned)problem->type) != 0;
}

static void begin(bench_run *run, const contender *self, const trial *t)
{
  *run = (bench_run){.solver = self->solver,
                     .trial = t,
                     .options = ts_solve_options_default(),
                     .workspace = ts_workspace_create(NULL),
                     .z = calloc(ts_problem_size(t->problem) + 1, sizeof(double))};
  if (!run->workspace || !run->z) exit(EXIT_FAILURE);
  run->options.tolerance = t->tolerance;
}

static void end(bench_run *run)
{
  free(run->z);
  ts_workspace_destroy(run->workspace);
}

// One cold solve. Returns its seconds, or less than 0 where the solver refuses the problem.
static double solve_timed(bench_run *run, measurement *m)
{
  ts_report report = {0};
  const stopwatch watch = stopwatch_start();
  const ts_status status =
      ts_solve(run->solver, run->trial->problem, &run->options, run->workspace, run->z, &report, NULL);
  const double seconds = stopwatch_stop(&watch, m);
  m->iterations = report.iterations;
  return status == TS_OK ? seconds : -1.0;
}

// The first solve sizes the workspace, so its time counts only where there is no second one.
static void measure(const contender *self, const trial *t, const publisher *to)
{
  bench_run run;
  begin(&run, self, t);
  measurement m = measurement_none();
  m.setting = t->tolerance;
  const double first = solve_timed(&run, &m);
  if (first >= 0.0) {
    measurement_certify(&m, t->problem, run.z, t->by, t->tolerance);
    publish(to, &m);
    isolated_limit_time(2.0 * t->repeat_for);
    double spent = first;
    for (int k = 0; m.reached && k < t->repeats && spent + first < t->repeat_for; ++k) {
      if (k == 0) measurement_forget_times(&m);
      spent += solve_timed(&run, &m);
    }
    publish(to, &m);
  }
  end(&run);
}

static void solve_once(const contender *self, const trial *t, measurement *m)
{
  bench_run run;
  begin(&run, self, t);
  *m = measurement_none();
  m->setting = t->tolerance;
  if (solve_timed(&run, m) >= 0.0) measurement_certify(m, t->problem, run.z, t->by, t->tolerance);
  end(&run);
}

int own_contenders(contender *list)
{
  const int count = ts_solver_count();
  for (int i = 0; list && i < count; ++i) {
    const ts_solver *solver = ts_solver_at(i);
    list[i] = (contender){ts_solver_name(solver), true, solver, takes, measure, solve_once};
  }
  return count;
}
