// Contacts of the gear of examples/gear_grasp with its fingers: those of the closed form for outlines and a quadrant.
#include "quadrant.h"
#include "scene_run.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "near.h"

enum { TEETH = 6 };
static const double ROUNDING = 2e-15; // [m]: a hundred roundings of coordinates of 0.1 m

static ts_pose placed(const ts_sim *sim, int part)
{
  const ts_model *model = ts_sim_model(sim);
  const ts_pose body = ts_sim_pose(sim, ts_model_part_body(model, part)), own = ts_model_part_pose(model, part);
  const ts_frame frame = ts_pose_frame(&body);
  return (ts_pose){ts_frame_apply(&frame, own.position), ts_quat_product(body.orientation, own.orientation)};
}

static quadrant tip_of(const ts_sim *sim, const char *finger)
{
  const int body = ts_model_find_body(ts_sim_model(sim), finger);
  const double inward = finger[0] == 'r' ? -1.0 : 1.0;
  return (quadrant){ts_sim_pose(sim, body).position, {{inward, 0.0, 0.0}, {0.0, 1.0, 0.0}}};
}

static const ts_contact *contact_of(const ts_sim *sim, int part, const char *finger)
{
  const int body = ts_model_find_body(ts_sim_model(sim), finger);
  const ts_contact *found = NULL;
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    if (c->part_1 != part && c->part_2 != part) continue;
    if (c->body_1 != body && c->body_2 != body) continue;
    assert_null(found); // outlines are convex: one point a part
    found = c;
  }
  return found;
}

// Whether the nearest point of a part lies inside another part of the gear, so that it is not on the gear's outline
static bool is_inside(const ts_sim *sim, int part, ts_vec3 point)
{
  const ts_model *model = ts_sim_model(sim);
  for (int k = 0; k <= TEETH; ++k) {
    const ts_pose pose = placed(sim, k);
    const ts_frame frame = ts_pose_frame(&pose);
    const ts_vec3 x = ts_frame_unapply(&frame, point);
    const ts_shape *shape = ts_model_part_shape(model, k);
    const double gauge = shape->kind == TS_SHAPE_DISC ? ts_length(x) / shape->radius
                                                      : pow(x.x / shape->size.x, 4) + pow(x.y / shape->size.y, 4);
    if (k != part && gauge < 1.0) return true;
  }
  return false;
}

// All contacts of the present state; returns how many there are. What is within 0.05 mm of a finger, as the goal of the
// grasp counts it, is a contact.
static int check_contacts(ts_sim *sim)
{
  static const char *const fingers[2] = {"right", "left"};
  ts_error error;
  int count = 0, all;
  assert_int_equal(ts_sim_find_contacts(sim, &error), TS_OK);
  for (int side = 0; side < 2; ++side)
    for (int part = 0; part <= TEETH; ++part) {
      const quadrant tip = tip_of(sim, fingers[side]);
      const ts_pose pose = placed(sim, part);
      const ts_separation expected = quadrant_separation(&tip, ts_model_part_shape(ts_sim_model(sim), part), &pose);
      const ts_contact *c = contact_of(sim, part, fingers[side]);
      if (!c) {
        assert_true(expected.gap > 5e-5 || is_inside(sim, part, expected.point_1));
        continue;
      }
      const double sign = c->body_1 == 0 ? 1.0 : -1.0;
      const double turned = ts_distance_of(ts_scale(sign, c->normal), expected.normal);
      // Parts that pass take the normal of where they will be: along it they are less far apart, by R turned^2 / 2.
      if (turned < 1e-9) assert_near(c->gap, expected.gap, ROUNDING);
      assert_true(c->gap <= expected.gap + ROUNDING && c->gap >= expected.gap - 0.0208 * turned * turned - ROUNDING);
      assert_true(turned < 0.01);
      ++count;
    }
  ts_sim_contacts(sim, &all);
  assert_int_equal(count, all);
  return count;
}

static void contacts_are_those_of_support_functions(void **state)
{
  (void)state;
  static const char *const starts[] = {"gear.position=[-0.004, 0.014]", "gear.position=[0, 0.012]",
                                       "gear.position=[0, 0.005]", "gear.position=[0.006, 0.017]"};
  for (int i = 0; i < 4; ++i) {
    const char *const overrides[] = {starts[i], "step.margin=1e-4"};
    scene_run run = scene_run_start(EXAMPLES "/gear_grasp/grasp.yaml", overrides, 2);
    int found = 0;
    for (int k = 1; k <= 400; ++k) {
      scene_run_to(&run, 1e-3 * k);
      found += check_contacts(run.sim);
    }
    assert_true(found > 200);
    scene_run_end(&run);
  }
}

