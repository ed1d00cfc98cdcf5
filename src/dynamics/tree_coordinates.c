// Coordinates of a tree from poses and twists, and their course at constant rates.
#include "dynamics/joint/joint_mechanics.h"

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

static ts_relative_pose relative_pose_of(const ts_hinge *hinge, const placed_body *up, const placed_body *child)
{
  const ts_quat back = ts_quat_conjugate(ts_quat_product(up->pose.orientation, hinge->turn[0]));
  const ts_quat here = ts_quat_product(child->pose.orientation, ts_quat_conjugate(hinge->turn[1]));
  const ts_vec3 origin = ts_sub(child->pose.position, ts_quat_rotate(child->pose.orientation, hinge->arm));
  const ts_vec3 from = ts_add(up->pose.position, ts_quat_rotate(up->pose.orientation, hinge->at));
  ts_relative_pose pose = {
      .quat = ts_quat_normalize(ts_quat_product(back, here)), .child = child->pose, .child_angle = child->angle};
  pose.turn = ts_quat_matrix(pose.quat);
  pose.slide = ts_quat_rotate(back, ts_sub(origin, from));
  return pose;
}

// What an angle that counts turns is near to: in the plane what the bodies' angles mean, in space the last one.
static double counted_turn(const ts_tree *tree, const ts_hinge *hinge, const ts_state *state, const placed_body *up,
                           const placed_body *child)
{
  if (!hinge->joint) return 0.0;
  if (ts_has_angle(tree->model->freedoms)) return hinge->side[0].z.z * (child->angle - up->angle - hinge->angle);
  return state->turned[hinge->joint - tree->model->joints];
}

// Motion axes are orthonormal at the joint's origin: rates are the components of the relative twist there. Of one that
// is an angular velocity, what the origin does is not asked.
static void read_rates(const ts_tree_node *node, const ts_hinge *hinge, const placed_body *up, const placed_body *child,
                       double *v)
{
  ts_twist motion[TS_MOST_FREEDOMS];
  hinge->mechanics->axes(hinge, &up->axes, &child->axes, motion);
  const ts_vec3 origin = ts_sub(child->pose.position, ts_mul(&child->axes, hinge->arm));
  const ts_vec3 spin = ts_sub(child->velocity.angular, up->velocity.angular);
  const ts_vec3 drift = ts_sub(ts_twist_at(child->velocity, ts_sub(origin, child->pose.position)),
                               ts_twist_at(up->velocity, ts_sub(origin, up->pose.position)));
  for (int i = 0; i < node->v_count; ++i) {
    const ts_vec3 along = hinge->rate_is_spin ? (ts_vec3){0.0, 0.0, 0.0} : motion[i].linear;
    v[i] = ts_dot(motion[i].angular, spin) + ts_dot(along, drift);
  }
}

void ts_tree_read(const ts_tree *tree, const ts_state *state, double *q, double *v)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    const int parent = node->parent >= 0 ? tree->nodes[node->parent].body : node->base;
    const placed_body up = placed(parent, state), child = placed(node->body, state);
    const ts_hinge *hinge = &tree->hinges[i];
    ts_relative_pose pose = relative_pose_of(hinge, &up, &child);
    pose.near = counted_turn(tree, hinge, state, &up, &child);
    hinge->mechanics->read(&pose, q + node->q);
    read_rates(node, hinge, &up, &child, v + node->v);
  }
}

// Angular velocity in the moving axes: the exponential goes to the right.
static void turn_quaternion(double h, const double *w, double *q)
{
  const ts_quat turn = ts_quat_exp((ts_vec3){h * w[0], h * w[1], h * w[2]});
  ts_put_quaternion(ts_quat_normalize(ts_quat_product((ts_quat){q[0], q[1], q[2], q[3]}, turn)), q);
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
