// Robots as people have them: what is repaired or left out, which one line a kind tells, and what a strict reading
// refuses.
#include "scratch_folder.h"

#include "touchstone/scene.h"
#include "touchstone/urdf.h"

#include "math/vec3.h"
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define INERTIAL(mass, moments) "<inertial><mass value='" mass "'/><inertia " moments "/></inertial>"
#define SPHERICAL               "ixx='1' iyy='1' izz='1'"
#define BALL(r)                 "<collision><geometry><sphere radius='" r "'/></geometry></collision>"
#define BOX(size)               "<collision><geometry><box size='" size "'/></geometry></collision>"
#define JOINT(type, name, parent, child, more)                                                                         \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"
#define HINGE(name, parent, child, more) JOINT("continuous", name, parent, child, more)
#define DAMPED(axis)                     "<axis xyz='" axis "'/><dynamics damping='2'/>"

static ts_urdf_options with_base(ts_urdf_base base)
{
  ts_urdf_options options = ts_urdf_options_default();
  options.base = base;
  return options;
}

static ts_scene *parse(const char *robot, const ts_urdf_options *options)
{
  ts_scene *scene;
  ts_error error;
  if (ts_urdf_parse(robot, strlen(robot), "robot.urdf", options, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, robot);
  return scene;
}

static void assert_refused(const char *robot, const ts_urdf_options *options, const char *words, int line)
{
  ts_scene *scene = (ts_scene *)&scene;
  ts_error error = {0};
  if (ts_urdf_parse(robot, strlen(robot), "robot.urdf", options, NULL, 0, &scene, &error) == TS_OK)
    fail_msg("accepted:\n%s", robot);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != line || error.column < 1) fail_msg("%d:%d: %s", error.line, error.column, error.text);
}

static int count_warnings(const ts_scene *scene, const char *words)
{
  int count = 0;
  for (int i = 0; i < ts_scene_note_count(scene); ++i)
    count += ts_scene_note_at(scene, i)->warning && strstr(ts_scene_note_at(scene, i)->text, words) != NULL;
  return count;
}

// Exactly one warning, which says so.
static void assert_warned(const ts_scene *scene, const char *words)
{
  if (count_warnings(scene, words) != 1 || count_warnings(scene, "") != 1) {
    for (int i = 0; i < ts_scene_note_count(scene); ++i) print_message("%s\n", ts_scene_note_at(scene, i)->text);
    fail_msg("not one warning with '%s'", words);
  }
}

static const ts_body *find_body(const ts_scene *scene, const char *name)
{
  const ts_model *model = ts_scene_model(scene);
  const int body = ts_model_find_body(model, name);
  if (body < 0) fail_msg("no body '%s'", name);
  return &model->bodies[body];
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.15g, not %.15g", value, expected);
}

static void assert_moments(const ts_scene *scene, const char *body, double x, double y, double z)
{
  const ts_mat3 *I = &find_body(scene, body)->inertia;
  assert_near(I->x.x, x, 1e-9 * x);
  assert_near(I->y.y, y, 1e-9 * y);
  assert_near(I->z.z, z, 1e-9 * z);
}

static void take_steps(const ts_scene *scene, int count)
{
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  for (int i = 0; i < count; ++i) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("step %d: %s", i, error.text);
    if (!ts_sim_report(sim)->certified) fail_msg("step %d is not certified", i);
  }
  ts_sim_destroy(sim);
}

// ---- inertia -------------------------------------------------------------------------------------------------------

#define ONE_LINK(moments, shapes)                                                                                      \
  "<robot name='r'>\n<link name='a'><inertial><mass value='12'/>\n<inertia " moments "/></inertial>" shapes            \
  "</link></robot>"

static ts_scene *parse_with(const char *robot, ts_urdf_inertia inertia)
{
  ts_urdf_options options = with_base(TS_BASE_FREE);
  options.inertia = inertia;
  return parse(robot, &options);
}

static void assert_inertia_refused(const char *robot, ts_urdf_inertia inertia, bool strict, const char *words)
{
  ts_urdf_options options = with_base(TS_BASE_FREE);
  options.inertia = inertia;
  options.strict = strict;
  assert_refused(robot, &options, words, 3);
}

