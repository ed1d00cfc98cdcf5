// The stepper `quasistatic` against closed forms, published steps, and minima of dissipation that other code finds.
#include "planar_oracles.h"
#include "scene_run.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;

// ---- the needle ----

// reference-numbers.md 12: the steps of another program, in mm and rad.
static void needle(void **state)
{
  (void)state;
  static const double expected[][4] = {{0.02, 1.1224993, -0.2347598, -0.2429145},
                                       {0.01, 1.1224729, -0.2348094, -0.2430216},
                                       {0.005, 1.1224616, -0.2348260, -0.2430665},
                                       {0.0025, 1.1224564, -0.2348322, -0.2430867}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    char size[40];
    snprintf(size, sizeof size, "step.size=%g", expected[i][0]);
    const char *const overrides[] = {size};
    scene_run r = scene_run_start(EXAMPLES "/needle_push/needle.yaml", overrides, 1);
    scene_run_to(&r, 1.2);
    const ts_vec3 at = scene_run_position(&r, "peg");
    assert_near(1e3 * at.x, expected[i][1], 1e-6);
    assert_near(1e3 * at.y, expected[i][2], 1e-6);
    assert_near(ts_sim_angle(r.sim, scene_run_body(&r, "peg")), expected[i][3], 1e-6);
    scene_run_end(&r);
  }
}

// The needle sticks to the peg in all steps, and inertia is no matter at 1 mm/s.
static void needle_with_inertia(void **state)
{
  (void)state;
  const char *const overrides[] = {"step.method=stewart-trinkle", "step.size=0.0025"};
  scene_run r = scene_run_start(EXAMPLES "/needle_push/needle.yaml", overrides, 2);
  scene_run_to(&r, 1.2);
  const ts_vec3 at = scene_run_position(&r, "peg");
  assert_vec_near((ts_vec3){1e3 * at.x, 1e3 * at.y, 0.0}, (ts_vec3){1.12245, -0.23484, 0.0}, 5e-4);
  scene_run_end(&r);
}

// ---- the fence ----

static ts_vec3 fence_end(const char *file, const char *const *overrides, int count, bool *unique)
{
  scene_run r = scene_run_start(file, overrides, count);
  *unique = true;
  for (int k = 1; k <= 200; ++k) {
    scene_run_to(&r, 0.01 * k);
    *unique = *unique && ts_sim_report(r.sim)->unique;
  }
  const ts_vec3 at = scene_run_position(&r, "particle");
  scene_run_end(&r);
  return at;
}

static const char *const FENCES[] = {EXAMPLES "/fence_particle/fence.yaml", EXAMPLES "/fence_particle/fence_3d.yaml"};

// The fence's largest place in a step of 0.01 s is at 1.57 s. From there on the particle moves along the edge of the
// fence's cone: dy = mu dx, from x = 0.7 on.
static void fence_on_its_cone(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    bool unique;
    const ts_vec3 at = fence_end(FENCES[k], NULL, 0, &unique);
    const double x = 0.5 + 0.4 * sin(1.57);
    assert_near(at.x, x, 1e-8);
    assert_near(at.y, 0.5 * (x - 0.7), 1e-8);
    assert_true(unique);
  }
}

// With a polygon of directions the particle moves along the normal of the polygon's edge that the force is on.
static void fence_on_polygons(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k)
    for (int directions = 4; directions <= 32; directions *= 2) {
      char cone[100];
      snprintf(cone, sizeof cone, "step.cone={polyhedral: {directions: %d, align: fixed, angle: 0}}", directions);
      const char *const overrides[] = {cone};
      bool unique;
      const ts_vec3 at = fence_end(FENCES[k], overrides, 1, &unique);
      const double s = 2.0 * TS_PI / directions, x = 0.5 + 0.4 * sin(1.57);
      assert_near(at.x, x, 1e-6);
      assert_near(at.y, tan((floor(atan(0.5) / s) + 0.5) * s) * (x - 0.7), 1e-6);
    }
}

