// Boxes with four corner contacts: sliding (003 scenario 1, reference-numbers.md 3), resting on a slope, launched flat,
// and pushed to the threshold of sliding in every direction.
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static double deepest_penetration(const world *w)
{
  return ts_sim_report(w->sim)->penetration;
}

static double yaw_of(const world *w, int body)
{
  const ts_quat q = ts_sim_pose(w->sim, body).orientation;
  return 2.0 * atan2(q.z, q.w);
}

// Discrete law: x = 0.8 (5 t - 0.588 t^2 - 0.00588 t) until the last sliding step, y = 3/4 x.
static void sliding_cube_follows_the_discrete_law(void **state)
{
  (void)state;
  const double h = 0.01, mu = 0.12, g = 9.8;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, -g});
  world_friction(&w, mu, 0.0);
  world_floor(&w);
  const int cube = world_add(&w, "cube", TS_DYNAMIC, 1.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 0.0, 0.5});
  w.options.size = h;
  w.options.tolerance = 1e-12;
  world_start(&w);
  world_move(&w, cube, (ts_vec3){4.0, 3.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  for (int k = 1; k <= 500; ++k) {
    world_step(&w);
    const double t = fmin(k, 425) * h; // the step to 4.26 s stops it
    const double speed = k <= 425 ? 5.0 - mu * g * h * k : 0.0;
    const double path = 5.0 * t - 0.588 * t * t - 0.00588 * t;
    const ts_vec3 at = ts_sim_pose(w.sim, cube).position, v = ts_sim_velocity(w.sim, cube).linear;
    assert_true(fabs(at.x - 0.8 * path) < 1e-8 && fabs(at.y - 0.6 * path) < 1e-8 && fabs(at.z - 0.5) < 1e-9);
    assert_true(fabs(v.x - 0.8 * speed) < 1e-8 && fabs(v.y - 0.6 * speed) < 1e-8);
    assert_true(fabs(yaw_of(&w, cube)) < 1e-9);
    assert_true(deepest_penetration(&w) < 1e-9);
  }
  world_release(&w);
}

// A cube on a slope of half the friction angle stays where it is for 10 s.
static void cube_rests_on_a_slope(void **state)
{
  (void)state;
  const double mu = 0.5, slope = atan(0.5 * mu);
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, mu, 0.0);
  const ts_vec3 up = {sin(slope), 0.0, cos(slope)};
  world_add(&w, "slope", TS_FIXED, 0.0, shape_plane(up, 0.0), (ts_vec3){0.0, 0.0, 0.0});
  ts_body_def def = ts_body_def_default();
  def.name = "cube";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.pose.position = ts_scale(0.5, up);
  def.pose.orientation = ts_quat_exp((ts_vec3){0.0, slope, 0.0});
  const int cube = world_add_def(&w, &def, shape_box(1.0, 1.0, 1.0));
  w.options.tolerance = 1e-12;
  world_start(&w);
  const ts_vec3 start = ts_sim_pose(w.sim, cube).position;
  world_steps(&w, 10000);
  const double creep = ts_distance_of(ts_sim_pose(w.sim, cube).position, start);
  print_message("creep in 10 s: %.2g m\n", creep);
  assert_true(creep < 1e-9);
  world_release(&w);
}

// A flat launch: never lifts, and stops after v^2/(2 mu g) within h v.
static void launched_box_stops_in_time(void **state)
{
  (void)state;
  const double mu = 0.5, speed = 6.0, h = 1e-3;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, mu, 0.0);
  world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, 2.0, shape_box(0.4, 0.3, 0.1), (ts_vec3){0.0, 0.0, 0.05});
  w.options.tolerance = 1e-12;
  w.options.size = h;
  world_start(&w);
  world_move(&w, box, (ts_vec3){speed, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  for (int k = 0; k < 1500; ++k) {
    world_step(&w);
    assert_true(fabs(ts_sim_pose(w.sim, box).position.z - 0.05) < 1e-10);
  }
  const double stop = ts_sim_pose(w.sim, box).position.x;
  assert_true(fabs(ts_sim_velocity(w.sim, box).linear.x) < 1e-10);
  assert_true(fabs(stop - speed * speed / (2.0 * mu * 9.81)) < h * speed);
  world_release(&w);
}

// Whether a horizontal force moves a cube that rests on the floor. In 50 steps a force that is too large by 5e-9 N, a
// part in 1e9, gives it 2.5e-10 m/s; what the tolerance lets pass next to the threshold is 1e-12 m/s.
static bool slides(double force, double direction)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  const int cube = world_add(&w, "cube", TS_DYNAMIC, 1.0, shape_box(1.0, 1.0, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  world_force(&w, cube, (ts_vec3){force * cos(direction), force * sin(direction), 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  w.options.tolerance = 1e-13;
  world_start(&w);
  world_steps(&w, 50);
  const bool moves = ts_length(ts_sim_velocity(w.sim, cube).linear) > 5e-11;
  world_release(&w);
  return moves;
}

static void sliding_threshold_is_the_same_in_every_direction(void **state)
{
  (void)state;
  double least = INFINITY, most = 0.0, sum = 0.0;
  for (int k = 0; k < 72; ++k) {
    double low = 4.90, high = 4.91; // mu m g = 4.905 N lies between
    while (high - low > 5e-10) {
      const double middle = 0.5 * (low + high);
      if (slides(middle, k * TS_PI / 36.0))
        high = middle;
      else
        low = middle;
    }
    least = fmin(least, low);
    most = fmax(most, low);
    sum += low;
  }
  print_message("threshold %.12g N, spread %.2g\n", sum / 72.0, (most - least) / (sum / 72.0));
  assert_true((most - least) / (sum / 72.0) < 1e-9);
  assert_true(fabs(sum / 72.0 - 4.905) < 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sliding_cube_follows_the_discrete_law),
      cmocka_unit_test(cube_rests_on_a_slope),
      cmocka_unit_test(launched_box_stops_in_time),
      cmocka_unit_test(sliding_threshold_is_the_same_in_every_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
