// What builders refuse, sentence by sentence; that a refusal changes nothing; and memory that runs out anywhere.
#include "counting_allocator.h"
#include "model/builder.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// A builder with a fixed floor (0), a dynamic ball (1), a kinematic plate (2), a second ball (3), a material (0).
enum { FLOOR, BALL, PLATE, OTHER };

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static ts_body_def body_named(const char *name, ts_body_kind kind)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = kind;
  if (kind == TS_DYNAMIC) def.mass = 1.0;
  return def;
}

static ts_part_def round_part(ts_space space, int body)
{
  ts_part_def def = ts_part_def_default();
  def.body = body;
  def.shape = (ts_shape){.kind = space == TS_SPACE_2D ? TS_SHAPE_DISC : TS_SHAPE_SPHERE, .radius = 0.5};
  return def;
}

static ts_builder *make_builder(ts_space space)
{
  ts_error error;
  ts_builder *builder = ts_builder_create(space);
  assert_non_null(builder);
  const ts_body_def defs[] = {body_named("floor", TS_FIXED), body_named("ball", TS_DYNAMIC),
                              body_named("plate", TS_KINEMATIC), body_named("other", TS_DYNAMIC)};
  for (int i = 0; i < 4; ++i) must(ts_builder_add_body(builder, &defs[i], NULL, &error), &error);
  for (int i = 1; i < 4; i += 2) {
    const ts_part_def part = round_part(space, i);
    must(ts_builder_add_part(builder, &part, NULL, &error), &error);
  }
  const ts_contact_law law = ts_contact_law_default();
  must(ts_builder_add_material(builder, "rubber", &law, NULL, &error), &error);
  return builder;
}

static int make_builders(void **state)
{
  ts_builder **builders = malloc(2 * sizeof *builders);
  if (!builders) return -1;
  builders[TS_SPACE_3D] = make_builder(TS_SPACE_3D);
  builders[TS_SPACE_2D] = make_builder(TS_SPACE_2D);
  *state = builders;
  return 0;
}

static int destroy_builders(void **state)
{
  ts_builder **builders = *state;
  ts_builder_destroy(builders[TS_SPACE_3D]);
  ts_builder_destroy(builders[TS_SPACE_2D]);
  free(builders);
  return 0;
}

static void assert_sentence(ts_status status, const ts_error *error, const char *sentence)
{
  if (status == TS_OK) fail_msg("not refused: %s", sentence);
  assert_int_equal(error->status, status);
  assert_string_equal(error->text, sentence);
}

// Take a good definition, spoil it, and expect a sentence. With NULL for the error nothing else happens.
#define REFUSE(add, make, builder, sentence, ...)                                                                      \
  do {                                                                                                                 \
    ts_error error_;                                                                                                   \
    int number_ = -7;                                                                                                  \
    make;                                                                                                              \
    __VA_ARGS__;                                                                                                       \
    assert_sentence(add(builder, &d, &number_, &error_), &error_, sentence);                                           \
    assert_int_equal(number_, -7);                                                                                     \
    assert_true(add(builder, &d, NULL, NULL) != TS_OK);                                                                \
  } while (0)

#define REFUSE_BODY(builder, sentence, ...)                                                                            \
  REFUSE(ts_builder_add_body, ts_body_def d = body_named("new", TS_DYNAMIC);                                           \
         d.mass = 2.0, builder, sentence, __VA_ARGS__)

