// A free base under a link called `world`: what is fixed to the world is released, wherever among the joints that
// stands.
#include "touchstone/scene.h"
#include "touchstone/urdf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define LINK(name)                                                                                                     \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"        \
  "</inertial></link>"
#define WELD "<joint name='weld' type='fixed'><parent link='world'/><child link='trunk'/></joint>"
#define HINGE                                                                                                          \
  "<joint name='hinge' type='continuous'><parent link='trunk'/><child link='arm'/><axis xyz='0 0 1'/></joint>"

static double fall_of_trunk(const char *joints, ts_urdf_base base)
{
  char text[1024];
  snprintf(text, sizeof text, "<robot name='r'><link name='world'/>" LINK("trunk") LINK("arm") "%s</robot>", joints);
  ts_urdf_options options = ts_urdf_options_default();
  options.base = base;
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  if (ts_urdf_parse(text, strlen(text), "r.urdf", &options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  const int trunk = ts_model_find_body(ts_scene_model(scene), "trunk");
  const double speed = trunk >= 0 ? ts_sim_velocity(sim, trunk).linear.z : 0.0;
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return speed;
}

static void the_weld_to_the_world_may_stand_anywhere(void **state)
{
  (void)state;
  const double step = ts_step_options_default().size;
  assert_true(fabs(fall_of_trunk(WELD HINGE, TS_BASE_FREE) + 9.81 * step) < 1e-9);
  assert_true(fabs(fall_of_trunk(HINGE WELD, TS_BASE_FREE) + 9.81 * step) < 1e-9);
  assert_true(fabs(fall_of_trunk(WELD HINGE, TS_BASE_FIXED)) < 1e-12);
  assert_true(fabs(fall_of_trunk(HINGE WELD, TS_BASE_FIXED)) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_weld_to_the_world_may_stand_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
