// From event to event (001 IV): smooth motion is integrated to high order, impacts are located in time and solved for
// all contacts that are closed then, and motion goes on from the velocity after them.
//
// Resting contact. While contacts stay closed the motion is stepped at the level of velocities, as the stepper
// `velocity` does, over what is left of the step.
// Dry friction of a joint is a force of known sign while the joint slips. It stops at an event; while it sticks the
// motion is stepped as for resting contacts.
// Accumulation of impacts. An approach slower than rest_speed, or than SLOWEST where that is larger, does not rebound:
// the contact stays closed. Of a ball that bounces with e this cuts off impacts within 2 e SLOWEST/(g (1 - e)).
#include "step/flight.h"

#include "contact/contact_sum.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SLOWEST = 1e-6; // [m/s]

// Gaps that count as closed, of the size of what touches; and how long events of one step may go on.
static const double CLOSED = 1e-11;
enum { MOST_EVENTS = 1000, MOST_TRIALS = 100, MOST_HALVINGS = 40 };

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_NEWTON)
    return ts_fail(error, TS_UNSUPPORTED, "event-driven stepping goes with impacts: poisson or inelastic");
  return TS_OK;
}

// What is a row of a fixed step has no meaning between events.
static ts_status check_model(const ts_model *model, ts_error *error)
{
  for (int s = 0; s < model->spring_count; ++s)
    if (model->springs[s].implicit)
      return ts_fail(error, TS_UNSUPPORTED,
                     "event-driven stepping takes springs as forces: say `implicit: false` for every spring");
  for (int j = 0; j < model->joint_count; ++j) {
    const ts_motor_kind kind = model->joints[j].motor.kind;
    if (kind == TS_MOTOR_VELOCITY || kind == TS_MOTOR_SERVO)
      return ts_fail(error, TS_UNSUPPORTED, "event-driven stepping knows motors of given force only");
  }
  return TS_OK;
}

// Contacts, stops and slipping joints where the bodies are shown now.
typedef struct situation {
  ts_contact_set contacts;
  ts_bounded_row *stops;
  int stop_count;
  double slip; // slowest rate of a joint with dry friction in the way it slips [m/s, rad/s]; INFINITY: there is none
} situation;

static double slowest_slip(const ts_flight *flight)
{
  const ts_sim *sim = flight->sim;
  double slowest = INFINITY;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    if (sim->model->joints[j].friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    slowest = fmin(slowest, flight->slip[j] * rate);
  }
  return slowest;
}

static int stops_alone(ts_bounded_row *rows, int count)
{
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].lower >= 0.0) rows[kept++] = rows[k];
  return kept;
}

// All whose gap may close within h.
static void look(ts_flight *flight, double h, situation *now)
{
  ts_sim *sim = flight->sim;
  now->stops = ts_arena_bytes(flight->arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *now->stops);
  now->stop_count = stops_alone(now->stops, ts_bounded_rows(sim->model, &sim->state, &sim->kinematics, h, now->stops));
  now->slip = slowest_slip(flight);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, h, sim->options.margin, flight->arena,
                        &now->contacts))
    longjmp(*flight->arena->recovery, 1);
}

static double closed_gap(const ts_contact *contact)
{
  return CLOSED * (ts_length(contact->arm_1) + ts_length(contact->point));
}

static double stop_speed(const ts_sim *sim, const ts_bounded_row *stop)
{
  return ts_row_rate(&stop->row, sim->state.velocity) + stop->drift;
}

// The smallest gap, or rate of slip, which ends as a gap closes; what is closed and parts does not count, it is on its
// way.
static double smallest_gap(const ts_sim *sim, const situation *now)
{
  double smallest = now->slip;
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    if (contact->gap <= closed_gap(contact) && ts_normal_speed(sim, contact) > 0.0) continue;
    smallest = fmin(smallest, contact->gap);
  }
  for (int k = 0; k < now->stop_count; ++k) {
    if (now->stops[k].gap <= CLOSED && stop_speed(sim, &now->stops[k]) > 0.0) continue;
    smallest = fmin(smallest, now->stops[k].gap);
  }
  return smallest;
}

// Whether something closed neither parts nor approaches, or a joint sticks: it rests.
static bool is_resting(const ts_sim *sim, const situation *now, double slow)
{
  if (now->slip <= slow) return true;
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    if (contact->gap <= closed_gap(contact) && fabs(ts_normal_speed(sim, contact)) <= slow) return true;
  }
  for (int k = 0; k < now->stop_count; ++k)
    if (now->stops[k].gap <= CLOSED && fabs(stop_speed(sim, &now->stops[k])) <= slow) return true;
  return false;
}

