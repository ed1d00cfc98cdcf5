// Stewart and Trinkle's step (thesis 2.6): at its end no gap is negative, to first order. With the quadratic cone
// eq. 2.77, with a polyhedral one eq. 2.78 after elimination of velocities and joints:
//   M (v+ - v) = h f + J^T p + G l,   G^T v+ + Phi/h = 0,   0 <= p_n _|_ J_n v+ + psi(q, t+h)/h >= 0,   friction,
//   q+ = q + h G(q) v+.
// Kinematic bodies stand where they are at the end of the step (thesis 5.1.2), so that their motion is in psi; their
// tangential velocity enters the friction law.
#include "step/closing.h"
#include "step/collide.h"
#include "step/corners.h"
#include "step/look_again.h"
#include "step/options.h"
#include "step/placing.h"
#include "step/repair.h"
#include "step/solve.h"

#include "base/status.h"

#include <string.h>

static bool takes_whole_impacts(const ts_step_options *options)
{
  return options->closing == TS_CLOSING_IMPACT || options->impacts == TS_IMPACT_POISSON;
}

// Poisson's law needs the whole impact; without it gaps will do where whole impacts gain energy.
static bool takes_whole_impacts_now(const ts_sim *sim)
{
  const bool may_take_gaps = sim->options.impacts != TS_IMPACT_POISSON;
  return takes_whole_impacts(&sim->options) && !(may_take_gaps && sim->closes_by_gaps);
}

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->closing == TS_CLOSING_GAP && options->impacts == TS_IMPACT_POISSON)
    return ts_fail(error, TS_UNSUPPORTED,
                   "closing: gap splits an impact over two steps, and Poisson's law would give back a part of it that "
                   "depends on when it falls; impacts: poisson goes with closing: impact");
  if (options->corners == TS_CORNERS_EXACT && takes_whole_impacts(options))
    return ts_fail(error, TS_UNSUPPORTED,
                   "corners: exact holds gaps at the end of the step against the velocities that it reaches, and with "
                   "closing: impact or impacts: poisson bodies do not end where these lead");
  return TS_OK;
}

// Relative normal velocity of each block at the start of the step.
static double *approach_velocities(const ts_step *step)
{
  const int d = step->system.dimension;
  double *u = ts_arena_doubles(step->arena, (size_t)step->system.count * (size_t)d);
  double *approach = ts_arena_doubles(step->arena, (size_t)step->system.count);
  ts_system_velocity(&step->system, step->sim->old_velocity, u);
  for (int i = 0; i < step->system.count; ++i)
    approach[i] = u[(size_t)i * (size_t)d] + step->surface[(size_t)i * (size_t)d];
  return approach;
}

static double gap_of_block(const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  return block->kind == TS_BLOCK_CONTACT ? step->contacts.contacts[i].gap : step->bounded[block->source].gap;
}

// What a contact or stop is asked for without a rebound.
static double asked_speed(const ts_step *step, int i)
{
  return step->asked ? step->asked[i] : ts_step_gap_speed(step, i);
}

// A contact or stop as Newton's law sees it.
typedef struct closing {
  double restitution;
  double gap_speed; // gap/h, as stabilization has it; moving surfaces are in the gap
  double surface;   // relative velocity by moving surfaces
  double approach;  // velocity at the start of the step, surfaces included
  double free;      // the same at its end if nothing touched, without surfaces
} closing;

// Newton's law where a contact would close within the step: leave with e times the speed of approach at its start, or
// faster where the repair of penetration asks for it. `factor` reduces e.
static double newton_bias(const ts_step *step, const closing *c, double factor)
{
  const bool closes = c->free + c->gap_speed <= 0.0, fast = c->approach < -step->sim->options.rest_speed;
  if (!closes || !fast || c->restitution == 0.0) return c->gap_speed;
  return fmin(c->surface + factor * c->restitution * c->approach, c->gap_speed);
}

