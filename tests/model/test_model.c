// Finished models: masses against closed forms, frames at centres of mass, joints, laws, and independence of the
// builder.
#include "model/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static int add_body(ts_builder *builder, const char *name, ts_body_kind kind, double mass)
{
  ts_body_def def = ts_body_def_default();
  ts_error error;
  int body;
  def.name = name;
  def.kind = kind;
  def.mass = mass;
  must(ts_builder_add_body(builder, &def, &body, &error), &error);
  return body;
}

static int add_shape(ts_builder *builder, int body, ts_shape shape, ts_pose pose, int material)
{
  ts_part_def def = ts_part_def_default();
  ts_error error;
  int part;
  def.body = body;
  def.shape = shape;
  def.pose = pose;
  def.material = material;
  must(ts_builder_add_part(builder, &def, &part, &error), &error);
  return part;
}

static ts_model *finish(ts_builder *builder)
{
  ts_model *model;
  ts_error error;
  must(ts_builder_finish(builder, &model, &error), &error);
  ts_builder_destroy(builder);
  return model;
}

static ts_shape ball(double radius)
{
  return (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = radius};
}

static ts_shape box(double x, double y, double z)
{
  return (ts_shape){.kind = TS_SHAPE_BOX, .size = {x, y, z}};
}

static ts_pose at(double x, double y, double z)
{
  return (ts_pose){{x, y, z}, ts_quat_identity()};
}

static void assert_inertia(const ts_model *model, int body, const double expected[6], double tolerance)
{
  double inertia[6];
  ts_model_body_inertia(model, body, inertia);
  for (int i = 0; i < 6; ++i) assert_near(inertia[i], expected[i], tolerance);
  const ts_body *b = &model->bodies[body];
  const ts_mat3 one = ts_mat3_product(&b->inertia, &b->inverse_inertia);
  assert_vec_near(one.x, (ts_vec3){1, 0, 0}, 1e-13);
  assert_vec_near(one.y, (ts_vec3){0, 1, 0}, 1e-13);
  assert_vec_near(one.z, (ts_vec3){0, 0, 1}, 1e-13);
}

static void masses_follow_from_shapes(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  const int dense = add_body(builder, "dense", TS_DYNAMIC, NAN), light = add_body(builder, "light", TS_DYNAMIC, 0.6);
  add_shape(builder, dense, ball(0.5), at(0, 0, 0), -1);
  add_shape(builder, light, box(1.0, 2.0, 3.0), at(0, 0, 0), -1);
  ts_model *model = finish(builder);
  const double mass = 1000.0 * TS_PI / 6.0, moment = 0.4 * mass * 0.25;
  assert_near(ts_model_body_mass(model, dense), mass, 1e-10);
  assert_inertia(model, dense, (double[6]){moment, moment, moment}, 1e-10);
  assert_true(model->bodies[dense].isotropic);
  assert_near(ts_model_body_mass(model, light), 0.6, 0.0);
  assert_inertia(model, light, (double[6]){0.65, 0.5, 0.25}, 1e-15);
  assert_false(model->bodies[light].isotropic);
  assert_int_equal(ts_model_dof_count(model), 12);
  ts_model_destroy(model);
}

// A dumb-bell of two equal balls and a massless rod, by Steiner's theorem.
static void compounds_add_up(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  const int body = add_body(builder, "bell", TS_DYNAMIC, 4.0);
  ts_part_def rod = ts_part_def_default();
  rod.body = body;
  rod.shape = box(0.1, 0.1, 5.0);
  rod.massless = true;
  add_shape(builder, body, ball(1.0), at(0.0, 0.0, 0.0), -1);
  assert_int_equal(ts_builder_add_part(builder, &rod, NULL, NULL), TS_OK);
  add_shape(builder, body, ball(1.0), at(0.0, 3.0, 4.0), -1);
  ts_model *model = finish(builder);
  // two masses of 2 at -+ d from the centre, d = (0, 1.5, 2)
  const double own = 2 * 0.4 * 2.0;
  const double expected[6] = {own + 4 * 6.25, own + 4 * 4.0, own + 4 * 2.25, 0, 0, -4 * 1.5 * 2.0};
  assert_vec_near(ts_model_body_centre(model, body), (ts_vec3){0.0, 1.5, 2.0}, 1e-15);
  assert_inertia(model, body, expected, 1e-13);
  assert_int_equal(ts_model_part_count(model), 3);
  ts_model_destroy(model);
}

