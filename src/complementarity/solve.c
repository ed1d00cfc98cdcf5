// Running a solver: checks before, certificate after. See include/touchstone/solver.h.
#include "complementarity/solver.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"
#include "math/blas.h"
#include "math/small_dense.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COOKIE = 0x7501e };

#define TS_OUTCOME_NAME(name, text) text,
static const char *const outcome_names[] = {TS_OUTCOME_LIST(TS_OUTCOME_NAME)};
#undef TS_OUTCOME_NAME

const char *ts_outcome_name(ts_outcome outcome)
{
  return (unsigned)outcome < TS_OUTCOME_COUNT ? outcome_names[outcome] : "unknown";
}

ts_solve_options ts_solve_options_default(void)
{
#define TS_OPTION_DEFAULT(field, type, value, unit, help) .field = value,
  return (ts_solve_options){TS_SOLVE_OPTION_LIST(TS_OPTION_DEFAULT).cookie = COOKIE};
#undef TS_OPTION_DEFAULT
}

ts_status ts_solve_options_check(const ts_solve_options *options, ts_error *error)
{
  TS_REFUSE_UNLESS(options, error);
  const ts_solve_options *o = options;
  if (o->cookie != COOKIE) return ts_fail(error, TS_INVALID, "the options were not made by ts_solve_options_default()");
  if (!(o->tolerance > 0.0 && o->tolerance < 1.0))
    return ts_fail(error, TS_INVALID, "tolerance is %g, it must lie between 0 and 1", o->tolerance);
  if (o->max_iterations < 0)
    return ts_fail(error, TS_INVALID, "max_iterations is %d, it cannot be negative", o->max_iterations);
  if (!(o->time_limit > 0.0))
    return ts_fail(error, TS_INVALID, "time_limit is %g s, it must be positive", o->time_limit);
  if (!(o->relaxation >= 0.0 && o->relaxation < 2.0))
    return ts_fail(error, TS_INVALID, "relaxation is %g, it must lie between 0 and 2", o->relaxation);
  if (!(o->damping >= 0.0 && isfinite(o->damping)))
    return ts_fail(error, TS_INVALID, "damping is %g, it must be a finite number of at least 0", o->damping);
  if (!(o->impulse_scale >= 0.0 && isfinite(o->impulse_scale)))
    return ts_fail(error, TS_INVALID, "impulse_scale is %g, it must be a finite number of at least 0",
                   o->impulse_scale);
  if (!(o->velocity_error >= 0.0 && isfinite(o->velocity_error)))
    return ts_fail(error, TS_INVALID, "velocity_error is %g m/s, it must be a finite number of at least 0",
                   o->velocity_error);
  if (o->line_search != TS_NONMONOTONE && o->line_search != TS_MONOTONE)
    return ts_fail(error, TS_INVALID, "line_search has the unknown value %d", (int)o->line_search);
  return TS_OK;
}

struct ts_workspace {
  ts_arena arena;
  ts_interrupt interrupt;
  ts_team *team;
};

ts_workspace *ts_workspace_create(const ts_allocator *allocator)
{
  ts_arena arena;
  ts_arena_init(&arena, allocator);
  ts_workspace *workspace = arena.allocator.allocate(arena.allocator.user, sizeof *workspace);
  if (workspace) *workspace = (ts_workspace){.arena = arena};
  return workspace;
}

void ts_workspace_destroy(ts_workspace *workspace)
{
  if (!workspace) return;
  const ts_allocator allocator = workspace->arena.allocator;
  ts_arena_release(&workspace->arena);
  allocator.release(allocator.user, workspace);
}

void ts_workspace_set_interrupt(ts_workspace *workspace, ts_interrupt interrupt)
{
  workspace->interrupt = interrupt;
}

void ts_workspace_set_team(ts_workspace *workspace, ts_team *team)
{
  workspace->team = team;
}

size_t ts_workspace_peak(const ts_workspace *workspace)
{
  TS_REQUIRE(workspace);
  return ts_arena_peak(&workspace->arena);
}

