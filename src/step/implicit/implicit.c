// The geometrically implicit step (003; thesis 3.5): gaps, normals, contact points and friction are those of its end,
//   M (v+ - v) = h f + W(q+)^T p,   0 <= p_n _|_ psi(q+) >= 0,   friction at the equivalent contact point of q+,
//   q+ = q + h G(q) v+.
// Reduced to what bodies feel: the points of a patch (corners of a face, ends of a line) carry normal impulses whose
// sum acts at the equivalent contact point (complementarity/friction/patch_problem.h). The geometry is that of a guess
// of q+, with gaps linearized there; where the guess stays, the step is solved as it stands. docs/theory/implicit.md
// has how this is the problem of 003 eqs. 18 and 19, in the form that is not met by bodies that overlap. That problem
// itself is posed by mncp.c, where the options ask for it.
#include "step/implicit/arrival.h"
#include "step/implicit/judge.h"
#include "step/implicit/mncp.h"
#include "step/implicit/patches.h"
#include "step/options.h"
#include "step/placing.h"
#include "step/repair.h"
#include "step/solve.h"

#include "base/status.h"
#include "complementarity/friction/patch_problem.h"

#include <math.h>
#include <string.h>

enum { MOST_GUESSES = 60, MOST_ITERATIONS = 60 };
static const double AIM = 1e-2, GOOD = 0.2; // of the tolerance: what solves are after, and what round-off may leave

// The step in the making.
typedef struct implicit {
  ts_step *step;
  ts_arrival arrival;    // bodies where the guess takes them
  ts_twist *velocity;    // the guess (body_count)
  double *joint_impulse; // of the rows that hold, without contacts
  ts_patch_set patches;  // at the guess
  double residual;       // of the problem at the guess, and of the guess itself
} implicit;

// ---- the guess -----------------------------------------------------------------------------------------------------

static void begin(implicit *s, ts_step *step)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count, joints = (size_t)step->mobility.count;
  memset(s, 0, sizeof *s);
  s->step = step;
  s->arrival = ts_arrival_make(step);
  s->velocity = ts_arena_bytes(step->arena, bodies, sizeof *s->velocity);
  memset(s->velocity, 0, bodies * sizeof *s->velocity);
  s->joint_impulse = ts_arena_doubles(step->arena, joints);
  if (joints > 0) memcpy(s->joint_impulse, step->mobility.impulse, joints * sizeof *s->joint_impulse);
}

// Bodies at the end of the step if the guess is right, and the points that may touch there. At first nothing moves.
static void look_at_end(implicit *s)
{
  ts_arrival_look(&s->arrival, s->step, s->velocity, &s->patches.points);
}

// ---- the problem at the guess --------------------------------------------------------------------------------------

// Gaps at the end of the step, linearized at the guess: (psi + h J (v - guess)) / h.
static void ask_for_gaps(implicit *s)
{
  ts_step *step = s->step;
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->system.count * d;
  double *guessed = ts_arena_doubles(step->arena, rows);
  ts_system_velocity(&step->system, s->velocity, guessed);
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  ts_step_bounded_bias(step, true);
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = step->contacts.contacts[i].gap / step->h - guessed[normal];
    for (size_t r = 1; r < d; ++r) step->bias[normal + r] = step->surface[normal + r];
  }
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
}

static bool newton(const implicit *s, const ts_patch_problem *problem, double *r)
{
  ts_sim *sim = s->step->sim;
  ts_patch_report report;
  ts_patch_solve(problem, AIM * sim->options.tolerance, MOST_ITERATIONS, s->step->arena, r, &report);
  sim->report.iterations += report.iterations;
  sim->report.factorizations += report.iterations;
  return report.residual <= GOOD * sim->options.tolerance;
}