static void what_is_given_wins(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_body_def def = ts_body_def_default();
  def.name = "odd";
  def.mass = 3.0;
  def.centre = (ts_vec3){0.0, 0.0, 1.0};
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  def.name = "odder";
  const double inertia[6] = {2.0, 3.0, 4.0, 0.1, 0.2, 0.3};
  memcpy(def.inertia, inertia, sizeof inertia);
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  for (int i = 0; i < 2; ++i) add_shape(builder, i, ball(1.0), at(0, 0, 0), -1);
  ts_model *model = finish(builder);
  // the ball's moments about a point beside its centre
  assert_inertia(model, 0, (double[6]){1.2 + 3.0, 1.2 + 3.0, 1.2}, 1e-14);
  assert_inertia(model, 1, inertia, 0.0);
  assert_vec_near(model->bodies[1].pose.position, (ts_vec3){0, 0, 1}, 0.0);
  assert_vec_near(model->parts[1].pose.position, (ts_vec3){0, 0, -1}, 0.0);
  assert_false(model->parts[1].at_centre);
  ts_model_destroy(model);
}

static void particles_do_not_turn(void **state)
{
  (void)state;
  for (int space = 0; space < 2; ++space) {
    ts_builder *builder = ts_builder_create((ts_space)space);
    ts_body_def def = ts_body_def_default();
    def.name = "particle";
    def.mass = 2.0;
    def.rotates = false;
    assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
    add_shape(builder, 0, (ts_shape){.kind = TS_SHAPE_POINT}, at(0.5, 0, 0), -1);
    ts_model *model = finish(builder);
    const ts_mat3 zero = {0};
    assert_memory_equal(&model->bodies[0].inverse_inertia, &zero, sizeof zero);
    assert_vec_near(ts_model_body_centre(model, 0), (ts_vec3){0.5, 0, 0}, 0.0);
    assert_true(model->parts[0].at_centre);
    assert_int_equal(ts_model_dof_count(model), space == TS_SPACE_2D ? 2 : 3);
    ts_model_destroy(model);
  }
}

// An L of two squares: a polygon that is not convex has several parts of one source. Area 3, centre at (5/6, 5/6).
static void planar_bodies_have_one_moment(void **state)
{
  (void)state;
  const ts_vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  ts_builder *builder = ts_builder_create(TS_SPACE_2D);
  ts_body_def def = ts_body_def_default();
  def.name = "L";
  def.density = 2.0;
  def.angle = 0.5 * TS_PI;
  def.pose.position = (ts_vec3){10.0, 0.0, 0.0};
  def.velocity = (ts_twist){{1.0, 0.0, 0.0}, {0.0, 0.0, 6.0}};
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  add_shape(builder, 0, (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 6}, at(0, 0, 0), -1);
  ts_model *model = finish(builder);
  const double c = 5.0 / 6.0;
  // three unit squares at (1/2, 1/2), (3/2, 1/2), (1/2, 3/2): 1/6 each, and their distances to the centre
  const double arms = 2.0 * (c - 0.5) * (c - 0.5) + 2.0 * ((1.5 - c) * (1.5 - c) + (c - 0.5) * (c - 0.5));
  const ts_body *body = &model->bodies[0];
  assert_near(body->mass, 6.0, 1e-14);
  assert_near(body->inertia.z.z, 2.0 * (0.5 + arms), 1e-13);
  assert_near(body->inverse_inertia.z.z * body->inertia.z.z, 1.0, 1e-15);
  assert_true(body->inverse_inertia.x.x == 0.0 && body->inverse_inertia.y.y == 0.0 && body->isotropic);
  assert_vec_near(body->centre, (ts_vec3){c, c, 0}, 1e-14);
  assert_vec_near(body->pose.position, (ts_vec3){10.0 - c, c, 0}, 1e-14);
  assert_vec_near(body->velocity.linear, (ts_vec3){1.0 - 6.0 * c, -6.0 * c, 0}, 1e-13);
  assert_true(model->part_count > 1 && body->part_count == model->part_count);
  for (int i = 0; i < model->part_count; ++i) assert_int_equal(model->parts[i].source, 0);
  assert_int_equal(ts_model_part_count(model), 1);
  assert_int_equal(ts_model_dof_count(model), 3);
  assert_vec_near(ts_model_gravity(model), (ts_vec3){0, -9.81, 0}, 0.0);
  ts_model_destroy(model);
}

