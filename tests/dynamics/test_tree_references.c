// Published numbers: the trees of reference-numbers.md 5, and those of RBDL's unit tests.
#include "dynamics/tree.h"

#include "case_file.h"
#include "tree_cases.h"
#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

// A hinge and its body as corrections.md 10 has them: frames at hinges.
typedef struct hinge_frame {
  ts_quat turn;
  ts_vec3 origin;
  ts_twist velocity, acceleration; // linear parts at the origin
} hinge_frame;

// How a joint moves its body against the parent: coordinates, rates and their derivatives along world axes.
typedef struct joint_motion {
  ts_quat turn;
  ts_vec3 way; // in the parent
  ts_twist rate, rise;
} joint_motion;

static joint_motion motion_of(const tree_case_body *body, const hinge_frame *up, const double *q, const double *v,
                              const double *a)
{
  const ts_vec3 axis = ts_quat_rotate(up->turn, body->axis);
  joint_motion m = {.turn = ts_quat_identity()};
  switch (body->joint) {
  case CASE_REVOLUTE:
    m.turn = ts_quat_exp(ts_scale(q[0], body->axis));
    m.rate.angular = ts_scale(v[0], axis);
    m.rise.angular = ts_scale(a[0], axis);
    break;
  case CASE_PRISMATIC:
    m.way = ts_scale(q[0], body->axis);
    m.rate.linear = ts_scale(v[0], axis);
    m.rise.linear = ts_scale(a[0], axis);
    break;
  case CASE_SPHERICAL:
  case CASE_FREE: {
    m.turn = (ts_quat){q[0], q[1], q[2], q[3]};
    const ts_quat turn = ts_quat_product(up->turn, m.turn);
    m.rate.angular = ts_quat_rotate(turn, (ts_vec3){v[0], v[1], v[2]});
    m.rise.angular = ts_quat_rotate(turn, (ts_vec3){a[0], a[1], a[2]});
    if (body->joint == CASE_SPHERICAL) break;
    m.way = (ts_vec3){q[4], q[5], q[6]};
    m.rate.linear = ts_quat_rotate(up->turn, (ts_vec3){v[3], v[4], v[5]});
    m.rise.linear = ts_quat_rotate(up->turn, (ts_vec3){a[3], a[4], a[5]});
    break;
  }
  }
  return m;
}

// corrections.md 10.1, with the derivatives of the rates.
static hinge_frame follow(const tree_case_body *body, const hinge_frame *up, const joint_motion *m)
{
  hinge_frame f = {.turn = ts_quat_product(up->turn, m->turn)};
  const ts_vec3 l = ts_quat_rotate(up->turn, ts_add(body->offset, m->way)), w = up->velocity.angular;
  f.origin = ts_add(up->origin, l);
  f.velocity.angular = ts_add(w, m->rate.angular);
  f.velocity.linear = ts_add(ts_twist_at(up->velocity, l), m->rate.linear);
  f.acceleration.angular = ts_add(ts_add(up->acceleration.angular, m->rise.angular), ts_cross(w, m->rate.angular));
  f.acceleration.linear = ts_add(ts_twist_at(up->acceleration, l), m->rise.linear);
  f.acceleration.linear = ts_add(f.acceleration.linear, ts_cross(w, ts_cross(w, l)));
  f.acceleration.linear = ts_add_scaled(f.acceleration.linear, 2.0, ts_cross(w, m->rate.linear));
  return f;
}

// Numbers of coordinates and rates of a joint
static int q_count_of(tree_case_joint joint)
{
  return joint == CASE_FREE ? 7 : joint == CASE_SPHERICAL ? 4 : 1;
}

static int v_count_of(tree_case_joint joint)
{
  return joint == CASE_FREE ? 6 : joint == CASE_SPHERICAL ? 3 : 1;
}

static void follow_all(const tree_case *c, const double *q, hinge_frame *frames)
{
  const hinge_frame world = {.turn = ts_quat_identity()};
  const double *v = c->v, *a = c->qdd;
  for (int i = 0; i < c->bodies; ++i) {
    const hinge_frame *up = c->body[i].parent < 0 ? &world : &frames[c->body[i].parent];
    const joint_motion m = motion_of(&c->body[i], up, q, v, a);
    frames[i] = follow(&c->body[i], up, &m);
    q += q_count_of(c->body[i].joint);
    v += v_count_of(c->body[i].joint);
    a += v_count_of(c->body[i].joint);
  }
}