bool ts_run_out_of_time(const ts_run *run)
{
  if (run->interrupt.ask && run->interrupt.ask(run->interrupt.user)) return true;
  return isfinite(run->deadline) && ts_clock_seconds() >= run->deadline;
}

int ts_run_iterations_left(const ts_run *run)
{
  if (run->options->max_iterations == 0) return INT_MAX;
  const int left = run->options->max_iterations - run->report->iterations;
  return left > 0 ? left : 0;
}

bool ts_run_is_over(const ts_run *run)
{
  return ts_run_iterations_left(run) == 0 || ts_run_out_of_time(run);
}

ts_outcome ts_run_ending(const ts_run *run, ts_outcome otherwise)
{
  if (ts_run_out_of_time(run)) return TS_TIME_LIMIT;
  return ts_run_iterations_left(run) == 0 ? TS_ITERATION_LIMIT : otherwise;
}

void ts_run_record(ts_run *run, double residual, double step, double damping, int active)
{
  ts_report *report = run->report;
  ++report->iterations;
  if (report->history && report->history_count < report->history_capacity)
    report->history[report->history_count++] = (ts_iteration){residual, step, damping, active};
}

bool ts_certificate_passes(const ts_problem *problem, double residual, const ts_friction_measures *measures,
                           double tolerance)
{
  if (!(residual <= tolerance)) return false; // NAN fails too
  const bool friction = problem->type == TS_FRICTION || problem->type == TS_GLOBAL_FRICTION;
  return !friction || measures->fclib <= tolerance;
}

bool ts_certificate_is_accurate(const ts_problem *problem, const ts_friction_measures *measures, double velocity_error)
{
  const bool friction = problem->type == TS_FRICTION || problem->type == TS_GLOBAL_FRICTION;
  if (!friction || !(velocity_error > 0.0)) return false;
  return measures->velocity_error <= fmax(velocity_error, TS_SHARE_OF_SPEED * measures->data_speed); // NAN fails
}

// What a solver says about itself counts only where the certificate agrees, in both directions.
static ts_outcome certified_outcome(const ts_problem *problem, const ts_run *run, ts_outcome claimed)
{
  const ts_report *report = run->report;
  if (ts_certificate_passes(problem, report->residual, &report->measures, run->options->tolerance)) return TS_SOLVED;
  if (ts_certificate_is_accurate(problem, &report->measures, run->options->velocity_error)) return TS_ACCURATE;
  return claimed == TS_SOLVED || claimed == TS_ACCURATE ? TS_STALLED : claimed;
}

static ts_outcome run_and_certify(const ts_solver *solver, const ts_problem *problem, ts_run *run, double *z)
{
  const ts_arena_mark mark = ts_arena_save(run->arena);
  run->report->claimed = INFINITY;
  run->solver = solver;
  const ts_outcome claimed = solver->solve(problem, run, z);
  ts_arena_restore(run->arena, mark);
  run->report->residual = ts_certify(problem, z, run->team, run->arena, &run->report->measures);
  return certified_outcome(problem, run, claimed);
}

static const double NOT_TIMED = -1.0;

void ts_run_enter_stage(ts_run *run, const char *solver, ts_outcome outcome, double residual, int iterations_before,
                        int factorizations_before)
{
  ts_report *report = run->report;
  const bool last = outcome == TS_SOLVED; // ts_solve() reads the clock next; on small problems a reading is felt
  const double now = last || !run->timed ? run->started : ts_clock_seconds();
  if (report->trail_count < TS_TRAIL_CAPACITY)
    report->trail[report->trail_count++] =
        (ts_trail_entry){.solver = solver,
                         .outcome = outcome,
                         .iterations = report->iterations - iterations_before,
                         .factorizations = report->factorizations - factorizations_before,
                         .residual = residual,
                         .seconds = last ? NOT_TIMED : now - run->started};
  run->started = now;
}