// The first entry of the inertia may stay as it is by default.
static void in_the_plane_one_number_is_the_inertia(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_2D);
  ts_body_def def = ts_body_def_default();
  def.name = "bar";
  def.mass = 1.0;
  def.inertia[2] = 0.5;
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  ts_model *model = finish(builder);
  assert_near(model->bodies[0].inverse_inertia.z.z, 2.0, 0.0);
  ts_model_destroy(model);
}

// Parts come out in the order of bodies, and public numbers stay those of adding.
static void parts_lie_together(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  for (int i = 0; i < 3; ++i) {
    char name[32];
    snprintf(name, sizeof name, "b%d", i);
    add_body(builder, name, TS_DYNAMIC, 1.0);
  }
  const int owners[] = {2, 0, 1, 0, 2, 2};
  for (int i = 0; i < 6; ++i) assert_int_equal(add_shape(builder, owners[i], ball(1.0 + i), at(i, 0, 0), -1), i);
  ts_model *model = finish(builder);
  const int sources[] = {1, 3, 2, 0, 4, 5};
  for (int i = 0; i < 6; ++i) {
    assert_int_equal(model->parts[i].source, sources[i]);
    assert_int_equal(ts_model_part_body(model, i), owners[i]);
    assert_near(ts_model_part_shape(model, i)->radius, 1.0 + i, 0.0);
    assert_near(ts_model_part_pose(model, i).position.x, i, 0.0);
  }
  for (int i = 0, next = 0; i < 3; next += model->bodies[i++].part_count) {
    assert_int_equal(model->bodies[i].first_part, next);
    for (int k = 0; k < model->bodies[i].part_count; ++k) assert_int_equal(model->parts[next + k].body, i);
  }
  ts_model_destroy(model);
}

static void normals_and_quaternions_become_unit(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_body_def def = ts_body_def_default();
  def.name = "slope";
  def.kind = TS_FIXED;
  def.pose.orientation = (ts_quat){0.8, 0.6003, 0.0, 0.0};
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  add_shape(builder, 0, (ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0, 3, 4}, .offset = 2.0}, at(0, 0, 0), -1);
  ts_model *model = finish(builder);
  assert_near(ts_quat_length(model->bodies[0].pose.orientation), 1.0, 1e-15);
  assert_vec_near(ts_model_part_shape(model, 0)->normal, (ts_vec3){0, 0.6, 0.8}, 1e-15);
  assert_vec_near(model->parts[0].convex.normal, (ts_vec3){0, 0.6, 0.8}, 1e-15);
  assert_near(model->parts[0].convex.offset, 2.0, 0.0);
  assert_true(model->bodies[0].mass == 0.0 && model->bodies[0].inverse_mass == 0.0);
  ts_model_destroy(model);
}

static void names_are_found(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  char name[32];
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "rock %d", i);
    assert_int_equal(add_body(builder, name, TS_FIXED, NAN), i);
  }
  ts_model *model = finish(builder);
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "rock %d", i);
    assert_int_equal(ts_model_find_body(model, name), i);
    assert_string_equal(ts_model_body_name(model, i), name);
  }
  assert_int_equal(ts_model_find_body(model, "rock"), TS_WORLD);
  assert_int_equal(ts_model_body_kind(model, 7), TS_FIXED);
  ts_model_destroy(model);
  model = finish(ts_builder_create(TS_SPACE_3D));
  assert_int_equal(ts_model_body_count(model), 0);
  assert_int_equal(ts_model_find_body(model, "rock"), TS_WORLD);
  ts_model_destroy(model);
}

