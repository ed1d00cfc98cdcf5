// examples/rolling_bodies: what rolls keeps its energy on patches as it does on points; prisms lose it; and Euler's
// disc against steady motion in closed form, to first order in h.
#include "scene_run.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

#define SCENES EXAMPLES "/rolling_bodies/"

static double energy_of(const scene_run *r)
{
  return ts_sim_report(r->sim)->kinetic_energy + ts_sim_report(r->sim)->potential_energy;
}

// The only contact, of the dimension that is asked for.
static void check_patch(const scene_run *r, int patch)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contacts[0].patch, patch);
}

static void cylinder_rolls_for_ever(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "cylinder.yaml", NULL, 0);
  for (int k = 1; k <= 1000; ++k) {
    scene_run_to(&r, 0.01 * k);
    assert_near(energy_of(&r), 0.75 + 0.981, 1e-10);
    check_patch(&r, 1);
  }
  assert_vec_near(scene_run_position(&r, "roller"), ((ts_vec3){10.0, 0.0, 0.1}), 1e-9);
  scene_run_end(&r);
}

// A prism of 24 sides falls from edge to edge.
static void prism_stops(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "prism.yaml", NULL, 0);
  scene_run_to(&r, 5.0);
  assert_true(ts_sim_report(r.sim)->kinetic_energy < 1e-3);
  scene_run_end(&r);
}

// What Euler's disc has lost after 0.1 s, and the mean rate at which its axis has turned about the vertical.
typedef struct motion {
  double lost, rate;
} motion;

static double azimuth(const scene_run *r)
{
  const ts_pose pose = ts_sim_pose(r->sim, scene_run_body(r, "disc"));
  const ts_vec3 axis = ts_quat_rotate(pose.orientation, (ts_vec3){0.0, 0.0, 1.0});
  return atan2(axis.y, axis.x);
}

static motion spin(const char *method, double h)
{
  char size[40];
  const char *const overrides[] = {method, size};
  snprintf(size, sizeof size, "step.size=%g", h);
  scene_run r = scene_run_start(SCENES "euler_disc.yaml", overrides, 2);
  const double first = azimuth(&r);
  double last = first, turned = 0.0;
  for (int k = 1; h * k < 0.1 + 0.5 * h; ++k) {
    scene_run_to(&r, h * k);
    turned += remainder(azimuth(&r) - last, 2.0 * TS_PI);
    last = azimuth(&r);
    check_patch(&r, 0);
  }
  const motion m = {0.152135482 - energy_of(&r), -turned / 0.1};
  scene_run_end(&r);
  return m;
}

// The loss and the error of the rate halve with h. Of the disc as it begins the rate is 47.335 rad/s; as long as energy
// is lost the tilt falls and the rate grows.
static void check_order(const char *method, double most_lost)
{
  motion before = {0.0, 0.0};
  for (int k = 0; k < 4; ++k) {
    const motion m = spin(method, 1e-3 / (1 << k));
    print_message("%s, h = %g ms: lost %.4f mJ, turns at %.4f rad/s\n", method, 1.0 / (1 << k), 1e3 * m.lost, m.rate);
    assert_true(m.lost > 0.0);
    if (k == 0) assert_true(m.lost < most_lost);
    if (k > 0) {
      assert_true(m.lost > 0.45 * before.lost && m.lost < 0.55 * before.lost);
      const double ratio = (m.rate - 47.33546690437473) / (before.rate - 47.33546690437473);
      assert_true(ratio > 0.0 && ratio < 0.6);
    }
    before = m;
  }
}

static void euler_disc_converges(void **state)
{
  (void)state;
  check_order("step.method=implicit", 12e-3);
  check_order("step.method=stewart-trinkle", 3e-3);
}

// It comes to lie on its face, and the contact says so. What is left is a turn about the vertical, which nothing
// resists.
static void euler_disc_lies_down(void **state)
{
  (void)state;
  const char *const overrides[] = {"step.size=0.001"};
  scene_run r = scene_run_start(SCENES "euler_disc.yaml", overrides, 1);
  scene_run_to(&r, 1.0);
  check_patch(&r, 2);
  assert_near(scene_run_position(&r, "disc").z, 0.5 * 0.0127, 1e-8);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "disc"));
  assert_true(hypot(v.angular.x, v.angular.y) < 1e-8 && ts_length(v.linear) < 1e-8);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cylinder_rolls_for_ever), cmocka_unit_test(prism_stops),
                                     cmocka_unit_test(euler_disc_converges), cmocka_unit_test(euler_disc_lies_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
