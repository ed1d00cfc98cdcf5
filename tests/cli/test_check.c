// touchstone check and the lists about scenes, as their users see them.
#include "command.h"
#include "json.h"

#include "touchstone/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static command_result result; // large

static const char *run(scratch_folder *folder, const char *arguments)
{
  command_run_well(folder, TOUCHSTONE_COMMAND, arguments, &result);
  return result.out;
}

static int member(const char *json, const char *key)
{
  const char *value = json_member(json, key);
  if (!value) fail_msg("there is no '%s'", key);
  return atoi(value);
}

static int mlcp_size(scratch_folder *folder, const char *path)
{
  char arguments[600];
  snprintf(arguments, sizeof arguments, "check --json '%s'", path);
  const char *json = run(folder, arguments);
  assert_true(json_is_valid(json));
  return member(json, "mlcp_size");
}

// reference-numbers.md 8 has the sizes of the six examples of thesis 2.7.
static void problem_sizes_are_those_of_the_thesis(void **state)
{
  const int sizes[] = {10, 15, 21, 25, 25, 22};
  for (int i = 0; i < 6; ++i) {
    char path[512];
    snprintf(path, sizeof path, EXAMPLES "/thesis_2_7/example_%d.yaml", i + 1);
    assert_int_equal(mlcp_size(*state, path), sizes[i]);
  }
}

static const char ball[] = "touchstone: 1\nname: a ball\ncontact: {friction: 0.2}\nbodies:\n"
                           "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                           "  - {name: ball, mass: 2, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}\n";

static int write_ball(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scratch_write(scratch_path(*state, "ball.yaml"), ball, sizeof ball - 1);
  return 0;
}

// By hand: 6 velocities, one contact with normal, tangents (and spin); 8 directions or 4.
static void sizes_in_space(void **state)
{
  const char *json = run(*state, "check --json ball.yaml");
  assert_int_equal(member(json, "velocities"), 6);
  assert_int_equal(member(json, "contacts"), 1);
  assert_int_equal(member(json, "friction_problem_size"), 3);
  assert_int_equal(member(json, "mlcp_size"), 6 + 1 + 8 + 1);
  json = run(*state, "check --json ball.yaml --set 'step.cone={polyhedral: {directions: 4}}'");
  assert_int_equal(member(json, "mlcp_size"), 6 + 1 + 4 + 1);
  json = run(*state, "check --json ball.yaml --set contact.friction=0");
  assert_int_equal(member(json, "mlcp_size"), 6 + 1);
  json = run(*state, "check --json ball.yaml --set 'contact.ellipsoid=[1, 1, 0.1]'");
  assert_int_equal(member(json, "friction_problem_size"), 4);
}

static void the_report_names_what_there_is(void **state)
{
  const char *out = run(*state, "check ball.yaml --set ball.mass=3 --set ball.velocity='[1, 0, 0]'");
  assert_non_null(strstr(out, "a ball\n"));
  assert_non_null(strstr(out, "dynamic          3  sphere"));
  assert_non_null(strstr(out, "pairs of shapes that can touch: 1\n  floor - ball\n"));
  assert_non_null(strstr(out, "friction problem 3, MLCP 16"));
}

static void write_grouped(void *state, const char *pair)
{
  char text[sizeof ball + 128];
  snprintf(text, sizeof text, "%spairs:\n  - %s\n", ball, pair);
  scratch_write(scratch_path(state, "grouped.yaml"), text, strlen(text));
}

static void groups_are_counted(void **state)
{
  write_grouped(*state, "{group: [floor, ball], collide: false}");
  const char *out = run(*state, "check grouped.yaml");
  assert_non_null(strstr(out, "pairs of shapes that can touch: 0\n"));
  assert_non_null(strstr(out, "groups that decide whether bodies collide: 1\n"
                              "  2 bodies among themselves: do not collide, pairs: 1\n"));
  write_grouped(*state, "{group: [b*], with: [floor], friction: 1}");
  out = run(*state, "check --json grouped.yaml");
  assert_non_null(strstr(out, "\"own_law\": true"));
  assert_non_null(strstr(out, "\"pairs\": 1\n"));
}

static const char linkage[] =
    "touchstone: 1\nbodies:\n"
    "  - {name: arm, mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0], joint: {name: hinge, type: "
    "revolute, "
    "axis: [0, 1, 0], limits: {upper: 9}, motor: {velocity: {target: 1, max_force: 3}}}}\n"
    "  - {name: sled, mass: 1, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0], joint: {type: prismatic, at: [5, "
    "0, "
    "0], limits: [-1, 2]}}\n"
    "springs:\n  - {name: bungee, bodies: [arm, sled], at: [[0, 0, 1], [0, 0, 1]], stiffness: 20, damping: 0.5}\n";