// Joint frames of both sides are one place in the world at time 0, z along the axis.
static void joint_frames_meet(void **state)
{
  (void)state;
  for (int kind = 0; kind < TS_JOINT_COUNT; ++kind)
    for (int parent = -1; parent < 1; ++parent) {
      ts_builder *builder = ts_builder_create(TS_SPACE_3D);
      ts_body_def def = ts_body_def_default();
      def.name = "parent";
      def.mass = 1.0;
      def.centre = (ts_vec3){0.1, 0.2, 0.3};
      def.pose = (ts_pose){{1, 2, 3}, ts_quat_exp((ts_vec3){0.3, -2.0, 0.5})};
      assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
      const ts_pose parent_pose = def.pose;
      def.name = "child";
      def.centre = (ts_vec3){-0.5, 0.0, 0.0};
      def.pose = (ts_pose){{-1, 0, 1}, ts_quat_exp((ts_vec3){1.3, 1.0, -0.5})};
      assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
      for (int i = 0; i < 2; ++i) add_shape(builder, i, ball(1.0), at(0, 0, 0), -1);
      ts_joint_def joint = ts_joint_def_default();
      joint.kind = (ts_joint_kind)kind;
      joint.parent = parent;
      joint.child = 1;
      joint.at = (ts_vec3){0.5, -0.25, 2.0};
      joint.axis = (ts_vec3){2.0, -1.0, 2.0};
      joint.axis2 = (ts_vec3){1.0, 2.0, 0.0};
      if (kind == TS_JOINT_SCREW) joint.pitch = 0.1;
      assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
      ts_model *model = finish(builder);
      const ts_joint *made = &model->joints[0];
      const ts_pose world = ts_pose_identity(), user = parent < 0 ? world : parent_pose;
      const ts_pose side_0 = ts_pose_compose(parent < 0 ? &world : &model->bodies[0].pose, &made->frame[0]);
      const ts_pose side_1 = ts_pose_compose(&model->bodies[1].pose, &made->frame[1]);
      assert_vec_near(side_0.position, ts_pose_apply(&user, joint.at), 1e-14);
      assert_vec_near(side_1.position, side_0.position, 1e-14);
      const ts_mat3 R0 = ts_quat_matrix(side_0.orientation), R1 = ts_quat_matrix(side_1.orientation);
      assert_vec_near(R0.x, R1.x, 1e-14);
      assert_vec_near(R0.z, R1.z, 1e-14);
      if (kind != TS_JOINT_SPHERICAL && kind != TS_JOINT_WELD)
        assert_vec_near(R0.z, ts_quat_rotate(user.orientation, ts_scale(1.0 / 3.0, joint.axis)), 1e-14);
      if (kind == TS_JOINT_UNIVERSAL)
        assert_vec_near(R0.x, ts_quat_rotate(user.orientation, ts_scale(1.0 / sqrt(5.0), joint.axis2)), 1e-14);
      const int rows[] = {5, 5, 3, 4, 4, 3, 6, 5};
      assert_int_equal(ts_model_bilateral_count(model), rows[kind]);
      assert_string_equal(made->name, "joint1");
      ts_model_destroy(model);
    }
}

// Axes in all directions, the ones that make a component of the quaternion vanish among them.
static void every_axis_makes_a_frame(void **state)
{
  (void)state;
  for (int i = 0; i < 27; ++i) {
    const ts_vec3 axis = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    if (i == 13) continue;
    ts_builder *builder = ts_builder_create(TS_SPACE_3D);
    add_shape(builder, add_body(builder, "b", TS_DYNAMIC, 1.0), ball(1.0), at(0, 0, 0), -1);
    ts_joint_def joint = ts_joint_def_default();
    joint.child = 0;
    joint.axis = axis;
    assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
    ts_model *model = finish(builder);
    const ts_vec3 z = ts_quat_rotate(model->joints[0].frame[0].orientation, (ts_vec3){0, 0, 1});
    assert_vec_near(z, ts_scale(1.0 / ts_length(axis), axis), 1e-15);
    ts_model_destroy(model);
  }
}

