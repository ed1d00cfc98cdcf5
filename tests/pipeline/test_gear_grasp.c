// Contacts of the gear of examples/gear_grasp with its fingers: those of the closed form for outlines and a quadrant.
#include "quadrant.h"
#include "scene_run.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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
      assert_true(fabs(c->gap - expected.gap) <= ROUNDING);
      const double sign = c->body_1 == 0 ? 1.0 : -1.0;
      assert_true(ts_distance_of(ts_scale(sign, c->normal), expected.normal) < 1e-9);
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
  assert_true(fabs(right.x - 13.73973e-3) < 1e-5); // another program's, with friction of the table, which is no matter
  int count;
  const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
  double pushes[2] = {0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    const double sign = c->body_1 == gear ? 1.0 : -1.0;
    const double x = sign * (c->impulse[0] * c->normal.x + c->impulse[1] * c->tangent.x);
    pushes[x > 0.0] += x;
  }
  // Both fingers have stopped: what drives them, 5 N for 1 ms, goes into the gear.
  assert_true(fabs(pushes[0] + 5e-3) < 1e-8 && fabs(pushes[1] - 5e-3) < 1e-8);
  scene_run_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_those_of_support_functions),
      cmocka_unit_test(a_centred_grasp_is_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
