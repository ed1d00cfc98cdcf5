// A ball that is cut in half, as an intersection: it stands on its flat, slides without turning, and rocks on its round
// side like the pendulum that it is.
#include "effort.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define RADIUS 0.3

// The half with z >= 0 of its own frame
static const ts_shape_member half_ball[2] = {
    {{.kind = TS_SHAPE_SPHERE, .radius = RADIUS}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {{.kind = TS_SHAPE_PLANE, .normal = {0, 0, -1}}, {{0, 0, 0}, {1, 0, 0, 0}}},
};

static int add_half_ball(world *w, double height, ts_quat orientation)
{
  ts_body_def def = ts_body_def_default();
  def.name = "half";
  def.kind = TS_DYNAMIC;
  def.mass = 2.0;
  def.pose = (ts_pose){{0.1, -0.2, height}, orientation};
  return world_add_def(w, &def, (ts_shape){.kind = TS_SHAPE_INTERSECTION, .members = half_ball, .member_count = 2});
}

static double yaw_of(ts_quat q)
{
  const ts_vec3 x = ts_quat_matrix(q).x;
  return atan2(x.y, x.x);
}

// On a plane and on a box, for 5 s
static void it_stands_still(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = fixed_stepper(k % 2);
    w.options.size = 2e-3;
    world_friction(&w, 0.5, 0.0);
    if (k < 2)
      world_floor(&w);
    else
      world_add(&w, "table", TS_FIXED, 0.0, shape_box(2.0, 2.0, 0.5), (ts_vec3){0.0, 0.0, -0.25});
    const int half = add_half_ball(&w, 0.0, ts_quat_identity());
    world_start(&w);
    const ts_pose before = ts_sim_pose(w.sim, half);
    for (int i = 0; i < effort_part(2500, 3, 5); ++i) {
      world_step(&w);
      int count;
      ts_sim_contacts(w.sim, &count);
      assert_true(count >= 3);
    }
    const ts_pose after = ts_sim_pose(w.sim, half);
    assert_true(ts_distance_of(before.position, after.position) < 1e-8);
    assert_true(ts_length(ts_sub(ts_quat_matrix(before.orientation).z, ts_quat_matrix(after.orientation).z)) < 1e-8);
    assert_true(fabs(yaw_of(after.orientation) - yaw_of(before.orientation)) < 1e-8);
    world_release(&w);
  }
}

// With friction m it comes to rest after v^2 / (2 m g).
static void it_slides_straight(void **state)
{
  (void)state;
  const double speed = 1.0, friction = 0.2, way = speed * speed / (2.0 * friction * 9.81);
  for (int k = 0; k < 2; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = fixed_stepper(k);
    world_friction(&w, friction, 0.0);
    world_floor(&w);
    const int half = add_half_ball(&w, 0.0, ts_quat_identity());
    world_start(&w);
    const ts_vec3 along = {0.8, 0.6, 0.0};
    world_move(&w, half, ts_scale(speed, along), (ts_vec3){0.0, 0.0, 0.0});
    const ts_pose before = ts_sim_pose(w.sim, half);
    world_steps(&w, 700);
    const ts_pose after = ts_sim_pose(w.sim, half);
    const ts_vec3 moved = ts_sub(after.position, before.position);
    assert_true(fabs(ts_dot(moved, along) - way) < 2e-3);
    assert_true(fabs(ts_cross(along, moved).z) < 1e-6 && fabs(moved.z) < 1e-8);
    assert_true(fabs(yaw_of(after.orientation)) < 1e-5);
    world_release(&w);
  }
}

// On its round side, released at an angle a, it rolls like a pendulum. With the centre of mass at 3/8 r from the middle
// of the ball, T^2 = (2 pi)^2 (I + m (r - 3r/8)^2) / (m g 3r/8) for small angles, I = (2/5 - 9/64) m r^2.
static void it_rocks(void **state)
{
  (void)state;
  const double r = RADIUS, arm = 0.375 * r, angle = 0.05;
  const double inertia = (0.4 - 9.0 / 64.0) * r * r + (r - arm) * (r - arm);
  const double period = 2.0 * TS_PI * sqrt(inertia / (9.81 * arm));
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.8, 0.0);
  world_floor(&w);
  const int half = add_half_ball(&w, r, ts_quat_exp((ts_vec3){TS_PI + angle, 0.0, 0.0}));
  world_start(&w);
  double before = angle, crossed = 0.0;
  for (int i = 1; crossed == 0.0 && i < 3000; ++i) {
    world_step(&w);
    const ts_vec3 z = ts_quat_matrix(ts_sim_pose(w.sim, half).orientation).z; // down, but for the tilt
    const double tilt = z.y;
    if (i > 1 && (tilt > 0.0) != (before > 0.0)) crossed = w.options.size * (i - tilt / (tilt - before));
    before = tilt;
  }
  assert_true(fabs(crossed / (0.25 * period) - 1.0) < 0.01);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_stands_still),
      cmocka_unit_test(it_slides_straight),
      cmocka_unit_test(it_rocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
