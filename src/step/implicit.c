// The geometrically implicit step (003; thesis 3.5): gaps, normals, contact points and friction are those of the end of
// the step,
//   M (v+ - v) = h f + W(q+)^T p,   0 <= p_n _|_ psi(q+) >= 0,   friction at the equivalent contact point of q+,
//   q+ = q + h G(q) v+.
// Reduced to what the bodies feel: points of a patch (corners of a face, ends of a line, one point) carry normal
// impulses whose sum acts at the equivalent contact point (complementarity/friction/patch_problem.h). The geometry is
// that of the last guess of q+, with gaps linearized there; where the guess no longer changes the step is solved as it
// stands. The normal cone of the printed problem (003 eqs. 13-17) is the set of these points; docs/theory/implicit.md
// tells how the two are related.
#include "step/options.h"
#include "step/solve.h"

#include "base/status.h"
#include "complementarity/friction/patch_problem.h"

#include <math.h>
#include <string.h>

enum { MOST_GUESSES = 40, MOST_ITERATIONS = 60 };
static const double AIM = 1e-2, GOOD = 0.2; // of the tolerance: what solves are after, and what round-off may leave of it

// The step in the making.
typedef struct implicit {
  ts_step *step;
  ts_state end;              // bodies where the guess takes them
  ts_kinematics geometry;    // there
  ts_twist *velocity;        // the guess (body_count)
  ts_twist *still;           // no velocities (body_count): at the end of the step nothing passes anything any more
  double *joint_impulse;     // of the rows that hold, without contacts
  ts_contact_set points;     // at the guess
  int *start, patches;       // of the points, bounded rows after them: one each
  double *r;                 // impulses of the points and bounded rows
  double speed;              // of the data
} implicit;

// ---- the guess -----------------------------------------------------------------------------------------------------

static void begin(implicit *s, ts_step *step)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  s->step = step;
  s->end = ts_state_allocate(sim->model, 0, 0, step->arena);
  s->geometry.frame = ts_arena_bytes(step->arena, bodies, sizeof *s->geometry.frame);
  s->geometry.inverse_inertia = ts_arena_bytes(step->arena, bodies, sizeof *s->geometry.inverse_inertia);
  s->velocity = ts_arena_bytes(step->arena, bodies, sizeof *s->velocity);
  s->still = ts_arena_bytes(step->arena, bodies, sizeof *s->still);
  memset(s->velocity, 0, bodies * sizeof *s->velocity);
  memset(s->still, 0, bodies * sizeof *s->still);
  s->joint_impulse = ts_arena_doubles(step->arena, (size_t)step->mobility.count);
  if (step->mobility.count > 0)
    memcpy(s->joint_impulse, step->mobility.impulse, (size_t)step->mobility.count * sizeof *s->joint_impulse);
}

// Bodies at the end of the step if the guess is right, and what may touch there. At first nothing moves.
static void look_at_end(implicit *s)
{
  ts_sim *sim = s->step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_state_copy_bodies(&sim->state, &s->end);
  for (size_t b = 0; b < bodies; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) s->end.velocity[b] = s->velocity[b];
  ts_state_advance(sim->model, s->step->h, 1.0, NULL, &s->end);
  ts_kinematics_update(sim->model, &s->end, &s->geometry);
  const ts_course course = {.kinematics = &s->geometry,
                            .velocity = sim->free_velocity,
                            .h = s->step->h,
                            .margin = sim->options.margin,
                            .heading = s->still,
                            .arrived = true};
  if (!ts_find_contacts_on(&sim->finder, &course, s->step->arena, &s->points)) longjmp(*s->step->arena->recovery, 1);
}

// ---- patches -------------------------------------------------------------------------------------------------------

static bool belong_together(const ts_contact_set *points, int i, int k)
{
  static const double SAME_NORMAL = 1e-9;
  return points->parts[i].first == points->parts[k].first && points->parts[i].second == points->parts[k].second &&
         ts_dot(points->contacts[i].normal, points->contacts[k].normal) > 1.0 - SAME_NORMAL;
}

