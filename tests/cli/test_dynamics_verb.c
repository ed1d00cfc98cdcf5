// touchstone dynamics as its users see it, against closed forms; and closes_loop in check and convert.
#include "command.h"
#include "json.h"

#include <math.h>
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

static void refuse(scratch_folder *folder, const char *arguments, const char *words)
{
  command_assert_refused(folder, TOUCHSTONE_COMMAND, arguments, words);
}

// 2 kg hang 1 m below a hinge at the origin, 0.5 kg m^2 about their centre.
static const char pendulum[] =
    "touchstone: 1\nname: pendulum\nspace: 2d\ngravity: [0, -10]\nbodies:\n"
    "  - {name: bob, mass: 2, inertia: 0.5, centre: [0, -1], joint: {name: hinge, type: revolute, damping: 3}}\n";

// Three rods in a ring with the world.
static const char ring[] =
    "touchstone: 1\nspace: 2d\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 1, position: [0, 0]}\n  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\n"
    "joints:\n  - {name: first, type: revolute, child: a}\n"
    "  - {name: middle, type: revolute, parent: a, child: b, at: [0.5, 1]}\n"
    "  - {name: last, type: revolute, child: b, at: [1, 0]}\n";

static int write_scenes(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scratch_write(scratch_path(*state, "pendulum.yaml"), pendulum, sizeof pendulum - 1);
  scratch_write(scratch_path(*state, "ring.yaml"), ring, sizeof ring - 1);
  return 0;
}

// Number i of what a member holds, however deep the brackets are.
static double number(const char *json, const char *key, int i)
{
  const char *at = json_member(json, key);
  if (!at) fail_msg("there is no '%s'", key);
  for (at += strspn(at, "[ \n"); i > 0; --i) {
    at += strcspn(at, ",");
    at += strspn(at, ",[] \n");
  }
  return strtod(at, NULL);
}

static void assert_number(const char *json, const char *key, int i, double expected)
{
  const double value = number(json, key, i);
  if (!(fabs(value - expected) <= 1e-14 * (1.0 + fabs(expected))))
    fail_msg("%s[%d] is %.17g, not %.17g", key, i, value, expected);
}

static void assert_swings(const char *json, double q, double v, double a, double f)
{
  const double M = 0.5 + 2.0, bias = 2.0 * 10.0 * sin(q);
  assert_true(json_is_valid(json));
  assert_number(json, "q", 0, q);
  assert_number(json, "v", 0, v);
  assert_number(json, "mass_matrix", 0, M);
  assert_number(json, "bias", 0, bias);
  assert_number(json, "a", 0, a);
  assert_number(json, "inverse_dynamics", 0, M * a + bias);
  assert_number(json, "f", 0, f);
  assert_number(json, "forward_dynamics", 0, (f - bias) / M);
  assert_number(json, "loop_error", 0, 0.0);
  assert_int_equal(json_count(json_member(json, "closures")), 0);
}

static void a_pendulum_has_its_closed_form(void **state)
{
  assert_swings(run(*state, "dynamics pendulum.yaml"), 0.0, 0.0, 0.0, 0.0);
  assert_swings(run(*state, "dynamics pendulum.yaml --q 0.5 -v '2' --a hinge=3 --f hinge=-1"), 0.5, 2.0, 3.0, -1.0);
  assert_swings(run(*state, "dynamics pendulum.yaml -q 9 --q=hinge=-0.25"), -0.25, 0.0, 0.0, 0.0); // the last one
  assert_swings(run(*state, "dynamics pendulum.yaml --set bob.joint.position=0.125"), 0.125, 0.0, 0.0, 0.0);
}

// The centre at (sin q, -cos q): its Jacobian, velocity and J' v.
static void points_have_their_closed_form(void **state)
{
  const double q = 0.5, v = 2.0, c = cos(q), s = sin(q);
  const char *json = run(*state, "dynamics pendulum.yaml -q 0.5 -v 2 --point bob=0,-1 --point bob");
  const char *points = json_member(json, "points");
  assert_int_equal(json_count(points), 2);
  const char *point = points + strcspn(points, "{");
  const double position[] = {s, -c, 0.0}, velocity[] = {v * c, v * s, 0.0, 0.0, 0.0, v},
               J[] = {c, s, 0.0, 0.0, 0.0, 1.0}, rise[] = {-v * v * s, v * v * c, 0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < 3; ++i) assert_number(point, "position", i, position[i]);
  for (int i = 0; i < 6; ++i) {
    assert_number(point, "velocity", i, velocity[i]);
    assert_number(point, "jacobian", i, J[i]);
    assert_number(point, "jacobian_rate_v", i, rise[i]);
  }
}