static void bodies_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  char long_name[200];
  memset(long_name, 'n', sizeof long_name);
  long_name[199] = '\0';
  REFUSE_BODY(b3, "the definition was not made by ts_body_def_default()", d.cookie = 0);
  REFUSE_BODY(b3, "a body needs a name", d.name = NULL);
  REFUSE_BODY(b3, "a body needs a name", d.name = "");
  REFUSE_BODY(b3, "a name of a body contains a control character", d.name = "two\nlines");
  REFUSE_BODY(b3, "body 'nnnnnnnnnnnnnnnnnnnn...': a name has at most 100 bytes", d.name = long_name);
  REFUSE_BODY(b3, "body 'ball': there is already a body of that name", d.name = "ball");
  REFUSE_BODY(b3, "body 'new': the kind 3 is unknown", d.kind = TS_BODY_KIND_COUNT);
  REFUSE_BODY(b3, "body 'new': the kind -1 is unknown", d.kind = (ts_body_kind)-1);
  const double bad_masses[] = {-1.0, INFINITY, -INFINITY, 1e-320};
  for (int i = 0; i < 4; ++i)
    REFUSE_BODY(b3, "body 'new': mass must be positive and finite, or 0", d.mass = bad_masses[i]);
  REFUSE_BODY(b3, "body 'new': density must be positive and finite", (d.mass = NAN, d.density = 0.0));
  REFUSE_BODY(b3, "body 'new': density must be positive and finite", (d.mass = NAN, d.density = NAN));
  REFUSE_BODY(b3, "body 'new': a point must be finite, and at most 1e+60", d.centre = (ts_vec3){0.0, NAN, 0.0});
  REFUSE_BODY(b2, "body 'new': a point in the plane has no z component", d.centre = (ts_vec3){0.0, 0.0, 1.0});
  REFUSE_BODY(b2, "body 'new': inertia must be positive and finite", d.inertia[0] = 0.0);
  REFUSE_BODY(b3, "body 'new': positions and angles must be finite, and at most 1e+60", d.pose.position.y = INFINITY);
  REFUSE_BODY(b2, "body 'new': positions and angles must be finite, and at most 1e+60", d.angle = NAN);
  REFUSE_BODY(b2, "body 'new': a position in the plane has no z component", d.pose.position.z = 1e-9);
  REFUSE_BODY(b2, "body 'new': in the plane an angle gives the orientation, not a quaternion",
              d.pose.orientation = ts_quat_about_z(1.0));
  REFUSE_BODY(b3, "body 'new': in space a quaternion gives the orientation, not an angle", d.angle = 1.0);
  REFUSE_BODY(b3, "body 'new': the quaternion of an orientation must have length 1, this one has 0",
              d.pose.orientation.w = 0.0);
  REFUSE_BODY(b3, "body 'new': the quaternion of an orientation must have length 1, this one has 1.1",
              d.pose.orientation.w = 1.1);
  REFUSE_BODY(b3, "body 'new': the quaternion of an orientation must have length 1, this one has nan",
              d.pose.orientation.x = NAN);
  REFUSE_BODY(b3, "body 'new': velocities must be finite, and at most 1e+60", d.velocity.angular.x = NAN);
  REFUSE_BODY(b3, "body 'new': only a dynamic body has a velocity to start with",
              (d.kind = TS_FIXED, d.velocity.linear.x = 1.0));
  REFUSE_BODY(b3, "body 'new': only a dynamic body has a velocity to start with",
              (d.kind = TS_KINEMATIC, d.velocity.angular.x = 1.0));
  REFUSE_BODY(b2, "body 'new': in the plane there is no velocity along z, nor about x and y", d.velocity.linear.z = 1);
  REFUSE_BODY(b2, "body 'new': in the plane there is no velocity along z, nor about x and y", d.velocity.angular.x = 1);
  REFUSE_BODY(b3, "body 'new': a body that does not rotate has no angular velocity",
              (d.rotates = false, d.velocity.angular.x = 1.0));
  REFUSE_BODY(b3, "body 'new': factors on gravity must be finite", d.gravity_scale.y = NAN);
}

// Moments of real bodies pass, also flat and rounded ones; impossible ones do not.
static void inertias_are_those_of_real_bodies(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D];
  const double good[][6] = {{1, 1, 1, 0, 0, 0},
                            {1, 1, 2, 0, 0, 0},
                            {1e-300, 1e-300, 1e-300, 0, 0, 0},
                            {0.333333, 0.333333, 0.666667, 0, 0, 0},
                            {0.001, 1, 1, 0, 0, 0},
                            {1, 2, 2, 0.5, 0, 0.2}};
  const double bad[][6] = {{0, 0, 0, 0, 0, 0},        {-1, 1, 1, 0, 0, 0},  {1, 1, 2.1, 0, 0, 0},
                           {5, 1, 1, 0, 0, 0},        {1, 1, 1, 1, 0, 0},   {1, 1, 1, 0, 2, 0},
                           {INFINITY, 1, 1, 0, 0, 0}, {1, NAN, 1, 0, 0, 0}, {1, 1, 1, 0, 0, NAN}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) assert_true(ts_inertia_is_possible(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_false(ts_inertia_is_possible(bad[i]));
    REFUSE_BODY(b3,
                "body 'new': inertia must be positive definite with no principal moment above the sum of the others",
                memcpy(d.inertia, bad[i], sizeof bad[i]));
  }
}

#define REFUSE_PART(builder, sentence, ...)                                                                            \
  REFUSE(ts_builder_add_part, ts_part_def d = round_part((builder)->freedoms->space, BALL), builder, sentence,         \
         __VA_ARGS__)

