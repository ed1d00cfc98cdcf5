// Forward and inverse dynamics of random trees against identities, energy, and the elimination of joints in redundant
// coordinates.
#include "dynamics/tree.h"

#include "tree_rig.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static ts_space some_space(int round)
{
  return round % 4 ? TS_SPACE_3D : TS_SPACE_2D;
}

static double *random_numbers(tree_rig *rig, int count, double size, ts_random *random)
{
  double *x = ts_arena_doubles(&rig->l.arena, (size_t)count);
  for (int i = 0; i < count; ++i) x[i] = ts_random_uniform(random, -size, size);
  return x;
}

static ts_wrench *random_wrenches(tree_rig *rig, ts_random *random)
{
  const size_t n = (size_t)rig->l.model.body_count;
  ts_wrench *f = ts_arena_bytes(&rig->l.arena, n, sizeof *f);
  for (size_t b = 0; b < n; ++b) {
    f[b] = (ts_wrench){random_in_cube(random, 2.0), random_in_cube(random, 2.0)};
    if (rig->l.model.freedoms->space == TS_SPACE_2D) f[b].force.z = f[b].moment.x = f[b].moment.y = 0.0;
  }
  return f;
}

static ts_twist *random_base_acceleration(tree_rig *rig, ts_random *random)
{
  const size_t n = (size_t)rig->l.model.body_count;
  ts_twist *a = ts_arena_bytes(&rig->l.arena, n, sizeof *a);
  for (size_t b = 0; b < n; ++b) a[b] = (ts_twist){random_in_cube(random, 2.0), random_in_cube(random, 2.0)};
  if (rig->l.model.freedoms->space == TS_SPACE_2D) a[0].linear.z = a[0].angular.x = a[0].angular.y = 0.0;
  return a;
}

// Newton and Euler for every body by itself: what is missing to its acceleration is done by joints, and joints do no
// work on the rates but by their own forces, sum over bodies of J^T (M a + w x I w - f) = force.
static double newton_euler_gap(tree_rig *rig, const ts_wrench *f, const double *force, const ts_twist *a)
{
  linkage *l = &rig->l;
  const int n = rig->n.v;
  double *gap = ts_arena_zeros(&l->arena, (size_t)n), *linear = ts_arena_doubles(&l->arena, 6 * (size_t)n);
  for (int b = 0; b < l->model.body_count; ++b) {
    if (l->model.bodies[b].kind != TS_DYNAMIC) continue;
    const ts_mat3 I = ts_mat3_rotate(&l->kinematics.frame[b].axes, &l->model.bodies[b].inertia);
    const ts_vec3 w = l->state.velocity[b].angular;
    const ts_vec3 F = ts_sub(ts_scale(l->model.bodies[b].mass, a[b].linear), f[b].force);
    const ts_vec3 N = ts_sub(ts_add(ts_mul(&I, a[b].angular), ts_cross(w, ts_mul(&I, w))), f[b].moment);
    const double load[6] = {F.x, F.y, F.z, N.x, N.y, N.z};
    ts_tree_point_jacobian(rig->tree, b, l->kinematics.frame[b].origin, linear, linear + 3 * n);
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < n; ++j) gap[j] += linear[k * n + j] * load[k];
  }
  for (int j = 0; j < n; ++j) gap[j] -= force[j];
  return largest_of(gap, n);
}

static void forward_dynamics_obey_newton_and_euler(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 31);
  double worst = 0.0, worst_inverse = 0.0;
  for (int round = 0; round < 300; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 12), 0, &random);
    const ts_wrench *f = random_wrenches(&rig, &random);
    const double *force = random_numbers(&rig, rig.n.v, 2.0, &random);
    const ts_twist *base = random_base_acceleration(&rig, &random);
    double *a = random_numbers(&rig, rig.n.v, 0.0, &random), *back = random_numbers(&rig, rig.n.v, 0.0, &random);
    ts_twist *bodies = random_base_acceleration(&rig, &random);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_accelerate(rig.tree, f, force, base, a);
    ts_tree_body_accelerations(rig.tree, base, a, bodies);
    const double scale = 1.0 + largest_of(a, rig.n.v);
    worst = fmax(worst, newton_euler_gap(&rig, f, force, bodies) / scale);
    ts_tree_inverse_dynamics(rig.tree, f, base, a, back);
    for (int j = 0; j < rig.n.v; ++j) worst_inverse = fmax(worst_inverse, fabs(back[j] - force[j]) / scale);
    tree_rig_release(&rig);
  }
  print_message("forward dynamics: Newton and Euler to %.1e, inverse to %.1e\n", worst, worst_inverse);
  assert_true(worst < 1e-11 && worst_inverse < 1e-11);
}