static void bushings_are_listed(void **state)
{
  static const char text[] = "bushings:\n  - {name: mount, bodies: [world, ball], at: [0, 0, 1], stiffness: [1, 2, 3], "
                             "angular_damping: [4, 5, 6]}\n";
  char scene[sizeof ball + sizeof text];
  snprintf(scene, sizeof scene, "%s%s", ball, text);
  scratch_write(scratch_path(*state, "mount.yaml"), scene, strlen(scene));
  const char *out = run(*state, "check mount.yaml");
  assert_non_null(strstr(out, "bushing  from"));
  assert_non_null(strstr(out, "mount    world"));
  assert_non_null(strstr(out, "1 2 3"));
  assert_non_null(strstr(out, "4 5 6"));
  out = run(*state, "check --json mount.yaml --set mount.stiffness='[7, 8, 9]'");
  assert_true(json_is_valid(out));
  assert_non_null(strstr(out, "\"bushings\": ["));
  assert_non_null(strstr(out, "\"name\": \"mount\""));
}

static void joints_and_springs_are_listed(void **state)
{
  scratch_write(scratch_path(*state, "linkage.yaml"), linkage, sizeof linkage - 1);
  const char *out = run(*state, "check linkage.yaml");
  assert_non_null(strstr(out, "hinge   revolute   world   arm    0, 0, 0  up to 9 rad  velocity, at most 3 N m\n"));
  assert_non_null(strstr(out, "joint2  prismatic  world   sled   5, 0, 0  -1 to 2 m    -\n"));
  assert_non_null(strstr(out, "bungee  arm   0, 0, 1  sled  0, 0, 1               20              0.5           4\n"));
  out = run(*state,
            "check linkage.yaml --set arm.joint.friction=0.5 --set sled.joint.damping=2 --set arm.joint.position=-1");
  assert_non_null(strstr(out, "motor                    position  friction  damping\n"));
  assert_non_null(strstr(out, "velocity, at most 3 N m  -1 rad    0.5 N m   -\n"));
  assert_non_null(strstr(out, "-                        -         -         2 N s/m\n"));
  const char *json = run(*state, "check --json linkage.yaml");
  assert_true(json_is_valid(json));
  assert_int_equal(json_count(json_member(json, "joints")), 2);
  assert_int_equal(json_count(json_member(json, "springs")), 1);
  assert_int_equal(json_count(json_member(json, "gears")), 0);
  json = run(*state, "check --json ball.yaml");
  assert_int_equal(json_count(json_member(json, "joints")), 0);
}

static void gears_are_listed(void **state)
{
  scratch_write(scratch_path(*state, "linkage.yaml"), linkage, sizeof linkage - 1);
  const char *const gear = "check %s linkage.yaml --set sled.joint.gear='{joint: hinge, ratio: -0.25, offset: 0.5}'";
  char arguments[200];
  snprintf(arguments, sizeof arguments, gear, "");
  const char *out = run(*state, arguments);
  assert_non_null(strstr(out, "geared joint  follows  ratio        offset\n"));
  assert_non_null(strstr(out, "joint2        hinge    -0.25 m/rad  0.5 m\n"));
  assert_non_null(strstr(out, "joints: 2, with 11 bilateral rows"));
  snprintf(arguments, sizeof arguments, gear, "--json");
  const char *json = run(*state, arguments), *gears = json_member(json, "gears");
  assert_true(json_is_valid(json));
  assert_int_equal(json_count(gears), 1);
}

static void bad_scenes_are_refused_with_a_place(void **state)
{
  static const char bad[] = "touchstone: 1\nbodies:\n  - {name: a, mas: 1}\n",
                    outer[] = "touchstone: 1\ninclude: bad.yaml\n";
  scratch_write(scratch_path(*state, "bad.yaml"), bad, sizeof bad - 1);
  scratch_write(scratch_path(*state, "outer.yaml"), outer, sizeof outer - 1);
  const char *command = TOUCHSTONE_COMMAND;
  command_assert_refused(*state, command, "check bad.yaml",
                         "bad.yaml:3:15: a body has no key 'mas'; did you mean 'mass'?");
  command_assert_refused(*state, command, "check outer.yaml", "bad.yaml:3:15: a body has no key 'mas'");
  command_assert_refused(*state, command, "check nowhere.yaml", "nowhere.yaml: the file cannot be read");
  command_assert_refused(*state, command, "check ball.yaml --set ball.mas=1", "'ball.mas=1': a body has no key 'mas'");
  command_assert_refused(*state, command, "check ball.yaml --set", "needs a value");
  command_assert_refused(*state, command, "check", "usage");
}

