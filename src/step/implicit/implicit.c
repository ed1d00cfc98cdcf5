// The geometrically implicit step (003; thesis 3.5): gaps, normals, contact points and friction are those of its end,
//   M (v+ - v) = h f + W(q+)^T p,   0 <= p_n _|_ psi(q+) >= 0,   friction at the equivalent contact point of q+,
//   q+ = q + h G(q) v+.
// Reduced to what bodies feel: the points of a patch (corners of a face, ends of a line) carry normal impulses whose
// sum acts at the equivalent contact point (complementarity/friction/patch_problem.h). The geometry is that of a guess
// of q+, with gaps linearized there; where the guess stays, the step is solved as it stands. docs/theory/implicit.md
// has how this is the problem of 003 eqs. 18 and 19, in the form that is not met by bodies that overlap. That problem
// itself is posed by mncp.c, where the options ask for it or guesses do not settle. With soft skins
// (implicit-compliant, thesis 3.5.2; docs/theory/compliant.md) patches bear on plates that springs carry: softening.h.
#include "step/implicit/end_velocity.h"
#include "step/implicit/guesses.h"
#include "step/implicit/judge.h"
#include "step/implicit/mncp.h"
#include "step/options.h"
#include "step/placing.h"
#include "step/repair.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

// A solved step: one contact a patch or pair, at its equivalent contact point, with its impulses.
typedef struct implicit_solution {
  ts_contact_set contacts;
  const double *wrench;  // of contacts
  const double *bounded; // of limits and motors
  const ts_twist *velocity;
  ts_warm_start memory; // for the next step; empty: as other steppers have it
  int unknowns;
} implicit_solution;

// Bodies go where `way` takes them, and have the velocity of the state there.
static void advance_along(ts_step *step, const ts_twist *way)
{
  ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *end = ts_arena_bytes(step->arena, bodies, sizeof *end);
  memcpy(end, sim->state.velocity, bodies * sizeof *end);
  for (size_t b = 0; b < bodies; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = way[b];
  ts_step_advance(step);
  memcpy(sim->state.velocity, end, bodies * sizeof *end);
  sim->kicked = NAN; // axes have turned about another velocity
}

// More energy from contacts than a certified step may have: a shorter one has less.
static void refuse_gain(const ts_step *step, double given)
{
  ts_sim *sim = step->sim;
  sim->report.certified = false;
  sim->report.gained = true;
  sim->excess = fmax(0.0, given) / (step->h * (sim->account.scale + sim->fall));
}

// The problem of equivalent contact points, solved, as others report theirs.
static void finish(ts_guesses *s, const implicit_solution *solution)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension, contacts = (size_t)solution->contacts.count;
  sim->report.problem_size = solution->unknowns;
  step->contacts = solution->contacts;
  ts_step_assemble(step);
  memcpy(step->r, solution->wrench, contacts * d * sizeof *step->r);
  memcpy(step->r + contacts * d, solution->bounded, (size_t)step->bounded_count * d * sizeof *step->r);
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  const double given = sim->report.contact_work;
  const bool rigid = sim->model->skin_count == 0; // skins are not in the rows of the system
  const bool gains = ts_contacts_give_too_much(step, solution->velocity);
  const ts_twist *way = solution->velocity, *end = way;
  if (gains && rigid) {
    ts_twist *other = ts_arena_bytes(step->arena, (size_t)sim->model->body_count, sizeof *other);
    if (ts_find_end_velocity(step, s->joint_impulse, other)) end = other;
  }
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = end[b];
  ts_step_finish(step);
  if (gains && end == way) refuse_gain(step, sim->report.contact_work - given);
  ts_count_given(sim, sim->report.contact_work - given);
  if (solution->memory.count > 0) sim->remembered = solution->memory;
  if (end == way)
    ts_step_advance(step);
  else
    advance_along(step, way);
}

