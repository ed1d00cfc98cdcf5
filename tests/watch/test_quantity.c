// What names stand for: bodies, frames, joints, contacts and steps, against what is computed by hand.
#define _POSIX_C_SOURCE 200809L // stpcpy
#include "scene_try.h"
#include "watched_run.h"

#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_result(const watched_run *run, const char *name, double value, double tolerance)
{
  const double found = watched_result(run, name);
  if (!(fabs(found - value) <= tolerance)) fail_msg("%s is %.17g, not %.17g", name, found, value);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// Whatever bodies are called: by words that expressions have, by signs that names have between them.
static void bodies_of_any_name(void **state)
{
  (void)state;
  watched_run run = watched_run_of("touchstone: 1\n"
                                   "gravity: [0, 0, 0]\n"
                                   "bodies:\n"
                                   "  - {name: steps, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}\n"
                                   "  - {name: joints, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0]}\n"
                                   "  - {name: joints.a, shape: {sphere: {radius: 0.1}}, position: [3, 0, 0]}\n"
                                   "  - {name: b@c, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0]}\n"
                                   "  - {name: x@b@c, shape: {sphere: {radius: 0.1}}, position: [7, 0, 0]}\n"
                                   "joints: [{name: a, type: prismatic, child: steps, axis: [1, 0, 0]}]\n"
                                   "step: {size: 0.01}\n"
                                   "duration: 0.02\n"
                                   "results:\n"
                                   "  steps: steps.x\n"
                                   "  quoted: \"'steps'.x\"\n"
                                   "  column: steps.certified\n"
                                   "  joints: joints.x\n"
                                   "  both: joints.a.x\n"
                                   "  coordinate: joints.a.position\n"
                                   "  at: \"'b@c'.x\"\n"
                                   "  twice: \"'x@b@c'.x\"\n"
                                   "  seen: joints.x@steps\n"
                                   "  from: steps.x@'b@c'\n"
                                   "  to: \"'x@b@c'.x@'b@c'\"\n");
  assert_result(&run, "steps", 1.0, 0.0);
  assert_result(&run, "quoted", 1.0, 0.0);
  assert_result(&run, "column", 1.0, 0.0);
  assert_result(&run, "joints", 2.0, 0.0);
  assert_result(&run, "both", 3.0, 0.0);
  assert_result(&run, "coordinate", 0.0, 1e-12);
  assert_result(&run, "at", 5.0, 0.0);
  assert_result(&run, "twice", 7.0, 0.0);
  assert_result(&run, "seen", 1.0, 0.0);
  assert_result(&run, "from", -4.0, 0.0);
  assert_result(&run, "to", 2.0, 0.0);
  watched_end(&run);
}

// ---- frames --------------------------------------------------------------------------------------------------------

// The plate's origin is at (0.3 t, 0, 0.1), and it turns about z by 0.7 t. The ball goes from (1, 2, 3) by (0.5, -0.25,
// 0.125) a second, and turns by (0.1, 0.2, 0.3). All of this is exact in the steps.
static void a_plate_that_moves_and_turns(void **state)
{
  (void)state;
  watched_run run = watched_run_of(
      "touchstone: 1\n"
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [1, 2, 3], velocity: [0.5, -0.25, 0.125],\n"
      "     angular_velocity: [0.1, 0.2, 0.3]}\n"
      "  - {name: big plate, kind: kinematic, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.1],\n"
      "     motion: {displacement: [{polynomial: [0, 0.3]}, 0, 0], rotation: [0, 0, {polynomial: [0, 0.7]}]}}\n"
      "step: {size: 0.01}\n"
      "duration: 2\n"
      "results:\n"
      "  x: ball.x@'big plate'\n  y: ball.y@'big plate'\n  z: ball.z@'big plate'\n"
      "  vx: ball.vx@'big plate'\n  vy: ball.vy@'big plate'\n  vz: ball.vz@'big plate'\n"
      "  wx: ball.wx@'big plate'\n  wy: ball.wy@'big plate'\n  wz: ball.wz@'big plate'\n"
      "  speed: ball.speed@'big plate'\n  spin: ball.spin@'big plate'\n"
      "  self: ball.x@ball\n  self_spin: ball.spin@ball\n"
      "  world: ball.x\n  world_speed: ball.speed\n"
      "  rate: {integral: ball.vx@'big plate'}\n  from: {first: ball.x@'big plate'}\n"
      "  qw: \"'big plate'.qw\"\n  qz: \"'big plate'.qz@'big plate'\"\n");
  const double t = 2.0, c = cos(0.7 * t), s = sin(0.7 * t), w = 0.7;
  const double dx = 1.0 + 0.5 * t - 0.3 * t, dy = 2.0 - 0.25 * t, ux = 0.2, uy = -0.25;
  const double x = c * dx + s * dy, y = -s * dx + c * dy;
  const double vx = c * ux + s * uy + w * y, vy = -s * ux + c * uy - w * x; // d/dt of the line above
  assert_result(&run, "x", x, 1e-12);
  assert_result(&run, "y", y, 1e-12);
  assert_result(&run, "z", 2.9 + 0.125 * t, 1e-12);
  assert_result(&run, "vx", vx, 1e-12);
  assert_result(&run, "vy", vy, 1e-12);
  assert_result(&run, "vz", 0.125, 1e-12);
  assert_result(&run, "wx", c * 0.1 + s * 0.2, 1e-12);
  assert_result(&run, "wy", -s * 0.1 + c * 0.2, 1e-12);
  assert_result(&run, "wz", 0.3 - w, 1e-12);
  assert_result(&run, "speed", sqrt(vx * vx + vy * vy + 0.125 * 0.125), 1e-12);
  assert_result(&run, "spin", sqrt(0.01 + 0.04 + (0.3 - w) * (0.3 - w)), 1e-12);
  assert_result(&run, "self", 0.0, 1e-15);
  assert_result(&run, "self_spin", 0.0, 1e-15);
  assert_result(&run, "world", 2.0, 1e-12);
  assert_result(&run, "world_speed", sqrt(0.25 + 0.0625 + 0.015625), 1e-12);
  assert_result(&run, "rate", x - watched_result(&run, "from"), 1e-4); // trapezoids of 0.01 s
  assert_result(&run, "qw", cos(0.35 * t), 1e-12);
  assert_result(&run, "qz", 0.0, 1e-12);
  watched_end(&run);
}

static void frames_in_the_plane(void **state)
{
  (void)state;
  watched_run run =
      watched_run_of("touchstone: 1\n"
                     "space: 2d\n"
                     "gravity: [0, 0]\n"
                     "bodies:\n"
                     "  - {name: ball, shape: {disc: {radius: 0.1}}, position: [1, 2], velocity: [0.5, -0.25], "
                     "angular_velocity: 0.3, angle: 1}\n"
                     "  - {name: arm, kind: kinematic, shape: {disc: {radius: 0.1}}, position: [3, 4], angle: 0.5,\n"
                     "     motion: {displacement: [{polynomial: [0, 0.3]}, 0], rotation: {polynomial: [0, 4]}}}\n"
                     "step: {size: 0.01}\n"
                     "duration: 2\n"
                     "results: {x: ball.x@arm, vx: ball.vx@arm, theta: ball.theta@arm, w: ball.w@arm, turns: "
                     "arm.theta, spin: ball.spin}\n");
  const double t = 2.0, angle = 0.5 + 4.0 * t, c = cos(angle), s = sin(angle);
  const double dx = 1.0 + 0.5 * t - 3.0 - 0.3 * t, dy = 2.0 - 0.25 * t - 4.0, y = -s * dx + c * dy;
  assert_result(&run, "x", c * dx + s * dy, 1e-12);
  assert_result(&run, "vx", c * 0.2 + s * -0.25 + 4.0 * y, 1e-12);
  assert_result(&run, "theta", 1.0 + 0.3 * t - angle, 1e-12);
  assert_result(&run, "w", 0.3 - 4.0, 1e-12);
  assert_result(&run, "turns", angle, 1e-12);
  assert_result(&run, "spin", 0.3, 1e-12);
  watched_end(&run);
}

// ---- several bodies ------------------------------------------------------------------------------------------------

static void numbers_of_several_bodies(void **state)
{
  (void)state;
  watched_run run = watched_run_of("touchstone: 1\n"
                                   "gravity: [0, 0, 0]\n"
                                   "bodies:\n"
                                   "  - {repeat: {count: 4}, name: ball_$i, shape: {sphere: {radius: 0.1}}, position: "
                                   "[=i, 0, -2], velocity: [0, =i, 0],\n"
                                   "     angular_velocity: [0, 0, =3 - i]}\n"
                                   "  - {name: ball_k, kind: kinematic, position: [0, 0, 9], motion: {displacement: "
                                   "[{polynomial: [0, 50]}, 0, 0]}}\n"
                                   "step: {size: 0.1}\n"
                                   "duration: 0.2\n"
                                   "results:\n"
                                   "  all: bodies(ball_*).speed\n"
                                   "  spin: bodies(ball_*).spin\n"
                                   "  one: bodies(ball_2).speed\n"
                                   "  some: bodies(ball_?).speed\n"
                                   "  quoted: bodies('ball_*').speed\n"
                                   "  driven: ball_k.speed\n"
                                   "  first: bodies(ball_*).min_x\n"
                                   "  last: bodies(ball_*).max_x\n"
                                   "  below: bodies(ball_*).max_z\n"
                                   "  slowest: bodies(ball_*).min_speed\n"
                                   "  fastest: bodies(ball_*).max_vy\n"
                                   "  most: {max: '-bodies(ball_?).min_y'}\n"
                                   "  number: bodies(ball_*).count\n"
                                   "  single: bodies(ball_1).count\n");
  assert_result(&run, "first", 0.0, 1e-12);
  assert_result(&run, "last", 3.0, 1e-12);
  assert_result(&run, "below", -2.0, 1e-12);
  assert_result(&run, "slowest", 0.0, 1e-12);
  assert_result(&run, "fastest", 3.0, 1e-12);
  assert_result(&run, "most", 0.0, 1e-12);
  assert_result(&run, "number", 4.0, 0.0);
  assert_result(&run, "single", 1.0, 0.0);
  assert_result(&run, "all", 3.0, 1e-12);
  assert_result(&run, "spin", 3.0, 1e-12);
  assert_result(&run, "one", 2.0, 1e-12);
  assert_result(&run, "some", 3.0, 1e-12);
  assert_result(&run, "quoted", 3.0, 1e-12);
  assert_result(&run, "driven", 50.0, 1e-12);
  watched_end(&run);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// A table of 10 kg on two feet, one twice as far from the middle as the other, which carries twice as much; beside it a
// ball of 3 kg, whose name has a comma.
static const char table[] =
    "touchstone: 1\n"
    "gravity: [0, 0, -10]\n"
    "contact: {friction: 0.5}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - name: table\n"
    "    mass: 10\n"
    "    inertia: [1, 1, 1]\n"
    "    centre: [0, 0, 0]\n"
    "    position: [0, 0, 0.5]\n"
    "    shapes:\n"
    "      - {position: [-2, 0, -0.4], box: {size: [0.2, 1, 0.2]}}\n"
    "      - {position: [1, 0, -0.4], box: {size: [0.2, 1, 0.2]}}\n"
    "      - {position: [0, 0, 0], box: {size: [4, 1, 0.1]}}\n"
    "  - {name: 'ball, red', mass: 3, shape: {sphere: {radius: 0.1}}, position: [0, 5, 0.1], velocity: [0, 0, 0]}\n"
    "  - {name: far, mass: 3, shape: {sphere: {radius: 0.1}}, position: [0, 9, 50]}\n"
    "step: {size: 0.01}\n"
    "duration: 0.5\n";

static void contacts_between_bodies_and_shapes(void **state)
{
  (void)state;
  char text[3000];
  snprintf(text, sizeof text, "%s%s", table,
           "results:\n"
           "  all: contacts(table, floor).fn\n"
           "  turned: contacts(floor, table).fn\n"
           "  impulse: contacts(table, floor).pn\n"
           "  left: contacts(table/0, floor).fn\n"
           "  right: contacts(table/1, floor).fn\n"
           "  top: contacts(table/2, floor).fn\n"
           "  floor_too: contacts(table/1, floor/0).fn\n"
           "  points: contacts(table, floor).count\n"
           "  red: \"contacts('ball, red', floor).fn\"\n"
           "  doubly: 'contacts(\"ball, red\", floor).fn'\n"
           "  wild: contacts(ball*, floor).fn\n"
           "  every: contacts(*, floor).fn\n"
           "  none: contacts(far, *).count\n"
           "  no_gap: contacts(far, floor).gap\n"
           "  nz: contacts(table, floor).nz\n"
           "  down: contacts(floor, table).nz\n"
           "  px: \"contacts('ball, red', floor).px\"\n"
           "  py: \"contacts('ball, red', floor).py\"\n"
           "  pz: \"contacts('ball, red', floor).pz\"\n"
           "  slip: contacts(table, floor).slip\n"
           "  gap: contacts(table, floor).gap\n"
           "  point: contacts(far, floor).px\n");
  watched_run run = watched_run_of(text);
  assert_result(&run, "all", 100.0, 1e-6);
  assert_result(&run, "turned", 100.0, 1e-6);
  assert_result(&run, "impulse", 1.0, 1e-8);
  assert_result(&run, "left", 100.0 / 3.0, 3.5); // feet have a width
  assert_result(&run, "right", 200.0 / 3.0, 3.5);
  assert_result(&run, "top", 0.0, 0.0);
  assert_result(&run, "floor_too", watched_result(&run, "right"), 0.0);
  assert_true(fabs(watched_result(&run, "left") + watched_result(&run, "right") - 100.0) < 1e-6);
  assert_true(watched_result(&run, "points") >= 3.0);
  assert_result(&run, "red", 30.0, 1e-6);
  assert_result(&run, "doubly", 30.0, 1e-6);
  assert_result(&run, "wild", 30.0, 1e-6);
  assert_result(&run, "every", 130.0, 1e-6);
  assert_result(&run, "none", 0.0, 0.0);
  assert_true(watched_result(&run, "no_gap") == INFINITY);
  assert_result(&run, "nz", 1.0, 1e-12);
  assert_result(&run, "down", -1.0, 1e-12);
  assert_result(&run, "px", 0.0, 1e-9);
  assert_result(&run, "py", 5.0, 1e-9);
  assert_result(&run, "pz", 0.0, 1e-6);
  assert_result(&run, "slip", 0.0, 1e-9);
  assert_result(&run, "gap", 0.0, 1e-6);
  assert_true(isnan(watched_result(&run, "point")));
  watched_end(&run);
}

// A ball that comes down by 0.01 m a step without touching: each step begins with the gap that the one before has left.
static void gaps_are_those_that_steps_begin_with(void **state)
{
  (void)state;
  watched_run run = watched_start("touchstone: 1\n"
                                  "gravity: [0, 0, 0]\n"
                                  "bodies:\n"
                                  "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                                  "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2],\n"
                                  "     velocity: [0, 0, -1]}\n"
                                  "step: {size: 0.01, margin: 1}\n"
                                  "results: {gap: 'contacts(ball, floor).gap'}\n");
  ts_error error = {0};
  for (int k = 0; k < 9; ++k) {
    const double before = ts_sim_pose(run.sim, 1).position.z - 0.1;
    assert_int_equal(watched_step(&run, &error), TS_OK);
    assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_OK);
    assert_result(&run, "gap", before, 1e-15);
    assert_true(ts_sim_pose(run.sim, 1).position.z - 0.1 < before - 0.009);
  }
  watched_end(&run);
}