static void planar_joints_have_planar_frames(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_2D);
  for (int i = 0; i < 2; ++i)
    add_shape(builder, add_body(builder, i ? "b" : "a", TS_DYNAMIC, 1.0),
              (ts_shape){.kind = TS_SHAPE_DISC, .radius = 1.0}, at(0, 0, 0), -1);
  ts_joint_def joint = ts_joint_def_default();
  joint.parent = 0;
  joint.child = 1;
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  joint.kind = TS_JOINT_PRISMATIC;
  joint.axis = (ts_vec3){3.0, 4.0, 0.0};
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  joint.kind = TS_JOINT_WELD;
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  ts_model *model = finish(builder);
  assert_near(model->joints[0].frame[0].orientation.w, 1.0, 0.0);
  const ts_mat3 R = ts_quat_matrix(model->joints[1].frame[0].orientation);
  assert_vec_near(R.z, (ts_vec3){0.6, 0.8, 0}, 1e-15);
  assert_vec_near(R.y, (ts_vec3){0, 0, 1}, 1e-15);
  assert_int_equal(ts_model_bilateral_count(model), 2 + 2 + 3);
  ts_model_destroy(model);
}

static void names_of_joints_avoid_each_other(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  add_shape(builder, add_body(builder, "b", TS_DYNAMIC, 1.0), ball(1.0), at(0, 0, 0), -1);
  ts_joint_def joint = ts_joint_def_default();
  joint.child = 0;
  joint.name = "joint2";
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  joint.name = NULL;
  for (int i = 0; i < 2; ++i) assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  ts_model *model = finish(builder);
  assert_string_equal(model->joints[1].name, "joint3");
  assert_string_equal(model->joints[2].name, "joint4");
  ts_model_destroy(model);
}

// The length at time 0, between points that a kinematic body's motion has moved already.
static void springs_take_their_length_at_time_zero(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  const int plate = add_body(builder, "plate", TS_KINEMATIC, NAN), body = add_body(builder, "b", TS_DYNAMIC, 1.0);
  add_shape(builder, body, ball(1.0), at(0, 0, 2.0), -1);
  ts_motion_def motion = ts_motion_def_default();
  motion.body = plate;
  motion.displacement[0] = ts_signal_constant(3.0);
  assert_int_equal(ts_builder_add_motion(builder, &motion, NULL, NULL), TS_OK);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = plate;
  spring.body[1] = body;
  spring.at[1] = (ts_vec3){0, 4.0, 0};
  assert_int_equal(ts_builder_add_spring(builder, &spring, NULL, NULL), TS_OK);
  ts_joint_def joint = ts_joint_def_default();
  joint.parent = plate;
  joint.child = body;
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  ts_model *model = finish(builder);
  assert_near(model->springs[0].length, 5.0, 1e-15);
  assert_string_equal(model->springs[0].name, "spring1");
  assert_vec_near(model->springs[0].at[1], (ts_vec3){0, 4.0, -2.0}, 0.0);
  assert_vec_near(model->joints[0].frame[1].position, (ts_vec3){3.0, 0.0, -2.0}, 0.0);
  ts_model_destroy(model);
}

