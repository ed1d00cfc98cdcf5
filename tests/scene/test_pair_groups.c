// Groups of bodies in scene files: names with wildcards, robots among them, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

#include "touchstone/scene.h"
#include "touchstone/sim.h"

static ts_status read_scene(const char *pairs, ts_scene **scene, ts_error *error)
{
  char file[4096];
  snprintf(file, sizeof file,
           "touchstone: 1\n"
           "pairs:\n"
           "%s"
           "bodies:\n"
           "  - {name: table, kind: fixed, shape: {box: {size: [4, 4, 0.2]}}, position: [0, 0, -0.1]}\n"
           "  - {name: finger1, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5]}\n"
           "  - {name: finger2, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.8]}\n"
           "  - {name: finger10, mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.5]}\n"
           "  - {name: thumb, mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 1, 0.5]}\n",
           pairs);
  return ts_scene_parse(file, strlen(file), "scene.yaml", NULL, 0, scene, error);
}

static ts_scene *scene_with(const char *pairs)
{
  ts_scene *scene;
  ts_error error;
  if (read_scene(pairs, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  return scene;
}

// Friction of two bodies with one shape each; -1: they do not collide.
static double friction_of(const ts_scene *scene, const char *a, const char *b)
{
  const ts_model *model = ts_scene_model(scene);
  int part[2] = {-1, -1};
  for (int p = 0; p < ts_model_part_count(model); ++p) {
    const char *name = ts_model_body_name(model, ts_model_part_body(model, p));
    if (strcmp(name, a) == 0) part[0] = p;
    if (strcmp(name, b) == 0) part[1] = p;
  }
  ts_contact_law law;
  return ts_model_contact_law(model, part[0], part[1], &law) ? law.friction : -1.0;
}

static void wildcards_choose_bodies(void **state)
{
  (void)state;
  ts_scene *scene = scene_with("  - {group: [finger*], with: [table], collide: false}\n"
                               "  - {group: [finger?, thumb], friction: 0.9}\n"
                               "  - {bodies: [thumb, finger1], collide: false}\n");
  assert_near(friction_of(scene, "finger1", "table"), -1.0, 0.0);
  assert_near(friction_of(scene, "finger10", "table"), -1.0, 0.0);
  assert_near(friction_of(scene, "thumb", "table"), 0.5, 0.0);
  assert_near(friction_of(scene, "finger1", "finger2"), 0.9, 0.0);
  assert_near(friction_of(scene, "finger1", "finger10"), 0.5, 0.0); // two characters
  assert_near(friction_of(scene, "finger2", "thumb"), 0.9, 0.0);
  assert_near(friction_of(scene, "finger1", "thumb"), -1.0, 0.0);
  assert_int_equal(ts_model_group_count(ts_scene_model(scene)), 2);
  assert_int_equal(ts_model_group(ts_scene_model(scene), 0).pairs, 3);
  assert_int_equal(ts_model_group(ts_scene_model(scene), 1).pairs, 2);
  ts_scene_destroy(scene);
}

static void later_entries_win(void **state)
{
  (void)state;
  ts_scene *scene = scene_with("  - {group: [\"*\"], collide: false}\n"
                               "  - {group: [thumb], with: [\"*\"]}\n");
  assert_near(friction_of(scene, "finger1", "table"), -1.0, 0.0);
  assert_near(friction_of(scene, "thumb", "table"), 0.5, 0.0);
  assert_near(friction_of(scene, "finger2", "thumb"), 0.5, 0.0);
  ts_scene_destroy(scene);
}

// A ball of the group falls through the table, the thumb does not.
static void what_does_not_collide_falls_through(void **state)
{
  (void)state;
  ts_error error;
  ts_sim *sim;
  ts_scene *scene = scene_with("  - {group: [finger*], with: [\"*\"], collide: false}\n");
  const ts_model *model = ts_scene_model(scene);
  if (ts_sim_create(model, ts_scene_options(scene), NULL, &sim, &error) != TS_OK) fail_msg("%s", error.text);
  while (ts_sim_time(sim) < 0.999)
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
  assert_near(ts_sim_pose(sim, ts_model_find_body(model, "finger2")).position.z, 0.8 - 0.5 * 9.81, 0.01);
  assert_near(ts_sim_pose(sim, ts_model_find_body(model, "thumb")).position.z, 0.1, 1e-6);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// Links of a robot are named robot/link.
static void robots_are_groups(void **state)
{
  (void)state;
  static const char file[] = "touchstone: 1\n"
                             "urdf: {file: cartpole.urdf, name: cart}\n"
                             "pairs:\n"
                             "  - {group: [cart/*], with: [wall], collide: false}\n"
                             "bodies:\n"
                             "  - {name: wall, kind: fixed, shape: {box: {size: [1, 1, 1]}}, position: [9, 0, 0]}\n";
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(file, strlen(file), TEST_DATA "/urdf/scene.yaml", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  const ts_group_info group = ts_model_group(ts_scene_model(scene), 0);
  assert_true(group.group_count >= 2 && group.with_count == 1);
  assert_true(group.pairs > 0);
  ts_scene_destroy(scene);
}

static void refuse(const char *pairs, const char *words)
{
  ts_scene *scene;
  ts_error error;
  if (read_scene(pairs, &scene, &error) == TS_OK) fail_msg("accepted: %s", pairs);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != 3 || error.column <= 0) fail_msg("%d:%d: %s", error.line, error.column, error.text);
}

static void bad_groups_are_refused(void **state)
{
  (void)state;
  refuse("  - {group: [fingr*], collide: false}\n", "there is no body 'fingr*'; did you mean 'finger1'?");
  refuse("  - {group: [finger*], with: [tabel], collide: false}\n", "there is no body 'tabel'; did you mean 'table'?");
  refuse("  - {group: [zzzzzzzzzz*], collide: false}\n", "there is no body 'zzzzzzzzzz*'");
  refuse("  - {group: [world], with: [thumb], collide: false}\n", "the world cannot take the place of a body here");
  refuse("  - {group: [], collide: false}\n", "group");
  refuse("  - {group: finger1, collide: false}\n", "'group' must be a list of texts");
  refuse("  - {group: [\"\"], collide: false}\n", "group");
  refuse("  - {group: [[a]], collide: false}\n", "group");
  refuse("  - {group: [{a: 1}], collide: false}\n", "group");
  refuse("  - {group: [~], collide: false}\n", "group");
  refuse("  - {with: [thumb], collide: false}\n", "group");
  refuse("  - {group: [thumb], with: [], collide: false}\n", "with");
  refuse("  - {group: [thumb], collide: false}\n", "a group of 'thumb' alone has no pairs");
  refuse("  - {group: [thumb], with: [table], bodies: [thumb, table]}\n", "bodies");
  refuse("  - {group: [finger*], collide: false, friction: 1}\n", "a pair that does not collide has no contact law");
  refuse("  - {group: [finger*], friction: -1}\n", "friction");
  refuse("  - {group: [finger*], collide: maybe}\n", "collide");
  refuse("  - {materials: [a, b], collide: false}\n", "needs 'bodies' or a 'group'");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wildcards_choose_bodies),
      cmocka_unit_test(later_entries_win),
      cmocka_unit_test(what_does_not_collide_falls_through),
      cmocka_unit_test(robots_are_groups),
      cmocka_unit_test(bad_groups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
