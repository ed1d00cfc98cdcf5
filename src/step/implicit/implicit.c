// The geometrically implicit step (003; thesis 3.5): gaps, normals, contact points and friction are those of its end,
//   M (v+ - v) = h f + W(q+)^T p,   0 <= p_n _|_ psi(q+) >= 0,   friction at the equivalent contact point of q+,
//   q+ = q + h G(q) v+.
// Reduced to what bodies feel: the points of a patch (corners of a face, ends of a line) carry normal impulses whose
// sum acts at the equivalent contact point (complementarity/friction/patch_problem.h). The geometry is that of a guess
// of q+, with gaps linearized there; where the guess stays, the step is solved as it stands. docs/theory/implicit.md
// has how this is the problem of 003 eqs. 18 and 19, in the form that is not met by bodies that overlap. With soft skins
// (implicit-compliant, thesis 3.5.2; docs/theory/compliant.md) patches bear on plates that springs carry: softening.h.
#include "step/implicit/softening.h"
#include "step/options.h"
#include "step/placing.h"
#include "step/repair.h"
#include "step/solve.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

enum { MOST_GUESSES = 60, MOST_ITERATIONS = 60 };
static const double AIM = 1e-2, GOOD = 0.2; // of the tolerance: what solves are after, and what round-off may leave

// The step in the making.
typedef struct implicit {
  ts_step *step;
  ts_state end;           // bodies where the guess takes them
  ts_kinematics geometry; // there
  ts_twist *velocity;     // the guess (body_count)
  ts_twist *still;        // no velocities (body_count): at the end of the step nothing passes anything any more
  double *joint_impulse;  // of the rows that hold, without contacts
  ts_patch_set patches;   // at the guess
  ts_softening soft;      // those with skins
  double fine;            // of the tolerance: what the speeds of the problem of skins ask for
  double residual;        // of the problem at the guess, and of the guess itself
} implicit;

// ---- the guess -----------------------------------------------------------------------------------------------------

static void begin(implicit *s, ts_step *step)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count, joints = (size_t)step->mobility.count;
  memset(s, 0, sizeof *s);
  s->step = step;
  s->fine = 1.0;
  s->end = ts_state_allocate(sim->model, 0, 0, step->arena);
  s->geometry.frame = ts_arena_bytes(step->arena, bodies, sizeof *s->geometry.frame);
  s->geometry.inverse_inertia = ts_arena_bytes(step->arena, bodies, sizeof *s->geometry.inverse_inertia);
  s->velocity = ts_arena_bytes(step->arena, 2 * bodies, sizeof *s->velocity);
  s->still = s->velocity + bodies;
  memset(s->velocity, 0, 2 * bodies * sizeof *s->velocity);
  s->joint_impulse = ts_arena_doubles(step->arena, joints);
  if (joints > 0) memcpy(s->joint_impulse, step->mobility.impulse, joints * sizeof *s->joint_impulse);
}

// Speed of the quickest point of a part, at most.
static double largest_speed(const ts_model *model, const ts_twist *velocity)
{
  double most = 0.0;
  for (int k = 0; k < model->part_count; ++k) {
    const ts_part *part = &model->parts[k];
    if (model->bodies[part->body].kind != TS_DYNAMIC) continue;
    const ts_twist v = velocity[part->body];
    most = fmax(most, ts_length(v.linear) + part->convex.reach * ts_length(v.angular));
  }
  return most;
}

// How far apart parts may be that are looked at; skins that are pushed aside may bulge, and bear where they do.
static double margin_of(const implicit *s)
{
  const ts_sim *sim = s->step->sim;
  const double bulge = ts_skins_bulge(&sim->skins), usual = sim->options.margin;
  if (!(bulge > 0.0)) return usual;
  return fmax(usual, 4.0 * (bulge + s->step->h * largest_speed(sim->model, sim->free_velocity)));
}