// What a model says of a joint or spring is what it was told, and can be told again.
static void joints_and_springs_are_told_again(void **state)
{
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  (void)state;
  ts_error error;
  ts_body_def body = ts_body_def_default();
  body.name = "arm";
  body.centre = (ts_vec3){0.1, -0.2, 0.3}; // what the user sees is relative to the origin
  body.mass = 2.0;
  const double inertia[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  memcpy(body.inertia, inertia, sizeof inertia);
  body.pose.position = (ts_vec3){1.0, 2.0, 3.0};
  int arm, number;
  must(ts_builder_add_body(builder, &body, &arm, &error), &error);
  const int hand = add_body(builder, "hand", TS_FIXED, NAN);
  ts_joint_def joint = ts_joint_def_default();
  joint.name = "wrist";
  joint.kind = TS_JOINT_REVOLUTE;
  joint.parent = arm;
  joint.child = hand;
  joint.at = (ts_vec3){0.5, 0.25, -0.125};
  joint.axis = (ts_vec3){0.0, 3.0, 4.0};
  joint.limited = true;
  joint.upper = 8.0;
  joint.restitution = 0.5;
  joint.motor = (ts_motor){
      .kind = TS_MOTOR_SERVO, .target = ts_signal_constant(0.25), .stiffness = 3.0, .damping = 2.0, .max_force = 7.0};
  must(ts_builder_add_joint(builder, &joint, &number, &error), &error);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = arm;
  spring.at[0] = (ts_vec3){0.0, 0.0, 1.0};
  spring.at[1] = (ts_vec3){1.0, 2.0, 7.0};
  spring.stiffness = 5.0;
  spring.damping = 0.5;
  spring.damps_across = true;
  spring.implicit = false;
  must(ts_builder_add_spring(builder, &spring, &number, &error), &error);
  ts_model *model = finish(builder);
  const ts_joint_def told = ts_model_joint(model, 0);
  assert_string_equal(told.name, "wrist");
  assert_string_equal(ts_joint_kind_name(told.kind), "revolute");
  assert_true(told.kind == TS_JOINT_REVOLUTE && told.parent == arm && told.child == hand);
  assert_vec_near(told.at, joint.at, 1e-15);
  assert_vec_near(told.axis, (ts_vec3){0.0, 0.6, 0.8}, 1e-15);
  assert_true(told.limited && told.lower == -INFINITY && told.upper == 8.0 && told.restitution == 0.5);
  assert_true(told.motor.kind == TS_MOTOR_SERVO && told.motor.stiffness == 3.0 && told.motor.damping == 2.0 &&
              told.motor.max_force == 7.0 && ts_signal_value(&told.motor.target, 1.0, NULL) == 0.25);
  const ts_pose on_child = ts_model_joint_frame(model, 0, 1); // the hand is at the world's origin
  assert_vec_near(on_child.position, (ts_vec3){1.5, 2.25, 2.875}, 1e-15);
  assert_vec_near(ts_quat_rotate(on_child.orientation, (ts_vec3){0.0, 0.0, 1.0}), told.axis, 1e-15);
  assert_int_equal(ts_model_spring_count(model), 1);
  const ts_spring_def same = ts_model_spring(model, 0);
  assert_string_equal(same.name, "spring1");
  assert_true(same.body[0] == arm && same.body[1] == TS_WORLD);
  assert_vec_near(same.at[0], spring.at[0], 1e-15);
  assert_vec_near(same.at[1], spring.at[1], 1e-15);
  assert_true(same.stiffness == 5.0 && same.damping == 0.5 && same.damps_across && !same.implicit);
  assert_near(same.length, 3.0, 1e-15); // from (1, 2, 4) to (1, 2, 7)
  builder = ts_builder_create(TS_SPACE_3D);
  must(ts_builder_add_body(builder, &body, &arm, &error), &error);
  add_body(builder, "hand", TS_FIXED, NAN);
  must(ts_builder_add_joint(builder, &told, &number, &error), &error);
  must(ts_builder_add_spring(builder, &same, &number, &error), &error);
  ts_model *again = finish(builder);
  assert_vec_near(ts_model_joint_frame(again, 0, 1).position, on_child.position, 1e-15);
  assert_near(ts_model_spring(again, 0).length, same.length, 0.0);
  ts_model_destroy(again);
  ts_model_destroy(model);
}

static ts_contact_law law_of(double friction, double restitution)
{
  ts_contact_law law = ts_contact_law_default();
  law.friction = friction;
  law.restitution = restitution;
  return law;
}

// Five balls of the materials none, a, b, b, b; the last two and the first a pair of bodies or a joint.
static ts_model *model_with_laws(ts_combination rule)
{
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  const ts_contact_law usual = law_of(0.3, 0.25), a = law_of(0.4, 0.5), b = law_of(0.9, 1.0), special = law_of(7, 0.75);
  int material_a, material_b;
  assert_int_equal(ts_builder_set_contact(builder, &usual, NULL), TS_OK);
  assert_int_equal(ts_builder_add_material(builder, "a", &a, &material_a, NULL), TS_OK);
  assert_int_equal(ts_builder_add_material(builder, "b", &b, &material_b, NULL), TS_OK);
  ts_builder_set_combination(builder, rule, rule);
  const int materials[] = {-1, material_a, material_b, material_b, material_b};
  for (int i = 0; i < 5; ++i) {
    const char name[] = {(char)('p' + i), '\0'};
    add_shape(builder, add_body(builder, name, TS_DYNAMIC, 1.0), ball(1.0), at(0, 0, 0), materials[i]);
  }
  add_shape(builder, add_body(builder, "floor", TS_FIXED, NAN), ball(1.0), at(0, 0, 0), -1);
  add_shape(builder, add_body(builder, "plate", TS_KINEMATIC, NAN), ball(1.0), at(0, 0, 0), -1);
  add_shape(builder, 0, ball(1.0), at(1, 0, 0), material_b); // part 7, a second one of body 0
  assert_int_equal(ts_builder_pair_materials(builder, material_b, material_a, &special, NULL), TS_OK);
  assert_int_equal(ts_builder_pair_bodies(builder, 3, 0, &special, NULL), TS_OK);
  assert_int_equal(ts_builder_pair_bodies(builder, 4, 1, NULL, NULL), TS_OK);
  ts_joint_def joint = ts_joint_def_default();
  const int joined[][2] = {{2, 3}, {3, 2}, {3, 0}, {TS_WORLD, 4}, {5, 4}};
  for (int i = 0; i < 5; ++i) {
    joint.parent = joined[i][0];
    joint.child = joined[i][1];
    assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  }
  return finish(builder);
}

static void laws_have_their_order(void **state)
{
  (void)state;
  // public parts; friction and restitution by the geometric mean, or -1: no collision
  const struct {
    int first, second;
    double friction, restitution;
  } cases[] = {{0, 5, 0.3, 0.25},                         // default law on both sides
               {0, 1, sqrt(0.3 * 0.4), sqrt(0.25 * 0.5)}, // default and a
               {0, 2, sqrt(0.3 * 0.9), 0.5},              // default and b
               {2, 4, 0.9, 1.0},                          // b and b
               {1, 2, 7.0, 0.75},                         // a and b: pair of materials
               {0, 3, 7.0, 0.75},                         // pair of bodies, which beats the joint
               {7, 3, 7.0, 0.75},                         // the same bodies, other parts
               {2, 3, -1, 0},                             // joined, twice
               {4, 5, -1, 0},                             // joined to a fixed body
               {1, 4, -1, 0},                             // pair of bodies without collision
               {0, 7, -1, 0},                             // one body
               {5, 6, -1, 0},                             // neither is dynamic
               {6, 4, sqrt(0.3 * 0.9), 0.5},              // joined to the world only
               {7, 4, 0.9, 1.0}};                         // the second part's own material
  ts_model *model = model_with_laws(TS_GEOMETRIC_MEAN);
  int internal[8];
  for (int i = 0; i < model->part_count; ++i) internal[model->parts[i].source] = i;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int swapped = 0; swapped < 2; ++swapped) {
      const int p = swapped ? cases[i].second : cases[i].first, q = swapped ? cases[i].first : cases[i].second;
      ts_contact_law law = law_of(-5.0, -5.0);
      const bool collides = ts_model_contact_law(model, p, q, &law);
      const ts_contact_law *inside = ts_model_law(model, internal[p], internal[q]);
      assert_int_equal(collides, cases[i].friction >= 0.0);
      assert_int_equal(inside != NULL, collides);
      assert_near(law.friction, collides ? cases[i].friction : -5.0, 1e-15);
      if (!collides) continue;
      assert_near(law.restitution, cases[i].restitution, 1e-15);
      assert_memory_equal(inside, &law, sizeof law);
    }
  assert_false(model->spins);
  ts_model_destroy(model);
}

