// Bodies on support points in worlds of 2.5 dimensions: loads by statics, and motion with inertia until rest, against
// an explicit integration and closed forms.
#include "planar_oracles.h"
#include "scene_run.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;
static char text[8000];

// The rows of the contact table that are support points of a body, in the order of the points; how many.
static int supports_of(const scene_run *r, const char *body, const ts_contact *rows[], int room)
{
  int count, found = 0;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; ++i)
    if (contacts[i].body_1 == scene_run_body(r, body) && fabs(contacts[i].normal.z) == 1.0 && found < room)
      rows[found++] = &contacts[i];
  return found;
}

static void check_load(const scene_run *r, const ts_contact *row, double load)
{
  assert_near(row->impulse[0] / ts_sim_options(r->sim)->size, load, 1e-12 * G);
}

// ---- loads ----

// reference-numbers.md 12.
static void loads_of_the_peg(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const char *const overrides[] = {k == 0 ? "step.method=quasistatic" : "step.method=stewart-trinkle"};
    scene_run r = scene_run_start(EXAMPLES "/needle_push/needle.yaml", overrides, 1);
    scene_run_to(&r, ts_sim_options(r.sim)->size);
    const ts_contact *rows[8];
    assert_int_equal(supports_of(&r, "peg", rows, 8), 3);
    check_load(&r, rows[0], 3.0 / 7.0 * 1e-3 * G);
    check_load(&r, rows[1], 2.0 / 7.0 * 1e-3 * G);
    check_load(&r, rows[2], 2.0 / 7.0 * 1e-3 * G);
    scene_run_end(&r);
  }
}

// The centre of mass is anywhere in the triangle, and the body is turned.
static void loads_of_random_tripods(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 3);
  for (int trial = 0; trial < 100; ++trial) {
    double at[3][2], share[3], all = 0.0, centre[2] = {0.0, 0.0}, loads[3];
    for (int i = 0; i < 3; ++i) all += share[i] = ts_random_uniform(&random, 0.05, 1.0);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 2; ++k) {
        at[i][k] = ts_random_uniform(&random, -1.0, 1.0);
        centre[k] += share[i] / all * at[i][k];
      }
    const double ax = at[1][0] - at[0][0], ay = at[1][1] - at[0][1], bx = at[2][0] - at[0][0], by = at[2][1] - at[0][1];
    if (fabs(ax * by - ay * bx) < 0.05) continue;
    assert_true(planar_loads(at, centre, 2.0 * G, loads));
    snprintf(
        text, sizeof text,
        "touchstone: 1\nspace: 2.5d\nbodies:\n  - {name: part, mass: 2, inertia: 0.1, centre: [%.17g, %.17g], angle: "
        "%.17g, support: {points: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]}}\nstep: {size: 1e-3}\n",
        centre[0], centre[1], ts_random_uniform(&random, -3.0, 3.0), at[0][0], at[0][1], at[1][0], at[1][1], at[2][0],
        at[2][1]);
    scene_run r = scene_run_text(text);
    scene_run_to(&r, 1e-3);
    const ts_contact *rows[8];
    assert_int_equal(supports_of(&r, "part", rows, 8), 3);
    for (int i = 0; i < 3; ++i) {
      assert_near(loads[i], share[i] / all * 2.0 * G, 1e-9 * G); // the triangle was built backwards
      assert_near(rows[i]->impulse[0] / 1e-3, loads[i], 1e-9 * G);
    }
    scene_run_end(&r);
  }
}

