// Robots: what URDF files become, held against MuJoCo, closed forms and the sizes that others report.
#include "touchstone/urdf.h"

#include "model/model.h"
#include "model_compare.h"
#include "scratch_folder.h"
#include "shared_data.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROBOTS        TEST_DATA "/urdf/"
#define SHARED_ROBOTS SHARED_DATA "/data/models/"

static ts_scene *read_robot(const char *path, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  if (ts_urdf_read(path, options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
  return scene;
}

static ts_scene *parse_robot(const char *text, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  if (ts_urdf_parse(text, strlen(text), "robot.urdf", options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, text);
  return scene;
}

static void assert_refused(const char *text, const ts_urdf_options *options, const char *words, int line)
{
  ts_scene *scene = (ts_scene *)&scene;
  ts_error error = {0};
  const ts_status status = ts_urdf_parse(text, strlen(text), "robot.urdf", options, NULL, 0, &scene, &error);
  if (status == TS_OK) fail_msg("accepted:\n%s", text);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != line || error.column < 1) fail_msg("%d:%d: %s", error.line, error.column, error.text);
}

static ts_urdf_options with_base(ts_urdf_base base)
{
  ts_urdf_options options = ts_urdf_options_default();
  options.base = base;
  return options;
}

static void assert_near(double value, double expected, double tolerance, const char *what)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%s: %.15g, not %.15g", what, value, expected);
}

static int find_joint(const ts_model *model, const char *name)
{
  for (int i = 0; i < model->joint_count; ++i)
    if (strcmp(model->joints[i].name, name) == 0) return i;
  fail_msg("no joint '%s'", name);
  return -1;
}

static const ts_body *find_body(const ts_scene *scene, const char *name)
{
  const ts_model *model = ts_scene_model(scene);
  const int body = ts_model_find_body(model, name);
  if (body < 0) fail_msg("no body '%s'", name);
  return &model->bodies[body];
}

// ---- against MuJoCo ------------------------------------------------------------------------------------------------

static void compare_body(const ts_scene *scene, const char *name, const double expected[10])
{
  const ts_body *body = find_body(scene, name);
  const ts_mat3 R = ts_quat_matrix(body->pose.orientation), I = ts_mat3_rotate(&R, &body->inertia);
  const ts_vec3 at = body->pose.position;
  const double found[] = {body->mass, at.x, at.y, at.z, I.x.x, I.y.y, I.z.z, I.x.y, I.x.z, I.y.z};
  // MuJoCo keeps inertias by principal axes, which it finds to eight digits
  for (int i = 0; i < 10; ++i) assert_near(found[i], expected[i], i < 4 ? 1e-11 : 1e-8, name);
}

static void compare_joint(const ts_scene *scene, const char *name, const double expected[6])
{
  const ts_model *model = ts_scene_model(scene);
  const ts_joint *joint = &model->joints[find_joint(model, name)];
  const ts_pose outer = joint->parent == TS_WORLD ? ts_pose_identity() : model->bodies[joint->parent].pose;
  const ts_pose frame = ts_pose_compose(&outer, &joint->frame[0]);
  const ts_vec3 axis = ts_quat_rotate(frame.orientation, (ts_vec3){0.0, 0.0, 1.0}),
                anchor = {expected[0], expected[1], expected[2]};
  const ts_vec3 wanted = {expected[3], expected[4], expected[5]};
  assert_near(ts_length(ts_sub(axis, wanted)), 0.0, 1e-11, name);
  assert_near(ts_length(ts_cross(ts_sub(frame.position, anchor), wanted)), 0.0, 1e-11, name); // anywhere on the axis
}

static void compare_line(const ts_scene *scene, const char *line, int *compared)
{
  char name[100];
  double v[10];
  if (sscanf(line, "joint %99s %lf %lf %lf %lf %lf %lf", name, v, v + 1, v + 2, v + 3, v + 4, v + 5) == 7) {
    compare_joint(scene, name, v);
  } else {
    const int count = sscanf(line, "%99s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", name, v, v + 1, v + 2, v + 3, v + 4,
                             v + 5, v + 6, v + 7, v + 8, v + 9);
    assert_int_equal(count, 11);
    compare_body(scene, name, v);
  }
  ++*compared;
}

// A robot lies in tests/data, or is the one of an example.
static ts_scene *open_robot(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s%s", strcmp(name, "anymal_b.urdf") == 0 ? EXAMPLES "/anymal_stand/" : ROBOTS, name);
  return read_robot(path, NULL);
}

static void bodies_and_joints_are_those_of_mujoco(void **state)
{
  (void)state;
  FILE *file = fopen(ROBOTS "bodies_mujoco.txt", "r");
  assert_non_null(file);
  char line[400], name[100];
  ts_scene *scene = NULL;
  int compared = 0;
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#') continue;
    if (sscanf(line, "robot %99s", name) == 1) {
      ts_scene_destroy(scene);
      scene = open_robot(name);
    } else if (scene) {
      compare_line(scene, line, &compared);
    }
  }
  ts_scene_destroy(scene);
  fclose(file);
  print_message("%d bodies and joints compared\n", compared);
  assert_true(compared >= 23);
}

// ---- the sizes that others report ----------------------------------------------------------------------------------

// Degrees of freedom and mass with a fixed base; where something is repaired, why a strict reading refuses it, and
// with a free base. Of atlas and humanoid, which MuJoCo refuses, the sums over the file.
typedef struct listed_robot {
  const char *name;
  int velocities;
  double mass, tolerance;
  const char *why, *why_free;
} listed_robot;

