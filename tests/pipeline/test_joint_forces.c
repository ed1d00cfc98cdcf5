// What acts in joints, against statics, balances of momentum and closed forms, with all steppers in redundant and in
// minimal coordinates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

#include "touchstone/dynamics.h"
#include "touchstone/scene.h"

#include <math.h>
#include <stdio.h>

static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven"};

typedef struct way {
  ts_scene *scene;
  ts_sim *sim;
  const char *method, *coordinates;
  int pulled; // a body that is pulled at its centre of mass with `pull` [N], or -1
  ts_vec3 pull;
  bool starts; // moments about free axes are those of the start of a step
} way;

static void start(way *w, const char *text, int method, int coordinates)
{
  static const char *const kinds[] = {"redundant", "minimal"};
  char chosen[64], how[64];
  ts_error error;
  w->pulled = -1;
  w->method = methods[method];
  w->coordinates = kinds[coordinates];
  w->starts = coordinates == TS_COORDINATES_MINIMAL && method != 2;
  snprintf(chosen, sizeof chosen, "step.method=%s", w->method);
  snprintf(how, sizeof how, "step.coordinates=%s", w->coordinates);
  const char *const overrides[] = {chosen, how, "step.tolerance=1e-13"};
  if (ts_scene_parse(text, strlen(text), "test", overrides, 3, &w->scene, &error) != TS_OK)
    fail_msg("line %d: %s", error.line, error.text);
  if (ts_sim_create(ts_scene_model(w->scene), ts_scene_options(w->scene), NULL, &w->sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  assert_int_equal(ts_sim_measure_joints(w->sim, true, &error), TS_OK);
}

static void step(way *w)
{
  ts_error error;
  if (ts_sim_step(w->sim, &error) != TS_OK) fail_msg("%s, %s: %s", w->method, w->coordinates, error.text);
  if (!ts_sim_report(w->sim)->certified)
    fail_msg("%s, %s: not certified at %g s, residual %g", w->method, w->coordinates, ts_sim_time(w->sim),
             ts_sim_report(w->sim)->residual);
}

static void end(way *w)
{
  ts_sim_destroy(w->sim);
  ts_scene_destroy(w->scene);
}

static void in_every_way(const char *text, void (*check)(way *w))
{
  for (int method = 0; method < 3; ++method)
    for (int coordinates = 0; coordinates < 2; ++coordinates) {
      way w;
      start(&w, text, method, coordinates);
      check(&w);
      end(&w);
    }
}

static int joint_of(const way *w, const char *name)
{
  const int joint = ts_model_find_joint(ts_scene_model(w->scene), name);
  assert_true(joint >= 0);
  return joint;
}

static ts_joint_forces forces_of(const way *w, const char *name)
{
  return ts_sim_joint_forces(w->sim, joint_of(w, name));
}

static ts_vec3 cross(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void add(ts_vec3 *sum, double scale, ts_vec3 v)
{
  *sum = (ts_vec3){sum->x + scale * v.x, sum->y + scale * v.y, sum->z + scale * v.z};
}

#define near_vector(v, along_x, along_y, along_z, tolerance)                                                           \
  do {                                                                                                                 \
    assert_near((v).x, along_x, tolerance);                                                                            \
    assert_near((v).y, along_y, tolerance);                                                                            \
    assert_near((v).z, along_z, tolerance);                                                                            \
  } while (0)

// What joints and contacts do to a body in the last step, about its origin, which is its centre of mass. `points` are
// where joints were.
static ts_wrench sum_on(const way *w, int body, const ts_vec3 *points, ts_vec3 origin)
{
  const ts_model *model = ts_scene_model(w->scene);
  ts_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int j = 0; j < ts_model_joint_count(model); ++j) {
    const ts_joint_def def = ts_model_joint(model, j);
    if (def.child != body && def.parent != body) continue;
    const double sign = def.child == body ? 1.0 : -1.0;
    const ts_wrench reaction = ts_sim_joint_forces(w->sim, j).reaction;
    ts_vec3 arm = points[j];
    add(&arm, -1.0, origin);
    add(&sum.force, sign, reaction.force);
    add(&sum.moment, sign, reaction.moment);
    add(&sum.moment, sign, cross(arm, reaction.force));
  }
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  const double per_time = 1.0 / ts_scene_options(w->scene)->size;
  for (int i = 0; i < count; ++i) {
    ts_wrench push = ts_sim_contact_wrench(w->sim, i);
    if (contacts[i].body_1 != body && contacts[i].body_2 != body) continue;
    const double sign = contacts[i].body_1 == body ? per_time : -per_time;
    const ts_vec3 arm = contacts[i].body_1 == body ? (ts_vec3){0.0, 0.0, 0.0}
                                                   : (ts_vec3){contacts[i].arm_2.x - contacts[i].arm_1.x,
                                                               contacts[i].arm_2.y - contacts[i].arm_1.y,
                                                               contacts[i].arm_2.z - contacts[i].arm_1.z};
    add(&sum.force, sign, push.force);
    add(&sum.moment, sign, push.moment);
    add(&sum.moment, sign, cross(arm, push.force));
  }
  return sum;
}

enum { MOST = 12 };

// Take a step, and hold all forces on each body against the change of its momentum: mass times velocity and, of bodies
// at rest, nothing about their centres of mass.
static void step_in_balance(way *w, bool at_rest, double tolerance)
{
  const ts_model *model = ts_scene_model(w->scene);
  const int bodies = ts_model_body_count(model), joints = ts_model_joint_count(model);
  const double h = ts_scene_options(w->scene)->size;
  const ts_vec3 g = ts_model_gravity(model);
  ts_vec3 velocity[MOST], origin[MOST], point[MOST];
  for (int b = 0; b < bodies; ++b) velocity[b] = ts_sim_velocity(w->sim, b).linear;
  for (int b = 0; b < bodies; ++b) origin[b] = ts_sim_pose(w->sim, b).position;
  for (int j = 0; j < joints; ++j) point[j] = ts_sim_joint(w->sim, j).point[1];
  step(w);
  for (int b = 0; b < bodies; ++b) {
    if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
    const double m = ts_model_body_mass(model, b);
    const ts_wrench sum = sum_on(w, b, point, origin[b]);
    ts_vec3 left = sum.force;
    add(&left, m, g);
    if (b == w->pulled) add(&left, 1.0, w->pull);
    add(&left, -m / h, ts_sim_velocity(w->sim, b).linear);
    add(&left, m / h, velocity[b]);
    near_vector(left, 0.0, 0.0, 0.0, tolerance);
    if (at_rest) near_vector(sum.moment, 0.0, 0.0, 0.0, tolerance);
  }
}

// ---- statics -------------------------------------------------------------------------------------------------------

static void chain_hangs(way *w)
{
  static const double G = 9.81;
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-9);
  near_vector(forces_of(w, "top").reaction.force, 0.0, 0.0, 6.0 * G, 1e-9);
  near_vector(forces_of(w, "middle").reaction.force, 0.0, 0.0, 5.0 * G, 1e-9);
  near_vector(forces_of(w, "last").reaction.force, 0.0, 0.0, -3.0 * G, 1e-9); // its child is the body above
  near_vector(forces_of(w, "top").reaction.moment, 0.0, 0.0, 0.0, 1e-9);
  assert_true(forces_of(w, "top").motor == 0.0);
}

static void test_hanging_chain(void **state)
{
  (void)state;
  in_every_way(
      "touchstone: 1\nbodies:\n"
      "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, -0.5]}\n"
      "  - {name: b, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, -1.5]}\n"
      "  - {name: c, mass: 3, inertia: [0.1, 0.2, 0.3], position: [0, 0, -2.5]}\n"
      "joints:\n"
      "  - {name: top, type: revolute, child: a, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "  - {name: middle, type: spherical, parent: a, child: b, at: [0, 0, -0.5]}\n"
      "  - {name: last, type: universal, parent: c, child: b, at: [0, 0, 0.5], axis: [1, 0, 0], axis2: [0, 1, 0]}\n"
      "duration: 1\n",
      chain_hangs);
}

static void beam_is_held(way *w)
{
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-9);
  const ts_wrench wall = forces_of(w, "wall").reaction, tip = forces_of(w, "tip").reaction;
  near_vector(wall.force, 0.0, 0.0, 5.0 * 10.0, 1e-9);
  near_vector(wall.moment, 0.0, -(2.0 * 10.0 * 0.5 + 3.0 * 10.0 * 1.2), 0.0, 1e-9);
  near_vector(tip.force, 0.0, 0.0, 30.0, 1e-9);
  near_vector(tip.moment, 0.0, -3.0 * 10.0 * 0.2, 0.0, 1e-9);
}

