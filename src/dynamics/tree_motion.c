// Kinematics, base to tips (corrections.md 10.1, at centres of mass). With p from the parent's centre of mass to the
// child's side of the joint, r from there to the child's centre of mass, s the relative angular velocity and d the
// relative velocity of sliding:
//   w_k = w_p + s                     v_k = v_p + w_p x p + d + w_k x r
// and at constant rates, differentiated once more (axes that turn are fixed in the parent, but for those of a universal
// joint: the second is fixed in the child, which adds their cross product; axes that slide are fixed in the parent),
//   a_w = w_p x s (+ s_1 x s_2)       a_v = w_p x (w_p x p + 2 d) + a_w x r + w_k x (w_k x r).
// Sums of these along the path are the accelerations at constant rates. With them no velocity products are left for the
// sweeps of the articulated-body algorithm: only the forces that they take (ts_sweep_node.bias_force).
#include "dynamics/joint/joint_mechanics.h"

#include "math/quad.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

// One step of Newton's method for 1/|q|: keeps products of unit quaternions at length 1 however long the chain.
TS_INLINE ts_wide unit(ts_wide q)
{
  const ts_wide s = q * q;
  return (1.5 - 0.5 * ((s[0] + s[1]) + (s[2] + s[3]))) * q;
}

TS_INLINE ts_wide quaternion_product(ts_wide a, ts_wide b)
{
  const ts_wide i = {-1.0, 1.0, -1.0, 1.0}, j = {-1.0, 1.0, 1.0, -1.0}, k = {-1.0, -1.0, 1.0, 1.0};
  return (a[0] * b + a[1] * (i * __builtin_shufflevector(b, b, 1, 0, 3, 2))) +
         (a[2] * (j * __builtin_shufflevector(b, b, 2, 3, 0, 1)) +
          a[3] * (k * __builtin_shufflevector(b, b, 3, 2, 1, 0)));
}

// Columns of the rotation of a unit quaternion, to the bit those of ts_quat_matrix().
TS_INLINE void axes_of(ts_wide q, ts_wide *axes)
{
  const ts_wide one = {1.0, 1.0, 1.0, 1.0}, u = __builtin_shufflevector(q, ts_wide_zero(), 1, 2, 3, 4);
  const ts_wide twice = u + u, squares = twice * u, mixed = twice * ts_wide_rotated(u); // 2 xx ..; 2 xy, 2 yz, 2 zx
  const ts_wide w = q[0] * __builtin_shufflevector(twice, twice, 2, 0, 1, 3);           // 2 wz, 2 wx, 2 wy
  const ts_wide sum = mixed + w, less = mixed - w;
  const ts_wide below = __builtin_shufflevector(sum, sum, 2, 0, 1, 3);
  const ts_wide diagonal = one - (ts_wide_rotated(squares) + __builtin_shufflevector(squares, squares, 2, 0, 1, 3));
  const ts_wide x = __builtin_shufflevector(diagonal, below, 0, 5, 2, 7);
  const ts_wide y = __builtin_shufflevector(diagonal, below, 0, 1, 6, 7);
  const ts_wide z = __builtin_shufflevector(diagonal, below, 4, 1, 2, 7);
  axes[0] = __builtin_shufflevector(x, less, 0, 1, 6, 3);
  axes[1] = __builtin_shufflevector(y, less, 4, 1, 2, 3);
  axes[2] = __builtin_shufflevector(z, less, 0, 5, 2, 3);
}

TS_INLINE ts_mat3 narrow_axes(const ts_wide *axes)
{
  return (ts_mat3){ts_narrow(axes[0]), ts_narrow(axes[1]), ts_narrow(axes[2])};
}

