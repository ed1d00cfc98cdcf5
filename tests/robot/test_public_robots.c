// Robots as people have them: 19 public files that a reader stumbles over. All are read with default options, each is
// dropped on a floor, and grippers whose fingers mimic one another close on a box by one motor and hold it.
#include "shared_data.h"

#include "touchstone/scene.h"
#include "touchstone/urdf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ROBOTS SHARED_DATA "/data/robots/"

// ---- all of them ---------------------------------------------------------------------------------------------------

// What is told of each, beside hulls and names of meshes; NULL: nothing is repaired. And how long each is dropped: an
// arm that is pinned to the world above the floor wedges there.
typedef struct public_robot {
  const char *path, *warning;
  int links, steps;
} public_robot;

static const public_robot robots[] = {
    {"drake/atlas/urdf/robotiq_simple.urdf", "9 links ('finger_1_link_0', ", 13, 150},
    {"drake/iiwa_description/urdf/iiwa14_polytope_collision.urdf", NULL, 11, 150},
    {"random/xacro_generated/osaka_university_onrobot/onrobot_rg2_visualization/urdf/onrobot_rg2_model.urdf",
     "3 joints ('left_inner_knuckle_joint', 'right_outer_knuckle_joint', 'right_inner_knuckle_joint'): limits that "
     "contradict the joint it follows",
     7, 150},
    {"random/xacro_generated/schunk_modular_robotics/schunk_description/urdf/schunk_pg70.urdf", NULL, 5, 150},
    {"robotics-toolbox/al5d_description/urdf/al5d_robot.urdf",
     "5 links ('base', 'link1', 'link2', ...): a mass without inertia and shapes", 5, 150},
    {"robotics-toolbox/fetch_description/robots/fetch.urdf",
     "2 links ('r_gripper_finger_link', 'l_gripper_finger_link'): an inertia that no body has, taken from the shapes",
     19, 150},
    {"robotics-toolbox/puma560_description/urdf/puma560_robot.urdf",
     "3 links ('link3', 'link5', 'link7'): no mass where one is needed, given 0.001 kg", 7, 150},
    {"robotics-toolbox/pxpincher/urdf/pincher_arm.urdf",
     "link 'gripper_link': no mass where one is needed, given 0.000364 kg", 24, 150},
    {"robotics-toolbox/val_description/model/robots/forearm_left.urdf", NULL, 17, 300},
    {"robotics-toolbox/val_description/model/robots/valkyrie_A.urdf", NULL, 69, 60},
    {"robotics-toolbox/xacro_generated/franka_description/robots/panda.urdf",
     "2 links ('panda_leftfinger', 'panda_rightfinger'): no mass where one is needed, given ", 12, 150},
    {"robotics-toolbox/xacro_generated/interbotix_descriptions/urdf/px100.urdf", NULL, 12, 150},
    {"ros-industrial/abb/abb_irb2400_support/urdf/irb2400.urdf", NULL, 9, 150},
    {"ros-industrial/abb/abb_irb5400_support/urdf/irb5400.urdf", NULL, 10, 150},
    {"ros-industrial/kuka/kuka_kr16_support/urdf/kr16_2.urdf", NULL, 9, 150},
    {"ros-industrial/motoman/motoman_sia5d_support/urdf/sia5d.urdf", NULL, 10, 150},
    {"ros-industrial/robotiq/robotiq_2f_c2_gripper_visualization/urdf/robotiq_c2_model.urdf",
     "limits that contradict the joint it follows", 10, 150},
    {"ros-industrial/xacro_generated/fanuc/fanuc_m900ia_support/urdf/m900ia260l.urdf", NULL, 12, 150},
    {"ros-industrial/xacro_generated/robotiq/robotiq_2f_140_gripper_visualization/urdf/robotiq_arg2f_140_model.urdf",
     NULL, 11, 150},
};
enum { ROBOT_COUNT = sizeof robots / sizeof robots[0] };

