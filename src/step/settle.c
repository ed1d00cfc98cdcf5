// Forces at rest: where impulses are not unique the least ones are taken (least_norm.h), and the report says so.
#include "step/settle.h"

#include "step/certify.h"
#include "step/solve.h"

#include "touchstone/certificate.h"

#include "complementarity/solver.h"
#include "contact/law.h"
#include "contact/least_norm.h"
#include "math/disjoint_sets.h"
#include "math/quad.h"

#include <float.h>
#include <string.h>

// A solution this near to where it was started from, as a share of its size, is taken as it is: the
// start was that of the last step, which has been through this where it was at rest. What adds up so is put right every
// so many steps; where many contacts rest their impulses are kept as a rule, and it adds up more slowly.
static const double NEAR = 1e-4;
enum { PERIOD = 128, LONG_PERIOD = 1024 };

// A choice that changes more than this makes the impulses before it no guide to the next ones.
static const double ANOTHER = 1e-8;

// Whether two lists of impulses differ by no more than `share` of their size, in sums of absolute values.
TS_HOT static bool are_near(const double *r, const double *other, size_t rows, double share)
{
  ts_quad changes = {0.0}, sizes = {0.0};
  size_t k = 0;
  for (; k + 4 <= rows; k += 4) {
    const ts_quad a = TS_CONST_QUAD(r + k);
    changes += ts_quad_abs(a - TS_CONST_QUAD(other + k));
    sizes += ts_quad_abs(a);
  }
  double change = changes[0] + changes[1] + (changes[2] + changes[3]);
  double size = sizes[0] + sizes[1] + (sizes[2] + sizes[3]);
  for (; k < rows; ++k) {
    change += fabs(r[k] - other[k]);
    size += fabs(r[k]);
  }
  return change <= share * size;
}

// What the tolerance of the solve leaves of velocities: between two bodies that fall alike the data of their contact
// tell nothing of it, but the speed of the fall in a step does.
static double resting_speed(const ts_step *step, int i)
{
  const ts_sim *sim = step->sim;
  const ts_vec3 gravity = sim->model->bodies[step->contacts.contacts[i].body_1].gravity;
  return ts_slip_threshold(step, i) + 10.0 * sim->options.tolerance * step->h * ts_length(gravity);
}

// Whether nothing moves in contact i, u being its velocities with their bias. Contacts without friction may slide.
static bool rests(const ts_step *step, int i, const double *u, const double *r)
{
  const ts_system *system = &step->system;
  const ts_block *block = &system->blocks[i];
  if (block->kind != TS_BLOCK_CONTACT) return false;
  if (ts_mobility_couples(&step->mobility) && !(r[0] > 0.0)) return false; // joints may hold it
  const double threshold = resting_speed(step, i);
  for (int k = 0; k < (block->friction > 0.0 ? system->dimension : 1); ++k)
    if (!(fabs(u[k]) <= threshold)) return false;
  return true;
}

// Bodies that touch each other are a group, named by one of them.
static int *find_groups(const ts_step *step)
{
  const ts_system *system = &step->system;
  int *group = ts_arena_ints(step->arena, (size_t)system->model->body_count);
  for (int b = 0; b < system->model->body_count; ++b) group[b] = b;
  for (int i = 0; i < system->count; ++i) {
    const int *body = system->blocks[i].body;
    if (body[0] >= 0 && body[1] >= 0) ts_join_sets(group, body[0], body[1]);
  }
  return group;
}

// Where a contact under load moves, its group has not come to rest.
static void leave_moving_groups(const ts_step *step, const double *r, bool *rest)
{
  const ts_system *system = &step->system;
  int *group = find_groups(step);
  bool *moves = ts_arena_bytes(step->arena, (size_t)system->model->body_count, sizeof *moves);
  memset(moves, 0, (size_t)system->model->body_count * sizeof *moves);
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < system->count; ++i) {
      const int *body = system->blocks[i].body, some = body[0] >= 0 ? body[0] : body[1];
      if (system->blocks[i].kind != TS_BLOCK_CONTACT || some < 0) continue;
      bool *of_group = &moves[ts_find_set(group, some)];
      if (turn == 0 && !rest[i] && r[(size_t)i * (size_t)system->dimension] > 0.0) *of_group = true;
      if (turn == 1 && *of_group) rest[i] = false;
    }
}