// Points of a pair with one normal are a patch; a bounded row is one for itself.
static void find_patches(implicit *s)
{
  const int blocks = s->points.count + s->step->bounded_count;
  s->start = ts_arena_ints(s->step->arena, (size_t)blocks + 1);
  s->patches = 0;
  for (int i = 0; i < blocks; ++i)
    if (i == 0 || i >= s->points.count || !belong_together(&s->points, i - 1, i)) s->start[s->patches++] = i;
  s->start[s->patches] = blocks;
}

// ---- the problem at the guess --------------------------------------------------------------------------------------

// Gaps at the end of the step, linearized at the guess: (psi + h J (v - guess)) / h.
static void ask_for_gaps(implicit *s)
{
  ts_step *step = s->step;
  const ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->system.count * d;
  double *guessed = ts_arena_doubles(step->arena, rows);
  ts_system_velocity(&step->system, s->velocity, guessed);
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  ts_step_bounded_bias(step, true);
  for (int i = 0; i < s->points.count; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = step->contacts.contacts[i].gap / step->h - guessed[normal];
    for (size_t r = 1; r < d; ++r) step->bias[normal + r] = step->surface[normal + r];
  }
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
}

// Impulses of the guess before, point by point.
static void recall(const implicit *s, const ts_contact_set *before, const double *old, int bounded)
{
  const size_t d = (size_t)s->step->system.dimension;
  int from = 0;
  for (int i = 0; i < s->points.count; ++i) {
    for (int k = 0; k < before->count; ++k) {
      const int at = (from + k) % before->count;
      if (before->parts[at].first != s->points.parts[i].first ||
          before->parts[at].second != s->points.parts[i].second ||
          before->contacts[at].feature != s->points.contacts[i].feature)
        continue;
      memcpy(s->r + (size_t)i * d, old + (size_t)at * d, d * sizeof *old);
      from = at + 1;
      break;
    }
  }
  memcpy(s->r + (size_t)s->points.count * d, old + (size_t)before->count * d, (size_t)bounded * d * sizeof *old);
}

// Twists that the impulses make of the free ones.
static void respond(implicit *s, ts_twist *velocity)
{
  ts_step *step = s->step;
  const size_t bodies = (size_t)step->sim->model->body_count;
  memcpy(velocity, step->sim->free_velocity, bodies * sizeof *velocity);
  if (step->mobility.count > 0)
    memcpy(step->mobility.impulse, s->joint_impulse, (size_t)step->mobility.count * sizeof *s->joint_impulse);
  ts_system_apply(&step->system, s->r, velocity, step->mobility.impulse, step->arena);
}

// How much faster the quickest point of a body is at one velocity than at another.
static double change_of(const ts_sim *sim, const ts_twist *a, const ts_twist *b)
{
  double most = 0.0;
  for (int k = 0; k < sim->model->part_count; ++k) {
    const ts_part *part = &sim->model->parts[k];
    if (sim->model->bodies[part->body].kind != TS_DYNAMIC) continue;
    const ts_twist x = a[part->body], y = b[part->body];
    most = fmax(most, ts_length(ts_sub(x.linear, y.linear)) +
                          part->convex.reach * ts_length(ts_sub(x.angular, y.angular)));
  }
  return most;
}

// Solve for the geometry of the guess. Returns the residual of the problem.
static bool solve_at_guess(implicit *s, const ts_contact_set *before, const double *old)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  step->contacts = s->points;
  ts_step_assemble(step);
  s->r = step->r;
  find_patches(s);
  ask_for_gaps(s);
  if (old) recall(s, before, old, step->bounded_count);
  s->speed = 0.0;
  for (int k = 0; k < step->system.count * step->system.dimension; ++k)
    s->speed = fmax(s->speed, fabs(step->system.q[k]));
  const ts_patch_problem problem = {&step->system.problem, s->patches, s->start};
  ts_patch_report report;
  ts_patch_solve(&problem, AIM * sim->options.tolerance, 0.0, MOST_ITERATIONS, step->arena, s->r, &report);
  sim->report.iterations += report.iterations;
  sim->report.factorizations += report.iterations;
  return report.residual <= GOOD * sim->options.tolerance;
}

