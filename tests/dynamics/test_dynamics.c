// Dynamics in minimal coordinates as users call them: identities between M, b, J, inverse and forward dynamics on
// random trees with all kinds of joints, finite differences of poses, energy, published numbers, loops, and what is
// refused.
#include "touchstone/dynamics.h"

#include "case_file.h"
#include "counting_allocator.h"
#include "linkage.h"
#include "mechanism.h"
#include "random_mechanism.h"
#include "tree_cases.h"

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_BODIES = 16, MOST_RATES = 6 * MOST_BODIES, MOST_COORDINATES = 7 * MOST_BODIES };

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// ---- random trees --------------------------------------------------------------------------------------------------

typedef struct subject {
  ts_model *model;
  ts_dynamics *dynamics;
  int bodies, q_count, v_count;
} subject;

static subject start(ts_model *model)
{
  ts_error error;
  subject s = {.model = model, .bodies = ts_model_body_count(model)};
  accept(ts_dynamics_create(model, NULL, &s.dynamics, &error), &error);
  s.q_count = ts_dynamics_coordinate_count(s.dynamics);
  s.v_count = ts_dynamics_rate_count(s.dynamics);
  assert_true(s.bodies <= MOST_BODIES);
  return s;
}

static subject start_random(int round, ts_random *random)
{
  const ts_space space = round % 4 ? TS_SPACE_3D : TS_SPACE_2D;
  subject s = start(random_mechanism(space, 1 + ts_random_below(random, 10), 0, ts_random_bits(random)));
  random_configuration(s.dynamics, random);
  return s;
}

static void finish(subject *s)
{
  ts_dynamics_destroy(s->dynamics);
  ts_model_destroy(s->model);
}

static void random_numbers(double *x, int count, ts_random *random)
{
  for (int i = 0; i < count; ++i) x[i] = ts_random_uniform(random, -2.0, 2.0);
}

static void random_wrenches(const subject *s, ts_wrench *w, ts_random *random)
{
  for (int b = 0; b < s->bodies; ++b) {
    w[b] = (ts_wrench){random_in_cube(random, 2.0), random_in_cube(random, 2.0)};
    if (ts_model_space(s->model) == TS_SPACE_2D) w[b].force.z = w[b].moment.x = w[b].moment.y = 0.0;
  }
}

static double largest(const double *x, int count)
{
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// A number that is none is the worst.
static double worse(double worst, double error)
{
  return error <= worst ? worst : isnan(error) ? INFINITY : error;
}

static double *components(ts_twist *twist)
{
  return (double *)twist;
}

static ts_point_motion point(const subject *s, int body, ts_vec3 at, double *J)
{
  ts_point_motion motion;
  ts_error error;
  accept(ts_dynamics_point(s->dynamics, body, at, J, &motion, &error), &error);
  return motion;
}

// f -= J^T w of all bodies
static void take_wrenches(const subject *s, const ts_wrench *w, double *f)
{
  double J[6 * MOST_RATES];
  for (int b = 0; b < s->bodies; ++b) {
    point(s, b, ts_model_body_centre(s->model, b), J);
    const double load[6] = {w[b].force.x, w[b].force.y, w[b].force.z, w[b].moment.x, w[b].moment.y, w[b].moment.z};
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < s->v_count; ++j) f[j] -= J[k * s->v_count + j] * load[k];
  }
}

// Recursive Newton-Euler has nothing in common with composite bodies and Jacobians.
static void inverse_dynamics_are_those_of_the_mass_matrix(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 81);
  double worst = 0.0;
  for (int round = 0; round < 300; ++round) {
    subject s = start_random(round, &random);
    const int n = s.v_count;
    static double M[MOST_RATES * MOST_RATES];
    double a[MOST_RATES], f[MOST_RATES], expected[MOST_RATES];
    ts_wrench w[MOST_BODIES];
    ts_error error;
    random_numbers(a, n, &random);
    random_wrenches(&s, w, &random);
    accept(ts_dynamics_inverse(s.dynamics, a, w, f, &error), &error);
    ts_dynamics_mass_matrix(s.dynamics, M);
    ts_dynamics_bias(s.dynamics, expected);
    take_wrenches(&s, w, expected);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) expected[i] += M[i * n + j] * a[j];
    for (int i = 0; i < n; ++i) worst = worse(worst, fabs(f[i] - expected[i]) / (1.0 + largest(f, n)));
    finish(&s);
  }
  print_message("inverse dynamics against M a + b - J^T w: %.1e\n", worst);
  assert_true(worst < 1e-12);
}