static ts_mat3 inverse_of(const ts_mat3 *A)
{
  const ts_vec3 yz = ts_cross(A->y, A->z), zx = ts_cross(A->z, A->x), xy = ts_cross(A->x, A->y);
  const double s = 1.0 / ts_dot(A->x, yz);
  const ts_mat3 rows = {ts_scale(s, yz), ts_scale(s, zx), ts_scale(s, xy)};
  return ts_mat3_transpose(&rows);
}

// The linkage at coordinate 0, then at the case's poses and twists. A free joint needs none here.
static void build_case(const tree_case *c, const hinge_frame *frames, tree_rig *rig)
{
  static const ts_joint_kind kinds[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_SPHERICAL};
  ts_vec3 start[TREE_CASE_BODIES];
  linkage *l = &rig->l;
  linkage_init(l, TS_SPACE_3D);
  for (int i = 0; i < c->bodies; ++i) {
    const tree_case_body *b = &c->body[i];
    start[i] = ts_add(b->parent < 0 ? NONE : start[b->parent], b->offset);
    const ts_pose pose = {ts_add(start[i], b->centre), ts_quat_identity()};
    linkage_body(l, TS_DYNAMIC, b->mass, (ts_vec3){1.0, 1.0, 1.0}, pose, 0.0);
    l->model.bodies[i].inertia = b->inertia;
    l->model.bodies[i].inverse_inertia = inverse_of(&b->inertia);
    if (b->joint == CASE_SPHERICAL)
      linkage_joint(l, TS_JOINT_SPHERICAL, b->parent, i, start[i], Z, X); // frames along the bodies' axes
    else if (b->joint != CASE_FREE)
      linkage_joint(l, kinds[b->joint], b->parent, i, start[i], b->axis, NONE);
  }
  tree_rig_start(rig, NULL);
  for (int i = 0; i < c->bodies; ++i) {
    const ts_vec3 arm = ts_quat_rotate(frames[i].turn, c->body[i].centre);
    l->state.pose[i] = (ts_pose){ts_add(frames[i].origin, arm), frames[i].turn};
    l->state.velocity[i] = (ts_twist){ts_twist_at(frames[i].velocity, arm), frames[i].velocity.angular};
  }
  ts_tree_read(rig->tree, &l->state, rig->q, rig->v);
  tree_rig_update(rig);
}

static void push(const tree_rig *rig, int body, ts_vec3 at, ts_vec3 force, ts_vec3 moment, ts_wrench *f)
{
  if (body < 0) return;
  const ts_vec3 arm = ts_sub(at, rig->l.state.pose[body].position);
  f[body].force = ts_add(f[body].force, force);
  f[body].moment = ts_add(f[body].moment, ts_add(moment, ts_cross(arm, force)));
}

// Gravity, forces of joints that are in the tree, and those of free joints on both bodies: moments along the child's
// axes, forces along the parent's, at the child's hinge.
static void load_case(const tree_case *c, const hinge_frame *frames, const tree_rig *rig, ts_wrench *f, double *force)
{
  const double *tau = c->tau;
  memset(force, 0, (size_t)rig->n.v * sizeof *force);
  for (int i = 0; i < c->bodies; ++i) f[i] = (ts_wrench){{0.0, 0.0, -9.81 * c->body[i].mass}, NONE};
  for (int i = 0; i < c->bodies; ++i) {
    const tree_case_body *b = &c->body[i];
    if (b->joint == CASE_FREE) {
      const ts_quat up = b->parent < 0 ? ts_quat_identity() : frames[b->parent].turn;
      const ts_vec3 N = ts_quat_rotate(frames[i].turn, (ts_vec3){tau[0], tau[1], tau[2]});
      const ts_vec3 F = ts_quat_rotate(up, (ts_vec3){tau[3], tau[4], tau[5]});
      push(rig, i, frames[i].origin, F, N, f);
      push(rig, b->parent, frames[i].origin, ts_negate(F), ts_negate(N), f);
    } else {
      const ts_tree_node *node = ts_tree_node_at(rig->tree, ts_tree_node_of_body(rig->tree, i));
      memcpy(force + node->v, tau, (size_t)node->v_count * sizeof *tau);
    }
    tau += v_count_of(b->joint);
  }
}