static void parts_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  const ts_vec3 lifted[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}};
  REFUSE_PART(b3, "the definition was not made by ts_part_def_default()", d.cookie = TS_BODY_COOKIE);
  REFUSE_PART(b3, "there is no body number 4", d.body = 4);
  REFUSE_PART(b3, "there is no body number -1", d.body = TS_WORLD);
  REFUSE_PART(b3, "body 'ball': the shape 15 is unknown", d.shape.kind = (ts_shape_kind)(TS_SHAPE_OWN + 1));
  REFUSE_PART(b3, "body 'ball': a shape of one's own has no definition", d.shape = (ts_shape){.kind = TS_SHAPE_OWN});
  REFUSE_PART(b2, "body 'ball': shapes of one's own do not exist in the plane", d.shape.kind = TS_SHAPE_OWN);
  REFUSE_PART(b3, "body 'ball': a disc does not exist in space", d.shape.kind = TS_SHAPE_DISC);
  REFUSE_PART(b3, "body 'ball': a polygon does not exist in space", d.shape.kind = TS_SHAPE_POLYGON);
  REFUSE_PART(b2, "body 'ball': a sphere does not exist in the plane", d.shape.kind = TS_SHAPE_SPHERE);
  REFUSE_PART(b2, "body 'ball': a box does not exist in the plane", d.shape.kind = TS_SHAPE_BOX);
  REFUSE_PART(b3, "body 'ball': a plane has no end, only fixed and kinematic bodies can carry one",
              d.shape = (ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0, 0, 1}});
  REFUSE_PART(b2, "body 'floor': the normal of a half-plane has no z component",
              (d.body = FLOOR, d.shape = (ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0, 1, 1}}));
  REFUSE_PART(b3, "there is no material number 1", d.material = 1);
  REFUSE_PART(b3, "there is no material number -2", d.material = -2);
  REFUSE_PART(b3, "body 'ball': positions and angles must be finite, and at most 1e+60", d.pose.position.x = NAN);
  REFUSE_PART(b3, "body 'ball': in space a quaternion gives the orientation, not an angle", d.angle = 0.5);
  ts_part_def bent = round_part(TS_SPACE_2D, BALL);
  bent.shape = (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = lifted, .vertex_count = 3};
  assert_int_equal(ts_builder_add_part(b2, &bent, NULL, NULL), TS_INVALID);
  ts_part_def flat = round_part(TS_SPACE_3D, BALL); // what the shape itself refuses comes with the body's name
  ts_error error;
  flat.shape.radius = 0.0;
  assert_int_equal(ts_builder_add_part(b3, &flat, NULL, &error), TS_INVALID);
  assert_memory_equal(error.text, "body 'ball': ", 13);
}

static ts_joint_def good_joint(void)
{
  ts_joint_def def = ts_joint_def_default();
  def.kind = TS_JOINT_REVOLUTE;
  def.parent = BALL;
  def.child = OTHER;
  return def;
}

#define REFUSE_JOINT(builder, sentence, ...)                                                                           \
  REFUSE(ts_builder_add_joint, ts_joint_def d = good_joint(), builder, sentence, __VA_ARGS__)

static void joints_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  ts_joint_def hinge = good_joint();
  hinge.name = "hinge";
  assert_int_equal(ts_builder_add_joint(b3, &hinge, NULL, NULL), TS_OK);
  REFUSE_JOINT(b3, "the definition was not made by ts_joint_def_default()", d.cookie = 0);
  REFUSE_JOINT(b3, "joint 'hinge': there is already a joint of that name", d.name = "hinge");
  REFUSE_JOINT(b3, "a joint needs a name", d.name = "");
  REFUSE_JOINT(b3, "joint 'joint2': the kind 8 is unknown", d.kind = TS_JOINT_COUNT);
  REFUSE_JOINT(b2, "joint 'joint1': a spherical joint does not exist in the plane", d.kind = TS_JOINT_SPHERICAL);
  REFUSE_JOINT(b2, "joint 'joint1': a universal joint does not exist in the plane", d.kind = TS_JOINT_UNIVERSAL);
  REFUSE_JOINT(b3, "there is no body number 9", d.parent = 9);
  REFUSE_JOINT(b3, "there is no body number -2", d.child = -2);
  REFUSE_JOINT(b3, "joint 'joint2': it joins 'other' to itself", d.parent = OTHER);
  REFUSE_JOINT(b3, "joint 'joint2': it joins 'world' to itself", d.parent = d.child = TS_WORLD);
  REFUSE_JOINT(b3, "joint 'joint2': neither 'floor' nor 'plate' is dynamic", (d.parent = FLOOR, d.child = PLATE));
  REFUSE_JOINT(b3, "joint 'joint2': neither 'world' nor 'plate' is dynamic", (d.parent = TS_WORLD, d.child = PLATE));
  REFUSE_JOINT(b3, "joint 'joint2': the world can be its parent, not its child", d.child = TS_WORLD);
  REFUSE_JOINT(b3, "joint 'joint2': a point must be finite, and at most 1e+60", d.at.z = INFINITY);
  REFUSE_JOINT(b2, "joint 'joint1': a point in the plane has no z component", d.at.z = 1.0);
  REFUSE_JOINT(b3, "joint 'joint2': its axis must not be zero", d.axis.z = 0.0);
  REFUSE_JOINT(b3, "joint 'joint2': its axis must not be zero", d.axis.z = NAN);
  REFUSE_JOINT(b2, "joint 'joint1': in the plane a revolute joint turns about z", d.axis.z = -1.0);
  REFUSE_JOINT(b2, "joint 'joint1': in the plane a prismatic joint has an axis without z component",
               d.kind = TS_JOINT_PRISMATIC);
  REFUSE_JOINT(b3, "joint 'joint2': its axis2 must not be zero", (d.kind = TS_JOINT_UNIVERSAL, d.axis2.x = 0.0));
  REFUSE_JOINT(b3, "joint 'joint2': its axis and axis2 must be at right angles",
               (d.kind = TS_JOINT_UNIVERSAL, d.axis2.z = 0.01));
  REFUSE_JOINT(b3, "joint 'joint2': a spherical joint has no limits, only joints of one freedom do",
               (d.kind = TS_JOINT_SPHERICAL, d.limited = true));
  REFUSE_JOINT(b3, "joint 'joint2': its lower limit 2 must not exceed the upper limit 1",
               (d.limited = true, d.lower = 2.0, d.upper = 1.0));
  REFUSE_JOINT(b3, "joint 'joint2': its lower limit nan must not exceed the upper limit inf",
               (d.limited = true, d.lower = NAN));
  REFUSE_JOINT(b3, "joint 'joint2': its lower limit inf must not exceed the upper limit inf",
               (d.limited = true, d.lower = INFINITY));
  REFUSE_JOINT(b3, "joint 'joint2': restitution is 1.5, it must lie between 0 and 1",
               (d.limited = true, d.restitution = 1.5));
}