static void forward_dynamics_undo_inverse_ones(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 82);
  double worst = 0.0;
  for (int round = 0; round < 300; ++round) {
    subject s = start_random(round, &random);
    double a[MOST_RATES], f[MOST_RATES], back[MOST_RATES];
    ts_wrench w[MOST_BODIES];
    ts_error error;
    random_numbers(a, s.v_count, &random);
    random_wrenches(&s, w, &random);
    accept(ts_dynamics_inverse(s.dynamics, a, w, f, &error), &error);
    accept(ts_dynamics_forward(s.dynamics, f, w, back, &error), &error);
    for (int i = 0; i < s.v_count; ++i) worst = worse(worst, fabs(back[i] - a[i]) / (1.0 + largest(a, s.v_count)));
    finish(&s);
  }
  print_message("forward after inverse dynamics: %.1e\n", worst);
  assert_true(worst < 1e-11);
}

// 1/2 v.M v against 1/2 m c'^2 + 1/2 w.I w of the bodies, the base at rest; and M is symmetric.
static void mass_matrices_hold_the_kinetic_energy(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 83);
  for (int round = 0; round < 100; ++round) {
    subject s = start_random(round, &random);
    const int n = s.v_count;
    static double M[MOST_RATES * MOST_RATES];
    double bodies = 0.0, rates = 0.0, J[6 * MOST_RATES], I[6];
    const double *v = ts_dynamics_rates(s.dynamics);
    ts_dynamics_mass_matrix(s.dynamics, M);
    for (int b = 0; b < s.bodies; ++b) {
      if (ts_model_body_kind(s.model, b) != TS_DYNAMIC) continue;
      point(&s, b, ts_model_body_centre(s.model, b), J);
      double V[6] = {0.0};
      for (int k = 0; k < 6; ++k)
        for (int j = 0; j < n; ++j) V[k] += J[k * n + j] * v[j];
      const ts_quat turn = ts_dynamics_pose(s.dynamics, b).orientation;
      const ts_vec3 u = ts_quat_rotate(ts_quat_conjugate(turn), (ts_vec3){V[3], V[4], V[5]}); // in body axes
      ts_model_body_inertia(s.model, b, I);
      bodies += 0.5 * ts_model_body_mass(s.model, b) * (V[0] * V[0] + V[1] * V[1] + V[2] * V[2]);
      bodies += 0.5 * (I[0] * u.x * u.x + I[1] * u.y * u.y + I[2] * u.z * u.z);
      bodies += I[3] * u.x * u.y + I[4] * u.x * u.z + I[5] * u.y * u.z;
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        rates += 0.5 * v[i] * M[i * n + j] * v[j];
        assert_true(M[i * n + j] == M[j * n + i]);
      }
    assert_near(rates, bodies, 1e-12 * (1.0 + bodies));
    finish(&s);
  }
}

// ---- finite differences --------------------------------------------------------------------------------------------

// The configuration after a time h at constant rates `v`; time goes on with `clock`.
static void move(const subject *s, const double *q, const double *v, double time, double h, double clock)
{
  double moved[MOST_COORDINATES];
  ts_error error;
  memcpy(moved, q, (size_t)s->q_count * sizeof *moved);
  ts_dynamics_advance(s->dynamics, h, v, moved);
  accept(ts_dynamics_set(s->dynamics, time + clock * h, moved, NULL, &error), &error);
}

static ts_vec3 rotation_between(ts_quat from, ts_quat to)
{
  const ts_quat d = ts_quat_product(to, ts_quat_conjugate(from));
  return ts_scale(d.w < 0.0 ? -2.0 : 2.0, (ts_vec3){d.x, d.y, d.z}); // sine of a small angle
}

// Twist of a point by a central difference of poses over 2 h, and of its velocity by one of velocities.
static ts_twist difference_of_poses(const subject *s, int body, ts_vec3 at, const double *q, const double *v,
                                    double time, double h, double clock, ts_twist *rise)
{
  ts_vec3 place[2];
  ts_quat turn[2];
  ts_twist velocity[2];
  for (int side = 0; side < 2; ++side) {
    move(s, q, v, time, side ? h : -h, clock);
    const ts_point_motion motion = point(s, body, at, NULL);
    place[side] = motion.position;
    turn[side] = ts_dynamics_pose(s->dynamics, body).orientation;
    velocity[side] = motion.velocity;
  }
  const double scale = 0.5 / h;
  *rise = ts_twist_add_scaled((ts_twist){NONE, NONE}, scale, ts_twist_add_scaled(velocity[1], -1.0, velocity[0]));
  return (ts_twist){ts_scale(scale, ts_sub(place[1], place[0])), ts_scale(scale, rotation_between(turn[0], turn[1]))};
}