// The link of a body, or of the world: pose and twist as they are in `state`, no bias.
static void link_of_body(int body, const ts_state *state, ts_link *link)
{
  *link = (ts_link){.turn = {1.0, 0.0, 0.0, 0.0}};
  if (body >= 0) {
    link->turn = ts_wide_quaternion(state->pose[body].orientation);
    link->centre = ts_wide_of(state->pose[body].position);
    link->velocity = ts_spatial_of_twist(state->velocity[body]);
    link->angle = state->angle[body];
  }
  axes_of(link->turn, link->axes);
}

// Pose of a link; returns p. `at` is p along the parent's axes.
TS_INLINE ts_wide pose_link(const ts_hinge *hinge, const ts_link *up, ts_wide turn, ts_vec3 at, ts_link *link)
{
  link->turn = unit(quaternion_product(up->turn, turn));
  axes_of(link->turn, link->axes);
  link->arm = ts_wide_mul(link->axes, hinge->arm);
  const ts_wide p = ts_wide_mul(up->axes, at);
  link->centre = up->centre + p + link->arm;
  return p;
}

// How a joint moves: s, d and s_1 x s_2 of the head of this file.
typedef struct relative_rates {
  ts_wide spin, drift, product;
} relative_rates;

TS_INLINE void move_link(const ts_link *up, ts_wide p, const relative_rates *rates, ts_link *link)
{
  const ts_wide w_p = up->velocity.angular, w = w_p + rates->spin, r = link->arm;
  const ts_wide round = ts_wide_cross(w_p, p), swing = ts_wide_cross(w, r);
  const ts_wide a_w = ts_wide_cross(w_p, rates->spin) + rates->product;
  const ts_wide a_v = ts_wide_cross(w_p, round + 2.0 * rates->drift) + ts_wide_cross(a_w, r) + ts_wide_cross(w, swing);
  link->velocity = (ts_spatial){up->velocity.linear + round + rates->drift + swing, w};
  link->bias.angular = up->bias.angular + a_w;
  link->bias.linear = up->bias.linear + ts_wide_cross(up->bias.angular, p + r) + a_v;
}

TS_INLINE relative_rates rates_along(const ts_hinge *hinge, const ts_twist *motion, int count, const double *v)
{
  relative_rates rates = {ts_wide_zero(), ts_wide_zero(), ts_wide_zero()};
  for (int i = 0; i < count; ++i) {
    rates.spin += v[i] * ts_wide_of(motion[i].angular);
    rates.drift += v[i] * ts_wide_of(motion[i].linear);
  }
  if (hinge->mechanics->second_in_child)
    rates.product = v[0] * v[1] * ts_wide_cross(ts_wide_of(motion[0].angular), ts_wide_of(motion[1].angular));
  return rates;
}

// A node of any kind: its link and its motion axes at the joint's origin, of which there are `count`.
static void follow_joint(const ts_hinge *hinge, bool by_angle, const ts_link *up, int count, const double *q,
                         const double *v, const ts_state *state, ts_link *link, ts_twist *motion)
{
  const ts_joint_mechanics *mechanics = hinge->mechanics;
  ts_placement at = {ts_wide_quaternion(state->pose[hinge->body].orientation), NONE};
  mechanics->place(hinge, q, &at);
  const ts_wide p = pose_link(hinge, up, at.turn, ts_add(hinge->at, at.slide), link);
  if (mechanics->keeps_turn) { // to the bit
    link->turn = at.turn;
    axes_of(link->turn, link->axes);
  }
  const ts_mat3 parent = narrow_axes(up->axes), child = narrow_axes(link->axes);
  mechanics->axes(hinge, &parent, &child, motion);
  const relative_rates rates = rates_along(hinge, motion, count, v);
  move_link(up, p, &rates, link);
  if (by_angle)
    link->angle = up->angle + (mechanics->angle ? mechanics->angle(hinge, q, state->angle[hinge->body]) : hinge->angle);
}

_Static_assert(sizeof(ts_pose) == 7 * sizeof(double) && sizeof(ts_twist) == 6 * sizeof(double) &&
                   sizeof(ts_frame) == 12 * sizeof(double),
               "vectors of three and a quaternion lie behind each other");