// A crate that is pushed along by a belt: it slips at the belt's speed until friction, mu g, has made it as fast.
static void slip_on_a_belt(void **state)
{
  (void)state;
  watched_run run =
      watched_run_of("touchstone: 1\n"
                     "gravity: [0, 0, -10]\n"
                     "contact: {friction: 0.5}\n"
                     "bodies:\n"
                     "  - {name: belt, kind: kinematic, shape: {box: {size: [9, 1, 0.2]}}, position: [0, 0, -0.1],\n"
                     "     motion: {displacement: [{polynomial: [0, 1]}, 0, 0]}}\n"
                     "  - {name: crate, mass: 2, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05]}\n"
                     "step: {size: 1e-3}\n"
                     "duration: 0.4\n"
                     "results: {early: {final: 'contacts(crate, belt).slip', to: 0.1}, late: 'contacts(crate, "
                     "belt).slip', way: crate.x@belt}\n");
  assert_result(&run, "early", 1.0 - 0.5 * 10.0 * 0.1, 0.01);
  assert_result(&run, "late", 0.0, 1e-6);
  assert_result(&run, "way", -0.1, 2e-3); // v^2/(2 mu g)
  watched_end(&run);
}

// In 2.5D the plane is the world, and carries the weight of what stands on it.
static void supports_stand_on_the_world(void **state)
{
  (void)state;
  watched_run run =
      watched_run_of("touchstone: 1\n"
                     "space: 2.5d\n"
                     "bodies:\n"
                     "  - {name: puck, mass: 2, shape: {disc: {radius: 0.1}}, velocity: [0.1, 0]}\n"
                     "  - {name: wall, kind: fixed, shape: {plane: {normal: [-1, 0]}}, position: [50, 0]}\n"
                     "step: {size: 1e-3}\n"
                     "duration: 0.01\n"
                     "results: {weight: 'contacts(puck, world).fn', points: 'contacts(world, puck).count', nz: "
                     "'contacts(puck, world).nz',\n"
                     "          all: 'contacts(puck, *).fn'}\n");
  assert_result(&run, "weight", 2.0 * 9.81, 1e-6);
  assert_result(&run, "points", 3.0, 0.0);
  assert_result(&run, "nz", 1.0, 1e-12);
  assert_result(&run, "all", 0.0, 0.0); // bodies only
  watched_end(&run);
}