// What only a simulation finds out has its place too: that of the key, or of the entry where the key is left out.
static void what_a_simulation_refuses_has_its_line(void **state)
{
  static const char massless[] = "touchstone: 1\nbodies:\n  - name: a\n    shape: {sphere: {radius: 1}}\n    mass: 0\n",
                    outer[] = "touchstone: 1\ninclude: massless.yaml\n";
  scratch_write(scratch_path(*state, "massless.yaml"), massless, sizeof massless - 1);
  scratch_write(scratch_path(*state, "outer.yaml"), outer, sizeof outer - 1);
  const char *command = TOUCHSTONE_COMMAND;
  command_assert_refused(*state, command, "check massless.yaml", " massless.yaml:5:5: body 'a' has no mass");
  command_assert_refused(*state, command, "run massless.yaml", " massless.yaml:5:5: body 'a' has no mass");
  command_assert_refused(*state, command, "check outer.yaml", " massless.yaml:5:5: body 'a' has no mass");
}

// Two massless links in a row that carry m: each prismatic joint needs 4 h w^2 m with w = 10 rad/s. What the sentence
// asks for must be enough.
static void write_slides(scratch_folder *folder, double mass, const char *damping)
{
  char text[600];
  snprintf(text, sizeof text,
           "touchstone: 1\nbodies:\n"
           "  - {name: x, mass: 0, joint: {type: prismatic, axis: [1, 0, 0], damping: %s}}\n"
           "  - {name: y, mass: 0, joint: {type: prismatic, axis: [0, 1, 0], damping: %s, parent: x}}\n"
           "  - {name: z, mass: %.17g, inertia: [1, 1, 1],\n"
           "     joint: {type: prismatic, axis: [0, 0, 1], damping: %s, parent: y}}\n"
           "step: {coordinates: minimal, size: 5e-4}\n",
           damping, damping, mass, damping);
  scratch_write(scratch_path(folder, "slides.yaml"), text, strlen(text));
}

static void the_damping_asked_for_is_enough(void **state)
{
  static const double masses[] = {0.1, 0.3, 1.0 / 3.0, 0.123456789, 7.77e-5, 1234.5};
  for (size_t i = 0; i < sizeof masses / sizeof masses[0]; ++i) {
    static command_result said;
    char wanted[32];
    write_slides(*state, masses[i], "1e-9");
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "check slides.yaml",
                           " slides.yaml:3:66: joint 'joint1' is next to two bodies without a mass");
    command_run(*state, TOUCHSTONE_COMMAND, "check slides.yaml", &said);
    assert_int_equal(sscanf(strstr(said.err, "at least ") + 9, "%31s", wanted), 1);
    assert_in_range((long)(100.0 * strtod(wanted, NULL) / (0.2 * masses[i])), 99, 110);
    write_slides(*state, masses[i], wanted);
    command_run_well(*state, TOUCHSTONE_COMMAND, "check slides.yaml", &said);
  }
  write_slides(*state, 0.1, "0.02"); // the bound itself: 4 * 5e-4 * 100 * 0.1
  static command_result said;
  command_run_well(*state, TOUCHSTONE_COMMAND, "check slides.yaml", &said);
}

// On standard error, with the place; the exit status and standard output are as without.
static void warnings_change_nothing_else(void **state)
{
  static const char y_up[] = "touchstone: 1\ngravity: [0, -9.81, 0]\nduration: 0.01\n"
                             "bodies:\n  - {name: ball, shape: {sphere: {radius: 0.1}}}\n";
  static command_result said;
  scratch_write(scratch_path(*state, "y_up.yaml"), y_up, sizeof y_up - 1);
  static const char *const verbs[] = {"check y_up.yaml", "run y_up.yaml", "check --json y_up.yaml",
                                      "run --json y_up.yaml"};
  for (int i = 0; i < 4; ++i) {
    command_run(*state, TOUCHSTONE_COMMAND, verbs[i], &said);
    assert_int_equal(said.status, 0);
    assert_int_equal(strncmp(said.err, "touchstone: y_up.yaml:2:10: warning: gravity points along y;", 60), 0);
    assert_ptr_equal(strchr(said.err, '\n'), said.err + strlen(said.err) - 1);
    if (i < 2) continue;
    assert_true(json_is_valid(said.out));
    assert_int_equal(json_count(json_member(said.out, "notes")), 1);
  }
}