// Contacts that rest at the velocity given, of groups of bodies that do; fewer than two of them have nothing to choose.
static bool *contacts_at_rest(const ts_step *step, const ts_twist *velocity, const double *r, int *count)
{
  const ts_system *system = &step->system;
  const size_t d = (size_t)system->dimension, blocks = (size_t)system->count;
  bool *rest = ts_arena_bytes(step->arena, blocks, sizeof *rest);
  double *u = ts_arena_doubles(step->arena, blocks * d);
  ts_system_velocity(system, velocity, u);
  for (size_t k = 0; k < blocks * d; ++k) u[k] += step->bias[k];
  for (int i = 0; i < system->count; ++i) rest[i] = rests(step, i, u + (size_t)i * d, r + (size_t)i * d);
  leave_moving_groups(step, r, rest);
  *count = 0;
  for (int i = 0; i < system->count; ++i) *count += rest[i];
  return rest;
}

// The worst of what the step has taken is reported.
static void take_certificate(const ts_step *step, double residual, const ts_friction_measures *measures)
{
  ts_step_report *report = &step->sim->report;
  report->residual = fmax(report->residual, residual);
  report->velocity_error = fmax(report->velocity_error, measures->velocity_error);
  report->length_error = fmax(report->length_error, step->h * measures->velocity_error);
  report->cone_violation = fmax(report->cone_violation, measures->cone_violation);
}

// True if r, which may replace the solution, has a residual within the tolerance or no larger than the reported one.
// The certificate has no polygonal cones.
static bool is_certified(ts_step *step, const double *solution, const double *r)
{
  ts_sim *sim = step->sim;
  if (sim->options.cone == TS_CONE_POLYHEDRAL && step->system.dimension > 2) return true;
  ts_friction_measures measures;
  const double residual = ts_step_certify_exchange(step, solution, r, &measures);
  if (!(residual <= fmax(sim->report.residual, sim->options.tolerance))) return false;
  take_certificate(step, residual, &measures);
  return true;
}

// True if friction of a contact is used up, or nearly: it slides, or it slid in the last step and has come to rest with
// the impulses of that motion. `some`: the blocks that are asked for, or NULL.
static bool uses_up_friction(const ts_system *system, const bool *some, const double *r)
{
  static const double NEARLY = 0.99;
  const int d = system->dimension;
  for (int i = 0; i < system->count; ++i) {
    const ts_block *block = &system->blocks[i];
    const double *p = r + (size_t)i * (size_t)d;
    if (block->kind != TS_BLOCK_CONTACT || !(block->friction * p[0] > 0.0) || (some && !some[i])) continue;
    if (ts_block_uses_friction(block, system->problem.ellipsoid, i, d, p, NEARLY)) return true;
  }
  return false;
}

void ts_step_settle(ts_step *step, const double *guess, const ts_twist *velocity, double *r)
{
  const ts_sim *sim = step->sim;
  const ts_system *system = &step->system;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const size_t contact_rows = (size_t)step->contacts.count * (size_t)system->dimension; // force limits are no forces
  const int period = step->guess ? LONG_PERIOD : PERIOD;
  const bool now = sim->steps % period == 0 || !guess || !are_near(r, guess, contact_rows, NEAR) ||
                   (step->may_slide && uses_up_friction(system, NULL, r));
  if (!now || !sim->report.certified || sim->report.within_length > 0) return;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  int count;
  const ts_resting resting = {system, contacts_at_rest(step, velocity, r, &count),
                              ts_law_cone_share(&sim->options, sim->model)};
  if (count > 1) {
    double *least = ts_arena_doubles(step->arena, rows);
    memcpy(least, r, rows * sizeof *least);
    const ts_least_outcome outcome = ts_least_norm(&resting, least, step->arena);
    const bool better = outcome == TS_LEAST_FOUND || outcome == TS_LEAST_NEARER;
    if (better && is_certified(step, r, least)) {
      step->settled = !are_near(r, least, contact_rows, ANOTHER);
      memcpy(r, least, rows * sizeof *r);
    }
    const bool barely = outcome != TS_LEAST_UNIQUE && uses_up_friction(system, resting.rests, r);
    if (barely) step->sim->report.unique = false; // with other impulses it might slide
  }
  ts_arena_restore(step->arena, mark);
}