static bool closes(const char *json, const char *joint)
{
  const char *closures = json_member(json, "closures");
  const char *found = strstr(closures, joint);
  return json_count(closures) == 1 && found && found < closures + strcspn(closures, "]");
}

static void loops_are_cut_where_it_is_stated(void **state)
{
  assert_true(closes(run(*state, "dynamics ring.yaml --set first.closes_loop=true"), "\"first\""));
  assert_true(closes(run(*state, "dynamics ring.yaml --set last.closes_loop=true"), "\"last\""));
  assert_non_null(strstr(run(*state, "check ring.yaml --set last.closes_loop=true"), "closes loop"));
  assert_null(strstr(run(*state, "check ring.yaml"), "closes loop"));
  assert_non_null(strstr(run(*state, "check ring.yaml --json --set last.closes_loop=true"), "\"closes_loop\": true"));
  run(*state, "convert ring.yaml cut.yaml --set last.closes_loop=true");
  assert_true(closes(run(*state, "dynamics cut.yaml"), "\"last\""));
  refuse(*state, "check ring.yaml --set last.closes_loop=maybe", "'closes_loop' must be true or false");
}

static void bad_requests_are_refused(void **state)
{
  refuse(*state, "dynamics", "usage: touchstone dynamics SCENE");
  refuse(*state, "dynamics nowhere.yaml", "nowhere.yaml");
  refuse(*state, "dynamics pendulum.yaml --q 1,2", "option '--q' has 2 numbers, the scene has 1 coordinates");
  refuse(*state, "dynamics pendulum.yaml --q ''", "option '--q' has 0 numbers");
  refuse(*state, "dynamics pendulum.yaml --q x", "option '--q' wants numbers, or NAME=NUMBER, not 'x'");
  refuse(*state, "dynamics pendulum.yaml --q 1x", "not '1x'");
  refuse(*state, "dynamics pendulum.yaml --q nan", "the coordinates must be finite numbers");
  refuse(*state, "dynamics pendulum.yaml --v 1e999", "the rates must be finite numbers");
  refuse(*state, "dynamics pendulum.yaml --a inf", "the accelerations must be finite numbers");
  refuse(*state, "dynamics pendulum.yaml --f -inf", "the forces must be finite numbers");
  refuse(*state, "dynamics pendulum.yaml --f hing=2", "did you mean 'hinge'?");
  refuse(*state, "dynamics pendulum.yaml --f hinge=", "option '--f': '' is not a number");
  refuse(*state, "dynamics pendulum.yaml --f hinge=2,3", "is not a number");
  refuse(*state, "dynamics pendulum.yaml --time inf", "the time must be finite");
  refuse(*state, "dynamics pendulum.yaml --point bod", "did you mean 'bob'?");
  refuse(*state, "dynamics pendulum.yaml --point bob=1,2,3", "option '--point' wants BODY=X,Y, not 'bob=1,2,3'");
  refuse(*state, "dynamics pendulum.yaml --point bob=1,nan", "the coordinates of the point must be finite");
  refuse(*state, "dynamics pendulum.yaml --base free", "for robots");
}

// Nothing that moves: empty lists.
static void scenes_without_coordinates_are_fine(void **state)
{
  static const char still[] = "touchstone: 1\nbodies:\n  - {name: rock, kind: fixed, shape: {sphere: {radius: 1}}}\n";
  scratch_write(scratch_path(*state, "still.yaml"), still, sizeof still - 1);
  const char *json = run(*state, "dynamics still.yaml --point rock=0,0,1 --q ''");
  assert_true(json_is_valid(json));
  assert_int_equal(json_count(json_member(json, "mass_matrix")), 0);
  assert_int_equal(json_count(json_member(json, "points")), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, write_scenes, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_pendulum_has_its_closed_form),      TEST(points_have_their_closed_form),
      TEST(loops_are_cut_where_it_is_stated),    TEST(bad_requests_are_refused),
      TEST(scenes_without_coordinates_are_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