// Behind vectors of three that are already there, from two numbers before: the last of them, and one more.
TS_INLINE void write_last(ts_wide before, ts_wide last, double *at)
{
  TS_QUAD(at) = __builtin_shufflevector(before, last, 2, 4, 5, 6);
}

// Four numbers at a time: the fourth of a vector is written over by the next one.
TS_INLINE void write_state(const ts_hinge *hinge, bool by_angle, const ts_link *link, ts_state *state)
{
  double *pose = (double *)&state->pose[hinge->body], *velocity = (double *)&state->velocity[hinge->body];
  TS_QUAD(pose) = link->centre;
  TS_QUAD(pose + 3) = link->turn;
  TS_QUAD(velocity) = link->velocity.linear;
  write_last(link->velocity.linear, link->velocity.angular, velocity + 2);
  if (by_angle) state->angle[hinge->body] = link->angle;
}

TS_INLINE void write_frame(const ts_link *link, ts_frame *frame)
{
  double *at = (double *)frame;
  TS_QUAD(at) = link->centre;
  TS_QUAD(at + 3) = link->axes[0];
  TS_QUAD(at + 6) = link->axes[1];
  write_last(link->axes[1], link->axes[2], at + 8);
}

void ts_tree_place(const ts_tree *tree, const double *q, const double *v, ts_state *state)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    const ts_hinge *hinge = &tree->hinges[i];
    ts_link up, link;
    ts_twist motion[TS_MOST_FREEDOMS];
    link_of_body(node->parent >= 0 ? tree->nodes[node->parent].body : node->base, state, &up);
    follow_joint(hinge, ts_has_angle(tree->model->freedoms), &up, node->v_count, q + node->q, v + node->v, state, &link,
                 motion);
    write_state(hinge, ts_has_angle(tree->model->freedoms), &link, state);
  }
}

// The two kinds that chains and robots are made of, in a straight line.
TS_INLINE ts_spatial follow_revolute(const ts_hinge *hinge, const ts_link *up, double sine, double cosine, double v,
                                     ts_link *link)
{
  const ts_wide p = pose_link(hinge, up, ts_turned_by_half(hinge, sine, cosine), hinge->at, link);
  const ts_wide z = ts_wide_mul(up->axes, hinge->side[0].z);
  const relative_rates rates = {v * z, ts_wide_zero(), ts_wide_zero()};
  move_link(up, p, &rates, link);
  return (ts_spatial){ts_wide_cross(z, link->arm), z};
}

TS_INLINE ts_spatial follow_prismatic(const ts_hinge *hinge, const ts_link *up, double q, double v, ts_link *link)
{
  const ts_wide p = pose_link(hinge, up, hinge->about_z[0], ts_add(hinge->at, ts_scale(q, hinge->side[0].z)), link);
  const ts_wide z = ts_wide_mul(up->axes, hinge->side[0].z);
  const relative_rates rates = {ts_wide_zero(), v * z, ts_wide_zero()};
  move_link(up, p, &rates, link);
  return (ts_spatial){z, ts_wide_zero()};
}

static void follow_other(const ts_hinge *hinge, bool by_angle, const ts_link *up, int count, const double *q,
                         const double *v, const ts_state *state, ts_link *link, ts_spatial *axes)
{
  ts_twist motion[TS_MOST_FREEDOMS];
  follow_joint(hinge, by_angle, up, count, q, v, state, link, motion);
  for (int i = 0; i < count; ++i) axes[i] = ts_carry_twist(ts_spatial_of_twist(motion[i]), link->arm);
}

void ts_tree_place_world(ts_tree *tree)
{
  link_of_body(TS_WORLD, NULL, &tree->links[0]);
}