// Velocity products that are taken at other rates are those of an update with these rates, and the state stays.
static void products_are_taken_at_other_rates(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 35);
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 12), 0, &random);
    const ts_wrench *f = random_wrenches(&rig, &random);
    double *a = random_numbers(&rig, rig.n.v, 0.0, &random), *b = random_numbers(&rig, rig.n.v, 0.0, &random);
    const double *other = random_numbers(&rig, rig.n.v, 3.0, &random);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    const ts_twist before = rig.l.state.velocity[rig.l.model.body_count - 1];
    ts_tree_take_products(rig.tree, other);
    ts_tree_accelerate(rig.tree, f, NULL, NULL, a);
    assert_memory_equal(&before, &rig.l.state.velocity[rig.l.model.body_count - 1], sizeof before);
    memcpy(rig.v, other, (size_t)rig.n.v * sizeof *rig.v);
    tree_rig_update(&rig);
    ts_tree_accelerate(rig.tree, f, NULL, NULL, b);
    const double scale = 1.0 + largest_of(b, rig.n.v);
    for (int k = 0; k < rig.n.v; ++k) assert_near(a[k], b[k], 1e-11 * scale);
    tree_rig_release(&rig);
  }
}

// Where a tree is said to have no velocity products, accelerations do not depend on the rates.
static void trees_without_products_have_none(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 36);
  int without = 0;
  for (int round = 0; round < 2000; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 2), 0, &random);
    if (!ts_tree_has_products(rig.tree)) {
      ++without;
      const ts_wrench *f = random_wrenches(&rig, &random);
      double *a = random_numbers(&rig, rig.n.v, 0.0, &random), *b = random_numbers(&rig, rig.n.v, 0.0, &random);
      assert_true(ts_tree_factor(rig.tree, NULL, NULL));
      ts_tree_accelerate(rig.tree, f, NULL, NULL, a);
      ts_tree_take_products(rig.tree, random_numbers(&rig, rig.n.v, 3.0, &random));
      ts_tree_accelerate(rig.tree, f, NULL, NULL, b);
      for (int k = 0; k < rig.n.v; ++k) assert_near(a[k], b[k], 1e-11 * (1.0 + largest_of(a, rig.n.v)));
    }
    tree_rig_release(&rig);
  }
  assert_true(without > 50);
}