// Bias of the normal of block i, a contact or a stop, by Newton's law. Returns whether it rebounds.
static bool set_newton_bias(ts_step *step, int i, double approach, double factor)
{
  const size_t normal = (size_t)i * (size_t)step->system.dimension;
  const closing c = {.restitution = ts_step_restitution(step, i),
                     .gap_speed = asked_speed(step, i),
                     .surface = step->surface[normal],
                     .approach = approach,
                     .free = step->system.q[normal]};
  step->bias[normal] = newton_bias(step, &c, factor);
  return step->bias[normal] != c.gap_speed;
}

static void set_some_bias(void *argument, int first, int end)
{
  ts_step *step = argument;
  const size_t d = (size_t)step->system.dimension;
  for (int i = first; i < end; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = ts_step_gap_speed(step, i);
    for (size_t r = 1; r < d; ++r) step->bias[normal + r] = step->surface[normal + r];
  }
}

// Contacts as far as no impact law changes them.
static void set_contact_bias(ts_step *step)
{
  ts_team_loop(step->sim->team, step->contacts.count, TS_SHARE_OF_BLOCKS, set_some_bias, step);
}

// Newton's law at contacts and stops, restitutions times `factor`. Returns whether one rebounds by it.
static bool set_rebounds(ts_step *step, const double *approach, double factor)
{
  bool rebounds = false;
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  for (int i = 0; i < step->system.count; ++i) {
    if (ts_block_is_held(&step->system.blocks[i])) continue;
    rebounds = set_newton_bias(step, i, approach[i], factor) || rebounds;
  }
  return rebounds;
}

// How fast a contact or stop leaves because it overlaps; 0 where it rebounds faster than that.
static double repairing_speed(const ts_step *step, int i)
{
  const double gap_speed = ts_stabilizing_speed(step->sim, fmin(0.0, gap_of_block(step, i)), step->h);
  const bool repairs = step->bias[(size_t)i * (size_t)step->system.dimension] >= gap_speed;
  return repairs ? -gap_speed : 0.0;
}

// Work of the impulses on relative velocities that go from those of `before` to the present ones, less what repairs
// penetration. Motors are not asked, they may work.
static double impact_work(const ts_step *step, const ts_twist *before)
{
  const ts_sim *sim = step->sim;
  const int d = step->system.dimension;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const size_t rows = (size_t)step->system.count * (size_t)d;
  double *u = ts_arena_doubles(step->arena, rows), *u_after = ts_arena_doubles(step->arena, rows), work = 0.0;
  ts_system_velocity(&step->system, before, u);
  ts_system_velocity(&step->system, sim->state.velocity, u_after);
  for (int i = 0; i < step->system.count; ++i) {
    if (ts_block_is_held(&step->system.blocks[i])) continue;
    const size_t first = (size_t)i * (size_t)d;
    for (size_t k = first; k < first + (size_t)d; ++k)
      work += step->r[k] * (0.5 * (u[k] + u_after[k]) + step->surface[k]);
    work -= step->r[first] * repairing_speed(step, i);
  }
  ts_arena_restore(step->arena, mark);
  return work;
}

// Where all contacts that push obey u+ = -e u-, with one e, impulses do no work: 1/2 p.(u- + u+) <= 0. But a contact
// that parts at the start (u- > 0) and is closed by its neighbours' rebounds ends with u+ = -gap/h, and gains 1/2 p (u-
// - gap/h); with friction Newton's law itself can gain. A step counts as gaining when its impulses work both on the
// mean of the velocities at its start and end and on that of free and end velocities: the first is zero for a ball that
// bounces under gravity (docs/theory/stepping.md), the second never positive without rebounds.
static bool has_gained(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const double energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity) +
                        ts_kinetic_energy(sim->model, &sim->kinematics, sim->free_velocity);
  const double small = (1e-12 + sim->options.tolerance) * energy;
  return impact_work(step, sim->old_velocity) > small && impact_work(step, sim->free_velocity) > small;
}

static void start_from_free_velocity(ts_sim *sim)
{
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
}

// What solves that are done again begin with.
typedef struct attempt {
  ts_step_report report;
  double *joint_impulse;
} attempt;

static attempt first_attempt(const ts_step *step)
{
  const size_t joints = (size_t)step->mobility.count;
  const attempt first = {step->sim->report, ts_arena_doubles(step->arena, joints)};
  if (joints > 0) memcpy(first.joint_impulse, step->mobility.impulse, joints * sizeof *first.joint_impulse);
  return first;
}

