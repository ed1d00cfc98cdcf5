// Friction problems by `auto`: stages from cheap to thorough, each starting from what the ones before it left. Sweeps
// finish what is easy; the smoothing path finishes nearly all the rest; Newton steps judged after smoothing fail on
// other problems than the path does; arc length passes the folds of the path. The order was measured on the public
// problem files and on copies of them with 5 % perturbed data (docs/solvers.md).
#include "complementarity/auto_friction.h"

#include "complementarity/friction_solver.h"
#include "complementarity/one_contact.h"

#include <math.h>
#include <string.h>

typedef struct stage {
  const char *solver; // whose method it is
  ts_outcome (*run)(ts_cone_state *state, const struct stage *stage);
  double a, b; // settings of the method
  int limit;
} stage;

static ts_outcome sweeps(ts_cone_state *state, const stage *s)
{
  return ts_cone_gauss_seidel(state, s->limit, s->a, s->b);
}

static ts_outcome accelerated_sweeps(ts_cone_state *state, const stage *s)
{
  return ts_cone_accelerated_sweeps(state, state->r, s->limit, s->a);
}

// From elsewhere, and otherwise relaxed, the way may lead past the fold that stopped the others.
static ts_outcome cold_accelerated_sweeps(ts_cone_state *state, const stage *s)
{
  return ts_cone_accelerated_sweeps(state, NULL, s->limit, s->a);
}

static ts_outcome smoothed_newton(ts_cone_state *state, const stage *s)
{
  return ts_cone_smoothed_newton(state, state->r, s->limit, (int)s->a);
}

static ts_outcome path(ts_cone_state *state, const stage *s)
{
  return ts_cone_smoothing_path(state, s->a, s->b);
}

static ts_outcome arc(ts_cone_state *state, const stage *s)
{
  return ts_cone_arc_length(state, s->a, s->b, s->limit);
}

static ts_outcome split(ts_cone_state *state, const stage *s)
{
  return ts_cone_splitting(state, s->limit);
}

// Clusters are for large problems: in a small one the cluster would be the whole.
static ts_outcome repair(ts_cone_state *state, const stage *s)
{
  return state->p->contacts >= s->limit ? ts_cone_cluster_repair(state) : TS_STALLED;
}

// What two methods have missed may have no solution, which only a search can tell.
static ts_outcome modes(ts_cone_state *state, const stage *s)
{
  return ts_cone_enumerate(state, s->limit);
}

// What is left of the residual may sit in a few contacts: many sweeps bring the rest into place.
static ts_outcome long_sweeps(ts_cone_state *state, const stage *s)
{
  if (ts_cone_gauss_seidel(state, s->limit, s->a, INFINITY) == TS_SOLVED) return TS_SOLVED;
  return ts_cone_polish(state, state->r, 10);
}

static const stage cold_chain[] = {
    {"nsgs", sweeps, 1.2, 70.0, 100},
    {"smooth", path, 0.1, 0.3, 0},
    {"newton", smoothed_newton, 4.0, 0.0, 14},
    {"modes", modes, 0.0, 0.0, 400},
    {"smooth", path, 0.03, 0.3, 0},
    {"nsgs", accelerated_sweeps, 1.2, 0.0, 2000},
    {"repair", repair, 0.0, 0.0, 30},
    {"smooth", path, 0.1, 0.1, 0},
    {"smooth", path, 0.01, 0.3, 0},
    {"modes", modes, 0.0, 0.0, 5000},
    {"arclength", arc, 0.1, 0.1, 300},
    {"arclength", arc, 0.1, 0.03, 300},
    {"splitting", split, 0.0, 0.0, 1000},
    {"smooth", path, 0.1, 0.5, 0},
    {"arclength", arc, 0.03, 0.1, 600},
    {"nsgs", long_sweeps, 1.0, 0.0, 3000},
    {"repair", repair, 0.0, 0.0, 30},
    {"arclength", arc, 0.5, 0.1, 300},
    {"arclength", arc, 0.1, 0.3, 300},
    {"nsgs", long_sweeps, 1.0, 0.0, 10000},
};

// Newton before the path, in two cases. With much friction contacts wedge: self-equilibrated impulses of any size fit
// between them, and the centred points of the path run away to where round-off spoils them, whereas Newton steps from
// swept impulses stay small. And in small problems with few neighbours a contact the sweeps that judge a Newton step
// cost next to nothing.
static const stage newton_chain[] = {
    {"nsgs", sweeps, 1.2, 70.0, 100},
    {"newton", smoothed_newton, 1.0, 0.0, 20},
};
static const double WEDGING_FRICTION = 0.9;
enum { SMALL = 40, FEW_NEIGHBOURS = 12 };

static bool newton_comes_first(const ts_cone_problem *p)
{
  if (p->contacts <= SMALL && p->start[p->contacts] <= FEW_NEIGHBOURS * p->contacts) return true;
  for (int i = 0; i < p->contacts; ++i)
    if (p->mu[i] >= WEDGING_FRICTION) return true;
  return false;
}

// From a good start, such as the last step's impulses, a few sweeps and Newton steps are enough as a rule. In a large
// problem a factorization costs as much as many sweeps, and what accelerated sweeps cannot solve there, Newton steps
// from where they end did not solve either.
static const stage large_warm_chain[] = {
    {"nsgs", accelerated_sweeps, 1.0, 0.0, 3000},
    {"nsgs", cold_accelerated_sweeps, 1.2, 0.0, 3000},
};
static const stage warm_chain[] = {
    {"nsgs", sweeps, 1.0, INFINITY, 10},
    {"newton", smoothed_newton, 4.0, 0.0, 14},
};
enum { LARGE = 60 };

