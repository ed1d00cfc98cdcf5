// The velocity that takes bodies to where their gaps close is that of a chord. Where a body turns about its contact,
// the normal of the end has turned on by half the angle of the step, and the chord leads away from it: the impulse
// works. In most motions that comes and goes. Bodies that turn by a good part of a radian in a step gain more than they
// lose. Positions then stay as they are, and the step ends with velocities along the surfaces that touch at its end.
#include "step/implicit/end_velocity.h"

#include "step/force_limits.h"
#include "step/implicit/judge.h"

#include "complementarity/friction/patch_problem.h"
#include "contact/touching.h"
#include "shape/manifold_pairs.h"

#include <math.h>
#include <string.h>

// Most that contacts may give, of the kinetic energy of late: in a step, and between any two times.
static const double IN_A_STEP = 1e-2, IN_ALL = 0.15;

// ---- gyroscopic torques --------------------------------------------------------------------------------------------

static bool turns_freely(const ts_step *step, int body)
{
  const ts_body *own = &step->sim->model->bodies[body];
  if (own->kind != TS_DYNAMIC || own->isotropic) return false;
  for (int k = 0; k < step->mobility.count; ++k)
    for (int side = 0; side < ts_side_count(&step->mobility.rows[k]); ++side)
      if (ts_side_body(&step->mobility.rows[k], side) == body) return false;
  return true;
}

static bool any_turns_freely(const ts_step *step)
{
  for (int b = 0; b < step->sim->model->body_count; ++b)
    if (turns_freely(step, b)) return true;
  return false;
}

static const ts_wrench *wrenches_of(const ts_step *step)
{
  ts_sim *sim = step->sim;
  if (!sim->pushed && !ts_forces_are_possible(sim->model) && !sim->state.commands) return NULL;
  ts_wrench *wrench = ts_arena_bytes(step->arena, (size_t)sim->model->body_count, sizeof *wrench);
  ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, sim->pushed ? sim->pushes : NULL, wrench);
  return wrench;
}

// Contacts act on bodies that have turned: by the free velocities, without what forces do to these.
const ts_twist *ts_turned_velocities(const ts_step *step)
{
  ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  if (sim->options.gyroscopic == TS_GYROSCOPIC_EXPLICIT || !any_turns_freely(step)) return NULL;
  const ts_wrench *wrench = wrenches_of(step);
  ts_twist *turned = ts_arena_bytes(step->arena, bodies, sizeof *turned);
  memcpy(turned, step->from, bodies * sizeof *turned);
  for (int b = 0; b < (int)bodies; ++b) {
    if (!turns_freely(step, b)) continue;
    turned[b].angular = sim->free_velocity[b].angular;
    if (!wrench) continue;
    const ts_twist pushed = ts_respond(sim->model, &sim->kinematics, b, wrench[b]);
    turned[b].angular = ts_add_scaled(turned[b].angular, -step->h, pushed.angular);
  }
  return turned;
}

// ---- what contacts give --------------------------------------------------------------------------------------------

// On the mean of the velocities before and after (works.c).
static double work_of_contacts(const ts_step *step, const ts_twist *velocity)
{
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->contacts.count * d;
  const size_t bodies = (size_t)step->sim->model->body_count;
  const ts_twist *from = step->turned ? step->turned : step->from;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  ts_twist *sum = ts_arena_bytes(step->arena, bodies, sizeof *sum);
  double *u = ts_arena_doubles(step->arena, (size_t)step->system.count * d), work = step->stored;
  for (size_t b = 0; b < bodies; ++b) sum[b] = ts_twist_add_scaled(from[b], 1.0, velocity[b]);
  ts_system_velocity(&step->system, sum, u);
  for (size_t k = 0; k < rows; ++k) work += step->r[k] * (0.5 * u[k] + step->surface[k]);
  ts_arena_restore(step->arena, mark);
  return work;
}

bool ts_contacts_give_too_much(const ts_step *step, const ts_twist *velocity)
{
  const ts_sim *sim = step->sim;
  if (step->contacts.count == 0) return false;
  const double energy = sim->account.scale + sim->fall, given = sim->numbers[0];
  const double share = IN_A_STEP * step->h / sim->options.size;
  return work_of_contacts(step, velocity) > energy * fmin(share, fmax(0.0, IN_ALL - given / energy));
}

void ts_count_given(ts_sim *sim, double work)
{
  sim->numbers[0] = fmax(0.0, sim->numbers[0] + work);
}

// ---- velocities ----------------------------------------------------------------------------------------------------

