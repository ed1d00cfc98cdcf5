// Contact at the level of velocities (Anitescu and Potra; 000, 001): contacts that are closed must not approach,
//   M (v+ - v) = h f + J^T p + G l,   0 <= p_n _|_ J_n v+ >= 0,   friction,   q+ = q + h G(q) (theta v+ + (1 - theta)
//   v).
// Newton's law asks for J_n (v+ + e v) >= 0; with theta 0.5 and contacts taken at midstep that is Moreau and Jean's
// scheme. Poisson's law solves the impact first, with its compression and decompression, and steps on from the velocity
// after it (reference-numbers.md 6.3). Contact rows hold no centripetal term (corrections.md 2).
#include "step/collide.h"
#include "step/impact.h"
#include "step/joint_loads.h"
#include "step/look_again.h"
#include "step/options.h"
#include "step/repair.h"
#include "step/works.h"

#include "base/status.h"
#include "contact/touching.h"

#include <string.h>

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->activate != TS_ACTIVATE_CURRENT && options->impacts == TS_IMPACT_POISSON)
    return ts_fail(error, TS_UNSUPPORTED,
                   "activate: midpoint and end go with impacts: newton or inelastic, for Poisson's law "
                   "solves the impact at the start of the step");
  return TS_OK;
}

// Forces, those of joints included, act as the start of the step has them. Positions that do not follow with the new
// velocity alone then gain energy from all that pulls back, (1 - theta) h w^2/2 of an amplitude a second at the
// frequency w; and joints pull without bound.
static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->theta == 1.0 || model->joint_count == 0) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "theta is %g, with joints it must be 1: below that they gain energy",
                 options->theta);
}

// Velocities that are none but for the tolerance of solves: a share of what weight adds in a step.
static double resting_speed(const ts_sim *sim, const ts_contact *contact, double h)
{
  return 1e3 * sim->options.tolerance * h * ts_length(sim->model->bodies[contact->body_1].gravity);
}

// A gap that round-off has opened is closed all the same: a resting corner must not flicker. So is one that such
// velocities have opened step by step; it closes again at half of them.
static bool rests(const ts_sim *sim, const ts_contact *contact, double h)
{
  const double size = ts_length(contact->arm_1) + ts_length(contact->point);
  return contact->gap <= sim->options.tolerance * size &&
         fabs(ts_normal_speed(sim, contact)) <= resting_speed(sim, contact, h);
}

static double closing_speed(const ts_sim *sim, const ts_contact *contact, double h)
{
  if (contact->gap <= 0.0 || !rests(sim, contact, h)) return ts_stabilizing_speed(sim, fmin(0.0, contact->gap), h);
  return fmin(contact->gap / h, 0.5 * resting_speed(sim, contact, h));
}

static bool is_closed(const ts_sim *sim, const ts_contact *contact, double h)
{
  static const double ahead[] = {[TS_ACTIVATE_CURRENT] = 0.0, [TS_ACTIVATE_MIDPOINT] = 0.5, [TS_ACTIVATE_END] = 1.0};
  const double share = ahead[sim->options.activate];
  const double gap = share > 0.0 ? contact->gap + share * h * ts_normal_speed(sim, contact) : contact->gap;
  return gap <= ts_touching_gap(contact->arm_1, contact->point) || rests(sim, contact, h);
}

static void keep_closed_contacts(const ts_sim *sim, double h, ts_contact_set *set)
{
  int kept = 0;
  for (int i = 0; i < set->count; ++i)
    if (is_closed(sim, &set->contacts[i], h)) ts_contact_set_move(set, i, kept++);
  set->count = kept;
}

// A stop that round-off has opened is reached all the same, or a lever that rests against it would drop for a step.
static void keep_reached_limits(ts_step *step)
{
  int kept = 0;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].lower < 0.0 || step->bounded[k].gap <= TS_TOUCHING) step->bounded[kept++] = step->bounded[k];
  step->bounded_count = kept;
}

// Newton's law as Moreau has it: with the velocity before, whatever its sign, unless that is slower than rest_speed.
static double newton_bias(const ts_sim *sim, double restitution, double approach)
{
  const bool rebounds = sim->options.impacts == TS_IMPACT_NEWTON && fabs(approach) > sim->options.rest_speed;
  return rebounds ? restitution * approach : 0.0;
}