static void motors_are_checked(void **state)
{
  ts_builder *b3 = make_builder(TS_SPACE_3D);
  (void)state;
  REFUSE_JOINT(b3, "joint 'joint1': the motor 9 is unknown", d.motor.kind = (ts_motor_kind)9);
  REFUSE_JOINT(b3, "joint 'joint1': only joints of one freedom have motors",
               (d.kind = TS_JOINT_WELD, d.motor.kind = TS_MOTOR_FORCE));
  REFUSE_JOINT(b3, "joint 'joint1': max_force is 0, it must be positive",
               (d.motor.kind = TS_MOTOR_VELOCITY, d.motor.max_force = 0.0));
  REFUSE_JOINT(b3, "joint 'joint1': max_force is nan, it must be positive",
               (d.motor.kind = TS_MOTOR_VELOCITY, d.motor.max_force = NAN));
  REFUSE_JOINT(b3, "joint 'joint1': stiffness and damping must be finite numbers of at least 0",
               (d.motor.kind = TS_MOTOR_SERVO, d.motor.stiffness = -1.0));
  REFUSE_JOINT(b3, "joint 'joint1': stiffness and damping must be finite numbers of at least 0",
               (d.motor.kind = TS_MOTOR_SERVO, d.motor.damping = INFINITY));
  REFUSE_JOINT(b3, "joint 'joint1': a servo needs stiffness or damping", d.motor.kind = TS_MOTOR_SERVO);
  REFUSE_JOINT(b3, "joint 'joint1': offsets of a signal must be finite numbers",
               (d.motor.kind = TS_MOTOR_FORCE, d.motor.target = ts_signal_constant(NAN)));
  ts_builder_destroy(b3);
}

static ts_spring_def good_spring(void)
{
  ts_spring_def def = ts_spring_def_default();
  def.body[1] = BALL;
  def.stiffness = 1.0;
  return def;
}

#define REFUSE_SPRING(builder, sentence, ...)                                                                          \
  REFUSE(ts_builder_add_spring, ts_spring_def d = good_spring(), builder, sentence, __VA_ARGS__)

static void springs_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  ts_spring_def coil = good_spring();
  coil.name = "coil";
  assert_int_equal(ts_builder_add_spring(b3, &coil, NULL, NULL), TS_OK);
  REFUSE_SPRING(b3, "the definition was not made by ts_spring_def_default()", d.cookie = 0);
  REFUSE_SPRING(b3, "spring 'coil': there is already a spring of that name", d.name = "coil");
  REFUSE_SPRING(b3, "there is no body number 99", d.body[0] = 99);
  REFUSE_SPRING(b3, "spring 'spring2': it joins 'ball' to itself", d.body[0] = BALL);
  REFUSE_SPRING(b3, "spring 'spring2': neither 'world' nor 'floor' is dynamic", d.body[1] = FLOOR);
  REFUSE_SPRING(b3, "spring 'spring2': a point must be finite, and at most 1e+60", d.at[1].x = NAN);
  REFUSE_SPRING(b2, "spring 'spring1': a point in the plane has no z component", d.at[0].z = 1.0);
  REFUSE_SPRING(b3, "spring 'spring2': stiffness and damping must be finite numbers of at least 0", d.stiffness = -1);
  REFUSE_SPRING(b3, "spring 'spring2': stiffness and damping must be finite numbers of at least 0", d.damping = NAN);
  REFUSE_SPRING(b3, "spring 'spring2': its length must be a finite number of at least 0", d.length = -1.0);
}