static ts_scene *read_robot(const char *path, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  char whole[512];
  snprintf(whole, sizeof whole, ROBOTS "%s", path);
  if (ts_urdf_read(whole, options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
  return scene;
}

// A warning that is none about meshes.
static const char *find_repair(const ts_scene *scene)
{
  for (int i = 0; i < ts_scene_note_count(scene); ++i) {
    const ts_scene_note *note = ts_scene_note_at(scene, i);
    if (note->warning && !strstr(note->text, "mesh") && !strstr(note->text, "'limits' holds")) return note->text;
  }
  return NULL;
}

static void all_are_read(void **state)
{
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; ++i) {
    ts_scene *scene = read_robot(robots[i].path, NULL);
    const char *repair = find_repair(scene);
    if (ts_scene_urdf_summary(scene).links != robots[i].links)
      fail_msg("%s: %d links", robots[i].path, ts_scene_urdf_summary(scene).links);
    if (!repair != !robots[i].warning || (repair && !strstr(repair, robots[i].warning)))
      fail_msg("%s: '%s'", robots[i].path, repair ? repair : "");
    assert_true(ts_scene_note_count(scene) <= 6); // one a kind
    ts_scene_destroy(scene);
  }
}

static void take_steps(const ts_scene *scene, int count, const char *name)
{
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s: %s", name, error.text);
  for (int i = 0; i < count; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s: step %d: %s", name, i, error.text);
    if (!ts_sim_report(sim)->certified) fail_msg("%s: step %d is not certified", name, i);
  }
  ts_sim_destroy(sim);
}

static void all_are_dropped(void **state)
{
  (void)state;
  ts_urdf_options options = ts_urdf_options_default();
  options.base = TS_BASE_FREE;
  options.floor = true;
  for (int i = 0; i < ROBOT_COUNT; ++i) {
    ts_scene *scene = read_robot(robots[i].path, &options);
    take_steps(scene, robots[i].steps, robots[i].path);
    ts_scene_destroy(scene);
  }
}

// ---- grippers ------------------------------------------------------------------------------------------------------

typedef struct gripper {
  const char *path, *joint;       // and the joint that has the motor
  double speed, force;            // of the motor
  double size[3], mass, place[3]; // of the box
} gripper;

static const gripper grippers[] = {
    {"ros-industrial/xacro_generated/robotiq/robotiq_2f_140_gripper_visualization/urdf/robotiq_arg2f_140_model.urdf",
     "finger_joint",
     0.5,
     5.0,
     {0.03, 0.127, 0.03},
     0.1,
     {0.0, 0.0, 0.19}},
    {"random/xacro_generated/osaka_university_onrobot/onrobot_rg2_visualization/urdf/onrobot_rg2_model.urdf",
     "finger_joint",
     0.5,
     5.0,
     {0.03, 0.074, 0.03},
     0.1,
     {0.0, 0.0, 0.2}},
    {"random/xacro_generated/schunk_modular_robotics/schunk_description/urdf/schunk_pg70.urdf",
     "pg70_finger_left_joint",
     -0.02,
     20.0,
     {0.01, 0.0008, 0.01},
     0.05,
     {0.0, 0.0, 0.2049}},
};

static ts_scene *open_gripper(const gripper *g, const char *coordinates)
{
  char text[1000];
  ts_scene *scene;
  ts_error error;
  snprintf(text, sizeof text,
           "touchstone: 1\nstep: {coordinates: %s}\ncontact: {friction: 0.8}\nurdf: {file: %s}\n"
           "bodies: [{name: box, mass: %g, shape: {box: {size: [%g, %g, %g]}}, position: [%g, %g, %g]}]\n",
           coordinates, g->path, g->mass, g->size[0], g->size[1], g->size[2], g->place[0], g->place[1], g->place[2]);
  char motor[200];
  snprintf(motor, sizeof motor, "%s.motor={velocity: {target: %g, max_force: %g}}", g->joint, g->speed, g->force);
  const char *const overrides[] = {motor};
  if (ts_scene_parse(text, strlen(text), ROBOTS "scene.yaml", overrides, 1, &scene, &error) != TS_OK)
    fail_msg("%s: %s", g->path, error.text);
  return scene;
}

static int find_joint(const ts_model *model, const char *name)
{
  for (int i = 0; i < ts_model_joint_count(model); ++i)
    if (strcmp(ts_model_joint(model, i).name, name) == 0) return i;
  fail_msg("no joint '%s'", name);
  return -1;
}

// How far the joints that follow are off, in the count of the file.
static double worst_coupling(const ts_scene *scene, const ts_sim *sim)
{
  double worst = 0.0;
  const ts_model *model = ts_scene_model(scene);
  for (int i = 0; i < ts_scene_urdf_summary(scene).joints; ++i) {
    const ts_urdf_joint joint = ts_scene_urdf_joint(scene, i);
    for (int k = 0; joint.mimics && k < ts_scene_urdf_summary(scene).joints; ++k) {
      const ts_urdf_joint other = ts_scene_urdf_joint(scene, k);
      if (strcmp(other.name, joint.mimics) != 0) continue;
      const double own = joint.start + ts_sim_joint_position(sim, find_joint(model, joint.name), NULL);
      const double followed = other.start + ts_sim_joint_position(sim, find_joint(model, other.name), NULL);
      worst = fmax(worst, fabs(own - joint.multiplier * followed - joint.offset));
    }
  }
  return worst;
}

// The box falls until the fingers reach it, and then stays where it is, 9.81 or not.
static void hold_box(const gripper *g, const char *coordinates)
{
  enum { CLOSED = 150, HELD = 250 };
  ts_scene *scene = open_gripper(g, coordinates);
  const int box = ts_model_find_body(ts_scene_model(scene), "box");
  ts_sim *sim;
  ts_error error;
  double height = 0.0, worst = 0.0;
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  for (int i = 0; i < HELD; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s: step %d: %s", g->path, i, error.text);
    if (!ts_sim_report(sim)->certified) fail_msg("%s: step %d is not certified", g->path, i);
    worst = fmax(worst, worst_coupling(scene, sim));
    if (i == CLOSED) height = ts_sim_pose(sim, box).position.z;
  }
  const double fallen = g->place[2] - height, slipped = height - ts_sim_pose(sim, box).position.z;
  print_message("%s, %s: fell %.2g m, then slipped %.2g m; fingers off by %.2g\n", g->joint, coordinates, fallen,
                slipped, worst);
  assert_true(fallen > 0.0 && fallen < 0.01);
  assert_true(fabs(slipped) < 1e-7); // falling it would be 0.05 m
  assert_true(worst < 1e-9);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static void grippers_hold_a_box(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof grippers / sizeof grippers[0]; ++i) {
    hold_box(&grippers[i], "redundant");
    hold_box(&grippers[i], "minimal");
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_are_read),
      cmocka_unit_test(all_are_dropped),
      cmocka_unit_test(grippers_hold_a_box),
  };
  return asks_for_shared(argc, argv) ? run_shared_tests(tests, NULL, NULL) : TESTS_SKIPPED;
}
