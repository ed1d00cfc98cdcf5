// Robots without a pose that a joint of the scene places: held against poses composed by hand.
#include "touchstone/scene.h"
#include "touchstone/sim.h"

#include "math/vec3.h"
#include "model_compare.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

#define SCENE TEST_DATA "/urdf/scene.yaml"
#define POST                                                                                                           \
  "bodies: [{name: post, kind: fixed, position: [1, 2, 0.8], orientation: {axis: [0, 0, 1], angle: "                   \
  "1.5707963267948966}, shape: {box: {size: [0.1, 0.1, 0.1]}}}]\n"

static ts_status parse(const char *text, const char *override, ts_scene **scene, ts_error *error)
{
  *error = (ts_error){0};
  return ts_scene_parse(text, strlen(text), SCENE, &override, override != NULL, scene, error);
}

static ts_sim *start(const char *text, const char *override, ts_scene **scene)
{
  ts_error error;
  ts_sim *sim;
  if (parse(text, override, scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(*scene), ts_scene_options(*scene), NULL, &sim, &error), TS_OK);
  return sim;
}

static void end(ts_scene *scene, ts_sim *sim)
{
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static ts_pose pose_of(const ts_sim *sim, const char *body)
{
  const int number = ts_model_find_body(ts_sim_model(sim), body);
  assert_true(number >= 0);
  return ts_sim_pose(sim, number);
}

// The origin of `body` lies at `at` in the frame of `carrier`, and is turned as it is.
static void assert_carried(const ts_sim *sim, const char *body, const char *carrier, ts_vec3 at)
{
  const ts_pose outer = pose_of(sim, carrier), inner = pose_of(sim, body);
  const ts_quat turn = ts_quat_product(inner.orientation, ts_quat_conjugate(outer.orientation));
  assert_vec_near(inner.position, ts_pose_apply(&outer, at), 1e-12);
  assert_true(ts_length(ts_quat_rotation_vector(turn)) <= 1e-12);
}

static void a_joint_places_a_gripper(void **state)
{
  (void)state;
  static const char *const types[] = {"type: fixed", "type: revolute"};
  for (int k = 0; k < 2; ++k) {
    char text[1024];
    ts_scene *scene;
    snprintf(text, sizeof text,
             "touchstone: 1\nurdf: {file: fingers.urdf, name: hand, base: free}\n" POST
             "joints: [{%s, parent: post, child: hand/palm, at: [0.3, 0, 0.1]}]\n",
             types[k]);
    ts_sim *sim = start(text, NULL, &scene);
    assert_vec_near(pose_of(sim, "hand/palm").position, ((ts_vec3){1.0, 2.3, 0.9}), 1e-15);
    assert_carried(sim, "hand/palm", "post", (ts_vec3){0.3, 0.0, 0.1});
    assert_carried(sim, "hand/finger_1", "hand/palm", (ts_vec3){0.15, 0.0, 0.12});
    assert_carried(sim, "hand/finger_3", "hand/palm", (ts_vec3){0.0, 0.15, 0.12});
    end(scene, sim);
  }
}

// The arm starts away from where its file has it, and the gripper with it; it stays there when both move.
static void a_gripper_goes_with_its_arm(void **state)
{
  (void)state;
  static const char text[] =
      "touchstone: 1\nurdf:\n  - {file: fingers.urdf, name: hand, base: free, joints: {slide_1: {position: 0.03}}}\n"
      "  - {file: iiwa14_spheres_collision.urdf, name: arm, position: [0, 0, 0.4],\n"
      "     joints: {iiwa_joint_2: {position: 0.7}, iiwa_joint_4: {position: -0.9}, iiwa_joint_7: {position: 0.3}}}\n"
      "joints: [{type: fixed, parent: arm/iiwa_link_7, child: hand/palm, at: [0, 0, 0.3]}]\n"
      "pairs: [{group: [hand/*], with: [arm/*], collide: false}]\nstep: {coordinates: minimal}\n";
  ts_scene *scene;
  ts_error error;
  ts_sim *sim = start(text, NULL, &scene);
  assert_carried(sim, "hand/palm", "arm/iiwa_link_7", (ts_vec3){0.0, 0.0, 0.3});
  assert_carried(sim, "hand/finger_1", "hand/palm", (ts_vec3){0.12, 0.0, 0.12});
  assert_carried(sim, "hand/finger_2", "hand/palm", (ts_vec3){-0.15, 0.0, 0.12});
  for (int step = 0; step < 20; ++step) assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_carried(sim, "hand/palm", "arm/iiwa_link_7", (ts_vec3){0.0, 0.0, 0.3});
  end(scene, sim);
}

// A pose that is given holds, that of an override, too.
static void a_robot_with_a_pose_stays(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf: {file: fingers.urdf, name: hand, base: free%s}\n" POST
                             "joints: [{type: fixed, parent: post, child: hand/palm}]\n";
  static const char *const places[] = {", position: [5, 6, 7]", ""};
  for (int k = 0; k < 2; ++k) {
    char scene_text[1024];
    ts_scene *scene;
    snprintf(scene_text, sizeof scene_text, text, places[k]);
    ts_sim *sim = start(scene_text, k == 1 ? "hand/palm.position=[5, 6, 7]" : NULL, &scene);
    assert_vec_near(pose_of(sim, "hand/palm").position, ((ts_vec3){5.0, 6.0, 7.0}), 0.0);
    end(scene, sim);
  }
}

static void what_was_placed_reads_back(void **state)
{
  (void)state;
  static const char text[] =
      "touchstone: 1\nparameters: {a: 0.3}\nurdf: {file: fingers.urdf, name: hand, base: free}\n" POST
      "joints: [{type: fixed, parent: post, child: hand/finger_2, at: [=a, 0.1, 0.2]}]\n";
  ts_scene *scene, *again, *other;
  ts_error error;
  ts_sim_destroy(start(text, NULL, &scene));
  const char *written = ts_scene_text(scene);
  assert_int_equal(ts_scene_parse(written, strlen(written), "again.yaml", NULL, 0, &again, &error), TS_OK);
  assert_null(model_difference(ts_scene_model(scene), ts_scene_model(again)));
  assert_int_equal(parse(text, "a=0.7", &other, &error), TS_OK);
  assert_int_equal(ts_scene_set_parameters(scene, (const double[]){0.7}, &error), TS_OK);
  assert_null(model_difference(ts_scene_model(scene), ts_scene_model(other)));
  ts_scene_destroy(other);
  ts_scene_destroy(again);
  ts_scene_destroy(scene);
}

// What is fixed to a link `world` is placed, and what moves on that link stays with it.
static void a_gripper_on_a_world_link_is_placed(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf: {file: palm_on_world.urdf, name: g, base: free}\n" POST
                             "joints: [{type: fixed, parent: post, child: g/palm, at: [0.3, 0, 0.1]}]\n";
  ts_scene *scene;
  ts_sim *sim = start(text, NULL, &scene);
  assert_carried(sim, "g/palm", "post", (ts_vec3){0.3, 0.0, 0.1});
  assert_carried(sim, "g/tip", "g/palm", (ts_vec3){0.05, 0.0, 0.1});
  assert_vec_near(pose_of(sim, "g/cart").position, ((ts_vec3){0.0, 3.0, 0.0}), 0.0);
  assert_int_equal(ts_scene_note_count(scene), 0);
  end(scene, sim);
}

// The one warning of a scene stands at the joint, in line 5.
static void assert_warned(const char *text, const char *words)
{
  ts_scene *scene;
  ts_error error;
  if (parse(text, NULL, &scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_scene_note_count(scene), 1);
  const ts_scene_note *note = ts_scene_note_at(scene, 0);
  assert_true(note->warning);
  assert_int_equal(note->line, 5);
  if (!strstr(note->text, words)) fail_msg("'%s' does not say '%s'", note->text, words);
  ts_scene_destroy(scene);
}

static void what_a_joint_does_not_place_is_told(void **state)
{
  (void)state;
#define BOX "bodies: [{name: box, position: [3, 0, 0], shape: {box: {size: [1, 1, 1]}}}]\n"
  assert_warned("touchstone: 1\nurdf: {file: palm_on_world.urdf, name: g, base: free}\n" BOX
                "joints:\n  - {type: fixed, parent: box, child: g/cart}\n",
                "'g/cart' hangs on the link 'world' of its robot and stays there: the joint does not place it");
  assert_warned("touchstone: 1\nurdf: {file: fingers.urdf, name: hand, position: [1, 0, 0]}\n" BOX
                "joints:\n  - {type: fixed, parent: box, child: hand/palm}\n",
                "'hand/palm' is the fixed base of a robot, so that the joint holds 'box' where it is; with base: free "
                "and no position the joint places the robot");
#undef BOX
}

// A base that is fixed carries a body, and a robot that moves is held by a pin: nobody needs to be told.
static void what_is_meant_is_not_told(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "urdf: {file: fingers.urdf, name: hand, position: [1, 0, 0]}\n" POST
      "joints: [{type: fixed, parent: post, child: hand/finger_1}]\n",
      "urdf: {file: fingers.urdf, name: hand, base: free, position: [1, 0, 0]}\n" POST
      "joints: [{type: fixed, parent: post, child: hand/palm}]\n",
      "urdf: {file: fingers.urdf, name: hand}\nbodies: [{name: box, position: [3, 0, 0], shape: {box: {size: [1, 1, "
      "1]}}}]\njoints: [{type: fixed, parent: hand/palm, child: box}]\n",
      "urdf: {file: palm_on_world.urdf, name: g}\n"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
    char text[1024];
    ts_scene *scene;
    snprintf(text, sizeof text, "touchstone: 1\n%s", texts[k]);
    ts_sim *sim = start(text, NULL, &scene);
    assert_int_equal(ts_scene_note_count(scene), 0);
    end(scene, sim);
  }
}

// As a body with a joint and an orientation: the joint says where, the orientation holds, that of an override, too.
static void an_orientation_alone_leaves_the_place_to_the_joint(void **state)
{
  (void)state;
  static const char *const turns[] = {", orientation: {axis: [0, 0, 1], angle: 1}", ""};
  const ts_quat turn = {cos(0.5), 0.0, 0.0, sin(0.5)};
  for (int k = 0; k < 2; ++k) {
    char text[1024];
    ts_scene *scene;
    snprintf(text, sizeof text,
             "touchstone: 1\nurdf: {file: fingers.urdf, name: hand, base: free%s}\n" POST
             "joints: [{type: fixed, parent: post, child: hand/palm, at: [0.3, 0, 0.1]}]\n",
             turns[k]);
    ts_sim *sim = start(text, k == 1 ? "hand/palm.orientation={axis: [0, 0, 1], angle: 1}" : NULL, &scene);
    const ts_pose palm = pose_of(sim, "hand/palm");
    assert_vec_near(palm.position, ((ts_vec3){1.0, 2.3, 0.9}), 1e-15);
    assert_true(ts_length(ts_quat_rotation_vector(ts_quat_product(palm.orientation, ts_quat_conjugate(turn)))) <=
                1e-15);
    assert_carried(sim, "hand/finger_3", "hand/palm", (ts_vec3){0.0, 0.15, 0.12});
    end(scene, sim);
  }
}

// The robot is the parent: the joint's point in its palm is where the post is.
static void a_joint_closes_from_either_side(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf: {file: fingers.urdf, name: hand, base: free}\n" POST
                             "joints: [{type: fixed, parent: hand/palm, child: post, at: [0.3, 0, 0.1]}]\n";
  static const char turned[] =
      "touchstone: 1\nurdf: {file: fingers.urdf, name: hand, base: free, orientation: {axis: [0, 0, 1], angle: "
      "3.141592653589793}}\n" POST "joints: [{type: fixed, parent: hand/palm, child: post, at: [0.3, 0, 0.1]}]\n";
  ts_scene *scene;
  ts_sim *sim = start(text, NULL, &scene);
  assert_vec_near(pose_of(sim, "hand/palm").position, ((ts_vec3){1.0, 1.7, 0.7}), 1e-15);
  assert_carried(sim, "post", "hand/palm", (ts_vec3){0.3, 0.0, 0.1});
  assert_carried(sim, "hand/finger_1", "hand/palm", (ts_vec3){0.15, 0.0, 0.12});
  end(scene, sim);
  sim = start(turned, NULL, &scene);
  assert_vec_near(pose_of(sim, "hand/palm").position, ((ts_vec3){1.3, 2.0, 0.7}), 1e-15);
  assert_carried(sim, "hand/finger_1", "hand/palm", (ts_vec3){0.15, 0.0, 0.12});
  end(scene, sim);
}

// Two robots, each written as the joint's parent and as its child: one goes with the other, and none in a circle.
static void robots_in_a_row_are_placed(void **state)
{
  (void)state;
  static const char *const joints[] = {"  - {type: fixed, parent: one/palm, child: two/palm, at: [0, 0, 0.5]}\n"
                                       "  - {type: fixed, parent: post, child: one/palm, at: [0.3, 0, 0.1]}\n",
                                       "  - {type: fixed, parent: one/palm, child: two/palm, at: [0, 0, 0.5]}\n"
                                       "  - {type: fixed, parent: one/palm, child: post, at: [-0.3, 0, -0.1]}\n"};
  for (int k = 0; k < 2; ++k) {
    char text[1024];
    ts_scene *scene;
    snprintf(text, sizeof text,
             "touchstone: 1\nurdf: [{file: fingers.urdf, name: one, base: free}, {file: fingers.urdf, name: two, base: "
             "free}]\n" POST "joints:\n%s",
             joints[k]);
    ts_sim *sim = start(text, NULL, &scene);
    assert_carried(sim, "one/palm", "post", (ts_vec3){0.3, 0.0, 0.1});
    assert_carried(sim, "two/palm", "one/palm", (ts_vec3){0.0, 0.0, 0.5});
    assert_carried(sim, "two/finger_1", "two/palm", (ts_vec3){0.15, 0.0, 0.12});
    end(scene, sim);
  }
}

static void a_fixed_base_is_refused(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf: {file: fingers.urdf, name: hand}\n"
                             "bodies: [{name: box, position: [3, 0, 0], shape: {box: {size: [1, 1, 1]}}}]\n"
                             "joints:\n  - {type: fixed, parent: box, child: hand/palm}\n";
  ts_scene *scene;
  ts_error error;
  assert_int_equal(parse(text, NULL, &scene, &error), TS_INVALID);
  assert_int_equal(error.line, 5);
  assert_non_null(strstr(error.text, "'hand/palm' is the fixed base of a robot without a position; write base: free"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_joint_places_a_gripper),
      cmocka_unit_test(a_gripper_goes_with_its_arm),
      cmocka_unit_test(a_robot_with_a_pose_stays),
      cmocka_unit_test(what_was_placed_reads_back),
      cmocka_unit_test(a_fixed_base_is_refused),
      cmocka_unit_test(a_gripper_on_a_world_link_is_placed),
      cmocka_unit_test(what_a_joint_does_not_place_is_told),
      cmocka_unit_test(what_is_meant_is_not_told),
      cmocka_unit_test(an_orientation_alone_leaves_the_place_to_the_joint),
      cmocka_unit_test(a_joint_closes_from_either_side),
      cmocka_unit_test(robots_in_a_row_are_placed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
