// The complementarity problem of a step: its formulation, the solver that was asked for, and `auto` where that fails.
#include "step/solve.h"

#include "step/certify.h"
#include "step/far_stops.h"
#include "step/force_limits.h"
#include "step/polygon_slip.h"
#include "step/round_off.h"
#include "step/select_loads.h"

#include "touchstone/certificate.h"

#include "complementarity/friction/few_contacts.h"
#include "complementarity/problem/lowering.h"
#include "complementarity/solver.h"
#include "contact/body_space.h"
#include "math/finite.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

static void add_to_report(ts_step_report *report, const ts_report *solve)
{
  report->solver = solve->solver;
  report->iterations += solve->iterations;
  report->factorizations += solve->factorizations;
  report->fallbacks += solve->fallbacks;
}

void ts_forget_attempt(ts_sim *sim, const ts_step_report *before)
{
  ts_step_report report = *before;
  report.iterations = sim->report.iterations;
  report.factorizations = sim->report.factorizations;
  report.fallbacks = sim->report.fallbacks;
  report.problems = sim->report.problems;
  sim->report = report;
}

// Run a solver on a problem that was built here: its form needs no check, its numbers may have overflowed. What cannot
// run at all counts as not solved.
bool ts_sim_run_solver(ts_sim *sim, const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                       double *z, ts_report *solve)
{
  const ts_status status = ts_solve_unchecked(solver, problem, options, sim->workspace, z, solve, NULL);
  if (status == TS_OUT_OF_MEMORY) longjmp(*sim->scratch[1 - sim->turn].recovery, 1);
  ts_sim_heed(sim);
  if (status != TS_OK) {
    solve->residual = INFINITY;
    return false;
  }
  add_to_report(&sim->report, solve);
  return solve->outcome == TS_SOLVED || solve->outcome == TS_ACCURATE || solve->residual <= sim->options.tolerance;
}

// A stepper may ask for more than the options do, which round-off need not allow: the problem is solved all the same
// when it gets what the options ask for. The chain of `auto` would go down to its end for it: there more is tried for a
// while only.
static bool run(ts_sim *sim, const ts_solver *solver, const ts_problem *problem, bool warm, double *z, ts_report *solve)
{
  enum { A_WHILE = 50 }; // iterations
  ts_solve_options options = sim->solve_options;
  options.warm_start = warm;
  if (options.tolerance < sim->options.tolerance && solver == ts_solver_find("auto")) {
    if (options.max_iterations == 0 || options.max_iterations > A_WHILE) options.max_iterations = A_WHILE;
    if (ts_sim_run_solver(sim, solver, problem, &options, z, solve)) return true;
    options = sim->solve_options;
    options.tolerance = sim->options.tolerance;
  }
  return ts_sim_run_solver(sim, solver, problem, &options, z, solve);
}

bool ts_sim_solve(ts_sim *sim, const ts_problem *problem, bool warm, double *z, ts_report *solve)
{
  const bool takes = ts_solver_takes(sim->options.solver) & (unsigned)problem->type;
  if (takes && run(sim, sim->options.solver, problem, warm, z, solve)) return true;
  const ts_solver *automatic = ts_solver_find("auto");
  if (sim->options.solver == automatic) return false;
  ++sim->report.fallbacks;
  return run(sim, automatic, problem, false, z, solve);
}

void ts_sim_take_solve(ts_sim *sim, int size, bool solved, const ts_report *solve)
{
  sim->report.problem_size = size;
  sim->report.certified = sim->report.certified && solved;
  sim->report.residual = fmax(sim->report.residual, solve->residual);
  sim->report.velocity_error = fmax(sim->report.velocity_error, solve->measures.velocity_error);
  sim->report.within_length += solved && solve->residual > sim->options.tolerance;
}

