// Kinematics, base to tips (ERRATA II C1, at centres of mass). With p from the parent's centre of mass to the child's
// side of the joint, r from there to the child's centre of mass, s the relative angular velocity and d the relative
// velocity of sliding:
//   w_k = w_p + s                     v_k = v_p + w_p x p + d + w_k x r
// and at constant rates, differentiated once more (axes that turn are fixed in the parent, but for those of a universal
// joint: the second is fixed in the child, which adds their cross product; axes that slide are fixed in the parent),
//   a_w = w_p x s (+ s_1 x s_2)       a_v = w_p x (w_p x p + 2 d) + a_w x r + w_k x (w_k x r).
// Sums of these along the path are the accelerations at constant rates. With them no velocity products are left for the
// sweeps of the articulated-body algorithm: only the forces that they take (ts_sweep.bias_force).
#include "dynamics/tree_inside.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

// One step of Newton's method for 1/|q|: keeps products of unit quaternions at length 1 however long the chain.
TS_INLINE ts_quat unit(ts_quat q)
{
  const double s = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (ts_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

TS_INLINE ts_quat turned_about_z(const ts_hinge *hinge, double angle)
{
  const double half = 0.5 * angle, c = cos(half), s = sin(half);
  const ts_quat *a = &hinge->about_z[0], *b = &hinge->about_z[1];
  return (ts_quat){c * a->w + s * b->w, c * a->x + s * b->x, c * a->y + s * b->y, c * a->z + s * b->z};
}

static ts_quat turned_by(const ts_hinge *hinge, ts_quat turn)
{
  return ts_quat_product(ts_quat_product(hinge->turn[0], turn), hinge->turn[1]);
}

static ts_quat universal_turn(const double *q)
{
  return ts_quat_product(ts_quat_about_z(q[0]), (ts_quat){cos(0.5 * q[1]), sin(0.5 * q[1]), 0.0, 0.0});
}

// Of the child in the parent, along the parent's axes. `present` is the orientation of a particle, which stays.
typedef struct placement {
  ts_quat turn;
  ts_vec3 slide;
} placement;

static placement placement_of(const ts_hinge *hinge, ts_space space, const double *q, ts_quat present)
{
  const ts_mat3 *side = &hinge->side[0];
  switch (hinge->kind) {
  case TS_JOINT_REVOLUTE:
    return (placement){turned_about_z(hinge, q[0]), NONE};
  case TS_JOINT_PRISMATIC:
    return (placement){hinge->about_z[0], ts_scale(q[0], side->z)};
  case TS_JOINT_CYLINDRICAL:
    return (placement){turned_about_z(hinge, q[0]), ts_scale(q[1], side->z)};
  case TS_JOINT_UNIVERSAL:
    return (placement){turned_by(hinge, universal_turn(q)), NONE};
  case TS_JOINT_PLANAR:
    return (placement){turned_about_z(hinge, q[2]), ts_add_scaled(ts_scale(q[0], side->x), q[1], side->y)};
  case TS_JOINT_SPHERICAL:
    return (placement){turned_by(hinge, (ts_quat){q[0], q[1], q[2], q[3]}), NONE};
  case TS_NODE_FREE:
    return (placement){{q[0], q[1], q[2], q[3]}, {q[4], q[5], q[6]}};
  case TS_NODE_FREE_IN_PLANE:
    return (placement){ts_quat_about_z(q[2]), {q[0], q[1], 0.0}};
  case TS_NODE_PARTICLE:
    return (placement){present, {q[0], q[1], space == TS_SPACE_2D ? 0.0 : q[2]}};
  default: // a weld
    return (placement){hinge->about_z[0], NONE};
  }
}

// Plane: the child's angle against the parent's.
static double relative_angle(const ts_hinge *hinge, const double *q, double present)
{
  switch (hinge->kind) {
  case TS_JOINT_REVOLUTE:
    return hinge->angle + hinge->side[0].z.z * q[0];
  case TS_NODE_FREE_IN_PLANE:
    return q[2];
  case TS_NODE_PARTICLE:
    return present;
  default:
    return hinge->angle;
  }
}

static ts_twist turning(ts_vec3 axis)
{
  return (ts_twist){.angular = axis};
}

static ts_twist sliding(ts_vec3 axis)
{
  return (ts_twist){.linear = axis};
}

static int turn_about_axes(const ts_mat3 *axes, ts_twist *motion)
{
  motion[0] = turning(axes->x);
  motion[1] = turning(axes->y);
  motion[2] = turning(axes->z);
  return 3;
}

static int slide_along_world(ts_twist *motion)
{
  motion[0] = sliding((ts_vec3){1.0, 0.0, 0.0});
  motion[1] = sliding((ts_vec3){0.0, 1.0, 0.0});
  motion[2] = sliding((ts_vec3){0.0, 0.0, 1.0});
  return 3;
}

int ts_hinge_axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *axes, ts_twist *motion)
{
  const ts_vec3 z = ts_mul(up, hinge->side[0].z);
  ts_mat3 frame;
  switch (hinge->kind) {
  case TS_JOINT_REVOLUTE:
    motion[0] = turning(z);
    return 1;
  case TS_JOINT_PRISMATIC:
    motion[0] = sliding(z);
    return 1;
  case TS_JOINT_CYLINDRICAL:
    motion[0] = turning(z);
    motion[1] = sliding(z);
    return 2;
  case TS_JOINT_UNIVERSAL:
    motion[0] = turning(z);
    motion[1] = turning(ts_mul(axes, hinge->side[1].x));
    return 2;
  case TS_JOINT_PLANAR:
    motion[0] = sliding(ts_mul(up, hinge->side[0].x));
    motion[1] = sliding(ts_mul(up, hinge->side[0].y));
    motion[2] = turning(z);
    return 3;
  case TS_JOINT_SPHERICAL:
    frame = ts_mat3_product(axes, &hinge->side[1]);
    return turn_about_axes(&frame, motion);
  case TS_NODE_FREE:
    return turn_about_axes(axes, motion) + slide_along_world(motion + 3);
  case TS_NODE_FREE_IN_PLANE:
    slide_along_world(motion);
    motion[2] = turning((ts_vec3){0.0, 0.0, 1.0});
    return 3;
  case TS_NODE_PARTICLE: // in the plane the third is not read
    return slide_along_world(motion);
  default:
    return 0;
  }
}

ts_link ts_link_of_body(int body, const ts_state *state)
{
  ts_link link = {.turn = ts_quat_identity(), .axes = ts_mat3_identity()};
  if (body < 0) return link;
  link.turn = state->pose[body].orientation;
  link.axes = ts_quat_matrix(link.turn);
  link.centre = state->pose[body].position;
  link.velocity = state->velocity[body];
  link.angle = state->angle[body];
  return link;
}

// Pose of a link; returns p. `slide` along the parent's axes.
TS_INLINE ts_vec3 pose_link(const ts_hinge *hinge, const ts_link *up, ts_quat turn, ts_vec3 slide, ts_link *link)
{
  link->turn = unit(ts_quat_product(up->turn, turn));
  link->axes = ts_quat_matrix(link->turn);
  link->arm = ts_mul(&link->axes, hinge->arm);
  const ts_vec3 p = ts_mul(&up->axes, ts_add(hinge->at, slide));
  link->centre = ts_add(ts_add(up->centre, p), link->arm);
  return p;
}

// How a joint moves: s, d and s_1 x s_2 of the head of this file.
typedef struct relative_rates {
  ts_vec3 spin, drift, product;
} relative_rates;

TS_INLINE void move_link(const ts_link *up, ts_vec3 p, const relative_rates *rates, ts_link *link)
{
  const ts_vec3 w_p = up->velocity.angular, w = ts_add(w_p, rates->spin), r = link->arm;
  const ts_vec3 round = ts_cross(w_p, p), swing = ts_cross(w, r);
  const ts_vec3 a_w = ts_add(ts_cross(w_p, rates->spin), rates->product);
  const ts_vec3 a_v =
      ts_add(ts_add(ts_cross(w_p, ts_add_scaled(round, 2.0, rates->drift)), ts_cross(a_w, r)), ts_cross(w, swing));
  link->velocity.angular = w;
  link->velocity.linear = ts_add(ts_add(ts_add(up->velocity.linear, round), rates->drift), swing);
  link->bias.angular = ts_add(up->bias.angular, a_w);
  link->bias.linear = ts_add(ts_twist_at(up->bias, ts_add(p, r)), a_v);
}

static relative_rates rates_along(const ts_hinge *hinge, const ts_twist *motion, int count, const double *v)
{
  relative_rates rates = {NONE, NONE, NONE};
  for (int i = 0; i < count; ++i) {
    rates.spin = ts_add_scaled(rates.spin, v[i], motion[i].angular);
    rates.drift = ts_add_scaled(rates.drift, v[i], motion[i].linear);
  }
  if (hinge->kind == TS_JOINT_UNIVERSAL)
    rates.product = ts_scale(v[0] * v[1], ts_cross(motion[0].angular, motion[1].angular));
  return rates;
}

// A node of any kind: its link and its motion axes at the joint's origin, of which there are `count`.
static void follow_joint(const ts_hinge *hinge, ts_space space, const ts_link *up, int count, const double *q,
                         const double *v, const ts_state *state, ts_link *link, ts_twist *motion)
{
  const placement at = placement_of(hinge, space, q, state->pose[hinge->body].orientation);
  const ts_vec3 p = pose_link(hinge, up, at.turn, at.slide, link);
  ts_hinge_axes(hinge, &up->axes, &link->axes, motion);
  const relative_rates rates = rates_along(hinge, motion, count, v);
  move_link(up, p, &rates, link);
  if (space == TS_SPACE_2D) link->angle = up->angle + relative_angle(hinge, q, state->angle[hinge->body]);
}

TS_INLINE void write_state(const ts_hinge *hinge, ts_space space, const ts_link *link, ts_state *state)
{
  state->pose[hinge->body] = (ts_pose){link->centre, link->turn};
  state->velocity[hinge->body] = link->velocity;
  if (space == TS_SPACE_2D) state->angle[hinge->body] = link->angle;
}

void ts_tree_place(const ts_tree *tree, const double *q, const double *v, ts_state *state)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_node *node = &tree->nodes[i];
    const ts_hinge *hinge = &tree->hinges[i];
    const ts_link up = ts_link_of_body(node->parent >= 0 ? tree->nodes[node->parent].body : node->base, state);
    ts_link link = up;
    ts_twist motion[TS_MOST_FREEDOMS];
    follow_joint(hinge, tree->model->space, &up, node->v_count, q + node->q, v + node->v, state, &link, motion);
    write_state(hinge, tree->model->space, &link, state);
  }
}

