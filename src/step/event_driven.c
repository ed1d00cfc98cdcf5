// From event to event (001 IV): smooth motion is integrated to high order, impacts are located in time and solved for
// all contacts that are closed then, and motion goes on from the velocity after them.
//
// Resting contact. What is closed and does not approach is held: the motion goes on by steps at the level of velocities
// that are extrapolated (step/held.h). Sticking and sliding, and letting go, are what their complementarity problems
// say; forces that jump are met with short steps.
// Dry friction of a joint is a force of known sign while the joint slips and nothing is held. It stops at an event.
// Accumulation of impacts. An approach slower than rest_speed, or than SLOWEST where that is larger, does not rebound:
// the contact stays closed. Of a ball that bounces with e this cuts off impacts within 2 e SLOWEST/(g (1 - e)).
#include "step/smooth.h"

#include "contact/contact_sum.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SLOWEST = 1e-6; // [m/s]

// An approach slower than this is round-off; between the two it is ended by an impulse that nobody calls an event.
static const double AT_REST = 1e-10; // [m/s]

// Gaps that count as closed, of the size of what touches; and how long events of one step may go on.
static const double CLOSED = 1e-11;
enum { MOST_EVENTS = 1000, MOST_STEPS = 10000, MOST_TRIALS = 100 };

// A gap that is round-off: where it is as small the search for an event ends.
static const double TOUCHES = 1e-15;

// A gap that something held has at the end of a step of smooth motion when it has let go on the way, of its size: more
// than the step's error. Letting go is located to LETTING_GO.
static const double OPEN = 1e-9;
static const double LETTING_GO = 1e-5; // [s]

// Steps this short are not looked at for gaps that close and open again [s]. Times that differ by less than SLIVER of
// themselves, or of the step, are the same.
static const double SHORTEST_LOOK = 1e-9;
static const double SLIVER = 4.0 * DBL_EPSILON;

// Problems are solved so well that what extrapolation makes of their errors stays small.
static const double SOLVED = 1e-13;

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_NEWTON)
    return ts_fail(error, TS_UNSUPPORTED, "event-driven stepping goes with impacts: poisson or inelastic");
  return TS_OK;
}

// Contacts, stops and slipping joints where the bodies are shown now.
typedef struct situation {
  ts_contact_set contacts;
  int *match;    // of the contacts, as ts_held_match() has it
  double *speed; // of the contacts along their normals [m/s]
  ts_bounded_row *stops;
  int stop_count;
  double *stop_speed; // [m/s, rad/s]
  double slip; // slowest rate of a joint with dry friction in the way it slips [m/s, rad/s]; INFINITY: there is none
} situation;

static double slowest_slip(const ts_smooth *smooth)
{
  const ts_sim *sim = smooth->sim;
  double slowest = INFINITY;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    if (sim->model->joints[j].friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    slowest = fmin(slowest, smooth->slip[j] * rate);
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
static void look(ts_smooth *smooth, double h, situation *now)
{
  ts_sim *sim = smooth->sim;
  now->stops = ts_arena_bytes(smooth->arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *now->stops);
  now->stop_count = stops_alone(now->stops, ts_bounded_rows(sim->model, &sim->state, &sim->kinematics, h, now->stops));
  now->slip = slowest_slip(smooth);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, fmax(h, TS_HELD_REACH),
                        sim->options.margin, smooth->arena, &now->contacts))
    longjmp(*smooth->arena->recovery, 1);
  now->match = ts_arena_ints(smooth->arena, (size_t)now->contacts.count);
  ts_held_match(&smooth->held, &now->contacts, now->match);
  now->speed = ts_arena_doubles(smooth->arena, (size_t)now->contacts.count);
  for (int i = 0; i < now->contacts.count; ++i) now->speed[i] = ts_normal_speed(sim, &now->contacts.contacts[i]);
  now->stop_speed = ts_arena_doubles(smooth->arena, (size_t)now->stop_count);
  for (int k = 0; k < now->stop_count; ++k)
    now->stop_speed[k] = ts_row_rate(&now->stops[k].row, sim->state.velocity) + now->stops[k].drift;
}

static double closed_gap(const ts_contact *contact)
{
  return CLOSED * (ts_length(contact->arm_1) + ts_length(contact->point));
}

static bool contact_is_closed(const situation *now, int i)
{
  return now->contacts.contacts[i].gap <= closed_gap(&now->contacts.contacts[i]);
}

static bool stop_is_closed(const situation *now, int k)
{
  return now->stops[k].gap <= CLOSED;
}

// Closed, and neither parting nor approaching.
static bool contact_rests(const situation *now, int i, double slow)
{
  return contact_is_closed(now, i) && fabs(now->speed[i]) <= slow;
}