// Truncation h^2/6 times third derivatives of some 1e2 (rates add up along chains): 2e-9; round-off 1e-16/h: 1e-11.
static void jacobians_are_derivatives_of_poses(void **state)
{
  const double h = 1e-5, tolerance = 1e-7;
  (void)state;
  ts_random random;
  ts_random_init(&random, 84);
  for (int round = 0; round < 60; ++round) {
    subject s = start_random(round, &random);
    const int body = ts_random_below(&random, s.bodies), n = s.v_count;
    const double time = ts_dynamics_time(s.dynamics);
    double q[MOST_COORDINATES], v[MOST_RATES], J[6 * MOST_RATES];
    ts_vec3 at = random_in_cube(&random, 1.0);
    if (ts_model_space(s.model) == TS_SPACE_2D) at.z = 0.0;
    memcpy(q, ts_dynamics_coordinates(s.dynamics), (size_t)s.q_count * sizeof *q);
    memcpy(v, ts_dynamics_rates(s.dynamics), (size_t)n * sizeof *v);
    ts_point_motion motion = point(&s, body, at, J);
    ts_twist rise, twist = difference_of_poses(&s, body, at, q, v, time, h, 1.0, &rise);
    for (int k = 0; k < 6; ++k) {
      assert_near(components(&motion.velocity)[k], components(&twist)[k], tolerance);
      assert_near(components(&motion.bias)[k], components(&rise)[k], tolerance);
    }
    for (int j = 0; j < n; ++j) {
      double unit[MOST_RATES] = {0.0};
      unit[j] = 1.0;
      twist = difference_of_poses(&s, body, at, q, unit, time, h, 0.0, &rise); // time stands still
      for (int k = 0; k < 6; ++k) assert_near(J[k * n + j], components(&twist)[k], tolerance);
    }
    finish(&s);
  }
}

// ---- energy --------------------------------------------------------------------------------------------------------

static double kinetic_energy(const subject *s)
{
  static double M[MOST_RATES * MOST_RATES];
  const double *v = ts_dynamics_rates(s->dynamics);
  double energy = 0.0;
  ts_dynamics_mass_matrix(s->dynamics, M);
  for (int i = 0; i < s->v_count; ++i)
    for (int j = 0; j < s->v_count; ++j) energy += 0.5 * v[i] * M[i * s->v_count + j] * v[j];
  return energy;
}

// A chain of all kinds of joints on the world, so that nothing but gravity and joint forces works.
static subject start_chain(void)
{
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){1.0, -2.0, -9.0});
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int i = 0; i < TS_JOINT_COUNT; ++i) {
    mechanism_body(&w, names[i], 1.0 + i, (ts_vec3){0.5, 0.6, 0.7}, (ts_vec3){i, 0.2 * i, 0.0});
    const ts_joint_def joint =
        mechanism_joint((ts_joint_kind)i, i - 1, i, (ts_vec3){0.3, 0.1, 0.2}, (ts_vec3){0.1 * i, 1.0, 0.5});
    mechanism_add(&w, &joint);
  }
  ts_model *model;
  accept(ts_builder_finish(w.builder, &model, &error), &error);
  world_release(&w);
  return start(model);
}

// d/dt 1/2 v.M v = f.v + sum of m g.c', by a central difference along the motion that forward dynamics give.
static void power_is_balanced(void **state)
{
  const double h = 1e-5;
  (void)state;
  ts_random random;
  ts_random_init(&random, 85);
  subject s = start_chain();
  for (int round = 0; round < 40; ++round) {
    double q[MOST_COORDINATES], v[MOST_RATES], f[MOST_RATES], a[MOST_RATES], energy[2], power = 0.0;
    ts_error error;
    random_configuration(s.dynamics, &random);
    random_numbers(f, s.v_count, &random);
    accept(ts_dynamics_forward(s.dynamics, f, NULL, a, &error), &error);
    memcpy(q, ts_dynamics_coordinates(s.dynamics), (size_t)s.q_count * sizeof *q);
    memcpy(v, ts_dynamics_rates(s.dynamics), (size_t)s.v_count * sizeof *v);
    for (int j = 0; j < s.v_count; ++j) power += f[j] * v[j];
    for (int b = 0; b < s.bodies; ++b)
      power += ts_model_body_mass(s.model, b) *
               ts_dot(ts_model_gravity(s.model), point(&s, b, ts_model_body_centre(s.model, b), NULL).velocity.linear);
    for (int side = 0; side < 2; ++side) {
      const double t = side ? h : -h;
      double half[MOST_RATES], moved[MOST_COORDINATES], rates[MOST_RATES];
      for (int j = 0; j < s.v_count; ++j) {
        half[j] = v[j] + 0.5 * t * a[j]; // mean rate: q to second order
        rates[j] = v[j] + t * a[j];
      }
      memcpy(moved, q, sizeof moved);
      ts_dynamics_advance(s.dynamics, t, half, moved);
      accept(ts_dynamics_set(s.dynamics, 0.0, moved, rates, &error), &error);
      energy[side] = kinetic_energy(&s);
    }
    assert_near((energy[1] - energy[0]) / (2.0 * h), power, 1e-6 * (1.0 + fabs(power))); // h^2 and 1e-14/h
  }
  finish(&s);
}

