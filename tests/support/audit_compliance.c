#include "audit_compliance.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

static const ts_vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Across its axis a capsule is a cylinder and two half balls, which are 3/8 r beyond its ends.
static ts_vec3 capsule_inertia(double mass, double r, double l)
{
  const double cylinder = l / (l + 4.0 / 3.0 * r), m = mass * cylinder, b = mass - m, ball = 0.4 * r * r;
  const double across = m * (3.0 * r * r + l * l) / 12.0 + b * (ball + 0.25 * l * l + 0.375 * l * r);
  return ts_vec3_make(across, across, 0.5 * m * r * r + b * ball);
}

ts_vec3 audit_inertia(const audit_body *body)
{
  const ts_shape *s = &body->shape;
  const ts_vec3 d = s->size;
  const double sphere = 0.4 * body->mass * s->radius * s->radius;
  if (s->kind == TS_SHAPE_CAPSULE) return capsule_inertia(body->mass, s->radius, s->length);
  if (s->kind == TS_SHAPE_SPHERE) return ts_vec3_make(sphere, sphere, sphere);
  return ts_scale(body->mass / 12.0, ts_vec3_make(d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y));
}

ts_vec3 audit_inertia_times(const audit_body *body, ts_quat orientation, ts_vec3 w)
{
  const ts_vec3 i = audit_inertia(body), own = ts_quat_rotate(ts_quat_conjugate(orientation), w);
  return ts_quat_rotate(orientation, ts_vec3_make(i.x * own.x, i.y * own.y, i.z * own.z));
}

ts_vec3 audit_inertia_solve(const audit_body *body, ts_quat orientation, ts_vec3 moment)
{
  const ts_vec3 i = audit_inertia(body), own = ts_quat_rotate(ts_quat_conjugate(orientation), moment);
  return ts_quat_rotate(orientation, ts_vec3_make(own.x / i.x, own.y / i.y, own.z / i.z));
}

// Velocity at a second point of a body from an impulse at a first one; nothing of a fixed body
static ts_vec3 response(const audit_compliance *c, int body, ts_vec3 point, ts_vec3 impulse, ts_vec3 second)
{
  const audit_body *b = &c->scene->bodies[body];
  if (b->mass == 0.0) return ts_vec3_make(0.0, 0.0, 0.0);
  const ts_vec3 centre = c->poses[body].position, moment = ts_cross(ts_sub(point, centre), impulse);
  const ts_vec3 turning = audit_inertia_solve(b, c->poses[body].orientation, moment);
  return ts_add(ts_scale(1.0 / b->mass, impulse), ts_cross(turning, ts_sub(second, centre)));
}

static ts_vec3 joint_point(const audit_compliance *c, int joint)
{
  const audit_joint *j = &c->scene->joints[joint];
  return ts_pose_apply(&c->poses[j->child], j->at[1]);
}

// Velocity of joint i, child against parent, from an impulse on a body at a point
static ts_vec3 opening(const audit_compliance *c, int i, int body, ts_vec3 point, ts_vec3 impulse)
{
  const audit_joint *j = &c->scene->joints[i];
  if (j->child == body) return response(c, body, point, impulse, joint_point(c, i));
  if (j->parent == body) return ts_negate(response(c, body, point, impulse, joint_point(c, i)));
  return ts_vec3_make(0.0, 0.0, 0.0);
}

// An impulse on body_1 at a point and its opposite on body_2: what all joints open at
static void open_joints(const audit_compliance *c, int body_1, int body_2, ts_vec3 point, ts_vec3 impulse, double *rows)
{
  for (int i = 0; i < c->scene->joint_count; ++i) {
    const ts_vec3 velocity = ts_sub(opening(c, i, body_1, point, impulse), opening(c, i, body_2, point, impulse));
    for (int k = 0; k < 3; ++k) rows[3 * i + k] = ts_dot(AXES[k], velocity);
  }
}

// Cholesky in place, lower triangle, column after column
static void factor(double *A, int n)
{
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) A[n * j + i] -= A[n * k + i] * A[n * k + j];
    const double root = sqrt(A[n * j + j]);
    for (int i = j; i < n; ++i) A[n * j + i] /= root;
  }
}

void audit_compliance_init(audit_compliance *c, const audit_scene *scene, const ts_pose *poses)
{
  const int n = 3 * scene->joint_count;
  *c = (audit_compliance){.scene = scene, .poses = poses, .rows = n};
  c->factor = calloc((size_t)n * (size_t)n + 1, sizeof *c->factor);
  c->column = calloc((size_t)n + 1, sizeof *c->column);
  if (!c->factor || !c->column) abort();
  for (int j = 0; j < n; ++j) {
    const audit_joint *joint = &scene->joints[j / 3];
    open_joints(c, joint->child, joint->parent, joint_point(c, j / 3), AXES[j % 3], &c->factor[n * j]);
  }
  factor(c->factor, n);
}

