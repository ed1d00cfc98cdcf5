// What scenes say of joints and links of robots: where they start, what drives them, what they are made of. Held
// against the kinematics and dynamics of trees, and against closed forms.
#include "touchstone/dynamics.h"
#include "touchstone/sim.h"
#include "touchstone/urdf.h"

#include "model/model.h"
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

#define ROBOTS TEST_DATA "/urdf/"
#define IIWA   "iiwa14_spheres_collision.urdf"

static const char *const coordinates[] = {"minimal", "redundant"};

static ts_status parse(const char *text, ts_scene **scene, ts_error *error)
{
  *error = (ts_error){0};
  return ts_scene_parse(text, strlen(text), ROBOTS "scene.yaml", NULL, 0, scene, error);
}

static ts_scene *read_text(const char *text)
{
  ts_scene *scene;
  ts_error error;
  if (parse(text, &scene, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s in\n%s", error.file, error.line, error.column, error.text, text);
  return scene;
}

// A scene with one robot; `rest` are its keys beside `file`, and whatever else follows on lines of their own.
static ts_scene *read_robot(const char *file, const char *rest)
{
  char text[4000];
  snprintf(text, sizeof text, "touchstone: 1\nurdf:\n  file: %s\n%s\n", file, rest);
  return read_text(text);
}

static ts_sim *start(const ts_scene *scene, const ts_step_options *options)
{
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(ts_scene_model(scene), options ? options : ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return sim;
}

static void step(ts_sim *sim, int count)
{
  ts_error error;
  for (int i = 0; i < count; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
    assert_true(ts_sim_report(sim)->certified);
  }
}

static int joint_of(const ts_scene *scene, const char *name)
{
  const ts_model *model = ts_scene_model(scene);
  for (int i = 0; i < ts_model_joint_count(model); ++i)
    if (strcmp(ts_model_joint(model, i).name, name) == 0) return i;
  fail_msg("no joint '%s'", name);
  return -1;
}

static int body_of(const ts_scene *scene, const char *name)
{
  const int body = ts_model_find_body(ts_scene_model(scene), name);
  if (body < 0) fail_msg("no body '%s'", name);
  return body;
}

static void assert_pose_near(ts_pose a, ts_pose b, double tolerance)
{
  const double sign = a.orientation.w * b.orientation.w + a.orientation.x * b.orientation.x +
                                  a.orientation.y * b.orientation.y + a.orientation.z * b.orientation.z <
                              0.0
                          ? -1.0
                          : 1.0;
  assert_vec_near(a.position, b.position, tolerance);
  assert_near(a.orientation.w, sign * b.orientation.w, tolerance);
  assert_near(a.orientation.x, sign * b.orientation.x, tolerance);
  assert_near(a.orientation.y, sign * b.orientation.y, tolerance);
  assert_near(a.orientation.z, sign * b.orientation.z, tolerance);
}

// ---- where robots start --------------------------------------------------------------------------------------------

enum { IIWA_JOINTS = 7 };
static const double iiwa_q[IIWA_JOINTS] = {0.4, -0.7, 1.1, -1.3, 0.6, 0.9, -2.0};
static const double iiwa_v[IIWA_JOINTS] = {0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.9};

static void write_iiwa(char *text, size_t size, const char *words)
{
  int used = snprintf(text, size, "  joints:\n");
  for (int i = 0; i < IIWA_JOINTS; ++i)
    used += snprintf(text + used, size - (size_t)used, "    iiwa_joint_%d: {position: %.17g, velocity: %.17g}\n", i + 1,
                     iiwa_q[i], iiwa_v[i]);
  snprintf(text + used, size - (size_t)used, "%s", words);
}

static double quadratic_form(const double *M, const double *v, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) sum += v[i] * M[i * n + k] * v[k];
  return sum;
}

// The robot that starts at 0, moved by the kinematics of trees, is where the one stands that starts there.
static void a_robot_starts_where_its_kinematics_say(void **state)
{
  (void)state;
  ts_scene *plain = read_robot(IIWA, "");
  ts_dynamics *tree;
  assert_int_equal(ts_dynamics_create(ts_scene_model(plain), NULL, &tree, NULL), TS_OK);
  assert_int_equal(ts_dynamics_rate_count(tree), IIWA_JOINTS);
  assert_int_equal(ts_dynamics_set(tree, 0.0, iiwa_q, iiwa_v, NULL), TS_OK);
  double M[IIWA_JOINTS * IIWA_JOINTS];
  ts_dynamics_mass_matrix(tree, M);
  for (int c = 0; c < 2; ++c) {
    char words[1000], step_words[60];
    snprintf(step_words, sizeof step_words, "step: {coordinates: %s}", coordinates[c]);
    write_iiwa(words, sizeof words, step_words);
    ts_scene *scene = read_robot(IIWA, words);
    ts_sim *sim = start(scene, NULL);
    for (int b = 0; b < ts_model_body_count(ts_scene_model(scene)); ++b) {
      const ts_twist v = ts_sim_velocity(sim, b), expected = ts_dynamics_velocity(tree, b);
      assert_pose_near(ts_sim_pose(sim, b), ts_dynamics_pose(tree, b), 1e-12);
      assert_vec_near(v.linear, expected.linear, 1e-12);
      assert_vec_near(v.angular, expected.angular, 1e-12);
    }
    for (int i = 0; i < IIWA_JOINTS; ++i) {
      double rate;
      assert_near(ts_sim_joint_position(sim, i, &rate), iiwa_q[i], 1e-12);
      assert_near(rate, iiwa_v[i], 1e-12);
      assert_near(ts_scene_urdf_joint(scene, i + 1).start, iiwa_q[i], 0.0);
    }
    assert_near(ts_sim_start_velocities(sim)->kinetic_given, 0.5 * quadratic_form(M, iiwa_v, IIWA_JOINTS), 1e-12);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
  ts_dynamics_destroy(tree);
  ts_scene_destroy(plain);
}

// Positions of options are those of a scene: the same model, bit for bit.
static void options_have_starts_too(void **state)
{
  (void)state;
  const ts_urdf_start starts[] = {{"iiwa_joint_*", 0.25}, {"iiwa_joint_2", -0.5}};
  ts_urdf_options options = ts_urdf_options_default();
  options.starts = starts;
  options.start_count = 2;
  ts_scene *robot, *scene = read_robot(IIWA, "  joints:\n    iiwa_joint_?: {position: 0.25}\n"
                                             "    iiwa_joint_2: {position: -0.5}\ngravity: [0, 0, -9.81]");
  assert_int_equal(ts_urdf_read(ROBOTS IIWA, &options, NULL, 0, &robot, NULL), TS_OK);
  assert_null(model_difference(ts_scene_model(robot), ts_scene_model(scene)));
  assert_near(ts_scene_urdf_joint(robot, 2).start, -0.5, 0.0);
  ts_scene_destroy(robot);
  ts_scene_destroy(scene);
}

#define LINK(name, shape)                                                                                              \
  "<link name='" name "'>" shape "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define BALL(place) "<collision><origin xyz='" place "'/><geometry><sphere radius='0.1'/></geometry></collision>"
#define JOINT(name, type, parent, child, more)                                                                         \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>"

static ts_scene *parse_urdf(const char *text, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  if (ts_urdf_parse(text, strlen(text), "robot.urdf", options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  return scene;
}

// A ball hangs 1 m below a base of radius 0.1, and is swung up by a quarter turn: then the base is the lowest.
static void a_robot_stands_on_the_floor_as_it_starts(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'>" LINK("base", BALL("0 0 0")) LINK("arm", BALL("0 0 -1"))
      JOINT("swing", "continuous", "base", "arm", "<axis xyz='0 1 0'/>") "</robot>";
  ts_urdf_start up = {"swing", acos(0.0)};
  ts_urdf_options options = ts_urdf_options_default();
  options.base = TS_BASE_FREE;
  options.floor = true;
  ts_scene *hanging = parse_urdf(text, &options);
  options.starts = &up;
  options.start_count = 1;
  ts_scene *swung = parse_urdf(text, &options);
  const ts_model *low = ts_scene_model(hanging), *high = ts_scene_model(swung);
  assert_near(low->bodies[body_of(hanging, "base")].pose.position.z, 1.101, 1e-12);
  assert_near(high->bodies[body_of(swung, "base")].pose.position.z, 0.101, 1e-12);
  ts_scene_destroy(hanging);
  ts_scene_destroy(swung);
}

// What floats is no joint's to move, but starts where the links before it have gone; and what hangs on it goes along.
static void what_floats_starts_where_its_parent_has_gone(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'>" LINK("base", "") LINK("arm", "") LINK("bird", "") LINK("leg", "")
      JOINT("turn", "continuous", "base", "arm", "<axis xyz='0 0 1'/>") JOINT("fly", "floating", "arm", "bird",
                                                                              "<origin xyz='2 0 0'/>")
          JOINT("stretch", "prismatic", "bird", "leg", "<axis xyz='1 0 0'/><limit lower='0' upper='1'/>") "</robot>";
  const ts_urdf_start starts[] = {{"turn", acos(0.0)}, {"stretch", 0.5}};
  ts_urdf_options options = ts_urdf_options_default();
  options.starts = starts;
  options.start_count = 2;
  ts_scene *scene = parse_urdf(text, &options);
  ts_sim *sim = start(scene, NULL);
  assert_vec_near(ts_sim_pose(sim, body_of(scene, "bird")).position, (ts_vec3){0.0, 2.0, 0.0}, 1e-12);
  assert_vec_near(ts_sim_pose(sim, body_of(scene, "leg")).position, (ts_vec3){0.0, 2.5, 0.0}, 1e-12);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// ---- motors --------------------------------------------------------------------------------------------------------

// At rest a servo's spring holds what gravity asks for: stiffness (target - q) = b(q), all counted as in the file.
static void servos_hold_an_arm_where_statics_say(void **state)
{
  (void)state;
  static const double stiffness = 2000.0;
  for (int c = 0; c < 2; ++c) {
    char words[2000];
    int used = snprintf(words, sizeof words, "  joints:\n");
    for (int i = 0; i < IIWA_JOINTS; ++i)
      used += snprintf(words + used, sizeof words - (size_t)used,
                       "    iiwa_joint_%d: {position: %g, motor: {servo: {target: %g, stiffness: %g, damping: 400}}}\n",
                       i + 1, iiwa_q[i], iiwa_q[i] + 0.01, stiffness);
    snprintf(words + used, sizeof words - (size_t)used, "step: {coordinates: %s, size: 0.01}", coordinates[c]);
    ts_scene *scene = read_robot(IIWA, words);
    ts_sim *sim = start(scene, NULL);
    ts_dynamics *tree;
    double b[IIWA_JOINTS];
    step(sim, 2000);
    assert_int_equal(ts_dynamics_create(ts_scene_model(scene), NULL, &tree, NULL), TS_OK);
    assert_int_equal(ts_dynamics_from_sim(tree, sim, NULL), TS_OK);
    ts_dynamics_bias(tree, b);
    assert_true(fabs(b[1]) > 10.0); // there is something to hold
    for (int i = 0; i < IIWA_JOINTS; ++i) {
      double rate;
      const double q = ts_sim_joint_position(sim, i, &rate);
      assert_near(stiffness * (iiwa_q[i] + 0.01 - q), b[i], 1e-7);
      assert_near(rate, 0.0, 1e-9);
    }
    ts_dynamics_destroy(tree);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

// A motor that keeps the rate 0 holds the arm where it was put.
static void brakes_hold_an_arm_where_it_starts(void **state)
{
  (void)state;
  ts_scene *scene = read_robot(IIWA, "  joints:\n    iiwa_joint_*: {position: 0.5, motor: {velocity: {target: 0}}}\n"
                                     "step: {coordinates: minimal}");
  ts_sim *sim = start(scene, NULL);
  step(sim, 200);
  for (int i = 0; i < IIWA_JOINTS; ++i) assert_near(ts_sim_joint_position(sim, i, NULL), 0.5, 1e-12);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// ---- joints that follow --------------------------------------------------------------------------------------------

// A force F on one finger moves two more by gears of 1/2 and -1/4: the mass is m (1 + 1/4 + 1/16).
static void gears_of_the_scene_couple_fingers(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    char words[600];
    snprintf(words, sizeof words,
             "  name: hand\n  joints:\n    slide_1: {position: 0.02, velocity: 0.1, motor: {force: 0.05}}\n"
             "    slide_2: {gear: {joint: slide_1, ratio: 0.5, offset: 0.01}}\n"
             "    slide_3: {gear: [{joint: slide_1, ratio: -0.5, offset: 0.05}, {joint: slide_2, ratio: 0.5}], "
             "limits: {upper: 1}}\n"
             "step: {coordinates: %s}",
             coordinates[c]);
    ts_scene *scene = read_robot("fingers.urdf", words);
    ts_sim *sim = start(scene, NULL);
    double rate;
    assert_near(ts_sim_joint_position(sim, joint_of(scene, "hand/slide_2"), &rate), 0.02, 1e-15);
    assert_near(rate, 0.05, 1e-15);
    assert_near(ts_sim_joint_position(sim, joint_of(scene, "hand/slide_3"), &rate), 0.05, 1e-15);
    assert_near(rate, -0.025, 1e-15);
    step(sim, 200);
    const double a = 0.05 / (0.25 * (1.0 + 0.25 + 0.0625)), h = 1e-3, t = 0.2;
    const double x = 0.02 + 0.1 * t + 0.5 * a * t * (t + h); // of the step's rule, which takes the rate at the end
    assert_near(ts_sim_joint_position(sim, joint_of(scene, "hand/slide_1"), &rate), x, 1e-12);
    assert_near(rate, 0.1 + a * t, 1e-12);
    assert_near(ts_sim_joint_position(sim, joint_of(scene, "hand/slide_2"), NULL), 0.5 * x + 0.01, 1e-9);
    assert_near(ts_sim_joint_position(sim, joint_of(scene, "hand/slide_3"), NULL), -0.25 * x + 0.055, 1e-9);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

// Limits of the file stop the leader of a gear of the scene, but do not lock it.
static void limits_stop_the_leader_of_a_gear(void **state)
{
  (void)state;
  static const char *const ratios[] = {"4", "-1"};
  for (int k = 0; k < 2; ++k) {
    char words[200];
    snprintf(words, sizeof words, "  name: hand\n  joints: {slide_2: {gear: {joint: slide_1, ratio: %s}}}", ratios[k]);
    ts_scene *scene = read_robot("fingers.urdf", words);
    assert_int_equal(ts_scene_note_count(scene), k);
    assert_int_equal(ts_model_joint(ts_scene_model(scene), joint_of(scene, "hand/slide_2")).limited, k == 0);
    ts_scene_destroy(scene);
  }
}

// The axle of every_element.urdf is at 1 - 2 times the rail's place.
static void joints_that_mimic_start_with_the_other(void **state)
{
  (void)state;
  ts_scene *scene = read_robot("every_element.urdf", "  joints: {rail: {position: 0.75}, axle: {position: -0.5}}");
  ts_sim *sim = start(scene, NULL);
  assert_near(ts_sim_joint_position(sim, joint_of(scene, "rail"), NULL), 0.75, 1e-12);
  assert_near(ts_sim_joint_position(sim, joint_of(scene, "axle"), NULL), -0.5, 1e-12);
  assert_near(ts_scene_urdf_joint(scene, 4).start, -0.5, 1e-15);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// ---- what else a scene says ----------------------------------------------------------------------------------------

static void settings_win_over_the_file_and_later_ones_over_earlier(void **state)
{
  (void)state;
  ts_scene *scene = read_robot("every_element.urdf", "  hold: true\n  joints:\n"
                                                     "    '*': {friction: 3, damping: 4}\n"
                                                     "    shoulder: {limits: [0.25, 1], restitution: 0.5, damping: 5, "
                                                     "motor: {velocity: {target: 1, max_force: 9}}}\n");
  const ts_model *model = ts_scene_model(scene);
  const ts_joint_def shoulder = ts_model_joint(model, joint_of(scene, "shoulder"));
  const ts_joint_def rail = ts_model_joint(model, joint_of(scene, "rail"));
  const ts_joint_def table = ts_model_joint(model, joint_of(scene, "table"));
  assert_true(shoulder.friction == 3.0 && shoulder.damping == 5.0 && shoulder.restitution == 0.5);
  assert_true(shoulder.lower == 0.25 && shoulder.upper == 1.0 && shoulder.position == 0.25); // the limit nearest to 0
  assert_true(shoulder.motor.max_force == 9.0 && rail.motor.max_force == 100.0);
  assert_true(rail.friction == 3.0 && rail.damping == 4.0 && table.damping == 0.0);
  const ts_urdf_joint in_file = ts_scene_urdf_joint(scene, 1);
  assert_true(in_file.lower == -1.0 && in_file.damping == 0.5 && in_file.start == 0.25);
  ts_scene_destroy(scene);
}

// Two links without a mass in a row need damping about them, or one gets a mass, which is not strict; the scene's
// counts.
static void damping_of_the_scene_lets_massless_links_be(void **state)
{
  (void)state;
  ts_scene *scene;
  ts_error error;
  static const char plain[] = "touchstone: 1\nurdf: {file: gimbal.urdf, strict: true}\nstep: {coordinates: minimal}\n";
  static const char damped[] = "touchstone: 1\nurdf: {file: gimbal.urdf, strict: true, joints: {'*': {damping: 0.1}}}\n"
                               "step: {coordinates: minimal}\n";
  assert_int_not_equal(parse(plain, &scene, &error), TS_OK);
  assert_non_null(strstr(error.text, "have no mass"));
  if (parse(damped, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  ts_sim *sim = start(scene, NULL);
  step(sim, 10);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static int part_of(const ts_scene *scene, const char *body, int number)
{
  const ts_model *model = ts_scene_model(scene);
  for (int i = 0; i < ts_model_part_count(model); ++i)
    if (ts_model_part_body(model, i) == body_of(scene, body) && number-- == 0) return i;
  return -1;
}

// Palm and pad are one body; a setting of one of them stays with its shapes.
static void settings_of_links_stay_with_their_shapes(void **state)
{
  (void)state;
  ts_scene *scene = read_robot("fingers.urdf", "  links:\n    pad: {material: rubber}\n    finger_?: {mass: 0.75}\n"
                                               "    finger_2: {collide: false}\n"
                                               "materials: [{name: rubber, friction: 0.9}]\ncontact: {friction: 0.1}\n"
                                               "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}, "
                                               "material: rubber, position: [5, 0, 0]}]");
  const ts_model *model = ts_scene_model(scene);
  const int ball = part_of(scene, "ball", 0);
  ts_contact_law law;
  assert_true(ts_model_contact_law(model, part_of(scene, "palm", 1), ball, &law));
  assert_near(law.friction, 0.9, 1e-15);
  assert_true(ts_model_contact_law(model, part_of(scene, "palm", 0), ball, &law));
  assert_true(law.friction != 0.9);
  assert_true(part_of(scene, "finger_1", 0) >= 0 && part_of(scene, "finger_2", 0) < 0);
  const ts_body *finger = &model->bodies[body_of(scene, "finger_2")];
  assert_near(finger->mass, 0.75, 0.0);
  assert_near(finger->inertia.x.x, 0.003, 1e-16); // three times that of the file
  assert_near(ts_scene_urdf_summary(scene).mass, 1.0 + 0.5 + 3 * 0.75, 1e-15);
  ts_scene_destroy(scene);
}

static void what_is_written_reads_back(void **state)
{
  (void)state;
  ts_scene *scene = read_robot(
      "every_element.urdf",
      "  name: arm\n  base: free\n  joints:\n    shoulder: {position: 0.1, velocity: 0.3, damping: 0.7, motor: {servo: "
      "{target: {sum: [{ramp: {from: 0.1, to: 1.3, start: 0.1, end: 0.7}}, {sine: {amplitude: 0.1, frequency: 3}}]}, "
      "stiffness: 33.3, max_force: 7}}}\n    rail: {position: 0.7}\n  links:\n    tip: {material: rubber, mass: 0.9}\n"
      "    arm: {collide: false}\nmaterials: [{name: rubber, friction: 0.9}]");
  ts_scene *again;
  ts_error error;
  const char *text = ts_scene_text(scene);
  if (ts_scene_parse(text, strlen(text), "again.yaml", NULL, 0, &again, &error) != TS_OK) fail_msg("%s", error.text);
  const char *difference = model_difference(ts_scene_model(scene), ts_scene_model(again));
  if (difference) fail_msg("another %s in\n%s", difference, text);
  assert_string_equal(ts_scene_text(again), text);
  ts_scene_destroy(again);
  ts_scene_destroy(scene);
}

static void overrides_reach_joints_of_robots(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nurdf:\n  - {file: fingers.urdf, name: left, position: [1, 0, 0]}\n"
                             "  - {file: fingers.urdf, name: right, joints: {slide_1: {position: 0.01}}}\n";
  static const char *const overrides[] = {"left.joints.slide_1.position=0.02",
                                          "urdf.right.joints.slide_1.position=0.03", "urdf.1.links.pad.collide=false",
                                          "right/slide_2.damping=8"};
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), ROBOTS "scene.yaml", overrides, 4, &scene, &error) != TS_OK)
    fail_msg("%s", error.text);
  assert_near(ts_model_joint(ts_scene_model(scene), joint_of(scene, "left/slide_1")).position, 0.02, 0.0);
  assert_near(ts_model_joint(ts_scene_model(scene), joint_of(scene, "right/slide_1")).position, 0.03, 0.0);
  assert_near(ts_model_joint(ts_scene_model(scene), joint_of(scene, "right/slide_2")).damping, 8.0, 0.0);
  assert_true(part_of(scene, "left/palm", 1) >= 0 && part_of(scene, "right/palm", 1) < 0);
  ts_scene_destroy(scene);
  static const char single[] = "touchstone: 1\nurdf: {file: fingers.urdf, name: hand}\n";
  static const char *const set[] = {"hand.joints.slide_3.position=0.05"};
  assert_int_equal(ts_scene_parse(single, strlen(single), ROBOTS "scene.yaml", set, 1, &scene, &error), TS_OK);
  assert_near(ts_model_joint(ts_scene_model(scene), joint_of(scene, "hand/slide_3")).position, 0.05, 0.0);
  ts_scene_destroy(scene);
  static const char *const wrong[] = {"hnd.joints.slide_3.position=0.05"};
  assert_int_not_equal(ts_scene_parse(single, strlen(single), ROBOTS "scene.yaml", wrong, 1, &scene, &error), TS_OK);
  assert_non_null(strstr(error.text, "there is nothing called 'hnd'"));
}

// ---- bad input -----------------------------------------------------------------------------------------------------

typedef struct bad_setting {
  const char *settings, *words;
  int line; // of the settings, from 1
} bad_setting;

static const bad_setting bad_settings[] = {
    {"  joints: 3", "'joints' must be a map", 1},
    {"  joints: [slide_1]", "'joints' must be a map", 1},
    {"  joints: {slide_1: 3}", "'slide_1' must be a map, not '3'", 1},
    {"  joints: {slide_1: [1]}", "'slide_1' must be a map, not a list", 1},
    {"  joints: {slide_1: }", "'slide_1' must be a map, not nothing", 1},
    {"  joints: {slide_1: {}, slide_1: {}}", "the key 'slide_1' is given twice", 1},
    {"  joints:\n    slide_1: {damping: 1}\n    slde_2: {}", "no joint 'slde_2'; did you mean 'slide_2'?", 3},
    {"  joints: {'slide_[12]': {damping: 1}}", "the robot has no joint 'slide_[12]'", 1},
    {"  joints: {'x*': {damping: 1}}", "the robot has no joint 'x*'", 1},
    {"  joints: {'': {damping: 1}}", "the robot has no joint ''", 1},
    {"  joints: {hand/slide_1: {damping: 1}}", "the robot has no joint 'hand/slide_1'", 1},
    {"  joints: {slide_1: {postion: 1}}", "a joint of a robot has no key 'postion'; did you mean 'position'?", 1},
    {"  joints: {slide_1: {pitch: 1}}", "a joint of a robot has no key 'pitch'", 1},
    {"  joints: {slide_1: {type: fixed}}", "a joint of a robot has no key 'type'", 1},
    {"  joints: {slide_1: {actuator: 1}}", "did you mean 'motor'?", 1},
    {"  joints: {slide_1: {position: up}}", "'position' must be a number", 1},
    {"  joints: {slide_1: {position: 0.2}}", "'slide_1' cannot start at 0.2: its limits are 0 and 0.1", 1},
    {"  joints: {slide_1: {position: -1e-9}}", "'slide_1' cannot start at -1e-09", 1},
    {"  joints: {slide_1: {position: 0, limits: [0.05, 0.1]}}", "cannot start at 0: its limits are 0.05 and 0.1", 1},
    {"  joints: {slide_1: {position: 1e300}}", "'position' must be -1e9 to 1e9", 1},
    {"  joints: {slide_1: {position: .nan}}", "'position' must be a number", 1},
    {"  joints: {slide_1: {velocity: -1e300}}", "'velocity' must be -1e9 to 1e9", 1},
    {"  joints: {slide_1: {limits: [2, 1]}}", "its lower limit 2 must not exceed the upper limit 1", 1},
    {"  joints: {slide_1: {limits: {}}}", "a map of limits needs 'lower' or 'upper'", 1},
    {"  joints: {slide_1: {friction: -1}}", "'friction' must be >= 0", 1},
    {"  joints: {slide_1: {damping: -1}}", "'damping' must be >= 0", 1},
    {"  joints: {slide_1: {restitution: 2}}", "'restitution' must be 0 to 1", 1},
    {"  joints: {slide_1: {motor: {}}}", "a motor needs one of 'force', 'velocity' or 'servo'", 1},
    {"  joints: {slide_1: {motor: {servo: {target: 1}}}}", "a servo needs 'stiffness'", 1},
    {"  joints: {slide_1: {motor: {servo: {target: 1, stiffness: 0}}}}", "a servo needs stiffness or damping", 1},
    {"  joints:\n    slide_1:\n      motor: {servo: {target: {ramp: {to: 1}}, stiffness: 1}}", "a ramp needs 'end'", 3},
    {"  joints: {glue: {damping: 1}}", "joint 'glue' takes no 'damping': revolute, continuous and prismatic", 1},
    {"  joints: {'gl*': {position: 0}}", "joint 'glue' takes no 'position'", 1},
    {"  joints: {slide_1: {gear: {joint: slde_2, ratio: 1}}}", "no joint 'slde_2'; did you mean 'slide_2'?", 1},
    {"  joints: {slide_1: {gear: {joint: glue, ratio: 1}}}", "joint 'glue' cannot be followed: it is not revolute", 1},
    {"  joints: {slide_1: {gear: {joint: slide_1, ratio: 1}}}", "joint 'hand/slide_1'", 1},
    {"  joints: {slide_1: {gear: {joint: slide_2, ratio: 0}}}", "'hand/slide_1'", 1},
    {"  joints:\n    slide_1: {gear: {joint: slide_2, ratio: 1}}\n    slide_2: {gear: {joint: slide_1, ratio: 1}}",
     "its gear makes it follow itself", 0},
    {"  joints:\n    slide_1: {position: 0.05}\n    slide_2: {position: 0, gear: {joint: slide_1, ratio: 1}}",
     "joint 'slide_2' follows 'slide_1' and starts at 0.05 with it, not at 0", 3},
    {"  joints: {slide_1: {gear: {joint: slide_2, ratio: 1, offset: 1e300}}}", "would start at 1e+300", 0},
    {"  joints: {slide_1: {position: 0.05}, slide_2: {gear: {joint: slide_1, ratio: 4}}}", "outside of its limits", 1},
    {"  joints:\n    slide_1: {velocity: 0.1}\n    slide_2: {velocity: 0.3, gear: {joint: slide_1, ratio: 1}}",
     "its velocity is 0.3, but its gear asks for 0.1", 3},
    {"  links: 3", "'links' must be a map", 1},
    {"  links: {pad: rubber}", "'pad' must be a map, not 'rubber'", 1},
    {"  links: {pat: {mass: 1}}", "the robot has no link 'pat'; did you mean 'pad'?", 1},
    {"  links: {'q*': {}}", "the robot has no link 'q*'", 1},
    {"  links: {pad: {material: rubbr}}\nmaterials: [{name: rubber}]", "no material 'rubbr'; did you mean 'rubber'?",
     1},
    {"  links: {pad: {friction: 1}}", "it belongs to 'contact' of the scene, to 'materials' or to 'pairs'", 1},
    {"  links: {pad: {collide: 3}}", "'collide' must be true or false", 1},
    {"  links: {pad: {mass: 0}}", "'mass' must be > 0", 1},
    {"  links: {pad: {shape: 0}}", "a link of a robot has no key 'shape'", 1},
    {"  links: {eye: {mass: 1}}", "link 'eye' takes no 'mass': it has no mass", 1},
    {"  links: {eye: {collide: false}}", "link 'eye' takes no 'collide': it has no shapes", 1},
    {"  links: {'ey?': {material: rubber}}", "link 'eye' takes no 'material': it has no shapes", 1},
};

static void bad_settings_are_refused_where_they_stand(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_settings / sizeof bad_settings[0]; ++i) {
    const bad_setting *bad = &bad_settings[i];
    char text[600];
    ts_scene *scene = (ts_scene *)&scene;
    ts_error error;
    snprintf(text, sizeof text, "touchstone: 1\nurdf:\n  file: fingers.urdf\n  name: hand\n%s\n", bad->settings);
    if (parse(text, &scene, &error) == TS_OK) fail_msg("accepted:\n%s", text);
    assert_null(scene);
    if (!strstr(error.text, bad->words)) fail_msg("'%s' does not say '%s'", error.text, bad->words);
    if (bad->line == 0) continue; // the trouble is in the robot, or in several places
    if (error.file[0] || error.line != bad->line + 4 || error.column < 1)
      fail_msg("%s:%d:%d: %s in\n%s", error.file, error.line, error.column, error.text, text);
  }
}

static void bad_starts_are_refused(void **state)
{
  (void)state;
  static const struct {
    ts_urdf_start start;
    int count;
    const char *words;
  } bad[] = {{{"slide_1", NAN}, 1, "joint 'slide_1': where it starts must be -1e9 to 1e9"},
             {{"slide_1", 1e10}, 1, "joint 'slide_1': where it starts must be"},
             {{"slide_1", 5.0}, 1, "joint 'slide_1' cannot start at 5: its limits are 0 and 0.1"},
             {{"slid_1", 0.0}, 1, "the robot has no joint 'slid_1'; did you mean 'slide_1'?"},
             {{"glue", 0.0}, 1, "joint 'glue' takes no 'position'"},
             {{NULL, 0.0}, 1, "start 0 of a joint has no name"},
             {{"slide_1", 0.0}, -1, "the starts of joints are -1"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    ts_urdf_options options = ts_urdf_options_default();
    ts_scene *scene;
    ts_error error = {0};
    options.starts = &bad[i].start;
    options.start_count = bad[i].count;
    if (ts_urdf_read(ROBOTS "fingers.urdf", &options, NULL, 0, &scene, &error) == TS_OK) fail_msg("%s", bad[i].words);
    if (!strstr(error.text, bad[i].words)) fail_msg("'%s' does not say '%s'", error.text, bad[i].words);
  }
  ts_urdf_options options = ts_urdf_options_default();
  ts_scene *scene;
  options.start_count = 1;
  assert_int_not_equal(ts_urdf_read(ROBOTS "fingers.urdf", &options, NULL, 0, &scene, NULL), TS_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_starts_where_its_kinematics_say),
      cmocka_unit_test(options_have_starts_too),
      cmocka_unit_test(a_robot_stands_on_the_floor_as_it_starts),
      cmocka_unit_test(what_floats_starts_where_its_parent_has_gone),
      cmocka_unit_test(servos_hold_an_arm_where_statics_say),
      cmocka_unit_test(brakes_hold_an_arm_where_it_starts),
      cmocka_unit_test(gears_of_the_scene_couple_fingers),
      cmocka_unit_test(limits_stop_the_leader_of_a_gear),
      cmocka_unit_test(joints_that_mimic_start_with_the_other),
      cmocka_unit_test(settings_win_over_the_file_and_later_ones_over_earlier),
      cmocka_unit_test(damping_of_the_scene_lets_massless_links_be),
      cmocka_unit_test(settings_of_links_stay_with_their_shapes),
      cmocka_unit_test(what_is_written_reads_back),
      cmocka_unit_test(overrides_reach_joints_of_robots),
      cmocka_unit_test(bad_settings_are_refused_where_they_stand),
      cmocka_unit_test(bad_starts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