// Deflections of the end of the step, and the energy that is in them. What comes and goes is no loss (energy.c).
static void remember_skins(ts_guesses *s, const double *wrench, ts_contact_set *contacts)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const ts_skin_memory before = sim->skins;
  sim->skins = ts_softening_remember(&s->soft, sim, step->h, wrench, step->system.dimension, contacts, step->arena);
  const double length = sim->account.length;
  const double earlier = length > 0.0 ? step->h / length * before.stagger : sim->skins.stagger;
  step->stored = sim->skins.energy - before.energy - (sim->skins.stagger - earlier);
}

static implicit_solution solution_of_patches(const ts_guesses *s)
{
  const ts_step *step = s->step;
  const size_t d = (size_t)step->system.dimension;
  double *wrench = ts_arena_doubles(step->arena, (size_t)s->patches.touching * d);
  return (implicit_solution){.contacts =
                                 ts_patches_contacts(&s->patches, step->sim->model, (int)d, wrench, step->arena),
                             .wrench = wrench,
                             .bounded = s->patches.r + (size_t)s->patches.points.count * d,
                             .velocity = s->velocity,
                             .memory = ts_remember(&step->sim->remembered, &step->system, &step->contacts,
                                                   step->bounded, step->r, step->h, step->arena),
                             .unknowns = s->patches.points.count + (int)(d - 1) * s->patches.patches};
}

// Judged where the bodies end. Pairs are those within reach of the last guess, from where they move no farther than the
// residual.
static bool is_solved(ts_guesses *s)
{
  const ts_sim *sim = s->step->sim;
  if (!(s->residual <= sim->options.tolerance)) return false;
  if (!ts_guesses_have_arrived(s)) ts_arrival_move(&s->arrival, s->step, s->velocity);
  return ts_pairs_overlap(&s->patches.points, sim->model, &s->arrival.geometry) <= TS_MOST_OVERLAP;
}

// A part of a step that is not solved either goes to points, whatever the patch. Their gaps are linear: bodies that
// overlap at the end all the same are for a shorter step.
static bool step_with_points(ts_guesses *s)
{
  const ts_step *step = s->step;
  ts_sim *sim = step->sim;
  ts_kinematics *geometry = &s->arrival.geometry;
  ++sim->report.fallbacks;
  if (!ts_stepper_stewart_trinkle.step(sim, step->h, step->arena)) return false;
  ts_kinematics_update(sim->model, &sim->state, geometry);
  const ts_contact_set there = ts_contacts_at(&sim->finder, geometry, step->arena);
  const double overlap = ts_pairs_overlap(&there, sim->model, geometry);
  if (overlap <= TS_MOST_OVERLAP) return true;
  sim->overlap = overlap;
  sim->report.certified = false;
  return true;
}

// The step up to its first guess, by which nothing moves.
static bool start(ts_sim *sim, double h, ts_arena *arena, ts_step *step, ts_guesses *s)
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
  step->turned = ts_turned_velocities(step);
  ts_guesses_begin(s, step);
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
static bool take_mncp_step(ts_guesses *s, const ts_contact_set *points, const ts_ecp_hint *hint)
{
  ts_sim *sim = s->step->sim;
  const size_t d = (size_t)s->step->system.dimension;
  ts_ecp_solution solution;
  if (!ts_ecp_step(s->step, &s->arrival, points, s->joint_impulse, hint, &solution)) return false;
  sim->report.residual = fmax(sim->report.residual, solution.residual);
  finish(s, &(implicit_solution){.contacts = solution.contacts,
                                 .wrench = solution.r,
                                 .bounded = solution.r + (size_t)solution.contacts.count * d,
                                 .velocity = solution.velocity,
                                 .unknowns = solution.unknowns});
  return true;
}

// A body with a shape of an extension, which answers about pairs and has no functions; NULL: there is none.
static const ts_body *without_functions(const ts_model *model)
{
  for (int k = 0; k < model->part_count; ++k)
    if (model->parts[k].convex.kind == TS_SHAPE_OWN) return &model->bodies[model->parts[k].body];
  return NULL;
}

static void take_patches(ts_guesses *s, implicit_solution *solution, bool solved)
{
  if (s->step->sim->model->skin_count > 0) remember_skins(s, solution->wrench, &solution->contacts);
  ts_step_report *report = &s->step->sim->report;
  report->solver = "patches";
  report->residual = fmax(report->residual, s->residual);
  report->certified = report->certified && solved;
  s->step->sim->unsettled = !solved;
  finish(s, solution);
}