// Moments 1, 1 and 2.2: the nearest possible ones, by hand, are 1.1, 1.1 and 2.2, 5.2 % away.
static void a_little_too_much_is_repaired(void **state)
{
  (void)state;
  static const char robot[] = ONE_LINK("ixx='1' iyy='1' izz='2.2'", BOX("1 2 3"));
  static const ts_urdf_inertia repairing[] = {TS_INERTIA_AUTO, TS_INERTIA_REPAIR};
  for (int i = 0; i < 2; ++i) {
    ts_scene *scene = parse_with(robot, repairing[i]);
    assert_moments(scene, "a", 1.1, 1.1, 2.2);
    assert_warned(scene, "link 'a': an inertia that no body has, changed to the nearest possible one, by 5.25 %");
    assert_int_equal(ts_scene_note_at(scene, 0)->line, 3);
    ts_scene_destroy(scene);
  }
  assert_inertia_refused(robot, TS_INERTIA_STRICT, false, "link 'a': its inertia must be positive definite");
  assert_inertia_refused(robot, TS_INERTIA_AUTO, true, "link 'a': its inertia must be positive definite");
  assert_inertia_refused(robot, TS_INERTIA_REPAIR, true, "link 'a': its inertia must be positive definite");
}

// A box of 12 kg with edges 1, 2 and 3 has the moments 13, 10 and 5. Mass and centre stay those of the file.
static void far_too_much_comes_from_the_shapes(void **state)
{
  (void)state;
  static const char *const far[] = {"ixx='1' iyy='1' izz='3'", "ixx='0' iyy='0' izz='0'", "ixx='1' iyy='1' izz='-1'",
                                    "ixx='1' iyy='1' izz='1' ixy='2'"};
  for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) {
    char robot[400];
    snprintf(robot, sizeof robot,
             "<robot name='r'>\n<link name='a'><inertial><origin xyz='7 8 9' rpy='1 2 3'/><mass value='12'/>\n"
             "<inertia %s/></inertial>" BOX("1 2 3") "</link></robot>",
             far[i]);
    for (int k = 0; k < 2; ++k) {
      ts_scene *scene = parse_with(robot, k == 0 ? TS_INERTIA_AUTO : TS_INERTIA_SHAPES);
      assert_warned(scene, "link 'a': an inertia that no body has, taken from the shapes instead");
      assert_moments(scene, "a", 13.0, 10.0, 5.0);
      assert_near(find_body(scene, "a")->mass, 12.0, 0.0);
      assert_near(find_body(scene, "a")->centre.z, 9.0, 1e-12);
      ts_scene_destroy(scene);
    }
    assert_inertia_refused(robot, TS_INERTIA_STRICT, false,
                           i == 1 ? "has a mass, but its inertia is zero" : "positive");
    assert_inertia_refused(robot, TS_INERTIA_AUTO, true, i == 1 ? "has a mass, but its inertia is zero" : "positive");
  }
  ts_scene *scene = parse_with(ONE_LINK("ixx='1' iyy='1' izz='2.2'", BOX("1 2 3")), TS_INERTIA_SHAPES);
  assert_moments(scene, "a", 13.0, 10.0, 5.0);
  ts_scene_destroy(scene);
  scene = parse_with(ONE_LINK("ixx='1' iyy='1' izz='1.5'", BOX("1 2 3")), TS_INERTIA_SHAPES); // a possible one stays
  assert_moments(scene, "a", 1.0, 1.0, 1.5);
  assert_int_equal(ts_scene_note_count(scene), 0);
  ts_scene_destroy(scene);
}