static ts_force_def good_force(void)
{
  ts_force_def def = ts_force_def_default();
  def.body = BALL;
  return def;
}

#define REFUSE_FORCE(builder, sentence, ...)                                                                           \
  REFUSE(ts_builder_add_force, ts_force_def d = good_force(), builder, sentence, __VA_ARGS__)

static void forces_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  REFUSE_FORCE(b3, "the definition was not made by ts_force_def_default()", d.cookie = 0);
  REFUSE_FORCE(b3, "there is no body number -1", d.body = TS_WORLD);
  REFUSE_FORCE(b3, "body 'plate': a force needs a dynamic body to act on", d.body = PLATE);
  REFUSE_FORCE(b3, "body 'ball': a point must be finite, and at most 1e+60", d.at = (ts_vec3){0.0, NAN, 0.0});
  REFUSE_FORCE(b3, "body 'ball': a signal has the unknown kind 10", d.force[1].kind = TS_SIGNAL_COUNT);
  REFUSE_FORCE(b3, "body 'ball': a callback signal has no function", d.torque[2].kind = TS_SIGNAL_CALLBACK);
  REFUSE_FORCE(b2, "body 'ball': in the plane there is no z component, and none about x and y",
               d.force[2] = ts_signal_constant(1.0));
  REFUSE_FORCE(b2, "body 'ball': in the plane there is no z component, and none about x and y",
               d.torque[0] = ts_signal_constant(1.0));
}

static ts_motion_def good_motion(void)
{
  ts_motion_def def = ts_motion_def_default();
  def.body = PLATE;
  def.kind = TS_MOTION_ACCELERATION;
  def.frequency = 1.0;
  return def;
}

#define REFUSE_MOTION(builder, sentence, ...)                                                                          \
  REFUSE(ts_builder_add_motion, ts_motion_def d = good_motion(), builder, sentence, __VA_ARGS__)

static void motions_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  REFUSE_MOTION(b3, "the definition was not made by ts_motion_def_default()", d.cookie = 0);
  REFUSE_MOTION(b3, "there is no body number -1", d.body = TS_WORLD);
  REFUSE_MOTION(b3, "body 'ball': only a kinematic body has a motion", d.body = BALL);
  REFUSE_MOTION(b3, "body 'floor': only a kinematic body has a motion", d.body = FLOOR);
  REFUSE_MOTION(b3, "motion of 'plate': the kind 3 is unknown", d.kind = (ts_motion_kind)3);
  REFUSE_MOTION(b3, "motion of 'plate': frequency is 0, it must be positive and finite", d.frequency = 0.0);
  REFUSE_MOTION(b3, "motion of 'plate': frequency is inf, it must be positive and finite", d.frequency = INFINITY);
  REFUSE_MOTION(b3, "motion of 'plate': amplitudes and phases must be finite", d.amplitude[5] = NAN);
  REFUSE_MOTION(b3, "motion of 'plate': amplitudes and phases must be finite", d.phase[0] = INFINITY);
  REFUSE_MOTION(b3, "motion of 'plate': amplitudes and phases must be finite",
                (d.amplitude[0] = 1.0, d.frequency = 1e-200));
  REFUSE_MOTION(b3, "motion of 'plate': the orientation rule 5 is unknown", d.orientation = (ts_orientation_rule)5);
  REFUSE_MOTION(b2, "motion of 'plate': in the plane there is no z component, and none about x and y",
                d.amplitude[2] = 1.0);
  REFUSE_MOTION(b2, "motion of 'plate': in the plane there is no z component, and none about x and y",
                (d.kind = TS_MOTION_POSE, d.rotation[0] = ts_signal_constant(1.0)));
  REFUSE_MOTION(b3, "motion of 'plate': it has no function to call", d.kind = TS_MOTION_CALLBACK);
  REFUSE_MOTION(b3, "motion of 'plate': offsets of a signal must be finite numbers",
                (d.kind = TS_MOTION_POSE, d.displacement[0] = ts_signal_constant(NAN)));
  const ts_motion_def first = good_motion();
  assert_int_equal(ts_builder_add_motion(b3, &first, NULL, NULL), TS_OK);
  REFUSE_MOTION(b3, "body 'plate': it has a motion already", d.frequency = 2.0);
}

