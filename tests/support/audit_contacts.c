#include "audit_contacts.h"

#include "own_distance.h"

#include "math/vec3.h"

#include <math.h>

// A step turns q into q + h/2 (0, w) q, made a unit again: a product from the left, which is taken back by its
// conjugate.
static ts_quat turn_back(ts_vec3 w, double h)
{
  return ts_quat_normalize((ts_quat){1.0, -0.5 * h * w.x, -0.5 * h * w.y, -0.5 * h * w.z});
}

void audit_start_poses(const audit_scene *scene, const audit_run *run, int step, ts_pose *poses)
{
  const int next = (step + 1) * run->body_count;
  for (int b = 0; b < run->body_count; ++b) {
    const ts_twist v = run->twists[next + b];
    poses[b] = run->poses[next + b];
    if (scene->bodies[b].mass == 0.0) continue;
    poses[b].position = ts_add_scaled(poses[b].position, -scene->step_size, v.linear);
    poses[b].orientation = ts_quat_product(turn_back(v.angular, scene->step_size), poses[b].orientation);
  }
}

// A contact in its own frame: normal, tangent, other
typedef struct audit_contact {
  double r[3], u[3]; // impulse, and velocity at the end of the step
  double v[3], q[3]; // velocity at its start, and at its end if nothing touched
  double trace;      // of its block of W
  double mu;
} audit_contact;

static void velocity_at(const audit_scene *scene, const ts_recorded_contact *c, const ts_pose *start, ts_twist first,
                        ts_twist second, double *u)
{
  const ts_vec3 directions[3] = {c->normal, c->tangent, ts_cross(c->normal, c->tangent)};
  ts_vec3 v = ts_twist_at(first, ts_sub(c->point, start[c->body_1].position));
  if (scene->bodies[c->body_2].mass > 0.0)
    v = ts_sub(v, ts_twist_at(second, ts_sub(c->point, start[c->body_2].position)));
  for (int k = 0; k < 3; ++k) u[k] = ts_dot(directions[k], v);
}

static audit_contact contact_of(const audit_compliance *compliance, const audit_run *run, int step,
                                const ts_recorded_contact *c, const audit_free *free)
{
  const audit_scene *scene = compliance->scene;
  const ts_pose *start = compliance->poses;
  const ts_twist *before = &run->twists[step * run->body_count], *end = before + run->body_count;
  audit_contact contact = {.r = {c->pn, c->pt, c->po},
                           .trace = audit_compliance_trace(compliance, c->body_1, c->body_2, c->point),
                           .mu = scene->friction};
  velocity_at(scene, c, start, before[c->body_1], before[c->body_2], contact.v);
  velocity_at(scene, c, start, end[c->body_1], end[c->body_2], contact.u);
  velocity_at(scene, c, start, free->twists[c->body_1], free->twists[c->body_2], contact.q);
  return contact;
}

// |s r - P(s r - v)| with v = u + mu |u_t| n, u_n above `asked`, and s = trace W_ii / 3: P projects on the friction
// cone.
static double error_of(const audit_contact *c, double asked)
{
  const double s = c->trace / 3.0, u[3] = {c->u[0] - asked, c->u[1], c->u[2]}, slip = hypot(u[1], u[2]);
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = s * c->r[k] - u[k] - (k == 0 ? c->mu * slip : 0.0);
  const double across = hypot(x[1], x[2]);
  double normal = x[0], share = 1.0;
  if (c->mu * across <= -x[0]) {
    normal = share = 0.0;
  } else if (across > c->mu * x[0]) {
    normal = (x[0] + c->mu * across) / (1.0 + c->mu * c->mu);
    share = c->mu * normal / across;
  }
  const double d[3] = {s * c->r[0] - normal, s * c->r[1] - share * x[1], s * c->r[2] - share * x[2]};
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Normal velocity that a contact is asked to have at least. Overlap that takes more speed to repair than a usual step
// errs by, which is a hundredth of the relative velocity and what forces make of it, opens at that hundredth
// (docs/theory/stepping.md, "Penetration").
static double asked_of(const audit_contact *c, double gap, double h)
{
  const double whole = -gap / h, slow = 0.01 * hypot(c->v[0], hypot(c->v[1], c->v[2]));
  const double usual = slow + fabs(c->q[0] - c->v[0]);
  return whole > 1e-6 && whole > usual ? slow : whole;
}

// A gap is one along the contact's normal. Where bodies pass each other (docs/theory/stepping.md) that is the normal of
// the end of the step, and the gap is taken back to now at the speed of points that have been carried on: what that
// misses is the angle that the bodies turn by times the way of their points.
static double missed_in_passing(const audit_scene *scene, const audit_run *run, int step, const ts_recorded_contact *c)
{
  const int bodies[2] = {c->body_1, c->body_2};
  double turn = 0.0, way = 0.0;
  for (int k = 0; k < 2; ++k) {
    const ts_shape *shape = &scene->bodies[bodies[k]].shape;
    const ts_twist v = run->twists[step * run->body_count + bodies[k]];
    const double reach = shape->radius + 0.5 * shape->length + 0.5 * ts_length(shape->size);
    turn += scene->step_size * ts_length(v.angular);
    way += scene->step_size * (ts_length(v.linear) + reach * ts_length(v.angular));
  }
  return turn * way;
}

// Spheres and planes have one point in a direction; points of others lie anywhere on the surfaces, no nearer than this.
static double gap_error_of(const audit_scene *scene, const audit_run *run, int step, const ts_recorded_contact *c,
                           const ts_pose *start)
{
  const ts_shape *first = &scene->bodies[c->body_1].shape, *second = &scene->bodies[c->body_2].shape;
  const double gap = own_gap_along(first, &start[c->body_1], second, &start[c->body_2], c->normal);
  const bool plain = second->kind == TS_SHAPE_SPHERE || second->kind == TS_SHAPE_PLANE;
  const double error = first->kind == TS_SHAPE_SPHERE && plain ? fabs(c->gap - gap) : gap - c->gap;
  return fmax(error - missed_in_passing(scene, run, step, c), 0.0);
}

audit_contacts audit_contacts_of(const audit_compliance *compliance, const audit_run *run, int step,
                                 const audit_free *free)
{
  audit_contacts found = {0};
  const audit_scene *scene = compliance->scene;
  double error_squares = 0.0, data_squares = 0.0, speeds = 0.0;
  for (int i = run->first[step]; i < run->first[step + 1]; ++i) {
    const ts_recorded_contact *c = &run->contacts[i];
    const audit_contact contact = contact_of(compliance, run, step, c, free);
    const double asked = asked_of(&contact, c->gap, scene->step_size), error = error_of(&contact, asked);
    const double q[3] = {contact.q[0] - asked, contact.q[1], contact.q[2]}, a2 = 3.0 / contact.trace; // a^2
    const double q2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    error_squares += a2 * error * error;
    data_squares += a2 * q2;
    speeds += q2;
    found.error = fmax(found.error, error);
    found.gap_error = fmax(found.gap_error, gap_error_of(scene, run, step, c, compliance->poses));
    found.cone_violation = fmax(found.cone_violation, hypot(c->pt, c->po) - scene->friction * c->pn);
    found.cone_violation = fmax(found.cone_violation, -c->pn);
  }
  const int count = run->first[step + 1] - run->first[step];
  found.residual = data_squares > 0.0 ? sqrt(error_squares / data_squares) : 0.0;
  found.data_speed = count > 0 ? sqrt(speeds / count) : 0.0;
  return found;
}
