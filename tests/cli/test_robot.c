// Robots on the command line: run, check, draw, convert, list.
#include "command.h"
#include "json.h"
#include "whole_file.h"

#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROBOTS TEST_DATA "/urdf/"

static command_result result; // large

static const char *run(scratch_folder *folder, const char *arguments)
{
  command_run(folder, TOUCHSTONE_COMMAND, arguments, &result);
  if (result.status != 0) fail_msg("'%s': status %d, said '%s'", arguments, result.status, result.err);
  assert_string_equal(result.err, "");
  return result.out;
}

// The same where something is repaired, of which one line tells.
static void run_with_warning(scratch_folder *folder, const char *arguments, const char *words)
{
  command_run(folder, TOUCHSTONE_COMMAND, arguments, &result);
  if (result.status != 0) fail_msg("'%s': status %d, said '%s'", arguments, result.status, result.err);
  if (!strstr(result.err, words)) fail_msg("'%s' does not say '%s'", result.err, words);
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
}

static void refuse(scratch_folder *folder, const char *arguments, const char *words)
{
  command_assert_refused(folder, TOUCHSTONE_COMMAND, arguments, words);
}

static double member(const char *json, const char *key)
{
  const char *value = json_member(json, key);
  if (!value) fail_msg("there is no '%s'", key);
  return strtod(value, NULL);
}

static void check_tells_the_sizes(void **state)
{
  const char *robot = json_member(run(*state, "check --json " ROBOTS "iiwa14_spheres_collision.urdf"), "robot");
  assert_non_null(robot);
  assert_int_equal((int)member(robot, "links"), 11);
  assert_int_equal((int)member(robot, "joints"), 10);
  assert_int_equal((int)member(robot, "velocities"), 7);
  assert_true(member(robot, "mass") > 30.6099 && member(robot, "mass") < 30.6101);
  const char *text = run(*state, "check --base free --floor " ROBOTS "iiwa14_spheres_collision.urdf");
  assert_non_null(strstr(text, "robot: links 11, joints 10, degrees of freedom 13, mass 30.61 kg"));
  assert_non_null(strstr(text, "floor"));
  text = run(*state, "check --density 100 " ROBOTS "test_joints_MB.urdf");
  assert_null(strstr(text, "--density"));
}

static void a_robot_runs(void **state)
{
  const char *json =
      run(*state, "run -j -d 0.05 --base free --floor --hold -o arm.h5 " ROBOTS "iiwa14_spheres_collision.urdf");
  assert_true(json_is_valid(json));
  assert_int_equal((int)member(json, "steps"), 50);
  assert_int_equal((int)member(json, "uncertified_steps"), 0);
  run(*state, "draw arm.h5 -o arm.svg"); // the scene is in the record
  run(*state, "draw --floor --base free " ROBOTS "TwoJointRobot_w_fixedJoints.urdf -o robot.svg");
}

static void what_is_converted_runs_the_same(void **state)
{
  run_with_warning(*state, "convert --base free --floor " ROBOTS "TwoJointRobot_w_fixedJoints.urdf robot.yaml",
                   "changed to the nearest possible one, by 0.396 %");
  run(*state, "run -q -d 0.1 robot.yaml -o first.csv");
  run_with_warning(*state, "run -q -d 0.1 --base free --floor " ROBOTS "TwoJointRobot_w_fixedJoints.urdf -o second.csv",
                   "2 links ('link_1', 'link_2')");
  char first[512], second[512];
  snprintf(first, sizeof first, "%s", scratch_path(*state, "first.csv"));
  snprintf(second, sizeof second, "%s", scratch_path(*state, "second.csv"));
  assert_same_files(first, second);
  run(*state, "convert robot.yaml again.yaml"); // scenes too
  snprintf(first, sizeof first, "%s", scratch_path(*state, "robot.yaml"));
  snprintf(second, sizeof second, "%s", scratch_path(*state, "again.yaml"));
  assert_same_files(first, second);
}

static void what_a_file_is_its_content_tells(void **state)
{
  static const char robot[] = "\xef\xbb\xbf \n<robot name='r'><link name='a'/></robot>";
  static const char scene[] = "<<: {touchstone: 1}\nbodies: [{name: a, kind: fixed}]\n";
  scratch_write(scratch_path(*state, "robot"), robot, sizeof robot - 1);
  scratch_write(scratch_path(*state, "scene"), scene, sizeof scene - 1);
  assert_non_null(strstr(run(*state, "check robot"), "robot: links 1,"));
  assert_null(strstr(run(*state, "check scene"), "robot:"));
}

static void meshes_are_looked_for_in_packages(void **state)
{
  static const char robot[] = "<robot name='r'><link name='a'><collision><geometry><mesh "
                              "filename='package://elsewhere/wedge.obj'/></geometry></collision></link></robot>";
  scratch_write(scratch_path(*state, "robot.urdf"), robot, sizeof robot - 1);
  refuse(*state, "check robot.urdf", "robot.urdf:1:");
  assert_non_null(strstr(run(*state, "check --package nowhere --package " ROBOTS "parts robot.urdf"), "polytope"));
}