// Bodies at the end of the step if the guess is right, and the points that may touch there. At first nothing moves.
static void look_at_end(implicit *s)
{
  ts_sim *sim = s->step->sim;
  ts_state_copy_bodies(&sim->state, &s->end);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) s->end.velocity[b] = s->velocity[b];
  ts_state_advance(sim->model, s->step->h, 1.0, NULL, &s->end);
  ts_kinematics_update(sim->model, &s->end, &s->geometry);
  const ts_course course = {.kinematics = &s->geometry,
                            .velocity = sim->free_velocity,
                            .h = s->step->h,
                            .margin = margin_of(s),
                            .heading = s->still,
                            .arrived = true};
  if (!ts_find_contacts_on(&sim->finder, &course, s->step->arena, &s->patches.points))
    longjmp(*s->step->arena->recovery, 1);
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
  ts_patch_solve(problem, AIM * s->fine * sim->options.tolerance, MOST_ITERATIONS, s->step->arena, r, &report);
  sim->report.iterations += report.iterations;
  sim->report.factorizations += report.iterations;
  return report.residual <= GOOD * s->fine * sim->options.tolerance;
}

// Where Newton's method ends elsewhere it begins again from points that rub each for itself.
static void solve_patches(implicit *s, const ts_patch_problem *problem, double *r)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  if (!newton(s, problem, r)) {
    const ts_problem points = ts_problem_friction(*problem->points);
    double *other = ts_arena_zeros(step->arena, ts_problem_size(&points));
    ts_report solve;
    memset(&solve, 0, offsetof(ts_report, trail));
    ++sim->report.fallbacks;
    ts_sim_solve(sim, &points, false, other, &solve);
    newton(s, problem, other);
    memcpy(r, other, ts_problem_size(&points) * sizeof *other);
  }
  s->residual = ts_patch_residual(problem, r, step->arena) / s->fine;
}

// The speed of the data of a problem.
static double data_speed(const ts_friction *problem)
{
  double most = 0.0;
  for (int k = 0; k < problem->contacts * problem->dimension; ++k) most = fmax(most, fabs(problem->q[k]));
  return most;
}

// Deflections over h are data of the problem of skins, and may be far faster than anything moves: what is asked of
// velocities is asked of them, as far as round-off lets it be had.
static double fineness(const implicit *s, const ts_friction *problem)
{
  static const double ROUND_OFF = 1e-13;
  const double all = data_speed(problem), own = data_speed(&s->step->system.problem);
  return all > own ? fmin(1.0, fmax(own / all, ROUND_OFF / (GOOD * s->step->sim->options.tolerance))) : 1.0;
}

// Cores enter the problem once they are met.
static void solve_with_skins(implicit *s)
{
  ts_step *step = s->step;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  const ts_softening before = s->soft;
  double *r;
  s->soft = ts_soften(&s->patches, step->sim, &s->geometry, step->h, &before, step->arena);
  ts_softening_ask_for_gaps(&s->soft, &s->patches, step);
  do {
    const ts_patch_problem problem = ts_softening_problem(&s->soft, &s->patches, step, &r);
    s->fine = fineness(s, problem.points);
    solve_patches(s, &problem, r);
    if (rows > 0) memcpy(s->patches.r, r, rows * sizeof *r);
  } while (ts_softening_meets_cores(&s->soft, &s->patches, step, r));
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
  if (step->sim->model->skin_count > 0) {
    solve_with_skins(s);
    return;
  }
  const ts_patch_problem problem = {&step->system.problem, s->patches.patches, s->patches.start};
  solve_patches(s, &problem, s->patches.r);
}

// Twists that the impulses make of the free ones.
static void respond(const implicit *s, ts_twist *velocity)
{
  ts_step *step = s->step;
  memcpy(velocity, step->sim->free_velocity, (size_t)step->sim->model->body_count * sizeof *velocity);
  if (step->mobility.count > 0)
    memcpy(step->mobility.impulse, s->joint_impulse, (size_t)step->mobility.count * sizeof *s->joint_impulse);
  ts_system_apply(&step->system, s->patches.r, velocity, step->mobility.impulse, step->arena);
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
    respond(s, next);
    for (size_t b = 0; b < bodies; ++b) off[b] = ts_twist_add_scaled(next[b], -1.0, s->velocity[b]);
    if (k > 1) share = next_share(model, share, off, last, scratch);
    memcpy(last, off, bodies * sizeof *last);
    for (size_t b = 0; b < bodies; ++b) s->velocity[b] = ts_twist_add_scaled(s->velocity[b], share, off[b]);
    before = s->patches;
    if (k == 0) continue; // nothing has moved yet
    const double speed = data_speed(&s->step->system.problem), change = largest_speed(model, off);
    if (speed > 0.0) s->residual = fmax(s->residual, change / speed);
    if (s->step->system.count == 0 || s->residual <= GOOD * s->step->sim->options.tolerance) break;
  }
  memcpy(s->velocity, next, bodies * sizeof *next);
}