// A rough fence takes the particle along while 0.4 cos t > 1/3, then slides upwards along it. In steps: where the
// fence's way up is less than 3 times its way to the right, the particle goes as the fence does.
static void fence_that_sticks(void **state)
{
  (void)state;
  double x = 0.7, y = 0.0;
  for (int k = 1; k <= 200; ++k) {
    const double fence = 0.5 + 0.4 * sin(0.01 * k), dx = fence - x;
    if (dx <= 0.0) continue;
    y += fmin(0.01, 3.0 * dx);
    x = fence;
  }
  assert_near(y, 0.59901, 1e-5);
  for (int k = 0; k < 2; ++k) {
    static const char *const overrides[] = {"pairs.1.friction=3"};
    bool unique;
    const ts_vec3 at = fence_end(FENCES[k], overrides, 1, &unique);
    assert_near(at.x, x, 1e-7);
    assert_near(at.y, y, 1e-7);
  }
}

// Without friction every place between fence and wall will do: the least motion is taken, and it is said.
static void fence_without_friction(void **state)
{
  (void)state;
  static const char *const flat[] = {"particle.support.friction=0", "pairs.0.friction=0", "pairs.1.friction=0"};
  static const char *const space[] = {"contact.friction=0", "pairs.0.friction=0", "pairs.1.friction=0"};
  for (int k = 0; k < 2; ++k) {
    bool unique;
    const ts_vec3 at = fence_end(FENCES[k], k == 0 ? flat : space, 3, &unique);
    assert_near(at.x, 0.5 + 0.4 * sin(1.57), 1e-6);
    assert_near(at.y, 0.0, 1e-6);
    assert_false(unique);
  }
}

// ---- closed forms ----

// A box of 0.2 m x 0.2 m and 1 kg on `points` with `loads`, and a smooth finger on its left face at height y that moves
// with velocity (vx, vy).
static int write_push(char *text, size_t room, const planar_supports *s, const double *loads, double friction, double y,
                      double vx, double vy, double finger_friction, const char *more)
{
  int at =
      snprintf(text, room,
               "touchstone: 1\nspace: 2.5d\ncontact: {friction: %.17g}\nbodies:\n"
               "  - {name: finger, kind: kinematic, shape: {disc: {radius: 0.01}}, position: [-0.11, %.17g], motion: "
               "{displacement: [{polynomial: [0, %.17g]}, {polynomial: [0, %.17g]}]}}\n"
               "  - name: box\n    mass: 1\n    inertia: 0.01\n    shape: {box: {size: [0.2, 0.2]}}\n%s"
               "    support:\n      friction: %.17g\n      points:\n",
               finger_friction, y, vx, vy, more, friction);
  for (int i = 0; i < s->count; ++i)
    at += snprintf(text + at, room - (size_t)at, "        - [%.17g, %.17g]\n", s->at[i][0], s->at[i][1]);
  for (int i = 0; i < s->count && loads; ++i)
    at += snprintf(text + at, room - (size_t)at, i == 0 ? "      loads: [%.17g" : ", %.17g", loads[i]);
  at += snprintf(text + at, room - (size_t)at, "%sstep: {method: quasistatic, size: 1e-4, tolerance: 1e-12}\n",
                 loads ? "]\n" : "");
  return at;
}

static planar_supports ring(double radius, int count, double grip)
{
  planar_supports s = {.count = count};
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * TS_PI * (i + 0.5) / count;
    s.at[i][0] = radius * cos(angle);
    s.at[i][1] = radius * sin(angle);
    s.grip[i] = grip / count;
  }
  return s;
}

static double finger_force(const scene_run *r)
{
  int count;
  double sum = 0.0;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  const int finger = scene_run_body(r, "finger");
  for (int i = 0; i < count; ++i)
    if (contacts[i].body_2 == finger) sum += contacts[i].impulse[0] / ts_sim_options(r->sim)->size;
  return sum;
}

static char text[40000];