static bool is_approached(const ts_sim *sim, const situation *now, double slow)
{
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    if (contact->gap <= closed_gap(contact) && ts_normal_speed(sim, contact) < -slow) return true;
  }
  for (int k = 0; k < now->stop_count; ++k)
    if (now->stops[k].gap <= CLOSED && stop_speed(sim, &now->stops[k]) < -slow) return true;
  return false;
}

// ---- events --------------------------------------------------------------------------------------------------------

// The smallest gap at time + h on the way from the present state; NAN when there is none.
static double gap_after(ts_flight *flight, double h)
{
  const ts_arena_mark mark = ts_arena_save(flight->arena);
  situation now;
  double gap = NAN;
  if (ts_flight_try(flight, h)) {
    ts_flight_show_trial(flight, flight->sim->state.time + h);
    look(flight, h, &now);
    gap = smallest_gap(flight->sim, &now);
  }
  ts_arena_restore(flight->arena, mark);
  return gap;
}

// Contacts that were open at both ends of a step of length h may have dipped below zero in between: those that approach
// at its start and part at its end. The cubic through gaps and speeds tells.
static bool dips(const ts_sim *sim, const situation *before, const double *speed_before, const situation *after,
                 double h)
{
  for (int i = 0; i < after->contacts.count; ++i) {
    const ts_contact *late = &after->contacts.contacts[i];
    const double rate_1 = ts_normal_speed(sim, late);
    if (rate_1 <= 0.0 || late->gap > h * rate_1) continue;
    for (int j = 0; j < before->contacts.count; ++j) {
      const ts_contact *early = &before->contacts.contacts[j];
      const bool same = early->body_1 == late->body_1 && early->body_2 == late->body_2 &&
                        early->part_1 == late->part_1 && early->part_2 == late->part_2;
      if (!same || speed_before[j] >= 0.0) continue;
      const double a = early->gap, b = h * speed_before[j], c = late->gap, d = h * rate_1;
      const double e = 3.0 * (c - a) - 2.0 * b - d, f = 2.0 * (a - c) + b + d; // a + b s + e s^2 + f s^3
      for (int k = 1; k < 32; ++k) {
        const double s = k / 32.0;
        if (a + s * (b + s * (e + s * f)) < -closed_gap(late)) return true;
      }
    }
  }
  return false;
}

// The time of the first event within h: a root of the smallest gap, from above to below; regula falsi with Illinois'
// halving. Afterwards the trial is just past it.
static double locate(ts_flight *flight, double h, double gap_at_h)
{
  double low = 0.0, gap_low = INFINITY, high = h, gap_high = gap_at_h;
  for (int k = 0; k < MOST_HALVINGS && !(gap_low > 0.0 && isfinite(gap_low)); ++k) { // an open point before it
    low = ldexp(h, -1 - k);
    gap_low = gap_after(flight, low);
    if (gap_low <= 0.0) {
      high = low;
      gap_high = gap_low;
    }
  }
  double weight_low = gap_low, weight_high = gap_high;
  if (!(gap_low > 0.0)) low = 0.0;
  for (int k = 0; k < MOST_TRIALS && high - low > 2.0 * DBL_EPSILON * (flight->sim->state.time + high); ++k) {
    double x = isfinite(weight_low) && k % 8 != 7 ? (low * weight_high - high * weight_low) / (weight_high - weight_low)
                                                  : 0.5 * (low + high);
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    const double gap = gap_after(flight, x);
    if (gap <= 0.0) {
      high = x;
      weight_high = gap_high = gap;
      weight_low *= 0.5;
      if (gap > -1e-15) break;
    } else {
      low = x;
      weight_low = gap_low = gap;
      weight_high *= 0.5;
    }
  }
  ts_flight_try(flight, high);
  return high;
}

// Fly until something closes, or to `end`. False when numbers that are not finite came up.
static bool fly(ts_flight *flight, double end)
{
  ts_sim *sim = flight->sim;
  while (sim->state.time < end) {
    const ts_arena_mark mark = ts_arena_save(flight->arena);
    situation before, after;
    const double h = ts_flight_step(flight, end), time = sim->state.time;
    if (h == 0.0) return false;
    ts_flight_show(flight, time);
    look(flight, h, &before);
    double *speed = ts_arena_doubles(flight->arena, (size_t)before.contacts.count);
    for (int i = 0; i < before.contacts.count; ++i) speed[i] = ts_normal_speed(sim, &before.contacts.contacts[i]);
    ts_flight_show_trial(flight, time + h);
    look(flight, h, &after);
    const double gap = smallest_gap(sim, &after);
    const bool hidden = gap > 0.0 && dips(sim, &before, speed, &after, h);
    ts_arena_restore(flight->arena, mark);
    if (hidden && h > 1e-9) {
      flight->ode.step = 0.25 * h; // look closer
      continue;
    }
    const double taken = gap <= 0.0 ? locate(flight, h, gap) : h;
    ts_flight_accept(flight, taken == end - time ? end : time + taken);
    if (gap <= 0.0) return true;
  }
  return true;
}

