// Friction problems by `auto`: stages from cheap to thorough, each starting from what the ones before it left. Sweeps
// finish what is easy; the smoothing path finishes nearly all the rest; Newton steps judged after smoothing fail on
// other problems than the path does; arc length passes the folds of the path. The order was measured on the public
// problem files and on copies of them with 5 % perturbed data (docs/solvers.md).
#include "complementarity/friction/auto_friction.h"

#include "complementarity/friction/body_sweeps.h"
#include "complementarity/friction/few_contacts.h"
#include "complementarity/friction/friction_solver.h"
#include "complementarity/friction/island_solver.h"
#include "complementarity/friction/one_contact.h"

#include <limits.h>
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
  return ts_cone_accelerated_sweeps(state, state->r, s->limit, (int)s->b, s->a);
}

// A factorization costs as much as a number of sweeps that grows with the size of the problem.
static ts_outcome accelerated_sweeps_by_size(ts_cone_state *state, const stage *s)
{
  return ts_cone_accelerated_sweeps(state, state->r, s->limit + state->p->contacts, 0, s->a);
}

static ts_outcome momentum_sweeps(ts_cone_state *state, const stage *s)
{
  return ts_cone_momentum_sweeps(state, s->limit);
}

// Forces at rest, nearly solved: the modes of the contacts are known, and sweeps would only take longer. The goal is
// that of a guess: Newton's last step goes there as a rule.
static ts_outcome newton_from_near(ts_cone_state *state, const stage *s)
{
  const double target = state->target;
  state->target = TS_SHARE_FOR_A_GUESS * target;
  ts_cone_polish(state, state->r, s->limit);
  state->target = target;
  return ts_cone_done(state) ? TS_SOLVED : TS_STALLED;
}

static ts_outcome newton_rounds(ts_cone_state *state, const stage *s)
{
  return ts_cone_newton_rounds(state, s->limit);
}

static ts_outcome smoothed_newton(ts_cone_state *state, const stage *s)
{
  return ts_cone_smoothed_newton(state, state->r, s->limit, (int)s->a);
}