static void without_shapes_it_is_refused(void **state)
{
  (void)state;
  static const char far[] = ONE_LINK("ixx='1' iyy='1' izz='3'", ""),
                    point[] = ONE_LINK("ixx='1' iyy='1' izz='3'", BALL("0"));
  assert_inertia_refused(far, TS_INERTIA_AUTO, false, "--inertia repair takes the nearest");
  assert_inertia_refused(far, TS_INERTIA_SHAPES, false, "--inertia repair takes the nearest");
  assert_inertia_refused(point, TS_INERTIA_AUTO, false, "there are no shapes to take it from");
  ts_scene *scene = parse_with(far, TS_INERTIA_REPAIR);
  assert_moments(scene, "a", 1.5, 1.5, 3.0);
  assert_warned(scene, "changed to the nearest possible one, by 19.2 %"); // sqrt(1/2) of sqrt(27/2)
  ts_scene_destroy(scene);
  assert_inertia_refused(ONE_LINK("ixx='1e308' iyy='1e308' izz='1e308'", ""), TS_INERTIA_REPAIR, false, "positive");
  assert_inertia_refused("<robot name='r'>\n<link name='a'><inertial><mass value='1e-300'/>\n"
                         "<inertia ixx='0' iyy='0' izz='0'/></inertial></link></robot>",
                         TS_INERTIA_REPAIR, false, "positive");
}

// Links that are fixed to it tell how large the body is: here a box of 12 kg again, turned by a quarter.
static void shapes_may_be_those_of_links_fixed_to_it(void **state)
{
  (void)state;
  static const char robot[] =
      "<robot name='r'><link name='a'>" INERTIAL("12", "ixx='1' iyy='1' izz='3'") "</link><link name='b'>" INERTIAL(
          "0", SPHERICAL) BOX("1 2 3") "</link>" JOINT("fixed", "j", "a", "b",
                                                       "<origin xyz='4 0 0' rpy='0 0 1.5707963267948966'/>") "</robot>";
  ts_scene *scene = parse_with(robot, TS_INERTIA_AUTO);
  assert_warned(scene, "taken from the shapes instead");
  assert_moments(scene, "a", 10.0, 13.0, 5.0);
  assert_near(find_body(scene, "a")->centre.x, 0.0, 0.0);
  ts_scene_destroy(scene);
}

// A mass in a point: a ball of its mass and 1000 kg/m^3, here of 0.1 m.
static void a_mass_without_inertia_is_a_ball(void **state)
{
  (void)state;
  static const char robot[] = "<robot name='r'>\n<link name='a'><inertial><mass value='4.1887902047863905'/>\n"
                              "<inertia ixx='0' iyy='0' izz='0'/></inertial></link></robot>";
  const double moment = 0.4 * 4.1887902047863905 * 0.01;
  for (int i = 0; i < 2; ++i) {
    ts_scene *scene = parse_with(robot, i == 0 ? TS_INERTIA_AUTO : TS_INERTIA_REPAIR);
    assert_moments(scene, "a", moment, moment, moment);
    assert_warned(scene, "link 'a': a mass without inertia and shapes, taken for a ball of 1000 kg/m^3");
    ts_scene_destroy(scene);
  }
  assert_inertia_refused(robot, TS_INERTIA_STRICT, false, "link 'a' has a mass, but its inertia is zero");
  assert_inertia_refused(robot, TS_INERTIA_SHAPES, false, "there are no shapes");
}

// ---- masses --------------------------------------------------------------------------------------------------------

#define TIP                                                                                                            \
  "<robot name='r'>\n<link name='a'>" INERTIAL("3", SPHERICAL) "</link>\n<link name='b'>" BALL(                        \
      "0.1") "</link>\n" HINGE("h", "a", "b", "") "</robot>"

static void links_that_need_a_mass_get_one(void **state)
{
  (void)state;
  ts_urdf_options options = with_base(TS_BASE_FREE);
  options.density = 0.0;
  ts_scene *scene = parse(TIP, &options); // a tip; its shapes weigh nothing, by order
  assert_warned(scene, "link 'b': no mass where one is needed, given 0.003 kg");
  const double radius = cbrt(0.003 * 0.75 / (1000.0 * TS_PI));
  assert_near(find_body(scene, "b")->mass, 0.003, 1e-15);
  assert_moments(scene, "b", 0.4 * 0.003 * radius * radius, 0.4 * 0.003 * radius * radius,
                 0.4 * 0.003 * radius * radius);
  assert_near(ts_scene_urdf_summary(scene).mass, 3.003, 1e-12);
  assert_near(ts_scene_urdf_summary(scene).derived_mass, 0.0, 0.0);
  take_steps(scene, 20);
  ts_scene_destroy(scene);
  options.density = 500.0;
  scene = parse("<robot name='r'><link name='a'>" INERTIAL("0", SPHERICAL) BALL("0.1") "</link></robot>", &options);
  assert_warned(scene, "link 'a': no mass where one is needed, taken from the shapes");
  assert_near(find_body(scene, "a")->mass, 500.0 * 4.0 / 3.0 * TS_PI * 1e-3, 1e-12);
  assert_near(ts_scene_urdf_summary(scene).derived_mass, 500.0 * 4.0 / 3.0 * TS_PI * 1e-3, 1e-12);
  ts_scene_destroy(scene);
}