// ---- published numbers ---------------------------------------------------------------------------------------------

static const ts_joint_kind case_kinds[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_SPHERICAL};

static void build_case(const tree_case *c, world *w)
{
  ts_vec3 start_of[TREE_CASE_BODIES];
  static const char *const names[TREE_CASE_BODIES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int i = 0; i < c->bodies; ++i) {
    const tree_case_body *b = &c->body[i];
    const double ones[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    ts_body_def def = ts_body_def_default();
    ts_error error;
    int body;
    start_of[i] = ts_add(b->parent < 0 ? NONE : start_of[b->parent], b->offset);
    def.name = names[i];
    def.mass = b->mass;
    def.centre = b->centre;
    def.pose.position = start_of[i];
    memcpy(def.inertia, ones, sizeof ones);
    accept(ts_builder_add_body(w->builder, &def, &body, &error), &error);
    const ts_joint_def joint = mechanism_joint(case_kinds[b->joint], b->parent, i, b->offset, b->axis);
    mechanism_add(w, &joint);
  }
}

// Their inertias are of no real bodies, and a builder refuses them: they are put in afterwards.
static void put_inertias(const tree_case *c, ts_model *model)
{
  for (int i = 0; i < c->bodies; ++i) {
    ts_body *body = &model->bodies[i];
    const ts_mat3 *I = &c->body[i].inertia;
    const ts_vec3 yz = ts_cross(I->y, I->z), zx = ts_cross(I->z, I->x), xy = ts_cross(I->x, I->y);
    const double s = 1.0 / ts_dot(I->x, yz);
    body->inertia = *I;
    body->inverse_inertia = (ts_mat3){ts_scale(s, yz), ts_scale(s, zx), ts_scale(s, xy)}; // symmetric
    body->isotropic = false;
  }
}

static bool has_free_joints(const tree_case *c)
{
  for (int i = 0; i < c->bodies; ++i)
    if (c->body[i].joint == CASE_FREE) return true;
  return false;
}

// Numbers of a case are in the order of its bodies, ours in that of nodes.
static void sort_numbers(const subject *s, bool rates, const double *from, double *to)
{
  for (int body = 0; body < s->bodies; ++body)
    for (int i = 0; i < ts_dynamics_node_count(s->dynamics); ++i) {
      const ts_dynamics_node node = ts_dynamics_node_at(s->dynamics, i);
      if (node.body != body) continue;
      const int count = rates ? node.rate_count : node.coordinate_count;
      memcpy(to + (rates ? node.rate : node.coordinate), from, (size_t)count * sizeof *to);
      from += count;
    }
}

static void check_case(const tree_case *c)
{
  world w;
  ts_error error;
  double q[TREE_CASE_RATES], v[TREE_CASE_RATES], tau[TREE_CASE_RATES], qdd[TREE_CASE_RATES], x[TREE_CASE_RATES];
  world_init(&w, TS_SPACE_3D);
  build_case(c, &w);
  ts_model *model;
  accept(ts_builder_finish(w.builder, &model, &error), &error);
  world_release(&w);
  put_inertias(c, model);
  subject s = start(model);
  sort_numbers(&s, false, c->q, q);
  sort_numbers(&s, true, c->v, v);
  sort_numbers(&s, true, c->tau, tau);
  sort_numbers(&s, true, c->qdd, qdd);
  accept(ts_dynamics_set(s.dynamics, 0.0, q, v, &error), &error);
  for (int i = 0; i < c->bodies; ++i) assert_vec_near(ts_dynamics_pose(s.dynamics, i).position, c->hinge[i], 1e-12);
  const double tolerance = 1e-9 * fmax(1.0, largest(qdd, s.v_count));
  accept(ts_dynamics_forward(s.dynamics, tau, NULL, x, &error), &error);
  for (int j = 0; j < s.v_count; ++j) assert_near(x[j], qdd[j], tolerance);
  accept(ts_dynamics_inverse(s.dynamics, qdd, NULL, x, &error), &error);
  for (int j = 0; j < s.v_count; ++j) assert_near(x[j], tau[j], 10.0 * tolerance); // M up to some 10
  finish(&s);
}

// reference-numbers.md 5: the five trees without free joints, whose coordinates are the same here.
static void reference_trees_are_met(void **state)
{
  (void)state;
  FILE *file = case_file_open(TEST_DATA "/tree_cases.txt");
  assert_non_null(file);
  int checked = 0;
  for (tree_case c; tree_cases_next(file, &c);) {
    if (has_free_joints(&c)) continue;
    check_case(&c);
    ++checked;
  }
  fclose(file);
  assert_int_equal(checked, 5);
}

// RBDL's tree of five hinges (rigidbody_ref, case 6): x y z of a hinge in its parent, axis, centre of mass.
static void rbdl_tree_is_met(void **state)
{
  static const struct {
    const char *name;
    int parent;
    ts_vec3 at, axis, centre;
    double acceleration;
  } bodies[] = {{"a", -1, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, -1.60319066147860},
                {"b1", 0, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, -0.534396887159533},
                {"c1", 1, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, 4.10340466926070},
                {"b2", 0, {-0.5, 0, 0}, {0, 1, 0}, {0, 1, 0}, 0.267198443579767},
                {"c2", 3, {0, -0.5, 0}, {1, 0, 0}, {0, 0, 1}, 5.30579766536965}};
  enum { COUNT = sizeof bodies / sizeof bodies[0] };
  (void)state;
  world w;
  ts_error error;
  ts_vec3 place[COUNT];
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, -9.81, 0.0});
  for (int i = 0; i < COUNT; ++i) {
    ts_body_def def = ts_body_def_default();
    const double ones[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    int body;
    place[i] = ts_add(bodies[i].parent < 0 ? NONE : place[bodies[i].parent], bodies[i].at);
    def.name = bodies[i].name;
    def.mass = 1.0;
    def.centre = bodies[i].centre;
    def.pose.position = place[i];
    memcpy(def.inertia, ones, sizeof ones);
    accept(ts_builder_add_body(w.builder, &def, &body, &error), &error);
    ts_joint_def joint = mechanism_joint(TS_JOINT_REVOLUTE, bodies[i].parent, i, bodies[i].at, bodies[i].axis);
    joint.name = bodies[i].name;
    mechanism_add(&w, &joint);
  }
  ts_model *model;
  accept(ts_builder_finish(w.builder, &model, &error), &error);
  world_release(&w);
  subject s = start(model);
  double a[COUNT];
  accept(ts_dynamics_forward(s.dynamics, NULL, NULL, a, &error), &error);
  for (int i = 0; i < COUNT; ++i) {
    const ts_dynamics_node node = ts_dynamics_node_at(s.dynamics, i);
    assert_near(a[node.rate], bodies[node.body].acceleration, 1e-12);
    assert_string_equal(ts_dynamics_rate_name(s.dynamics, node.rate), bodies[node.body].name);
    assert_int_equal(node.parent, bodies[node.body].parent);
    assert_int_equal(node.joint, node.body);
  }
  finish(&s);
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// A simulation of the second model in the configuration of the first, as its bodies show it.
static void show_elsewhere(const subject *from, const subject *to)
{
  ts_step_options options = ts_step_options_default();
  ts_sim *sim;
  ts_error error;
  accept(ts_sim_create(to->model, &options, NULL, &sim, &error), &error);
  for (int b = 0; b < from->bodies; ++b) {
    if (ts_model_body_kind(from->model, b) != TS_DYNAMIC) continue;
    const ts_pose pose = ts_dynamics_pose(from->dynamics, b);
    const ts_twist velocity = ts_dynamics_velocity(from->dynamics, b);
    accept(ts_sim_set_pose(sim, b, &pose, &error), &error);
    accept(ts_sim_set_velocity(sim, b, &velocity, &error), &error);
  }
  accept(ts_dynamics_from_sim(to->dynamics, sim, &error), &error);
  ts_sim_destroy(sim);
}

// Acceleration of a body's origin when rates change by a.
static ts_twist acceleration_of(const subject *s, int body, const double *a)
{
  double J[6 * MOST_RATES];
  ts_twist sum = point(s, body, NONE, J).bias;
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < s->v_count; ++j) components(&sum)[k] += J[k * s->v_count + j] * a[j];
  return sum;
}