// Through the centre a push takes mu m g, and the box does not turn.
static void pure_translation(void **state)
{
  (void)state;
  static const double even[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const planar_supports s = ring(0.07, 16, 0.3 * G);
  write_push(text, sizeof text, &s, even, 0.3, 0.0, 0.01, 0.0, 0.0, "");
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 0.01);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
  assert_vec_near(v.linear, (ts_vec3){0.01, 0.0, 0.0}, 1e-9);
  assert_near(v.angular.z, 0.0, 1e-8);
  assert_near(finger_force(&r), 0.3 * G, 1e-7);
  scene_run_end(&r);
}

// On a pin through its centre the box takes the moment mu sum N r: the finger's force times its arm.
static void pure_rotation(void **state)
{
  (void)state;
  planar_supports s = {.count = 3, .at = {{0.08, 0.0}, {-0.05, 0.06}, {-0.05, -0.03}}};
  double loads[3];
  assert_true(planar_loads(s.at, (const double[2]){0.0, 0.0}, G, loads));
  double moment = 0.0;
  for (int i = 0; i < 3; ++i) moment += 0.3 * loads[i] * hypot(s.at[i][0], s.at[i][1]);
  write_push(text, sizeof text, &s, NULL, 0.3, 0.06, 0.01, 0.0, 0.0, "    joint: {type: revolute, at: [0, 0]}\n");
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 1e-4);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
  assert_near(v.linear.x, 0.0, 1e-9);
  assert_near(v.angular.z, -0.01 / 0.06, 1e-6);
  assert_near(finger_force(&r) * 0.06, moment, 1e-7);
  scene_run_end(&r);
}

// Where the moment of friction about the centre is the force times the arm: the centre of rotation of a ring that is
// pushed along a line at that distance from its centre. It lies outside of the ring while the arm is less than the
// radius.
static double ring_centre(double R, double arm, double *force)
{
  double low = arm < R ? R * 1.000001 : 1e-6 * R, high = arm < R ? 100.0 * R : R * 0.999999, moment;
  for (int k = 0; k < 200; ++k) {
    const double c = 0.5 * (low + high);
    planar_ring(R, c, force, &moment);
    *(moment > arm * *force ? &low : &high) = c;
  }
  return low;
}

// Force, centre and rate of rotation by elliptic integrals. Points in place of the ring change sums by (R/c)^48 or
// (c/R)^48.
static void rings(void **state)
{
  (void)state;
  enum { POINTS = 48 };
  static double even[POINTS];
  static const double arms[] = {0.2, 0.4, 2.5};
  const double R = 0.035;
  const planar_supports s = ring(R, POINTS, 0.3 * G);
  for (int i = 0; i < POINTS; ++i) even[i] = 1.0;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    double force;
    const double arm = arms[k] * R, c = ring_centre(R, arm, &force), other = fmin(c / R, R / c);
    assert_true(pow(other, POINTS) < 1e-7);
    write_push(text, sizeof text, &s, even, 0.3, arm, 0.01, 0.0, 0.0, "");
    scene_run r = scene_run_text(text);
    scene_run_to(&r, 1e-4);
    const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
    assert_near(-v.linear.x / v.angular.z, c, 1e-6 * c);
    assert_near(v.angular.z, -0.01 / (c + arm), 1e-6 * 0.01 / R);
    assert_near(finger_force(&r), 0.3 * G * force, 1e-6 * G);
    scene_run_end(&r);
  }
}

// At its rim a ring turns about the point of the rim on the other side, and the force is 2/pi of mu m g. With n points,
// none of which is there, sums differ from the integral of |cos| by its kink: by (pi/n)^2 / 6 where they are evenly
// spaced.
static void ring_at_its_rim(void **state)
{
  (void)state;
  enum { POINTS = 48 };
  static double even[POINTS];
  const double R = 0.06, turn = TS_PI / POINTS;
  const planar_supports s = ring(R, POINTS, 0.3 * G);
  for (int i = 0; i < POINTS; ++i) even[i] = 1.0;
  write_push(text, sizeof text, &s, even, 0.3, R, 0.01, 0.0, 0.0, "");
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 1e-4);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
  assert_near(-v.linear.x / v.angular.z, R, 1e-6 * R);
  assert_near(v.angular.z, -0.01 / (2.0 * R), 1e-6);
  assert_near(finger_force(&r), 0.3 * G * 2.0 / TS_PI, 0.3 * G * turn * turn / 6.0);
  scene_run_end(&r);
}