#define REFUSE_LAW(sentence, builder, ...)                                                                             \
  do {                                                                                                                 \
    ts_error error_;                                                                                                   \
    ts_contact_law d = ts_contact_law_default();                                                                       \
    __VA_ARGS__;                                                                                                       \
    assert_sentence(ts_builder_set_contact(builder, &d, &error_), &error_, "default contact law: " sentence);          \
    assert_sentence(ts_builder_add_material(builder, "steel", &d, NULL, &error_), &error_,                             \
                    "material 'steel': " sentence);                                                                    \
    assert_sentence(ts_builder_pair_materials(builder, 0, 0, &d, &error_), &error_,                                    \
                    "materials 'rubber' and 'rubber': " sentence);                                                     \
    assert_sentence(ts_builder_pair_bodies(builder, BALL, FLOOR, &d, &error_), &error_,                                \
                    "bodies 'ball' and 'floor': " sentence);                                                           \
  } while (0)

static void laws_are_checked(void **state)
{
  ts_builder *b3 = ((ts_builder **)*state)[TS_SPACE_3D], *b2 = ((ts_builder **)*state)[TS_SPACE_2D];
  REFUSE_LAW("friction is -1, it must be finite and >= 0", b3, d.friction = -1.0);
  REFUSE_LAW("friction is inf, it must be finite and >= 0", b3, d.friction = INFINITY);
  REFUSE_LAW("restitution is 1.1, it must be finite and 0 to 1", b3, d.restitution = 1.1);
  REFUSE_LAW("restitution is nan, it must be finite and 0 to 1", b3, d.restitution = NAN);
  REFUSE_LAW("the semi-axes e_t and e_o of the friction ellipsoid must be positive", b3, d.ellipsoid.x = 0.0);
  REFUSE_LAW("the semi-axes e_t and e_o of the friction ellipsoid must be positive", b3, d.ellipsoid.y = NAN);
  REFUSE_LAW("the semi-axis e_r of the friction ellipsoid must be at least 0", b3, d.ellipsoid.z = -1.0);
  REFUSE_LAW("there is no torsional friction in the plane, e_r must be 0", b2, d.ellipsoid.z = 0.1);
  REFUSE_LAW("the direction of friction must be finite", b3, d.direction.x = NAN);
}

static void pairs_are_checked(void **state)
{
  (void)state;
  ts_builder *builder = make_builder(TS_SPACE_3D);
  ts_error error;
  const ts_contact_law law = ts_contact_law_default();
  assert_sentence(ts_builder_add_material(builder, "rubber", &law, NULL, &error), &error,
                  "material 'rubber': there is already a material of that name");
  assert_sentence(ts_builder_pair_materials(builder, 0, 1, &law, &error), &error, "there is no material number 1");
  assert_sentence(ts_builder_pair_materials(builder, 0, 0, NULL, &error), &error,
                  "ts_builder_pair_materials() requires law");
  assert_int_equal(ts_builder_pair_materials(builder, 0, 0, &law, &error), TS_OK);
  assert_sentence(ts_builder_pair_materials(builder, 0, 0, &law, &error), &error,
                  "the pair of materials 'rubber' and 'rubber' is given twice");
  assert_sentence(ts_builder_pair_bodies(builder, 0, TS_WORLD, &law, &error), &error, "there is no body number -1");
  assert_sentence(ts_builder_pair_bodies(builder, BALL, BALL, &law, &error), &error,
                  "body 'ball': a pair has two different bodies");
  assert_int_equal(ts_builder_pair_bodies(builder, BALL, FLOOR, NULL, &error), TS_OK);
  assert_sentence(ts_builder_pair_bodies(builder, FLOOR, BALL, &law, &error), &error,
                  "the pair of bodies 'floor' and 'ball' is given twice");
  char name[32];
  ts_status status = TS_OK;
  for (int i = 1; i < 1001; ++i) {
    snprintf(name, sizeof name, "m%d", i);
    assert_int_equal(status, TS_OK);
    status = ts_builder_add_material(builder, name, &law, NULL, &error);
  }
  assert_int_equal(status, TS_UNSUPPORTED);
  assert_string_equal(error.text, "material 'm1000': a model has at most 1000 materials");
  ts_builder_destroy(builder);
}

static void refuse_to_finish(ts_builder *builder, const char *sentence)
{
  ts_model *model = (ts_model *)builder;
  ts_error error;
  assert_sentence(ts_builder_finish(builder, &model, &error), &error, sentence);
  assert_null(model);
  ts_builder_destroy(builder);
}