// Guess, solve, guess again: true where the guess stays.
static bool find_velocity(implicit *s)
{
  const ts_sim *sim = s->step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *next = ts_arena_bytes(s->step->arena, bodies, sizeof *next);
  ts_contact_set before = {0};
  const double *old = NULL;
  for (int k = 0; k < MOST_GUESSES; ++k) {
    look_at_end(s);
    const bool solved = solve_at_guess(s, &before, old);
    respond(s, next);
    const double change = change_of(sim, next, s->velocity);
    memcpy(s->velocity, next, bodies * sizeof *next);
    before = s->points;
    old = s->r;
    if (solved && k > 0 && change <= GOOD * sim->options.tolerance * s->speed) return true;
    if (s->step->system.count == 0 && k > 0) return true;
  }
  return false;
}

// ---- what becomes of it --------------------------------------------------------------------------------------------

// One contact a patch, at its equivalent contact point.
static void write_patch(const implicit *s, int p, ts_contact_set *set, double *wrench)
{
  const size_t d = (size_t)s->step->system.dimension;
  const int first = s->start[p], end = s->start[p + 1];
  ts_contact own = s->points.contacts[first];
  double load = 0.0;
  int nearest = first;
  memset(wrench, 0, d * sizeof *wrench);
  for (int i = first; i < end; ++i) {
    for (size_t r = 0; r < d; ++r) wrench[r] += s->r[(size_t)i * d + r];
    load += fmax(0.0, s->r[(size_t)i * d]);
    if (s->points.contacts[i].gap < s->points.contacts[nearest].gap) nearest = i;
  }
  own = s->points.contacts[nearest];
  if (load > 0.0) {
    own.point = own.arm_1 = own.arm_2 = (ts_vec3){0.0, 0.0, 0.0};
    for (int i = first; i < end; ++i) {
      const double share = fmax(0.0, s->r[(size_t)i * d]) / load;
      own.point = ts_add_scaled(own.point, share, s->points.contacts[i].point);
      own.arm_1 = ts_add_scaled(own.arm_1, share, s->points.contacts[i].arm_1);
      own.arm_2 = ts_add_scaled(own.arm_2, share, s->points.contacts[i].arm_2);
    }
  }
  set->contacts[set->count] = own;
  set->laws[set->count] = s->points.laws[first];
  set->parts[set->count++] = s->points.parts[first];
}

// The problem of equivalent contact points, solved, as others report theirs.
static void finish(implicit *s)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension, bodies = (size_t)sim->model->body_count;
  const int points = s->points.count, bounded = step->bounded_count;
  const double *r = s->r;
  double *wrench = ts_arena_zeros(step->arena, (size_t)(s->patches + 1) * d);
  ts_contact_set set = {.capacity = s->patches, .companions = s->points.companions};
  set.contacts = ts_arena_bytes(step->arena, (size_t)s->patches, sizeof *set.contacts);
  set.laws = ts_arena_bytes(step->arena, (size_t)s->patches, sizeof *set.laws);
  set.parts = ts_arena_bytes(step->arena, (size_t)s->patches, sizeof *set.parts);
  for (int p = 0; p < s->patches && s->start[p] < points; ++p) write_patch(s, p, &set, wrench + (size_t)p * d);
  step->contacts = set;
  ts_step_assemble(step);
  memcpy(step->r, wrench, (size_t)set.count * d * sizeof *wrench);
  memcpy(step->r + (size_t)set.count * d, r + (size_t)points * d, (size_t)bounded * d * sizeof *wrench);
  ts_system_velocity(&step->system, sim->free_velocity, step->system.q);
  for (size_t b = 0; b < bodies; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = s->velocity[b];
  ts_step_finish(step);
  ts_step_advance(step);
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity, .gaps_at_end = true};
  implicit s;
  memset(&s, 0, sizeof s);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  if (!ts_step_joints(&step)) return false;
  ts_step_free_velocity(&step);
  begin(&s, &step);
  const bool solved = find_velocity(&s);
  sim->report.solver = "patches";
  sim->report.certified = sim->report.certified && solved;
  finish(&s);
  return true;
}

const ts_stepper ts_stepper_implicit = {
    .name = "implicit",
    .summary = "geometry of the end of the step; point, line and surface contact (003; thesis 3.5)",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .step = take_step,
};