static void begin_again(ts_step *step, const attempt *first)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension,
               joints = (size_t)step->mobility.count;
  ts_forget_attempt(step->sim, &first->report);
  if (joints > 0) memcpy(step->mobility.impulse, first->joint_impulse, joints * sizeof *first->joint_impulse);
  memset(step->r, 0, rows * sizeof *step->r);
  memset(step->jam, 0, (size_t)step->system.count * sizeof *step->jam);
  start_from_free_velocity(step->sim);
}

// Newton's law, with restitutions scaled down by one common factor where they would gain energy.
static void rebound_without_gain(ts_step *step, const double *approach)
{
  ts_sim *sim = step->sim;
  const attempt first = first_attempt(step);
  ts_factor_search search = {.high = 1.0, .factor = 1.0};
  bool rebounds;
  do {
    const ts_arena_mark mark = ts_arena_save(step->arena);
    begin_again(step, &first);
    rebounds = set_rebounds(step, approach, search.factor);
    ts_step_collide(step, sim->state.velocity, NULL, true);
    ts_arena_restore(step->arena, mark);
  } while (ts_factor_search_next(&search, rebounds && sim->report.certified && has_gained(step)));
  sim->report.energy_scaled_back = fmin(sim->report.energy_scaled_back, search.factor);
}

// New velocities by the impact law in force.
static void find_velocities(ts_step *step, const double *approach)
{
  ts_sim *sim = step->sim;
  if (sim->options.impacts == TS_IMPACT_NEWTON) {
    rebound_without_gain(step, approach);
    return;
  }
  start_from_free_velocity(sim);
  ts_step_collide(step, sim->state.velocity, sim->options.impacts == TS_IMPACT_POISSON ? approach : NULL, true);
}

// The same with impacts in one piece.
static void find_velocities_after(ts_step *step, ts_impacts *impacts)
{
  const attempt first = first_attempt(step);
  do {
    begin_again(step, &first);
    ts_impacts_ask(impacts, step);
    find_velocities(step, impacts->approach);
  } while (ts_impacts_release(impacts, step));
}

// The problem of the contacts that the step has.
static void solve_contacts(ts_step *step, ts_impacts *impacts)
{
  const ts_sim *sim = step->sim;
  const bool whole = takes_whole_impacts_now(sim), newton = sim->options.impacts == TS_IMPACT_NEWTON;
  impacts->count = 0;
  step->asked = step->share = NULL;
  ts_step_describe(step);
  ts_step_bounded_bias(step, true);
  set_contact_bias(step);
  const double *approach = whole || newton ? approach_velocities(step) : NULL;
  if (whole && ts_impacts_find(impacts, step, approach))
    find_velocities_after(step, impacts);
  else
    find_velocities(step, newton ? approach : NULL);
  if (approach) ts_notice_passed_over(step, approach);
}

// Impulses of the rows that hold, before contacts push against them.
static double *copy_joint_impulse(const ts_step *step)
{
  if (step->mobility.count == 0) return NULL;
  double *copy = ts_arena_doubles(step->arena, (size_t)step->mobility.count);
  memcpy(copy, step->mobility.impulse, (size_t)step->mobility.count * sizeof *copy);
  return copy;
}

// The step as it was before it was solved.
static void start_over(ts_step *step, const double *joint_impulse)
{
  ts_sim *sim = step->sim;
  ts_step_report before = *sim->report_before;
  before.joint_error = sim->report.joint_error;
  before.penetration = sim->report.penetration; // what was taken out before the step stays taken out
  before.taken_out = sim->report.taken_out;
  before.correction_work = sim->report.correction_work;
  ts_forget_attempt(sim, &before);
  if (joint_impulse)
    memcpy(step->mobility.impulse, joint_impulse, (size_t)step->mobility.count * sizeof *joint_impulse);
}

// Whether the velocities that are reached run into something else. Then it is a contact now, and the step as it was
// before it was solved.
static bool sees_more(ts_step *step, const double *joint_impulse, int look)
{
  ts_corners_show_all(step);
  if (!ts_step_look_again(step, look)) {
    ts_corners_show_chosen(step);
    return false;
  }
  ts_corners_begin(step);
  start_over(step, joint_impulse);
  return true;
}

