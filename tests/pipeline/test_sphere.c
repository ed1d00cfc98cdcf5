// 000's sphere that slides, then rolls, against the exact discrete law (reference-numbers.md 1).
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static const double MU = 0.2, G = 9.81, H = 1e-3;

static int add_sphere(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, MU, 0.0);
  world_floor(w);
  w->options.size = H;
  w->options.tolerance = 1e-12;
  return world_add(w, "ball", TS_DYNAMIC, 1.0, shape_sphere(1.0), (ts_vec3){0.0, 0.0, 1.0});
}

static void launch(world *w, int ball, double direction)
{
  world_start(w);
  world_move(w, ball, (ts_vec3){2.0 * cos(direction), 2.0 * sin(direction), 0.0}, (ts_vec3){0.0, 0.0, 0.0});
}

// Speed after k steps of sliding with deceleration mu g, then rolling at 10/7.
static double discrete_speed(int k)
{
  return k <= 291 ? 2.0 - MU * G * H * k : 10.0 / 7.0;
}

static void check_aligned_run(world *w, int ball, double direction, const char *name)
{
  const ts_vec3 along = {cos(direction), sin(direction), 0.0}, across = {-along.y, along.x, 0.0};
  for (int k = 1; k <= 600; ++k) {
    world_step(w);
    const ts_twist v = ts_sim_velocity(w->sim, ball);
    const double speed = discrete_speed(k);
    if (fabs(ts_dot(v.linear, along) - speed) > 1e-10 || fabs(ts_dot(v.linear, across)) > 1e-12 ||
        fabs(ts_dot(v.angular, across) - 2.5 * (2.0 - speed)) > 1e-10)
      fail_msg("%s, %g rad, step %d: speed %.15g, expected %.15g", name, direction, k, ts_dot(v.linear, along), speed);
    int count;
    const ts_contact *contact = ts_sim_contacts(w->sim, &count);
    assert_int_equal(count, 1);
    assert_int_equal(contact->mode, k <= 291 ? TS_SLIP : TS_ROLL);
  }
  const ts_vec3 at = ts_sim_pose(w->sim, ball).position;
  assert_true(fabs(ts_dot(at, along) - 0.940071) < 1e-6);
  assert_true(fabs(at.z - 1.0) < 1e-12);
}

static void quadratic_cone_in_any_direction(void **state)
{
  (void)state;
  const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int m = 0; m < 2; ++m)
    for (int k = 0; k < 8; ++k) {
      world w;
      const double direction = k * TS_PI / 4.0 + 0.1 * (k % 2);
      const int ball = add_sphere(&w);
      w.options.method = ts_stepper_find(methods[m]);
      launch(&w, ball, direction);
      check_aligned_run(&w, ball, direction, methods[m]);
      world_release(&w);
    }
}

static void every_solver_of_the_quadratic_cone(void **state)
{
  (void)state;
  for (int i = 0; i < ts_solver_count(); ++i) {
    world w;
    const int ball = add_sphere(&w);
    w.options.solver = ts_solver_at(i);
    if (ts_step_options_check(&w.options, NULL) == TS_OK) {
      launch(&w, ball, 0.0);
      check_aligned_run(&w, ball, 0.0, ts_solver_name(w.options.solver));
    }
    world_release(&w);
  }
}

static void aligned_directions_are_as_good(void **state)
{
  (void)state;
  world w;
  const int ball = add_sphere(&w);
  w.options.cone = TS_CONE_POLYHEDRAL;
  w.options.directions = 4;
  launch(&w, ball, 0.4);
  check_aligned_run(&w, ball, 0.4, "aligned");
  world_release(&w);
}

// Four directions, the first at `angle` from the motion: it stops later, and sideways motion appears in between.
static void fixed_directions(double angle, int last_sliding_step, double x_end, double y_end, double peak)
{
  world w;
  const int ball = add_sphere(&w);
  w.options.cone = TS_CONE_POLYHEDRAL;
  w.options.directions = 4;
  w.options.align = TS_ALIGN_FIXED;
  w.options.direction_angle = angle;
  launch(&w, ball, 0.0);
  double sideways = 0.0, turning = 0.0;
  for (int k = 1; k <= 600; ++k) {
    world_step(&w);
    const ts_twist v = ts_sim_velocity(w.sim, ball);
    sideways = fmax(sideways, fabs(v.linear.y));
    turning = fmax(turning, fabs(v.angular.x));
    const double slip = hypot(v.linear.x - v.angular.y, v.linear.y + v.angular.x);
    assert_true(k <= last_sliding_step ? slip > 1e-6 : slip < 1e-10);
    if (k > last_sliding_step) assert_true(fabs(v.linear.x - 10.0 / 7.0) < 1e-10 && fabs(v.linear.y) < 1e-10);
  }
  const ts_vec3 at = ts_sim_pose(w.sim, ball).position;
  assert_true(fabs(at.x - x_end) < 1e-6 && fabs(at.y - y_end) < 1e-6);
  assert_true(fabs(sideways - peak) < 1e-5 && fabs(turning - 2.5 * peak) < 5e-5);
  world_release(&w);
}

static void fixed_directions_stop_late(void **state)
{
  (void)state;
  fixed_directions(TS_PI / 4.0, 411, 0.974539, 0.0, 0.0);
  fixed_directions(TS_PI / 8.0, 380, 0.956254, -0.022517, 0.11815);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_cone_in_any_direction),
      cmocka_unit_test(every_solver_of_the_quadratic_cone),
      cmocka_unit_test(aligned_directions_are_as_good),
      cmocka_unit_test(fixed_directions_stop_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
