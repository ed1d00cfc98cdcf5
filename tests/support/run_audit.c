#include "run_audit.h"

#include "audit_compliance.h"
#include "audit_contacts.h"
#include "own_distance.h"

#include "math/vec3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reading -------------------------------------------------------------------------------------------------------

static void *table_of(int rows, size_t size)
{
  void *memory = calloc((size_t)rows + 1, size);
  if (!memory) abort();
  return memory;
}

// One number of a series "owner.quantity" a row; false: there is no such series of so many rows
static bool read_series(const ts_record *record, const char *owner, const char *quantity, int rows, double *values,
                        int stride)
{
  char name[80];
  int count;
  snprintf(name, sizeof name, "%s.%s", owner, quantity);
  const double *series = ts_record_series(record, name, &count);
  if (!series || count != rows) return false;
  for (int i = 0; i < rows; ++i) values[(ptrdiff_t)i * stride] = series[i];
  return true;
}

enum { TWIST_NUMBERS = sizeof(ts_twist) / sizeof(double), FORCE_NUMBERS = sizeof(ts_vec3) / sizeof(double) };

// The scene's number of a body of the record
static int number_of(const ts_record *record, int body)
{
  int number = -1;
  if (sscanf(ts_record_body_name(record, body), "body%d", &number) != 1) abort();
  return number;
}

// Fixed bodies stay where the scene has them.
static void read_poses(audit_run *run, const audit_scene *scene, const ts_record *record)
{
  const int recorded = ts_record_body_count(record), n = run->body_count;
  ts_pose *poses = table_of(recorded, sizeof *poses);
  for (int i = 0; i <= run->step_count; ++i) {
    for (int b = 0; b < n; ++b) run->poses[i * n + b] = scene->bodies[b].pose;
    ts_record_poses(record, i, poses);
    for (int b = 0; b < recorded; ++b) {
      const int number = number_of(record, b);
      if (scene->bodies[number].mass > 0.0) run->poses[i * n + number] = poses[b];
    }
  }
  free(poses);
}

