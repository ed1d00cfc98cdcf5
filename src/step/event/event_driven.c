// From event to event (001 IV): smooth motion is integrated to high order, impacts are located in time and solved for
// all contacts that are closed then, and motion goes on from the velocity after them.
//
// Resting contact. What is closed and does not approach is active: the motion goes on by steps at the level of
// velocities that are extrapolated (step/event/active_set.h). Sticking and sliding, and letting go, are what their
// complementarity problems say; forces that jump are met with short steps. Dry friction of a joint is a force of known
// sign while the joint slips and nothing is active. It stops at an event. Where that does not get on, or takes too many
// problems, fixed steps do (step/event/regularize.h). Accumulation of impacts. An approach slower than rest_speed, or
// than v = TS_SLOWEST_APPROACH where that is larger, does not rebound: the contact stays closed. Of a ball that bounces
// with e this cuts off impacts within 2 e v/(g (1 - e)).
#include "step/event/regularize.h"
#include "step/event/situation.h"
#include "step/bases.h"
#include "step/impact.h"

#include "contact/contact_sum.h"
#include "dynamics/joint_rows.h"
#include "shape/own_shape.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

// An approach slower than this is round-off; a faster one that does not rebound is ended by an impulse that nobody
// calls an event.
static const double AT_REST = 1e-10; // [m/s]

// Of a search for an event.
enum { MOST_TRIALS = 100 };

// A gap that is round-off: where it is as small the search for an event ends.
static const double TOUCHES = 1e-15;

// Steps this short are not looked at for what may have met on the way [s]. Times that differ by less than SLIVER of
// themselves, or of the step, are the same.
static const double SHORTEST_LOOK = 1e-9;
static const double SLIVER = 4.0 * DBL_EPSILON;

// Parts that pass each other are looked at when they touch, and this far ahead [s]: gaps that close are located as they
// are, and only then it is seen whether they stop anything.
static const ts_outlook PASSING = {.time = 1e-4, .closed = 2.0 * TS_TOUCHING};

// Problems are solved so well that what extrapolation makes of their errors stays small.
static const double SOLVED = 1e-13;

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_NEWTON)
    return ts_fail(error, TS_UNSUPPORTED, "event-driven stepping goes with impacts: poisson or inelastic");
  return TS_OK;
}

// How long a gap stays open is told by directions that part convex shapes (advancement.c).
static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  (void)options;
  if (model->support_count > 0)
    return ts_fail(error, TS_UNSUPPORTED,
                   "event-driven stepping does not locate when supports begin and cease to slide; take another stepper "
                   "for space: 2.5d");
  for (int i = 0; i < model->part_count; ++i) {
    const ts_part *part = &model->parts[i];
    if (part->convex.kind == TS_SHAPE_OWN)
      return ts_fail(error, TS_UNSUPPORTED,
                     "event-driven stepping cannot tell when shape '%.60s' of body '%s' meets another; other steppers "
                     "can have it",
                     ts_shape_label(part->convex.shape), model->bodies[part->body].name);
  }
  return TS_OK;
}

// A broad phase of its own for the ways of parts between events.
static bool create(ts_sim *sim)
{
  sim->finder.touching = 2.0 * TS_TOUCHING; // bodies at rest are seen to touch though round-off has parted them
  sim->own = ts_broad_phase_create(sim->model->part_count, &sim->allocator);
  return sim->own;
}

static void destroy(ts_sim *sim)
{
  ts_broad_phase_destroy(sim->own);
}

// All that rests becomes active. A joint that sticks is active as well.
static void activate(ts_smooth *smooth, const ts_situation *now, double slow)
{
  const ts_sim *sim = smooth->sim;
  for (int i = 0; i < now->contacts.count; ++i)
    if (ts_contact_rests(now, i, slow)) ts_active_set_add_contact(&smooth->active, sim, &now->contacts, i);
  for (int k = 0; k < now->stop_count; ++k)
    if (ts_stop_rests(now, k, slow)) ts_active_set_add_stop(&smooth->active, &now->stops[k]);
}

// ---- events --------------------------------------------------------------------------------------------------------