// Starts on the axis: the gear stays there, as everything is as on the other side.
static void a_centred_grasp_is_symmetric(void **state)
{
  (void)state;
  static const char *const overrides[] = {"gear.position=[0, 0.012]"};
  scene_run run = scene_run_start(EXAMPLES "/gear_grasp/grasp.yaml", overrides, 1);
  scene_run_to(&run, 0.8);
  const int gear = scene_run_body(&run, "gear");
  const ts_vec3 at = scene_run_position(&run, "gear"), right = scene_run_position(&run, "right"),
                left = scene_run_position(&run, "left");
  const ts_twist v = ts_sim_velocity(run.sim, gear);
  // The angles of the teeth are printed with six decimals: they are symmetric to 1e-6 of 20.75 mm.
  assert_true(fabs(at.x) < 1e-7 && fabs(ts_sim_angle(run.sim, gear)) < 1e-5 && fabs(right.x + left.x) < 1e-7);
  assert_true(ts_length(v.linear) < 2e-3);
  assert_true(fabs(right.x - 13.73973e-3) < 1e-5); // another program's
  int count;
  const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
  double pushes[2] = {0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    if (c->support) continue;
    const double sign = c->body_1 == gear ? 1.0 : -1.0;
    const double x = sign * (c->impulse[0] * c->normal.x + c->impulse[1] * c->tangent.x);
    pushes[x > 0.0] += x;
  }
  // Both fingers have stopped: what drives them, 5 N for 1 ms, goes into the gear.
  assert_true(fabs(pushes[0] + 5e-3) < 1e-8 && fabs(pushes[1] - 5e-3) < 1e-8);
  scene_run_end(&run);
}

// ---- single runs of another program, to 0.01 mm and 0.001 rad (reference-numbers.md 12) ----

typedef struct grasp {
  const char *start;
  double x, y, theta, right, left; // at the end [mm, rad]
} grasp;

static const grasp grasps[] = {
    {"gear.position=[-0.004, 0.014]", -1.2333, 16.5090, 0.06285, 13.6241, -13.8037},
    {"gear.position=[0, 0.012]", 0.0, 15.54935, 0.0, 13.73973, -13.73973},
};

static void check_grasp(const char *file, const char *const *overrides, int count, const grasp *g, double tolerance)
{
  scene_run run = scene_run_start(file, overrides, count);
  scene_run_to(&run, 0.8);
  const ts_vec3 at = scene_run_position(&run, "gear");
  assert_near(1e3 * at.x, g->x, tolerance);
  assert_near(1e3 * at.y, g->y, tolerance);
  assert_near(ts_sim_angle(run.sim, scene_run_body(&run, "gear")), g->theta, 0.1 * tolerance);
  assert_near(1e3 * scene_run_position(&run, "right").x, g->right, tolerance);
  assert_near(1e3 * scene_run_position(&run, "left").x, g->left, tolerance);
  scene_run_end(&run);
}

static void grasps_end_where_they_should(void **state)
{
  (void)state;
  static const char *const methods[] = {"step={method: stewart-trinkle, size: 1e-4, coordinates: minimal}",
                                        "step={method: implicit, size: 2e-4}"};
  for (size_t i = 0; i < sizeof grasps / sizeof *grasps; ++i)
    for (int k = 0; k < 2; ++k) {
      const char *const overrides[] = {grasps[i].start, methods[k]};
      check_grasp(EXAMPLES "/gear_grasp/grasp.yaml", overrides, 2, &grasps[i], 0.01);
    }
}

// The disc is caught between the fingers, which its friction holds.
static void grasp_jams_on_disc(void **state)
{
  (void)state;
  static const char *const overrides[] = {"gear.position=[0, 0.005]"};
  scene_run run = scene_run_start(EXAMPLES "/gear_grasp/grasp.yaml", overrides, 1);
  scene_run_to(&run, 0.8);
  assert_near(1e3 * scene_run_position(&run, "right").x, 20.139, 0.01);
  scene_run_end(&run);
}

// ---- what the scene yields ----

static double value_of(const ts_watch *watch, const char *result)
{
  const int i = ts_watch_find_result(watch, result);
  assert_true(i >= 0);
  return ts_watch_result(watch, i);
}

// Run it as its conditions say: the time at which it ends, and whether the grasp is a success.
static double take_grasp(const char *const overrides[2], const grasp *g, double *success)
{
  scene_run run = scene_run_start(EXAMPLES "/gear_grasp/grasp.yaml", overrides, 2);
  ts_watch *watch;
  ts_error error;
  assert_int_equal(ts_scene_create_watch(run.scene, &watch, &error), TS_OK);
  assert_int_equal(ts_watch_begin(watch, run.sim, &error), TS_OK);
  while (ts_watch_stopped(watch) < 0 && ts_sim_time(run.sim) < ts_scene_duration(run.scene) - 5e-4) {
    assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
    assert_int_equal(ts_watch_step(watch, run.sim, &error), TS_OK);
  }
  assert_int_equal(ts_watch_end(watch, run.sim, &error), TS_OK);
  *success = value_of(watch, "success");
  if (g) { // in steps of 1 ms
    assert_near(1e3 * value_of(watch, "gear_x"), g->x, 0.02);
    assert_near(1e3 * value_of(watch, "gear_y"), g->y, 0.02);
    assert_near(value_of(watch, "gear_theta"), g->theta, 0.001);
    assert_near(1e3 * value_of(watch, "right_tip"), g->right, 0.02);
    assert_near(1e3 * value_of(watch, "left_tip"), g->left, 0.02);
  }
  const double end = ts_sim_time(run.sim);
  ts_watch_destroy(watch);
  scene_run_end(&run);
  return end;
}