static void update_bases(ts_tree *tree, const ts_state *state, ts_kinematics *kinematics)
{
  for (int i = 1; i < tree->base_count; ++i) link_of_body(tree->bases[i], state, &tree->links[i]);
  for (int i = 0; i < tree->driven_count; ++i) {
    const int body = tree->driven[i];
    kinematics->frame[body] = ts_pose_frame(&state->pose[body]);
    kinematics->inverse_inertia[body] = tree->model->bodies[body].inverse_inertia;
  }
}

// R I R^T, by columns
TS_INLINE void rotate_inertia(const ts_wide *R, const ts_mat3 *I, ts_wide *rotated)
{
  const ts_wide RI[3] = {ts_wide_mul(R, I->x), ts_wide_mul(R, I->y), ts_wide_mul(R, I->z)};
  for (int j = 0; j < 3; ++j) rotated[j] = R[0][j] * RI[0] + R[1][j] * RI[1] + R[2][j] * RI[2];
}

// M bias and the gyroscopic moment of a body whose inertia is known.
TS_INLINE void write_bias_force(const ts_hinge *hinge, const ts_link *link, ts_sweep_node *sweep)
{
  if (hinge->turns_alike) {
    sweep->bias_force = (ts_spatial){hinge->mass * link->bias.linear, hinge->moments * link->bias.angular};
    return;
  }
  sweep->bias_force = ts_body_momentum(hinge->mass, sweep->inertia, link->bias);
  const ts_wide w = link->velocity.angular;
  sweep->bias_force.angular += ts_wide_cross(w, ts_wide_mul(sweep->inertia, ts_narrow(w)));
}

// Inertia in world axes and the force it takes, and what the rest of the library wants to know. Returns twice the
// kinetic energy, to be summed over lanes.
TS_INLINE ts_wide write_inertias(const ts_hinge *hinge, const ts_body *body, const ts_link *link, ts_sweep_node *sweep,
                                 ts_mat3 *inverse)
{
  const ts_wide v = link->velocity.linear, w = link->velocity.angular;
  if (hinge->turns_alike) {
    *inverse = body->inverse_inertia;
    write_bias_force(hinge, link, sweep);
    return hinge->mass * (v * v) + hinge->moments * (w * w);
  }
  ts_wide rotated[3];
  rotate_inertia(link->axes, &body->inertia, sweep->inertia);
  rotate_inertia(link->axes, &body->inverse_inertia, rotated);
  *inverse = narrow_axes(rotated);
  write_bias_force(hinge, link, sweep);
  return hinge->mass * (v * v) + w * ts_wide_mul(sweep->inertia, ts_narrow(w));
}

TS_HOT void ts_tree_update(ts_tree *tree, const double *q, const double *v, ts_state *state, ts_kinematics *kinematics)
{
  const bool by_angle = ts_has_angle(tree->model->freedoms);
  ts_wide moving = ts_wide_zero(), falling = ts_wide_zero();
  update_bases(tree, state, kinematics);
  ts_sincos(tree->sizes.q, 0.5, q, tree->sine, tree->cosine); // of all coordinates: asking which are angles costs more
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_hinge *hinge = &tree->hinges[i];
    const ts_link *up = &tree->links[hinge->up];
    ts_link *link = &tree->links[tree->base_count + i];
    ts_sweep_node *sweep = &tree->sweep[i];
    ts_spatial *axes = &tree->axes[hinge->v];
    const double *qi = q + hinge->q, *vi = v + hinge->v;
    if (hinge->fast_path == TS_FAST_PATH_TURN) {
      *axes = follow_revolute(hinge, up, tree->sine[hinge->q], tree->cosine[hinge->q], *vi, link);
      if (by_angle) link->angle = up->angle + ts_turned_angle(hinge, *qi);
    } else if (hinge->fast_path == TS_FAST_PATH_SLIDE) {
      *axes = follow_prismatic(hinge, up, *qi, *vi, link);
      if (by_angle) link->angle = up->angle + hinge->angle;
    } else {
      follow_other(hinge, by_angle, up, sweep->v_count, qi, vi, state, link, axes);
    }
    sweep->l = link->centre - up->centre;
    falling += hinge->weight * link->centre;
    moving += write_inertias(hinge, &tree->model->bodies[hinge->body], link, sweep,
                             &kinematics->inverse_inertia[hinge->body]);
    write_state(hinge, by_angle, link, state);
    write_frame(link, &kinematics->frame[hinge->body]);
  }
  tree->energy = (ts_tree_energy){0.5 * ts_wide_sum(moving), -ts_wide_sum(falling)};
}

