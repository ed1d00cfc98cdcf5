// The scenes of examples/compliant_bounce: four balls against the closed form with weight, and the box of the thesis'
// Figure 2.7 at rest.
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

#define SCENES EXAMPLES "/compliant_bounce/"
static const double G = 9.81, K = 1e5, FALL = 1.0, RADIUS = 0.1;

// A ball of 1 kg that is pressed in by x after t: x'' = g - k x - c x', from 0 with the speed of the fall.
static void press_in(double c, double t, double *x, double *rate)
{
  const double v = sqrt(2.0 * G * FALL), decay = 0.5 * c, rest = G / K, square = K - decay * decay;
  const double w = sqrt(fmax(square, 1e-12)), a = -rest, b = (v + decay * a) / w, d = exp(-decay * t);
  *x = rest + d * (a * cos(w * t) + b * sin(w * t));
  *rate = d * ((b * w - decay * a) * cos(w * t) - (a * w + decay * b) * sin(w * t));
}

// How high it comes after it has left: where the spring would begin to pull.
static double rebound(double c)
{
  double low = 1e-6, high = 1.2 * TS_PI / sqrt(K), x, rate;
  for (int k = 0; k < 200; ++k) {
    const double t = 0.5 * (low + high);
    press_in(c, t, &x, &rate);
    *(K * x + c * rate > 0.0 ? &low : &high) = t;
  }
  return rate * rate / (2.0 * G) - x;
}

static void balls_come_as_high_as_dampers_let_them(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double damping;
  } balls[] = {{"elastic", 0.0}, {"lively", 63.2456}, {"dull", 189.7367}, {"dead", 632.4555}};
  scene_run r = scene_run_start(SCENES "bounce.yaml", NULL, 0);
  double highest[4] = {0};
  bool fell[4] = {false}, again[4] = {false};
  while (ts_sim_time(r.sim) < 1.0 - 1e-9) {
    scene_run_to(&r, ts_sim_time(r.sim) + 2e-3);
    for (int k = 0; k < 4; ++k) {
      const double z = scene_run_position(&r, balls[k].name).z - RADIUS;
      const double v = ts_sim_velocity(r.sim, scene_run_body(&r, balls[k].name)).linear.z;
      fell[k] = fell[k] || z <= 0.0 || (z < 0.1 && v > 0.0);
      again[k] = again[k] || (fell[k] && v < 0.0 && highest[k] > 0.0);
      if (fell[k] && !again[k] && v > 0.0) highest[k] = fmax(highest[k], z + v * v / (2.0 * G));
    }
  }
  // errors of a thousandth of the speed are two of the height
  for (int k = 0; k < 4; ++k) assert_near(highest[k], rebound(balls[k].damping), 2e-3 * FALL);
  scene_run_end(&r);
}

static void box_rests(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "box_drops.yaml", NULL, 0);
  scene_run_to(&r, 1.5);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
  assert_true(ts_length(v.linear) + ts_length(v.angular) < 1e-9);
  assert_near(scene_run_position(&r, "box").z, 0.05 - 2.0 * G / (4.0 * 1e6), 1e-12);
  int count;
  const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 4);
  for (int i = 0; i < count; ++i) assert_near(contacts[i].impulse[0], 2.0 * G / 4.0 * 1e-3, 1e-10);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_come_as_high_as_dampers_let_them),
      cmocka_unit_test(box_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