static void test_cantilever(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\ngravity: [0, 0, -10]\nbodies:\n"
               "  - {name: beam, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
               "  - {name: end, mass: 3, inertia: [0.1, 0.2, 0.3], position: [1.2, 0, 0]}\n"
               "joints:\n"
               "  - {name: wall, type: fixed, child: beam, at: [0, 0, 0]}\n"
               "  - {name: tip, type: fixed, parent: beam, child: end, at: [0.5, 0, 0]}\n"
               "duration: 1\n",
               beam_is_held);
}

// Inverse dynamics of what stands still: the torques that carry the arm.
static void arm_is_carried(way *w)
{
  ts_error error;
  double f[2];
  ts_dynamics *dynamics;
  const ts_model *model = ts_scene_model(w->scene);
  assert_int_equal(ts_dynamics_create(model, NULL, &dynamics, &error), TS_OK);
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-9);
  assert_int_equal(ts_dynamics_from_sim(dynamics, w->sim, &error), TS_OK);
  assert_int_equal(ts_dynamics_inverse(dynamics, NULL, NULL, f, &error), TS_OK);
  ts_dynamics_destroy(dynamics);
  const ts_joint_forces shoulder = forces_of(w, "shoulder"), elbow = forces_of(w, "elbow");
  assert_near(shoulder.motor, f[0], 1e-9);
  assert_near(elbow.motor, f[1], 1e-9);
  assert_near(shoulder.reaction.moment.y, f[0], 1e-9);
  assert_near(elbow.reaction.moment.y, f[1], 1e-9);
}