// Loads of many points are corrected: they bear the weight, at the centre of mass.
static void loads_of_many_points(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\nspace: 2.5d\nbodies:\n  - {name: part, mass: 2, shape: {box: {size: [1, 1]}}, support: {points: "
      "[[.4, "
      ".4], [-.4, .3], [-.4, -.4], [.2, -.4], [0, .1]], loads: [1, 2, 1.5, 1, 1]}}\nstep: {size: 1e-3}\n");
  scene_run_to(&r, 1e-3);
  const ts_contact *rows[8];
  double sum = 0.0, mx = 0.0, my = 0.0;
  assert_int_equal(supports_of(&r, "part", rows, 8), 5);
  for (int i = 0; i < 5; ++i) {
    const double load = rows[i]->impulse[0] / 1e-3;
    assert_true(load > 0.0);
    sum += load;
    mx += load * rows[i]->arm_1.x;
    my += load * rows[i]->arm_1.y;
  }
  assert_near(sum, 2.0 * G, 1e-10);
  assert_near(mx, 0.0, 1e-10);
  assert_near(my, 0.0, 1e-10);
  scene_run_end(&r);
}

// ---- motion ----

static void write_sliding_part(double h)
{
  snprintf(text, sizeof text,
           "touchstone: 1\nspace: 2.5d\nbodies:\n  - {name: part, mass: 1, inertia: 0.4, velocity: [1, 0.5], "
           "angular_velocity: 3, support: {points: [[.8, 0], [-.6, .35], [-.6, -.35]], friction: 0.3}}\n"
           "step: {size: %.17g, tolerance: 1e-12}\n",
           h);
}

// Time, place and angle of rest by steps of length h. The time: where the last kinetic speed runs out.
static planar_slide slide_by_steps(double h)
{
  write_sliding_part(h);
  scene_run r = scene_run_text(text);
  const int part = scene_run_body(&r, "part");
  planar_slide end = {0};
  for (int k = 1; end.time == 0.0 && k < 100000; ++k) {
    scene_run_to(&r, h * k);
    const ts_twist v = ts_sim_velocity(r.sim, part);
    if (hypot(hypot(v.linear.x, v.linear.y), v.angular.z) < 1e-9) end.time = h * k;
  }
  end.way[0] = ts_sim_pose(r.sim, part).position.x;
  end.way[1] = ts_sim_pose(r.sim, part).position.y;
  end.angle = ts_sim_angle(r.sim, part);
  scene_run_end(&r);
  return end;
}

// It slides for 0.69477 s and turns by 0.96487 rad. Steps of length h are of first order.
static void part_comes_to_rest(void **state)
{
  (void)state;
  planar_supports s = {.count = 3, .at = {{0.8, 0.0}, {-0.6, 0.35}, {-0.6, -0.35}}};
  double loads[3];
  assert_true(planar_loads(s.at, (const double[2]){0.0, 0.0}, G, loads));
  for (int i = 0; i < 3; ++i) s.grip[i] = 0.3 * loads[i];
  const planar_slide exact = planar_slide_to_rest(&s, 1.0, 0.4, (const double[3]){1.0, 0.5, 3.0}, 1e-3);
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 5e-4 : 2.5e-4;
    const planar_slide end = slide_by_steps(h);
    assert_near(end.time, exact.time, 1e-3);
    assert_near(end.angle, exact.angle, 1e-3);
    assert_near(end.way[0], exact.way[0], 1e-3);
    assert_near(end.way[1], exact.way[1], 1e-3);
    error[k] = fabs(end.angle - exact.angle);
  }
  assert_true(error[1] < 0.7 * error[0]);
}

// A ring of points at radius R that spins about its centre slows down by mu m g R / I.
static void ring_spins_down(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\nspace: 2.5d\nbodies:\n  - {name: part, mass: 2, inertia: 0.1, angular_velocity: 5, support: "
      "{points: "
      "[[.2, 0], [0, .2], [-.2, 0], [0, -.2]], loads: [1, 1, 1, 1], friction: 0.4}}\nstep: {size: 1e-3, tolerance: "
      "1e-13}\n");
  scene_run_to(&r, 0.2);
  const double slowing = 0.4 * 2.0 * G * 0.2 / 0.1;
  assert_near(ts_sim_velocity(r.sim, scene_run_body(&r, "part")).angular.z, 5.0 - slowing * 0.2, 1e-9);
  scene_run_to(&r, 5.0 / slowing + 1e-3);
  assert_near(ts_sim_velocity(r.sim, scene_run_body(&r, "part")).angular.z, 0.0, 1e-12);
  scene_run_end(&r);
}

// A belt at 1 m/s takes a part along: at mu g for 1/(mu g) s, then with it.
static void belt_takes_along(void **state)
{
  (void)state;
  scene_run r = scene_run_text("touchstone: 1\nspace: 2.5d\nbodies:\n  - {name: belt, kind: kinematic, motion: "
                               "{displacement: [{polynomial: [0, 1]}, "
                               "0]}}\n  - {name: part, mass: 2, inertia: 0.1, support: {points: [[.1, 0], [-.1, .1], "
                               "[-.1, -.1]], friction: 0.4, on: "
                               "belt}}\nstep: {size: 1e-3}\n");
  scene_run_to(&r, 0.1);
  assert_near(ts_sim_velocity(r.sim, scene_run_body(&r, "part")).linear.x, 0.4 * G * 0.1, 1e-9);
  scene_run_to(&r, 0.3);
  assert_vec_near(ts_sim_velocity(r.sim, scene_run_body(&r, "part")).linear, (ts_vec3){1.0, 0.0, 0.0}, 1e-10);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_of_the_peg),     cmocka_unit_test(loads_of_random_tripods),
      cmocka_unit_test(loads_of_many_points), cmocka_unit_test(part_comes_to_rest),
      cmocka_unit_test(ring_spins_down),      cmocka_unit_test(belt_takes_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
