// A solver from outside, behind the table of those of the library.
#include "extension/extensions.h"

#include "base/require.h"

// The run of the library with what the solver has said last.
struct ts_solver_run {
  ts_run *run;
};

const ts_solve_options *ts_solver_run_options(const ts_solver_run *run)
{
  TS_REQUIRE(run);
  return run->run->options;
}

int ts_solver_run_limit(const ts_solver_run *run)
{
  TS_REQUIRE(run);
  return run->run->limit;
}

void ts_solver_run_record(ts_solver_run *run, double residual, double step)
{
  TS_REQUIRE(run);
  ts_run_record(run->run, residual, step, 0.0, 0);
  run->run->report->claimed = residual;
}

bool ts_solver_run_is_over(const ts_solver_run *run)
{
  TS_REQUIRE(run);
  return ts_run_is_over(run->run);
}

double *ts_solver_run_numbers(ts_solver_run *run, size_t count)
{
  TS_REQUIRE(run);
  return ts_arena_zeros(run->run->arena, count);
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  const ts_own_solver *own = (const ts_own_solver *)run->solver;
  ts_solver_run handed = {run};
  const ts_outcome outcome = own->def.solve(own->def.user, problem, &handed, z);
  return (unsigned)outcome < TS_OUTCOME_COUNT ? outcome : TS_BROKE_DOWN;
}

ts_solver ts_own_solver_table(const ts_solver_def *def)
{
  return (ts_solver){
      .name = def->name, .summary = def->summary, .takes = def->takes, .limit = def->limit, .solve = solve};
}