// ---- impacts -------------------------------------------------------------------------------------------------------

static void keep_closed(ts_stage *stage)
{
  ts_contact_set *set = &stage->contacts;
  int kept = 0;
  for (int i = 0; i < set->count; ++i)
    if (set->contacts[i].gap <= closed_gap(&set->contacts[i])) ts_contact_set_move(set, i, kept++);
  set->count = kept;
  kept = 0;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stage->bounded[k].lower >= 0.0 && stage->bounded[k].gap <= CLOSED) stage->bounded[kept++] = stage->bounded[k];
  stage->bounded_count = kept;
}

// All that is closed now collides at once.
static void collide(ts_flight *flight, double slow)
{
  ts_sim *sim = flight->sim;
  ts_stage stage = {.sim = sim, .h = sim->options.size, .theta = 1.0, .sudden = true, .arena = flight->arena};
  ts_stage_joints(&stage);
  ts_stage_find_contacts(&stage, sim->state.velocity);
  keep_closed(&stage);
  ts_stage_assemble(&stage);
  bool impact;
  double *approach = ts_stage_approach(&stage, slow, &impact);
  for (int i = 0; i < stage.system.count; ++i)
    if (approach[i] >= -slow) approach[i] = 0.0; // slow ones do not rebound
  ts_stage_impact(&stage, sim->options.impacts == TS_IMPACT_POISSON ? approach : NULL);
  const ts_contact_set earlier = sim->contacts;
  ts_stage_finish(&stage);
  sim->contacts =
      earlier.count > 0 ? ts_contact_sum(&earlier, &sim->contacts, sim->state.velocity, stage.arena) : sim->contacts;
  sim->report.contacts = sim->contacts.count;
  ++sim->report.events;
  sim->report.event_time = sim->state.time;
  ts_flight_take_velocity(flight);
}

// What is closed stays so: a step at the level of velocities to `end`.
static bool rest(ts_sim *sim, double end, ts_arena *arena)
{
  const ts_contact_set earlier = sim->contacts;
  if (!ts_stepper_velocity.step(sim, end - sim->state.time, arena)) return false;
  sim->state.time = end;
  ts_sim_follow(sim);
  if (earlier.count > 0) sim->contacts = ts_contact_sum(&earlier, &sim->contacts, sim->state.velocity, arena);
  sim->report.contacts = sim->contacts.count;
  return true;
}

static bool go_through_events(ts_sim *sim, double h, ts_arena *arena)
{
  const double end = sim->state.time + h, slow = fmax(SLOWEST, sim->options.rest_speed);
  ts_flight flight;
  ts_flight_begin(&flight, sim, arena);
  sim->contacts = (ts_contact_set){.count = 0};
  sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  bool gets_on = true;
  for (int events = 0; sim->state.time < end && gets_on && events < MOST_EVENTS; ++events) {
    situation now;
    const double time = sim->state.time;
    ts_flight_take_slips(&flight);
    look(&flight, end - time, &now);
    if (is_approached(sim, &now, slow)) {
      collide(&flight, slow);
    } else if (is_resting(sim, &now, slow)) {
      return rest(sim, end, arena);
    } else {
      if (!fly(&flight, end)) return false;
      gets_on = sim->state.time > time;
    }
  }
  if (sim->state.time < end) return rest(sim, end, arena); // events without end: they are left to the fixed step
  sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  return true;
}

// What the step before remembered lies in its memory, which the next step takes: without contacts it is forgotten.
static bool step(ts_sim *sim, double h, ts_arena *arena)
{
  const ts_remembered *earlier = sim->remembered.entries;
  const bool finite = go_through_events(sim, h, arena);
  if (sim->remembered.entries == earlier) sim->remembered = (ts_memory){.count = 0};
  return finite;
}

const ts_stepper ts_stepper_event_driven = {
    .name = "event-driven",
    .summary = "smooth motion of high order between impacts that are located in time (001 IV)",
    .stabilization = TS_STABILIZATION_NONE,
    .needs_tree = true,
    .check = check,
    .check_model = check_model,
    .step = step,
};