static const char no_free_mass[] = "so it cannot be a free base", mended[] = "its inertia must be positive definite";
static const listed_robot listed[] = {
    {"bullet/block.urdf", 0, 0.02, 1e-12, NULL, NULL},
    {"bullet/capsule.urdf", 0, 0.1, 1e-12, NULL, NULL},
    {"bullet/cube_small.urdf", 0, 0.1, 1e-12, NULL, NULL},
    {"bullet/jenga.urdf", 0, 0.05, 1e-12, NULL, NULL},
    {"bullet/sphere_small_zeroinertia.urdf", 0, 0.1, 1e-12, "link 'base_link' has a mass, but its inertia is zero",
     "link 'base_link' has a mass, but its inertia is zero"},
    {"bullet/hinge.urdf", 4, 2.0, 1e-12, NULL, no_free_mass},
    {"bullet/test_joints_MB.urdf", 2, 3.0, 1e-12, NULL, no_free_mass},
    {"bullet/TwoJointRobot_w_fixedJoints.urdf", 2, 2.0, 1e-12, mended, mended},
    {"bullet/cartpole.urdf", 2, 11.0, 1e-12, NULL, no_free_mass},
    {"bullet/humanoid.urdf", 21, 40.84402, 1e-9, NULL, NULL},
    {"urdf_dataset/iiwa14_spheres_collision.urdf", 7, 30.61, 1e-9, NULL, NULL},
    {"urdf_dataset/iiwa14_primitive_collision.urdf", 7, 30.61, 1e-9, NULL, NULL},
    {"urdf_dataset/anymal_b.urdf", 12, 70.61, 5e-3, NULL, NULL},
    {"urdf_dataset/atlas_minimal_contact.urdf", 30, 175.117964, 1e-9, NULL, NULL},
};
enum { LISTED = sizeof listed / sizeof listed[0] };

static void assert_round_trip(const ts_scene *scene, const char *name)
{
  ts_scene *again;
  ts_error error;
  const char *text = ts_scene_text(scene);
  if (ts_scene_parse(text, strlen(text), "again.yaml", NULL, 0, &again, &error) != TS_OK)
    fail_msg("%s: %d:%d: %s", name, error.line, error.column, error.text);
  const char *difference = model_difference(ts_scene_model(scene), ts_scene_model(again));
  if (difference) fail_msg("%s: %s differs", name, difference);
  assert_string_equal(ts_scene_text(again), text);
  ts_scene_destroy(again);
}

static void take_steps(const ts_scene *scene, int count, const char *name)
{
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s: %s", name, error.text);
  for (int i = 0; i < count; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s: step %d: %s", name, i, error.text);
    if (ts_sim_report(sim)->certified == false) fail_msg("%s: step %d is not certified", name, i);
  }
  ts_sim_destroy(sim);
}

static void assert_refused_strictly(ts_urdf_options options, const char *path, const char *why)
{
  ts_scene *scene;
  ts_error error;
  options.strict = true;
  if (ts_urdf_read(path, &options, NULL, 0, &scene, &error) != TS_INVALID) fail_msg("%s: not refused", path);
  if (!strstr(error.text, why)) fail_msg("%s: '%s' does not say '%s'", path, error.text, why);
  assert_true(error.line > 0 && error.column > 0);
  assert_null(scene);
}

static void check_listed(const listed_robot *robot, const char *path)
{
  if (robot->why) assert_refused_strictly(ts_urdf_options_default(), path, robot->why);
  ts_scene *scene = read_robot(path, NULL);
  const ts_urdf_summary summary = ts_scene_urdf_summary(scene);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(summary.velocities, robot->velocities);
  assert_int_equal(ts_model_dof_count(model) - ts_model_bilateral_count(model), robot->velocities);
  assert_near(summary.mass, robot->mass, robot->tolerance, path);
  assert_round_trip(scene, path);
  ts_scene_destroy(scene);
}

static void drop_listed(const listed_robot *robot, const char *path)
{
  ts_urdf_options options = with_base(TS_BASE_FREE);
  options.floor = true;
  if (robot->why_free) assert_refused_strictly(options, path, robot->why_free);
  ts_scene *scene = read_robot(path, &options);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, robot->velocities + 6);
  assert_int_equal(ts_model_dof_count(model) - ts_model_bilateral_count(model), robot->velocities + 6);
  assert_round_trip(scene, path);
  take_steps(scene, 60, path); // it meets the floor after 14
  ts_scene_destroy(scene);
}

static void all_robots_have_the_listed_sizes(void **state)
{
  (void)state;
  for (int i = 0; i < LISTED; ++i) {
    char path[512];
    snprintf(path, sizeof path, SHARED_ROBOTS "%s", listed[i].name);
    check_listed(&listed[i], path);
    drop_listed(&listed[i], path);
  }
}

// The same of those that come with the tests.
static void robots_of_the_tests_have_the_listed_sizes(void **state)
{
  (void)state;
  int found = 0;
  for (int i = 0; i < LISTED; ++i) {
    char path[512];
    snprintf(path, sizeof path, ROBOTS "%s", strchr(listed[i].name, '/') + 1);
    FILE *file = fopen(path, "rb");
    if (!file) continue;
    fclose(file);
    check_listed(&listed[i], path);
    ++found;
  }
  assert_int_equal(found, 5);
}

static void mjcf_is_refused(void **state)
{
  (void)state;
  assert_refused("<!-- a comment -->\n<mujoco model=\"x\"/>", NULL, "this is an MJCF file", 2);
  assert_refused("<sdf version=\"1.6\"/>", NULL, "the root of a URDF file is 'robot', not 'sdf'", 1);
}

static void all_mjcf_files_are_refused(void **state)
{
  (void)state;
  static const char *const names[] = {"bullet/half_cheetah.xml", "bullet/hopper.xml", "mujoco/car.xml",
                                      "mujoco/humanoid.xml",     "mujoco/arm26.xml",  "mujoco/newton_cradle.xml"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char path[512];
    snprintf(path, sizeof path, SHARED_ROBOTS "%s", names[i]);
    ts_scene *scene;
    ts_error error;
    assert_int_equal(ts_urdf_read(path, NULL, NULL, 0, &scene, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "this is an MJCF file"));
  }
}

// ---- links and bodies ----------------------------------------------------------------------------------------------

#define MASS(m) "<inertial><mass value='" m "'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define BALL(r) "<collision><geometry><sphere radius='" r "'/></geometry></collision>"
#define HINGE(name, parent, child, more)                                                                               \
  "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"
#define WELD(name, parent, child, more)                                                                                \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"

