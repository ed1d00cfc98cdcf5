// 003 scenario 4 (examples/line_and_surface_contact/cylinder_walks.yaml): kinds of contact in their order, heights,
// obstacles and goal. Kinds and distances are taken from poses and shapes, which the stepper's patches have no part in.
#include "scene_run.h"

#include "touchstone/shape.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

#define SCENE EXAMPLES "/line_and_surface_contact/cylinder_walks.yaml"

enum { POINT, LINE, SURFACE, STEPS = 500 };
static const double H = 0.01, RADIUS = 0.1, LENGTH = 0.3, EXACT = 1e-8;

typedef struct obstacle {
  const char *name;
  ts_vec3 size;
} obstacle;
static const obstacle obstacles[] = {{"wall", {0.1, 0.8, 0.2}}, {"block", {0.25, 0.3, 0.2}}};

static ts_pose pose_of(const scene_run *r, const char *body)
{
  return ts_sim_pose(r->sim, scene_run_body(r, body));
}

static double distance_to(const scene_run *r, const obstacle *other)
{
  const ts_shape cylinder = {.kind = TS_SHAPE_CYLINDER, .radius = RADIUS, .length = LENGTH};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = other->size};
  const ts_pose at = pose_of(r, "cylinder"), there = pose_of(r, other->name);
  ts_separation distance;
  ts_error error;
  assert_int_equal(ts_shape_distance(&cylinder, &at, &box, &there, &distance, &error), TS_OK);
  return distance.gap;
}

// The kind by heights: of the lowest point, which must be on the floor, of the lowest one of the other rim, and of the
// one across on the same rim.
static int kind_of(const scene_run *r)
{
  const ts_pose pose = pose_of(r, "cylinder");
  const ts_vec3 axis = ts_quat_rotate(pose.orientation, ts_vec3_make(0.0, 0.0, 1.0));
  const double across = RADIUS * hypot(axis.x, axis.y), along = 0.5 * LENGTH * fabs(axis.z);
  const double lowest = pose.position.z - along - across;
  assert_near(lowest, 0.0, EXACT);
  if (pose.position.z + along - across < EXACT) return LINE;
  return pose.position.z - along + across < EXACT ? SURFACE : POINT;
}

// The contact with the floor; whatever else is near enough to be a contact must not push.
static const ts_contact *floor_contact(const scene_run *r)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count), *found = NULL;
  for (int k = 0; k < count; ++k)
    if (contacts[k].body_2 == scene_run_body(r, "floor"))
      found = &contacts[k];
    else
      assert_true(contacts[k].impulse[0] == 0.0);
  assert_non_null(found);
  return found;
}

static void kinds_and_heights(void **state)
{
  (void)state;
  static const int order[] = {SURFACE, POINT, LINE, POINT, LINE, POINT, SURFACE};
  static const double heights[] = {[LINE] = 0.1, [SURFACE] = 0.15};
  scene_run r = scene_run_start(SCENE, NULL, 0);
  int at = 0, steps[7] = {0};
  for (int k = 1; k <= STEPS; ++k) {
    scene_run_to(&r, H * k);
    const int kind = kind_of(&r);
    assert_int_equal(floor_contact(&r)->patch, kind);
    assert_int_equal(ts_sim_report(r.sim)->fallbacks, 0);
    assert_int_equal(ts_sim_report(r.sim)->substeps, 1);
    if (kind != order[at]) ++at;
    assert_true(at < 7 && kind == order[at]);
    ++steps[at];
    const double z = pose_of(&r, "cylinder").position.z;
    if (kind == POINT)
      assert_true(z > 0.1 && z < hypot(RADIUS, 0.5 * LENGTH) + EXACT);
    else
      assert_near(z, heights[kind], EXACT);
  }
  print_message("steps of each kind: %d %d %d %d %d %d %d\n", steps[0], steps[1], steps[2], steps[3], steps[4],
                steps[5], steps[6]);
  assert_int_equal(at, 6);
  scene_run_end(&r);
}

// The nearest that the cylinder comes to each of the obstacles.
static void pass(const char *const *overrides, int count, double nearest[2])
{
  scene_run r = scene_run_start(SCENE, overrides, count);
  nearest[0] = nearest[1] = INFINITY;
  for (int k = 1; k <= STEPS; ++k) {
    scene_run_to(&r, H * k);
    for (int i = 0; i < 2; ++i) nearest[i] = fmin(nearest[i], distance_to(&r, &obstacles[i]));
  }
  scene_run_end(&r);
}

// It passes both; and with the wall 5 cm nearer it would have touched.
static void obstacles_are_passed(void **state)
{
  (void)state;
  static const char *const nearer[] = {"wall.position=[0.7, 0.05, 0.1]"};
  double nearest[2];
  pass(NULL, 0, nearest);
  print_message("nearest: wall %.4f m, block %.4f m\n", nearest[0], nearest[1]);
  assert_true(nearest[0] > 0.02 && nearest[0] < 0.1);
  assert_true(nearest[1] > 0.02 && nearest[1] < 0.1);
  pass(nearer, 1, nearest);
  assert_true(nearest[0] < EXACT);
}

// On the way it is where the comments of the scene say; at the end it stands at the goal, at rest.
static void goal_is_reached(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENE, NULL, 0);
  scene_run_to(&r, 0.65);
  assert_near(kind_of(&r), LINE, 0.0);
  scene_run_to(&r, 2.16);
  ts_vec3 axis = ts_quat_rotate(pose_of(&r, "cylinder").orientation, ts_vec3_make(0.0, 0.0, 1.0));
  assert_vec_near(axis, ((ts_vec3){-1.0, 0.0, 0.0}), 1e-4);
  scene_run_to(&r, 4.71);
  assert_vec_near(pose_of(&r, "cylinder").position, ((ts_vec3){0.15, -0.8, 0.15}), 5e-6);
  axis = ts_quat_rotate(pose_of(&r, "cylinder").orientation, ts_vec3_make(0.0, 0.0, 1.0));
  assert_vec_near(axis, ((ts_vec3){0.0, 0.0, -1.0}), EXACT);
  scene_run_to(&r, 5.0);
  assert_vec_near(pose_of(&r, "cylinder").position, ((ts_vec3){0.15, -0.8, 0.15}), 5e-6);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "cylinder"));
  assert_true(ts_length(v.linear) < 1e-10 && ts_length(v.angular) < 1e-10);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_and_heights), cmocka_unit_test(obstacles_are_passed),
                                     cmocka_unit_test(goal_is_reached)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