// ---- balance -------------------------------------------------------------------------------------------------------

// Whether the kinetic energy of a body is no more than that of its mass at this speed.
static bool is_still(const ts_sim *sim, int body, const ts_twist *v, double speed)
{
  const ts_body *own = &sim->model->bodies[body];
  const ts_vec3 spin = ts_mul_transposed(&sim->kinematics.frame[body].axes, v->angular);
  return own->mass * ts_dot(v->linear, v->linear) + ts_dot(spin, ts_mul(&own->inertia, spin)) <=
         own->mass * speed * speed;
}

// Contacts that press, in groups of bodies that are still.
static bool *contacts_that_hold(const ts_step *step, const ts_twist *velocity, const double *r, double speed)
{
  const ts_system *system = &step->system;
  const size_t bodies = (size_t)system->model->body_count, d = (size_t)system->dimension;
  bool *holds = ts_arena_bytes(step->arena, (size_t)system->count, sizeof *holds);
  bool *moves = ts_arena_bytes(step->arena, bodies, sizeof *moves);
  int *group = find_groups(step);
  memset(moves, 0, bodies * sizeof *moves);
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[i].body[side];
      if (body >= 0 && !is_still(step->sim, body, &velocity[body], speed)) moves[ts_find_set(group, body)] = true;
    }
  for (int i = 0; i < system->count; ++i) {
    const ts_block *block = &system->blocks[i];
    const int some = block->body[0] >= 0 ? block->body[0] : block->body[1];
    holds[i] =
        block->kind == TS_BLOCK_CONTACT && some >= 0 && r[(size_t)i * d] > 0.0 && !moves[ts_find_set(group, some)];
  }
  return holds;
}

// True if r, which may replace the solution, solves the problem to the tolerance, or else has a smaller residual than
// the reported one.
static bool is_no_worse(const ts_step *step, const double *solution, const double *r)
{
  const ts_sim *sim = step->sim;
  const ts_problem problem = ts_problem_friction(step->system.problem);
  ts_friction_measures measures;
  const double residual = ts_step_certify_exchange(step, solution, r, &measures);
  const bool better = sim->report.within_length > 0 && residual <= sim->report.residual;
  if (!better && !ts_certificate_passes(&problem, residual, &measures, sim->options.tolerance)) return false;
  take_certificate(step, residual, &measures);
  return true;
}

// Exchange r for impulses that lead contacts that hold to the velocities they ask for, and the guess for the next step.
static bool lead_to(ts_step *step, const double *asked, const bool *holds, ts_twist *velocity, double *r)
{
  const ts_system *system = &step->system;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const ts_resting resting = {system, holds, 1.0};
  const ts_balance_data data = {asked, step->sim->old_velocity, velocity};
  double *balanced = ts_arena_doubles(step->arena, rows);
  memcpy(balanced, r, rows * sizeof *balanced);
  if (!ts_balance(&resting, &data, balanced, step->guess, step->arena) || !is_no_worse(step, r, balanced)) return false;
  for (size_t k = 0; k < rows; ++k) r[k] = balanced[k] - r[k];
  ts_system_apply(system, r, velocity, step->mobility.impulse, step->arena);
  memcpy(r, balanced, rows * sizeof *r);
  return true;
}