// The smallest gap at time + h on the way from the present state, `before`; -INFINITY when the motion does not get
// there.
static double gap_after(ts_smooth *smooth, const ts_situation *before, double h)
{
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  ts_situation now;
  double gap = -INFINITY;
  if (ts_smooth_try(smooth, h)) {
    ts_smooth_show_trial(smooth, smooth->sim->state.time + h);
    ts_look(smooth, h, &now);
    gap = ts_smallest_gap(smooth, before, &now);
  }
  ts_arena_restore(smooth->arena, mark);
  return gap;
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
// past it. Where the motion cannot be tried something has ended that carried it, and closing comes no sooner: then the
// trial is just before that, and `closes` is false.
static double locate(ts_smooth *smooth, const ts_situation *before, double h, double gap_at_h, bool *closes)
{
  const double gap_at_0 = ts_smallest_gap(smooth, before, before);
  bracket s = {.a = h, .gap_a = gap_at_h, .gap_b = gap_at_0 > 0.0 ? gap_at_0 : INFINITY, .c = h, .gap_c = gap_at_h};
  double share = 0.5;
  for (int k = 0; k < MOST_TRIALS; ++k) {
    const double x = s.a + share * (s.b - s.a), gap = gap_after(smooth, before, x);
    take_point(&s, x, gap);
    const double near = 2.0 * DBL_EPSILON * (smooth->sim->state.time + fmax(s.a, s.b)), width = fabs(s.a - s.b);
    if (width <= 2.0 * near || (gap <= 0.0 && gap > -TOUCHES)) break;
    share = next_share(&s, near / width);
  }
  const double high = s.gap_a <= 0.0 ? s.a : s.b, low = s.gap_a <= 0.0 ? s.b : s.a;
  *closes = ts_smooth_try(smooth, high) || low == 0.0;
  if (!*closes) ts_smooth_try(smooth, low);
  return *closes ? high : low;
}

// A step of smooth motion toward `end`, cut where something closes: `closes`. False when there is none.
static bool move(ts_smooth *smooth, double end, bool *closes)
{
  ts_sim *sim = smooth->sim;
  const double time = sim->state.time;
  for (;;) {
    const ts_arena_mark mark = ts_arena_save(smooth->arena);
    ts_situation before, after;
    const double h = ts_smooth_step(smooth, end);
    if (h == 0.0) return false;
    ts_smooth_show(smooth, time);
    ts_look(smooth, h, &before);
    ts_smooth_show_trial(smooth, time + h);
    ts_look(smooth, h, &after);
    const double gap = ts_smallest_gap(smooth, &before, &after);
    *closes = gap <= 0.0;
    double taken = h, clear = 0.25 * h;
    if (!(h > TS_LETTING_GO && ts_has_let_go(smooth, &after)) && !ts_stop_dips(smooth, &before, &after, h)) {
      if (*closes) taken = locate(smooth, &before, h, gap, closes);
      clear = h > SHORTEST_LOOK ? ts_smooth_clear(smooth, taken) : taken;
    }
    ts_arena_restore(smooth->arena, mark);
    if (ts_smooth_is_spent(smooth)) return false;
    if (clear == taken) {
      ts_smooth_accept(smooth, taken == end - time ? end : time + taken);
      return true;
    }
    ts_smooth_shorten(smooth, clear); // look closer
  }
}

// Move freely until something closes, or to `end`; a step only where something is active, for that may change, or where
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
  while (!closes && !smooth->is_constrained && sim->state.time < target);
  return true;
}

// ---- impacts -------------------------------------------------------------------------------------------------------

static void keep_closed(ts_step *step)
{
  ts_contact_set *set = &step->contacts;
  int kept = 0;
  for (int i = 0; i < set->count; ++i)
    if (set->contacts[i].gap <= ts_closed_gap(&set->contacts[i])) ts_contact_set_move(set, i, kept++);
  set->count = kept;
  kept = 0;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].lower >= 0.0 && step->bounded[k].gap <= TS_TOUCHING) step->bounded[kept++] = step->bounded[k];
  step->bounded_count = kept;
}

// Rows of a step hold the rates that drives have at its end. No time passes in an impact.
static void hold_present_rates(ts_step *step)
{
  const ts_sim *sim = step->sim;
  for (int k = 0; k < step->mobility.count; ++k) {
    ts_bilateral_row *row = &step->mobility.rows[k];
    if (row->drives)
      row->bias = ts_drive_row(sim->model, &sim->state, &sim->kinematics, row->source, DBL_MIN).bias;
  }
}