// The outcomes of another program (reference-numbers.md 12), and of a cell of its map where no friction helps: the gear
// is pushed out, and the tips pass each other.
static void grasps_say_whether_they_succeed(void **state)
{
  (void)state;
  static const struct {
    const char *middle[2];
    const grasp *at;
    double success;
  } cases[] = {{{"x=0.004", "y=-0.014"}, &grasps[0], 1.0},
               {{"x=0", "y=-0.012"}, &grasps[1], 1.0},
               {{"x=0", "y=-0.005"}, NULL, 0.0},
               {{"x=0.0075", "y=-0.0195"}, NULL, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double success;
    const double end = take_grasp(cases[i].middle, cases[i].at, &success);
    assert_true(success == cases[i].success);
    // A tip goes at most at 5 N / 50 N s/m, and at first it is at least 10 mm from the teeth.
    assert_true(end > 0.1 && end < 0.5);
  }
}

// ---- outlines of straight sides ----

enum { TEXT_SIZE = 1 << 18 };

static size_t say(char *text, size_t used, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(text + used, TEXT_SIZE - used, format, arguments);
  va_end(arguments);
  assert_true(used < TEXT_SIZE);
  return used;
}

// The corners of a polygon on the outline x = a sign(c) |c|^q, y = b sign(s) |s|^q: q 1 is an ellipse, 1/2 exponent 4.
static size_t say_outline(char *text, size_t used, int sides, double a, double b, double q)
{
  used = say(text, used, "polygon: {vertices: [");
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * TS_PI * (k + 0.5) / sides, c = cos(angle), s = sin(angle);
    used = say(text, used, "%s[%.12g, %.12g]", k > 0 ? ", " : "", a * copysign(pow(fabs(c), q), c),
               b * copysign(pow(fabs(s), q), s));
  }
  return say(text, used, "]}");
}

// The scene of the example with every outline cut into so many sides, at corners exact.
static char *polygon_scene(int sides, ts_vec3 start)
{
  static const double angles[TEETH] = {4.103727, 4.253125, 4.402522, 5.022255, 5.171653, 5.321051};
  char *text = malloc(TEXT_SIZE);
  assert_non_null(text);
  size_t used = say(text, 0,
                    "{touchstone: 1, space: 2.5d, contact: {friction: 0.5}, bodies: [{name: gear, mass: 0.05,"
                    " inertia: 1.07640625e-5, centre: [0, 0], position: [%.9g, %.9g], support: {friction: 0.5, points:"
                    " [[0, 0.012], [-0.010392304845413, -0.006], [0.010392304845413, -0.006]]}, shapes: [{",
                    start.x, start.y);
  used = say_outline(text, used, sides, 0.02075, 0.02075, 1.0);
  for (int k = 0; k < TEETH; ++k) {
    used = say(text, used, "}, {position: [%.14g, %.14g], angle: %.9g, ", 0.02075 * cos(angles[k]),
               0.02075 * sin(angles[k]), angles[k]);
    used = say_outline(text, used, sides, 0.0023, 0.0011, 0.5);
  }
  say(text, used,
      "}]}, {name: right, mass: 0.2, support: none, shapes: [{box: {size: [0.06, 0.06]}, position: [0.03, -0.03]}],"
      " position: [0.034, 0], joint: {type: prismatic, axis: [1, 0], damping: 50, motor: {force: -5}}},"
      "{name: left, mass: 0.2, support: none, shapes: [{box: {size: [0.06, 0.06]}, position: [-0.03, -0.03]}],"
      " position: [-0.034, 0], joint: {type: prismatic, axis: [1, 0], damping: 50, motor: {force: 5}}}],"
      " pairs: [{bodies: [left, right], collide: false}],"
      " step: {method: stewart-trinkle, size: 5e-4, coordinates: minimal, corners: exact}}");
  return text;
}

// By 0.1 mm and less with 200 sides, and nearer with more.
static void polygons_come_near(void **state)
{
  (void)state;
  static const int sides[] = {50, 200};
  double missed[2];
  for (int k = 0; k < 2; ++k) {
    char *text = polygon_scene(sides[k], (ts_vec3){-0.004, 0.014, 0.0});
    scene_run run = scene_run_text(text);
    scene_run_to(&run, 0.8);
    const ts_vec3 at = scene_run_position(&run, "gear");
    missed[k] = hypot(1e3 * at.x - grasps[0].x, 1e3 * at.y - grasps[0].y);
    scene_run_end(&run);
    free(text);
  }
  print_message("%d sides: %.4f mm off, %d sides: %.4f mm\n", sides[0], missed[0], sides[1], missed[1]);
  assert_true(missed[1] <= 0.1 && missed[1] < missed[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_those_of_support_functions),
      cmocka_unit_test(a_centred_grasp_is_symmetric),
      cmocka_unit_test(grasps_end_where_they_should),
      cmocka_unit_test(grasp_jams_on_disc),
      cmocka_unit_test(grasps_say_whether_they_succeed),
      cmocka_unit_test(polygons_come_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