// ---- joints and steps ----------------------------------------------------------------------------------------------

// A bob of 2 kg at 0.5 m that goes round at 3 rad/s about a vertical axis: the joint bears its weight and pulls it
// inwards by m w^2 r. A cart of 4 kg is pushed by its motor, 8 N.
static void joints_move_and_bear(void **state)
{
  (void)state;
  watched_run run = watched_run_of(
      "touchstone: 1\n"
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  - {name: bob, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
      "  - {name: cart, mass: 4, inertia: [1, 1, 1], position: [0, 9, 0]}\n"
      "joints:\n"
      "  - {name: main hinge, type: revolute, child: bob, at: [0, 0, 0], axis: [0, 0, 1], velocity: 3}\n"
      "  - {name: rail, type: prismatic, child: cart, at: [0, 9, 0], axis: [1, 0, 0], motor: {force: 8}}\n"
      "step: {size: 1e-4}\n"
      "duration: 0.5\n"
      "results:\n"
      "  angle: \"joints.'main hinge'.position\"\n"
      "  rate: \"joints.'main hinge'.rate\"\n"
      "  weight: \"joints.'main hinge'.fz\"\n"
      "  inwards: \"sqrt(joints.'main hinge'.fx^2 + joints.'main hinge'.fy^2)\"\n"
      "  tilt: \"sqrt(joints.'main hinge'.mx^2 + joints.'main hinge'.my^2)\"\n"
      "  way: joints.rail.position\n"
      "  speed: joints.rail.rate\n"
      "  motor: {mean: joints.rail.motor, from: 0.1}\n");
  assert_true(ts_watch_needs_joint_forces(run.watch));
  assert_result(&run, "angle", 1.5, 1e-3);
  assert_result(&run, "rate", 3.0, 1e-3);
  assert_result(&run, "weight", 20.0, 1e-2);
  assert_result(&run, "inwards", 2.0 * 9.0 * 0.5, 1e-2);
  assert_result(&run, "tilt", 20.0 * 0.5, 1e-2);
  assert_result(&run, "way", 0.25, 1e-3); // F t^2/(2 m)
  assert_result(&run, "speed", 1.0, 1e-6);
  assert_result(&run, "motor", 8.0, 1e-6);
  watched_end(&run);
}

static void steps_have_the_columns_of_records(void **state)
{
  (void)state;
  watched_run run = watched_run_of(
      "touchstone: 1\n"
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  - {name: ball, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 7], velocity: [3, 0, 0]}\n"
      "step: {size: 0.01}\n"
      "duration: 0.1\n"
      "results: {kinetic: steps.kinetic, energy: steps.energy, contacts: steps.contacts,\n"
      "          certified: steps.certified, at: steps.t, ball_energy: ball.speed^2 + 20*ball.z}\n");
  assert_result(&run, "at", 0.1, 1e-12);
  assert_result(&run, "kinetic", 0.5 * 2.0 * (9.0 + 1.0), 1e-9);
  assert_result(&run, "energy", watched_result(&run, "ball_energy"), 1e-9);
  assert_result(&run, "contacts", 0.0, 0.0);
  assert_result(&run, "certified", 1.0, 0.0);
  assert_false(ts_watch_needs_joint_forces(run.watch));
  watched_end(&run);
}