// The stage that solved the problem took until the end of the run.
static void time_last_stage(const ts_run *run, double now)
{
  ts_report *report = run->report;
  ts_trail_entry *last = report->trail_count > 0 ? &report->trail[report->trail_count - 1] : NULL;
  if (last && last->seconds == NOT_TIMED) last->seconds = now - run->started;
}

ts_outcome ts_run_stage(const ts_solver *solver, const ts_problem *problem, ts_run *parent, bool warm, double *z)
{
  ts_report *report = parent->report;
  ts_solve_options options = *parent->options;
  options.warm_start = warm;
  const int left = ts_run_iterations_left(parent);
  ts_run run = *parent;
  run.options = &options;
  run.limit = left < solver->limit ? left : solver->limit;
  const int iterations = report->iterations, factorizations = report->factorizations;
  const ts_outcome outcome = run_and_certify(solver, problem, &run, z);
  report->solver = solver->name;
  ts_run_enter_stage(parent, solver->name, outcome, report->residual, iterations, factorizations);
  return outcome;
}

// All but the caller's buffers; the entries of the trail count for nothing beyond trail_count.
static void clear_report(ts_report *report, const ts_solver *solver)
{
  ts_iteration *history = report->history;
  const int capacity = report->history_capacity;
  double *ray = report->ray, *jam = report->jam;
  memset(report, 0, offsetof(ts_report, trail));
  report->trail_count = 0;
  report->solver = solver->name;
  report->history = history;
  report->history_capacity = capacity;
  report->ray = ray;
  report->jam = jam;
}

static ts_status solve(const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options, bool timed,
                       ts_workspace *workspace, double *z, ts_report *report, ts_error *error)
{
  const double start = timed ? ts_clock_seconds() : 0.0;
  clear_report(report, solver);

  ts_arena *arena = &workspace->arena;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    ts_arena_release(arena);
    arena->recovery = NULL;
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out in solver %s", solver->name);
  }
  ts_arena_reset(arena);
  if (ts_problem_size(problem) > TS_SMALL_DENSE) ts_blas_prepare(arena);
  const int limit = options->max_iterations ? options->max_iterations : solver->limit;
  ts_run run = {.options = options,
                .arena = arena,
                .team = workspace->team,
                .report = report,
                .started = start,
                .deadline = start + options->time_limit,
                .timed = timed,
                .limit = limit,
                .interrupt = workspace->interrupt,
                .solver = solver};
  report->outcome = run_and_certify(solver, problem, &run, z);
  arena->recovery = NULL;
  ts_arena_reset(arena); // what was in pieces becomes one: the next run of this size allocates nothing
  const double now = timed ? ts_clock_seconds() : 0.0;
  time_last_stage(&run, now);
  report->seconds = now - start;
  return TS_OK;
}

ts_status ts_solve_unchecked(const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                             ts_workspace *workspace, double *z, ts_report *report, ts_error *error)
{
  return solve(solver, problem, options, isfinite(options->time_limit), workspace, z, report, error);
}

ts_status ts_solve(const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                   ts_workspace *workspace, double *z, ts_report *report, ts_error *error)
{
  TS_REFUSE_UNLESS(solver, error);
  TS_REFUSE_UNLESS(problem, error);
  TS_REFUSE_UNLESS(options, error);
  TS_REFUSE_UNLESS(workspace, error);
  TS_REFUSE_UNLESS(report, error);
  TS_TRY(ts_solve_options_check(options, error));
  if (!(solver->takes & (unsigned)problem->type))
    return ts_fail(error, TS_UNSUPPORTED, "solver %s does not take a problem of type %s", solver->name,
                   ts_problem_type_name(problem->type));
  TS_TRY(ts_problem_check(problem, error));
  TS_REFUSE_UNLESS(z || ts_problem_size(problem) == 0, error);
  if (options->warm_start) {
    const size_t size = ts_problem_size(problem);
    for (size_t i = 0; i < size; ++i)
      if (!isfinite(z[i])) return ts_fail(error, TS_INVALID, "entry %zu of the warm start is not a finite number", i);
  }
  return solve(solver, problem, options, true, workspace, z, report, error);
}