// An option and an override say the same, and dynamics begin where the robot does.
static void joints_start_where_they_are_told(void **state)
{
  run(*state, "convert --joint 'slide_?=0.05' --joint slide_2=0.02 " ROBOTS "fingers.urdf by_option.yaml");
  run(*state, "convert --set slide_1.position=0.05 --set slide_2.position=0.02 --set slide_3.position=0.05 " ROBOTS
              "fingers.urdf by_override.yaml");
  char first[512], second[512];
  double places[3] = {0.0, 0.0, 0.0};
  const char *q = json_member(run(*state, "dynamics by_option.yaml"), "q");
  assert_true(q && sscanf(q, " [ %lf , %lf , %lf ]", &places[0], &places[1], &places[2]) == 3);
  assert_true(fabs(places[0] - 0.05) + fabs(places[1] - 0.02) + fabs(places[2] - 0.05) < 1e-15);
  run(*state, "run -q -d 0.05 by_option.yaml -o first.csv");
  run(*state, "run -q -d 0.05 by_override.yaml -o second.csv");
  snprintf(first, sizeof first, "%s", scratch_path(*state, "first.csv"));
  snprintf(second, sizeof second, "%s", scratch_path(*state, "second.csv"));
  assert_same_files(first, second);
  run(*state, "draw --joint 'slide_?=0.05' " ROBOTS "fingers.urdf -o fingers.svg");
  refuse(*state, "check --joint slide_1 " ROBOTS "fingers.urdf", "option '--joint' wants NAME=X, not 'slide_1'");
  refuse(*state, "check --joint =1 " ROBOTS "fingers.urdf", "option '--joint' wants NAME=X, not '=1'");
  refuse(*state, "check --joint slide_1= " ROBOTS "fingers.urdf", "option '--joint' wants NAME=X");
  refuse(*state, "check --joint slide_1=1,2 " ROBOTS "fingers.urdf", "option '--joint' wants NAME=X");
  refuse(*state, "check --joint slide_1=nan " ROBOTS "fingers.urdf", "slide_1");
  refuse(*state, "check --joint slide_1=1 " ROBOTS "fingers.urdf", "'slide_1' cannot start at 1: its limits");
  refuse(*state, "check --joint slide=0 " ROBOTS "fingers.urdf", "the robot has no joint 'slide'; did you mean");
  refuse(*state, "check --joint slide_1=0 by_option.yaml", "are for robots");
}

static void bad_usage_is_refused(void **state)
{
  static const char mjcf[] = "<mujoco/>", robot[] = "<robot name='r'><link name='a'/></robot>";
  static const char scene[] = "touchstone: 1\nbodies: [{name: a, kind: fixed}]\n";
  scratch_write(scratch_path(*state, "model.xml"), mjcf, sizeof mjcf - 1);
  scratch_write(scratch_path(*state, "robot.urdf"), robot, sizeof robot - 1);
  scratch_write(scratch_path(*state, "scene.yaml"), scene, sizeof scene - 1);
  refuse(*state, "run model.xml", "model.xml:1:1: this is an MJCF file");
  refuse(*state, "check model.xml", "this is an MJCF file");
  refuse(*state, "draw model.xml", "this is an MJCF file");
  refuse(*state, "convert model.xml out.yaml", "this is an MJCF file");
  refuse(*state, "check --base loose robot.urdf", "option '--base' wants 'fixed' or 'free'");
  refuse(*state, "check --density -1 robot.urdf", "density");
  refuse(*state, "check --base free --strict robot.urdf", "link 'a' has no mass");
  refuse(*state, "check --inertia loose robot.urdf", "option '--inertia' wants 'auto', 'strict', 'repair' or 'shapes'");
  refuse(*state, "run --inertia robot.urdf", "touchstone");
  refuse(*state, "check --missing-meshes keep robot.urdf", "option '--missing-meshes' wants 'refuse' or 'skip'");
  refuse(*state, "check --strict=yes robot.urdf", "strict");
  refuse(*state, "run --inertia repair scene.yaml", "are for robots");
  refuse(*state, "draw --missing-meshes skip scene.yaml", "are for robots");
  refuse(*state, "convert --strict scene.yaml out.yaml", "are for robots");
  refuse(*state, "run --floor scene.yaml", "are for robots");
  refuse(*state, "check nowhere.urdf", "nowhere.urdf: the file cannot be read");
  refuse(*state, "convert robot.urdf robot.txt", "written as .yaml or .yml");
  refuse(*state, "convert robot.urdf", "usage: touchstone convert");
  refuse(*state, "convert robot.urdf nowhere/robot.yaml", "nowhere/robot.yaml");
}

static void the_table_is_listed(void **state)
{
  const char *text = run(*state, "list urdf");
  assert_non_null(strstr(text, "robot.link.inertial.mass.value"));
  assert_non_null(strstr(text, "(fixed, revolute"));
  assert_true(json_is_valid(run(*state, "list urdf --json")));
  assert_non_null(strstr(run(*state, "list urdf --markdown"), "### `robot.link.collision.geometry.mesh`"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(check_tells_the_sizes),
      TEST(a_robot_runs),
      TEST(what_is_converted_runs_the_same),
      TEST(what_a_file_is_its_content_tells),
      TEST(meshes_are_looked_for_in_packages),
      TEST(joints_start_where_they_are_told),
      TEST(bad_usage_is_refused),
      TEST(the_table_is_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