static bool read_velocities(audit_run *run, const audit_scene *scene, const ts_record *record)
{
  static const char *const quantities[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  bool whole = true;
  for (int b = 0; b < run->body_count; ++b) {
    char name[16];
    snprintf(name, sizeof name, "body%d", b);
    for (int k = 0; k < 6 && scene->bodies[b].mass > 0.0; ++k)
      whole = whole && read_series(record, name, quantities[k], run->step_count + 1, (double *)&run->twists[b] + k,
                                   run->body_count * TWIST_NUMBERS);
  }
  return whole;
}

static bool read_forces(audit_run *run, const ts_record *record)
{
  static const char *const quantities[] = {"fx", "fy", "fz"};
  bool whole = true;
  for (int j = 0; j < run->joint_count; ++j) {
    char owner[64];
    snprintf(owner, sizeof owner, "joints.%s", ts_record_joint_name(record, j));
    for (int k = 0; k < 3; ++k)
      whole = whole && read_series(record, owner, quantities[k], run->step_count + 1, (double *)&run->forces[j] + k,
                                   run->joint_count * FORCE_NUMBERS);
  }
  return whole;
}

static bool read_whole(const ts_record *record, const char *quantity, audit_run *run, size_t offset, double *room)
{
  if (!read_series(record, "steps", quantity, run->step_count, room, 1)) return false;
  for (int i = 0; i < run->step_count; ++i) *(int *)((char *)&run->steps[i] + offset) = (int)room[i];
  return true;
}

static bool read_steps(audit_run *run, const ts_record *record)
{
  const int stride = sizeof(audit_step) / sizeof(double), n = run->step_count;
  double *room = table_of(n, sizeof *room);
  audit_step *s = run->steps;
  const bool reals = read_series(record, "steps", "t", n, &s->t, stride) &&
                     read_series(record, "steps", "residual", n, &s->residual, stride) &&
                     read_series(record, "steps", "velocity_error", n, &s->velocity_error, stride) &&
                     read_series(record, "steps", "length_error", n, &s->length_error, stride) &&
                     read_series(record, "steps", "penetration", n, &s->penetration, stride) &&
                     read_series(record, "steps", "taken_out", n, &s->taken_out, stride) &&
                     read_series(record, "steps", "cone_violation", n, &s->cone_violation, stride);
  const bool whole = read_whole(record, "within_length", run, offsetof(audit_step, within_length), room) &&
                     read_whole(record, "certified", run, offsetof(audit_step, certified), room) &&
                     read_whole(record, "substeps", run, offsetof(audit_step, substeps), room) &&
                     read_whole(record, "contacts", run, offsetof(audit_step, contacts), room);
  free(room);
  return reals && whole;
}

// Contacts follow each other in time; false: one belongs to no step
static bool read_contacts(audit_run *run, const ts_record *record)
{
  int i = 0;
  for (int step = 0; step < run->step_count; ++step) {
    run->first[step] = i;
    for (; i < run->contact_count; ++i) {
      ts_recorded_contact c = ts_record_contact(record, i);
      if (c.t != run->steps[step].t) break;
      c.body_1 = number_of(record, c.body_1);
      c.body_2 = number_of(record, c.body_2);
      run->contacts[i] = c;
    }
  }
  run->first[run->step_count] = i;
  return i == run->contact_count;
}

bool audit_run_read(audit_run *run, const audit_scene *scene, const ts_record *record)
{
  *run = (audit_run){.step_count = ts_record_state_count(record) - 1,
                     .body_count = scene->body_count,
                     .joint_count = ts_record_joint_count(record),
                     .contact_count = ts_record_contact_count(record)};
  const int states = run->step_count + 1;
  run->poses = table_of(states * run->body_count, sizeof *run->poses);
  run->twists = table_of(states * run->body_count, sizeof *run->twists);
  run->forces = table_of(states * run->joint_count, sizeof *run->forces);
  run->steps = table_of(run->step_count, sizeof *run->steps);
  run->contacts = table_of(run->contact_count, sizeof *run->contacts);
  run->first = table_of(run->step_count, sizeof *run->first);
  read_poses(run, scene, record);
  return run->joint_count == scene->joint_count && read_velocities(run, scene, record) && read_forces(run, record) &&
         read_steps(run, record) && read_contacts(run, record);
}

void audit_run_release(audit_run *run)
{
  free(run->poses);
  free(run->twists);
  free(run->forces);
  free(run->steps);
  free(run->contacts);
  free(run->first);
}

// ---- auditing ------------------------------------------------------------------------------------------------------

static void complain(audit *a, audit_mistake mistake, const char *format, ...)
{
  if (a->mistakes == 0) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->sentence, sizeof a->sentence, format, arguments);
    va_end(arguments);
  }
  a->mistakes |= (unsigned)mistake;
}

// Round-off of sums of a few hundred numbers of this size
static const double ROUND_OFF = 1e-12;

// Where nothing was taken out of positions, the start that follows from the end is the state before.
static void check_motion(audit *a, const audit_run *run, int step, const ts_pose *start)
{
  if (run->steps[step].taken_out > 0.0) return;
  for (int b = 0; b < run->body_count; ++b) {
    const ts_pose *before = &run->poses[step * run->body_count + b];
    const ts_quat turn = ts_quat_product(start[b].orientation, ts_quat_conjugate(before->orientation));
    const double moved = ts_distance_of(before->position, start[b].position);
    const double turned = ts_length(ts_vec3_make(turn.x, turn.y, turn.z));
    if (!(moved <= ROUND_OFF * (1.0 + ts_length(before->position)) && turned <= ROUND_OFF))
      complain(a, AUDIT_MOTION, "step %d, body %d: moved %g m, turned %g too far", step, b, moved, turned);
  }
}

// All impulses on each body, about its centre at the start of the step, and the sum of their sizes
typedef struct audit_push {
  ts_wrench sum;
  double linear, angular;
} audit_push;

static void push(audit_push *p, ts_vec3 impulse, ts_vec3 moment)
{
  p->sum.force = ts_add(p->sum.force, impulse);
  p->sum.moment = ts_add(p->sum.moment, moment);
  p->linear += ts_length(impulse);
  p->angular += ts_length(moment);
}

static void push_pair(audit_push *pushes, const ts_pose *start, int first, int second, ts_vec3 point, ts_vec3 impulse)
{
  push(&pushes[first], impulse, ts_cross(ts_sub(point, start[first].position), impulse));
  push(&pushes[second], ts_negate(impulse), ts_cross(ts_sub(start[second].position, point), impulse));
}

