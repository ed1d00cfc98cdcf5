// Masses of links, and the bodies that links fixed to one another become.
#include "robot/urdf_robot.h"

#include "math/vec3.h"
#include "model/builder.h"
#include "shape/mass.h"

#include <string.h>

// ---- inertia -------------------------------------------------------------------------------------------------------

// Inertias are rounded, or estimates. By this share of the trace the largest principal moment may exceed the sum of the
// others.
static const double ROUNDING = 1e-2;
static const double SMALLEST_MOMENT = 1e-12; // likewise: what is less is 0 but for round-off

static bool is_finite(const double A[6])
{
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += fabs(A[i]);
  return isfinite(sum);
}

// Least and largest eigenvalue of a symmetric 3x3 matrix xx yy zz xy xz yz of trace 1: with the mean m and p^2 a sixth
// of the squared norm of A - m 1, det((A - m 1) / p) / 2 is the cosine of three times the angle that gives
// the roots m + 2 p cos(angle + 2 pi k / 3).
static void extreme_eigenvalues(const double A[6], double *least, double *largest)
{
  static const double THIRD_OF_TURN = 2.0 * TS_PI / 3.0;
  const double m = (A[0] + A[1] + A[2]) / 3.0, a = A[0] - m, b = A[1] - m, c = A[2] - m;
  const double off = A[3] * A[3] + A[4] * A[4] + A[5] * A[5];
  const double p = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
  const double determinant =
      a * (b * c - A[5] * A[5]) - A[3] * (A[3] * c - A[5] * A[4]) + A[4] * (A[3] * A[5] - b * A[4]);
  const double cosine = p > 0.0 ? fmin(fmax(determinant / (2.0 * p * p * p), -1.0), 1.0) : 1.0;
  const double angle = acos(cosine) / 3.0;
  *least = m + 2.0 * p * cos(angle + THIRD_OF_TURN);
  *largest = m + 2.0 * p * cos(angle);
}

// Unit vector of an eigenvalue that no other is equal to: normal to the rows of A - lambda 1, of which two at least are
// not parallel.
static ts_vec3 eigenvector(const double A[6], double lambda)
{
  const ts_vec3 x = {A[0] - lambda, A[3], A[4]}, y = {A[3], A[1] - lambda, A[5]}, z = {A[4], A[5], A[2] - lambda};
  const ts_vec3 normals[] = {ts_cross(x, y), ts_cross(y, z), ts_cross(z, x)};
  ts_vec3 best = normals[0];
  for (int i = 1; i < 3; ++i)
    if (ts_dot(normals[i], normals[i]) > ts_dot(best, best)) best = normals[i];
  return ts_normalize(best, (ts_vec3){0.0, 0.0, 1.0});
}

// Along the axis n of the largest moment, the mass would have a second moment of -e where the triangle inequality is
// missed by 2 e. Raised to 0 it adds e (1 - n n') to the inertia: to the two smaller moments, and nothing to the
// largest.
static void make_possible(double inertia[6])
{
  const double trace = inertia[0] + inertia[1] + inertia[2];
  double scaled[6], least, largest;
  if (!is_finite(inertia) || !(trace > 0.0)) return;
  for (int i = 0; i < 6; ++i) scaled[i] = inertia[i] / trace;
  extreme_eigenvalues(scaled, &least, &largest);
  const double e = largest - 0.5;
  if (!(least > SMALLEST_MOMENT && e > 0.0 && 2.0 * e <= ROUNDING)) return;
  const ts_vec3 n = eigenvector(scaled, largest);
  const double raised[6] = {1.0 - n.x * n.x, 1.0 - n.y * n.y, 1.0 - n.z * n.z, -n.x * n.y, -n.x * n.z, -n.y * n.z};
  for (int i = 0; i < 6; ++i) inertia[i] += e * trace * raised[i];
}

static bool is_zero(const double A[6])
{
  bool zero = true;
  for (int i = 0; i < 6; ++i) zero = zero && A[i] == 0.0;
  return zero;
}

static ts_status read_inertial(ts_urdf_robot *robot, ts_urdf_node *link, const char *name)
{
  const ts_xml_element *inertial = ts_xml_child(link->element, "inertial"),
                       *inertia = ts_xml_child(inertial, "inertia");
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  ts_mass_properties own = {.volume = ts_urdf_number(ts_xml_child(inertial, "mass"), "value", 0.0)};
  if (own.volume == 0.0) return TS_OK;
  for (int i = 0; i < 6; ++i) own.inertia[i] = ts_urdf_number(inertia, names[i], 0.0);
  if (is_zero(own.inertia))
    return ts_document_fail(robot->in, inertia->place, "link '%.60s' has a mass, but its inertia is zero", name);
  make_possible(own.inertia);
  if (!ts_inertia_is_possible(own.inertia))
    return ts_document_fail(
        robot->in, inertia->place,
        "link '%.60s': its inertia must be positive definite with no principal moment above the sum of "
        "the others",
        name);
  const ts_pose origin = ts_urdf_origin(inertial);
  link->inertial = ts_mass_moved(&own, &origin);
  return TS_OK;
}