static const char *const arm_bodies = "touchstone: 1\nbodies:\n"
                                      "  - {name: upper, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0.1]}\n"
                                      "  - {name: lower, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.4, 0.2, 0]}\n"
                                      "duration: 1\njoints:\n";

static void test_arm_held_by_motors(void **state)
{
  (void)state;
  static const char *const motors[][2] = {
      {"{velocity: {target: 0}}", "{velocity: {target: 0, max_force: 500}}"},
      {"{velocity: {target: 0, max_force: 500}}", "{velocity: {target: 0}}"},
  };
  for (int k = 0; k < 2; ++k) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "%s"
        "  - {name: shoulder, type: revolute, child: upper, axis: [0, 1, 0], at: [0, 0, 0], motor: %s}\n"
        "  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0.5, 0, 0], motor: %s}\n",
        arm_bodies, motors[k][0], motors[k][1]);
    in_every_way(text, arm_is_carried);
  }
}

// A servo holds where it has given way by what it carries.
static void servo_carries(way *w)
{
  step_in_balance(w, false, 1e-8);
  const ts_joint_forces lift = forces_of(w, "lift");
  double rate;
  const double q = ts_sim_joint_position(w->sim, joint_of(w, "lift"), &rate);
  if (strcmp(w->method, "event-driven") != 0) assert_near(lift.motor, -400.0 * q - 50.0 * rate, 1e-9); // at its end
  assert_near(lift.reaction.force.z, lift.motor, 1e-9);
  assert_true(lift.motor > 0.0);
}