// Of several in a row, every other one; the rest stays as light as it is.
static void a_robot_without_any_mass_moves(void **state)
{
  (void)state;
  static const char robot[] = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
                              "<link name='e'/>" HINGE("h", "a", "b", "<axis xyz='0 1 0'/>")
                                  HINGE("i", "b", "c", "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/>")
                                      HINGE("j", "c", "d", "<origin xyz='0.3 0 0'/><axis xyz='0 1 0'/>")
                                          HINGE("k", "d", "e", "<origin xyz='0.3 0 0'/><axis xyz='0 1 0'/>") "</robot>";
  const ts_urdf_options free_base = with_base(TS_BASE_FREE);
  ts_scene *scene = parse(robot, NULL);
  assert_warned(scene, "2 links ('c', 'e'): no mass where one is needed, given 0.001 kg");
  assert_near(find_body(scene, "b")->mass, 0.0, 0.0);
  assert_near(find_body(scene, "c")->mass, 1e-3, 0.0);
  take_steps(scene, 100);
  ts_scene_destroy(scene);
  scene = parse(robot, &free_base);
  assert_warned(scene, "3 links ('a', 'c', 'e'): no mass where one is needed, given 0.001 kg");
  take_steps(scene, 100);
  ts_scene_destroy(scene);
}

static void a_strict_reading_wants_masses(void **state)
{
  (void)state;
  ts_urdf_options strict = ts_urdf_options_default(), loose = with_base(TS_BASE_FREE);
  strict.strict = loose.strict = true;
  assert_refused("<robot name='r'>\n<link name='a'/></robot>", &loose, "link 'a' has no mass", 2);
  assert_refused("<robot name='r'>\n<link name='a'>" INERTIAL("0", SPHERICAL) BALL("1") "</link></robot>", &loose,
                 "link 'a' has no mass", 2);
  assert_refused("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n" HINGE("h", "a", "b", "") "</robot>", &strict,
                 "link 'b' moves by the joint 'h' but has no mass", 3);
  static const char *const robots[] = {
      "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'>" INERTIAL(
          "1", SPHERICAL) "</link>\n" HINGE("h", "a", "b", "") JOINT("spherical", "i", "b", "c", "") "</robot>",
      "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'>" INERTIAL(
          "1", SPHERICAL) "</link>\n" JOINT("floating", "h", "a", "b", "") HINGE("i", "b", "c", "") "</robot>"};
  for (int i = 0; i < 2; ++i) {
    assert_refused(robots[i], &strict, "a joint about it has several axes", 3);
    ts_scene *scene = parse(robots[i], NULL);
    assert_warned(scene, "link 'b': no mass where one is needed, given 0.001 kg");
    take_steps(scene, 20);
    ts_scene_destroy(scene);
  }
  static const char undamped[] =
      "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n<link name='d'>" INERTIAL(
          "1", SPHERICAL) "</link>\n" HINGE("h", "a", "b", DAMPED("0 0 1")) HINGE("i", "b", "c", DAMPED("0 1 0"))
          HINGE("j", "c", "d", "<axis xyz='1 0 0'/>") "</robot>";
  assert_refused(undamped, &strict, "links 'b' and 'c' have no mass", 4);
  ts_scene *scene = parse(undamped, NULL);
  assert_warned(scene, "link 'c': no mass where one is needed, given 0.001 kg");
  ts_scene_destroy(scene);
}