static void scenes_have_their_lists(void **state)
{
  const char *out = run(*state, "list shapes");
#define LISTED(name, text) assert_non_null(strstr(out, #text));
  TS_SHAPE_LIST(LISTED)
#undef LISTED
  assert_non_null(strstr(out, "box             3d 2d 2.5d  cuboid; in the plane a rectangle\n"));
  assert_non_null(strstr(out, "sphere          3d          ball\n"));
  assert_non_null(strstr(out, "disc            2d 2.5d     disc\n"));
  out = run(*state, "list joints");
#define LISTED(enumerator, name) assert_non_null(strstr(out, #name));
  TS_JOINT_LIST(LISTED)
#undef LISTED
  assert_null(strstr(run(*state, "list signals"), "callback"));
  assert_non_null(strstr(run(*state, "list steppers"), "stewart-trinkle"));
  assert_non_null(strstr(run(*state, "list steppers"), "\ngoes with           3d   2d   2.5d  polyhedral cone"));
  assert_non_null(
      strstr(run(*state, "list steppers"), "\n  event-driven, 2.5d: event-driven stepping does not locate"));
  assert_true(json_is_valid(run(*state, "list steppers --json")));
  assert_non_null(strstr(run(*state, "list options"), "\ntheta                       velocity  "));
  assert_int_equal(json_count(run(*state, "list options --json")), ts_step_option_count());
  assert_int_equal(json_count(run(*state, "list signals --json")), TS_SIGNAL_CALLBACK);
  assert_non_null(strstr(run(*state, "list functions"), "atan2(y, x)"));
  assert_non_null(strstr(run(*state, "list quantities"), "contacts(FIRST, SECOND).fn               N  "));
  assert_int_equal(json_count(run(*state, "list quantities --json")), ts_quantity_count());
  assert_int_equal(json_count(run(*state, "list formats --json")), 9); // .h5, .hdf5 and .csv twice, .svg, .png, .pdf
  assert_non_null(strstr(run(*state, "list formats"), ".hdf5   runs "));
  assert_int_equal(json_count(run(*state, "list keys --json")), ts_scene_key_count());
  assert_non_null(strstr(run(*state, "list keys"), "SHAPE.sphere.radius"));
  assert_non_null(strstr(run(*state, "list study"), "first and last of `count` values"));
  assert_non_null(strstr(run(*state, "list verify"), "in the order of their cost"));
  assert_non_null(strstr(run(*state, "list formats"), "tables"));
  out = run(*state, "list keys --markdown");
  assert_non_null(strstr(out, "### `bodies[].motion.acceleration`\n"));
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "list shapes --markdown", "'touchstone list keys'");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "list shaps",
                         "did you mean 'shapes'? (lists: solvers, problems, ");
  command_assert_refused(
      *state, TOUCHSTONE_COMMAND, "list nonsense",
      "there is no list of 'nonsense' (lists: solvers, problems, steppers, options, controllers, shapes, "
      "joints, signals, quantities, functions, formats, keys, urdf, study, verify)");
}

// ---- what is said about the start ----------------------------------------------------------------------------------

static const char sunk[] = "touchstone: 1\ncontact: {restitution: 0.5}\nbodies:\n"
                           "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                           "  - {name: ball, mass: 2, shape: {sphere: {radius: 1}}, position: [0, 0, 0.99]}\n"
                           "duration: 0.01\n";

// Both verbs name the bodies and the depth, and the law that follows from the restitution; what is asked for is not
// told.
static void parameters_and_what_is_watched_are_listed(void **state)
{
  const char text[] = "touchstone: 1\n"
                      "parameters: {e: {value: 0.8, range: [0, 1], unit: one, help: rebound}, d: =2*e}\n"
                      "contact: {restitution: =e}\n"
                      "bodies: [{name: ball, mass: 2, shape: {sphere: {radius: 1}}}]\n"
                      "stop: [{name: low, when: ball.z < -1, for: 0.25}, {rest: ball, steps: 3}]\n"
                      "results: {high: {max: ball.z, from: 0.25, unit: m, help: top}, end: ball.z + d, late: {mean: "
                      "ball.z, last: 0.5}}\n";
  scratch_write(scratch_path(*state, "watched.yaml"), text, sizeof text - 1);
  const char *out = run(*state, "check watched.yaml");
  assert_non_null(strstr(out, "e            0.8  one   0 to 1  rebound\n"));
  assert_non_null(strstr(out, "d            1.6                derived\n"));
  assert_non_null(strstr(out, "low           ball.z < -1 "));
  assert_non_null(strstr(out, " 0.25 s\n"));
  assert_non_null(strstr(out, " 3 steps\n"));
  assert_non_null(strstr(out, "high    max    ball.z            from 0.25 s  m     top\n"));
  assert_non_null(strstr(out, "late    mean   ball.z            last 0.5 s"));
  assert_non_null(strstr(out, "end     final  ball.z + d"));
  out = run(*state, "check watched.yaml --json --set e=0.5");
  assert_true(json_is_valid(out));
  assert_int_equal(json_count(json_member(out, "parameters")), 2);
  assert_int_equal(json_count(json_member(out, "stop")), 2);
  assert_int_equal(json_count(json_member(out, "results")), 3);
  assert_non_null(strstr(out, "\"value\": 0.5"));
  assert_non_null(strstr(out, "\"derived\": true"));
  assert_non_null(strstr(out, "\"expression\": \"ball.z + d\""));
}