// ---- least dissipation ----

// Points about the origin with loads that balance there: the weighted mean is taken off.
static void random_supports(ts_random *random, int count, planar_supports *s, double *loads)
{
  double mean[2] = {0.0, 0.0}, all = 0.0;
  s->count = count;
  for (int i = 0; i < count; ++i) {
    loads[i] = ts_random_uniform(random, 0.2, 1.0);
    all += loads[i];
    for (int k = 0; k < 2; ++k) {
      s->at[i][k] = ts_random_uniform(random, -0.09, 0.09);
      mean[k] += loads[i] * s->at[i][k];
    }
  }
  for (int i = 0; i < count; ++i) {
    s->grip[i] = 0.3 * G * loads[i] / all;
    for (int k = 0; k < 2; ++k) s->at[i][k] -= mean[k] / all;
  }
}

static bool on_a_line(const planar_supports *s)
{
  const double ax = s->at[1][0] - s->at[0][0], ay = s->at[1][1] - s->at[0][1];
  const double bx = s->at[2][0] - s->at[0][0], by = s->at[2][1] - s->at[0][1];
  return s->count == 3 && fabs(ax * by - ay * bx) < 1e-3;
}

// 300 boxes on 3 to 12 points, pushed at any angle by a finger that rubs: twist and force of one step. The finger is
// where it ends the step, the box where it begins it, which is what the step's gaps are.
static void random_pushes(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 15);
  int modes[5] = {0};
  for (int trial = 0; trial < 300; ++trial) {
    planar_supports s;
    double loads[12];
    random_supports(&random, 3 + trial % 10, &s, loads);
    if (on_a_line(&s)) continue;
    const double y = ts_random_uniform(&random, -0.09, 0.09), mu = ts_random_uniform(&random, 0.0, 0.8);
    const double direction = ts_random_uniform(&random, -1.3, 1.3), h = 1e-4;
    const double v[2] = {0.01 * cos(direction), 0.01 * sin(direction)};
    const planar_finger finger = {
        .at = {-0.1, y + h * v[1]}, .normal = {1.0, 0.0}, .velocity = {v[0], v[1]}, .friction = mu};
    const planar_push expected = planar_push_of(&s, &finger);
    modes[expected.mode] += 1;
    write_push(text, sizeof text, &s, loads, 0.3, y, v[0], v[1], mu, "");
    scene_run r = scene_run_text(text);
    scene_run_to(&r, h);
    const ts_twist got = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
    assert_near(got.linear.x, expected.twist[0], 1e-8 * 0.01);
    assert_near(got.linear.y, expected.twist[1], 1e-8 * 0.01);
    assert_near(got.angular.z, expected.twist[2], 1e-8 * 0.01 / 0.1);
    assert_near(finger_force(&r), expected.force[0], 1e-6 * G);
    scene_run_end(&r);
  }
  assert_true(modes[PLANAR_STICK] > 50 && modes[PLANAR_SLIDE_LEFT] > 30 && modes[PLANAR_SLIDE_RIGHT] > 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(needle),
      cmocka_unit_test(needle_with_inertia),
      cmocka_unit_test(fence_on_its_cone),
      cmocka_unit_test(fence_on_polygons),
      cmocka_unit_test(fence_that_sticks),
      cmocka_unit_test(fence_without_friction),
      cmocka_unit_test(pure_translation),
      cmocka_unit_test(pure_rotation),
      cmocka_unit_test(rings),
      cmocka_unit_test(ring_at_its_rim),
      cmocka_unit_test(random_pushes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
