// Boxes given as meshes of six digits stand on each other as boxes do: with all four corners, without creeping.
#include "world.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static double six_digits(double x)
{
  char text[32];
  snprintf(text, sizeof text, "%.6g", x);
  return strtod(text, NULL);
}

static void meshes_stand_on_all_corners(void **state)
{
  (void)state;
  const ts_quat turn = ts_quat_exp((ts_vec3){0.19, 0.37, 0.56});
  const ts_vec3 half = {0.1, 0.07, 0.05};
  ts_vec3 corners[8];
  for (int i = 0; i < 8; ++i) {
    const ts_vec3 p =
        ts_quat_rotate(turn, (ts_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    corners[i] = (ts_vec3){six_digits(p.x), six_digits(p.y), six_digits(p.z)};
  }
  const ts_shape mesh = {.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = 8};
  world w;
  world_init(&w, TS_SPACE_3D);
  world_add(&w, "base", TS_FIXED, 0.0, shape_box(1.0, 1.0, 0.2), (ts_vec3){0.0, 0.0, -0.1});
  int body[3];
  static const char *const names[3] = {"low", "middle", "high"};
  for (int k = 0; k < 3; ++k) {
    ts_body_def def = ts_body_def_default();
    def.name = names[k];
    def.mass = 1.0;
    def.pose = (ts_pose){{0.01 * k, 0.01 * k, half.z * (2 * k + 1)}, ts_quat_conjugate(turn)};
    body[k] = world_add_def(&w, &def, mesh);
  }
  world_start(&w);
  for (int step = 0; step < 500; ++step) {
    world_step(&w);
    int count;
    ts_sim_contacts(w.sim, &count);
    assert_int_equal(count, 12);
    assert_true(ts_sim_report(w.sim)->certified);
    assert_true(ts_sim_report(w.sim)->penetration < 2e-6);
  }
  for (int k = 0; k < 3; ++k) {
    const ts_pose pose = ts_sim_pose(w.sim, body[k]);
    assert_true(fabs(pose.position.x - 0.01 * k) < 1e-6 && fabs(pose.position.y - 0.01 * k) < 1e-6);
    assert_true(fabs(pose.position.z - half.z * (2 * k + 1)) < 5e-6);
    assert_true(ts_length(ts_sim_velocity(w.sim, body[k]).linear) < 1e-6);
  }
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(meshes_stand_on_all_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