static void fixed_links_become_one_body(void **state)
{
  (void)state;
  ts_scene *scene =
      parse_robot("<robot name='r'>\n<link name='a'/>\n<link name='b'>" MASS("2")
                      BALL("1") "</link>\n"
                                "<link name='c'/>\n<link name='d'>" MASS("1") "</link>\n" HINGE("h", "a", "b", "")
                                    WELD("w", "b", "c", "<origin xyz='0 0 3'/>")
                                        WELD("v", "c", "d", "<origin xyz='3 0 0' rpy='1 2 3'/>") "</robot>",
                  NULL);
  const ts_body *body = find_body(scene, "b");
  assert_int_equal(ts_model_body_count(ts_scene_model(scene)), 2);
  assert_near(body->mass, 3.0, 0.0, "mass");
  assert_near(body->centre.x, 1.0, 1e-15, "centre");
  assert_near(body->centre.z, 1.0, 1e-15, "centre");
  // two bodies of inertia 1 at a distance of 3 sqrt 2, reduced mass 2/3: 12 more across the line between them
  assert_near(body->inertia.y.y, 14.0, 1e-13, "inertia");
  assert_near(body->inertia.x.x, 8.0, 1e-13, "inertia");
  assert_near(body->inertia.x.z, -6.0, 1e-13, "inertia");
  const ts_urdf_link link = ts_scene_urdf_link(scene, 3);
  assert_string_equal(link.name, "d");
  assert_string_equal(link.body, "b");
  assert_near(link.pose.position.x, 3.0, 0.0, "pose");
  assert_near(link.pose.position.z, 3.0, 0.0, "pose");
  ts_scene_destroy(scene);
}

#define DAMPED(axis) "<axis xyz='" axis "'/><dynamics damping='2'/>"

// A cross without a mass on a free base, massless frames fixed to it, and three damped axes: steps are in minimal
// coordinates, and of the robot written down again too.
static void links_without_mass_between_joints_move(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name='r'><link name='a'>" MASS("3") "</link><link name='b'/><link name='f'/><link name='c'>" MASS(
          "1") "</link>" HINGE("h", "a", "b", "<axis xyz='0 0 1'/>") WELD("w", "b", "f", "")
          HINGE("i", "f", "c", "<axis xyz='0 1 0'/>") "<link name='d'/><link name='e'/><link name='g'>" MASS(
              "1") "</link>" HINGE("j", "a", "d", DAMPED("0 0 1")) HINGE("k", "d", "e", DAMPED("0 1 0"))
              HINGE("l", "e", "g", DAMPED("1 0 0")) "</robot>";
  const ts_urdf_options free_base = with_base(TS_BASE_FREE);
  ts_scene *scene = parse_robot(text, &free_base);
  assert_int_equal(ts_scene_options(scene)->coordinates, TS_COORDINATES_MINIMAL);
  assert_near(find_body(scene, "b")->mass, 0.0, 0.0, "mass");
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, 6 + 5);
  assert_near(ts_scene_urdf_summary(scene).mass, 5.0, 0.0, "mass");
  assert_round_trip(scene, "massless links");
  take_steps(scene, 50, "massless links");
  ts_scene_destroy(scene);
  scene = read_robot(ROBOTS "every_element.urdf", NULL);
  assert_int_equal(ts_scene_options(scene)->coordinates, TS_COORDINATES_REDUNDANT);
  ts_scene_destroy(scene);
}

static void the_density_gives_a_mass_where_there_is_none(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name='r'>\n<link name='a'/><link name='b'>" BALL("0.1") "</link>\n" HINGE("h", "a", "b", "") "</robot>";
  ts_urdf_options options = ts_urdf_options_default();
  options.density = 500.0;
  ts_scene *scene = parse_robot(text, &options);
  const double mass = 500.0 * 4.0 / 3.0 * TS_PI * 1e-3;
  assert_near(find_body(scene, "b")->mass, mass, 1e-12, "mass");
  assert_near(find_body(scene, "b")->inertia.x.x, 0.4 * mass * 0.01, 1e-14, "inertia");
  assert_near(ts_scene_urdf_summary(scene).derived_mass, mass, 1e-12, "derived");
  ts_scene_destroy(scene);
}

// Moments 1, 1 and 2.02, which no body has, about turned axes: the smaller ones become 1.01, the largest stays.
static void rounded_inertias_are_mended(void **state)
{
  (void)state;
  const ts_urdf_options free_base = with_base(TS_BASE_FREE);
  ts_scene *scene = parse_robot("<robot name='r'><link name='a'><inertial><origin rpy='0.4 0.5 0.6'/><mass value='1'/>"
                                "<inertia ixx='1.51' iyy='1' izz='1.51' ixz='0.51'/></inertial></link></robot>",
                                &free_base);
  const ts_mat3 I = find_body(scene, "a")->inertia;
  const ts_quat turn = ts_quat_roll_pitch_yaw((ts_vec3){0.4, 0.5, 0.6});
  const double h = sqrt(0.5);
  const ts_vec3 axes[] = {{h, 0.0, h}, {0.0, 1.0, 0.0}, {h, 0.0, -h}};
  const double moments[] = {2.02, 1.01, 1.01};
  for (int i = 0; i < 3; ++i) {
    const ts_vec3 axis = ts_quat_rotate(turn, axes[i]), product = ts_mul(&I, axis);
    assert_near(ts_length(ts_sub(product, ts_scale(moments[i], axis))), 0.0, 1e-12, "principal axis");
  }
  ts_scene_destroy(scene);
}

static void a_sphere_of_radius_0_is_a_point(void **state)
{
  (void)state;
  ts_scene *scene = parse_robot("<robot name='r'><link name='a'>" BALL("0") "</link></robot>", NULL);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_part_count(model), 1);
  assert_int_equal(ts_model_part_shape(model, 0)->kind, TS_SHAPE_POINT);
  ts_scene_destroy(scene);
}

static void overlapping_links_do_not_collide(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'><link name='a'>" BALL("1") "</link><link name='b'>" BALL(
      "1") "</link>"
           "<link name='c'>" BALL("1") "</link><link name='d'>" BALL("1") "</link>" HINGE("h", "a", "b",
                                                                                          "<origin xyz='1 0 0'/>")
               HINGE("i", "b", "c", "<origin xyz='0.5 0 0'/>") HINGE("k", "c", "d", "<origin xyz='2 0 0'/>") "</robot>";
  ts_scene *scene = parse_robot(text, NULL);
  const ts_model *model = ts_scene_model(scene);
  ts_contact_law law;
  assert_int_equal(ts_scene_urdf_summary(scene).separated, 1); // a and c; b and d touch without overlap
  assert_false(ts_model_contact_law(model, 0, 2, &law));
  assert_true(ts_model_contact_law(model, 0, 3, &law));
  assert_true(ts_model_contact_law(model, 1, 3, &law));
  ts_scene_destroy(scene);
}

// ---- base and floor ------------------------------------------------------------------------------------------------