static void check_accelerations(const tree_case *c, const hinge_frame *frames, tree_rig *rig)
{
  ts_wrench f[TREE_CASE_BODIES];
  double force[TREE_CASE_RATES], a[TREE_CASE_RATES];
  ts_twist bodies[TREE_CASE_BODIES];
  load_case(c, frames, rig, f, force);
  assert_true(ts_tree_factor(rig->tree, NULL, NULL));
  ts_tree_accelerate(rig->tree, f, force, NULL, a);
  ts_tree_body_accelerations(rig->tree, NULL, a, bodies);
  const double tolerance = 1e-9 * fmax(1.0, largest_of(c->qdd, c->v_count));
  const double *qdd = c->qdd;
  for (int i = 0; i < c->bodies; ++i) {
    const ts_vec3 arm = ts_quat_rotate(frames[i].turn, ts_negate(c->body[i].centre));
    const ts_vec3 w = frames[i].velocity.angular;
    assert_vec_near(bodies[i].angular, frames[i].acceleration.angular, tolerance);
    assert_vec_near(ts_add(ts_twist_at(bodies[i], arm), ts_cross(w, ts_cross(w, arm))), frames[i].acceleration.linear,
                    tolerance);
    const ts_tree_node *node = ts_tree_node_at(rig->tree, ts_tree_node_of_body(rig->tree, i));
    for (int k = 0; k < node->v_count && node->joint >= 0; ++k) assert_near(a[node->v + k], qdd[k], tolerance);
    qdd += v_count_of(c->body[i].joint);
  }
}

static void check_compliance(const tree_case *c, const hinge_frame *frames, tree_rig *rig)
{
  ts_tree_row rows[TREE_CASE_ROWS];
  double W[TREE_CASE_ROWS * TREE_CASE_ROWS];
  const ts_vec3 axes[3] = {X, Y, Z};
  for (int i = 0; i < TREE_CASE_NODES; ++i) {
    const int body = c->node_body[i];
    const ts_vec3 point = ts_add(frames[body].origin, ts_quat_rotate(frames[body].turn, c->node_offset[i]));
    for (int k = 0; k < 3; ++k) rows[6 * i + k] = (ts_tree_row){{{body, -1}, {{NONE, axes[k]}, {NONE, NONE}}}, -1};
    tree_rig_point_rows(rig, body, point, rows + 6 * i + 3);
  }
  ts_tree_compliance(rig->tree, rows, TREE_CASE_ROWS, W, &rig->l.arena);
  const double scale = largest_of(c->compliance, TREE_CASE_ROWS * TREE_CASE_ROWS);
  for (int i = 0; i < TREE_CASE_ROWS * TREE_CASE_ROWS; ++i) assert_near(W[i], c->compliance[i], 1e-11 * scale);
}

static double potential_of(const tree_case *c, const tree_rig *rig)
{
  double energy = 0.0;
  for (int i = 0; i < c->bodies; ++i) energy += 9.81 * c->body[i].mass * rig->l.state.pose[i].position.z;
  return energy;
}

static void reference_trees_are_met(void **state)
{
  (void)state;
  FILE *file = case_file_open(TEST_DATA "/tree_cases.txt");
  assert_non_null(file);
  int count = 0;
  for (tree_case c; tree_cases_next(file, &c); ++count) {
    hinge_frame frames[TREE_CASE_BODIES];
    tree_rig rig;
    follow_all(&c, c.q, frames);
    build_case(&c, frames, &rig);
    for (int i = 0; i < c.bodies; ++i) {
      const ts_vec3 back = ts_quat_rotate(rig.l.state.pose[i].orientation, c.body[i].centre);
      assert_vec_near(ts_sub(rig.l.state.pose[i].position, back), c.hinge[i], 1e-12);
    }
    assert_near(ts_tree_kinetic_energy(rig.tree, rig.v) + potential_of(&c, &rig), c.energy,
                1e-10 * fmax(1.0, fabs(c.energy)));
    check_accelerations(&c, frames, &rig);
    check_compliance(&c, frames, &rig);
    tree_rig_release(&rig);
  }
  fclose(file);
  assert_int_equal(count, 8);
}