// Where Newton's method ends elsewhere it begins again from points that rub each for itself.
static void solve_patches(implicit *s)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const ts_patch_problem problem = {&step->system.problem, s->patches.patches, s->patches.start};
  if (!newton(s, &problem, s->patches.r)) {
    const ts_problem points = ts_problem_friction(step->system.problem);
    double *other = ts_arena_zeros(step->arena, ts_problem_size(&points));
    ts_report solve;
    memset(&solve, 0, offsetof(ts_report, trail));
    ++sim->report.fallbacks;
    ts_sim_solve(sim, &points, false, other, &solve);
    newton(s, &problem, other);
    memcpy(s->patches.r, other, ts_problem_size(&points) * sizeof *other);
  }
  s->residual = ts_patch_residual(&problem, s->patches.r, step->arena);
}

// Solve for the geometry of the guess, from the impulses of the one before.
static void solve_at_guess(implicit *s, const ts_patch_set *before)
{
  ts_step *step = s->step;
  step->contacts = s->patches.points;
  ts_step_assemble(step);
  s->patches.bounded = step->bounded_count;
  s->patches.r = step->r;
  ts_patches_find(&s->patches, step->arena);
  ask_for_gaps(s);
  if (before->r) ts_patches_recall(&s->patches, before, step->system.dimension);
  solve_patches(s);
}

// ---- from guess to guess -------------------------------------------------------------------------------------------

static double product(const ts_model *model, const ts_twist *a, const ts_twist *b)
{
  double sum = 0.0;
  for (int k = 0; k < model->body_count; ++k)
    if (model->bodies[k].kind == TS_DYNAMIC)
      sum += ts_dot(a[k].linear, b[k].linear) + ts_dot(a[k].angular, b[k].angular);
  return sum;
}

// Aitken's rule for the share of `off` to go on by: 1 as a rule, less where guesses swing about their end. A cylinder
// that rocks on its rim has its lowest point run around with the least tilt.
static double next_share(const ts_model *model, double share, const ts_twist *off, const ts_twist *last,
                         ts_twist *change)
{
  static const double LEAST = 0.05, MOST = 2.0;
  for (int b = 0; b < model->body_count; ++b) change[b] = ts_twist_add_scaled(off[b], -1.0, last[b]);
  const double squared = product(model, change, change);
  return squared > 0.0 ? fmin(fmax(-share * product(model, last, change) / squared, LEAST), MOST) : share;
}

// Guess, solve, guess again, until the guess stays. Bodies where they are have been looked at.
static void find_velocity(implicit *s)
{
  const ts_model *model = s->step->sim->model;
  const size_t bodies = (size_t)model->body_count;
  ts_twist *next = ts_arena_bytes(s->step->arena, 4 * bodies, sizeof *next);
  ts_twist *off = next + bodies, *last = off + bodies, *scratch = last + bodies;
  ts_patch_set before = {.r = NULL};
  double share = 1.0;
  for (int k = 0; k < MOST_GUESSES; ++k) {
    if (k > 0) look_at_end(s);
    solve_at_guess(s, &before);
    ts_implicit_respond(s->step, s->joint_impulse, s->patches.r, next);
    for (size_t b = 0; b < bodies; ++b) off[b] = ts_twist_add_scaled(next[b], -1.0, s->velocity[b]);
    if (k > 1) share = next_share(model, share, off, last, scratch);
    memcpy(last, off, bodies * sizeof *last);
    for (size_t b = 0; b < bodies; ++b) s->velocity[b] = ts_twist_add_scaled(s->velocity[b], share, off[b]);
    before = s->patches;
    if (k == 0) continue; // nothing has moved yet
    const double speed = ts_data_speed(&s->step->system), change = ts_largest_speed(model, off);
    if (speed > 0.0) s->residual = fmax(s->residual, change / speed);
    if (s->step->system.count == 0 || s->residual <= GOOD * s->step->sim->options.tolerance) break;
  }
  memcpy(s->velocity, next, bodies * sizeof *next);
}

// ---- the step ------------------------------------------------------------------------------------------------------

