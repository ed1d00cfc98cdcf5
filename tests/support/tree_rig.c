#include "tree_rig.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

void tree_rig_update(tree_rig *rig)
{
  ts_tree_update(rig->tree, rig->q, rig->v, &rig->l.state, &rig->l.kinematics);
}

void tree_rig_start(tree_rig *rig, const bool *closes_loop)
{
  linkage_start(&rig->l);
  for (int i = 0; closes_loop && i < rig->l.model.joint_count; ++i) rig->l.model.joints[i].closes_loop = closes_loop[i];
  rig->tree = ts_tree_create(&rig->l.model, false, &rig->l.arena);
  rig->n = ts_tree_sizes(rig->tree);
  rig->q = ts_arena_zeros(&rig->l.arena, (size_t)rig->n.q);
  rig->v = ts_arena_zeros(&rig->l.arena, (size_t)rig->n.v);
  ts_tree_read(rig->tree, &rig->l.state, rig->q, rig->v);
  tree_rig_update(rig);
}

void tree_rig_release(tree_rig *rig)
{
  linkage_release(&rig->l);
}

void tree_rig_scatter(tree_rig *rig, ts_random *random)
{
  for (int i = 0; i < rig->n.q; ++i) rig->q[i] = ts_random_uniform(random, -2.0, 2.0);
  for (int i = 0; i < rig->n.v; ++i) rig->v[i] = ts_random_uniform(random, -1.0, 1.0);
  for (int i = 0; i < rig->n.nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(rig->tree, i);
    if (node->q_count == node->v_count) continue;
    const ts_quat turn = random_rotation(random);
    memcpy(rig->q + node->q, &turn, sizeof turn);
  }
  tree_rig_update(rig);
}