static void the_start_is_told(void **state)
{
  static const char *const verbs[] = {"check", "run"};
  scratch_write(scratch_path(*state, "sunk.yaml"), sunk, sizeof sunk - 1);
  for (int k = 0; k < 2; ++k) {
    char arguments[200];
    snprintf(arguments, sizeof arguments, "%s sunk.yaml", verbs[k]);
    const char *text = run(*state, arguments);
    assert_non_null(strstr(text, "overlap of 'ball' and 'floor', 0.01 m"));
    assert_non_null(strstr(text, "newton, for some restitution is above 0"));
    snprintf(arguments, sizeof arguments, "%s --json sunk.yaml", verbs[k]);
    const char *json = run(*state, arguments);
    assert_true(json_is_valid(json));
    assert_non_null(strstr(json, "\"impacts\": \"newton\""));
    assert_non_null(strstr(json, "\"impacts_by_default\": true"));
    assert_non_null(strstr(json, "\"body_1\": \"ball\""));
    snprintf(arguments, sizeof arguments, "%s sunk.yaml --set step.impacts=inelastic --set step.start=as_given",
             verbs[k]);
    text = run(*state, arguments);
    assert_null(strstr(text, "taken out"));
    assert_null(strstr(text, "restitution"));
  }
}

static const char lifted[] = "touchstone: 1\nbodies:\n"
                             "  - {name: slider, mass: 2, shape: {sphere: {radius: 0.1}}, velocity: [1, 0, 1],\n"
                             "     joint: {name: rail, type: prismatic, axis: [1, 0, 0]}}\n"
                             "duration: 0.01\n";

// A slider that shall leave its rail as fast as it slides: half of m v^2/2 = 2 J is along the rail.
static void velocities_that_joints_do_not_allow_are_told(void **state)
{
  static const char *const verbs[] = {"check", "run"};
  scratch_write(scratch_path(*state, "lifted.yaml"), lifted, sizeof lifted - 1);
  for (int k = 0; k < 2; ++k) {
    char arguments[200];
    snprintf(arguments, sizeof arguments, "%s lifted.yaml", verbs[k]);
    const char *text = run(*state, arguments);
    assert_non_null(strstr(text, "joint 'rail' does not allow those given: it would part at 1 m/s"));
    assert_non_null(strstr(text, "2 J -> 1 J"));
    snprintf(arguments, sizeof arguments, "%s --json lifted.yaml", verbs[k]);
    const char *json = run(*state, arguments);
    assert_true(json_is_valid(json));
    assert_non_null(strstr(json, "\"kinetic_taken\": 1"));
    snprintf(arguments, sizeof arguments, "%s lifted.yaml --set 'slider.velocity=[1, 0, 0]'", verbs[k]);
    assert_null(strstr(run(*state, arguments), "changed at start"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_and_what_is_watched_are_listed),
      cmocka_unit_test(the_start_is_told),
      cmocka_unit_test(velocities_that_joints_do_not_allow_are_told),
      cmocka_unit_test(problem_sizes_are_those_of_the_thesis),
      cmocka_unit_test(sizes_in_space),
      cmocka_unit_test(the_report_names_what_there_is),
      cmocka_unit_test(joints_and_springs_are_listed),
      cmocka_unit_test(gears_are_listed),
      cmocka_unit_test(bad_scenes_are_refused_with_a_place),
      cmocka_unit_test(scenes_have_their_lists),
      cmocka_unit_test(what_a_simulation_refuses_has_its_line),
      cmocka_unit_test(the_damping_asked_for_is_enough),
      cmocka_unit_test(groups_are_counted),
      cmocka_unit_test(bushings_are_listed),
      cmocka_unit_test(warnings_change_nothing_else),
  };
  return cmocka_run_group_tests(tests, write_ball, scratch_folder_tear_down);
}