// Of a step, for an impact has no length; and without inertia velocities are small against the data.
double ts_step_velocity_error(const ts_step *step, int blocks)
{
  enum { MANY = 60 };
  const ts_sim *sim = step->sim;
  if (step->gap_error > 0.0) return blocks > MANY ? step->gap_error / step->h : 0.0;
  if (step->impulsive || step->strikes || step->force_time > 0.0 || !(step->h > 0.0)) return 0.0;
  const double chosen = blocks > MANY ? sim->length : 0.0;
  return (sim->options.accuracy < 0.0 ? chosen : sim->options.accuracy) / step->h;
}

// Lower the friction problem, solve that, and translate back.
static bool solve_lowered(ts_step *step, const ts_system *system, bool warm, double *r, ts_report *solve)
{
  ts_sim *sim = step->sim;
  const bool polyhedral = sim->options.cone == TS_CONE_POLYHEDRAL;
  ts_lowering lowering;
  ts_friction_polygon_options polygon = {sim->options.directions, polyhedral ? ts_polygon_slip(step, system) : NULL};
  ts_lower_into *lower = polyhedral ? ts_lower_to_lcp_into : ts_lower_to_mcp_into;
  if (lower(&system->problem, &polygon, step->arena, &lowering, NULL) != TS_OK) return false;
  const ts_problem *problem = ts_lowering_problem(&lowering);
  double *z = ts_arena_zeros(step->arena, ts_problem_size(problem));
  if (warm) ts_lowering_start(&lowering, r, z);
  const bool solved = ts_sim_solve(sim, problem, warm, z, solve);
  ts_lowering_recover(&lowering, z, r);
  return solved;
}

// The problem with what solvers may use besides W: `bodies` is where that is put. What is solved already needs neither.
// In place, for problems are large.
static void set_problem_with_bodies(const ts_step *step, const ts_system *system, ts_bodies *bodies,
                                    ts_problem *problem)
{
  problem->type = TS_FRICTION;
  problem->friction = system->problem;
  problem->friction.bodies = ts_body_space_find(system, step->arena, bodies) ? bodies : NULL;
}

// In the plane both cones are the same: what solvers of the lowered problem have missed, friction solvers may solve, or
// prove that it has no solution. In space their solutions are no answer to a polyhedral problem, but such a proof says
// who is jammed.
static bool solve_with_exact_cone(ts_step *step, const ts_system *system, double *r, ts_report *solve)
{
  ts_sim *sim = step->sim;
  if (system->dimension > 2 && sim->options.cone != TS_CONE_POLYHEDRAL) return false;
  const ts_solver *automatic = ts_solver_find("auto");
  ts_bodies bodies;
  ts_problem problem;
  set_problem_with_bodies(step, system, &bodies, &problem);
  ++sim->report.fallbacks;
  if (system->dimension == 2) return run(sim, automatic, &problem, false, r, solve);
  ts_report exact = {.jam = solve->jam};
  run(sim, automatic, &problem, false, ts_arena_zeros(step->arena, ts_problem_size(&problem)), &exact);
  if (exact.outcome == TS_NO_SOLUTION) solve->outcome = TS_NO_SOLUTION;
  return false;
}

// Nothing approaches and nothing drives: no impulse is the solution, and its residual is zero.
static bool nothing_to_do(const ts_system *system)
{
  for (int i = 0; i < system->count; ++i) {
    if (ts_block_is_held(&system->blocks[i]) || system->blocks[i].kind == TS_BLOCK_REBOUND) return false;
    if (system->q[(size_t)i * (size_t)system->dimension] < 0.0) return false;
  }
  return true;
}

typedef struct finite_task {
  const ts_block_matrix *W;
  atomic_bool broken; // some number is none
} finite_task;

static void look_for_numbers(void *argument, int first, int end)
{
  finite_task *task = argument;
  const ts_block_matrix *W = task->W;
  const size_t size = (size_t)(W->block * W->block), from = (size_t)W->start[first] * size;
  if (!ts_all_finite(W->value + from, (size_t)W->start[end] * size - from))
    atomic_store_explicit(&task->broken, true, memory_order_relaxed);
}