static void test_servo(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\nbodies:\n  - {name: load, mass: 2, inertia: [0.1, 0.2, 0.3]}\njoints:\n"
               "  - {name: lift, type: prismatic, child: load, axis: [0, 0, 1], at: [0, 0, 0],\n"
               "     motor: {servo: {target: 0, stiffness: 400, damping: 50}}}\n"
               "step: {size: 1e-3}\nduration: 1\n",
               servo_carries);
}

// A four-bar linkage in the plane: the motor at the crank carries all weights. By virtual work, with the speeds that a
// turn of the crank makes, torque = sum of m g v_y.
static void linkage_is_carried(way *w)
{
  ts_error error;
  w->pulled = ts_model_find_body(ts_scene_model(w->scene), "rocker");
  w->pull = (ts_vec3){6.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(ts_sim_push(w->sim, w->pulled, &(ts_wrench){w->pull, {0.0, 0.0, 0.0}}, &error), TS_OK);
    step_in_balance(w, true, 1e-9);
  }
  // crank from (0, 0) to (0, 1), coupler to (2, 2), rocker down to (2, 0): with crank rate 1 the pin A moves by
  // (-1, 0); the coupler turns by c, (-1, 0) + c (-1, 2) = r (-2, 0): c = 0, r = 1/2. Nothing rises: torque 0 of
  // weights; the force of 6 N on the rocker's middle (2, 1), which moves by (-1/2, 0), is what the motor holds.
  assert_near(forces_of(w, "drive").motor, 6.0 * 0.5, 1e-9);
}

static void test_four_bar(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\nspace: 2d\ngravity: [0, -9.81]\nbodies:\n"
               "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.5]}\n"
               "  - {name: coupler, mass: 2, inertia: 0.3, position: [1, 1.5]}\n"
               "  - {name: rocker, mass: 1.5, inertia: 0.2, position: [2, 1]}\n"
               "joints:\n"
               "  - {name: drive, type: revolute, child: crank, at: [0, 0], motor: {velocity: {target: 0}}}\n"
               "  - {name: A, type: revolute, parent: crank, child: coupler, at: [0, 0.5]}\n"
               "  - {name: B, type: revolute, parent: coupler, child: rocker, at: [1, 0.5]}\n"
               "  - {name: ground, type: revolute, child: rocker, at: [2, 0]}\n"
               "duration: 1\n",
               linkage_is_carried);
}

// Wheels of a gear, b turning -2.5 times as far as a: the motor at a holds a torque of 4 at b with 10. What the gear
// passes on is no motor's: it is in the reactions, which are 0 about the axes, for nothing accelerates.
static void wheels_are_held(way *w)
{
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-9);
  const ts_joint_forces a = forces_of(w, "a"), b = forces_of(w, "b");
  assert_near(a.motor, 10.0, 1e-9);
  assert_near(b.motor, 4.0, 1e-9);
  assert_near(a.reaction.moment.z, 0.0, 1e-9);
  assert_near(b.reaction.moment.z, 0.0, 1e-9);
}

static void test_geared_pair(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\nbodies:\n"
               "  - {name: small, mass: 2, inertia: [0.1, 0.2, 0.3]}\n"
               "  - {name: large, mass: 3, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}\n"
               "joints:\n"
               "  - {name: a, type: revolute, child: small, axis: [0, 0, 1], motor: {velocity: {target: 0}}}\n"
               "  - {name: b, type: revolute, child: large, axis: [0, 0, 1], at: [1, 0, 0], motor: {force: 4},\n"
               "     gear: {joint: a, ratio: -2.5}}\n"
               "duration: 1\n",
               wheels_are_held);
}

