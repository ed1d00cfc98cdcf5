// Lumped viscoelastic contact (Song, Pang and Kumar; thesis 2.4.4): every contact point is a spring and a damper along
// the normal, and one along the surface that Coulomb's law bounds. docs/theory/viscoelastic.md has the equations.
//   M (v+ - v) = h f + J^T p + G l,   p of springs and dampers (elastic.h),   q+ = q + h G(q) (theta v+ + (1 - theta)
//   v)
// A step is taken in parts: as short as contacts need to be resolved, and cut where one begins or ceases to push. With
// theta 1/2 springs are those of the middle of the part: of second order, and without damping of their own. Where a
// part is too long to resolve the stiffest contact theta goes to 1, which lets what is not resolved settle.
#include "step/compliant/elastic.h"

#include "step/bases.h"
#include "step/energy.h"
#include "step/joint_errors.h"
#include "step/joint_loads.h"
#include "step/look_again.h"
#include "step/options.h"
#include "step/solve.h"

#include "contact/contact_sum.h"

#include "base/status.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

// ---- a part --------------------------------------------------------------------------------------------------------

// Joints, springs and bushings of the model act as the start of the part has them, or ask for the place at its end with
// the new velocity alone: positions then have to follow with that (velocity.c).
static bool must_follow_new_velocity(const ts_model *model)
{
  return model->joint_count + model->spring_count + model->bushing_count > 0;
}

// Up to a stiffness of 2, a third of a turn or a damper that stops what it holds, nothing is left to settle.
static double theta_for(const ts_step *step, double stiffness)
{
  if (must_follow_new_velocity(step->sim->model)) return 1.0;
  return stiffness > 2.0 ? 1.0 - 1.0 / stiffness : 0.5;
}

// Where kinematic bodies are at the start, moving as in the middle: their ways are then of second order as well.
static void place_surfaces(ts_sim *sim, double time, double h)
{
  const ts_model *model = sim->model;
  if (model->motion_count == 0) return;
  const size_t bodies = (size_t)model->body_count;
  ts_state_follow_motions(model, time + 0.5 * h, &sim->state);
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  ts_place_kinematic_bodies(sim, time);
  for (int k = 0; k < model->motion_count; ++k)
    sim->state.velocity[model->motions[k].body] = sim->old_velocity[model->motions[k].body];
}

// A part while it is tried.
typedef struct part {
  ts_step step;
  ts_elastic springs;
  ts_elastic_end end;
  ts_twist *velocity; // at the end (body_count)
} part;

static void solve(part *p)
{
  ts_step *step = &p->step;
  ts_sim *sim = step->sim;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
  const bool warm = sim->options.warm_start &&
                    ts_recall(&sim->remembered, &step->system, &step->contacts, step->bounded, step->h, step->r);
  ts_step_solve(step, &step->system, warm, step->r);
  ts_system_apply(&step->system, step->r, p->velocity, step->mobility.impulse, step->arena);
}

// Stops are asked for their gap, and follow what they are on.
static void set_stops(ts_step *step)
{
  ts_step_bounded_bias(step, true);
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].lower >= 0.0)
      step->bias[(size_t)(step->contacts.count + k) * (size_t)step->system.dimension] += step->bounded[k].drift;
}

// Bodies turn by another velocity then, and their free motion is another one.
static void choose_theta(part *p)
{
  ts_step *step = &p->step;
  const double theta = theta_for(step, ts_elastic_stiffness(&p->springs));
  if (theta == step->theta) return;
  step->theta = step->mobility.theta = theta;
  ts_step_free_velocity(step);
  ts_elastic_take_free_velocity(&p->springs);
}

// Velocities at the end of a part of length h, nothing of which is taken yet. False: joints have no factor.
static bool try_part(ts_sim *sim, double h, ts_arena *arena, part *p)
{
  const ts_model *model = sim->model;
  ts_step *step = &p->step;
  place_surfaces(sim, sim->state.time, h);
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)model->body_count * sizeof *sim->old_velocity);
  *step = (ts_step){.sim = sim, .h = h, .arena = arena, .from = sim->old_velocity, .sprung = true};
  step->theta = theta_for(step, 0.0);
  if (!ts_step_joints(step)) return false;
  ts_step_free_velocity(step);
  ts_step_find_contacts(step, sim->free_velocity);
  if (ts_step_flies(step)) return true;
  ts_step_assemble(step);
  p->springs = ts_elastic_begin(step);
  choose_theta(p);
  set_stops(step);
  ts_elastic_enter(&p->springs);
  p->velocity = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *p->velocity);
  memcpy(p->velocity, sim->state.velocity, (size_t)model->body_count * sizeof *p->velocity);
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind == TS_DYNAMIC) p->velocity[b] = sim->free_velocity[b];
  if (step->system.count > 0) solve(p);
  p->end = ts_elastic_judge(&p->springs, p->velocity);
  return true;
}