// RBDL: bodies as (mass, centre of mass, moments), frames at hinges, along the world's axes at coordinate 0.
typedef struct rbdl_body {
  int parent;
  ts_joint_kind kind;
  ts_vec3 hinge, axis; // in the world at coordinate 0
  double mass;
  ts_vec3 centre, moments;
} rbdl_body;

static void build_rbdl(const rbdl_body *bodies, int count, tree_rig *rig)
{
  linkage_init(&rig->l, TS_SPACE_3D);
  for (int i = 0; i < count; ++i) {
    const ts_pose pose = {ts_add(bodies[i].hinge, bodies[i].centre), ts_quat_identity()};
    linkage_body(&rig->l, TS_DYNAMIC, bodies[i].mass, bodies[i].moments, pose, 0.0);
    linkage_joint(&rig->l, bodies[i].kind, bodies[i].parent, i, bodies[i].hinge, bodies[i].axis, NONE);
  }
  tree_rig_start(rig, NULL);
}

static void expect_rbdl(const rbdl_body *bodies, int count, const double *q, const double *tau, const double *qdd)
{
  tree_rig rig;
  ts_wrench f[16];
  double a[16];
  build_rbdl(bodies, count, &rig);
  for (int i = 0; i < count; ++i) f[i] = (ts_wrench){{0.0, -9.81 * bodies[i].mass, 0.0}, NONE};
  if (q) memcpy(rig.q, q, (size_t)count * sizeof *q);
  tree_rig_update(&rig);
  assert_int_equal(rig.n.v, count);
  assert_true(ts_tree_factor(rig.tree, NULL, NULL));
  ts_tree_accelerate(rig.tree, f, tau, NULL, a);
  for (int i = 0; i < count; ++i) { // bodies of a tree are not in the order of its nodes
    const ts_tree_node *node = ts_tree_node_at(rig.tree, ts_tree_node_of_body(rig.tree, i));
    assert_near(a[node->v], qdd[i], 1e-12);
  }
  tree_rig_release(&rig);
}

#define ONES                                                                                                           \
  {                                                                                                                    \
    1.0, 1.0, 1.0                                                                                                      \
  }
#define REVOLUTE TS_JOINT_REVOLUTE

static void rbdl_hinges_are_met(void **state)
{
  (void)state;
  const rbdl_body one[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES}};
  expect_rbdl(one, 1, NULL, NULL, (double[]){-4.905});
  const rbdl_body two[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 1.0, {1.5, 1, 1}, {1, 2, 3}}};
  expect_rbdl(two, 1, NULL, NULL, (double[]){-2.3544});
  const rbdl_body row[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES},
                           {0, REVOLUTE, {1, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES},
                           {1, REVOLUTE, {2, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES}};
  expect_rbdl(row, 2, NULL, NULL, (double[]){-5.886, 3.924});
  // Given to 15 digits, and exact as fractions: -9.81 times 40/65, -25/65, -10/65.
  expect_rbdl(row, 3, NULL, NULL, (double[]){-9.81 * 8.0 / 13.0, 9.81 * 5.0 / 13.0, 9.81 * 2.0 / 13.0});
  expect_rbdl(row, 3, NULL, NULL, (double[]){-6.03692307692308, 3.77307692307692, 1.50923076923077});
  const rbdl_body bent[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES},
                            {0, REVOLUTE, {1, 0, 0}, {0, 1, 0}, 1.0, {0, 1, 0}, ONES}};
  expect_rbdl(bent, 2, NULL, NULL, (double[]){-3.924, 0.0});
}