// ---- names that do not exist ---------------------------------------------------------------------------------------

static void the_unknown_part_is_named(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"bal.z", "there is no body 'bal'; did you mean 'ball'?"},
      {"ball.vq", "a body has no 'vq'; did you mean 'vx'?"},
      {"ball.theta", "a body has no 'theta'"},
      {"ball.nonsense", "a body has no 'nonsense' (x, y, z, qw"},
      {"ball.x@plat", "there is no body to look from, 'plat'; did you mean 'plate'?"},
      {"elephant.x", "there is no body 'elephant'"},
      {"bodies(bal).speed", "there is no dynamic body 'bal'; did you mean 'ball'?"},
      {"bodies(plate).speed", "there is no dynamic body 'plate'"},
      {"bodies(ball).x", "of several bodies there is no 'x' (speed, spin, min_QUANTITY, max_QUANTITY, count)"},
      {"bodies(ball).spee", "did you mean 'speed'?"},
      {"bodies(ball).max_spee", "a body has no 'spee'; did you mean 'speed'?"},
      {"bodies(ball).min_", "a body has no ''"},
      {"bodies(ball)", "write bodies(NAMES).QUANTITY"},
      {"joints.hing.rate", "there is no joint 'hing'; did you mean 'hinge'?"},
      {"joints.hinge.rat", "a joint has no 'rat'; did you mean 'rate'?"},
      {"joints.weld.position", "a joint without a coordinate has no 'position' (fx"},
      {"joints.hinge", "write joints.JOINT.QUANTITY, a JOINT with signs or blanks in quotes"},
      {"steps.enrgy", "a step has no 'enrgy'; did you mean 'energy'?"},
      {"steps.solver", "a step has no 'solver'"},
      {"contacts(bal, plate).fn", "there is no body 'bal'; did you mean 'ball'?"},
      {"contacts(ball, plat*).fm", "contacts have no 'fm'; did you mean 'fn'?"},
      {"contacts(ball, plat).fn", "there is no body 'plat'; did you mean 'plate'?"},
      {"contacts(ball, plate/3).fn", "'plate' has 1 shape, counted from 0: there is no 'plate/3'"},
      {"contacts(arm/2, plate).fn", "'arm' has 2 shapes, counted from 0: there is no 'arm/2'"},
      {"contacts(world/0, ball).fn", "there is no body 'world'"},
      {"contacts(ball).fn", "write contacts(BODY, BODY).QUANTITY"},
      {"contacts(ball, plate)", "write contacts(BODY, BODY).QUANTITY"},
      {"contacts(ball, plate, arm).fn", "contacts are between two bodies"},
      {"contact(ball, plate).fn", "there are contacts(BODY, BODY) and bodies(NAMES)"},
      {"m + 1", "there is no 'm'; did you mean 'mu'?"},
      {"ball", "there is no 'ball'"},
      {"joints.hand/finger_joint.rate > 1", "put the name in quotes: joints.'hand/finger_joint'.rate"},
      {"2*hand/base.x", "put the name in quotes: 'hand/base'.x"},
      {"t < left finger.x + 1", "put the name in quotes: 'left finger'.x"},
      {"joints.hand/finger.rate", "write joints.JOINT.QUANTITY, a JOINT with signs or blanks in quotes"},
      {"x + ", ""}};
  ts_scene *scene =
      scene_of("touchstone: 1\n"
               "parameters: {mu: 1}\n"
               "bodies:\n"
               "  - {name: ball, shape: {sphere: {radius: 0.1}}}\n"
               "  - {name: plate, kind: fixed, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, -1]}\n"
               "  - {name: arm, position: [5, 0, 0], shapes: [{sphere: {radius: 0.1}}, {sphere: {radius: 0.2}}]}\n"
               "  - {name: leg, position: [6, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
               "  - {name: hand/base, position: [7, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
               "  - {name: left finger, position: [8, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
               "joints:\n"
               "  - {name: hinge, type: revolute, child: arm}\n"
               "  - {name: hand/finger_joint, type: revolute, child: hand/base}\n"
               "  - {name: weld, type: fixed, parent: arm, child: leg}\n",
               NULL);
  ts_watch *watch;
  assert_int_equal(ts_scene_create_watch(scene, &watch, NULL), TS_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    ts_error error = {0};
    assert_int_equal(ts_watch_add_result(watch, &(ts_result_def){.name = "r", .expression = cases[i][0]}, &error),
                     TS_INVALID);
    if (!strstr(error.text, cases[i][1])) fail_msg("'%s' says '%s', not '%s'", cases[i][0], error.text, cases[i][1]);
    if (i > 0 && i < 20) assert_int_equal(error.column, 1);
  }
  ts_watch_destroy(watch);
  ts_scene_destroy(scene);
}