// A joint as a row instead of a coordinate makes the same motion: all kinds of joints, hung on a base that moves.
static void joints_as_rows_make_the_same_motion(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 86);
  double worst = 0.0;
  int rows_seen = 0;
  for (int round = 0; round < 200; ++round) {
    const ts_space space = round % 4 ? TS_SPACE_3D : TS_SPACE_2D;
    const int bodies = 2 + ts_random_below(&random, 6);
    const uint64_t seed = ts_random_bits(&random);
    subject tree = start(random_mechanism(space, bodies, 0, seed)),
            rows = start(random_mechanism(space, bodies, 1 + round % 3, seed));
    double a[MOST_RATES], b[MOST_RATES], size = 1.0;
    ts_wrench w[MOST_BODIES];
    ts_error error;
    rows_seen += ts_dynamics_closure_count(rows.dynamics);
    random_configuration(tree.dynamics, &random);
    accept(ts_dynamics_set(tree.dynamics, 0.0, NULL, NULL, &error), &error); // simulations begin at time 0
    show_elsewhere(&tree, &rows);
    assert_true(ts_dynamics_loop_error(rows.dynamics) < 1e-12);
    random_wrenches(&tree, w, &random);
    accept(ts_dynamics_forward(tree.dynamics, NULL, w, a, &error), &error);
    accept(ts_dynamics_forward(rows.dynamics, NULL, w, b, &error), &error);
    for (int body = 0; body < tree.bodies; ++body) {
      ts_twist one = acceleration_of(&tree, body, a), other = acceleration_of(&rows, body, b);
      size = fmax(size, largest(components(&one), 6));
      for (int k = 0; k < 6; ++k) worst = worse(worst, fabs(components(&one)[k] - components(&other)[k]) / size);
    }
    finish(&tree);
    finish(&rows);
  }
  print_message("joints as rows: accelerations within %.1e\n", worst);
  assert_true(rows_seen > 300 && worst < 1e-11);
}