static void rbdl_trees_are_met(void **state)
{
  (void)state;
  const rbdl_body tree[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES},
                            {0, REVOLUTE, {1, 0, 0}, {0, 1, 0}, 1.0, {0, 1, 0}, ONES},
                            {1, REVOLUTE, {1, 1, 0}, {1, 0, 0}, 1.0, {0, 0, 1}, ONES},
                            {0, REVOLUTE, {-0.5, 0, 0}, {0, 1, 0}, 1.0, {0, 1, 0}, ONES},
                            {3, REVOLUTE, {-0.5, -0.5, 0}, {1, 0, 0}, 1.0, {0, 0, 1}, ONES}};
  expect_rbdl(tree, 5, NULL, NULL,
              (double[]){-1.60319066147860, -0.534396887159533, 4.10340466926070, 0.267198443579767, 5.30579766536965});
  // Three hinges at one point, of which only the last has a body with mass
  const rbdl_body wrist[] = {{-1, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 0.0, {0, 0, 0}, {0, 0, 0}},
                             {0, REVOLUTE, {0, 0, 0}, {0, 1, 0}, 0.0, {0, 0, 0}, {0, 0, 0}},
                             {1, REVOLUTE, {0, 0, 0}, {1, 0, 0}, 1.0, {0, 0.5, 0}, ONES}};
  expect_rbdl(wrist, 3, (double[]){1.0, 0.0, 0.0}, NULL, (double[]){3.301932144386186, 0.0, 0.0});
}

// Three slides and three hinges at the origin, z before y before x; the last carries the body.
#define FLOATING(mass, centre)                                                                                         \
  {-1, TS_JOINT_PRISMATIC, {0, 0, 0}, {1, 0, 0}, 0.0, {0, 0, 0}, {0, 0, 0}},                                           \
      {0, TS_JOINT_PRISMATIC, {0, 0, 0}, {0, 1, 0}, 0.0, {0, 0, 0}, {0, 0, 0}},                                        \
      {1, TS_JOINT_PRISMATIC, {0, 0, 0}, {0, 0, 1}, 0.0, {0, 0, 0}, {0, 0, 0}},                                        \
      {2, REVOLUTE, {0, 0, 0}, {0, 0, 1}, 0.0, {0, 0, 0}, {0, 0, 0}},                                                  \
      {3, REVOLUTE, {0, 0, 0}, {0, 1, 0}, 0.0, {0, 0, 0}, {0, 0, 0}},                                                  \
  {                                                                                                                    \
    4, REVOLUTE, {0, 0, 0}, {1, 0, 0}, mass, centre, ONES                                                              \
  }
#define AT(...)                                                                                                        \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }

static void rbdl_floating_bases_are_met(void **state)
{
  (void)state;
  const rbdl_body arm[] = {FLOATING(1.0, AT(1, 0, 0)), {5, REVOLUTE, {2, 0, 0}, {0, 0, 1}, 1.0, {1, 0, 0}, ONES}};
  expect_rbdl(arm, 7, NULL, NULL, (double[]){0, -9.81, 0, 0, 0, 0, 0});
  expect_rbdl(arm, 7, NULL, (double[]){0, 0, 0, 0, 0, 0, 1.0}, (double[]){0, -8.81, 0, -1, 0, 0, 2});
  const rbdl_body body[] = {FLOATING(1.0, AT(0, 1, 0))};
  const double q[] = {0.1, 1.1, 1.2, 1.3, 1.5, 1.7}, none[6] = {0.0};
  tree_rig rig;
  ts_twist a[6];
  build_rbdl(body, 6, &rig);
  memcpy(rig.q, q, sizeof q);
  memcpy(rig.v, q, sizeof q);
  tree_rig_update(&rig);
  ts_tree_body_accelerations(rig.tree, NULL, none, a);
  const ts_vec3 arm_in_body = ts_sub((ts_vec3){-1.9, -1.8, 0.0}, (ts_vec3){0.0, 1.0, 0.0});
  const ts_vec3 r = ts_quat_rotate(rig.l.state.pose[5].orientation, arm_in_body), w = rig.l.state.velocity[5].angular;
  assert_vec_near(ts_add(rig.l.state.pose[5].position, r),
                  (ts_vec3){-0.6357089363622626, -0.6831041744630977, 2.968974805916970}, 1e-12);
  assert_vec_near(ts_twist_at(rig.l.state.velocity[5], r),
                  (ts_vec3){0.3091226260907569, 3.891012095550828, 4.100277995030419}, 1e-12);
  assert_vec_near(ts_add(ts_twist_at(a[5], r), ts_cross(w, ts_cross(w, r))),
                  (ts_vec3){-5.302760158847160, 6.541369639625232, -4.795115077652286}, 1e-12);
  tree_rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_trees_are_met),
      cmocka_unit_test(rbdl_hinges_are_met),
      cmocka_unit_test(rbdl_trees_are_met),
      cmocka_unit_test(rbdl_floating_bases_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
