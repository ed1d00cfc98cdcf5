// Coordinates of a tree from poses and twists, and their course at constant rates.
#include "dynamics/tree_inside.h"

#include "dynamics/joint_frames.h"

// Where a body, or the world, is and how it moves.
typedef struct placed_body {
  ts_pose pose;
  ts_mat3 axes;
  ts_twist velocity;
  double angle;
} placed_body;

static placed_body placed(int body, const ts_state *state)
{
  placed_body p = {.pose = ts_pose_identity(), .axes = ts_mat3_identity()};
  if (body < 0) return p;
  p.pose = state->pose[body];
  p.axes = ts_quat_matrix(p.pose.orientation);
  p.velocity = state->velocity[body];
  p.angle = state->angle[body];
  return p;
}

// The child's joint frame in the parent's, and its origin along the parent's frame.
typedef struct relative_pose {
  ts_mat3 turn;
  ts_quat quat;
  ts_vec3 slide;
} relative_pose;

static relative_pose relative_pose_of(const ts_hinge *hinge, const placed_body *up, const placed_body *child)
{
  const ts_quat back = ts_quat_conjugate(ts_quat_product(up->pose.orientation, hinge->turn[0]));
  const ts_quat here = ts_quat_product(child->pose.orientation, ts_quat_conjugate(hinge->turn[1]));
  const ts_vec3 origin = ts_sub(child->pose.position, ts_quat_rotate(child->pose.orientation, hinge->arm));
  const ts_vec3 from = ts_add(up->pose.position, ts_quat_rotate(up->pose.orientation, hinge->at));
  relative_pose pose = {.quat = ts_quat_normalize(ts_quat_product(back, here))};
  pose.turn = ts_quat_matrix(pose.quat);
  pose.slide = ts_quat_rotate(back, ts_sub(origin, from));
  return pose;
}

// About the common z, also where the axes are not quite aligned.
static double angle_about_z(const relative_pose *pose)
{
  return 2.0 * atan2(pose->quat.w < 0.0 ? -pose->quat.z : pose->quat.z, fabs(pose->quat.w));
}

// Of angles that are equal up to turns, the one that the plane's angles mean, or in space the nearest to the last one.
static double angle_of(const ts_tree *tree, const ts_tree_node *node, const ts_state *state, const ts_hinge *hinge,
                       const placed_body *up, const placed_body *child, const relative_pose *pose)
{
  const double angle = angle_about_z(pose), last = state->turned[node->joint];
  if (tree->model->space == TS_SPACE_2D)
    return ts_angle_near(angle, hinge->side[0].z.z * (child->angle - up->angle - hinge->angle));
  return ts_angle_near(angle, last);
}

static void put_quaternion(ts_quat from, double *q)
{
  q[0] = from.w;
  q[1] = from.x;
  q[2] = from.y;
  q[3] = from.z;
}

static void put_position(ts_vec3 from, int count, double *q)
{
  q[0] = from.x;
  q[1] = from.y;
  if (count > 2) q[2] = from.z;
}

static void read_coordinates(const ts_tree *tree, const ts_tree_node *node, const ts_state *state,
                             const ts_hinge *hinge, const placed_body *up, const placed_body *child, double *q)
{
  const relative_pose pose = relative_pose_of(hinge, up, child);
  const ts_mat3 *R = &pose.turn;
  switch (node->kind) {
  case TS_JOINT_REVOLUTE:
    q[0] = angle_of(tree, node, state, hinge, up, child, &pose);
    break;
  case TS_JOINT_PRISMATIC:
    q[0] = pose.slide.z;
    break;
  case TS_JOINT_CYLINDRICAL:
    q[0] = angle_about_z(&pose);
    q[1] = pose.slide.z;
    break;
  case TS_JOINT_UNIVERSAL: // R = Rz(q0) Rx(q1)
    q[0] = atan2(R->x.y, R->x.x);
    q[1] = atan2(R->y.z, R->z.z);
    break;
  case TS_JOINT_PLANAR:
    put_position(pose.slide, 2, q);
    q[2] = angle_about_z(&pose);
    break;
  case TS_JOINT_SPHERICAL:
    put_quaternion(pose.quat, q);
    break;
  case TS_NODE_FREE:
    put_quaternion(ts_quat_normalize(child->pose.orientation), q);
    put_position(child->pose.position, 3, q + 4);
    break;
  case TS_NODE_FREE_IN_PLANE:
    put_position(child->pose.position, 2, q);
    q[2] = child->angle;
    break;
  case TS_NODE_PARTICLE:
    put_position(child->pose.position, node->q_count, q);
    break;
  default: // a weld has none
    break;
  }
}

// Motion axes are orthonormal at the joint's origin: rates are the components of the relative twist there.
static void read_rates(const ts_tree_node *node, const ts_hinge *hinge, const placed_body *up, const placed_body *child,
                       double *v)
{
  ts_twist motion[TS_MOST_FREEDOMS];
  ts_hinge_axes(hinge, &up->axes, &child->axes, motion);
  const ts_vec3 origin = ts_sub(child->pose.position, ts_mul(&child->axes, hinge->arm));
  const ts_vec3 spin = ts_sub(child->velocity.angular, up->velocity.angular);
  const ts_vec3 drift = ts_sub(ts_twist_at(child->velocity, ts_sub(origin, child->pose.position)),
                               ts_twist_at(up->velocity, ts_sub(origin, up->pose.position)));
  for (int i = 0; i < node->v_count; ++i) v[i] = ts_dot(motion[i].angular, spin) + ts_dot(motion[i].linear, drift);
}

void ts_tree_read(const ts_tree *tree, const ts_state *state, double *q, double *v)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    const int parent = node->parent >= 0 ? tree->nodes[node->parent].body : node->base;
    const placed_body up = placed(parent, state), child = placed(node->body, state);
    read_coordinates(tree, node, state, &tree->hinges[i], &up, &child, q + node->q);
    read_rates(node, &tree->hinges[i], &up, &child, v + node->v);
  }
}

// Angular velocity in the moving axes: the exponential goes to the right.
static void turn_quaternion(double h, const double *w, double *q)
{
  const ts_quat turn = ts_quat_exp((ts_vec3){h * w[0], h * w[1], h * w[2]});
  put_quaternion(ts_quat_normalize(ts_quat_product((ts_quat){q[0], q[1], q[2], q[3]}, turn)), q);
}

static void add_scaled(int count, double h, const double *v, double *q)
{
  for (int i = 0; i < count; ++i) q[i] += h * v[i];
}

void ts_tree_advance(const ts_tree *tree, double h, const double *v, double *q)
{
  if (tree->straight) {
    add_scaled(tree->sizes.v, h, v, q);
    return;
  }
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    const double *rate = v + node->v;
    double *coordinate = q + node->q;
    if (node->q_count == node->v_count) {
      add_scaled(node->v_count, h, rate, coordinate);
    } else {
      turn_quaternion(h, rate, coordinate);
      add_scaled(node->v_count - 3, h, rate + 3, coordinate + 4);
    }
  }
}