// M = sum over bodies of J^T M_b J, M M^-1 x = x, and v.M v / 2 is the kinetic energy that the bodies have.
static void mass_matrices_are_what_bodies_make_of_rates(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 32);
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 10), 0, &random);
    linkage *l = &rig.l;
    const int n = rig.n.v;
    double *M = random_numbers(&rig, n * n, 0.0, &random), *sum = ts_arena_zeros(&l->arena, (size_t)(n * n));
    double *J = random_numbers(&rig, 6 * n, 0.0, &random);
    for (int b = 1; b < l->model.body_count; ++b) {
      const ts_mat3 I = ts_mat3_rotate(&l->kinematics.frame[b].axes, &l->model.bodies[b].inertia);
      ts_tree_point_jacobian(rig.tree, b, l->kinematics.frame[b].origin, J, J + 3 * n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const ts_vec3 vi = {J[i], J[n + i], J[2 * n + i]}, vj = {J[j], J[n + j], J[2 * n + j]};
          const ts_vec3 wi = {J[3 * n + i], J[4 * n + i], J[5 * n + i]},
                        wj = {J[3 * n + j], J[4 * n + j], J[5 * n + j]};
          sum[i * n + j] += l->model.bodies[b].mass * ts_dot(vi, vj) + ts_dot(wi, ts_mul(&I, wj));
        }
    }
    ts_tree_mass_matrix(rig.tree, M);
    const double scale = largest_of(sum, n * n);
    for (int i = 0; i < n * n; ++i) assert_near(M[i], sum[i], 1e-13 * scale);
    const double *x = random_numbers(&rig, n, 1.0, &random);
    double *y = random_numbers(&rig, n, 0.0, &random);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_respond(rig.tree, NULL, x, y, NULL);
    for (int i = 0; i < n; ++i) {
      double Mx = 0.0;
      for (int j = 0; j < n; ++j) Mx += M[i * n + j] * y[j];
      assert_near(Mx, x[i], 1e-11 * (1.0 + scale * largest_of(y, n)));
    }
    assert_near(ts_tree_kinetic_energy(rig.tree, rig.v),
                ts_kinetic_energy(&l->model, &l->kinematics, l->state.velocity), 1e-11 * (1.0 + scale));
    const ts_tree_energy energy = ts_tree_present_energy(rig.tree);
    assert_near(energy.kinetic, ts_kinetic_energy(&l->model, &l->kinematics, l->state.velocity), 1e-11 * (1.0 + scale));
    const double potential = ts_potential_energy(&l->model, &l->state);
    assert_near(energy.potential, potential, 1e-12 * (100.0 + fabs(potential)));
    tree_rig_release(&rig);
  }
}

// The same linkage with all joints as rows, at rest: M^-1 of wrenches, projected to what the joints allow.
static void redundant_coordinates_agree(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 33);
  double worst = 0.0;
  for (int round = 0; round < 200; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 12), 0, &random);
    linkage *l = &rig.l;
    if (rig.n.closures > 0) { // joints of particles
      tree_rig_release(&rig);
      continue;
    }
    memset(rig.v, 0, (size_t)rig.n.v * sizeof *rig.v);
    l->state.velocity[0] = (ts_twist){NONE, NONE};
    tree_rig_update(&rig);
    const size_t bodies = (size_t)l->model.body_count;
    const ts_wrench *f = random_wrenches(&rig, &random);
    ts_twist *theirs = ts_arena_bytes(&l->arena, bodies, sizeof *theirs);
    ts_twist *mine = ts_arena_bytes(&l->arena, bodies, sizeof *mine);
    for (int b = 0; b < l->model.body_count; ++b) theirs[b] = ts_respond(&l->model, &l->kinematics, b, f[b]);
    ts_bilateral_row *rows =
        ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof(ts_bilateral_row));
    const int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, 1.0, NULL, rows);
    ts_bilateral bilateral;
    ts_bilateral_factor(&l->model, &l->kinematics, rows, count, &l->arena, &bilateral);
    ts_bilateral_correct(&bilateral, theirs, ts_arena_doubles(&l->arena, (size_t)count), &l->arena);
    double *change = random_numbers(&rig, rig.n.v, 0.0, &random);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_accelerate(rig.tree, f, NULL, NULL, change);
    ts_tree_body_accelerations(rig.tree, NULL, change, mine);
    for (int b = 1; b < l->model.body_count; ++b) {
      worst = fmax(worst, ts_distance_of(mine[b].linear, theirs[b].linear));
      worst = fmax(worst, ts_distance_of(mine[b].angular, theirs[b].angular));
    }
    ts_tree_respond(rig.tree, f, NULL, change, mine);
    ts_twist *pushed = ts_arena_bytes(&l->arena, bodies, sizeof *pushed);
    memcpy(pushed, l->state.velocity, bodies * sizeof *pushed);
    ts_tree_push(rig.tree, f, pushed);
    for (int b = 1; b < l->model.body_count; ++b) {
      worst = fmax(worst, ts_distance_of(mine[b].linear, theirs[b].linear));
      worst = fmax(worst, ts_distance_of(mine[b].angular, theirs[b].angular));
      const ts_twist change_of_b = ts_twist_add_scaled(pushed[b], -1.0, l->state.velocity[b]);
      worst = fmax(worst, ts_distance_of(change_of_b.linear, theirs[b].linear));
      worst = fmax(worst, ts_distance_of(change_of_b.angular, theirs[b].angular));
    }
    tree_rig_release(&rig);
  }
  print_message("redundant coordinates: body accelerations differ by at most %.1e\n", worst);
  assert_true(worst < 1e-10);
}