static ts_twist random_twist(ts_space space, ts_random *random)
{
  ts_twist twist = {random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
  if (space == TS_SPACE_2D) twist.linear.z = twist.angular.x = twist.angular.y = 0.0;
  return twist;
}

static void make_particle(ts_body *body)
{
  const ts_mat3 none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  body->inertia = body->inverse_inertia = none;
}

static void make_isotropic(ts_body *body, ts_space space)
{
  if (space == TS_SPACE_2D) return;
  body->isotropic = true;
  body->inertia.x.x = body->inertia.y.y = body->inertia.z.z;
  body->inverse_inertia.x.x = body->inverse_inertia.y.y = body->inverse_inertia.z.z;
}

static void random_joint(linkage *l, int from, int to, ts_random *random)
{
  static const ts_joint_kind planar[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  const bool plane = l->model.freedoms->space == TS_SPACE_2D;
  const ts_joint_kind kind =
      plane ? planar[ts_random_below(random, 3)] : (ts_joint_kind)ts_random_below(random, TS_JOINT_COUNT);
  ts_vec3 at = random_in_cube(random, 1.0), axis = random_direction(random);
  if (plane) {
    at.z = 0.0;
    axis = kind == TS_JOINT_PRISMATIC ? ts_normalize((ts_vec3){axis.x, axis.y, 0.0}, (ts_vec3){1.0, 0.0, 0.0})
                                      : (ts_vec3){0.0, 0.0, 1.0};
  }
  const bool reversed = from >= 0 && ts_random_below(random, 2);
  linkage_joint(l, kind, reversed ? to : from, reversed ? from : to, at, axis, NONE);
}

void tree_rig_random(tree_rig *rig, ts_space space, int bodies, int loops, ts_random *random)
{
  linkage *l = &rig->l;
  linkage_init(l, space);
  linkage_random_body(l, TS_KINEMATIC, random);
  for (int i = 1; i <= bodies; ++i) {
    linkage_random_body(l, TS_DYNAMIC, random);
    if (ts_random_below(random, 3) == 0) make_isotropic(&l->model.bodies[i], space);
    if (ts_random_below(random, 12) == 0) make_particle(&l->model.bodies[i]);
    if (ts_random_below(random, 8) > 0) random_joint(l, ts_random_below(random, i + 1) - 1, i, random);
  }
  for (int i = 0; i < loops && bodies > 1; ++i) {
    const int child = 2 + ts_random_below(random, bodies - 1);
    random_joint(l, ts_random_below(random, child + 1) - 1, child, random);
  }
  l->model.bodies[0].velocity = random_twist(space, random);
  tree_rig_start(rig, NULL);
  tree_rig_scatter(rig, random);
}

static void add_columns(const tree_rig *rig, int body, const ts_twist *jacobian, double *row, ts_arena *arena)
{
  const int n = rig->n.v;
  double *linear = ts_arena_doubles(arena, 6 * (size_t)n), *angular = linear + 3 * n;
  ts_tree_point_jacobian(rig->tree, body, rig->l.kinematics.frame[body].origin, linear, angular);
  const double f[6] = {jacobian->linear.x,  jacobian->linear.y,  jacobian->linear.z,
                       jacobian->angular.x, jacobian->angular.y, jacobian->angular.z};
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < n; ++j) row[j] += f[k] * linear[k * n + j];
}

double *tree_rig_row_jacobian(const tree_rig *rig, const ts_tree_row *rows, int count, ts_arena *arena)
{
  const int n = rig->n.v;
  double *J = ts_arena_zeros(arena, (size_t)n * (size_t)count);
  for (int i = 0; i < count; ++i) {
    if (rows[i].rate >= 0) {
      J[i * n + rows[i].rate] = 1.0;
      continue;
    }
    for (int side = 0; side < 2; ++side)
      if (rows[i].row.body[side] >= 0)
        add_columns(rig, rows[i].row.body[side], &rows[i].row.jacobian[side], J + i * n, arena);
  }
  return J;
}

static int random_dynamic_body(const tree_rig *rig, ts_random *random)
{
  return ts_tree_node_at(rig->tree, ts_random_below(random, rig->n.nodes))->body;
}

ts_tree_row tree_rig_random_row(const tree_rig *rig, ts_random *random)
{
  ts_tree_row row = {.rate = -1, .row = {.body = {-1, -1}}};
  if (rig->n.v > 0 && ts_random_below(random, 4) == 0) {
    row.rate = ts_random_below(random, rig->n.v);
    return row;
  }
  const int sides = 1 + ts_random_below(random, 2), first = ts_random_below(random, 2);
  for (int k = 0; k < sides; ++k) {
    const int side = (first + k) % 2;
    row.row.body[side] = random_dynamic_body(rig, random);
    row.row.jacobian[side] = random_twist(rig->l.model.freedoms->space, random);
  }
  return row;
}

void tree_rig_point_rows(const tree_rig *rig, int body, ts_vec3 point, ts_tree_row rows[3])
{
  const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const ts_vec3 arm = ts_sub(point, rig->l.kinematics.frame[body].origin);
  for (int k = 0; k < 3; ++k) {
    rows[k] = (ts_tree_row){.row = {.body = {-1, body}}, .rate = -1};
    rows[k].row.jacobian[1] = (ts_twist){axes[k], ts_cross(arm, axes[k])};
  }
}

void tree_rig_chain(tree_rig *rig, int links)
{
  const double moment = 0.4 * 0.25 * 0.25;
  linkage *l = &rig->l;
  linkage_init(l, TS_SPACE_3D);
  for (int i = 0; i < links; ++i) {
    const ts_pose pose = {{i + 1.0, 0.0, 0.0}, ts_quat_identity()};
    linkage_body(l, TS_DYNAMIC, 1.0, (ts_vec3){moment, moment, moment}, pose, 0.0);
    l->model.bodies[i].isotropic = true;
    linkage_joint(l, TS_JOINT_REVOLUTE, i - 1, i, (ts_vec3){i, 0.0, 0.0}, (ts_vec3){0.0, 1.0, 0.0}, NONE);
  }
  tree_rig_start(rig, NULL);
}

double largest_of(const double *x, int count)
{
  double worst = 0.0;
  for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(x[i]));
  return worst;
}
