// A ball that spins while it lands on a soft floor, without gravity: the moment of friction is mu e_z times the normal
// force, so that the spin loses mu e_z/I of the momentum that the ball gains upwards, and ends at 0 without turning
// back.
#include "scene_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

static const double MASS = 1.0, RADIUS = 0.1, SPEED = 2.0, FRICTION = 0.4, ARM = 0.05;

// It touches the floor at once.
static scene_run drop(double spin, double stiffness, double damping, double size)
{
  char text[1000];
  snprintf(text, sizeof text,
           "touchstone: 1\ngravity: [0, 0, 0]\n"
           "contact: {friction: %g, ellipsoid: [1, 1, %g], stiffness: %g, damping: %g}\n"
           "bodies:\n"
           "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "  - {name: ball, mass: %g, shape: {sphere: {radius: %g}}, position: [0, 0, %g], velocity: [0, 0, %g],"
           " angular_velocity: [0, 0, %g]}\n"
           "step: {method: compliant, tolerance: 1e-10, size: %g}\n",
           FRICTION, ARM, stiffness, damping, MASS, RADIUS, RADIUS, -SPEED, spin, size);
  return scene_run_text(text);
}

static ts_twist step(scene_run *r)
{
  ts_error error = {0};
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(ts_sim_report(r->sim)->certified);
  return ts_sim_velocity(r->sim, scene_run_body(r, "ball"));
}

static void spin_loses_what_the_normal_force_makes(void **state)
{
  (void)state;
  static const double dampings[] = {0.0, 20.0, 300.0};
  const double inertia = 0.4 * MASS * RADIUS * RADIUS, start = 60.0;
  for (size_t k = 0; k < sizeof dampings / sizeof *dampings; ++k) {
    scene_run r = drop(start, 4000.0, dampings[k], 1e-3);
    ts_twist v = {.linear.z = -SPEED};
    while (ts_sim_time(r.sim) < 0.1) v = step(&r);
    assert_true(v.linear.z >= -1e-6 && v.angular.z > 0.0);
    assert_near(v.angular.z, start - FRICTION * ARM * MASS * (v.linear.z + SPEED) / inertia, 1e-9 * start);
    scene_run_end(&r);
  }
}

// Spins that the first parts of the landing stop, where the damper alone presses.
static void spin_that_stops_stays_stopped(void **state)
{
  (void)state;
  static const double spins[] = {0.01, 0.1, 0.5, 2.0}, dampings[] = {20.0, 300.0}, sizes[] = {1e-3, 1e-2};
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 2; ++j)
      for (size_t k = 0; k < 2; ++k) {
        scene_run r = drop(spins[i], 4000.0, dampings[j], sizes[k]);
        double before = spins[i];
        while (ts_sim_time(r.sim) < 0.05) {
          const double spin = step(&r).angular.z;
          if (!(spin >= -1e-9 && spin <= before + 1e-12)) fail_msg("%g: %g after %g", spins[i], spin, before);
          before = spin;
        }
        assert_near(before, 0.0, 1e-9);
        scene_run_end(&r);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(spin_loses_what_the_normal_force_makes),
                                     cmocka_unit_test(spin_that_stops_stays_stopped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