static double energy_at(tree_rig *rig, const double *q, const double *v, const double *a, double h)
{
  double *middle = ts_arena_doubles(&rig->l.arena, (size_t)rig->n.v);
  for (int i = 0; i < rig->n.v; ++i) middle[i] = v[i] + 0.5 * h * a[i];
  memcpy(rig->q, q, (size_t)rig->n.q * sizeof *q);
  ts_tree_advance(rig->tree, h, middle, rig->q);
  for (int i = 0; i < rig->n.v; ++i) rig->v[i] = v[i] + h * a[i];
  tree_rig_update(rig);
  return ts_kinetic_energy(&rig->l.model, &rig->l.kinematics, rig->l.state.velocity);
}

// dT/dt is the power of wrenches and joint forces, by central differences along the motion.
static void power_goes_into_kinetic_energy(void **state)
{
  const double h = 1e-4;
  (void)state;
  ts_random random;
  ts_random_init(&random, 34);
  for (int round = 0; round < 100; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, some_space(round), 1 + ts_random_below(&random, 8), 0, &random);
    rig.l.state.velocity[0] = (ts_twist){NONE, NONE};
    tree_rig_update(&rig);
    const ts_wrench *f = random_wrenches(&rig, &random);
    const double *force = random_numbers(&rig, rig.n.v, 2.0, &random);
    double *q = random_numbers(&rig, rig.n.q, 0.0, &random), *v = random_numbers(&rig, rig.n.v, 0.0, &random);
    double *a = random_numbers(&rig, rig.n.v, 0.0, &random);
    memcpy(q, rig.q, (size_t)rig.n.q * sizeof *q);
    memcpy(v, rig.v, (size_t)rig.n.v * sizeof *v);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_accelerate(rig.tree, f, force, NULL, a);
    double power = 0.0;
    for (int j = 0; j < rig.n.v; ++j) power += force[j] * v[j];
    for (int b = 1; b < rig.l.model.body_count; ++b)
      power +=
          ts_dot(f[b].force, rig.l.state.velocity[b].linear) + ts_dot(f[b].moment, rig.l.state.velocity[b].angular);
    const double change = (energy_at(&rig, q, v, a, h) - energy_at(&rig, q, v, a, -h)) / (2.0 * h);
    assert_near(change, power, 1e-4 * (1.0 + fabs(power)));
    tree_rig_release(&rig);
  }
}

// Softness s of a rate is a joint force -s times its derivative.
static void softness_adds_to_joint_space_inertia(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 35);
  for (int round = 0; round < 50; ++round) {
    tree_rig rig;
    tree_rig_random(&rig, TS_SPACE_3D, 6, 0, &random);
    const int n = rig.n.v;
    const ts_wrench *f = random_wrenches(&rig, &random);
    double *soft = random_numbers(&rig, n, 3.0, &random), *a = random_numbers(&rig, n, 0.0, &random);
    double *force = random_numbers(&rig, n, 0.0, &random);
    for (int j = 0; j < n; ++j) soft[j] = fabs(soft[j]);
    assert_true(ts_tree_factor(rig.tree, soft, NULL));
    ts_tree_accelerate(rig.tree, f, NULL, NULL, a);
    ts_tree_inverse_dynamics(rig.tree, f, NULL, a, force);
    for (int j = 0; j < n; ++j) assert_near(force[j], -soft[j] * a[j], 1e-11 * (1.0 + largest_of(a, n)));
    tree_rig_release(&rig);
  }
}