// M bias, and the gyroscopic moment.
TS_INLINE ts_wrench bias_force(const ts_hinge *hinge, const ts_link *link, const ts_sym3 *inertia)
{
  ts_vec3 moment = ts_sym3_mul(inertia, link->bias.angular);
  if (!hinge->turns_alike) {
    const ts_vec3 w = link->velocity.angular;
    moment = ts_add(moment, ts_cross(w, ts_sym3_mul(inertia, w)));
  }
  return (ts_wrench){ts_scale(hinge->mass, link->bias.linear), moment};
}

// The two kinds that chains and robots are made of, in a straight line.
TS_INLINE ts_twist follow_revolute(const ts_hinge *hinge, const ts_link *up, double q, double v, ts_link *link)
{
  const ts_vec3 p = pose_link(hinge, up, turned_about_z(hinge, q), NONE, link);
  const ts_vec3 z = ts_mul(&up->axes, hinge->side[0].z);
  const relative_rates rates = {ts_scale(v, z), NONE, NONE};
  move_link(up, p, &rates, link);
  return (ts_twist){ts_cross(z, link->arm), z};
}

TS_INLINE ts_twist follow_prismatic(const ts_hinge *hinge, const ts_link *up, double q, double v, ts_link *link)
{
  const ts_vec3 p = pose_link(hinge, up, hinge->about_z[0], ts_scale(q, hinge->side[0].z), link);
  const ts_vec3 z = ts_mul(&up->axes, hinge->side[0].z);
  const relative_rates rates = {NONE, ts_scale(v, z), NONE};
  move_link(up, p, &rates, link);
  return (ts_twist){z, NONE};
}