static void the_list_has_them_all(void **state)
{
  (void)state;
  static const char *const some[] = {"t",
                                     "BODY.x",
                                     "BODY.theta",
                                     "BODY.spin",
                                     "BODY.QUANTITY@FRAME",
                                     "bodies(NAMES).spin",
                                     "bodies(NAMES).min_QUANTITY",
                                     "bodies(NAMES).count",
                                     "joints.JOINT.m",
                                     "contacts(FIRST, SECOND).nz",
                                     "steps.length_error"};
  size_t found = 0;
  for (int i = 0; i < ts_quantity_count(); ++i) {
    const ts_quantity_info info = ts_quantity_at(i);
    assert_non_null(info.unit);
    assert_true(*info.help && (info.in_space || info.in_plane));
    if (found < sizeof some / sizeof *some && strcmp(info.name, some[found]) == 0) ++found;
    assert_string_not_equal(info.name, "steps.solver");
  }
  assert_int_equal(found, sizeof some / sizeof *some);
  const char *help, *name;
  bool has_square_root = false;
  for (int i = 0; (name = ts_watch_function_at(i, &help)) != NULL; ++i)
    has_square_root = has_square_root || strcmp(name, "sqrt(x)") == 0;
  assert_true(has_square_root);
}

// "BODY.x" to "ball.x", and likewise for all words in capitals.
static void put_names(const char *from, char *to)
{
  static const char *const words[][2] = {{"BODY", "ball"},    {"NAMES", "ball"}, {"JOINT", "pin"}, {"FIRST", "ball"},
                                         {"SECOND", "floor"}, {"FRAME", "arm"},  {"QUANTITY", "x"}};
  while (*from) {
    size_t k = 0, count = sizeof words / sizeof *words;
    while (k < count && strncmp(from, words[k][0], strlen(words[k][0])) != 0) ++k;
    if (k == count) {
      *to++ = *from++;
      continue;
    }
    from += strlen(words[k][0]);
    to = stpcpy(to, words[k][1]);
  }
  *to = '\0';
}