// Without W there are no sweeps.
static const stage uncondensed_chain[] = {
    {"smooth", path, 0.1, 0.3, 0},      {"smooth", path, 0.03, 0.3, 0},     {"arclength", arc, 0.1, 0.1, 300},
    {"smooth", path, 0.1, 0.1, 0},      {"arclength", arc, 0.1, 0.03, 300}, {"smooth", path, 0.01, 0.3, 0},
    {"arclength", arc, 0.03, 0.1, 600},
};

static ts_outcome run_stage(ts_cone_state *state, const stage *s)
{
  ts_report *report = state->run->report;
  const double error = state->error;
  const int iterations = report->iterations, factorizations = report->factorizations;
  if (report->trail_count > 0) ++report->fallbacks;
  ts_outcome outcome = s->run(state, s);
  if (ts_cone_will_do(state)) outcome = TS_SOLVED;
  if (state->error < error) report->solver = s->solver;
  ts_run_enter_stage(state->run, s->solver, outcome, state->error, iterations, factorizations);
  return outcome;
}

static ts_outcome run_chain(ts_cone_state *state, const stage *chain, size_t count)
{
  ts_outcome outcome = TS_STALLED;
  for (size_t k = 0; k < count; ++k) {
    outcome = run_stage(state, &chain[k]);
    if (outcome == TS_SOLVED || outcome == TS_NO_SOLUTION || ts_run_is_over(state->run)) break;
    if (state->run->report->iterations >= state->run->limit) return TS_ITERATION_LIMIT; // the chain's own limit
  }
  return outcome == TS_SOLVED ? outcome : ts_run_ending(state->run, outcome);
}

static ts_outcome run_stages(ts_cone_state *state)
{
  if (state->p->compliance)
    return run_chain(state, uncondensed_chain, sizeof uncondensed_chain / sizeof uncondensed_chain[0]);
  const size_t length = sizeof cold_chain / sizeof cold_chain[0];
  if (state->run->options->warm_start) {
    const bool large = state->p->contacts > LARGE;
    const ts_outcome outcome = run_chain(state, large ? large_warm_chain : warm_chain, 2);
    if (outcome == TS_SOLVED || ts_run_is_over(state->run)) return outcome;
    if (large) return run_chain(state, cold_chain + 1, length - 1); // the sweeps were made
  }
  if (!newton_comes_first(state->p)) return run_chain(state, cold_chain, length);
  const ts_outcome outcome = run_chain(state, newton_chain, sizeof newton_chain / sizeof newton_chain[0]);
  if (outcome == TS_SOLVED || ts_run_is_over(state->run)) return outcome;
  return run_chain(state, cold_chain + 1, length - 1); // the sweeps were made
}

// Small problems that the whole chain missed: Todorov's method works in other variables and fails elsewhere. Dense, so
// for small problems only.
enum { LARGEST_FOR_DOGLEG = 200 };

static ts_outcome try_dogleg(const ts_problem *problem, ts_run *run, double *z)
{
  const size_t bytes = ts_problem_size(problem) * sizeof *z;
  const double claimed = run->report->claimed;
  const char *producer = run->report->solver;
  ++run->report->fallbacks;
  double *trial = ts_arena_bytes(run->arena, bytes, 1);
  memcpy(trial, z, bytes);
  const ts_outcome outcome = ts_run_stage(ts_solver_find("ncp-dogleg"), problem, run, false, trial);
  if (outcome == TS_SOLVED) {
    memcpy(z, trial, bytes);
  } else {
    run->report->claimed = claimed;
    run->report->solver = producer;
  }
  return outcome;
}

// One contact needs no chain, and is what many steps of many simulations have. The scaled residual alone cannot speak
// for FCLIB's figure; but it is at round-off here, and the certificate looks at both.
static bool solve_single_contact(const ts_problem *problem, ts_run *run, double *z)
{
  const ts_friction *p = &problem->friction;
  if (problem->type != TS_FRICTION || p->contacts != 1 || p->bilaterals > 0) return false;
  double trial[4];
  const double residual = ts_single_contact_solve(p, trial);
  if (!(residual <= 1e-3 * run->options->tolerance)) return false;
  memcpy(z, trial, (size_t)p->dimension * sizeof *z);
  ts_run_record(run, residual, 0.0, 0.0, 0);
  run->report->claimed = residual;
  run->report->solver = "nsgs";
  ts_run_enter_stage(run, "nsgs", TS_SOLVED, residual, 0, 0);
  return true;
}

ts_outcome ts_auto_friction(const ts_problem *problem, ts_run *run, double *z)
{
  if (solve_single_contact(problem, run, z)) return TS_SOLVED;
  const ts_outcome outcome = ts_friction_solve(problem, false, run, z, run_stages);
  if (outcome == TS_SOLVED || outcome == TS_NO_SOLUTION || ts_run_is_over(run) || problem->type != TS_FRICTION)
    return outcome;
  return problem->friction.contacts <= LARGEST_FOR_DOGLEG ? try_dogleg(problem, run, z) : outcome;
}