// Until the directions that were chosen hold.
static void solve_with_corners(ts_step *step, const double *joint_impulse, ts_impacts *impacts)
{
  const ts_arena_mark mark = ts_arena_save(step->arena);
  solve_contacts(step, impacts);
  while (ts_corners_turn(step)) {
    ts_arena_restore(step->arena, mark);
    start_over(step, joint_impulse);
    solve_contacts(step, impacts);
  }
}

static bool rolls_on(ts_step *step, const double *joint_impulse, int look)
{
  if (!step->sim->finder.may_roll_far || takes_whole_impacts_now(step->sim)) return false;
  ts_corners_show_all(step);
  if (!ts_step_rolls_on(step, look)) {
    ts_corners_show_chosen(step);
    return false;
  }
  ts_corners_begin(step);
  start_over(step, joint_impulse);
  return true;
}

// Contacts, and those that only the velocities reached show.
static void collide(ts_step *step, ts_impacts *impacts)
{
  const double *joint_impulse = copy_joint_impulse(step);
  int look = 0, roll = 0;
  do solve_with_corners(step, joint_impulse, impacts);
  while ((!ts_step_is_in_sight(step) && sees_more(step, joint_impulse, look++)) ||
         rolls_on(step, joint_impulse, roll++));
}

// Free motion, and what it may close. False: joints have no factor.
static bool begin(ts_step *step)
{
  ts_sim *sim = step->sim;
  ts_place_kinematic_bodies(sim, sim->state.time + step->h);
  if (!ts_step_joints(step)) return false;
  ts_step_free_velocity(step);
  ts_step_find_contacts(step, sim->free_velocity);
  ts_corners_begin(step);
  return true;
}

// Overlap that steps did not make: gap/h would throw bodies apart. It is taken out of positions, and the step begins
// from these.
static bool begin_without_overlap(ts_step *step)
{
  ts_sim *sim = step->sim;
  if (sim->stabilization != TS_STABILIZATION_POSITION) return true;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *carried = ts_arena_bytes(step->arena, bodies, sizeof *carried);
  memcpy(carried, sim->old_velocity, bodies * sizeof *carried);
  ts_place_kinematic_bodies(sim, sim->state.time);
  ts_sim_take_out(sim, TS_PLACE_IN_STEP, step->arena);
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  *step = (ts_step){.sim = sim,
                    .h = step->h,
                    .theta = 1.0,
                    .arena = step->arena,
                    .from = sim->old_velocity,
                    .carried = carried,
                    .gaps_at_end = true};
  if (!begin(step)) return false;
  step->keeps_overlap = ts_step_is_sunk(step);
  return true;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity, .gaps_at_end = true};
  ts_impacts impacts = {.count = 0};
  if (!begin(&step)) return false;
  if (ts_step_overlaps(&step) && ts_step_is_sunk(&step) && !begin_without_overlap(&step)) return false;
  if (ts_step_flies(&step))
    ts_step_fly(&step);
  else
    collide(&step, &impacts);
  ts_step_finish(&step);
  if (impacts.count > 0)
    ts_impacts_advance(&impacts, &step);
  else
    ts_step_advance(&step);
  return true;
}

static const char *const closings[] = {
    [TS_CLOSING_DEFAULT] = "default", [TS_CLOSING_GAP] = "gap", [TS_CLOSING_IMPACT] = "impact", NULL};
static const ts_key rows[] = {
    {"closing", TS_VALUE_CHOICE, TS_STEP_MEMBER(closing), .choices = closings, .fallback = "default",
     .help = "stewart-trinkle: contacts that close leave gap/h of their approach to the next step (gap), or take the "
             "whole impact (impact); default: gap, with poisson impact"},
};
static const ts_section own_options = {"the step", TS_KEYS(rows)};

const ts_stepper ts_stepper_stewart_trinkle = {
    .name = "stewart-trinkle",
    .summary = "gaps not negative at the end of the step, linearized (thesis 2.6)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_NEWTON,
    .takes_corners = true,
    .takes_secants = true,
    .options = &own_options,
    .check = check,
    .step = take_step,
};