static bool stop_rests(const situation *now, int k, double slow)
{
  return stop_is_closed(now, k) && fabs(now->stop_speed[k]) <= slow;
}

static bool same_pair(const situation *a, int i, const situation *b, int j)
{
  return ts_part_pair_key(a->contacts.parts[i]) == ts_part_pair_key(b->contacts.parts[j]);
}

// Whether contact i of `now` was open before; where it has no predecessor, whether all contacts of its pair were.
static bool contact_was_open(const situation *before, const situation *now, int i)
{
  bool open = true;
  for (int j = 0; j < before->contacts.count; ++j) {
    if (!same_pair(before, j, now, i)) continue;
    const bool closed = contact_is_closed(before, j);
    if (before->contacts.contacts[j].feature == now->contacts.contacts[i].feature) return !closed;
    open = open && !closed;
  }
  return open;
}

static int find_stop(const situation *in, const ts_bounded_row *stop) // or -1
{
  for (int k = 0; k < in->stop_count; ++k)
    if (in->stops[k].joint == stop->joint && in->stops[k].feature == stop->feature) return k;
  return -1;
}

static bool stop_was_open(const situation *before, const ts_bounded_row *stop)
{
  const int k = find_stop(before, stop);
  return k < 0 || !stop_is_closed(before, k);
}

// The smallest gap of what is not held, or, where motion is free, rate of slip, which ends as a gap closes. What has
// been closed at the start of the step, `before`, and parts does not count, it is on its way; nor what comes to rest
// beside what is held, it will be.
static double smallest_gap(const ts_smooth *smooth, const situation *before, const situation *now)
{
  double smallest = smooth->is_held ? INFINITY : now->slip;
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    if (now->match[i] >= 0) continue;
    if (contact_is_closed(now, i) && now->speed[i] > 0.0 && !contact_was_open(before, now, i)) continue;
    if (smooth->is_held && contact->gap > -closed_gap(contact) && contact_rests(now, i, SLOWEST)) continue;
    smallest = fmin(smallest, contact->gap);
  }
  for (int k = 0; k < now->stop_count; ++k) {
    const ts_bounded_row *stop = &now->stops[k];
    if (ts_held_find_row(&smooth->held, stop)) continue;
    if (stop_is_closed(now, k) && now->stop_speed[k] > 0.0 && !stop_was_open(before, stop)) continue;
    if (smooth->is_held && stop->gap > -CLOSED && stop_rests(now, k, SLOWEST)) continue;
    smallest = fmin(smallest, stop->gap);
  }
  return smallest;
}

// Hold all that rests. A joint that sticks is held as well.
static void hold(ts_smooth *smooth, const situation *now, double slow)
{
  const ts_sim *sim = smooth->sim;
  for (int i = 0; i < now->contacts.count; ++i)
    if (contact_rests(now, i, slow)) ts_held_add_contact(&smooth->held, sim, &now->contacts, i);
  for (int k = 0; k < now->stop_count; ++k)
    if (stop_rests(now, k, slow)) ts_held_add_stop(&smooth->held, &now->stops[k]);
}

// Whether something held has opened.
static bool has_let_go(const ts_smooth *smooth, const situation *now)
{
  if (!smooth->is_held) return false;
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    const bool open = contact->gap > OPEN / CLOSED * closed_gap(contact);
    if (open && now->match[i] >= 0) return true;
  }
  for (int k = 0; k < now->stop_count; ++k)
    if (now->stops[k].gap > OPEN && ts_held_find_row(&smooth->held, &now->stops[k])) return true;
  return false;
}

static bool is_approached(const situation *now, double slow)
{
  for (int i = 0; i < now->contacts.count; ++i)
    if (contact_is_closed(now, i) && now->speed[i] < -slow) return true;
  for (int k = 0; k < now->stop_count; ++k)
    if (stop_is_closed(now, k) && now->stop_speed[k] < -slow) return true;
  return false;
}

// ---- events --------------------------------------------------------------------------------------------------------

// The smallest gap at time + h on the way from the present state, `before`; NAN when there is none.
static double gap_after(ts_smooth *smooth, const situation *before, double h)
{
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  situation now;
  double gap = NAN;
  if (ts_smooth_try(smooth, h)) {
    ts_smooth_show_trial(smooth, smooth->sim->state.time + h);
    look(smooth, h, &now);
    gap = smallest_gap(smooth, before, &now);
  }
  ts_arena_restore(smooth->arena, mark);
  return gap;
}