static double height_of_lowest_point(const ts_scene *scene)
{
  const ts_model *model = ts_scene_model(scene);
  double lowest = INFINITY;
  const ts_shape floor = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
  const ts_pose identity = ts_pose_identity();
  for (int i = 0; i < ts_model_part_count(model); ++i) {
    if (ts_model_body_kind(model, ts_model_part_body(model, i)) != TS_DYNAMIC) continue;
    const ts_body *body = &model->bodies[ts_model_part_body(model, i)];
    const ts_pose inner = ts_model_part_pose(model, i);
    ts_pose origin = body->pose;
    origin.position = ts_sub(origin.position, ts_quat_rotate(origin.orientation, body->centre));
    const ts_pose pose = ts_pose_compose(&origin, &inner);
    ts_separation separation;
    assert_int_equal(ts_shape_distance(ts_model_part_shape(model, i), &pose, &floor, &identity, &separation, NULL),
                     TS_OK);
    lowest = fmin(lowest, separation.gap);
  }
  return lowest;
}

static void a_free_robot_starts_just_above_the_floor(void **state)
{
  (void)state;
  ts_urdf_options options = with_base(TS_BASE_FREE);
  options.floor = true;
  options.pose.position = (ts_vec3){3.0, 4.0, 50.0};
  options.pose.orientation = ts_quat_roll_pitch_yaw((ts_vec3){0.3, 0.4, 0.5});
  ts_scene *scene = read_robot(ROBOTS "every_element.urdf", &options);
  assert_near(height_of_lowest_point(scene), 1e-3, 1e-14, "lowest point");
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, 6 + 1 + 1 + 1 + 3 + 3 + 6);
  assert_int_equal(ts_model_body_kind(ts_scene_model(scene), ts_model_find_body(ts_scene_model(scene), "floor")),
                   TS_FIXED);
  assert_round_trip(scene, "every_element.urdf");
  ts_scene_destroy(scene);
}

// Where moving links begin below the ground the floor is put under them; what is fixed may stand in it.
static void a_floor_goes_under_a_fixed_robot(void **state)
{
  (void)state;
  static const double heights[] = {2.0, 0.0, -0.94}, floors[] = {0.0, 0.0, -0.94 - 0.1 - 1e-3};
  for (int k = 0; k < 3; ++k) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='base'>" BALL("5") "</link><link name='a'>" MASS("1")
                 BALL("0.1") "</link>" HINGE("h", "base", "a", "<origin xyz='0 0 %g'/>") "</robot>",
             heights[k] + (k == 1 ? 0.1 : 0.0));
    ts_urdf_options options = with_base(TS_BASE_FIXED);
    options.floor = true;
    ts_scene *scene = parse_robot(text, &options);
    const ts_model *model = ts_scene_model(scene);
    for (int i = 0; i < ts_model_part_count(model); ++i)
      if (ts_model_part_shape(model, i)->kind == TS_SHAPE_PLANE)
        assert_near(ts_model_part_shape(model, i)->offset, floors[k], 1e-12, "floor");
    assert_round_trip(scene, "below the ground");
    ts_scene_destroy(scene);
  }
}

static void a_root_called_world_is_the_world(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name='r'><link name='world'/><link name='a'>" MASS("1") "</link><link name='b'>" MASS("1") "</link>" WELD(
          "w", "world", "a", "<origin xyz='0 0 1'/>") HINGE("h", "world", "b", "<origin xyz='0 2 0'/>") "</robot>";
  const ts_urdf_options free_base = with_base(TS_BASE_FREE);
  ts_scene *scene = parse_robot(text, NULL); // what is fixed to the world takes its part
  assert_int_equal(find_body(scene, "a")->kind, TS_FIXED);
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, 1);
  assert_string_equal(ts_scene_urdf_link(scene, 0).body, "a");
  ts_scene_destroy(scene);
  scene = parse_robot(text, &free_base); // or is let go
  assert_int_equal(find_body(scene, "a")->kind, TS_DYNAMIC);
  assert_near(find_body(scene, "a")->pose.position.z, 1.0, 0.0, "place");
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, 6 + 1);
  assert_string_equal(ts_scene_urdf_link(scene, 0).body, "world");
  assert_int_equal(ts_scene_model(scene)->joints[0].parent, TS_WORLD);
  assert_near(ts_scene_model(scene)->joints[0].frame[0].position.y, 2.0, 0.0, "anchor");
  ts_scene_destroy(scene);
  assert_refused("<robot name='r'><link name='a'/>\n<link name='world'/>" WELD("w", "a", "world", "") "</robot>", NULL,
                 "the link 'world' must be the root", 2);
}

static void names_do_not_collide(void **state)
{
  (void)state;
  ts_urdf_options options = ts_urdf_options_default();
  options.floor = true;
  ts_scene *scene =
      parse_robot("<robot name='r'><link name='world'>" BALL("1") "</link><link name='floor'>" MASS(
                      "1") "</link><link name='world_link'>" MASS("1") "</link>" HINGE("h", "world", "floor", "")
                      HINGE("i", "world", "world_link", "") "</robot>",
                  &options);
  assert_int_equal(find_body(scene, "floor_")->kind, TS_FIXED);
  assert_int_equal(find_body(scene, "world_link_")->kind, TS_FIXED);
  assert_string_equal(ts_scene_urdf_link(scene, 0).body, "world_link_");
  ts_scene_destroy(scene);
}

// ---- joints --------------------------------------------------------------------------------------------------------