static bool touches(const ts_step *step, int i)
{
  const ts_contact *contact = &step->contacts.contacts[i];
  const ts_part_pair pair = step->contacts.parts[i];
  const ts_part *parts = step->sim->model->parts;
  if (contact->support || step->r[i * step->system.dimension] > 0.0) return true;
  return contact->gap <= TS_MOST_OVERLAP * ts_pair_size(&parts[pair.first].convex, &parts[pair.second].convex);
}

static bool is_open_stop(const ts_step *step, int k)
{
  const int i = step->contacts.count + k;
  return step->bounded[k].lower >= 0.0 && !(step->r[i * step->system.dimension] > 0.0) &&
         step->bounded[k].gap > TS_TOUCHING;
}

// A step with the contacts and stops that are closed at its end. Gaps that are open may close in the next step, which
// begins with what approaches. `source`: of each block that in `step`. The system of `closed` points into `closed`.
static void take_closed_part(const ts_step *step, ts_step *closed, int *source)
{
  const ts_contact_set *all = &step->contacts;
  ts_contact_set set = {.capacity = all->count, .companions = all->companions};
  int blocks = 0;
  *closed = *step;
  set.contacts = ts_arena_bytes(step->arena, (size_t)all->count, sizeof *set.contacts);
  set.laws = ts_arena_bytes(step->arena, (size_t)all->count, sizeof *set.laws);
  set.parts = ts_arena_bytes(step->arena, (size_t)all->count, sizeof *set.parts);
  for (int i = 0; i < all->count; ++i) {
    if (!touches(step, i)) continue;
    set.contacts[set.count] = all->contacts[i];
    set.laws[set.count] = all->laws[i];
    set.parts[set.count++] = all->parts[i];
    source[blocks++] = i;
  }
  closed->contacts = set;
  closed->bounded = ts_arena_bytes(step->arena, (size_t)step->bounded_count, sizeof *closed->bounded);
  closed->bounded_count = 0;
  for (int k = 0; k < step->bounded_count; ++k) {
    if (is_open_stop(step, k)) continue;
    closed->bounded[closed->bounded_count++] = step->bounded[k];
    source[blocks++] = all->count + k;
  }
  ts_step_assemble(closed);
}

// No gap closes any further.
static void ask_for_rates(ts_step *step)
{
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->system.count * d;
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  ts_step_bounded_bias(step, true);
  memcpy(step->bias, step->surface, (size_t)step->contacts.count * d * sizeof *step->bias);
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
}

static void move_rows(const int *source, int blocks, size_t d, bool back, double *all, double *part)
{
  for (int i = 0; i < blocks; ++i) {
    double *own = part + (size_t)i * d, *other = all + (size_t)source[i] * d;
    memcpy(back ? other : own, back ? own : other, d * sizeof *own);
  }
}

// Contacts are equivalent points: each is a patch.
bool ts_find_end_velocity(ts_step *step, const double *joint_impulse, ts_twist *velocity)
{
  static const double AIM = 1e-2, GOOD = 0.2; // of the tolerance
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension;
  int *source = ts_arena_ints(step->arena, (size_t)step->system.count);
  ts_step closed;
  take_closed_part(step, &closed, source);
  const int blocks = closed.system.count;
  int *start = ts_arena_ints(step->arena, (size_t)blocks + 1);
  double *r = closed.r;
  for (int i = 0; i <= blocks; ++i) start[i] = i;
  move_rows(source, blocks, d, false, step->r, r);
  ask_for_rates(&closed);
  const ts_patch_problem problem = {&closed.system.problem, blocks, start};
  ts_islands islands;
  ts_islands_find(&closed.system.problem, step->arena, &islands);
  const ts_force_limits limits = ts_force_limits_begin(&closed.system, &islands, true, r, step->arena);
  ts_patch_report report;
  ts_patch_solve_islands(&problem, AIM * sim->options.tolerance, GOOD * sim->options.tolerance, step->arena, r,
                         &report);
  ts_patch_drop_open(&problem, r, step->arena);
  const double residual = ts_patch_residual(&problem, r, step->arena);
  const bool within = ts_force_limits_end(&limits, r);
  sim->report.iterations += report.iterations;
  sim->report.factorizations += report.iterations;
  if (!within || !(residual <= sim->options.tolerance)) return false;
  sim->report.residual = fmax(sim->report.residual, residual);
  ts_implicit_respond(&closed, joint_impulse, r, velocity);
  memset(step->r, 0, (size_t)step->system.count * d * sizeof *step->r);
  move_rows(source, blocks, d, true, step->r, r);
  return true;
}