// A gap with its rate at the start of a step of length h and at its end, which may have been below zero in between:
// it approaches first and parts then, and the cubic through these falls to half of what is left at the ends, or below.
// That leaves room for what the cubic is wrong by. Where it is not that low a step a quarter as long will tell.
static bool may_dip(double gap_0, double rate_0, double gap_1, double rate_1, double h)
{
  if (rate_0 >= 0.0 || rate_1 <= 0.0) return false;
  const double b = h * rate_0, d = h * rate_1; // gap_0 + b s + e s^2 + f s^3
  const double e = 3.0 * (gap_1 - gap_0) - 2.0 * b - d, f = 2.0 * (gap_0 - gap_1) + b + d;
  const double root = e + sqrt(fmax(0.0, e * e - 3.0 * f * b)); // > 0: the slope is b < 0 first and d > 0 then
  const double s = root > 0.0 ? fmin(1.0, -b / root) : 1.0;
  return gap_0 + s * (b + s * (e + s * f)) < 0.5 * fmin(gap_0, gap_1);
}

// Whether something that is open at both ends of a step, and not held, may have been closed in between.
static bool dips(const ts_smooth *smooth, const situation *before, const situation *after, double h)
{
  for (int i = 0; i < after->contacts.count; ++i) {
    if (after->match[i] >= 0 || contact_is_closed(after, i) || after->speed[i] <= 0.0) continue;
    for (int j = 0; j < before->contacts.count; ++j) {
      const bool same =
          same_pair(before, j, after, i) && before->contacts.contacts[j].feature == after->contacts.contacts[i].feature;
      if (!same || before->match[j] >= 0 || contact_is_closed(before, j)) continue;
      if (may_dip(before->contacts.contacts[j].gap, before->speed[j], after->contacts.contacts[i].gap, after->speed[i],
                  h))
        return true;
    }
  }
  for (int k = 0; k < after->stop_count; ++k) {
    const ts_bounded_row *stop = &after->stops[k];
    const int early = find_stop(before, stop);
    if (early < 0 || ts_held_find_row(&smooth->held, stop) || stop_is_closed(after, k)) continue;
    if (!stop_is_closed(before, early) &&
        may_dip(before->stops[early].gap, before->stop_speed[early], stop->gap, after->stop_speed[k], h))
      return true;
  }
  return false;
}

// A search for a root in a bracket (Chandrupatla, Advances in Engineering Software 28, 1997): a is the last point, b on
// the other side of the root, c the one before.
typedef struct bracket {
  double a, b, c, gap_a, gap_b, gap_c;
} bracket;

// Where between a (0) and b (1) to look next: inverse quadratic interpolation where the three points allow for it, else
// the middle. No nearer than `least` to the ends.
static double next_share(const bracket *s, double least)
{
  const double xi = (s->a - s->b) / (s->c - s->b), phi = (s->gap_a - s->gap_b) / (s->gap_c - s->gap_b);
  double share = 0.5;
  if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
    share = s->gap_a / (s->gap_b - s->gap_a) * s->gap_c / (s->gap_b - s->gap_c) +
            (s->c - s->a) / (s->b - s->a) * s->gap_a / (s->gap_c - s->gap_a) * s->gap_b / (s->gap_c - s->gap_b);
  return fmin(1.0 - least, fmax(least, share));
}

static void take_point(bracket *s, double x, double gap)
{
  const bool same_side = (gap <= 0.0) == (s->gap_a <= 0.0);
  s->c = same_side ? s->a : s->b;
  s->gap_c = same_side ? s->gap_a : s->gap_b;
  if (!same_side) {
    s->b = s->a;
    s->gap_b = s->gap_a;
  }
  s->a = x;
  s->gap_a = gap;
}

// The time of the first event within h: a root of the smallest gap, from above to below. Afterwards the trial is just
// past it. Where the motion cannot be tried, or there is no gap at all, it counts as open.
static double locate(ts_smooth *smooth, const situation *before, double h, double gap_at_h)
{
  const double gap_at_0 = smallest_gap(smooth, before, before);
  bracket s = {.a = h, .gap_a = gap_at_h, .gap_b = gap_at_0 > 0.0 ? gap_at_0 : INFINITY, .c = h, .gap_c = gap_at_h};
  double share = 0.5;
  for (int k = 0; k < MOST_TRIALS; ++k) {
    const double x = s.a + share * (s.b - s.a), gap = gap_after(smooth, before, x);
    take_point(&s, x, isnan(gap) ? INFINITY : gap);
    const double near = 2.0 * DBL_EPSILON * (smooth->sim->state.time + fmax(s.a, s.b)), width = fabs(s.a - s.b);
    if (width <= 2.0 * near || (gap <= 0.0 && gap > -TOUCHES)) break;
    share = next_share(&s, near / width);
  }
  const double high = s.gap_a <= 0.0 ? s.a : s.b;
  ts_smooth_try(smooth, high);
  return high;
}

