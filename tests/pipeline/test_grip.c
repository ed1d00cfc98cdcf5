// Holding still: a capsule between two pads, and a heavy box on light ones.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static int add_pad(world *w, const char *name, double height, ts_vec3 at, double force)
{
  const int pad = world_add(w, name, TS_DYNAMIC, 0.1, shape_box(0.01, 0.04, height), at);
  ts_joint_def guide = ts_joint_def_default();
  ts_error error;
  int joint;
  guide.kind = TS_JOINT_PRISMATIC;
  guide.parent = TS_WORLD;
  guide.child = pad;
  guide.at = at;
  guide.axis = (ts_vec3){1.0, 0.0, 0.0};
  assert_int_equal(ts_builder_add_joint(w->builder, &guide, &joint, &error), TS_OK);
  world_force(w, pad, (ts_vec3){force, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  return pad;
}

// An upright capsule (45 g, radius 4 mm, length 80 mm) between pads on frictionless guides, 12 N each: it hangs there
// by friction (0.7 of 24 N against a weight of 0.44 N) and does not creep.
static void capsule_between_pads_does_not_creep(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.7, 0.0);
  const int capsule =
      world_add(&w, "capsule", TS_DYNAMIC, 0.045, shape_capsule(0.004, 0.072), (ts_vec3){0.0, 0.0, 0.0});
  add_pad(&w, "left", 0.1, (ts_vec3){-0.009, 0.0, 0.0}, 12.0);
  add_pad(&w, "right", 0.1, (ts_vec3){0.009, 0.0, 0.0}, -12.0);
  w.options.tolerance = 1e-12;
  world_start(&w);
  world_steps(&w, 100);
  const ts_vec3 before = ts_sim_pose(w.sim, capsule).position;
  world_steps(&w, 2000);
  const double creep = ts_distance_of(ts_sim_pose(w.sim, capsule).position, before) / 2.0;
  print_message("creep %.2g m/s\n", creep);
  assert_true(creep < 1e-9);
  world_release(&w);
}

// A capsule lies on the floor, its axis as high as the lower edges of two pads, up to `below`, and as good as parallel
// to them. The pads close: by symmetry nothing turns, as long as each of them touches on both sides of the middle.
static double yaw_of_gripped_capsule(double below, double turn)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.6, 0.0);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "capsule";
  def.mass = 0.2;
  def.pose = (ts_pose){{0.0, 0.0, 0.02}, ts_quat_exp((ts_vec3){turn, 0.0, 0.0})};
  const int capsule = world_add_def(&w, &def, shape_capsule(0.02, 0.06));
  add_pad(&w, "left", 0.08, (ts_vec3){-0.06, 0.0, 0.06 + below}, 5.0);
  add_pad(&w, "right", 0.08, (ts_vec3){0.06, 0.0, 0.06 + below}, -5.0);
  world_start(&w);
  double yaw = 0.0;
  for (int i = 0; i < 100; ++i) {
    world_step(&w);
    yaw = fmax(yaw, fabs(ts_sim_velocity(w.sim, capsule).angular.z));
  }
  world_release(&w);
  return yaw;
}

static void capsule_at_the_edges_of_pads_does_not_turn(void **state)
{
  (void)state;
  static const double below[] = {0.0, 1e-17, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};
  static const double turns[] = {1.5707963, 1.57079632, 0.5 * TS_PI};
  for (size_t i = 0; i < sizeof below / sizeof below[0]; ++i)
    for (size_t j = 0; j < sizeof turns / sizeof turns[0]; ++j)
      for (int sign = -1; sign <= 1; sign += 2) {
        const double yaw = yaw_of_gripped_capsule(sign * below[i], turns[j]);
        if (!(yaw < 1e-6)) fail_msg("%g below the edges, turned by %.9g: %g rad/s", below[i], turns[j], yaw);
      }
}

static void heavy_box_stands_on_a_light_one(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  world_add(&w, "light", TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  const int heavy = world_add(&w, "heavy", TS_DYNAMIC, 1000.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.3});
  world_start(&w);
  world_steps(&w, 5000);
  const ts_vec3 at = ts_sim_pose(w.sim, heavy).position;
  assert_true(ts_distance_of(at, (ts_vec3){0.0, 0.0, 0.3}) < 1e-9);
  world_release(&w);
}

static void tower_of_ten_stands(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  int top = 0;
  for (int i = 0; i < 10; ++i) {
    char name[16];
    snprintf(name, sizeof name, "box%d", i);
    top = world_add(&w, name, TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1 + 0.2 * i});
  }
  world_start(&w);
  world_steps(&w, 2000);
  assert_true(ts_distance_of(ts_sim_pose(w.sim, top).position, (ts_vec3){0.0, 0.0, 1.9}) < 1e-9);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capsule_between_pads_does_not_creep),
      cmocka_unit_test(capsule_at_the_edges_of_pads_does_not_turn),
      cmocka_unit_test(heavy_box_stands_on_a_light_one),
      cmocka_unit_test(tower_of_ten_stands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