// ---- simulations ---------------------------------------------------------------------------------------------------

static void configurations_go_to_simulations_and_back(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 87);
  for (int round = 0; round < 60; ++round) {
    subject s = start_random(round, &random);
    ts_step_options options = ts_step_options_default();
    options.coordinates = round % 3 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    double q[MOST_COORDINATES], v[MOST_RATES];
    ts_sim *sim;
    ts_error error;
    accept(ts_sim_create(s.model, &options, NULL, &sim, &error), &error);
    accept(ts_dynamics_to_sim(s.dynamics, sim, &error), &error);
    assert_true(ts_dynamics_time(s.dynamics) == 0.0);
    for (int b = 0; b < s.bodies; ++b) {
      assert_vec_near(ts_sim_pose(sim, b).position, ts_dynamics_pose(s.dynamics, b).position, 1e-12);
      assert_vec_near(ts_sim_velocity(sim, b).linear, ts_dynamics_velocity(s.dynamics, b).linear, 1e-11);
      assert_vec_near(ts_sim_velocity(sim, b).angular, ts_dynamics_velocity(s.dynamics, b).angular, 1e-11);
    }
    memcpy(q, ts_dynamics_coordinates(s.dynamics), (size_t)s.q_count * sizeof *q);
    memcpy(v, ts_dynamics_rates(s.dynamics), (size_t)s.v_count * sizeof *v);
    random_configuration(s.dynamics, &random);
    accept(ts_dynamics_from_sim(s.dynamics, sim, &error), &error);
    for (int j = 0; j < s.v_count; ++j) assert_near(ts_dynamics_rates(s.dynamics)[j], v[j], 1e-11);
    for (int i = 0; i < ts_dynamics_node_count(s.dynamics); ++i) {
      const ts_dynamics_node node = ts_dynamics_node_at(s.dynamics, i);
      if (node.rate_count == 1) // others may differ by turns and by the sign of quaternions
        assert_near(ts_dynamics_coordinates(s.dynamics)[node.coordinate], q[node.coordinate], 1e-11);
    }
    ts_sim_destroy(sim);
    finish(&s);
  }
}

// Two turns and a half of a hinge arrive as such.
static void turns_are_counted(void **state)
{
  (void)state;
  for (int round = 0; round < 4; ++round) {
    world w;
    world_init(&w, round & 1 ? TS_SPACE_2D : TS_SPACE_3D);
    w.options.coordinates = round & 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    mechanism_body(&w, "wheel", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    const ts_joint_def joint = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, 0, NONE, (ts_vec3){0.0, 0.0, 1.0});
    mechanism_add(&w, &joint);
    world_start(&w);
    ts_dynamics *d;
    ts_error error;
    accept(ts_dynamics_create(w.model, NULL, &d, &error), &error);
    accept(ts_dynamics_set(d, 0.0, &(double){15.7}, &(double){2.0}, &error), &error);
    accept(ts_dynamics_to_sim(d, w.sim, &error), &error);
    double rate;
    assert_near(ts_sim_joint_position(w.sim, 0, &rate), 15.7, 1e-13);
    assert_near(rate, 2.0, 1e-14);
    accept(ts_dynamics_set(d, 0.0, &(double){0.0}, NULL, &error), &error);
    accept(ts_dynamics_from_sim(d, w.sim, &error), &error);
    assert_near(ts_dynamics_coordinates(d)[0], 15.7, 1e-13);
    ts_dynamics_destroy(d);
    world_release(&w);
  }
}

// ---- names, refusals, memory ---------------------------------------------------------------------------------------