static void collect_pushes(const audit_scene *scene, const audit_run *run, int step, const ts_pose *start,
                           audit_push *pushes)
{
  for (int i = run->first[step]; i < run->first[step + 1]; ++i) {
    const ts_recorded_contact *c = &run->contacts[i];
    const ts_vec3 across = ts_scale(c->po, ts_cross(c->normal, c->tangent));
    const ts_vec3 impulse = ts_add(ts_scale(c->pn, c->normal), ts_add_scaled(across, c->pt, c->tangent));
    push_pair(pushes, start, c->body_1, c->body_2, c->point, impulse);
  }
  for (int j = 0; j < run->joint_count; ++j) {
    const audit_joint *joint = &scene->joints[j];
    const ts_vec3 impulse = ts_scale(scene->step_size, run->forces[(step + 1) * run->joint_count + j]);
    push_pair(pushes, start, joint->child, joint->parent, ts_pose_apply(&start[joint->child], joint->at[1]), impulse);
  }
}

static void check_body(audit *a, const audit_compliance *c, const audit_run *run, int step, int b,
                       const audit_free *unhindered, const audit_push *p)
{
  const audit_scene *scene = c->scene;
  const audit_body *body = &scene->bodies[b];
  const ts_quat at = c->poses[b].orientation;
  const ts_twist before = run->twists[step * run->body_count + b],
                 after = run->twists[(step + 1) * run->body_count + b];
  const ts_vec3 fallen = ts_add_scaled(before.linear, scene->step_size, scene->gravity), mean = unhindered->means[b];
  const ts_vec3 gained = ts_scale(body->mass, ts_sub(after.linear, fallen));
  const ts_vec3 gyroscopic = ts_scale(scene->step_size, ts_cross(mean, audit_inertia_times(body, at, mean)));
  const ts_vec3 spun = ts_add(audit_inertia_times(body, at, ts_sub(after.angular, before.angular)), gyroscopic);
  const double size = body->mass * (1.0 + ts_length(after.linear) + ts_length(fallen));
  const double radius = sqrt(audit_inertia(body).x / body->mass);
  const double missing = ts_distance_of(gained, p->sum.force), missed = ts_distance_of(spun, p->sum.moment);
  if (!(missing <= ROUND_OFF * (size + p->linear)))
    complain(a, AUDIT_MOMENTUM, "step %d, body %d: %g N s come from nowhere", step, b, missing);
  if (run->steps[step].substeps > 1) return; // each part has arms of its own
  if (!(missed <= 10.0 * ROUND_OFF * (radius * size + p->angular)))
    complain(a, AUDIT_ANGULAR, "step %d, body %d: %g N m s come from nowhere", step, b, missed);
}

static void check_momentum(audit *a, const audit_compliance *c, const audit_run *run, int step,
                           const audit_free *unhindered)
{
  audit_push *pushes = table_of(run->body_count, sizeof *pushes);
  collect_pushes(c->scene, run, step, c->poses, pushes);
  for (int b = 0; b < run->body_count; ++b)
    if (c->scene->bodies[b].mass > 0.0) check_body(a, c, run, step, b, unhindered, &pushes[b]);
  free(pushes);
}

static bool are_joined(const audit_scene *scene, int i, int j)
{
  for (int k = 0; k < scene->joint_count; ++k) {
    const audit_joint *joint = &scene->joints[k];
    if ((joint->child == i && joint->parent == j) || (joint->child == j && joint->parent == i)) return true;
  }
  return false;
}

static double deepest_overlap(const audit_scene *scene, const ts_pose *poses)
{
  double least = 0.0;
  for (int i = 0; i < scene->body_count; ++i)
    for (int j = 0; j < i; ++j) {
      const audit_body *a = &scene->bodies[i], *b = &scene->bodies[j];
      if ((a->mass == 0.0 && b->mass == 0.0) || are_joined(scene, i, j)) continue;
      least = fmin(least, own_gap(&a->shape, &poses[i], &b->shape, &poses[j]));
    }
  return -least;
}

// Overlap in a state is what the step after it says it began with.
static void check_overlap(audit *a, const audit_scene *scene, const audit_run *run, int state)
{
  const double found = deepest_overlap(scene, &run->poses[state * run->body_count]);
  a->deepest = fmax(a->deepest, found);
  if (!(found <= scene->deepest)) complain(a, AUDIT_OVERLAP, "state %d: bodies overlap by %g m", state, found);
  if (state == run->step_count) return;
  const double reported = run->steps[state].penetration;
  if (!(found <= reported + ROUND_OFF))
    complain(a, AUDIT_OVERLAP, "state %d: bodies overlap by %g m, reported are %g", state, found, reported);
}

