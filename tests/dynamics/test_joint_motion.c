// Linkages that move: steps of free velocity, elimination of joints and new poses, against closed forms, conserved
// quantities and the reference solutions of thesis 2.7.1 and of a four-bar linkage.
#include "dynamics/bilateral.h"

#include "linkage.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const double G = 9.81;
static const ts_vec3 NONE = {0.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

// A slender rod between two points of the x-y plane, its x axis along it, with gravity along -y.
static int rod(linkage *l, ts_vec3 from, ts_vec3 to, double mass)
{
  const ts_vec3 line = ts_sub(to, from);
  const double length = ts_length(line), I = mass * length * length / 12.0, angle = atan2(line.y, line.x);
  const ts_pose pose = {ts_scale(0.5, ts_add(from, to)), ts_quat_about_z(angle)};
  const int body = linkage_body(l, TS_DYNAMIC, mass, (ts_vec3){1e-3 * I, I, I}, pose, angle);
  l->model.bodies[body].gravity = (ts_vec3){0.0, -G, 0.0};
  return body;
}

static ts_vec3 hang(ts_vec3 from, double angle, double length) // angle from the downward vertical
{
  return (ts_vec3){from.x + length * sin(angle), from.y - length * cos(angle), 0.0};
}

static double angle_of(const linkage *l, int body) // of a rod's axis from the downward vertical
{
  const ts_vec3 x = l->kinematics.frame[body].axes.x;
  return atan2(x.x, -x.y);
}

static double energy(const linkage *l)
{
  double sum = ts_kinetic_energy(&l->model, &l->kinematics, l->state.velocity);
  for (int i = 0; i < l->model.body_count; ++i) sum += l->model.bodies[i].mass * G * l->state.pose[i].position.y;
  return sum;
}

// ---- pendulum ------------------------------------------------------------------------------------------------------

// K(k) by the arithmetic-geometric mean
static double elliptic_integral(double k)
{
  double a = 1.0, b = sqrt(1.0 - k * k);
  while (fabs(a - b) > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return TS_PI / (2.0 * a);
}

// A rod released from 1 rad: the time of four zero crossings apart is two periods, T = 4 K(sin(1/2))/w0,
// w0^2 = 3 g/(2 L). Returns the error; `drift` is the largest opening of the joint.
static double period_error(ts_space space, double h, double *drift)
{
  linkage l;
  linkage_init(&l, space);
  const int body = rod(&l, NONE, hang(NONE, 1.0, 1.0), 1.0);
  linkage_joint(&l, TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Z, NONE);
  linkage_start(&l);
  double first = -1.0, last = -1.0, before = angle_of(&l, body);
  *drift = 0.0;
  for (int crossings = 0; crossings < 5;) {
    *drift = fmax(*drift, linkage_step(&l, h));
    const double now = angle_of(&l, body);
    if (before * now <= 0.0) {
      last = l.state.time - h * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  linkage_release(&l);
  return 0.5 * (last - first) - 4.0 * elliptic_integral(sin(0.5)) / sqrt(1.5 * G);
}

// With Phi/h the joint stays open by what one step adds, h^2 w^2 L/2 to leading order: the centre moves along its
// tangent. The largest w^2 is 3 g (1 - cos 1)/L.
static void pendulums_keep_time_and_stay_closed(void **state)
{
  (void)state;
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space) {
    double drift[2];
    const double coarse = period_error((ts_space)space, 2e-3, &drift[0]);
    const double fine = period_error((ts_space)space, 1e-3, &drift[1]);
    print_message("pendulum: period off by %.2e, %.2e s; joint open by %.2e, %.2e m at h = 2, 1 ms\n", coarse, fine,
                  drift[0], drift[1]);
    assert_true(fabs(fine) < 1e-5 && fabs(coarse) < 4e-5); // symplectic: of second order
    assert_true(fabs(drift[0] / drift[1] - 4.0) < 0.1);
    const double largest = 3.0 * G * (1.0 - cos(1.0)), leading = 0.25 * 1e-6 * largest;
    assert_true(drift[1] < 2.0 * leading && drift[1] > 0.2 * leading);
  }
}

// ---- thesis 2.7.1 --------------------------------------------------------------------------------------------------

static int double_pendulum(linkage *l, ts_space space)
{
  linkage_init(l, space);
  const ts_vec3 P = hang(NONE, TS_PI / 3.0, 1.0);
  const int A = rod(l, NONE, P, 1.0), B = rod(l, P, hang(P, TS_PI / 6.0, 1.0), 1.0);
  linkage_joint(l, TS_JOINT_REVOLUTE, TS_WORLD, A, NONE, Z, NONE);
  linkage_joint(l, TS_JOINT_REVOLUTE, A, B, P, Z, NONE);
  linkage_start(l);
  return A;
}

// Largest difference to the reference over 2 s.
static double thesis_error(ts_space space, double h)
{
  FILE *file = fopen(TEST_DATA "/thesis_2_7/example_1.csv", "r");
  assert_non_null(file);
  char line[512];
  linkage l;
  const int A = double_pendulum(&l, space), every = (int)lround(2e-2 / h);
  double worst = 0.0, t, a, b;
  assert_non_null(fgets(line, sizeof line, file));
  for (int row = 0; fgets(line, sizeof line, file); ++row) {
    assert_int_equal(sscanf(line, "%lf,%lf,%lf", &t, &a, &b), 3);
    for (int i = 0; i < every && row > 0; ++i) linkage_step(&l, h);
    worst = fmax(worst, fmax(fabs(angle_of(&l, A) - a), fabs(angle_of(&l, A + 1) - b)));
  }
  fclose(file);
  linkage_release(&l);
  return worst;
}

// reference-numbers.md 8, example 1: 3.3e-2, 3.5e-3 and 1.7e-3 at h = 10, 1 and 0.5 ms, order 1.
static void the_two_bar_pendulum_of_the_thesis(void **state)
{
  (void)state;
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space) {
    const double coarse = thesis_error((ts_space)space, 1e-2);
    const double middle = thesis_error((ts_space)space, 1e-3), fine = thesis_error((ts_space)space, 5e-4);
    print_message("two-bar pendulum: errors %.4e, %.4e, %.4e\n", coarse, middle, fine);
    assert_true(fabs(coarse - 3.3e-2) < 0.06e-2 && fabs(middle - 3.5e-3) < 0.06e-3 && fabs(fine - 1.7e-3) < 0.06e-3);
    assert_true(fabs(middle / fine - 2.0) < 0.05);
  }
}

// Energy is lost at first order in h, and little of it.
static void double_pendulums_keep_their_energy(void **state)
{
  (void)state;
  double lost[2];
  for (int fine = 0; fine < 2; ++fine) {
    linkage l;
    double_pendulum(&l, TS_SPACE_3D);
    const double h = fine ? 5e-4 : 1e-3, start = energy(&l);
    lost[fine] = 0.0;
    for (int i = 0; i < (int)lround(2.0 / h); ++i) {
      linkage_step(&l, h);
      lost[fine] = fmax(lost[fine], fabs(energy(&l) - start));
    }
    linkage_release(&l);
  }
  print_message("double pendulum: energy off by %.2e, %.2e J of 13\n", lost[0], lost[1]);
  assert_true(lost[0] < 0.05 && fabs(lost[0] / lost[1] - 2.0) < 0.2);
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// reference-numbers.md 7, FB1: falls from crank angle 2.0 rad at rest; at 0.4 s, before the first impact, it is
// 3.122928718360. In space three of the twenty rows are redundant.
static double four_bar_error(ts_space space, double h, double *drift)
{
  linkage l;
  linkage_init(&l, space);
  const ts_vec3 A = {0.0, 1.0, 0.0}, D = {1.0, 1.0, 0.0};
  const ts_vec3 B = {A.x + 0.4 * cos(2.0), A.y + 0.4 * sin(2.0), 0.0};
  // C at 1 from B and 0.8 from D, to the left of B -> D
  const ts_vec3 line = ts_sub(D, B);
  const double d = ts_length(line), along = (d * d + 1.0 - 0.64) / (2.0 * d), off = sqrt(1.0 - along * along);
  const ts_vec3 u = ts_scale(1.0 / d, line), left = {-u.y, u.x, 0.0};
  const ts_vec3 C = ts_add_scaled(ts_add_scaled(B, along, u), off, left);
  const int crank = rod(&l, A, B, 1.0), coupler = rod(&l, B, C, 2.0), rocker = rod(&l, C, D, 1.5);
  linkage_joint(&l, TS_JOINT_REVOLUTE, TS_WORLD, crank, A, Z, NONE);
  linkage_joint(&l, TS_JOINT_REVOLUTE, crank, coupler, B, Z, NONE);
  linkage_joint(&l, TS_JOINT_REVOLUTE, coupler, rocker, C, Z, NONE);
  linkage_joint(&l, TS_JOINT_REVOLUTE, TS_WORLD, rocker, D, Z, NONE);
  linkage_start(&l);
  *drift = 0.0;
  for (int i = 0; i < (int)lround(0.4 / h); ++i) *drift = fmax(*drift, linkage_step(&l, h));
  const double angle = 2.0 + ts_joint_position(&l.model, &l.state, &l.kinematics, 0, NULL);
  linkage_release(&l);
  return fabs(angle - 3.122928718360);
}

static void a_four_bar_linkage_falls(void **state)
{
  (void)state;
  for (int space = TS_SPACE_3D; space <= TS_SPACE_2D; ++space) {
    double drift[2];
    const double coarse = four_bar_error((ts_space)space, 1e-3, &drift[0]);
    const double fine = four_bar_error((ts_space)space, 5e-4, &drift[1]);
    print_message("four-bar: crank off by %.2e, %.2e rad; joints open by %.1e, %.1e\n", coarse, fine, drift[0],
                  drift[1]);
    assert_true(coarse < 4.5e-3 && fabs(coarse / fine - 2.0) < 0.1);
    assert_true(drift[0] < 2e-5 && fabs(drift[0] / drift[1] - 4.0) < 0.4);
  }
}

// ---- conservation --------------------------------------------------------------------------------------------------

// A free chain in the plane: joints are inner impulses at common points, so momentum and angular momentum stay to
// round-off however coarse the steps are.
static void free_chains_conserve_momentum(void **state)
{
  (void)state;
  linkage l;
  linkage_init(&l, TS_SPACE_2D);
  ts_random random;
  ts_random_init(&random, 41);
  for (int i = 0; i < 6; ++i) {
    rod(&l, (ts_vec3){i, 0.0, 0.0}, (ts_vec3){i + 1.0, 0.0, 0.0}, 1.0 + i);
    l.model.bodies[i].gravity = NONE;
    if (i > 0) linkage_joint(&l, TS_JOINT_REVOLUTE, i - 1, i, (ts_vec3){i, 0.0, 0.0}, Z, NONE);
  }
  linkage_start(&l);
  for (int i = 0; i < 6; ++i)
    l.state.velocity[i] = (ts_twist){{0.0, ts_random_normal(&random), 0.0}, {0.0, 0.0, ts_random_normal(&random)}};
  linkage_step(&l, 1e-2);
  double before[3], after[3];
  for (int pass = 0; pass < 2; ++pass) {
    double *sum = pass ? after : before;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int i = 0; i < 6; ++i) {
      const ts_body *body = &l.model.bodies[i];
      const ts_vec3 p = ts_scale(body->mass, l.state.velocity[i].linear);
      sum[0] += p.x;
      sum[1] += p.y;
      sum[2] += ts_cross(l.state.pose[i].position, p).z + body->inertia.z.z * l.state.velocity[i].angular.z;
    }
    if (pass == 0)
      for (int i = 0; i < 500; ++i) linkage_step(&l, 1e-2);
  }
  for (int k = 0; k < 3; ++k) assert_true(fabs(after[k] - before[k]) < 1e-11 * (1.0 + fabs(before[k])));
  linkage_release(&l);
}

// Every kind of joint, each between two bodies that tumble in space, stays closed.
static void every_joint_holds(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 42);
  for (int kind = 0; kind < TS_JOINT_COUNT; ++kind) {
    linkage l;
    linkage_init(&l, TS_SPACE_3D);
    const int parent = linkage_random_body(&l, TS_DYNAMIC, &random),
              child = linkage_random_body(&l, TS_DYNAMIC, &random);
    linkage_joint(&l, (ts_joint_kind)kind, parent, child, random_in_cube(&random, 1.0), random_direction(&random),
                  NONE);
    linkage_start(&l);
    for (int i = 0; i < 2; ++i)
      l.state.velocity[i] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    double error = 0.0;
    for (int i = 0; i < 2000; ++i) error = fmax(error, linkage_step(&l, 1e-3));
    assert_true(error < 1e-5); // a few h^2 w^2
    linkage_release(&l);
  }
}

// A joint that was torn open closes at once: the correction is a step of Newton's method.
static void open_joints_close(void **state)
{
  (void)state;
  linkage l;
  linkage_init(&l, TS_SPACE_3D);
  const int body = rod(&l, NONE, (ts_vec3){1.0, 0.0, 0.0}, 1.0);
  l.model.bodies[body].gravity = NONE;
  linkage_joint(&l, TS_JOINT_WELD, TS_WORLD, body, NONE, Z, NONE);
  linkage_start(&l);
  l.state.pose[body] = (ts_pose){{0.6, 0.1, -0.1}, ts_quat_exp((ts_vec3){0.1, 0.3, -0.2})};
  linkage_refresh(&l);
  double error[4];
  for (int i = 0; i < 4; ++i) {
    error[i] = linkage_step(&l, 1e-3);
    l.state.velocity[body] = (ts_twist){NONE, NONE};
  }
  assert_true(error[1] < 0.2 * error[0] && error[2] < 0.05 * error[1] && error[3] < 1e-4 * error[2] + 1e-12);
  linkage_release(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulums_keep_time_and_stay_closed),
      cmocka_unit_test(the_two_bar_pendulum_of_the_thesis),
      cmocka_unit_test(double_pendulums_keep_their_energy),
      cmocka_unit_test(a_four_bar_linkage_falls),
      cmocka_unit_test(free_chains_conserve_momentum),
      cmocka_unit_test(every_joint_holds),
      cmocka_unit_test(open_joints_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