void audit_compliance_release(audit_compliance *c)
{
  free(c->factor);
  free(c->column);
}

// L^-1 g in place
static void solve_lower(const audit_compliance *c, double *g)
{
  const int n = c->rows;
  for (int j = 0; j < n; ++j) {
    g[j] /= c->factor[n * j + j];
    for (int i = j + 1; i < n; ++i) g[i] -= c->factor[n * j + i] * g[j];
  }
}

// L^-T g in place
static void solve_upper(const audit_compliance *c, double *g)
{
  const int n = c->rows;
  for (int j = n - 1; j >= 0; --j) {
    for (int i = j + 1; i < n; ++i) g[j] -= c->factor[n * j + i] * g[i];
    g[j] /= c->factor[n * j + j];
  }
}

// |L^-1 g|^2 with g what the joints open at
static double held_by_joints(const audit_compliance *c, int body_1, int body_2, ts_vec3 point, ts_vec3 impulse)
{
  double sum = 0.0;
  open_joints(c, body_1, body_2, point, impulse, c->column);
  solve_lower(c, c->column);
  for (int j = 0; j < c->rows; ++j) sum += c->column[j] * c->column[j];
  return sum;
}

double audit_compliance_trace(const audit_compliance *c, int body_1, int body_2, ts_vec3 point)
{
  double trace = 0.0;
  for (int k = 0; k < 3; ++k) {
    const ts_vec3 first = response(c, body_1, point, AXES[k], point),
                  second = response(c, body_2, point, AXES[k], point);
    trace += ts_dot(AXES[k], ts_add(first, second)) - held_by_joints(c, body_1, body_2, point, AXES[k]);
  }
  return trace;
}

static void push(const audit_compliance *c, int body, ts_vec3 point, ts_vec3 impulse, ts_twist *twists)
{
  const audit_body *b = &c->scene->bodies[body];
  if (b->mass == 0.0) return;
  const ts_vec3 moment = ts_cross(ts_sub(point, c->poses[body].position), impulse);
  const ts_vec3 turning = audit_inertia_solve(b, c->poses[body].orientation, moment);
  twists[body].linear = ts_add_scaled(twists[body].linear, 1.0 / b->mass, impulse);
  twists[body].angular = ts_add(twists[body].angular, turning);
}

// Impulses of the joints that leave G^T v + Phi/h = 0
static void hold_joints(const audit_compliance *c, ts_twist *twists)
{
  for (int i = 0; i < c->scene->joint_count; ++i) {
    const audit_joint *j = &c->scene->joints[i];
    const ts_vec3 point = joint_point(c, i), other = ts_pose_apply(&c->poses[j->parent], j->at[0]);
    const ts_vec3 child = ts_twist_at(twists[j->child], ts_sub(point, c->poses[j->child].position));
    const ts_vec3 parent = ts_twist_at(twists[j->parent], ts_sub(point, c->poses[j->parent].position));
    const ts_vec3 open = ts_scale(1.0 / c->scene->step_size, ts_sub(point, other));
    const ts_vec3 velocity = ts_add(ts_sub(child, parent), open);
    for (int k = 0; k < 3; ++k) c->column[3 * i + k] = ts_dot(AXES[k], velocity);
  }
  solve_lower(c, c->column);
  solve_upper(c, c->column);
  for (int i = 0; i < c->rows; ++i) {
    const audit_joint *j = &c->scene->joints[i / 3];
    const ts_vec3 impulse = ts_scale(-c->column[i], AXES[i % 3]);
    push(c, j->child, joint_point(c, i / 3), impulse, twists);
    push(c, j->parent, joint_point(c, i / 3), ts_negate(impulse), twists);
  }
}

// The mean depends on what it leads to: a fixed point, of bodies with joints what three passes make of it
// (docs/theory/stepping.md).
void audit_compliance_free(const audit_compliance *c, const ts_twist *before, audit_free *free)
{
  const audit_scene *scene = c->scene;
  const int passes = scene->joint_count > 0 ? 3 : 40;
  for (int b = 0; b < scene->body_count; ++b) free->means[b] = before[b].angular;
  for (int pass = 0; pass < passes; ++pass) {
    for (int b = 0; b < scene->body_count; ++b) {
      const audit_body *body = &scene->bodies[b];
      free->twists[b] = before[b];
      if (body->mass == 0.0) continue;
      const ts_quat at = c->poses[b].orientation;
      const ts_vec3 torque = ts_cross(free->means[b], audit_inertia_times(body, at, free->means[b]));
      const ts_vec3 slower = audit_inertia_solve(body, at, torque);
      free->twists[b].linear = ts_add_scaled(before[b].linear, scene->step_size, scene->gravity);
      free->twists[b].angular = ts_add_scaled(before[b].angular, -scene->step_size, slower);
    }
    hold_joints(c, free->twists);
    for (int b = 0; b < scene->body_count; ++b)
      free->means[b] = ts_scale(0.5, ts_add(before[b].angular, free->twists[b].angular));
  }
}