static ts_outcome proximal_steps(ts_cone_state *state, const stage *s)
{
  return ts_cone_proximal_steps(state, s->limit);
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

typedef struct chain {
  const stage *stages;
  int count;
} chain;
#define CHAIN_OF(stages)                                                                                               \
  {                                                                                                                    \
    stages, sizeof(stages) / sizeof(stages)[0]                                                                         \
  }

static const stage first_sweeps[] = {{"nsgs", sweeps, 1.2, 70.0, 100}};

// Newton before the path, in two cases. With much friction contacts wedge: self-equilibrated impulses of any size fit
// between them, and the centred points of the path run away to where round-off spoils them, whereas Newton steps from
// swept impulses stay small. And in small problems with few neighbours a contact sweeps cost next to nothing: a few
// rounds of them and Newton steps solve most, with far fewer factorizations than the path takes.
static const stage sweeps_and_newton[] = {
    {"nsgs", sweeps, 1.2, 70.0, 100},
    {"newton", smoothed_newton, 1.0, 0.0, 20},
};
static const stage sweeps_and_rounds[] = {
    {"nsgs", sweeps, 1.2, 70.0, 100},
    {"newton", newton_rounds, 0.0, 0.0, 6},
    {"newton", smoothed_newton, 1.0, 0.0, 20},
};

// With many neighbours a contact a factorization costs as much as many sweeps, since its price grows with the square of
// their number: acceleration goes on as long as it halves the error in 20 sweeps.
static const stage accelerated_first[] = {
    {"nsgs", sweeps, 1.2, 70.0, 100},
    {"nsgs", accelerated_sweeps, 1.0, 20.0, 400},
};

// From a good start, such as the last step's impulses, a few sweeps and Newton steps are enough as a rule. In a large
// problem sweeps are cheaper than factorizations, and what they cannot solve, proximal steps from where they end do.
static const stage near_and_warm[] = {{"newton", newton_from_near, 0.0, 0.0, 3}};
static const stage small_and_warm[] = {
    {"nsgs", sweeps, 1.0, INFINITY, 10},
    {"newton", smoothed_newton, 4.0, 0.0, 14},
};
static const stage large_and_warm[] = {
    {"nsgs", accelerated_sweeps_by_size, 1.0, 0.0, 300},
    {"proximal", proximal_steps, 0.0, 0.0, 2000},
};

// The same where the worst contact's error counts.
static const stage large_and_content[] = {
    {"nsgs", momentum_sweeps, 0.0, 0.0, 200},
    {"nsgs", accelerated_sweeps_by_size, 1.0, 0.0, 300},
    {"proximal", proximal_steps, 0.0, 0.0, 2000},
};

// Where the worst contact's error counts and all sweeps of bodies got nowhere (impulses pass through a row of hundred
// bodies no faster than a body a sweep), as many factorizations as a step can wait for.
static const stage after_all_sweeps[] = {
    {"newton", smoothed_newton, 4.0, 0.0, 14},
    {"smooth", path, 0.1, 0.3, 0},
};
#define NOWHERE 1e-3                 // residual
enum { LARGEST_FOR_FACTORS = 4000 }; // contacts: a factorization takes 50 ms there, and grows with their square

// Where the tolerance alone counts and bodies were swept. What this misses, the other stages were never seen to solve
// in ten times the time: a step is not made to wait for it.
static const stage strict_after_bodies[] = {
    {"proximal", proximal_steps, 0.0, 0.0, 500},
    {"newton", smoothed_newton, 4.0, 0.0, 14},
};

static const stage after_sweeps[] = {
    {"smooth", path, 0.1, 0.3, 0},     {"newton", smoothed_newton, 4.0, 0.0, 14},
    {"modes", modes, 0.0, 0.0, 400},   {"proximal", proximal_steps, 0.0, 0.0, 1000},
    {"smooth", path, 0.03, 0.3, 0},    {"nsgs", accelerated_sweeps, 1.2, 0.0, 2000},
    {"repair", repair, 0.0, 0.0, 30},  {"smooth", path, 0.1, 0.1, 0},
    {"smooth", path, 0.01, 0.3, 0},    {"modes", modes, 0.0, 0.0, 5000},
    {"arclength", arc, 0.1, 0.1, 300},
};

// For small problems: in large ones these take minutes and were never seen to help.
static const stage thorough[] = {
    {"arclength", arc, 0.1, 0.03, 300}, {"splitting", split, 0.0, 0.0, 1000},  {"smooth", path, 0.1, 0.5, 0},
    {"arclength", arc, 0.03, 0.1, 600}, {"nsgs", long_sweeps, 1.0, 0.0, 3000}, {"repair", repair, 0.0, 0.0, 30},
    {"arclength", arc, 0.5, 0.1, 300},  {"arclength", arc, 0.1, 0.3, 300},     {"nsgs", long_sweeps, 1.0, 0.0, 10000},
};

// Without W there are no sweeps.
static const stage uncondensed[] = {
    {"smooth", path, 0.1, 0.3, 0},      {"smooth", path, 0.03, 0.3, 0},     {"arclength", arc, 0.1, 0.1, 300},
    {"smooth", path, 0.1, 0.1, 0},      {"arclength", arc, 0.1, 0.03, 300}, {"smooth", path, 0.01, 0.3, 0},
    {"arclength", arc, 0.03, 0.1, 600},
};

static const double WEDGING_FRICTION = 0.9;
static const double NEAR = 100.0; // times the error that counts as solved: Newton's method may begin there
enum { SMALL = 40, FEW_NEIGHBOURS = 12 };

// Whether the best point is nearly solved and no contact slides there. Where one does, impulses that are not unique
// decide on how it goes on, and the steps from one to the next should be small ones.
static bool is_nearly_at_rest(const ts_cone_state *state)
{
  const ts_cone_problem *p = state->p;
  if (!(state->error <= NEAR * state->target)) return false;
  for (int i = 0; i < p->contacts; ++i) {
    const double *r = state->r + (size_t)i * (size_t)p->stride, *u = state->u + (size_t)i * (size_t)p->stride;
    const double pressed = r[0] - u[0]; // W_ii is of size 1
    double push = 0.0;
    for (int k = 1; k < p->d; ++k) push += (r[k] - u[k]) * (r[k] - u[k]);
    if (pressed > 0.0 && push > p->mu[i] * pressed * (p->mu[i] * pressed)) return false;
  }
  return true;
}

static bool may_wedge(const ts_cone_problem *p)
{
  for (int i = 0; i < p->contacts; ++i)
    if (p->mu[i] >= WEDGING_FRICTION) return true;
  return false;
}

// What comes before the path. Problems that say which bodies they come from are those of steps: judged Newton steps end
// at impulses that a tower of ten cubes goes on from with fewer steps solved anew than from those of the rounds.
static chain first_chain(const ts_cone_problem *p)
{
  const bool few_neighbours = p->start[p->contacts] <= FEW_NEIGHBOURS * p->contacts;
  if (may_wedge(p)) return (chain)CHAIN_OF(sweeps_and_newton);
  if (p->contacts <= SMALL && few_neighbours)
    return p->bodies ? (chain)CHAIN_OF(sweeps_and_newton) : (chain)CHAIN_OF(sweeps_and_rounds);
  return few_neighbours ? (chain)CHAIN_OF(first_sweeps) : (chain)CHAIN_OF(accelerated_first);
}

static ts_outcome run_stage(ts_cone_state *state, const stage *s)
{
  ts_report *report = state->run->report;
  const double error = state->error;
  const int iterations = report->iterations, factorizations = report->factorizations;
  if (report->trail_count > 0) ++report->fallbacks;
  ts_outcome outcome = s->run(state, s);
  if (ts_cone_will_do(state))
    outcome = TS_SOLVED;
  else if (ts_cone_is_accurate(state))
    outcome = TS_ACCURATE;
  if (state->error < error) report->solver = s->solver;
  ts_run_enter_stage(state->run, s->solver, outcome, state->error, iterations, factorizations);
  return outcome;
}

// TS_STALLED: nothing is decided, and there is time and there are iterations for more.
static ts_outcome run_chain(ts_cone_state *state, chain c)
{
  for (int k = 0; k < c.count; ++k) {
    const ts_outcome outcome = run_stage(state, &c.stages[k]);
    if (outcome == TS_SOLVED || outcome == TS_NO_SOLUTION || outcome == TS_ACCURATE) return outcome;
    if (ts_run_is_over(state->run)) return ts_run_ending(state->run, TS_STALLED);
    if (state->run->report->iterations >= state->run->limit) return TS_ITERATION_LIMIT; // the chain's own limit
  }
  return TS_STALLED;
}

static ts_outcome run_stages(ts_cone_state *state)
{
  if (state->p->compliance) return run_chain(state, (chain)CHAIN_OF(uncondensed));
  const bool large = state->p->contacts > TS_LARGE_FRICTION, warm = state->run->options->warm_start;
  chain chains[5];
  int count = 0;
  const bool rests = warm && !large && is_nearly_at_rest(state);
  if (ts_cone_done(state) && !rests) return TS_SOLVED; // the start will do
  if (rests) chains[count++] = (chain)CHAIN_OF(near_and_warm);
  if (warm && large)
    chains[count++] = state->enough > 0.0 ? (chain)CHAIN_OF(large_and_content) : (chain)CHAIN_OF(large_and_warm);
  else if (warm)
    chains[count++] = (chain)CHAIN_OF(small_and_warm);
  if (!(warm && large)) // there the sweeps were made
    chains[count++] = first_chain(state->p);
  chains[count++] = (chain)CHAIN_OF(after_sweeps);
  if (!large) chains[count++] = (chain)CHAIN_OF(thorough);
  ts_outcome outcome = TS_STALLED;
  for (int k = 0; k < count && outcome == TS_STALLED; ++k) outcome = run_chain(state, chains[k]);
  return outcome;
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

// Contacts that do not feel each other need no chain, and a single one is what many steps of many simulations have. The
// scaled residual alone cannot speak for FCLIB's figure; but it is at round-off here, and the certificate looks at
// both. A guess for several comes first: one that rests is left as it is.
static bool solve_separate_contacts(const ts_problem *problem, ts_run *run, double *z)
{
  if (problem->type != TS_FRICTION || (run->options->warm_start && problem->friction.contacts > 1)) return false;
  const size_t size = ts_problem_size(problem);
  double *trial = ts_arena_doubles(run->arena, size);
  const double residual = ts_separate_contacts_solve(&problem->friction, trial);
  if (!(residual <= 1e-3 * run->options->tolerance)) return false;
  memcpy(z, trial, size * sizeof *z);
  ts_run_record(run, residual, 0.0, 0.0, 0);
  run->report->claimed = residual;
  run->report->solver = "nsgs";
  ts_run_enter_stage(run, "nsgs", TS_SOLVED, residual, 0, 0);
  return true;
}

// What was done on few contacts, into the report.
static bool report_few_contacts(ts_few_contacts_result result, double target, ts_run *run)
{
  const bool solved = result.error <= target;
  const char *solver = result.steps > 0 ? "newton" : "nsgs";
  ts_report *report = run->report;
  for (int k = 0; k < result.sweeps; ++k) ts_run_record(run, result.error, 0.0, 0.0, 0);
  for (int k = 0; k < result.steps; ++k) ts_run_record(run, result.error, 1.0, 0.0, 0);
  report->factorizations += result.steps;
  if (solved) report->claimed = result.error;
  if (result.steps + result.sweeps == 0) return solved;
  if (solved) report->solver = solver;
  ts_run_enter_stage(run, solver, solved ? TS_SOLVED : TS_STALLED, result.error, 0, 0);
  return solved;
}

// Few contacts with a guess: where its modes are nearly right, a step or two of Newton's method do. Without one, sweeps
// and Newton steps on the problem as it is cost half of what the chain does; whoever counts iterations gets the chain,
// which has a point to show at any number of them.
enum { STEPS_FROM_A_GUESS = 5 };

static bool solve_few_contacts(const ts_problem *problem, ts_run *run, double *z)
{
  const ts_friction *p = &problem->friction;
  const double target = TS_SHARE_OF_TOLERANCE * run->options->tolerance;
  if (problem->type != TS_FRICTION) return false;
  if (run->options->warm_start) {
    if (!ts_few_contacts_apply(p)) return false;
    const int left = ts_run_iterations_left(run), limit = left < STEPS_FROM_A_GUESS ? left : STEPS_FROM_A_GUESS;
    return report_few_contacts(ts_few_contacts_solve(p, target, limit, z), target, run);
  }
  if (run->options->max_iterations > 0 || !ts_few_contacts_apply_cold(p)) return false;
  return report_few_contacts(ts_few_contacts_solve_cold(p, target, z), target, run);
}

static ts_outcome finish_sweeps(ts_cone_state *state)
{
  return run_chain(state, (chain)CHAIN_OF(after_all_sweeps));
}

static ts_outcome finish_strictly(ts_cone_state *state)
{
  return run_chain(state, (chain)CHAIN_OF(strict_after_bodies));
}

// Many contacts between bodies that are known, of which the caller wants the worst one's error within a bound, or which
// go on from the last step, are swept in the space of bodies. What may be spent on them: so many sweeps, and so many
// times the root of the number of contacts more, as they grow in piles.
typedef struct sweep_allowance {
  int least;
  double by_root;
} sweep_allowance;

typedef struct sweep_plan {
  sweep_allowance momentum, accelerated;
} sweep_plan;

enum { MOST_TURNS = 2 };

typedef struct body_plan {
  int count;
  sweep_plan turns[MOST_TURNS];
  double good; // residual up to which nothing follows
  int largest; // contacts beyond which nothing follows either
  ts_outcome (*then)(ts_cone_state *state);
} body_plan;

// With much friction momentum wanders about points from which Anderson's acceleration often needs no more than its
// first forty sweeps: they take turns. Where the tolerance alone counts, as many sweeps as cost what the factorizations
// of a hard problem do; they do not come far below 1e-6.
static const body_plan content = {
    2, {{{200, 15.0}, {200, 0.0}}, {{500, 40.0}, {500, 20.0}}}, NOWHERE, LARGEST_FOR_FACTORS, finish_sweeps};
static const body_plan strict = {1, {{{8000, 0.0}, {0, 0.0}}}, 0.0, INT_MAX, finish_strictly};
static const body_plan very_strict = {1, {{{2000, 0.0}, {0, 0.0}}}, 0.0, INT_MAX, finish_strictly};

static int allowed(sweep_allowance allowance, int contacts)
{
  return allowance.least + (int)(allowance.by_root * sqrt(contacts));
}

static bool bodies_are_swept(const ts_problem *problem, const ts_solve_options *options)
{
  const ts_friction *p = &problem->friction;
  if (problem->type != TS_FRICTION || p->contacts <= TS_LARGE_FRICTION || !ts_body_sweeps_apply(p)) return false;
  return options->velocity_error > 0.0 || options->warm_start;
}

static const body_plan *plan_for(const ts_solve_options *options)
{
  static const double IN_REACH = 1e-7;
  if (options->velocity_error > 0.0) return &content;
  return options->tolerance < IN_REACH ? &very_strict : &strict;
}

// False: contacts push more than two bodies, and others have to solve the problem.
static bool sweep_bodies(const ts_problem *problem, const body_plan *plan, ts_run *run, double *z, ts_outcome *outcome)
{
  const int iterations = run->report->iterations, n = problem->friction.contacts;
  ts_sweep_turn turns[MOST_TURNS];
  double error = INFINITY;
  for (int k = 0; k < plan->count; ++k) {
    const sweep_plan *p = &plan->turns[k];
    turns[k] = (ts_sweep_turn){allowed(p->momentum, n), allowed(p->accelerated, n)};
  }
  *outcome = ts_body_sweeps_solve(&problem->friction, run, run->options->warm_start, turns, plan->count, z, &error);
  if (isinf(error)) return false;
  run->report->claimed = error;
  run->report->solver = "nsgs";
  ts_run_enter_stage(run, "nsgs", *outcome, error, iterations, run->report->factorizations);
  return true;
}

// False where sweep_bodies() says so.
static bool solve_bodies(const ts_problem *problem, ts_run *run, double *z, ts_outcome *outcome)
{
  const body_plan *plan = plan_for(run->options);
  if (!sweep_bodies(problem, plan, run, z, outcome)) return false;
  if (*outcome != TS_STALLED || run->report->claimed <= plan->good) return true;
  if (problem->friction.contacts > plan->largest) return true;
  ts_solve_options warm = *run->options;
  ts_run rest = *run;
  warm.warm_start = true;
  rest.options = &warm;
  *outcome = ts_friction_solve(problem, false, &rest, z, plan->then);
  return true;
}

static bool is_small(const ts_problem *problem)
{
  return problem->type == TS_FRICTION && problem->friction.contacts <= TS_LARGE_FRICTION;
}

static ts_outcome solve_by_stages(const ts_problem *problem, ts_run *run, double *z)
{
  ts_solve_options warm = *run->options;
  ts_run rest = *run;
  if (run->report->trail_count > 0 && !is_small(problem)) { // bodies were swept
    warm.warm_start = true;
    rest.options = &warm;
  }
  const double share = is_small(problem) ? TS_SHARE_FOR_A_GUESS : 1.0;
  return ts_friction_solve_beyond(share, problem, false, &rest, z, run_stages);
}

static ts_outcome solve_island(const ts_problem *problem, ts_run *run, double *z)
{
  if (solve_separate_contacts(problem, run, z) || solve_few_contacts(problem, run, z)) return TS_SOLVED;
  ts_outcome outcome;
  if (!bodies_are_swept(problem, run->options) || !solve_bodies(problem, run, z, &outcome))
    outcome = solve_by_stages(problem, run, z);
  const bool ended = outcome == TS_SOLVED || outcome == TS_ACCURATE || outcome == TS_NO_SOLUTION;
  if (ended || ts_run_is_over(run) || problem->type != TS_FRICTION) return outcome;
  return problem->friction.contacts <= LARGEST_FOR_DOGLEG ? try_dogleg(problem, run, z) : outcome;
}

// Small problems are left whole: there is little to gain.
ts_outcome ts_auto_friction(const ts_problem *problem, ts_run *run, double *z)
{
  ts_outcome outcome;
  const bool whole = problem->type != TS_FRICTION || is_small(problem);
  if (!whole && ts_islands_solve(problem, run, z, solve_island, &outcome)) return outcome;
  return solve_island(problem, run, z);
}