// An arm presses on the floor with its motor, 2 N m beside its weight: the floor's normal force follows from moments.
static void arm_presses(way *w)
{
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-8);
  assert_near(forces_of(w, "shoulder").motor, 2.0, 1e-12);
  assert_near(forces_of(w, "shoulder").reaction.moment.y, 2.0, 1e-8);
  assert_near(forces_of(w, "shoulder").reaction.force.z, 1.5 * 10.0 - (1.5 * 10.0 * 0.5 + 2.0), 1e-8);
}

static void test_arm_on_floor(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\ngravity: [0, 0, -10]\ncontact: {friction: 0}\nbodies:\n"
               "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: -0.1}}}\n"
               "  - {name: arm, mass: 1.5, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0],\n"
               "     centre: [0, 0, 0], shapes: [{sphere: {radius: 0.1}, position: [0.5, 0, 0]}]}\n"
               "joints:\n"
               "  - {name: shoulder, type: revolute, child: arm, axis: [0, 1, 0], motor: {force: 2}}\n"
               "duration: 1\n",
               arm_presses);
}

// Against its stop a weight of 2 m g L lies; dry friction that holds, and one that does not, in a slide on a slope.
static void stop_and_friction_hold(way *w)
{
  for (int k = 0; k < 3; ++k) step_in_balance(w, false, 1e-9);
  const double angle = 0.5, weight = 2.0 * 9.81;
  near_vector(forces_of(w, "stop").reaction.moment, 0.0, -weight * 0.7, 0.0, 1e-9);
  const ts_vec3 sticks = forces_of(w, "sticks").reaction.force, slips = forces_of(w, "slips").reaction.force;
  near_vector(sticks, 0.0, 0.0, weight, 1e-9);
  assert_near(slips.x * cos(angle) - slips.z * sin(angle), -3.0, 1e-9); // along the slope, downwards
  assert_near(slips.x * sin(angle) + slips.z * cos(angle), weight * cos(angle), 1e-9);
  assert_true(forces_of(w, "slips").motor == 0.0);
}

static void test_stops_and_friction(void **state)
{
  (void)state;
  in_every_way("touchstone: 1\nbodies:\n"
               "  - {name: lever, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.7, 0, 0]}\n"
               "  - {name: one, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 2, 0]}\n"
               "  - {name: two, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 4, 0]}\n"
               "joints:\n"
               "  - {name: stop, type: revolute, child: lever, axis: [0, 1, 0], limits: [-1, 0]}\n"
               "  - {name: sticks, type: prismatic, child: one, at: [0, 2, 0], friction: 50,\n"
               "     axis: [0.8775825618903728, 0, -0.479425538604203]}\n"
               "  - {name: slips, type: prismatic, child: two, at: [0, 4, 0], friction: 3,\n"
               "     axis: [0.8775825618903728, 0, -0.479425538604203]}\n"
               "duration: 1\n",
               stop_and_friction_hold);
}

// A nut that a torque holds on a screw: pitch times the weight.
static void screw_holds(way *w)
{
  for (int k = 0; k < 3; ++k) step_in_balance(w, true, 1e-9);
  const ts_joint_forces nut = forces_of(w, "thread");
  assert_near(fabs(nut.motor), 0.05 * 3.0 * 9.81, 1e-9);
  near_vector(nut.reaction.force, 0.0, 0.0, 3.0 * 9.81, 1e-9);
}

static void test_screw(void **state)
{
  (void)state;
  in_every_way(
      "touchstone: 1\nbodies: [{name: nut, mass: 3, inertia: [0.1, 0.2, 0.3]}]\njoints:\n"
      "  - {name: thread, type: screw, pitch: 0.05, child: nut, axis: [0, 0, 1], motor: {velocity: {target: 0}}}\n"
      "duration: 1\n",
      screw_holds);
}