static ts_builder *builder_with(ts_space space, const ts_body_def *def, const ts_part_def *part)
{
  ts_builder *builder = make_builder(space);
  ts_error error;
  int body;
  must(ts_builder_add_body(builder, def, &body, &error), &error);
  if (part) {
    ts_part_def own = *part;
    own.body = body;
    must(ts_builder_add_part(builder, &own, NULL, &error), &error);
  }
  return builder;
}

static void the_whole_is_checked(void **state)
{
  (void)state;
  ts_builder *builder = make_builder(TS_SPACE_3D);
  ts_builder_set_gravity(builder, (ts_vec3){0, NAN, 0});
  refuse_to_finish(builder, "gravity must be finite");
  builder = make_builder(TS_SPACE_2D);
  ts_builder_set_gravity(builder, (ts_vec3){0, 0, -9.81});
  refuse_to_finish(builder, "gravity in the plane has no z component");
  builder = make_builder(TS_SPACE_3D);
  ts_builder_set_combination(builder, (ts_combination)7, TS_MINIMUM);
  refuse_to_finish(builder, "the combination rule of friction or restitution is unknown");

  ts_part_def point = ts_part_def_default(), sphere = round_part(TS_SPACE_3D, 0);
  point.shape = (ts_shape){.kind = TS_SHAPE_POINT};
  ts_body_def def = body_named("new", TS_DYNAMIC);
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, NULL),
                   "body 'new': no inertia is given and its shapes have none; does it rotate?");
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, &point),
                   "body 'new': no inertia is given and its shapes have none; does it rotate?");
  def.mass = NAN;
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, NULL),
                   "body 'new': no mass is given and it has no shape with a volume");
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, &point),
                   "body 'new': no mass is given and it has no shape with a volume");
  sphere.massless = true;
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, &sphere),
                   "body 'new': no mass is given and it has no shape with a volume");
  sphere.massless = false;
  def.density = 1e308;
  sphere.shape.radius = 1e3;
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, &sphere), "body 'new': the mass of its shapes is out of range");
  def.density = 1.0;
  def.mass = 1e-300;
  sphere.shape.radius = 1e-5;
  refuse_to_finish(builder_with(TS_SPACE_3D, &def, &sphere), "body 'new': the inertia of its shapes is out of range");
}

// A refusal leaves the builder as it was: it still finishes, and the numbers go on.
static void refusals_change_nothing(void **state)
{
  ts_builder **builders = *state;
  for (int space = 0; space < 2; ++space) {
    ts_model *model;
    ts_error error;
    must(ts_builder_finish(builders[space], &model, &error), &error);
    assert_int_equal(ts_model_body_count(model), 4);
    assert_int_equal(ts_model_part_count(model), 2);
    assert_int_equal(ts_model_joint_count(model), space == TS_SPACE_3D ? 1 : 0);
    ts_model_destroy(model);
  }
}

// Everything that allocates, with every allocation failing once. The address sanitizer sees what leaks.
static ts_status build_all(const ts_allocator *allocator, ts_model **model)
{
  static const ts_vec3 corner[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  static const double times[] = {0.0, 1.0}, values[] = {1.0, 2.0};
  *model = NULL;
  ts_builder *b = ts_builder_create_with(TS_SPACE_2D, allocator);
  if (!b) return TS_OUT_OF_MEMORY;
  const ts_contact_law law = ts_contact_law_default();
  ts_status status = ts_builder_add_material(b, "rubber", &law, NULL, NULL);
  for (int i = 0; i < 300 && status == TS_OK; ++i) {
    char name[32];
    snprintf(name, sizeof name, "body%d", i);
    const ts_body_def def = body_named(name, i ? TS_DYNAMIC : TS_KINEMATIC);
    ts_part_def part = ts_part_def_default();
    part.body = i;
    part.shape = (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = corner, .vertex_count = 6};
    ts_joint_def joint = ts_joint_def_default();
    joint.parent = i - 1;
    joint.child = i;
    joint.motor.kind = TS_MOTOR_FORCE;
    joint.motor.target = (ts_signal){.kind = TS_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
    status = ts_builder_add_body(b, &def, NULL, NULL);
    if (status == TS_OK) status = ts_builder_add_part(b, &part, NULL, NULL);
    if (status == TS_OK && i) status = ts_builder_add_joint(b, &joint, NULL, NULL);
    if (status == TS_OK && i > 1) status = ts_builder_pair_bodies(b, 0, i, NULL, NULL);
  }
  if (status == TS_OK) status = ts_builder_finish(b, model, NULL);
  ts_builder_destroy(b);
  return status;
}

static void memory_may_run_out_anywhere(void **state)
{
  (void)state;
  ts_status status = TS_OUT_OF_MEMORY;
  int budget = 0;
  for (; status != TS_OK && budget < 1000; ++budget) {
    allocation_count count = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&count);
    ts_model *model;
    status = build_all(&allocator, &model);
    assert_true((status == TS_OK) == (model != NULL));
    assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
    ts_model_destroy(model);
  }
  assert_int_equal(status, TS_OK);
  assert_true(budget > 5);
}

// After memory ran out the builder is usable: what failed can be added again.
static void a_builder_survives_a_shortage(void **state)
{
  (void)state;
  allocation_count count = {.budget = 1};
  const ts_allocator allocator = counting_allocator(&count);
  ts_builder *builder = ts_builder_create_with(TS_SPACE_3D, &allocator);
  assert_non_null(builder);
  ts_body_def def = body_named("ball", TS_DYNAMIC);
  def.rotates = false;
  ts_error error;
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, &error), TS_OUT_OF_MEMORY);
  assert_string_equal(error.text, "memory ran out");
  count.budget = 1000;
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, &error), TS_OK);
  ts_model *model;
  assert_int_equal(ts_builder_finish(builder, &model, &error), TS_OK);
  assert_int_equal(ts_model_find_body(model, "ball"), 0);
  ts_model_destroy(model);
  ts_builder_destroy(builder);
}