// A solved step: one contact a patch or pair, at its equivalent contact point, with its impulses.
typedef struct implicit_solution {
  ts_contact_set contacts;
  const double *wrench;  // of contacts
  const double *bounded; // of limits and motors
  const ts_twist *velocity;
  int unknowns;
} implicit_solution;

// The problem of equivalent contact points, solved, as others report theirs.
static void finish(ts_step *step, const implicit_solution *solution)
{
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension, contacts = (size_t)solution->contacts.count;
  sim->report.problem_size = solution->unknowns;
  step->contacts = solution->contacts;
  ts_step_assemble(step);
  memcpy(step->r, solution->wrench, contacts * d * sizeof *step->r);
  memcpy(step->r + contacts * d, solution->bounded, (size_t)step->bounded_count * d * sizeof *step->r);
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = solution->velocity[b];
  ts_step_finish(step);
  ts_step_advance(step);
}

static implicit_solution solution_of_patches(const implicit *s)
{
  const ts_step *step = s->step;
  const size_t d = (size_t)step->system.dimension;
  double *wrench = ts_arena_doubles(step->arena, (size_t)s->patches.touching * d);
  return (implicit_solution){.contacts =
                                 ts_patches_contacts(&s->patches, step->sim->model, (int)d, wrench, step->arena),
                             .wrench = wrench,
                             .bounded = s->patches.r + (size_t)s->patches.points.count * d,
                             .velocity = s->velocity,
                             .unknowns = s->patches.points.count + (int)(d - 1) * s->patches.patches};
}

static bool is_solved(const implicit *s)
{
  const ts_sim *sim = s->step->sim;
  return s->residual <= sim->options.tolerance &&
         ts_patches_overlap(&s->patches, &sim->finder, &s->arrival.geometry) <= TS_MOST_OVERLAP;
}

// A part of a step that is not solved either goes to points, whatever the patch.
static bool step_with_points(ts_sim *sim, double h, ts_arena *arena)
{
  ++sim->report.fallbacks;
  return ts_stepper_stewart_trinkle.step(sim, h, arena);
}

// The step up to its first guess, by which nothing moves.
static bool start(ts_sim *sim, double h, ts_arena *arena, ts_step *step, implicit *s)
{
  *step = (ts_step){.sim = sim,
                    .h = h,
                    .theta = 1.0,
                    .arena = arena,
                    .from = sim->old_velocity,
                    .gaps_at_end = true,
                    .rows_at_end = true};
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  if (!ts_step_joints(step)) return false;
  ts_step_free_velocity(step);
  begin(s, step);
  look_at_end(s);
  step->contacts = s->patches.points;
  return true;
}

// Overlap that steps did not make: gap/h would throw bodies apart. It is taken out of positions, and the step begins
// from these.
static void take_overlap_out(ts_sim *sim, ts_arena *arena)
{
  ts_place_kinematic_bodies(sim, sim->state.time);
  ts_sim_take_out(sim, TS_PLACE_IN_STEP, arena);
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
}