// A part that is to be taken again, shorter: INFINITY where it is good as it is.
static double shorter(const part *p, double least)
{
  static const double AS_GOOD_AS = 0.98; // what ends so late is at the end
  const double h = p->step.h;
  if (h <= least || ts_step_flies(&p->step)) return INFINITY;
  double wanted = INFINITY;
  if (p->end.slack < 1.0) wanted = h * fmin(0.7, fmax(0.1, 0.9 * sqrt(p->end.slack)));
  if (p->end.event < AS_GOOD_AS * h) wanted = fmin(wanted, p->end.event);
  return isfinite(wanted) ? fmax(wanted, least) : INFINITY;
}

// Of gravity on all bodies.
static double power_of_weight(const ts_sim *sim, const ts_twist *velocity)
{
  double power = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    if (body->kind == TS_DYNAMIC) power += body->mass * ts_dot(body->gravity, velocity[b].linear);
  }
  return power;
}

// What the springs have taken up. Where theta is 1 in all parts it comes and goes with the stagger of the energy
// (energy.c); else that is of gravity alone, and of springs all is accounted for at once.
static void remember_springs(part *p)
{
  static const double LONGER = 4.0;
  ts_step *step = &p->step;
  ts_sim *sim = step->sim;
  const ts_elastic_memory before = sim->elastic;
  const bool flies = ts_step_flies(step);
  sim->elastic = flies ? (ts_elastic_memory){0} : ts_elastic_remember(&p->springs, p->end.after);
  const double length = sim->account.length, taken = sim->elastic.energy - before.energy;
  const double earlier = length > 0.0 ? step->h / length * before.taken : taken;
  const bool staggers = must_follow_new_velocity(sim->model);
  step->stored = staggers ? taken - 0.5 * (taken - earlier) : taken;
  sim->elastic.taken = taken;
  if (!flies && isfinite(p->end.slack)) sim->elastic.part = step->h * fmin(LONGER, fmax(0.2, 0.9 * sqrt(p->end.slack)));
}

static void take_part(part *p)
{
  ts_step *step = &p->step;
  ts_sim *sim = step->sim;
  if (ts_step_flies(step))
    ts_step_fly(step);
  else
    memcpy(sim->state.velocity, p->velocity, (size_t)sim->model->body_count * sizeof *p->velocity);
  remember_springs(p);
  ts_step_notice_passages(step);
  ts_step_finish(step);
  ts_step_advance(step);
  ts_place_kinematic_bodies(sim, sim->state.time);
}

// ---- the step ------------------------------------------------------------------------------------------------------

static ts_warm_start copy_of(const ts_warm_start *remembered, ts_arena *arena)
{
  ts_warm_start copy = *remembered;
  copy.entries = ts_arena_bytes(arena, (size_t)copy.count, sizeof *copy.entries);
  if (copy.count > 0) memcpy(copy.entries, remembered->entries, (size_t)copy.count * sizeof *copy.entries);
  return copy;
}

static void move_results(ts_sim *sim, ts_arena *to)
{
  const ts_contact_set nothing = {0};
  sim->contacts = ts_contact_sum(&nothing, &sim->contacts, sim->state.velocity, to);
  sim->remembered = copy_of(&sim->remembered, to);
  sim->elastic = ts_elastic_copy(&sim->elastic, to);
}

// What a part leaves goes to the front of the memory of the step, however many parts there are.
static void pack(ts_sim *sim, ts_arena_mark front, ts_arena *arena)
{
  ts_arena *aside = sim->own;
  ts_arena_reset(aside);
  aside->recovery = arena->recovery;
  move_results(sim, aside);
  ts_arena_restore(arena, front);
  move_results(sim, arena);
}

static bool is_finite_state(const ts_sim *sim)
{
  const ts_number_list numbers = ts_mechanics_numbers(&sim->mechanics, &sim->state);
  return ts_all_finite(numbers.first, numbers.count);
}