// What springs and bushings do is not the joint's: along the guide it gives nothing, across it what they pull.
static void spring_pulls(way *w)
{
  for (int k = 0; k < 3; ++k) step(w);
  near_vector(forces_of(w, "guide").reaction.force, -30.0, 0.0, 0.0, 1e-9);
  near_vector(forces_of(w, "guide").reaction.moment, 0.0, 0.0, 0.0, 1e-9);
  near_vector(forces_of(w, "wall").reaction.force, 0.0, 0.0, 20.0, 1e-9); // the bushing is not stretched
}

static void test_springs(void **state)
{
  (void)state;
  for (int implicit = 0; implicit < 2; ++implicit) {
    char text[1024];
    snprintf(text, sizeof text,
             "touchstone: 1\ngravity: [0, 0, -10]\nbodies:\n"
             "  - {name: load, mass: 1, inertia: [0.1, 0.2, 0.3]}\n"
             "  - {name: fixture, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 3, 0]}\n"
             "joints:\n"
             "  - {name: guide, type: prismatic, child: load, axis: [0, 0, 1]}\n"
             "  - {name: wall, type: fixed, child: fixture, at: [0, 3, 0]}\n"
             "springs:\n"
             "  - {bodies: [world, load], at: [[0, 0, 1.1], [0, 0, 0]], stiffness: 100, length: 1, implicit: %s}\n"
             "  - {bodies: [world, load], at: [[1.3, 0, 0], [0, 0, 0]], stiffness: 100, length: 1, implicit: %s}\n"
             "bushings: [{bodies: [world, fixture], at: [0, 3, 0], stiffness: [500, 500, 500]}]\n"
             "duration: 1\n",
             implicit ? "true" : "false", implicit ? "true" : "false");
    in_every_way(text, spring_pulls);
  }
}

// ---- motion --------------------------------------------------------------------------------------------------------

// A pendulum of length L as it swings: about its pivot nothing, along it m (L w^2 + g cos a). The mean over a step of
// that, and across it, is what the momentum of the mass says. In minimal coordinates with fixed steps, the velocity at
// the end is L w+ along the tangent at the angle a+.
static void pendulum_swings(way *w)
{
  static const double M = 2.0, L = 0.8, G = 9.81;
  const double h = ts_scene_options(w->scene)->size;
  for (int k = 0; k < 200; ++k) {
    double rate, next;
    const double a = ts_sim_joint_position(w->sim, 0, &rate);
    step_in_balance(w, false, 1e-9);
    const double turn = ts_sim_joint_position(w->sim, 0, &next) - a;
    const ts_wrench pivot = forces_of(w, "pivot").reaction;
    assert_near(pivot.moment.y, 0.0, 1e-9);
    if (!w->starts) continue;
    const double along = pivot.force.x * -sin(a) + pivot.force.z * cos(a);
    const double across = pivot.force.x * cos(a) + pivot.force.z * sin(a);
    assert_near(along, M * (L * next * sin(turn) / h + G * cos(a)), 1e-9);
    assert_near(across, M * (L * (next * cos(turn) - rate) / h + G * sin(a)), 1e-9);
  }
}

static void test_pendulum(void **state)
{
  (void)state;
  in_every_way(
      "touchstone: 1\nbodies: [{name: bob, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, -0.8]}]\njoints:\n"
      "  - {name: pivot, type: revolute, child: bob, axis: [0, -1, 0], position: 1, velocity: 0.5}\n"
      "step: {size: 1e-3, gyroscopic: explicit}\nduration: 1\n",
      pendulum_swings);
}