// The mixed problem, or the reduced one, which may also be where the mixed one starts from.
static bool take_mixed_step(ts_guesses *s, const ts_contact_set *points)
{
  ts_sim *sim = s->step->sim;
  if (take_mncp_step(s, points, NULL)) return true;
  ++sim->report.fallbacks;
  ts_guesses_look(s);
  ts_guesses_find_velocity(s);
  const bool solved = is_solved(s);
  if (!solved && s->step->h < sim->options.size) return step_with_points(s);
  implicit_solution solution = solution_of_patches(s);
  const ts_ecp_hint hint = {solution.velocity, &solution.contacts, solution.wrench};
  if (solved && take_mncp_step(s, points, &hint)) return true;
  ++sim->report.fallbacks;
  take_patches(s, &solution, solved);
  return true;
}

// Guesses do not settle where contact points run far with the least tilt: the flat side of a superellipsoid. The mixed
// problem has them as unknowns, and is tried where it is not too large.
static bool take_reduced_step(ts_guesses *s, const ts_contact_set *points)
{
  enum { MOST_POINTS = 200 };
  ts_sim *sim = s->step->sim;
  ts_guesses_find_velocity(s);
  const bool solved = is_solved(s);
  implicit_solution solution = solution_of_patches(s);
  const bool rigid = sim->model->skin_count == 0;  // neither the mixed problem nor points know of skins
  const bool lies = sim->model->support_count > 0; // nor does the mixed problem know of supports
  if (!solved && rigid && !lies && points->count <= MOST_POINTS && !without_functions(sim->model)) {
    ++sim->report.fallbacks;
    if (take_mncp_step(s, points, NULL)) return true;
  }
  if (!solved && rigid && s->step->h < sim->options.size) return step_with_points(s);
  take_patches(s, &solution, solved);
  return true;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step;
  ts_guesses s;
  if (!start(sim, h, arena, &step, &s)) return false;
  if (ts_step_overlaps(&step) && ts_step_is_sunk(&step)) {
    take_overlap_out(sim, arena);
    if (!start(sim, h, arena, &step, &s)) return false;
  }
  const ts_contact_set points = s.patches.points;
  return sim->options.formulation == TS_FORMULATION_MNCP ? take_mixed_step(&s, &points)
                                                         : take_reduced_step(&s, &points);
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
  if (options->formulation == TS_FORMULATION_MNCP && !(ts_solver_takes(options->solver) & TS_MCP))
    return ts_fail(error, TS_UNSUPPORTED,
                   "formulation: mncp gives mixed complementarity problems, which solver %s does not take; use "
                   "pathsearch, fb-plm, fb-rlm or auto",
                   ts_solver_name(options->solver));
  return TS_OK;
}

static ts_status check_functions(const ts_model *model, ts_error *error)
{
  const ts_body *body = without_functions(model);
  if (!body) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED,
                 "formulation: mncp asks shapes for implicit functions, which the one of body '%.60s' does not have",
                 body->name);
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->formulation == TS_FORMULATION_MNCP) TS_TRY(check_functions(model, error));
  if (options->formulation == TS_FORMULATION_MNCP && model->support_count > 0)
    return ts_fail(error, TS_UNSUPPORTED, "formulation: mncp has no rows for supports of space: 2.5d; use reduced");
  if (options->impacts == TS_IMPACT_DEFAULT && ts_model_rebounds(model))
    return ts_fail(error, TS_UNSUPPORTED,
                   "%s lets nothing rebound: take out the restitution, or say impacts: inelastic",
                   options->method->name);
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
    .number_count = TS_END_NUMBERS,
    .options = &own_options,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};

const ts_stepper ts_stepper_implicit_compliant = {
    .name = "implicit-compliant",
    .summary = "the same with soft skins over rigid cores: springs and dampers of a bounded way (thesis 3.5.2)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .number_count = TS_END_NUMBERS,
    .takes_skins = true,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};