// ---- what is left out ----------------------------------------------------------------------------------------------

static void assert_repaired(const char *robot, const char *words, const char *strict_words, int line)
{
  ts_urdf_options strict = ts_urdf_options_default();
  strict.strict = true;
  ts_scene *scene = parse(robot, NULL);
  assert_warned(scene, words);
  assert_int_equal(ts_scene_note_at(scene, 0)->line, line);
  ts_scene_destroy(scene);
  assert_refused(robot, &strict, strict_words, line);
}

static void shapes_without_a_size_are_left_out(void **state)
{
  (void)state;
  static const char *const shapes[] = {"<box size='0 1 1'/>",
                                       "<box size='0 0 0'/>",
                                       "<cylinder radius='0' length='1'/>",
                                       "<cylinder radius='1' length='0'/>",
                                       "<capsule radius='0' length='1'/>",
                                       "<capsule radius='0' length='0'/>"};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    char robot[300];
    snprintf(
        robot, sizeof robot,
        "<robot name='r'><link name='a'>" BALL("1") "\n<collision><geometry>%s</geometry></collision></link></robot>",
        shapes[i]);
    assert_repaired(robot, "shape of link 'a': a size of 0, left out", "shape of link 'a': a size of 0", 2);
    ts_scene *scene = parse(robot, NULL);
    assert_int_equal(ts_model_part_count(ts_scene_model(scene)), 1);
    ts_scene_destroy(scene);
  }
  assert_repaired("<robot name='r'>\n<link name='a'>" BOX("0 1 1") BOX("1 0 1") "</link></robot>",
                  "2 shapes of links ('a', ...): a size of 0, left out", "a size of 0", 2);
  ts_scene *scene =
      parse("<robot name='r'><link name='a'><collision><geometry><capsule radius='2' length='0'/></geometry>"
            "</collision></link></robot>",
            NULL);
  assert_int_equal(ts_model_part_shape(ts_scene_model(scene), 0)->kind, TS_SHAPE_SPHERE);
  assert_int_equal(ts_scene_note_count(scene), 0);
  ts_scene_destroy(scene);
}

#define TWO                                                                                                            \
  "<robot name='r'><link name='a'/><link name='b'>" INERTIAL("1", SPHERICAL) "</link><link name='c'>" INERTIAL(        \
      "1", SPHERICAL) "</link>\n"

static void what_joints_lack_is_filled_in(void **state)
{
  (void)state;
  static const char efforts[] = TWO HINGE("h", "a", "b", "<limit effort='-1' velocity='2'/>")
      HINGE("i", "b", "c", "<limit effort='3' velocity='-1'/>") "</robot>";
  assert_repaired(efforts, "2 joints ('h', 'i'): an effort or velocity below 0, taken as not given",
                  "joint 'h': an effort or velocity below 0", 2);
  ts_scene *scene = parse(efforts, NULL);
  const ts_urdf_joint first = ts_scene_urdf_joint(scene, 0), second = ts_scene_urdf_joint(scene, 1);
  assert_true(isinf(first.effort) && first.velocity == 2.0 && second.effort == 3.0 && isinf(second.velocity));
  ts_scene_destroy(scene);
  static const char axes[] = TWO HINGE("h", "a", "b", "<axis/>") HINGE("i", "b", "c", "<axis xyz='0 1 0'/>") "</robot>";
  assert_repaired(axes, "joint 'h': an axis without xyz, taken as 1 0 0", "joint 'h': an axis without xyz", 2);
  scene = parse(axes, NULL);
  assert_near(ts_model_joint(ts_scene_model(scene), 0).axis.x, 1.0, 1e-15);
  ts_scene_destroy(scene);
  scene = parse(TWO JOINT("fixed", "h", "a", "b", "<axis/>") HINGE("i", "b", "c", "") "</robot>", NULL);
  assert_int_equal(ts_scene_note_count(scene), 0); // nobody asks for that axis
  ts_scene_destroy(scene);
}

