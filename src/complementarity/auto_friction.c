// Friction problems by `auto`: stages from cheap to thorough, each starting from what the ones before it left. Sweeps
// finish what is easy; the smoothing path finishes nearly all the rest; Newton steps judged after smoothing fail on
// other problems than the path does; arc length passes the folds of the path. The order was measured on the public
// problem files and on copies of them with 5 % perturbed data (docs/solvers.md).
#include "complementarity/auto_friction.h"

#include "complementarity/friction_solver.h"

#include <math.h>

#include "base/clock.h"

typedef struct stage {
  const char *solver; // whose method it is
  ts_outcome (*run)(ts_cone_state *state, const struct stage *stage);
  double a, b;        // settings of the method
  int limit;
} stage;

static ts_outcome sweeps(ts_cone_state *state, const stage *s)
{
  return ts_cone_gauss_seidel(state, s->limit, s->a, s->b);
}

static ts_outcome smoothed_newton(ts_cone_state *state, const stage *s)
{
  return ts_cone_smoothed_newton(state, state->r, s->limit, 4);
}

static ts_outcome path(ts_cone_state *state, const stage *s)
{
  return ts_cone_smoothing_path(state, s->a, s->b);
}

static ts_outcome arc(ts_cone_state *state, const stage *s)
{
  return ts_cone_arc_length(state, s->a, s->b, s->limit);
}

// Clusters are for large problems: in a small one the cluster would be the whole.
static ts_outcome repair(ts_cone_state *state, const stage *s)
{
  return state->p->contacts >= s->limit ? ts_cone_cluster_repair(state) : TS_STALLED;
}

// What is left of the residual may sit in a few contacts: many sweeps bring the rest into place.
static ts_outcome long_sweeps(ts_cone_state *state, const stage *s)
{
  if (ts_cone_gauss_seidel(state, s->limit, s->a, INFINITY) == TS_SOLVED) return TS_SOLVED;
  return ts_cone_polish(state, state->r, 10);
}

static const stage cold_chain[] = {
    {"nsgs", sweeps, 1.2, 50.0, 60},          {"smooth", path, 0.1, 0.3, 0},
    {"newton", smoothed_newton, 0.0, 0.0, 14}, {"smooth", path, 0.03, 0.3, 0},
    {"repair", repair, 0.0, 0.0, 30},         {"smooth", path, 0.1, 0.1, 0},
    {"smooth", path, 0.01, 0.3, 0},           {"arclength", arc, 0.1, 0.1, 300},
    {"arclength", arc, 0.1, 0.03, 300},       {"smooth", path, 0.1, 0.5, 0},
    {"arclength", arc, 0.03, 0.1, 600},       {"nsgs", long_sweeps, 1.0, 0.0, 3000},
    {"repair", repair, 0.0, 0.0, 30},         {"arclength", arc, 0.5, 0.1, 300},
    {"arclength", arc, 0.1, 0.3, 300},        {"nsgs", long_sweeps, 1.0, 0.0, 10000},
};

// From a good start, such as the last step's impulses, a few sweeps and Newton steps are enough as a rule.
static const stage warm_chain[] = {
    {"nsgs", sweeps, 1.0, INFINITY, 10},
    {"newton", smoothed_newton, 0.0, 0.0, 14},
};

// Without W there are no sweeps.
static const stage uncondensed_chain[] = {
    {"smooth", path, 0.1, 0.3, 0},      {"smooth", path, 0.03, 0.3, 0},      {"arclength", arc, 0.1, 0.1, 300},
    {"smooth", path, 0.1, 0.1, 0},      {"arclength", arc, 0.1, 0.03, 300},  {"smooth", path, 0.01, 0.3, 0},
    {"arclength", arc, 0.03, 0.1, 600},
};

static ts_outcome run_stage(ts_cone_state *state, const stage *s)
{
  ts_report *report = state->run->report;
  const double start = ts_clock_seconds();
  const int iterations = report->iterations, factorizations = report->factorizations;
  const ts_outcome outcome = s->run(state, s);
  report->solver = s->solver;
  if (report->trail_count < TS_TRAIL_CAPACITY)
    report->trail[report->trail_count++] =
        (ts_trail_entry){s->solver, outcome, report->iterations - iterations, report->factorizations - factorizations,
                         state->error, ts_clock_seconds() - start};
  return outcome;
}

static ts_outcome run_chain(ts_cone_state *state, const stage *chain, size_t count)
{
  ts_outcome outcome = TS_STALLED;
  for (size_t k = 0; k < count; ++k) {
    outcome = run_stage(state, &chain[k]);
    if (outcome == TS_SOLVED || outcome == TS_TIME_LIMIT) break;
    ++state->run->report->fallbacks;
    if (state->run->report->iterations >= state->run->limit) return TS_ITERATION_LIMIT;
  }
  return outcome;
}

static ts_outcome run_stages(ts_cone_state *state)
{
  if (state->p->compliance)
    return run_chain(state, uncondensed_chain, sizeof uncondensed_chain / sizeof uncondensed_chain[0]);
  if (state->run->options->warm_start) {
    const ts_outcome outcome = run_chain(state, warm_chain, sizeof warm_chain / sizeof warm_chain[0]);
    if (outcome == TS_SOLVED || outcome == TS_TIME_LIMIT) return outcome;
  }
  return run_chain(state, cold_chain, sizeof cold_chain / sizeof cold_chain[0]);
}

ts_outcome ts_auto_friction(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, false, run, z, run_stages);
}