static void follow_other(const ts_hinge *hinge, ts_space space, const ts_link *up, int count, const double *q,
                         const double *v, const ts_state *state, ts_link *link, ts_twist *axes)
{
  ts_twist motion[TS_MOST_FREEDOMS];
  follow_joint(hinge, space, up, count, q, v, state, link, motion);
  for (int i = 0; i < count; ++i) axes[i] = ts_twist_shift(motion[i], link->arm);
}

static void update_bases(ts_tree *tree, const ts_state *state, ts_kinematics *kinematics)
{
  const ts_model *model = tree->model;
  for (int i = 0; i < tree->base_count; ++i) tree->links[i] = ts_link_of_body(tree->bases[i], state);
  for (int body = 0; body < model->body_count; ++body)
    if (model->bodies[body].kind != TS_DYNAMIC) {
      kinematics->frame[body] = ts_pose_frame(&state->pose[body]);
      kinematics->inverse_inertia[body] = model->bodies[body].inverse_inertia;
    }
}

TS_INLINE void write_kinematics(const ts_model *model, int body, const ts_link *link, ts_kinematics *kinematics)
{
  const ts_body *b = &model->bodies[body];
  kinematics->frame[body] = (ts_frame){link->centre, link->axes};
  kinematics->inverse_inertia[body] =
      b->isotropic ? b->inverse_inertia : ts_mat3_rotate(&link->axes, &b->inverse_inertia);
}