static void joints_keep_what_the_file_says(void **state)
{
  (void)state;
  ts_scene *scene = read_robot(ROBOTS "every_element.urdf", NULL);
  const ts_model *model = ts_scene_model(scene);
  const ts_urdf_joint shoulder = ts_scene_urdf_joint(scene, 1), rail = ts_scene_urdf_joint(scene, 3);
  assert_string_equal(shoulder.name, "shoulder");
  assert_string_equal(shoulder.type, "revolute");
  const double found[] = {shoulder.lower,    shoulder.upper,   shoulder.start,    shoulder.effort,
                          shoulder.velocity, shoulder.damping, shoulder.friction, rail.start};
  const double expected[] = {-1.0, 2.0, 0.0, 30.0, 4.0, 0.5, 0.25, 0.5};
  for (int i = 0; i < 8; ++i) assert_near(found[i], expected[i], 0.0, "joint");
  assert_true(isinf(ts_scene_urdf_joint(scene, 4).effort) && isinf(ts_scene_urdf_joint(scene, 4).upper));
  const ts_joint *built = &model->joints[find_joint(model, "shoulder")];
  assert_true(built->limited);
  assert_near(built->upper, 2.0, 0.0, "upper");
  assert_int_equal(built->motor.kind, TS_MOTOR_NONE);
  assert_near(built->damping, 0.5, 0.0, "damping");
  assert_near(built->friction, 0.25, 0.0, "friction");
  built = &model->joints[find_joint(model, "rail")]; // counted as in the file
  assert_near(built->lower, 0.5, 0.0, "lower");
  assert_near(built->upper, 1.5, 0.0, "upper");
  assert_near(built->position, 0.5, 0.0, "position");
  assert_int_equal(built->motor.kind, TS_MOTOR_NONE);
  assert_false(model->joints[find_joint(model, "axle")].limited);
  assert_int_equal(model->joint_count, 5); // not the fixed and the floating ones
  ts_scene_destroy(scene);
}

// The rail starts at its lower limit of 0.5 m, the axle at -2 0.5 + 1 = 0.
static void a_joint_that_mimics_follows(void **state)
{
  (void)state;
  ts_scene *scene = read_robot(ROBOTS "every_element.urdf", NULL);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_gear_count(model), 1);
  const ts_gear_def gear = ts_model_gear(model, 0);
  assert_string_equal(ts_model_joint(model, gear.joint).name, "axle");
  assert_int_equal(gear.term_count, 1);
  assert_string_equal(ts_model_joint(model, gear.terms[0].joint).name, "rail");
  assert_true(gear.terms[0].ratio == -2.0 && gear.offset == 1.0);
  const ts_urdf_joint rail = ts_scene_urdf_joint(scene, 3), axle = ts_scene_urdf_joint(scene, 4);
  assert_null(rail.mimics);
  assert_string_equal(axle.mimics, "rail");
  assert_true(axle.multiplier == -2.0 && axle.offset == 1.0);
  ts_sim *sim;
  double rates[2];
  assert_int_equal(ts_sim_create(model, ts_scene_options(scene), NULL, &sim, NULL), TS_OK);
  for (int k = 0; k < 100; ++k) assert_int_equal(ts_sim_step(sim, NULL), TS_OK);
  const double followed = ts_sim_joint_position(sim, gear.terms[0].joint, &rates[0]);
  assert_near(ts_sim_joint_position(sim, gear.joint, &rates[1]), 1.0 - 2.0 * followed, 1e-9, "position");
  assert_true(fabs(rates[1] + 2.0 * rates[0]) < 1e-3 * (1.0 + fabs(rates[0])));
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static void a_held_joint_has_a_brake_of_its_effort(void **state)
{
  (void)state;
  ts_urdf_options options = ts_urdf_options_default();
  options.hold = true;
  ts_scene *scene = read_robot(ROBOTS "every_element.urdf", &options);
  const ts_model *model = ts_scene_model(scene);
  const ts_joint *shoulder = &model->joints[find_joint(model, "shoulder")];
  assert_int_equal(shoulder->motor.kind, TS_MOTOR_VELOCITY);
  assert_near(shoulder->motor.max_force, 30.0, 0.0, "effort");
  assert_near(shoulder->damping, 0.5, 0.0, "damping"); // beside the brake
  assert_true(isinf(model->joints[find_joint(model, "axle")].motor.max_force));
  assert_int_equal(model->joints[find_joint(model, "socket")].motor.kind, TS_MOTOR_NONE);
  ts_scene_destroy(scene);
}