// A part of at most `left`, shortened until it is good. Returns its length; 0: numbers that are not finite came up.
static double advance(ts_sim *sim, double left, double least, ts_arena *arena)
{
  const ts_energy_account account = sim->account;
  const ts_step_report report = sim->report;
  const ts_arena_mark mark = ts_arena_save(arena);
  const double proposed = fmax(sim->elastic.part, least);
  double h = sim->elastic.part > 0.0 && proposed < left ? left / ceil(left / proposed) : left;
  part p;
  for (;;) {
    if (!try_part(sim, h, arena, &p)) return 0.0;
    const double again = shorter(&p, least);
    if (!(again < h)) break;
    h = again;
    ts_forget_attempt(sim, &report);
    ts_arena_restore(arena, mark);
    ts_sim_heed(sim);
  }
  if (sim->base_of) ts_bases_begin(sim);
  const double power = power_of_weight(sim, sim->state.velocity);
  take_part(&p);
  if (!is_finite_state(sim)) return 0.0;
  ts_mechanics_follow(&sim->mechanics);
  ts_loads_close_balance(sim);
  ts_joint_errors_close(sim, h, arena);
  sim->weight_power[0] = must_follow_new_velocity(sim->model) ? NAN : power;
  sim->weight_power[1] = power_of_weight(sim, sim->state.velocity);
  ts_bases_close(sim);
  ts_energy_close(sim, h, &account, &report);
  return h;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  static const double NOTHING = 1e-9; // of the step, left by round-off
  const double start = sim->state.time, least = sim->options.size / sim->options.most_parts;
  const ts_arena_mark front = ts_arena_save(arena);
  ts_contact_set sum = {0};
  for (double done = 0.0; h - done > NOTHING * h;) {
    const double taken = advance(sim, h - done, least, arena);
    if (!(taken > 0.0)) return false;
    if (done > 0.0) sim->contacts = ts_contact_sum(&sum, &sim->contacts, sim->state.velocity, arena);
    if (done > 0.0) ++sim->report.substeps;
    done += taken;
    pack(sim, front, arena);
    sum = sim->contacts;
  }
  sim->report.contacts = ts_contact_set_touching(&sim->contacts);
  sim->state.time = start + h;
  return true;
}

// ---- what it takes -------------------------------------------------------------------------------------------------

static bool create(ts_sim *sim)
{
  ts_arena *aside = ts_arena_bytes(&sim->memory, 1, sizeof *aside);
  ts_arena_init(aside, &sim->allocator);
  sim->own = aside;
  return true;
}

static void destroy(ts_sim *sim)
{
  if (sim->own) ts_arena_release(sim->own);
}

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->impacts != TS_IMPACT_DEFAULT && options->impacts != TS_IMPACT_INELASTIC)
    return ts_fail(error, TS_UNSUPPORTED,
                   "compliant has no impacts: what rebounds does so by stiffness and damping of its contact law");
  if (options->stabilization != TS_STABILIZATION_DEFAULT && options->stabilization != TS_STABILIZATION_POSITION)
    return ts_fail(error, TS_UNSUPPORTED,
                   "compliant takes overlap for deflection; it has no rule of stabilization but its own");
  return TS_OK;
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_DEFAULT && ts_model_rebounds(model))
    return ts_fail(error, TS_UNSUPPORTED,
                   "compliant knows no restitution: take it out and give the contact a damping, or say impacts: "
                   "inelastic to leave it aside");
  for (int i = 0; i < model->part_count; ++i)
    for (int j = i + 1; j < model->part_count; ++j) {
      const ts_contact_law *law = ts_model_law(model, i, j);
      if (!law || law->stiffness > 0.0) continue;
      return ts_fail(
          error, TS_UNSUPPORTED,
          "compliant needs a stiffness of the contact law between bodies '%.60s' and '%.60s', which can touch",
          model->bodies[model->parts[i].body].name, model->bodies[model->parts[j].body].name);
    }
  return TS_OK;
}

static const ts_key rows[] = {
    {"contact_error", TS_VALUE_NUMBER, TS_STEP_MEMBER(contact_error), .range = TS_RANGE_OPEN_FRACTION,
     .fallback = "0.01",
     .help = "compliant: what springs may make of the speed of a contact by their error, as a share of it"},
    {"most_parts", TS_VALUE_INTEGER, TS_STEP_MEMBER(most_parts), .range = TS_RANGE_POWER_OF_2, .fallback = "256",
     .help = "compliant: parts that a step is divided into at most, to resolve springs and meet touches; 1: none"},
};
static const ts_section own_options = {"the step", TS_KEYS(rows)};

const ts_stepper ts_stepper_compliant = {
    .name = "compliant",
    .summary = "contacts are springs and dampers, in parts that resolve them (Song-Pang-Kumar; thesis 2.4.4)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .options = &own_options,
    .is_elastic = true,
    .check = check,
    .check_model = check_model,
    .create = create,
    .destroy = destroy,
    .step = take_step,
};