static void long_chains_and_stars_are_factored(void **state)
{
  enum { MOST = 1000 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 36);
  static double a[MOST], force[MOST], back[MOST];
  for (int round = 0; round < 2; ++round) {
    tree_rig rig;
    if (round == 0) {
      tree_rig_chain(&rig, MOST);
    } else {
      linkage_init(&rig.l, TS_SPACE_3D);
      linkage_random_body(&rig.l, TS_DYNAMIC, &random);
      for (int i = 1; i <= 200; ++i) {
        linkage_random_body(&rig.l, TS_DYNAMIC, &random);
        linkage_joint(&rig.l, TS_JOINT_REVOLUTE, 0, i, random_in_cube(&random, 1.0), random_direction(&random), NONE);
      }
      tree_rig_start(&rig, NULL);
    }
    tree_rig_scatter(&rig, &random);
    assert_true(rig.n.v <= MOST);
    const ts_wrench *f = random_wrenches(&rig, &random);
    for (int j = 0; j < rig.n.v; ++j) force[j] = ts_random_uniform(&random, -1.0, 1.0);
    assert_true(ts_tree_factor(rig.tree, NULL, NULL));
    ts_tree_accelerate(rig.tree, f, force, NULL, a);
    ts_tree_inverse_dynamics(rig.tree, f, NULL, a, back);
    // Forces on the way to the base are the sum of all that is below, and so are their rounding errors.
    for (int j = 0; j < rig.n.v; ++j) assert_near(back[j], force[j], 1e-12 * rig.n.v * (1.0 + largest_of(a, rig.n.v)));
    tree_rig_release(&rig);
  }
}

// A link without mass at the end of a chain has no inertia, and one with a twin of its hinge has none to itself.
static void massless_links_are_reported(void **state)
{
  const ts_vec3 z = {0.0, 0.0, 1.0}, one = {1.0, 1.0, 1.0};
  const ts_pose pose = {{1.0, 2.0, 3.0}, ts_quat_identity()};
  (void)state;
  for (int round = 0; round < 4; ++round) {
    tree_rig rig;
    linkage_init(&rig.l, TS_SPACE_3D);
    const bool at_end = round % 2 == 0;
    const ts_joint_kind kind = round < 2 ? TS_JOINT_REVOLUTE : TS_JOINT_CYLINDRICAL;
    linkage_body(&rig.l, TS_DYNAMIC, at_end ? 1.0 : 0.0, at_end ? one : NONE, pose, 0.0);
    linkage_body(&rig.l, TS_DYNAMIC, at_end ? 0.0 : 1.0, at_end ? NONE : one, pose, 0.0);
    linkage_joint(&rig.l, kind, TS_WORLD, 0, (ts_vec3){0.1, 0.2, 0.3}, z, NONE);
    linkage_joint(&rig.l, kind, 0, 1, (ts_vec3){0.1, 0.2, 0.7}, z, NONE);
    tree_rig_start(&rig, NULL);
    int node = -1;
    assert_false(ts_tree_factor(rig.tree, NULL, &node));
    assert_int_equal(node, at_end ? 1 : 0);
    assert_false(ts_tree_factor(rig.tree, NULL, NULL));
    const double softness[4] = {1.0, 1.0, 1.0, 1.0};
    assert_true(ts_tree_factor(rig.tree, softness, NULL));
    tree_rig_release(&rig);
  }
}

// Numbers that are not finite do not pass for a factor.
static void hostile_numbers_are_refused(void **state)
{
  (void)state;
  tree_rig rig;
  tree_rig_chain(&rig, 3);
  rig.q[1] = NAN;
  tree_rig_update(&rig);
  assert_false(ts_tree_factor(rig.tree, NULL, NULL));
  rig.q[1] = 1e300; // an angle all the same
  tree_rig_update(&rig);
  assert_true(ts_tree_factor(rig.tree, NULL, NULL));
  tree_rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_dynamics_obey_newton_and_euler),
      cmocka_unit_test(products_are_taken_at_other_rates),
      cmocka_unit_test(trees_without_products_have_none),
      cmocka_unit_test(mass_matrices_are_what_bodies_make_of_rates),
      cmocka_unit_test(redundant_coordinates_agree),
      cmocka_unit_test(power_goes_into_kinetic_energy),
      cmocka_unit_test(softness_adds_to_joint_space_inertia),
      cmocka_unit_test(long_chains_and_stars_are_factored),
      cmocka_unit_test(massless_links_are_reported),
      cmocka_unit_test(hostile_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