// Where bodies stand: gaps that cannot all be closed would keep those that are stiff against each other moving for
// ever, and within the tolerance they may stay as they are. Else such as close the gaps.
static bool balance(ts_step *step, const bool *holds, ts_twist *velocity, double *r)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  double *asked = ts_arena_zeros(step->arena, rows);
  if (step->sim->report.within_length == 0 && lead_to(step, asked, holds, velocity, r)) return true;
  for (size_t k = 0; k < rows; ++k) asked[k] = -step->bias[k];
  return lead_to(step, asked, holds, velocity, r);
}

void ts_step_balance(ts_step *step, ts_twist *velocity, double *r)
{
  const ts_sim *sim = step->sim;
  const double speed = ts_resting_velocity_error(step);
  step->balanced = false;
  if (sim->report.iterations == 0 || !sim->report.certified) return;
  if (!(sim->report.velocity_error <= speed)) return;
  if (ts_mobility_couples(&step->mobility) || sim->model->motion_count > 0) return;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  step->balanced = balance(step, contacts_that_hold(step, velocity, r, speed), velocity, r);
  ts_arena_restore(step->arena, mark);
}

// ---- whether they are unique ---------------------------------------------------------------------------------------

// Contacts in loops of bodies whose rank is worked out; where there are more they do not count as unique.
enum { LOOPS_LOOKED_AT = 32 };

static bool sticks(const ts_contact *contact)
{
  return contact->mode == TS_STICK || contact->mode == TS_ROLL;
}

// Two that stick between the same bodies can press against each other along the line between them.
static bool has_twins(const ts_contact_set *set)
{
  for (int i = 1; i < set->count; ++i) {
    const ts_contact *a = &set->contacts[i - 1], *b = &set->contacts[i];
    if (a->body_1 == b->body_1 && a->body_2 == b->body_2 && a->friction > 0.0 && sticks(a) && sticks(b)) return true;
  }
  return false;
}

// A body that one contact alone holds tells what that contact does; so contacts are struck off body by body. Returns
// how many are left: without any there is no choice.
static int strike_off(const ts_step *step, bool *left)
{
  const ts_system *system = &step->system;
  int *degree = ts_arena_ints(step->arena, (size_t)system->model->body_count), remaining = 0;
  memset(degree, 0, (size_t)system->model->body_count * sizeof *degree);
  for (int i = 0; i < step->contacts.count; ++i) {
    remaining += left[i];
    for (int side = 0; left[i] && side < 2; ++side)
      if (system->blocks[i].body[side] >= 0) ++degree[system->blocks[i].body[side]];
  }
  for (bool struck = true; struck && remaining > 0;) {
    struck = false;
    for (int i = 0; i < step->contacts.count; ++i) {
      const int *body = system->blocks[i].body;
      if (!left[i] || !((body[0] >= 0 && degree[body[0]] == 1) || (body[1] >= 0 && degree[body[1]] == 1))) continue;
      for (int side = 0; side < 2; ++side)
        if (body[side] >= 0) --degree[body[side]];
      left[i] = false;
      struck = true;
      --remaining;
    }
  }
  return remaining;
}

bool ts_step_is_unique(const ts_step *step)
{
  const ts_contact_set *set = &step->contacts;
  if (has_twins(set)) return false;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  bool *left = ts_arena_bytes(step->arena, (size_t)step->system.count, sizeof *left);
  for (int i = 0; i < step->system.count; ++i) left[i] = i < set->count && sticks(&set->contacts[i]);
  const int loops = strike_off(step, left);
  bool unique = loops == 0;
  if (loops > 0 && loops <= LOOPS_LOOKED_AT) {
    int rows;
    const ts_resting core = {&step->system, left, 1.0};
    const int rank = ts_resting_rank(&core, &rows, step->arena);
    unique = rank >= rows;
  }
  ts_arena_restore(step->arena, mark);
  return unique;
}