static void rules_combine(void **state)
{
  (void)state;
  const double expected[] = {sqrt(0.3 * 0.4), 0.35, 0.3, 0.4, 0.12}, same[] = {0.9, 0.9, 0.9, 0.9, 0.81};
  for (int rule = TS_GEOMETRIC_MEAN; rule <= TS_PRODUCT; ++rule) {
    ts_model *model = model_with_laws((ts_combination)rule);
    ts_contact_law law;
    assert_true(ts_model_contact_law(model, 0, 1, &law));
    assert_near(law.friction, expected[rule], 1e-15);
    assert_true(ts_model_contact_law(model, 2, 4, &law));
    assert_near(law.friction, same[rule], 1e-15);
    assert_true(ts_model_contact_law(model, 0, 5, &law));
    assert_near(law.friction, 0.3, 0.0); // the default law is no material: it is not combined with itself
    ts_model_destroy(model);
  }
}

static void ellipsoids_and_directions_combine(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_contact_law a = law_of(0.5, 0.0), b = law_of(0.5, 0.0);
  a.ellipsoid = (ts_vec3){1.0, 4.0, 0.01};
  b.ellipsoid = (ts_vec3){1.0, 1.0, 0.04};
  b.direction = (ts_vec3){0.0, 1.0, 0.0};
  assert_int_equal(ts_builder_add_material(builder, "a", &a, NULL, NULL), TS_OK);
  assert_int_equal(ts_builder_add_material(builder, "b", &b, NULL, NULL), TS_OK);
  for (int i = 0; i < 2; ++i)
    add_shape(builder, add_body(builder, i ? "p" : "q", TS_DYNAMIC, 1.0), ball(1.0), at(0, 0, 0), i);
  ts_model *model = finish(builder);
  ts_contact_law law;
  assert_true(ts_model_contact_law(model, 0, 1, &law));
  assert_vec_near(law.ellipsoid, (ts_vec3){1.0, 2.0, 0.02}, 1e-15);
  assert_vec_near(law.direction, b.direction, 0.0);
  assert_true(model->spins);
  ts_model_destroy(model);
}