static void numbers_have_names(void **state)
{
  (void)state;
  ts_error error;
  for (int plane = 0; plane < 2; ++plane) {
    world w;
    world_init(&w, plane ? TS_SPACE_2D : TS_SPACE_3D);
    mechanism_body(&w, "ball", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    ts_body_def speck = ts_body_def_default();
    int body;
    speck.name = "speck";
    speck.mass = 1.0;
    speck.rotates = false;
    speck.centre = NONE;
    accept(ts_builder_add_body(w.builder, &speck, &body, &error), &error);
    mechanism_body(&w, "arm", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    ts_joint_def joint =
        mechanism_joint(plane ? TS_JOINT_PRISMATIC : TS_JOINT_CYLINDRICAL, TS_WORLD, 2, NONE, (ts_vec3){1.0, 0.0, 0.0});
    joint.name = "bolt";
    mechanism_add(&w, &joint);
    ts_model *model;
    accept(ts_builder_finish(w.builder, &model, &error), &error);
    world_release(&w);
    subject s = start(model);
    static const char *const q_space[] = {"speck.x", "speck.y", "speck.z", "bolt.angle", "bolt.slide", "ball.qw",
                                          "ball.qx", "ball.qy", "ball.qz", "ball.x",     "ball.y",     "ball.z"};
    static const char *const v_space[] = {"speck.vx", "speck.vy", "speck.vz", "bolt.angle", "bolt.slide", "ball.wx",
                                          "ball.wy",  "ball.wz",  "ball.vx",  "ball.vy",    "ball.vz"};
    static const char *const q_plane[] = {"speck.x", "speck.y", "bolt", "ball.x", "ball.y", "ball.theta"};
    static const char *const v_plane[] = {"speck.vx", "speck.vy", "bolt", "ball.vx", "ball.vy", "ball.w"};
    assert_int_equal(s.q_count, plane ? 6 : 12);
    assert_int_equal(s.v_count, plane ? 6 : 11);
    for (int i = 0; i < s.q_count; ++i)
      assert_string_equal(ts_dynamics_coordinate_name(s.dynamics, i), plane ? q_plane[i] : q_space[i]);
    for (int i = 0; i < s.v_count; ++i)
      assert_string_equal(ts_dynamics_rate_name(s.dynamics, i), plane ? v_plane[i] : v_space[i]);
    assert_ptr_equal(ts_dynamics_model(s.dynamics), model);
    assert_int_equal(ts_dynamics_closure_count(s.dynamics), 0);
    finish(&s);
  }
}

static void assert_refused(ts_status status, const ts_error *error, const char *words)
{
  assert_int_equal(status, TS_INVALID);
  if (!strstr(error->text, words)) fail_msg("'%s' does not say '%s'", error->text, words);
}

static void bad_arguments_are_refused(void **state)
{
  (void)state;
  subject s = start_chain();
  ts_dynamics *d = s.dynamics;
  ts_error error;
  double q[MOST_COORDINATES], v[MOST_RATES] = {0.0}, out[MOST_RATES];
  ts_wrench w[MOST_BODIES] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
  memcpy(q, ts_dynamics_coordinates(d), (size_t)s.q_count * sizeof *q);
  assert_refused(ts_dynamics_set(d, NAN, q, v, &error), &error, "time");
  for (int i = 0; i < s.q_count; ++i) {
    const double kept = q[i];
    q[i] = i % 2 ? NAN : INFINITY;
    assert_refused(ts_dynamics_set(d, 0.0, q, v, &error), &error, "coordinates must be finite");
    q[i] = kept;
  }
  int quaternion = -1;
  for (int i = 0; i < s.q_count; ++i)
    if (strstr(ts_dynamics_coordinate_name(d, i), ".qw")) quaternion = i;
  assert_true(quaternion >= 0);
  const double bad_lengths[] = {0.0, 0.99, 1.01, -1.5};
  for (int k = 0; k < 4; ++k) {
    q[quaternion] = bad_lengths[k];
    assert_refused(ts_dynamics_set(d, 0.0, q, v, &error), &error, "length 1");
  }
  q[quaternion] = 1.0 + 5e-7;
  accept(ts_dynamics_set(d, 0.0, q, v, &error), &error);
  assert_near(ts_dynamics_coordinates(d)[quaternion], 1.0, 1e-16);
  v[2] = NAN;
  assert_refused(ts_dynamics_set(d, 5.0, NULL, v, &error), &error, "rates must be finite");
  assert_true(ts_dynamics_time(d) == 0.0 && ts_dynamics_rates(d)[2] == 0.0);
  assert_refused(ts_dynamics_inverse(d, v, NULL, out, &error), &error, "accelerations");
  assert_refused(ts_dynamics_forward(d, v, NULL, out, &error), &error, "forces");
  v[2] = 0.0;
  w[3].moment.y = -INFINITY;
  assert_refused(ts_dynamics_inverse(d, v, w, out, &error), &error, "wrenches");
  assert_refused(ts_dynamics_forward(d, NULL, w, out, &error), &error, "wrenches");
  assert_int_equal(ts_dynamics_forward(d, NULL, w, out, NULL), TS_INVALID);
  ts_point_motion motion;
  assert_refused(ts_dynamics_point(d, TS_WORLD, NONE, NULL, &motion, &error), &error, "no body -1");
  assert_refused(ts_dynamics_point(d, s.bodies, NONE, NULL, &motion, &error), &error, "no body 8");
  assert_refused(ts_dynamics_point(d, 0, (ts_vec3){0.0, NAN, 0.0}, NULL, &motion, &error), &error, "point");
  accept(ts_dynamics_point(d, 0, NONE, NULL, NULL, &error), &error);
  subject other = start_chain();
  const ts_step_options options = ts_step_options_default();
  ts_sim *sim;
  accept(ts_sim_create(other.model, &options, NULL, &sim, &error), &error);
  assert_refused(ts_dynamics_from_sim(d, sim, &error), &error, "another model");
  assert_refused(ts_dynamics_to_sim(d, sim, &error), &error, "another model");
  ts_sim_destroy(sim);
  finish(&other);
  finish(&s);
}

// A shaft without inertia of its own, and a flywheel that turns on it as it likes.
static void joints_that_nothing_resists_are_refused(void **state)
{
  (void)state;
  world w;
  ts_error error;
  const ts_vec3 axis = {1.0, 0.0, 0.0};
  world_init(&w, TS_SPACE_3D);
  for (int i = 0; i < 2; ++i) {
    mechanism_body(&w, i ? "flywheel" : "shaft", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    const ts_joint_def joint = mechanism_joint(TS_JOINT_REVOLUTE, i - 1, i, NONE, axis);
    mechanism_add(&w, &joint);
  }
  ts_model *model;
  accept(ts_builder_finish(w.builder, &model, &error), &error);
  world_release(&w);
  model->bodies[0].isotropic = false;
  model->bodies[0].inertia.x.x = 0.0; // which a builder refuses
  subject s = start(model);
  double a[2];
  assert_refused(ts_dynamics_forward(s.dynamics, NULL, NULL, a, &error), &error,
                 "nothing resists the joint of body 'shaft'");
  ts_dynamics_bias(s.dynamics, a); // the others go on
  assert_near(a[0], 0.0, 0.0);
  finish(&s);
}

static void exercise(ts_dynamics *d)
{
  double x[MOST_RATES] = {0.0}, J[6 * MOST_RATES];
  static double M[MOST_RATES * MOST_RATES];
  ts_error error;
  accept(ts_dynamics_set(d, 0.1, NULL, NULL, &error), &error);
  accept(ts_dynamics_inverse(d, x, NULL, x, &error), &error);
  ts_dynamics_mass_matrix(d, M);
  accept(ts_dynamics_point(d, 0, NONE, J, NULL, &error), &error);
}

// Every allocation may fail: nothing leaks, and what there is goes on. Warm, nothing is allocated.
static void memory_is_looked_after(void **state)
{
  (void)state;
  ts_model *model = random_mechanism(TS_SPACE_3D, 8, 2, 5);
  bool made = false;
  for (int budget = 0; !made; ++budget) {
    allocation_count count = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&count);
    ts_dynamics *d;
    ts_error error;
    double a[MOST_RATES];
    const ts_status status = ts_dynamics_create(model, &allocator, &d, &error);
    if (status != TS_OK) {
      assert_int_equal(status, TS_OUT_OF_MEMORY);
      assert_null(d);
    } else {
      made = ts_dynamics_forward(d, NULL, NULL, a, &error) == TS_OK;
      if (!made) assert_int_equal(error.status, TS_OUT_OF_MEMORY);
      exercise(d);
      count.budget = UNLIMITED_ALLOCATIONS.budget;
      for (int k = 0; k < 2; ++k) accept(ts_dynamics_forward(d, NULL, NULL, a, &error), &error);
      const int calls = count.calls;
      for (int k = 0; k < 5; ++k) {
        exercise(d);
        accept(ts_dynamics_forward(d, NULL, NULL, a, &error), &error);
      }
      assert_int_equal(count.calls, calls);
      ts_dynamics_destroy(d);
    }
    assert_int_equal(count.held, 0);
  }
  ts_dynamics_destroy(NULL);
  ts_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_are_those_of_the_mass_matrix),
      cmocka_unit_test(forward_dynamics_undo_inverse_ones),
      cmocka_unit_test(mass_matrices_hold_the_kinetic_energy),
      cmocka_unit_test(jacobians_are_derivatives_of_poses),
      cmocka_unit_test(power_is_balanced),
      cmocka_unit_test(reference_trees_are_met),
      cmocka_unit_test(rbdl_tree_is_met),
      cmocka_unit_test(joints_as_rows_make_the_same_motion),
      cmocka_unit_test(configurations_go_to_simulations_and_back),
      cmocka_unit_test(turns_are_counted),
      cmocka_unit_test(numbers_have_names),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(joints_that_nothing_resists_are_refused),
      cmocka_unit_test(memory_is_looked_after),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