// The step by the problem of 003, from its own starting points or from a hint (step/implicit/mncp.h).
static bool take_mncp_step(implicit *s, const ts_contact_set *points, const ts_ecp_hint *hint)
{
  ts_sim *sim = s->step->sim;
  const size_t d = (size_t)s->step->system.dimension;
  ts_ecp_solution solution;
  if (!ts_ecp_step(s->step, &s->arrival, points, s->joint_impulse, hint, &solution)) return false;
  sim->report.residual = fmax(sim->report.residual, solution.residual);
  finish(s->step, &(implicit_solution){.contacts = solution.contacts,
                                       .wrench = solution.r,
                                       .bounded = solution.r + (size_t)solution.contacts.count * d,
                                       .velocity = solution.velocity,
                                       .unknowns = solution.unknowns});
  return true;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step;
  implicit s;
  if (!start(sim, h, arena, &step, &s)) return false;
  if (ts_step_overlaps(&step) && ts_step_is_sunk(&step)) {
    take_overlap_out(sim, arena);
    if (!start(sim, h, arena, &step, &s)) return false;
  }
  const bool mncp = sim->options.formulation == TS_FORMULATION_MNCP;
  const ts_contact_set points = s.patches.points;
  if (mncp && take_mncp_step(&s, &points, NULL)) return true;
  if (mncp) {
    ++sim->report.fallbacks;
    look_at_end(&s);
  }
  find_velocity(&s);
  const bool solved = is_solved(&s);
  if (!solved && h < sim->options.size) return step_with_points(sim, h, arena);
  const implicit_solution solution = solution_of_patches(&s);
  const ts_ecp_hint hint = {solution.velocity, &solution.contacts, solution.wrench};
  if (mncp && solved && take_mncp_step(&s, &points, &hint)) return true;
  if (mncp) ++sim->report.fallbacks;
  sim->report.solver = "patches";
  sim->report.residual = fmax(sim->report.residual, s.residual);
  sim->report.certified = sim->report.certified && solved;
  finish(&step, &solution);
  return true;
}

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->cone == TS_CONE_POLYHEDRAL)
    return ts_fail(error, TS_UNSUPPORTED,
                   "implicit has friction of whole patches, by ellipsoids; it goes with cone: "
                   "quadratic");
  if (options->coordinates == TS_COORDINATES_MINIMAL)
    return ts_fail(error, TS_UNSUPPORTED,
                   "implicit takes bodies at the end of the step one by one; it goes with "
                   "coordinates: redundant");
  if (options->impacts != TS_IMPACT_DEFAULT && options->impacts != TS_IMPACT_INELASTIC)
    return ts_fail(error, TS_UNSUPPORTED,
                   "implicit knows inelastic impacts alone; stewart-trinkle, velocity and "
                   "event-driven have other laws");
  if (options->stabilization != TS_STABILIZATION_DEFAULT && options->stabilization != TS_STABILIZATION_POSITION)
    return ts_fail(error, TS_UNSUPPORTED,
                   "implicit closes gaps at the end of every step; it has no other rule of stabilization");
  if (options->formulation == TS_FORMULATION_MNCP && !(ts_solver_takes(options->solver) & TS_MCP))
    return ts_fail(error, TS_UNSUPPORTED,
                   "formulation: mncp gives mixed complementarity problems, which solver %s does not take; use "
                   "pathsearch, fb-plm, fb-rlm or auto",
                   ts_solver_name(options->solver));
  return TS_OK;
}

// Shapes of extensions answer about pairs, and have no functions.
static ts_status check_functions(const ts_model *model, ts_error *error)
{
  for (int k = 0; k < model->part_count; ++k)
    if (model->parts[k].convex.kind == TS_SHAPE_OWN)
      return ts_fail(
          error, TS_UNSUPPORTED,
          "formulation: mncp asks shapes for implicit functions, which the one of body '%.60s' does not have",
          model->bodies[model->parts[k].body].name);
  return TS_OK;
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->formulation == TS_FORMULATION_MNCP) TS_TRY(check_functions(model, error));
  if (options->impacts == TS_IMPACT_DEFAULT && ts_model_rebounds(model))
    return ts_fail(error, TS_UNSUPPORTED,
                   "implicit lets nothing rebound: take out the restitution, or say impacts: "
                   "inelastic");
  return TS_OK;
}

static const char *const formulations[] = {[TS_FORMULATION_REDUCED] = "reduced", [TS_FORMULATION_MNCP] = "mncp", NULL};

static const ts_key rows[] = {
    {"formulation", TS_VALUE_CHOICE, TS_STEP_MEMBER(formulation), .choices = formulations, .fallback = "reduced",
     .help = "implicit stepper: impulses at points of patches (reduced), or the mixed problem of 003 (mncp)"},
};
static const ts_section own_options = {"the step", TS_KEYS(rows)};

const ts_stepper ts_stepper_implicit = {
    .name = "implicit",
    .summary = "geometry of the end of the step; point, line and surface contact (003; thesis 3.5)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .options = &own_options,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};