// A step of smooth motion toward `end`, cut where something closes: `closes`. False when there is none.
static bool move(ts_smooth *smooth, double end, bool *closes)
{
  ts_sim *sim = smooth->sim;
  const double time = sim->state.time;
  for (;;) {
    const ts_arena_mark mark = ts_arena_save(smooth->arena);
    situation before, after;
    const double h = ts_smooth_step(smooth, end);
    if (h == 0.0) return false;
    ts_smooth_show(smooth, time);
    look(smooth, h, &before);
    ts_smooth_show_trial(smooth, time + h);
    look(smooth, h, &after);
    const double gap = smallest_gap(smooth, &before, &after);
    *closes = gap <= 0.0;
    const bool hidden = !*closes && h > SHORTEST_LOOK && dips(smooth, &before, &after, h);
    const bool lets_go = h > LETTING_GO && has_let_go(smooth, &after);
    double taken = h;
    if (*closes && !lets_go) taken = locate(smooth, &before, h, gap);
    ts_arena_restore(smooth->arena, mark);
    if (!hidden && !lets_go) {
      ts_smooth_accept(smooth, taken == end - time ? end : time + taken);
      return true;
    }
    ts_smooth_shorten(smooth, 0.25 * h); // look closer
  }
}

// Move freely until something closes, or to `end`; a step only where something is held, for that may change, or where
// functions of time jump.
static bool go_on(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  const double target = ts_smooth_target(smooth, end);
  if (target - sim->state.time <= SLIVER * fmax(fabs(sim->state.time), sim->options.size)) {
    ts_smooth_hop(smooth, target < end ? smooth->next_break : end);
    return true;
  }
  bool closes = false;
  do
    if (!move(smooth, target, &closes)) return false;
  while (!closes && !smooth->is_held && sim->state.time < target);
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

// All that is closed now collides at once. False: joints have no factor.
static bool collide(ts_smooth *smooth, double slow)
{
  ts_sim *sim = smooth->sim;
  ts_stage stage = {.sim = sim, .h = sim->options.size, .theta = 1.0, .sudden = true, .arena = smooth->arena};
  if (!ts_stage_joints(&stage)) return false;
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
  if (impact) {
    ++sim->report.events;
    sim->report.event_time = sim->state.time;
  }
  ts_smooth_take_velocity(smooth);
  return true;
}

// Where nothing else goes on: one step at the level of velocities to `end`.
static bool rest(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  ts_smooth_give_up(smooth);
  ++sim->report.fallbacks;
  const ts_contact_set earlier = sim->contacts;
  if (!ts_stepper_velocity.step(sim, end - sim->state.time, smooth->arena)) return false;
  sim->state.time = end;
  ts_sim_follow(sim);
  if (earlier.count > 0) sim->contacts = ts_contact_sum(&earlier, &sim->contacts, sim->state.velocity, smooth->arena);
  sim->report.contacts = sim->contacts.count;
  return true;
}

// Whether something is approached now; if not, what rests is held from now on.
static bool see(ts_smooth *smooth, double h, double slow)
{
  ts_arena_mark mark = ts_arena_save(smooth->arena);
  situation now;
  ts_smooth_take_slips(smooth);
  ts_smooth_let_go(smooth);
  look(smooth, h, &now);
  if (now.contacts.count > smooth->held.contact_capacity) { // what is held stays longer than what is seen
    const int room = 2 * now.contacts.count;
    ts_arena_restore(smooth->arena, mark);
    ts_held_make_room(&smooth->held, room, smooth->arena);
    mark = ts_arena_save(smooth->arena);
    look(smooth, h, &now);
  }
  const bool approached = is_approached(&now, AT_REST);
  if (!approached) hold(smooth, &now, slow);
  ts_arena_restore(smooth->arena, mark);
  const bool stuck = !approached && now.slip <= slow;
  if (stuck || smooth->held.contact_count > 0 || smooth->held.row_count > 0) ts_smooth_hold(smooth);
  return approached;
}

static bool go_through_events(ts_sim *sim, double h, ts_arena *arena)
{
  const double end = sim->state.time + h, slow = fmax(SLOWEST, sim->options.rest_speed);
  ts_smooth smooth;
  ts_smooth_begin(&smooth, sim, arena);
  sim->solve_options.tolerance = fmin(SOLVED, sim->options.tolerance);
  sim->contacts = (ts_contact_set){.count = 0};
  smooth.before = sim->report;
  bool gets_on = true;
  for (int steps = 0, events = 0; sim->state.time < end && gets_on && steps < MOST_STEPS; ++steps) {
    const double time = sim->state.time;
    if (see(&smooth, end - time, slow)) {
      gets_on = collide(&smooth, slow) && ++events < MOST_EVENTS;
    } else {
      gets_on = go_on(&smooth, end) && sim->state.time > time;
    }
  }
  sim->held_step = smooth.extrapolation.step;
  // Events without end, or a motion that cannot be continued: that is left to the fixed step.
  if (sim->state.time < end && !rest(&smooth, end)) return false;
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
    .step = step,
};