TS_HOT void ts_tree_update(ts_tree *tree, const double *q, const double *v, ts_state *state, ts_kinematics *kinematics)
{
  const ts_space space = tree->model->space;
  update_bases(tree, state, kinematics);
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_hinge *hinge = &tree->hinges[i];
    const ts_link *up = &tree->links[hinge->up];
    ts_link *link = &tree->links[tree->base_count + i];
    ts_sweep *sweep = &tree->sweep[i];
    ts_twist *axes = &tree->axes[hinge->v];
    const double *qi = q + hinge->q, *vi = v + hinge->v;
    if (hinge->kind == TS_JOINT_REVOLUTE) {
      *axes = follow_revolute(hinge, up, *qi, *vi, link);
      if (space == TS_SPACE_2D) link->angle = up->angle + hinge->angle + hinge->side[0].z.z * *qi;
    } else if (hinge->kind == TS_JOINT_PRISMATIC) {
      *axes = follow_prismatic(hinge, up, *qi, *vi, link);
      if (space == TS_SPACE_2D) link->angle = up->angle + hinge->angle;
    } else {
      follow_other(hinge, space, up, sweep->v_count, qi, vi, state, link, axes);
    }
    sweep->l = ts_sub(link->centre, up->centre);
    if (!hinge->turns_alike) sweep->inertia = ts_sym3_rotate(&link->axes, &hinge->inertia);
    sweep->bias_force = bias_force(hinge, link, &sweep->inertia);
    write_state(hinge, space, link, state);
    write_kinematics(tree->model, hinge->body, link, kinematics);
  }
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
    const ts_vec3 arm = ts_sub(point, ts_tree_link(tree, i)->centre);
    for (int j = tree->sweep[i].v; j < tree->sweep[i].v + tree->sweep[i].v_count; ++j) {
      put_column(linear, columns, j, ts_twist_at(tree->axes[j], arm));
      put_column(angular, columns, j, tree->axes[j].angular);
    }
  }
}