static bool is_finite_problem(const ts_system *system)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const size_t entries = (size_t)W->start[W->rows] * (size_t)(W->block * W->block);
  if (!ts_team_pays(system->team, W->rows, TS_SHARE_OF_BLOCKS))
    return ts_all_finite(system->q, rows) && ts_all_finite(W->value, entries);
  finite_task task = {W, false};
  ts_team_split(system->team, W->rows, TS_SHARE_OF_BLOCKS, look_for_numbers, &task);
  return !atomic_load_explicit(&task.broken, memory_order_relaxed) && ts_all_finite(system->q, rows);
}

// Where no solver comes near, the problem has no solution most often: bodies are crushed between others that nothing
// stops. The best point of a solver may then hold impulses of any size, which throw bodies out of the scene. With
// contacts that give way a little there always is a solution, and energies stay in proportion: u = (W + s D) r + q, D
// the diagonal of J M^-1 J^T.
static const double COARSE = 1e-3;   // residual up to which a solver's best point is as good
static const double SOFTNESS = 1e-2; // s: velocities up to about s^-1/2 times those that are asked for

static ts_friction softened(const ts_system *system, ts_arena *arena)
{
  ts_friction problem = system->problem;
  const ts_block_matrix *W = &system->problem.W;
  const int d = system->dimension;
  const size_t block_size = (size_t)(d * d), size = (size_t)W->start[W->rows] * block_size;
  double *value = ts_arena_doubles(arena, size);
  memcpy(value, W->value, size * sizeof *value);
  for (int i = 0; i < W->rows; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      for (int r = ts_block_has_given_normal(&system->blocks[i]) ? 1 : 0; W->index[k] == i && r < d; ++r)
        value[(size_t)k * block_size + (size_t)(r * d + r)] += SOFTNESS * ts_unconstrained_compliance(system, i, r);
  problem.W.value = value;
  return problem;
}

// Replace r by the solution of the softened problem, where that can be had.
static void give_way(ts_step *step, const ts_system *system, double *r, ts_report *solve)
{
  ts_sim *sim = step->sim;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const ts_problem exact = ts_problem_friction(system->problem);
  const ts_problem soft = ts_problem_friction(softened(system, step->arena));
  double *answer = ts_arena_zeros(step->arena, rows);
  solve->jam = NULL; // what is known of the exact problem stays
  if (!run(sim, ts_solver_find("auto"), &soft, false, answer, solve)) return;
  memcpy(r, answer, rows * sizeof *r);
  solve->residual = ts_certify(&exact, r, sim->team, step->arena, &solve->measures);
}

static bool attempt(ts_step *step, const ts_system *system, bool warm, double *r, ts_report *solve)
{
  ts_sim *sim = step->sim;
  if (sim->options.cone == TS_CONE_QUADRATIC && (ts_solver_takes(sim->options.solver) & TS_FRICTION)) {
    ts_bodies bodies;
    ts_problem problem;
    set_problem_with_bodies(step, system, &bodies, &problem);
    return ts_sim_solve(sim, &problem, warm, r, solve);
  }
  return solve_lowered(step, system, warm, r, solve) || solve_with_exact_cone(step, system, r, solve);
}

// A problem is as good as solved when round-off of its data accounts for the residual, of the best point that was found
// or of no impulses at all: the figure is then relative to velocities for which that is the tolerance. A tolerance that
// no data could meet is taken at its word. The cone of a polyhedral problem is another one.
static bool is_solved_but_for_round_off(ts_step *step, const ts_system *system, double *r, ts_report *solve)
{
  ts_sim *sim = step->sim;
  if (sim->solve_options.tolerance < DBL_EPSILON) return false;
  if (system->dimension > 2 && sim->options.cone == TS_CONE_POLYHEDRAL) return false;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const ts_problem problem = ts_problem_friction(system->problem);
  const double *const points[] = {r, ts_arena_zeros(step->arena, rows)};
  for (size_t k = 0; k < sizeof points / sizeof *points; ++k) {
    const double round_off = ts_round_off_residual(step, system, points[k]);
    ts_friction_measures measures;
    const double residual = ts_certify(&problem, points[k], step->sim->team, step->arena, &measures);
    if (!(residual <= round_off)) continue;
    if (k > 0) memcpy(r, points[k], rows * sizeof *r);
    if (!sim->report.solver) sim->report.solver = ts_solver_name(sim->options.solver);
    solve->measures = measures;
    solve->residual = sim->solve_options.tolerance * (residual / round_off);
    solve->outcome = TS_SOLVED;
    return true;
  }
  return false;
}

// Whoever names a solver wants it to run.
static bool may_leave_solver_out(const ts_sim *sim)
{
  return sim->options.cone == TS_CONE_QUADRATIC && sim->options.solver == ts_solver_find("auto");
}

// What rests goes on with the impulses of the last step. Where many contacts may be solved within a length and these
// impulses solve them, or err by no more than sweeps were seen not to improve, their certificate is all that is spent
// on them. Some piles have modes that sweeps do not reach: they would be swept for ever without becoming any stiller.
static bool rests(const ts_step *step, const ts_system *system, bool warm, const double *r, ts_report *start)
{
  const ts_sim *sim = step->sim;
  if (!warm || !may_leave_solver_out(sim)) return false;
  const ts_problem problem = ts_problem_friction(system->problem);
  start->residual = ts_step_certify(step, system, r, &start->measures);
  return ts_certificate_passes(&problem, start->residual, &start->measures, sim->options.tolerance) ||
         start->measures.velocity_error <= sim->remembered.futile;
}

static const double FAR_INSIDE = 2e-3; // of the length: only there may sweeps be left out

double ts_resting_velocity_error(const ts_step *step)
{
  const double allowed = ts_step_velocity_error(step, step->system.count);
  return allowed > 0.0 && may_leave_solver_out(step->sim) ? FAR_INSIDE * allowed : 0.0;
}

// Keep for the next step what the sweeps from `start` were good for.
static void learn_from_sweeps(ts_step *step, const ts_report *start, const ts_report *solve)
{
  static const double IN_VAIN = 0.5; // of the residual, where more is left
  static const double SLACK = 2.0;   // how far it may rise until they are tried again
  const double most = FAR_INSIDE * step->sim->solve_options.velocity_error, reached = solve->measures.velocity_error;
  const bool in_vain = solve->outcome == TS_ACCURATE && solve->residual > IN_VAIN * start->residual && reached <= most;
  step->futile = in_vain ? fmin(SLACK * reached, most) : 0.0;
}

// Whether the impulses of the last step are kept. Else, of many contacts, what they are like is in `start`.
static bool keep(ts_step *step, const ts_system *system, bool warm, const double *r, ts_report *start, ts_report *solve)
{
  if (!(step->sim->solve_options.velocity_error > 0.0)) return false;
  memset(start, 0, offsetof(ts_report, trail));
  if (!rests(step, system, warm, r, start)) return false;
  solve->residual = start->residual;
  solve->measures = start->measures;
  step->futile = step->sim->remembered.futile;
  step->sim->report.solver = ts_solver_name(step->sim->options.solver);
  return true;
}

// The problem of many contacts from the impulses of the last step.
static bool go_on(ts_step *step, const ts_system *system, bool warm, const ts_report *start, double *r,
                  ts_report *solve)
{
  const bool solved = attempt(step, system, warm, r, solve);
  if (warm && step->sim->solve_options.velocity_error > 0.0) learn_from_sweeps(step, start, solve);
  return solved;
}

// The shares outlive the memory of the solve. Friction of a rebound is that of its contact.
static void take_jam(ts_step *step, const ts_system *system, const double *share)
{
  for (int i = 0; i < system->count; ++i) {
    const int block = system->origin ? system->origin[i] : i;
    if (block < step->system.count)
      step->jam[block] = share[i];
    else
      step->jam[system->blocks[i].source] += share[i];
  }
}

// Whether r, which comes from the steps before, solves the problem as it stands, certified: then there is nothing to
// do. Impulses that two steps agree on, as far as the tolerance can tell, have come to rest: they have to lie as far
// inside the tolerance as solvers aim at. While they still change a little, as those do that are not unique, a guess is
// held to what solvers take as it is: what it leaves wrong adds up from step to step and has to be put right soon.
// Where they change by more there is no use in looking. What is taken rests from then on.
static bool still_answers(ts_step *step, const ts_system *system, const double *r, ts_report *solve)
{
  static const double SETTLED = 0.03; // of the tolerance
  static const double LITTLE = 1e-4;  // of the forces
  ts_sim *sim = step->sim;
  // Newton's method on few contacts and sweeps over many ask that themselves.
  if (ts_few_contacts_apply(&system->problem) || sim->solve_options.velocity_error > 0.0) return false;
  if (!may_leave_solver_out(sim)) return false;
  const double change = ts_remembered_change(&sim->remembered, system, &step->contacts, step->bounded);
  if (!(change <= LITTLE)) return false;
  const ts_problem problem = ts_problem_friction(system->problem);
  solve->residual = ts_certify(&problem, r, sim->team, step->arena, &solve->measures);
  const double share = change <= SETTLED * sim->options.tolerance ? 1.0 : TS_SHARE_FOR_A_GUESS;
  const double within = share * TS_SHARE_OF_TOLERANCE * sim->solve_options.tolerance;
  if (!ts_certificate_passes(&problem, solve->residual, &solve->measures, within)) return false;
  solve->outcome = TS_SOLVED;
  sim->report.solver = sim->options.solver->name;
  step->settled = true;
  return true;
}

// `strained`: impulses are so far above the data that round-off may be all that a starting point leaves to solve.
static void solve_problem(ts_step *step, const ts_system *system, bool warm, bool strained, double *r)
{
  ts_sim *sim = step->sim;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  if (nothing_to_do(system)) {
    memset(r, 0, rows * sizeof *r);
    return;
  }
  ts_report start, solve;
  memset(&solve, 0, offsetof(ts_report, trail));
  solve.jam = ts_arena_doubles(step->arena, (size_t)system->count);
  sim->solve_options.velocity_error = ts_step_velocity_error(step, system->count);
  const bool kept = keep(step, system, warm, r, &start, &solve);
  if (!kept && !ts_system_is_complete(&step->system)) ts_step_complete(step);
  if (!kept && !is_finite_problem(system)) {
    memset(r, 0, rows * sizeof *r);
    sim->report.certified = false;
    sim->report.residual = INFINITY;
    sim->solve_options.velocity_error = 0.0;
    return;
  }
  const bool solved = kept || (warm && still_answers(step, system, r, &solve)) ||
                      (warm && strained && is_solved_but_for_round_off(step, system, r, &solve)) ||
                      go_on(step, system, warm, &start, r, &solve) ||
                      is_solved_but_for_round_off(step, system, r, &solve);
  if (solve.outcome == TS_NO_SOLUTION) {
    sim->report.jammed = true;
    take_jam(step, system, solve.jam);
  }
  sim->solve_options.velocity_error = 0.0;
  if (!solved && !(solve.residual <= COARSE)) give_way(step, system, r, &solve);
  ts_sim_take_solve(sim, (int)rows, solved, &solve);
  sim->report.length_error = fmax(sim->report.length_error, step->h * solve.measures.velocity_error);
  sim->report.cone_violation = fmax(sim->report.cone_violation, solve.measures.cone_violation);
}

static void forget_jam(ts_step *step, const ts_system *system)
{
  for (int i = 0; i < system->count; ++i) {
    const int block = system->origin ? system->origin[i] : i;
    step->jam[block < step->system.count ? block : system->blocks[i].source] = 0.0;
  }
}

// A connected system with force limits. Solves at lowered limits leave nothing but their effort in the report.
static void solve_with_limits(ts_step *step, ts_system *system, bool warm, double *r)
{
  ts_sim *sim = step->sim;
  const ts_step_report before = sim->report;
  ts_force_limits limits = ts_force_limits_begin(system, NULL, warm, r, step->arena);
  solve_problem(step, system, warm, ts_force_limits_are_raised(&limits), r);
  while (ts_force_limits_raise(&limits, r)) {
    ts_forget_attempt(sim, &before);
    forget_jam(step, system);
    solve_problem(step, system, true, true, r);
  }
  ts_step_select_loads(step, system, r);
  if (!ts_force_limits_end(&limits, r)) sim->report.certified = false;
}

// Without force limits.
static void solve_freely(ts_step *step, const ts_system *system, bool warm, double *r)
{
  solve_problem(step, system, warm, false, r);
  ts_step_select_loads(step, system, r);
}

static void solve_within_limits(ts_step *step, ts_system *system, bool limited, bool warm, double *r)
{
  if (limited)
    solve_with_limits(step, system, warm, r);
  else
    solve_freely(step, system, warm, r);
}

// Stops of joints that are far away do not scale the residual.
static void solve_with_stops(ts_step *step, ts_system *system, bool limited, bool warm, double *r)
{
  const ts_step_report before = step->sim->report;
  ts_far_stops far = ts_far_stops_begin(system, NULL, step->arena);
  solve_within_limits(step, system, limited, warm, r);
  while (ts_far_stops_put_back(&far, r)) {
    ts_forget_attempt(step->sim, &before);
    forget_jam(step, system);
    solve_within_limits(step, system, limited, true, r);
  }
  ts_far_stops_end(&far);
}

// Solve and certify island by island: the data of one are no measure for another. Without force limits the data of all
// islands together are the measure.
static void solve_islands(ts_step *step, ts_system *system, bool warm, double *r)
{
  const size_t d = (size_t)system->dimension;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  double futile = 0.0;
  ts_islands islands;
  ts_islands_find(&system->problem, step->arena, &islands);
  for (int k = 0; islands.count > 1 && k < islands.count; ++k) {
    const ts_arena_mark own = ts_arena_save(step->arena);
    ts_system island;
    ts_system_island(system, &islands, k, step->arena, &island);
    double *part = ts_arena_doubles(step->arena, (size_t)island.count * d);
    for (int i = 0; i < island.count; ++i)
      memcpy(part + (size_t)i * d, r + (size_t)island.origin[i] * d, d * sizeof *part);
    solve_with_stops(step, &island, true, warm, part);
    for (int i = 0; i < island.count; ++i)
      memcpy(r + (size_t)island.origin[i] * d, part + (size_t)i * d, d * sizeof *part);
    futile = fmax(futile, step->futile);
    ts_arena_restore(step->arena, own);
  }
  if (islands.count == 1)
    solve_with_stops(step, system, true, warm, r);
  else
    step->futile = futile;
  step->sim->report.problem_size = (int)d * system->count;
  ts_arena_restore(step->arena, mark);
}

// Contacts that joints hold have data of nothing but round-off, which would ask for impulses without bounds.
void ts_step_solve(ts_step *step, const ts_system *system, bool warm, double *r)
{
  ts_system own;
  ++step->sim->report.problems;
  const bool apart = ts_set_immovable_blocks_apart(step, system, &own);
  if (step->bounded_count == 0) {
    solve_freely(step, apart ? &own : system, warm, r);
    return;
  }
  if (!apart) own = *system; // complete, for with bounded rows W always is
  if (ts_system_has_force_limits(system))
    solve_islands(step, &own, warm, r);
  else
    solve_with_stops(step, &own, false, warm, r);
}