static ts_sim *start_robot(const char *text, const char *const *overrides, int count, ts_scene **scene)
{
  ts_sim *sim;
  ts_error error;
  if (ts_urdf_parse(text, strlen(text), "r", NULL, overrides, count, scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  if (ts_sim_create(ts_scene_model(*scene), ts_scene_options(*scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return sim;
}

// The rate of the first joint after some steps, all of them certified.
static double rate_after(ts_sim *sim, int steps)
{
  ts_error error;
  double rate;
  for (int i = 0; i < steps; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
    assert_true(ts_sim_report(sim)->certified);
  }
  ts_sim_joint_position(sim, 0, &rate);
  return rate;
}

static void end_robot(ts_sim *sim, ts_scene *scene)
{
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// A rotor at 10 rad/s, which is at rest at its stop from 0.9 s on, a turn and a half away.
static void stops_may_be_turns_apart(void **state)
{
  (void)state;
  static const char *const overrides[] = {"h.velocity=10", "step.size=1e-3", "step.coordinates=minimal"};
  ts_scene *scene;
  ts_sim *sim = start_robot("<robot name='r'><link name='a'/><link name='b'>" MASS(
                                "1") "</link><joint name='h' type='revolute'><parent link='a'/><child link='b'/>"
                                     "<limit lower='-9' upper='9'/></joint></robot>",
                            overrides, 3, &scene);
  ts_error error;
  for (int k = 0; k < 1200; ++k) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    const double t = ts_sim_time(sim);
    assert_near(ts_sim_joint_position(sim, 0, NULL), fmin(9.0, 10.0 * t), 1e-8, "angle");
  }
  end_robot(sim, scene);
}

static const char *const both_coordinates[] = {"step.coordinates=redundant", "step.coordinates=minimal"};

// I w' = -d w: after n implicit steps of h the rate is (1 + h d / I)^-n, near exp(-d t / I).
static void damping_slows_a_joint(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'><link name='a'/><link name='b'>" MASS("1") "</link>" HINGE(
      "h", "a", "b", "<dynamics damping='2'/><axis xyz='0 0 1'/>") "</robot>";
  for (int c = 0; c < 2; ++c) {
    const char *const overrides[] = {"gravity=[0, 0, 0]", "h.velocity=1", both_coordinates[c]};
    ts_scene *scene;
    ts_sim *sim = start_robot(text, overrides, 3, &scene);
    const double rate = rate_after(sim, 500);
    assert_near(rate, exp(-1.0), 1e-3, "rate after half a second");
    assert_near(rate, pow(1.0 + 2e-3, -500.0), 1e-10, "rate of implicit steps");
    end_robot(sim, scene);
  }
}

// I w' = -F until w = 0, and then nothing.
static void friction_stops_a_joint(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'><link name='a'/><link name='b'>" MASS("1") "</link>" HINGE(
      "h", "a", "b", "<dynamics friction='2.5'/><axis xyz='0 0 1'/>") "</robot>";
  for (int c = 0; c < 2; ++c) {
    const char *const overrides[] = {"gravity=[0, 0, 0]", "h.velocity=1", both_coordinates[c]};
    ts_scene *scene;
    ts_sim *sim = start_robot(text, overrides, 3, &scene);
    assert_near(rate_after(sim, 300), 1.0 - 2.5 * 0.3, 1e-8, "rate");
    assert_near(rate_after(sim, 200), 0.0, 1e-8, "rate of a stopped joint");
    assert_near(ts_sim_joint_position(sim, 0, NULL), 0.2, 2e-3, "angle"); // w^2 I / (2 F)
    end_robot(sim, scene);
  }
}

// An arm held out level, 2 kg at 0.5 m: gravity's torque m g l is 9.81 N m, and the inertia about the hinge 1 + m l^2 =
// 1.5 kg m^2. A little more friction holds it, half as much lets it fall with half the torque.
static void friction_holds_an_arm_up_to_its_limit(void **state)
{
  (void)state;
#define ARM(friction)                                                                                                  \
  "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0.5 0 0'/><mass value='2'/>"                  \
  "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>" HINGE(                                                        \
      "h", "a", "b", "<axis xyz='0 1 0'/><dynamics friction='" friction "'/>") "</robot>"
  for (int c = 0; c < 2; ++c) {
    ts_scene *scene;
    ts_sim *sim = start_robot(ARM("9.82"), &both_coordinates[c], 1, &scene);
    assert_near(rate_after(sim, 1000), 0.0, 1e-9, "rate of a held arm");
    assert_near(ts_sim_joint_position(sim, 0, NULL), 0.0, 1e-9, "angle of a held arm");
    end_robot(sim, scene);
    sim = start_robot(ARM("4.905"), &both_coordinates[c], 1, &scene);
    assert_near(rate_after(sim, 1), 1e-3 * 4.905 / 1.5, 1e-10, "rate of a falling arm");
    end_robot(sim, scene);
  }
#undef ARM
}

// ---- meshes --------------------------------------------------------------------------------------------------------

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.2 0.3\n";

// The same in centimetres, as faces, the last of them inside.
static const char collada[] =
    "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh><source id='s'>"
    "<float_array id='a' count='15'>0 0 0 100 0 0 0 100 0 0 0 100 10 20 30</float_array>"
    "<technique_common><accessor source='#a' count='5' stride='3'/></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
    "<triangles count='5'><input semantic='VERTEX' source='#v'/><p>0 2 1 0 1 3 0 3 2 1 2 3 0 1 4</p></triangles>"
    "</mesh></geometry></library_geometries></COLLADA>\n";

static void write_text(const char *path, const char *text)
{
  scratch_write(path, text, strlen(text));
}

static void make_folder(scratch_folder *folder, const char *name)
{
  assert_int_equal(mkdir(scratch_path(folder, name), 0755), 0);
}

static ts_status read_with_mesh(scratch_folder *folder, const char *filename, const ts_urdf_options *options,
                                ts_scene **scene, ts_error *error)
{
  char text[400];
  snprintf(text, sizeof text,
           "<robot name='r'>\n<link name='a'><collision><geometry><mesh filename='%s' scale='1 2 -3'/></geometry>"
           "</collision></link></robot>",
           filename);
  return ts_urdf_parse(text, strlen(text), scratch_path(folder, "robots/r.urdf"), options, NULL, 0, scene, error);
}

static void assert_mesh(scratch_folder *folder, const char *filename, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  if (read_with_mesh(folder, filename, options, &scene, &error) != TS_OK) fail_msg("%s: %s", filename, error.text);
  const ts_shape *shape = ts_model_part_shape(ts_scene_model(scene), 0);
  assert_int_equal(shape->vertex_count, 4); // and not the point inside
  double x = 0.0, y = 0.0, z = 0.0;
  for (int i = 0; i < 4; ++i) {
    x = fmax(x, shape->vertices[i].x);
    y = fmax(y, shape->vertices[i].y);
    z = fmin(z, shape->vertices[i].z);
  }
  assert_near(x, 1.0, 0.0, "scaled");
  assert_near(y, 2.0, 0.0, "scaled");
  assert_near(z, -3.0, 0.0, "scaled");
  ts_scene_destroy(scene);
}

static void assert_no_mesh(scratch_folder *folder, const char *filename, const ts_urdf_options *options,
                           const char *words)
{
  ts_scene *scene;
  ts_error error;
  assert_int_not_equal(read_with_mesh(folder, filename, options, &scene, &error), TS_OK);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("%s", error.text);
  assert_true(error.line > 0 && error.column > 0);
}

static void meshes_are_found_by_name(void **state)
{
  scratch_folder *folder = *state;
  make_folder(folder, "robots");
  make_folder(folder, "robots/meshes");
  make_folder(folder, "robots/meshes/deep");
  make_folder(folder, "arms");
  make_folder(folder, "other");
  make_folder(folder, "other/hands");
  write_text(scratch_path(folder, "robots/beside.obj"), tetrahedron);
  write_text(scratch_path(folder, "robots/meshes/inner.OBJ"), tetrahedron);
  write_text(scratch_path(folder, "robots/meshes/deep/deepest.obj"), tetrahedron);
  write_text(scratch_path(folder, "arms/arm.obj"), tetrahedron);
  write_text(scratch_path(folder, "arms/arm.DAE"), collada);
  write_text(scratch_path(folder, "other/hands/hand.obj"), tetrahedron);
  char absolute[200];
  snprintf(absolute, sizeof absolute, "file://%s", scratch_path(folder, "arms/arm.obj"));
  assert_mesh(folder, "beside.obj", NULL);
  assert_mesh(folder, "meshes/inner.OBJ", NULL);
  assert_mesh(folder, "package://robots/beside.obj", NULL);
  assert_mesh(folder, "package://somewhere/else/beside.obj", NULL);
  assert_mesh(folder, "package://somewhere/else/inner.OBJ", NULL);
  assert_mesh(folder, "package://somewhere/else/deepest.obj", NULL);
  assert_mesh(folder, "package://arms/arm.obj", NULL);
  assert_mesh(folder, "package://arms/arm.DAE", NULL);
  assert_mesh(folder, "../arms/arm.obj", NULL);
  assert_mesh(folder, scratch_path(folder, "arms/arm.obj"), NULL);
  assert_mesh(folder, absolute, NULL);
  assert_no_mesh(folder, "package://robot/hand.obj", NULL,
                 "nor in a package folder; name its folder with --package DIR");
  const char *packages[2] = {"nowhere", NULL};
  char other[200];
  snprintf(other, sizeof other, "%s", scratch_path(folder, "other"));
  packages[1] = other;
  ts_urdf_options options = ts_urdf_options_default();
  options.packages = packages;
  options.package_count = 2;
  assert_mesh(folder, "package://hands/hand.obj", &options);
  assert_mesh(folder, "package://robot/palms/hand.obj", &options);
  assert_mesh(folder, "model://hand.obj", &options);
}

// Packages as they are exported: robots in one folder, meshes in another beside it, and names that begin with a folder
// of the latter. Of several files the one of the robot's own folder is meant; a file with more of the name wins over
// it.
static void meshes_of_packages_are_found_above(void **state)
{
  static const char box[] = "v 0 0 0\nv 5 0 0\nv 0 5 0\nv 0 0 5\n";
  scratch_folder *folder = *state;
  static const char *const folders[] = {"robots",   "meshes",        "meshes/r",      "meshes/r/hull",
                                        "meshes/q", "meshes/q/hull", "meshes/q/fine", "meshes/p"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) make_folder(folder, folders[i]);
  write_text(scratch_path(folder, "meshes/r/hull/base.obj"), tetrahedron);
  write_text(scratch_path(folder, "meshes/q/hull/base.obj"), box);
  write_text(scratch_path(folder, "meshes/q/fine/arm.obj"), tetrahedron);
  write_text(scratch_path(folder, "meshes/r/arm.obj"), box);
  write_text(scratch_path(folder, "meshes/q/tool.obj"), box);
  write_text(scratch_path(folder, "meshes/p/tool.obj"), box);
  assert_mesh(folder, "package://hull/base.obj", NULL);
  assert_mesh(folder, "package://fine/arm.obj", NULL);
  assert_no_mesh(folder, "package://hull/tool.obj", NULL,
                 "there are several files that mesh 'package://hull/tool.obj'");
  ts_scene *scene;
  assert_int_equal(read_with_mesh(folder, "package://hull/base.obj", NULL, &scene, NULL), TS_OK);
  int told = 0;
  for (int i = 0; i < ts_scene_note_count(scene); ++i)
    told += ts_scene_note_at(scene, i)->warning &&
            strstr(ts_scene_note_at(scene, i)->text, "the one with the same end of its name was taken") != NULL;
  assert_int_equal(told, 1);
  ts_scene_destroy(scene);
  ts_urdf_options strict = ts_urdf_options_default();
  strict.strict = true;
  assert_no_mesh(folder, "package://hull/base.obj", &strict, "'strict' lets nothing be guessed");
}

static void meshes_are_refused_clearly(void **state)
{
  scratch_folder *folder = *state;
  make_folder(folder, "robots");
  make_folder(folder, "robots/meshes");
  make_folder(folder, "robots/meshes/left");
  make_folder(folder, "robots/meshes/right");
  make_folder(folder, "robots/folder.obj");
  write_text(scratch_path(folder, "robots/meshes/left/hand.obj"), tetrahedron);
  write_text(scratch_path(folder, "robots/meshes/right/hand.obj"), tetrahedron);
  write_text(scratch_path(folder, "robots/a.ply"), "ply\n");
  write_text(scratch_path(folder, "robots/a.dae"), "<COLLADA>\n</COLLADA>");
  write_text(scratch_path(folder, "robots/bad.obj"), "v 1 2 3\nv 1 2\n");
  write_text(scratch_path(folder, "robots/flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  assert_no_mesh(folder, "package://r/hand.obj", NULL, "several files that mesh");
  assert_mesh(folder, "package://r/left/hand.obj", NULL);
  assert_no_mesh(folder, "folder.obj", NULL, "mesh 'folder.obj' lies neither");
  assert_no_mesh(folder, "a.ply", NULL, "must end in .obj, .stl or .dae");
  assert_no_mesh(folder, "a.dae", NULL, "has no triangles");
  assert_no_mesh(folder, "flat.obj", NULL, "4");
  assert_no_mesh(folder, "package://", NULL, "lies neither");
  assert_no_mesh(folder, "/", NULL, "lies neither");
  ts_scene *scene;
  ts_error error;
  assert_int_not_equal(read_with_mesh(folder, "bad.obj", NULL, &scene, &error), TS_OK);
  assert_non_null(strstr(error.file, "bad.obj")); // the trouble is in the mesh
  assert_true(error.line > 0);
}

// ---- robots in scenes ----------------------------------------------------------------------------------------------

static ts_status parse_scene(const char *text, const char *const *overrides, int count, ts_scene **scene,
                             ts_error *error)
{
  *error = (ts_error){0};
  return ts_scene_parse(text, strlen(text), ROBOTS "scene.yaml", overrides, count, scene, error);
}

static void a_scene_may_hold_robots(void **state)
{
  (void)state;
  static const char text[] =
      "touchstone: 1\nbodies: [{name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 9]}]\n"
      "urdf:\n  - {file: cartpole.urdf, name: left, position: [1, 2, 3]}\n"
      "  - {file: cartpole.urdf, name: right, position: [1, 20, 3], orientation: [0, 0, 0, 1]}\n";
  ts_scene *scene;
  ts_error error;
  if (parse_scene(text, NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_urdf_summary summary = ts_scene_urdf_summary(scene);
  assert_int_equal(summary.links, 6);
  assert_int_equal(summary.joints, 4);
  assert_int_equal(summary.velocities, 4);
  assert_near(summary.mass, 22.0, 1e-12, "mass");
  assert_string_equal(ts_scene_urdf_link(scene, 5).body, "right/pole");
  assert_string_equal(ts_scene_urdf_joint(scene, 3).name, "right/cart_to_pole");
  assert_near(find_body(scene, "left/cart")->pose.position.y, 2.0, 0.0, "position");
  compare_joint(scene, "right/slider_to_cart", (const double[]){1.0, 20.0, 3.0, -1.0, 0.0, 0.0}); // turned about z
  assert_round_trip(scene, "scene");
  ts_scene_destroy(scene);
}

// One robot needs no list and no name; overrides reach it before it is read, and its bodies after.
static void overrides_reach_robots(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf: {file: TwoJointRobot_w_fixedJoints.urdf}\n";
  static const char *const overrides[] = {"base_link.mass=7", "urdf.base=free", "urdf.position=[0, 0, 4]"};
  ts_scene *scene;
  ts_error error;
  if (parse_scene(text, overrides, 3, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_near(find_body(scene, "base_link")->mass, 7.0, 0.0, "mass");
  assert_int_equal(ts_scene_urdf_summary(scene).velocities, 8);
  ts_scene_destroy(scene);
}

static void robots_in_scenes_are_checked(void **state)
{
  (void)state;
  static const struct {
    const char *robot, *words;
  } bad[] = {
      {"{}", "a robot needs 'file'"},
      {"{file: nowhere.urdf}", "cannot be read"},
      {"{file: cartpole.urdf, base: loose}", "'base' must be one of"},
      {"{file: cartpole.urdf, bas: free}", "did you mean 'base'?"},
      {"{file: cartpole.urdf, density: -1}", "'density' must be >= 0"},
      {"{file: cartpole.urdf, inertia: loose}", "'inertia' must be one of"},
      {"{file: cartpole.urdf, inertia: [repair]}", "'inertia' must be"},
      {"{file: cartpole.urdf, inertia: repai}", "did you mean 'repair'?"},
      {"{file: cartpole.urdf, missing_meshes: keep}", "'missing_meshes' must be one of"},
      {"{file: cartpole.urdf, missing_meshes: true}", "'missing_meshes' must be one of"},
      {"{file: cartpole.urdf, strict: 2}", "'strict' must be true or false"},
      {"[{file: cartpole.urdf}, {file: cartpole.urdf}]", "there is already a body 'slideBar'"},
      {"[]", "'urdf' must"},
      {"3", "'urdf' must be a map"},
      {"[3]", "must be a map"},
      {"{file: cartpole.urdf}\nspace: 2d", "'urdf'"},
      {"{file: cartpole.urdf}\nbodies: 3", "'bodies' must be"},
      {"{file: cartpole.urdf}\njoints: {a: 1}", "'joints' must be"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[300];
    ts_scene *scene;
    ts_error error;
    snprintf(text, sizeof text, "touchstone: 1\nurdf: %s\n", bad[i].robot);
    if (parse_scene(text, NULL, 0, &scene, &error) == TS_OK) fail_msg("accepted: %s", text);
    if (!strstr(error.text, bad[i].words)) fail_msg("'%s' does not say '%s'", error.text, bad[i].words);
    assert_true(error.line > 0 && error.column > 0);
  }
  ts_scene *scene;
  ts_error error;
  assert_int_not_equal(parse_scene("touchstone: 1\nurdf: {file: cartpole.urdf, base: free, strict: true}\n", NULL, 0,
                                   &scene, &error),
                       TS_OK);
  assert_non_null(strstr(error.file, "cartpole.urdf")); // the trouble is in the robot
  assert_int_equal(error.line, 4);
}

// ---- options -------------------------------------------------------------------------------------------------------

static void options_are_checked(void **state)
{
  (void)state;
  ts_urdf_options bad[9];
  for (int i = 0; i < 9; ++i) bad[i] = ts_urdf_options_default();
  bad[0].cookie = 0;
  bad[1].density = -1.0;
  bad[2].density = NAN;
  bad[3].base = (ts_urdf_base)7;
  bad[4].pose.orientation.w = 2.0;
  bad[5].inertia = TS_INERTIA_COUNT;
  bad[6].inertia = (ts_urdf_inertia)-1;
  bad[7].missing_meshes = TS_MESHES_COUNT;
  bad[8].missing_meshes = (ts_urdf_meshes)-1;
  for (int i = 0; i < 9; ++i) {
    ts_scene *scene = (ts_scene *)&scene;
    ts_error error;
    assert_int_equal(
        ts_urdf_parse("<robot name='r'><link name='a'/></robot>", 40, "r", &bad[i], NULL, 0, &scene, &error),
        TS_INVALID);
    assert_null(scene);
    assert_true(error.text[0] != '\0');
  }
}

static void a_scene_has_no_robot(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nbodies: [{name: a, kind: fixed}]\n";
  ts_scene *scene;
  assert_int_equal(ts_scene_parse(text, strlen(text), "s", NULL, 0, &scene, NULL), TS_OK);
  assert_int_equal(ts_scene_urdf_summary(scene).links, 0);
  ts_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_and_joints_are_those_of_mujoco),
      cmocka_unit_test(robots_of_the_tests_have_the_listed_sizes),
      cmocka_unit_test(mjcf_is_refused),
      cmocka_unit_test(fixed_links_become_one_body),
      cmocka_unit_test(links_without_mass_between_joints_move),
      cmocka_unit_test(the_density_gives_a_mass_where_there_is_none),
      cmocka_unit_test(rounded_inertias_are_mended),
      cmocka_unit_test(a_sphere_of_radius_0_is_a_point),
      cmocka_unit_test(overlapping_links_do_not_collide),
      cmocka_unit_test(a_free_robot_starts_just_above_the_floor),
      cmocka_unit_test(a_floor_goes_under_a_fixed_robot),
      cmocka_unit_test(a_root_called_world_is_the_world),
      cmocka_unit_test(names_do_not_collide),
      cmocka_unit_test(joints_keep_what_the_file_says),
      cmocka_unit_test(a_joint_that_mimics_follows),
      cmocka_unit_test(a_held_joint_has_a_brake_of_its_effort),
      cmocka_unit_test(stops_may_be_turns_apart),
      cmocka_unit_test(damping_slows_a_joint),
      cmocka_unit_test(friction_stops_a_joint),
      cmocka_unit_test(friction_holds_an_arm_up_to_its_limit),
      cmocka_unit_test_setup_teardown(meshes_are_found_by_name, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(meshes_of_packages_are_found_above, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(meshes_are_refused_clearly, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test(a_scene_may_hold_robots),
      cmocka_unit_test(overrides_reach_robots),
      cmocka_unit_test(robots_in_scenes_are_checked),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(a_scene_has_no_robot),
  };
  const struct CMUnitTest shared_tests[] = {
      cmocka_unit_test(all_robots_have_the_listed_sizes),
      cmocka_unit_test(all_mjcf_files_are_refused),
  };
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