// Joints and all that is closed now, for velocities that change without time. False: joints have no factor.
static bool begin_impact(const ts_smooth *smooth, ts_step *step)
{
  ts_sim *sim = smooth->sim;
  *step = (ts_step){.sim = sim, .h = sim->options.size, .theta = 1.0, .impulsive = true, .arena = smooth->arena};
  if (!ts_step_joints(step)) return false;
  hold_present_rates(step);
  ts_step_find_contacts(step, sim->state.velocity);
  keep_closed(step);
  ts_step_assemble(step);
  return true;
}

// What became of it is reported; motion goes on with the new velocity. `problems`: that were solved before; `impulse`:
// of forces, or NULL.
static void end_impact(ts_smooth *smooth, ts_step *step, int problems, const ts_wrench *impulse)
{
  ts_sim *sim = smooth->sim;
  const ts_contact_set earlier = sim->contacts;
  ts_step_finish(step);
  ts_bases_strike(step, impulse);
  sim->contacts =
      earlier.count > 0 ? ts_contact_sum(&earlier, &sim->contacts, sim->state.velocity, step->arena) : sim->contacts;
  sim->report.contacts = sim->contacts.count;
  smooth->work += 1.0 + sim->report.problems - problems;
  ts_smooth_take_velocity(smooth);
}

static void append_impact(ts_sim *sim, ts_located_impact impact, ts_arena *arena)
{
  ts_impact_list *list = &sim->impacts;
  if (list->count == list->capacity) {
    list->capacity = 2 * list->capacity + 4;
    ts_located_impact *larger = ts_arena_bytes(arena, (size_t)list->capacity, sizeof *larger);
    if (list->count > 0) memcpy(larger, list->impacts, (size_t)list->count * sizeof *larger);
    list->impacts = larger;
  }
  list->impacts[list->count++] = impact;
}

// What has met faster than `slow`.
static void note_impacts(const ts_step *step, double slow, const double *approach)
{
  ts_sim *sim = step->sim;
  for (int i = 0; i < step->system.count; ++i) {
    if (!(approach[i] < -slow)) continue;
    ts_located_impact impact = {.time = sim->state.time, .joint = -1, .approach = -approach[i]};
    impact.impulse = step->r[(size_t)i * (size_t)step->system.dimension];
    if (i < step->contacts.count) {
      impact.body_1 = step->contacts.contacts[i].body_1;
      impact.body_2 = step->contacts.contacts[i].body_2;
    } else {
      impact.joint = step->bounded[step->system.blocks[i].source].joint;
      impact.body_1 = sim->model->joints[impact.joint].child;
      impact.body_2 = sim->model->joints[impact.joint].parent;
    }
    append_impact(sim, impact, step->arena);
  }
}

// All that is closed now collides at once. False: joints have no factor.
static bool collide(ts_smooth *smooth, double slow)
{
  ts_sim *sim = smooth->sim;
  const int problems = sim->report.problems;
  ts_step step;
  if (!begin_impact(smooth, &step)) return false;
  bool impact;
  double *approach = ts_step_approach(&step, slow, &impact);
  double *met = ts_arena_doubles(step.arena, (size_t)step.system.count);
  if (impact) memcpy(met, approach, (size_t)step.system.count * sizeof *met);
  ts_step_choose_rebounds(&step, AT_REST, slow, approach);
  ts_step_impact(&step, sim->options.impacts == TS_IMPACT_POISSON ? approach : NULL);
  if (impact) note_impacts(&step, slow, met);
  end_impact(smooth, &step, problems, NULL);
  if (impact) {
    ++sim->report.events;
    sim->report.event_time = sim->state.time;
  }
  return true;
}

// ---- impulses of forces --------------------------------------------------------------------------------------------

static double work_of_impulses(const ts_sim *sim, const ts_wrench *impulse, const ts_twist *before)
{
  double work = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b) {
    if (sim->model->bodies[b].kind != TS_DYNAMIC) continue;
    const ts_twist sum = ts_twist_add_scaled(before[b], 1.0, sim->state.velocity[b]);
    work += 0.5 * (ts_dot(impulse[b].force, sum.linear) + ts_dot(impulse[b].moment, sum.angular));
  }
  return work;
}

static void push_at_once(ts_step *step, const ts_wrench *impulse)
{
  ts_sim *sim = step->sim;
  const int bodies = sim->model->body_count;
  int count = 0;
  ts_body_push *pushes = ts_arena_bytes(step->arena, (size_t)bodies, sizeof *pushes);
  for (int b = 0; b < bodies; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC && ts_wrench_is_something(&impulse[b]))
      pushes[count++] = (ts_body_push){b, impulse[b]};
  ts_mobility_push(&step->mobility, pushes, count, sim->state.velocity, step->mobility.impulse);
}