static const double STILL = 1e-9; // errors below this are round-off of velocities [m/s]

static void check_errors(audit *a, const audit_scene *scene, const audit_step *s, int step, const audit_contacts *c)
{
  a->worst_error = fmax(a->worst_error, s->velocity_error);
  const bool exchanged = s->within_length == 0; // maybe: for the least impulses that do the same
  const double slack = STILL + 1e-6 * s->velocity_error;
  if (!(c->error <= s->velocity_error + slack) || !(exchanged || c->error >= s->velocity_error - slack))
    complain(a, AUDIT_ERROR, "step %d: velocity error %g, reported %g", step, c->error, s->velocity_error);
  if (!(fabs(s->length_error - scene->step_size * s->velocity_error) <= 1e-12 * s->length_error))
    complain(a, AUDIT_ERROR, "step %d: %g m are not h times %g m/s", step, s->length_error, s->velocity_error);
  if (!(c->residual <= 1.001 * s->residual + STILL) || !(exchanged || c->residual >= 0.999 * s->residual))
    complain(a, AUDIT_RESIDUAL, "step %d: residual %g, reported %g", step, c->residual, s->residual);
}

// To the tolerance, or within the length, or within a thousandth of the speeds of the data
static void check_certificate(audit *a, const audit_scene *scene, const audit_step *s, int step, double data_speed)
{
  const bool to_tolerance = s->residual <= scene->tolerance;
  const double length = fmax(scene->accuracy, 1e-3 * data_speed * scene->step_size);
  a->within_length += s->within_length > 0;
  if (!s->certified) complain(a, AUDIT_CERTIFICATE, "step %d is not certified", step);
  if (to_tolerance != (s->within_length == 0))
    complain(a, AUDIT_CERTIFICATE, "step %d: residual %g, within length %d", step, s->residual, s->within_length);
  if (!to_tolerance && !(s->length_error <= 1.01 * length))
    complain(a, AUDIT_CERTIFICATE, "step %d: %g m are more than %g m", step, s->length_error, length);
}

static void check_contacts(audit *a, const audit_scene *scene, const audit_run *run, int step, const audit_contacts *c)
{
  const audit_step *s = &run->steps[step];
  const int count = run->first[step + 1] - run->first[step];
  if (s->contacts != count) complain(a, AUDIT_GAP, "step %d: %d contacts, reported %d", step, count, s->contacts);
  if (!(c->cone_violation <= s->cone_violation + ROUND_OFF))
    complain(a, AUDIT_CONE, "step %d: %g N s outside, reported %g", step, c->cone_violation, s->cone_violation);
  if (s->substeps > 1) return; // contacts are sums over parts that are not recorded
  if (!(c->gap_error <= 1e-9)) complain(a, AUDIT_GAP, "step %d: a gap is wrong by %g m", step, c->gap_error);
  check_errors(a, scene, s, step, c);
  check_certificate(a, scene, s, step, c->data_speed);
}

static void check_step(audit *a, const audit_scene *scene, const audit_run *run, int step, ts_pose *start,
                       audit_free *unhindered)
{
  audit_compliance compliance;
  audit_start_poses(scene, run, step, start);
  audit_compliance_init(&compliance, scene, start);
  audit_compliance_free(&compliance, &run->twists[step * run->body_count], unhindered);
  if (run->steps[step].substeps == 1) check_motion(a, run, step, start);
  a->cut += run->steps[step].substeps > 1;
  check_momentum(a, &compliance, run, step, unhindered);
  const audit_contacts contacts = audit_contacts_of(&compliance, run, step, unhindered);
  check_contacts(a, scene, run, step, &contacts);
  audit_compliance_release(&compliance);
}

audit audit_of(const audit_scene *scene, const audit_run *run)
{
  audit a = {0};
  ts_pose *start = table_of(run->body_count, sizeof *start);
  audit_free unhindered = {table_of(run->body_count, sizeof *unhindered.twists),
                           table_of(run->body_count, sizeof *unhindered.means)};
  for (int state = 0; state <= run->step_count; ++state) check_overlap(&a, scene, run, state);
  for (int step = 0; step < run->step_count; ++step) check_step(&a, scene, run, step, start, &unhindered);
  free(unhindered.twists);
  free(unhindered.means);
  free(start);
  return a;
}
