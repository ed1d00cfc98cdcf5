// Bushings in scene files: what is read, and what is refused with a place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

#include "touchstone/scene.h"

static ts_status read_scene(const char *space, const char *bushing, ts_scene **scene, ts_error *error)
{
  char file[2048];
  const bool plane = strcmp(space, "2d") == 0;
  snprintf(file, sizeof file,
           "touchstone: 1\n"
           "space: %s\n"
           "bushings:\n"
           "  - %s\n"
           "bodies:\n"
           "  - {name: base, kind: fixed, shape: {%s: {radius: 0.1}}, position: [5, 0%s]}\n"
           "  - {name: a, mass: 1, shape: {%s: {radius: 0.1}}, position: [1, 2%s]}\n",
           space, bushing, plane ? "disc" : "sphere", plane ? "" : ", 0", plane ? "disc" : "sphere",
           plane ? "" : ", 3");
  return ts_scene_parse(file, strlen(file), "scene.yaml", NULL, 0, scene, error);
}

static void bushings_are_read(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error;
  if (read_scene("3d",
                 "{name: m, bodies: [a, world], at: [1, 0, 0], orientation: {axis: [0, 0, 2], angle: 1}, stiffness: "
                 "[1, 2, 3], damping: [4, 5, 6], angular_stiffness: [7, 8, 9], angular_damping: [10, 11, 12]}",
                 &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_bushing_count(model), 1);
  const ts_bushing_def def = ts_model_bushing(model, 0);
  assert_string_equal(def.name, "m");
  assert_int_equal(def.body[0], ts_model_find_body(model, "a"));
  assert_int_equal(def.body[1], TS_WORLD);
  assert_vec_near(def.at, ((ts_vec3){1.0, 0.0, 0.0}), 0.0);
  assert_vec_near(def.stiffness, ((ts_vec3){1.0, 2.0, 3.0}), 0.0);
  assert_vec_near(def.damping, ((ts_vec3){4.0, 5.0, 6.0}), 0.0);
  assert_vec_near(def.angular_stiffness, ((ts_vec3){7.0, 8.0, 9.0}), 0.0);
  assert_vec_near(def.angular_damping, ((ts_vec3){10.0, 11.0, 12.0}), 0.0);
  assert_near(def.orientation.z, sin(0.5), 1e-15);
  const ts_pose world = ts_model_bushing_frame(model, 0, 1);
  assert_vec_near(world.position, ((ts_vec3){2.0, 2.0, 3.0}), 1e-15);
  assert_near(world.orientation.z, sin(0.5), 1e-15);
  ts_scene_destroy(scene);
}

static void bushings_in_the_plane_are_read(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error;
  if (read_scene("2d",
                 "{bodies: [world, a], at: [1, 2], angle: 0.5, stiffness: [1, 2], damping: [3, 4], "
                 "angular_stiffness: 5, angular_damping: 6}",
                 &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  const ts_bushing_def def = ts_model_bushing(ts_scene_model(scene), 0);
  assert_string_equal(def.name, "bushing1");
  assert_vec_near(def.stiffness, ((ts_vec3){1.0, 2.0, 0.0}), 0.0);
  assert_near(def.angular_stiffness.z, 5.0, 0.0);
  assert_near(def.angular_damping.z, 6.0, 0.0);
  assert_near(def.angle, 0.5, 1e-15);
  ts_scene_destroy(scene);
}

static void refuse(const char *space, const char *bushing, const char *words)
{
  ts_scene *scene;
  ts_error error;
  if (read_scene(space, bushing, &scene, &error) == TS_OK) fail_msg("accepted: %s", bushing);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != 4 || error.column <= 0) fail_msg("%d:%d: %s", error.line, error.column, error.text);
}

static void bad_bushings_are_refused(void **state)
{
  (void)state;
  refuse("3d", "{stiffness: [1, 1, 1]}", "bodies");
  refuse("3d", "{bodies: [a], stiffness: [1, 1, 1]}", "bodies");
  refuse("3d", "{bodies: [world, b]}", "there is no body 'b'");
  refuse("3d", "{bodies: [world, base]}", "neither 'world' nor 'base' is dynamic");
  refuse("3d", "{bodies: [a, a]}", "it joins 'a' to itself");
  refuse("3d", "{bodies: [world, a], stiffness: 3}", "stiffness");
  refuse("3d", "{bodies: [world, a], stiffness: [1, 2]}", "stiffness");
  refuse("3d", "{bodies: [world, a], stiffness: [1, 2, -3]}", "stiffness");
  refuse("3d", "{bodies: [world, a], damping: [1, 2, .inf]}", "damping");
  refuse("3d", "{bodies: [world, a], damping: [1, 2, 1e70]}", "damping must be numbers from 0 to 1e+60");
  refuse("3d", "{bodies: [world, a], angular_stiffness: 3}", "angular_stiffness");
  refuse("3d", "{bodies: [world, a], orientation: [0, 0, 0, 0]}", "orientation");
  refuse("3d", "{bodies: [world, a], angle: 1}", "angle");
  refuse("3d", "{bodies: [world, a], at: [1e80, 0, 0]}", "at most 1e+60");
  refuse("3d", "{bodies: [world, a], stifness: [1, 1, 1]}", "did you mean 'stiffness'");
  refuse("2d", "{bodies: [world, a], stiffness: [1, 1, 1]}", "stiffness");
  refuse("2d", "{bodies: [world, a], angular_stiffness: [1, 1, 1]}", "angular_stiffness");
  refuse("2d", "{bodies: [world, a], orientation: [1, 0, 0, 0]}", "orientation");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bushings_are_read),
      cmocka_unit_test(bushings_in_the_plane_are_read),
      cmocka_unit_test(bad_bushings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