static void set_bias(ts_step *step, const double *approach)
{
  const ts_sim *sim = step->sim;
  const int d = step->system.dimension;
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *contact = &step->contacts.contacts[i];
    const size_t first = (size_t)i * (size_t)d;
    double *bias = step->bias + first;
    for (int r = 0; r < d; ++r) bias[r] = step->surface[first + (size_t)r];
    const double rebound = newton_bias(sim, contact->restitution, approach[i]);
    const double open = rebound == 0.0 ? closing_speed(sim, contact, step->h)
                                       : ts_stabilizing_speed(sim, fmin(0.0, contact->gap), step->h);
    bias[0] += open + rebound;
  }
  ts_step_bounded_bias(step, false);
  for (int i = step->contacts.count; i < step->system.count; ++i)
    if (step->system.blocks[i].kind == TS_BLOCK_LIMIT)
      step->bias[(size_t)i * (size_t)d] +=
          newton_bias(sim, step->bounded[step->system.blocks[i].source].restitution, approach[i]);
}

// From the velocity before to the one at the end of the step.
static void accelerate(ts_step *step, const double *approach, bool impact)
{
  ts_sim *sim = step->sim;
  ts_step_free_velocity(step);
  set_bias(step, approach);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_step_collide(step, sim->state.velocity, NULL, !impact);
}

// An impact at the start of the step; the step goes on from the velocity after it.
static void strike(ts_step *step, double *approach)
{
  const ts_sim *sim = step->sim;
  ts_step_choose_rebounds(step, 0.0, sim->options.rest_speed, approach);
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_step_impact(step, approach);
  double *u = ts_arena_doubles(step->arena, 2 * rows), *counted = ts_arena_doubles(step->arena, rows);
  ts_twist *from = ts_arena_bytes(step->arena, bodies, sizeof *from);
  ts_system_velocity(&step->system, sim->state.velocity, u);
  ts_system_velocity(&step->system, step->from, u + rows);
  ts_step_add_works(step, u);
  if (sim->loads) ts_step_add_loads(step);
  if (step->mobility.count > 0) // these are counted
    memset(step->mobility.impulse, 0, (size_t)step->mobility.count * sizeof *step->mobility.impulse);
  memcpy(counted, step->r, rows * sizeof *counted);
  memcpy(from, sim->state.velocity, bodies * sizeof *from);
  step->counted = counted;
  step->from = from;
  step->strikes = false;
}

// Without friction what an impact gives back may close other contacts, which collide next; those that are left after so
// many belong to the step. Returns approaches after all.
static double *strike_all(ts_step *step, double *approach)
{
  enum { MOST = 100 };
  bool again = true;
  for (int k = 0; k < MOST && again; ++k) {
    strike(step, approach);
    approach = ts_step_approach(step, step->sim->options.rest_speed, &again);
    again = again && !ts_system_rubs(&step->system);
  }
  return approach;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step = {.sim = sim, .h = h, .theta = sim->options.theta, .arena = arena, .from = sim->old_velocity};
  if (!ts_step_joints(&step)) return false;
  ts_step_find_contacts(&step, sim->state.velocity);
  keep_closed_contacts(sim, h, &step.contacts);
  keep_reached_limits(&step);
  if (ts_step_flies(&step)) {
    ts_step_fly(&step);
  } else {
    ts_step_assemble(&step);
    bool impact = false;
    double *approach = ts_step_approach(&step, sim->options.rest_speed, &impact);
    if (impact && sim->options.impacts == TS_IMPACT_POISSON) approach = strike_all(&step, approach);
    accelerate(&step, approach, impact);
  }
  ts_step_notice_passages(&step);
  ts_step_finish(&step);
  ts_step_advance(&step);
  ts_place_kinematic_bodies(sim, sim->state.time); // after rates were read against them
  return true;
}

static const char *const activations[] = {
    [TS_ACTIVATE_CURRENT] = "current", [TS_ACTIVATE_MIDPOINT] = "midpoint", [TS_ACTIVATE_END] = "end", NULL};
static const ts_key rows[] = {
    {"theta", TS_VALUE_NUMBER, TS_STEP_MEMBER(theta), .range = TS_RANGE_UPPER_HALF, .fallback = "1",
     .help = "velocity stepper: weight of the new velocity in the position update, 0.5 to 1"},
    {"activate", TS_VALUE_CHOICE, TS_STEP_MEMBER(activate), .choices = activations, .fallback = "current",
     .help = "velocity stepper: contact when the gap is closed now, at midstep, or at the end"},
};
static const ts_section own_options = {"the step", TS_KEYS(rows)};

const ts_stepper ts_stepper_velocity = {
    .name = "velocity",
    .summary = "closed contacts do not approach (Anitescu-Potra; Moreau-Jean with theta 0.5)",
    .stabilization = TS_STABILIZATION_NONE,
    .rebounds = TS_IMPACT_NEWTON,
    .options = &own_options,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};