// An arm that torques accelerate, against inverse dynamics: of a fixed step in minimal coordinates at its start, with
// the change of the rates over h. About its axis a joint transmits its torque, in every way.
static void arm_accelerates(way *w)
{
  const bool compares = w->starts;
  const double h = ts_scene_options(w->scene)->size;
  ts_error error;
  ts_dynamics *dynamics;
  assert_int_equal(ts_dynamics_create(ts_scene_model(w->scene), NULL, &dynamics, &error), TS_OK);
  for (int k = 0; k < 50; ++k) {
    double before[2], after[2], a[2], f[2];
    for (int j = 0; j < 2; ++j) ts_sim_joint_position(w->sim, j, &before[j]);
    assert_int_equal(ts_dynamics_from_sim(dynamics, w->sim, &error), TS_OK);
    step_in_balance(w, false, 1e-8);
    for (int j = 0; j < 2; ++j) ts_sim_joint_position(w->sim, j, &after[j]);
    for (int j = 0; j < 2; ++j) a[j] = (after[j] - before[j]) / h;
    assert_int_equal(ts_dynamics_inverse(dynamics, a, NULL, f, &error), TS_OK);
    const ts_joint_forces shoulder = forces_of(w, "shoulder"), elbow = forces_of(w, "elbow");
    assert_near(shoulder.motor, 5.0, 1e-12);
    assert_near(elbow.motor, -2.0, 1e-12);
    assert_near(shoulder.reaction.moment.y, 5.0, 1e-9);
    assert_near(elbow.reaction.moment.y, -2.0, 1e-9);
    if (compares) assert_near(f[0], 5.0, 1e-9);
    if (compares) assert_near(f[1], -2.0, 1e-9);
  }
  ts_dynamics_destroy(dynamics);
}

static void test_accelerated_arm(void **state)
{
  (void)state;
  char text[1024];
  snprintf(
      text, sizeof text,
      "%s"
      "  - {name: shoulder, type: revolute, child: upper, axis: [0, 1, 0], at: [0, 0, 0], motor: {force: 5}}\n"
      "  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0.5, 0, 0], motor: {force: "
      "-2}}\n"
      "step: {size: 1e-3, gyroscopic: explicit}\n",
      arm_bodies);
  in_every_way(text, arm_accelerates);
}

// Everything at once: balances of momentum of a chain on a base that moves, with damping, a servo, a loop of a spring,
// impacts on the floor and at stops, and steps that are cut.
static void chain_is_shaken(way *w)
{
  for (int k = 0; k < 100; ++k) step_in_balance(w, false, 1e-8);
}

static void test_shaken_chain(void **state)
{
  (void)state;
  in_every_way(
      "touchstone: 1\ncontact: {friction: 0.4, restitution: 0.5}\nbodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: -1.05}}}\n"
      "  - {name: base, kind: kinematic, motion: {displacement: [{sine: {amplitude: 0.1, frequency: 9}}, 0, 0]}}\n"
      "  - {name: a, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.25, 0, 0]}\n"
      "  - {name: b, mass: 2, inertia: [0.02, 0.03, 0.01], position: [0.75, 0, 0],\n"
      "     centre: [0, 0, 0], shapes: [{sphere: {radius: 0.1}, position: [0.25, 0, 0]}]}\n"
      "joints:\n"
      "  - {name: hip, type: revolute, parent: base, child: a, axis: [0, 1, 0], damping: 0.2}\n"
      "  - {name: knee, type: revolute, parent: a, child: b, axis: [0, 1, 0], at: [0.25, 0, 0], limits: [-0.3, 0.4],\n"
      "     friction: 0.1, motor: {servo: {target: 0.2, stiffness: 5, damping: 0.1, max_force: 1}}}\n"
      "step: {size: 5e-3}\nduration: 1\n",
      chain_is_shaken);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hanging_chain),
      cmocka_unit_test(test_cantilever),
      cmocka_unit_test(test_arm_held_by_motors),
      cmocka_unit_test(test_servo),
      cmocka_unit_test(test_four_bar),
      cmocka_unit_test(test_geared_pair),
      cmocka_unit_test(test_arm_on_floor),
      cmocka_unit_test(test_stops_and_friction),
      cmocka_unit_test(test_screw),
      cmocka_unit_test(test_springs),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_accelerated_arm),
      cmocka_unit_test(test_shaken_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