// The sum of two masses of which either may be none.
static ts_mass_properties add_mass(const ts_mass_properties *a, const ts_mass_properties *b)
{
  return !(b->volume > 0.0) ? *a : !(a->volume > 0.0) ? *b : ts_mass_sum(a, b);
}

// A link that says nothing of its mass weighs what its shapes do.
static void derive_inertial(ts_urdf_robot *robot, ts_urdf_node *link)
{
  const double density = robot->options->density;
  for (int k = 0; k < link->shape_count; ++k) {
    const ts_urdf_shape *shape = &robot->shapes[link->first_shape + k];
    const ts_mass_properties own = ts_pieces_mass(shape->convex, 1);
    ts_mass_properties moved = ts_mass_moved(&own, &shape->pose);
    moved.volume *= density;
    for (int i = 0; i < 6; ++i) moved.inertia[i] *= density;
    link->inertial = add_mass(&link->inertial, &moved);
  }
  link->derived = true;
}

ts_status ts_urdf_read_masses(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->link_count; ++i) {
    ts_urdf_node *link = &robot->links[i];
    if (ts_xml_child(link->element, "inertial"))
      TS_TRY(read_inertial(robot, link, ts_urdf_link_name(robot, i)));
    else
      derive_inertial(robot, link);
  }
  return TS_OK;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static bool is_world(const ts_urdf_robot *robot, int link)
{
  return strcmp(ts_urdf_link_name(robot, link), "world") == 0;
}

// Where the root is the world, a free base is what is fixed to that.
static void release_base(ts_urdf_robot *robot)
{
  const int root = robot->order[0];
  if (robot->options->base != TS_BASE_FREE || !is_world(robot, root)) return;
  for (int i = 0; i < robot->joint_count; ++i)
    if (robot->joints[i].parent == root && robot->joints[i].type == TS_URDF_FIXED)
      robot->joints[i].type = TS_URDF_FLOATING;
}

static int begin_body(ts_urdf_robot *robot, int link)
{
  const bool root = link == robot->order[0];
  robot->bodies[robot->body_count] =
      (ts_urdf_body){.link = link, .fixed = root && (robot->options->base == TS_BASE_FIXED || is_world(robot, link))};
  return robot->body_count++;
}

static void assign_bodies(ts_urdf_robot *robot)
{
  robot->bodies = ts_arena_bytes(&robot->in->arena, (size_t)robot->link_count, sizeof *robot->bodies);
  for (int k = 0; k < robot->link_count; ++k) {
    ts_urdf_node *link = &robot->links[robot->order[k]];
    const ts_urdf_edge *joint = link->joint == TS_URDF_NONE ? NULL : &robot->joints[link->joint];
    link->in_body = ts_pose_identity();
    if (joint && joint->type == TS_URDF_FIXED) {
      const ts_urdf_node *parent = &robot->links[joint->parent];
      link->body = parent->body;
      link->in_body = ts_pose_compose(&parent->in_body, &joint->origin);
    } else {
      link->body = begin_body(robot, robot->order[k]);
    }
    ts_urdf_body *body = &robot->bodies[link->body];
    const ts_mass_properties moved = ts_mass_moved(&link->inertial, &link->in_body);
    body->inertial = add_mass(&body->inertial, &moved);
  }
}

// The name of its first link. The world's is taken: a link fixed to it lends its name, or, where there is none and no
// shape either, the world stands for itself.
static const char *name_of_body(ts_urdf_robot *robot, int body)
{
  const int link = robot->bodies[body].link;
  if (!is_world(robot, link)) return ts_urdf_link_name(robot, link);
  for (int k = 1; k < robot->link_count; ++k)
    if (robot->links[robot->order[k]].body == body) return ts_urdf_link_name(robot, robot->order[k]);
  return robot->links[link].shape_count > 0 ? ts_urdf_fresh_name(robot, "world_link") : NULL;
}

static void name_bodies(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->body_count; ++i) {
    const char *name = name_of_body(robot, i);
    robot->bodies[i].name = name ? ts_urdf_scene_name(robot, name) : NULL;
  }
}

ts_status ts_urdf_make_bodies(ts_urdf_robot *robot)
{
  release_base(robot);
  assign_bodies(robot);
  name_bodies(robot);
  for (int i = 0; i < robot->body_count; ++i) TS_TRY(ts_urdf_check_massless(robot, i));
  return TS_OK;
}