// ---- the step ------------------------------------------------------------------------------------------------------

// Deflections of the end of the step, and the energy that is in them. What comes and goes is no loss (energy.c).
static void remember_skins(implicit *s, const double *wrench, ts_contact_set *contacts)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const ts_skin_memory before = sim->skins;
  sim->skins = ts_softening_remember(&s->soft, sim, step->h, wrench, step->system.dimension, contacts, step->arena);
  const double length = sim->account.length;
  const double earlier = length > 0.0 ? step->h / length * before.stagger : sim->skins.stagger;
  step->stored = sim->skins.energy - before.energy - (sim->skins.stagger - earlier);
}

// The problem of equivalent contact points, solved, as others report theirs.
static void finish(implicit *s)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension;
  double *wrench = ts_arena_doubles(step->arena, (size_t)s->patches.touching * d);
  ts_contact_set contacts = ts_patches_contacts(&s->patches, sim->model, (int)d, wrench, step->arena);
  if (sim->model->skin_count > 0) remember_skins(s, wrench, &contacts);
  sim->report.problem_size = s->patches.points.count + (int)(d - 1) * s->patches.patches;
  step->contacts = contacts;
  ts_step_assemble(step);
  memcpy(step->r, wrench, (size_t)contacts.count * d * sizeof *wrench);
  memcpy(step->r + (size_t)contacts.count * d, s->patches.r + (size_t)s->patches.points.count * d,
         (size_t)s->patches.bounded * d * sizeof *wrench);
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = s->velocity[b];
  ts_step_finish(step);
  ts_step_advance(step);
}

static bool is_solved(const implicit *s)
{
  static const double MOST_OVERLAP = 1e-9;
  const ts_sim *sim = s->step->sim;
  return s->residual <= sim->options.tolerance &&
         ts_patches_overlap(&s->patches, &sim->finder, &s->geometry) <= MOST_OVERLAP;
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

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step;
  implicit s;
  if (!start(sim, h, arena, &step, &s)) return false;
  if (ts_step_overlaps(&step) && ts_step_is_sunk(&step)) {
    take_overlap_out(sim, arena);
    if (!start(sim, h, arena, &step, &s)) return false;
  }
  find_velocity(&s);
  const bool solved = is_solved(&s);
  const bool rigid = sim->model->skin_count == 0; // points know nothing of skins
  if (!solved && rigid && h < sim->options.size) return step_with_points(sim, h, arena);
  sim->report.solver = "patches";
  sim->report.residual = fmax(sim->report.residual, s.residual);
  sim->report.certified = sim->report.certified && solved;
  finish(&s);
  return true;
}

// Of both steppers.
static ts_status check(const ts_step_options *options, ts_error *error)
{
  const char *name = options->method->name;
  if (options->cone == TS_CONE_POLYHEDRAL)
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s has friction of whole patches, by ellipsoids; it goes with cone: quadratic", name);
  if (options->coordinates == TS_COORDINATES_MINIMAL)
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s takes bodies at the end of the step one by one; it goes with coordinates: redundant", name);
  if (options->impacts != TS_IMPACT_DEFAULT && options->impacts != TS_IMPACT_INELASTIC)
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s knows inelastic impacts alone; stewart-trinkle, velocity and event-driven have other laws",
                   name);
  if (options->stabilization != TS_STABILIZATION_DEFAULT && options->stabilization != TS_STABILIZATION_POSITION)
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s closes gaps at the end of every step; it has no other rule of stabilization", name);
  return TS_OK;
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_DEFAULT && ts_model_rebounds(model))
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s lets nothing rebound: take out the restitution, or say impacts: inelastic",
                   options->method->name);
  return TS_OK;
}

const ts_stepper ts_stepper_implicit = {
    .name = "implicit",
    .summary = "geometry of the end of the step; point, line and surface contact (003; thesis 3.5)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};

const ts_stepper ts_stepper_implicit_compliant = {
    .name = "implicit-compliant",
    .summary = "the same with soft skins over rigid cores: springs and dampers of a bounded way (thesis 3.5.2)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .takes_skins = true,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};