// Velocities jump by the impulses of forces within the span. What is closed answers at once and gives nothing back:
// nothing was approached before. Works are on the mean of the velocities before and after all of it.
static bool jump(ts_smooth *smooth, ts_interval span)
{
  ts_sim *sim = smooth->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const int problems = sim->report.problems;
  ts_step step;
  if (!begin_impact(smooth, &step)) return false;
  ts_wrench *impulse = ts_arena_bytes(step.arena, bodies, sizeof *impulse);
  ts_twist *before = ts_arena_bytes(step.arena, bodies, sizeof *before);
  memcpy(before, sim->state.velocity, bodies * sizeof *before);
  ts_applied_impulses(sim->model, &sim->state, &sim->kinematics, span, impulse);
  const ts_struck struck = {impulse, span};
  step.struck = &struck;
  push_at_once(&step, impulse);
  ts_step_impact(&step, NULL);
  step.from = before;
  sim->report.applied_work += work_of_impulses(sim, impulse, before);
  end_impact(smooth, &step, problems, impulse);
  return true;
}

// Whether something is approached now; if not, what rests is active from now on.
static bool see(ts_smooth *smooth, double h, double slow)
{
  ts_situation now;
  ts_smooth_take_slips(smooth);
  const ts_arena_mark mark = ts_look_anew(smooth, h, &now);
  const bool approached = ts_is_approached(&now, AT_REST);
  if (!approached) activate(smooth, &now, slow);
  ts_arena_restore(smooth->arena, mark);
  const bool stuck = !approached && now.slip <= slow;
  if (stuck || smooth->active.contact_count > 0 || smooth->active.row_count > 0) ts_smooth_constrain(smooth);
  return approached;
}

// From event to event up to `end`. False: it does not get there.
static bool go_to(ts_smooth *smooth, ts_pace *pace, double end)
{
  const ts_sim *sim = smooth->sim;
  const double slow = fmax(TS_SLOWEST_APPROACH, sim->options.rest_speed);
  while (sim->state.time < end) {
    const double time = sim->state.time;
    const bool gets_on =
        see(smooth, end - time, slow) ? collide(smooth, slow) : go_on(smooth, end) && sim->state.time > time;
    if (!gets_on || ts_smooth_is_spent(smooth)) {
      if (sim->state.time < end && !ts_regularize(pace, smooth, end)) return false;
    } else {
      ts_pace_keep(pace, smooth);
    }
  }
  return true;
}

static bool go_through_events(ts_sim *sim, double h, ts_arena *arena)
{
  const double end = sim->state.time + h;
  ts_smooth smooth;
  ts_smooth_begin(&smooth, sim, arena);
  sim->finder.outlook = PASSING;
  sim->solve_options.tolerance = fmin(SOLVED, sim->options.tolerance);
  sim->contacts = (ts_contact_set){.count = 0};
  smooth.before = sim->report;
  ts_pace pace;
  ts_pace_begin(&pace, &smooth);
  ts_interval left = sim->part;
  double time;
  while (sim->model->impulses && (time = ts_model_next_impulse(sim->model, left)) < INFINITY) {
    const double next = nextafter(time, INFINITY);
    if (!go_to(&smooth, &pace, fmin(end, time)) || !jump(&smooth, (ts_interval){left.from, next})) return false;
    left.from = next;
  }
  if (!go_to(&smooth, &pace, end)) return false;
  sim->numbers[TS_EVENT_CONSTRAINED_STEP] = smooth.extrapolation.step;
  sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  return true;
}

// What the step before remembered lies in its memory, which the next step takes: without contacts it is forgotten.
static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  const ts_remembered *earlier = sim->remembered.entries;
  const bool finite = go_through_events(sim, h, arena);
  if (sim->remembered.entries == earlier) sim->remembered = (ts_warm_start){.count = 0};
  return finite;
}

const ts_stepper ts_stepper_event_driven = {
    .name = "event-driven",
    .summary = "smooth motion of high order between impacts that are located in time (001 IV)",
    .stabilization = TS_STABILIZATION_NONE,
    .rebounds = TS_IMPACT_POISSON,
    .needs_coordinates = true,
    .is_smooth = true,
    .number_count = TS_EVENT_NUMBERS,
    .check = check,
    .check_model = check_model,
    .create = create,
    .destroy = destroy,
    .step = take_step,
};