ts_tree_energy ts_tree_present_energy(const ts_tree *tree)
{
  return tree->energy;
}

// The axes are kept at centres of mass: what they do to the joint's origin is sliding.
TS_INLINE relative_rates rates_at_origin(const ts_hinge *hinge, const ts_spatial *axes, int count, ts_wide arm,
                                         const double *v)
{
  relative_rates rates = {ts_wide_zero(), ts_wide_zero(), ts_wide_zero()};
  for (int i = 0; i < count; ++i) {
    rates.spin += v[i] * axes[i].angular;
    rates.drift += v[i] * (axes[i].linear - ts_wide_cross(axes[i].angular, arm));
  }
  if (hinge->mechanics->second_in_child) rates.product = v[0] * v[1] * ts_wide_cross(axes[0].angular, axes[1].angular);
  return rates;
}

TS_HOT void ts_tree_take_products(ts_tree *tree, const double *v)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_hinge *hinge = &tree->hinges[i];
    ts_link *link = &tree->links[tree->base_count + i];
    ts_sweep_node *sweep = &tree->sweep[i];
    const ts_spatial *axes = &tree->axes[hinge->v];
    const double *vi = v + hinge->v;
    relative_rates rates = {ts_wide_zero(), ts_wide_zero(), ts_wide_zero()};
    if (hinge->fast_path == TS_FAST_PATH_TURN)
      rates.spin = *vi * axes->angular;
    else
      rates = rates_at_origin(hinge, axes, sweep->v_count, link->arm, vi);
    move_link(&tree->links[hinge->up], sweep->l - link->arm, &rates, link);
    write_bias_force(hinge, link, sweep);
  }
}

// One freedom against something at rest has no velocity products of its own.
static bool has_no_products(const ts_tree *tree, const ts_tree_node *node)
{
  if (node->parent >= 0 || (node->base >= 0 && tree->model->bodies[node->base].kind == TS_KINEMATIC)) return false;
  if (node->joint >= 0) return node->v_count <= 1;
  return node->kind != TS_NODE_FREE || tree->hinges[node - tree->nodes].turns_alike;
}

bool ts_tree_has_products(const ts_tree *tree)
{
  for (int i = 0; i < tree->sizes.nodes; ++i)
    if (!has_no_products(tree, &tree->nodes[i])) return true;
  return false;
}

// Column j of a 3 x v matrix by rows, or nothing where it is not wanted.
static void put_column(double *matrix, int columns, int j, ts_vec3 a)
{
  if (!matrix) return;
  matrix[j] = a.x;
  matrix[columns + j] = a.y;
  matrix[2 * columns + j] = a.z;
}

void ts_tree_point_jacobian(const ts_tree *tree, int body, ts_vec3 point, double *linear, double *angular)
{
  const int columns = tree->sizes.v;
  for (int j = 0; j < columns; ++j) {
    put_column(linear, columns, j, NONE);
    put_column(angular, columns, j, NONE);
  }
  for (int i = tree->node_of_body[body]; i >= 0; i = tree->sweep[i].parent) {
    const ts_vec3 arm = ts_sub(point, ts_narrow(ts_tree_link(tree, i)->centre));
    for (int j = tree->sweep[i].v; j < tree->sweep[i].v + tree->sweep[i].v_count; ++j) {
      const ts_twist S = ts_twist_of_spatial(tree->axes[j]);
      put_column(linear, columns, j, ts_twist_at(S, arm));
      put_column(angular, columns, j, S.angular);
    }
  }
}