static bool is_found(const ts_scene *scene, const char *name)
{
  ts_watch *watch;
  char text[128];
  put_names(name, text);
  assert_int_equal(ts_watch_create(ts_scene_model(scene), &watch, NULL), TS_OK);
  const ts_result_def def = {.name = "r", .kind = TS_RESULT_FINAL, .expression = text};
  const bool found = ts_watch_add_result(watch, &def, NULL) == TS_OK;
  ts_watch_destroy(watch);
  return found;
}

static void the_list_says_where_quantities_exist(void **state)
{
  (void)state;
  ts_scene *space = scene_of("touchstone: 1\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                             "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"
                             "  - {name: arm, shape: {sphere: {radius: 0.1}}, position: [2, 0, 1]}\n"
                             "joints: [{name: pin, type: revolute, child: arm, axis: [1, 0, 0]}]\n"
                             "step: {size: 0.01}\nduration: 1\n",
                             NULL);
  ts_scene *plane = scene_of("touchstone: 1\nspace: 2d\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1], offset: 0}}}\n"
                             "  - {name: ball, shape: {disc: {radius: 0.1}}, position: [0, 1]}\n"
                             "  - {name: arm, shape: {disc: {radius: 0.1}}, position: [2, 1]}\n"
                             "joints: [{name: pin, type: revolute, child: arm}]\n"
                             "step: {size: 0.01}\nduration: 1\n",
                             NULL);
  int in_space = 0, in_plane = 0;
  for (int i = 0; i < ts_quantity_count(); ++i) {
    const ts_quantity_info info = ts_quantity_at(i);
    in_space += !info.in_plane;
    in_plane += !info.in_space;
    if (is_found(space, info.name) != info.in_space || is_found(plane, info.name) != info.in_plane)
      fail_msg("%s: in space %d, in the plane %d", info.name, info.in_space, info.in_plane);
  }
  assert_true(in_space > 0 && in_plane > 0);
  ts_scene_destroy(space);
  ts_scene_destroy(plane);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_of_any_name),
      cmocka_unit_test(the_list_says_where_quantities_exist),
      cmocka_unit_test(a_plate_that_moves_and_turns),
      cmocka_unit_test(frames_in_the_plane),
      cmocka_unit_test(numbers_of_several_bodies),
      cmocka_unit_test(contacts_between_bodies_and_shapes),
      cmocka_unit_test(gaps_are_those_that_steps_begin_with),
      cmocka_unit_test(slip_on_a_belt),
      cmocka_unit_test(supports_stand_on_the_world),
      cmocka_unit_test(joints_move_and_bear),
      cmocka_unit_test(steps_have_the_columns_of_records),
      cmocka_unit_test(the_unknown_part_is_named),
      cmocka_unit_test(the_list_has_them_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