// The limits of a published gripper: what follows by -1 has the limits of what follows by 1.
#define LED(leader, lower, upper, mimic)                                                                               \
  TWO JOINT("revolute", "lead", "a", "b", "<axis xyz='0 1 0'/><limit " leader " effort='9' velocity='1'/>")            \
      JOINT("revolute", "tip", "b", "c",                                                                               \
            "<axis xyz='0 1 0'/><limit lower='" lower "' upper='" upper "' effort='9' velocity='1'/>"                  \
            "<mimic joint='lead' " mimic "/>") "</robot>"
#define FOLLOWER(lower, upper, ratio) LED("lower='0' upper='0.8'", lower, upper, "multiplier='" ratio "'")

// The last joint follows one that reaches no farther than the first.
#define LIMITED(lower, upper) "<axis xyz='0 1 0'/><limit lower='" lower "' upper='" upper "' effort='9' velocity='1'/>"
#define CHAIN                                                                                                          \
  "<robot name='r'><link name='a'/><link name='b'>" INERTIAL("1", SPHERICAL) "</link><link name='c'>" INERTIAL(        \
      "1", SPHERICAL) "</link><link name='d'>" INERTIAL("1", SPHERICAL) "</link>" JOINT("revolute", "lead", "a", "b",  \
                                                                                        LIMITED("0", "0.8"))           \
      JOINT("revolute", "middle", "b", "c", LIMITED("-1", "1") "<mimic joint='lead'/>")                                \
          JOINT("revolute", "tip", "c", "d", LIMITED("0", "0.8") "<mimic joint='middle'/>") "</robot>"