// Bodies with hostile numbers anywhere: they are refused, or what comes out of the model can be computed with.
static void hostile_numbers_are_refused_or_harmless(void **state)
{
  (void)state;
  const double hostile[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, -1.0, 1e-320, 1e-308, 1e-150, 1e150, 1e308, -1e308};
  ts_random random;
  ts_random_init(&random, 17);
  int accepted = 0;
  for (int n = 0; n < 20000; ++n) {
    const ts_space space = n % 2 ? TS_SPACE_2D : TS_SPACE_3D;
    ts_builder *builder = ts_builder_create(space);
    ts_body_def def = body_named("b", TS_DYNAMIC);
    ts_part_def part = round_part(space, 0);
    double *fields[] = {&def.mass,
                        &def.density,
                        &def.inertia[0],
                        &def.inertia[1],
                        &def.inertia[2],
                        &def.inertia[4],
                        &def.centre.x,
                        &def.centre.y,
                        &part.shape.radius,
                        &part.angle,
                        &def.velocity.linear.x,
                        &part.pose.orientation.w,
                        &def.gravity_scale.x,
                        &part.pose.position.x};
    const int spoiled = 1 + ts_random_below(&random, 3);
    for (int i = 0; i < spoiled; ++i)
      *fields[ts_random_below(&random, (int)(sizeof fields / sizeof fields[0]))] =
          hostile[ts_random_below(&random, (int)(sizeof hostile / sizeof hostile[0]))];
    ts_model *model = NULL;
    ts_status status = ts_builder_add_body(builder, &def, NULL, NULL);
    if (status == TS_OK) status = ts_builder_add_part(builder, &part, NULL, NULL);
    if (status == TS_OK) status = ts_builder_finish(builder, &model, NULL);
    if (status == TS_OK) {
      const ts_body *body = &model->bodies[0];
      ++accepted;
      const bool none = def.mass == 0.0; // then of everything
      assert_true((body->mass > 0.0) != none && isfinite(body->mass) && isfinite(body->inverse_mass));
      assert_true((body->inverse_mass > 0.0) != none);
      assert_true((body->inertia.z.z > 0.0) != none && isfinite(body->inertia.z.z));
      assert_true(isfinite(body->inverse_inertia.z.z));
      assert_true(isfinite(body->inverse_inertia.x.x) && isfinite(body->inverse_inertia.x.y));
    }
    ts_model_destroy(model);
    ts_builder_destroy(builder);
  }
  assert_true(accepted > 1000 && accepted < 19000);
}

static void nothing_is_accepted_in_place_of_an_object(void **state)
{
  (void)state;
  ts_builder_destroy(NULL);
  ts_model_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_checked),
      cmocka_unit_test(inertias_are_those_of_real_bodies),
      cmocka_unit_test(parts_are_checked),
      cmocka_unit_test(joints_are_checked),
      cmocka_unit_test(motors_are_checked),
      cmocka_unit_test(springs_are_checked),
      cmocka_unit_test(forces_are_checked),
      cmocka_unit_test(motions_are_checked),
      cmocka_unit_test(laws_are_checked),
      cmocka_unit_test(pairs_are_checked),
      cmocka_unit_test(the_whole_is_checked),
      cmocka_unit_test(refusals_change_nothing),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(a_builder_survives_a_shortage),
      cmocka_unit_test(hostile_numbers_are_refused_or_harmless),
      cmocka_unit_test(nothing_is_accepted_in_place_of_an_object),
  };
  return cmocka_run_group_tests(tests, make_builders, destroy_builders);
}