// Bits of the model do not change when the builder and all that it was given are gone; and a builder goes on.
static void models_are_independent(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  char name[] = "rock", signal_name[] = "hinge";
  ts_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double coefficients[] = {2.0};
  add_shape(builder, add_body(builder, name, TS_DYNAMIC, 1.0),
            (ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = 4}, at(0, 0, 0), -1);
  ts_joint_def joint = ts_joint_def_default();
  joint.name = signal_name;
  joint.child = 0;
  joint.motor.kind = TS_MOTOR_FORCE;
  joint.motor.target = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 1, .coefficients = coefficients};
  assert_int_equal(ts_builder_add_joint(builder, &joint, NULL, NULL), TS_OK);
  memset(name, 'x', 4);
  memset(signal_name, 'x', 5);
  memset(corners, 0, sizeof corners);
  coefficients[0] = 9.0;
  ts_model *first, *second;
  assert_int_equal(ts_builder_finish(builder, &first, NULL), TS_OK);
  add_shape(builder, add_body(builder, "more", TS_DYNAMIC, 1.0), ball(1.0), at(0, 0, 0), -1);
  assert_int_equal(ts_builder_finish(builder, &second, NULL), TS_OK);
  ts_builder_destroy(builder);
  assert_int_equal(ts_model_body_count(first), 1);
  assert_int_equal(ts_model_body_count(second), 2);
  ts_model_destroy(second);
  assert_string_equal(ts_model_body_name(first, 0), "rock");
  assert_string_equal(first->joints[0].name, "hinge");
  assert_near(ts_signal_value(&first->joints[0].motor.target, 0.0, NULL), 2.0, 0.0);
  assert_vec_near(ts_model_part_shape(first, 0)->vertices[3], (ts_vec3){0, 0, 1}, 0.0);
  assert_vec_near(ts_model_body_centre(first, 0), (ts_vec3){0.25, 0.25, 0.25}, 1e-15);
  ts_model_destroy(first);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_follow_from_shapes),
      cmocka_unit_test(compounds_add_up),
      cmocka_unit_test(what_is_given_wins),
      cmocka_unit_test(particles_do_not_turn),
      cmocka_unit_test(planar_bodies_have_one_moment),
      cmocka_unit_test(in_the_plane_one_number_is_the_inertia),
      cmocka_unit_test(parts_lie_together),
      cmocka_unit_test(normals_and_quaternions_become_unit),
      cmocka_unit_test(names_are_found),
      cmocka_unit_test(joint_frames_meet),
      cmocka_unit_test(every_axis_makes_a_frame),
      cmocka_unit_test(planar_joints_have_planar_frames),
      cmocka_unit_test(names_of_joints_avoid_each_other),
      cmocka_unit_test(springs_take_their_length_at_time_zero),
      cmocka_unit_test(joints_and_springs_are_told_again),
      cmocka_unit_test(laws_have_their_order),
      cmocka_unit_test(rules_combine),
      cmocka_unit_test(ellipsoids_and_directions_combine),
      cmocka_unit_test(models_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