// Where a steady torque drives the leader.
static double lead_under_torque(const ts_scene *scene)
{
  ts_sim *sim;
  ts_error error;
  const ts_model *model = ts_scene_model(scene);
  const int lead = ts_model_find_joint(model, "lead"), tip = ts_model_find_joint(model, "tip");
  assert_int_equal(ts_sim_create(model, ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  for (int i = 0; i < 400; ++i) {
    assert_int_equal(ts_sim_push_joint(sim, lead, 40.0, &error), TS_OK);
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    assert_true(ts_sim_report(sim)->certified);
    assert_near(ts_sim_joint_position(sim, tip, NULL), -ts_sim_joint_position(sim, lead, NULL), 1e-6);
  }
  const double angle = ts_sim_joint_position(sim, lead, NULL);
  ts_sim_destroy(sim);
  return angle;
}

static void limits_of_followers_come_from_the_leader(void **state)
{
  (void)state;
  static const char robot[] = FOLLOWER("0", "0.8757", "-1");
  assert_repaired(robot,
                  "joint 'tip': limits that contradict the joint it follows, the limits of that joint hold instead",
                  "joint 'tip': limits that contradict the joint it follows", 3);
  ts_scene *scene = parse(robot, NULL);
  assert_false(ts_model_joint(ts_scene_model(scene), 1).limited);
  assert_near(lead_under_torque(scene), 0.8, 1e-6);
  ts_scene_destroy(scene);
}

// A limit that cuts the range of the leader contradicts it, however much it leaves; the follower reaches what the
// leader, its ratio and its offset say.
static void limits_that_cut_the_leader_contradict_it(void **state)
{
  (void)state;
  static const struct {
    const char *robot;
    double lower, upper;
  } cut[] = {
      {FOLLOWER("-0.02", "0.8757", "-1"), -0.8, 0.0}, // leaves 2.5 %
      {FOLLOWER("0.1", "0.2", "1"), 0.0, 0.8},
      {FOLLOWER("0", "0.5", "1"), 0.0, 0.8},
      {FOLLOWER("-0.3", "0", "-1"), -0.8, 0.0},
      {LED("lower='0' upper='1e16'", "0", "0.8757", "multiplier='-1'"), -INFINITY, 0.0},
      {LED("lower='0' upper='0.8'", "0", "0.8", "multiplier='1' offset='0.5'"), 0.5, 1.3},
      {LED("lower='0' upper='0.8'", "0", "1.6", "multiplier='-2' offset='0.1'"), -1.5, 0.1},
  };
  for (size_t k = 0; k < sizeof cut / sizeof cut[0]; ++k) {
    assert_repaired(cut[k].robot,
                    "joint 'tip': limits that contradict the joint it follows, the limits of that joint hold instead",
                    "joint 'tip': limits that contradict the joint it follows", 3);
    ts_scene *scene = parse(cut[k].robot, NULL);
    const ts_urdf_joint tip = ts_scene_urdf_joint(scene, 1);
    assert_false(ts_model_joint(ts_scene_model(scene), 1).limited);
    assert_true(fabs(tip.lower - cut[k].lower) <= 1e-15 || tip.lower == cut[k].lower);
    assert_near(tip.upper, cut[k].upper, 1e-15);
    ts_scene_destroy(scene);
  }
}

// A leader that turns freely has no range; one that follows in turn reaches no farther than its own leader.
static void limits_that_hold_the_range_of_the_leader_stay(void **state)
{
  (void)state;
  static const char *const fits[] = {
      FOLLOWER("-0.8757", "0", "-1"),
      FOLLOWER("0", "0.8", "1"),
      LED("lower='-1e16' upper='1e16'", "0", "0.5", "multiplier='1'"),
      LED("lower='0' upper='0.8'", "0", "0.8", "multiplier='-1' offset='0.8'"),
      LED("lower='0' upper='0.8'", "0.5", "1.3", "multiplier='1' offset='0.5'"),
  };
  for (size_t k = 0; k < sizeof fits / sizeof fits[0]; ++k) {
    ts_scene *scene = parse(fits[k], NULL);
    assert_int_equal(ts_scene_note_count(scene), 0);
    assert_true(ts_model_joint(ts_scene_model(scene), 1).limited);
    ts_scene_destroy(scene);
  }
  ts_scene *scene = parse(CHAIN, NULL);
  assert_int_equal(ts_scene_note_count(scene), 0);
  ts_scene_destroy(scene);
}

static void names_are_counted(void **state)
{
  (void)state;
  char robot[4000];
  int used = snprintf(robot, sizeof robot, "<robot name='r'><link name='root'/>");
  for (int i = 0; i < 4; ++i)
    used += snprintf(
        robot + used, sizeof robot - (size_t)used,
        "<link name='arm%d'>" INERTIAL("1", "ixx='1' iyy='1' izz='2.%d'") "</link>" HINGE("j%d", "root", "arm%d", ""),
        i, i + 1, i, i);
  snprintf(robot + used, sizeof robot - (size_t)used, "</robot>");
  ts_scene *scene = parse(robot, NULL);
  assert_warned(scene, "4 links ('arm0', 'arm1', 'arm2', ...): an inertia that no body has, changed to the nearest "
                       "possible one, by up to 9.62 %");
  ts_scene_destroy(scene);
}

// ---- meshes --------------------------------------------------------------------------------------------------------

static void write_robot(scratch_folder *folder, const char *meshes)
{
  char robot[1000];
  snprintf(robot, sizeof robot, "<robot name='r'>\n<link name='a'>" BALL("1") "%s</link></robot>", meshes);
  scratch_write(scratch_path(folder, "robot.urdf"), robot, strlen(robot));
}

#define MESH(name) "<collision><geometry><mesh filename='" name "'/></geometry></collision>"

static ts_status read_robot(scratch_folder *folder, ts_urdf_meshes missing, bool strict, ts_scene **scene,
                            ts_error *error)
{
  ts_urdf_options options = ts_urdf_options_default();
  options.missing_meshes = missing;
  options.strict = strict;
  return ts_urdf_read(scratch_path(folder, "robot.urdf"), &options, NULL, 0, scene, error);
}

static void missing_meshes_may_be_skipped(void **state)
{
  ts_scene *scene;
  ts_error error;
  write_robot(*state, MESH("package://p/one.stl") MESH("two.obj") MESH("two.obj"));
  assert_int_equal(read_robot(*state, TS_MESHES_REFUSE, false, &scene, &error), TS_IO);
  assert_non_null(strstr(error.text, "or leave it out with --missing-meshes skip"));
  assert_int_equal(error.line, 2);
  assert_int_equal(read_robot(*state, TS_MESHES_SKIP, true, &scene, &error), TS_IO);
  assert_int_equal(read_robot(*state, TS_MESHES_SKIP, false, &scene, &error), TS_OK);
  assert_warned(scene, "3 meshes ('one.stl', 'two.obj', ...): no such file, left out");
  assert_int_equal(ts_model_part_count(ts_scene_model(scene)), 1);
  ts_scene_destroy(scene);
  static const char in_scene[] = "touchstone: 1\nurdf: {file: robot.urdf, missing_meshes: skip}\n";
  assert_int_equal(
      ts_scene_parse(in_scene, sizeof in_scene - 1, scratch_path(*state, "scene.yaml"), NULL, 0, &scene, &error),
      TS_OK);
  assert_warned(scene, "3 meshes ('one.stl', 'two.obj', ...): no such file, left out");
  ts_scene_destroy(scene);
  write_robot(*state, MESH("bad.obj"));
  scratch_write(scratch_path(*state, "bad.obj"), "", 0); // there, but nothing in it
  assert_int_not_equal(read_robot(*state, TS_MESHES_SKIP, false, &scene, &error), TS_OK);
}

static const char l_shape[] = // two boxes that share a face, as one surface without the roof
    "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
    "f 1 4 3 2\nf 1 6 5 4\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static void hulls_are_counted(void **state)
{
  ts_scene *scene;
  ts_error error;
  scratch_write(scratch_path(*state, "open.obj"), l_shape, sizeof l_shape - 1);
  write_robot(*state, MESH("open.obj") MESH("open.obj"));
  if (read_robot(*state, TS_MESHES_REFUSE, true, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_warned(scene, "2 meshes ('open.obj', ...): not closed, so that the volume is not known, the hull is taken");
  ts_scene_destroy(scene);
  char closed[600];
  snprintf(closed, sizeof closed, "%sf 7 8 9 10\nf 7 10 11 12\n", l_shape);
  scratch_write(scratch_path(*state, "closed.obj"), closed, strlen(closed));
  write_robot(*state, MESH("closed.obj"));
  if (read_robot(*state, TS_MESHES_REFUSE, true, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_warned(scene,
                "mesh 'closed.obj': not convex, filled up to the hull, which has 1.17 times the volume"); // 3.5/3
  ts_scene_destroy(scene);
}

// Files write 1e16 for no limit.
static void limits_of_1e16_are_none(void **state)
{
  (void)state;
  const ts_urdf_options options = with_base(TS_BASE_FIXED);
  ts_scene *scene =
      parse("<robot name='r'><link name='a'/><link name='b'>" INERTIAL("1", SPHERICAL) "</link>\n" JOINT(
                "revolute", "j", "a", "b",
                "<axis xyz='0 1 0'/><limit lower='-1e16' upper='1e16' effort='1' velocity='1'/>") "</robot>",
            &options);
  const ts_model *model = ts_scene_model(scene);
  assert_false(ts_model_joint(model, ts_model_find_joint(model, "j")).limited);
  ts_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_little_too_much_is_repaired),
      cmocka_unit_test(far_too_much_comes_from_the_shapes),
      cmocka_unit_test(without_shapes_it_is_refused),
      cmocka_unit_test(shapes_may_be_those_of_links_fixed_to_it),
      cmocka_unit_test(a_mass_without_inertia_is_a_ball),
      cmocka_unit_test(links_that_need_a_mass_get_one),
      cmocka_unit_test(a_robot_without_any_mass_moves),
      cmocka_unit_test(a_strict_reading_wants_masses),
      cmocka_unit_test(shapes_without_a_size_are_left_out),
      cmocka_unit_test(what_joints_lack_is_filled_in),
      cmocka_unit_test(limits_of_followers_come_from_the_leader),
      cmocka_unit_test(limits_that_cut_the_leader_contradict_it),
      cmocka_unit_test(limits_that_hold_the_range_of_the_leader_stay),
      cmocka_unit_test(limits_of_1e16_are_none),
      cmocka_unit_test(names_are_counted),
      cmocka_unit_test_setup_teardown(missing_meshes_may_be_skipped, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(hulls_are_counted, scratch_folder_set_up, scratch_folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
