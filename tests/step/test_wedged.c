// A contact that a hinge and friction wedge: no impulse can open it, so that a step must not ask for its overlap back.
// References: the arm does not move; the moments of gravity and of the contact about the hinge balance; with less
// friction than the lever arms' quotient the same contact opens, and the overlap goes.
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#define G 9.81

static const double HEIGHT = 0.067, LEVER = 0.0192, CENTRE = 0.05, MASS = 2.5;

// An arm on a hinge above the floor; its tip touches `depth` below it, LEVER beside the hinge.
static int start_arm(world *w, ts_coordinates coordinates, double friction, double restitution, double depth)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, friction, restitution);
  world_floor(w);
  ts_body_def def = ts_body_def_default();
  def.name = "arm";
  def.kind = TS_DYNAMIC;
  def.mass = MASS;
  const double inertia[6] = {0.012, 0.005, 0.011, 0.0, 0.0, 0.0};
  for (int k = 0; k < 6; ++k) def.inertia[k] = inertia[k];
  def.centre = (ts_vec3){CENTRE, 0.0, 0.0};
  def.pose.position = (ts_vec3){0.0, 0.0, HEIGHT};
  ts_error error = {0};
  ts_part_def part = ts_part_def_default();
  part.shape = shape_sphere(0.01);
  part.pose.position = (ts_vec3){LEVER, 0.0, 0.01 - HEIGHT - depth};
  if (ts_builder_add_body(w->builder, &def, &part.body, &error) != TS_OK) fail_msg("%s", error.text);
  int number;
  if (ts_builder_add_part(w->builder, &part, &number, &error) != TS_OK) fail_msg("%s", error.text);
  ts_joint_def hinge = ts_joint_def_default();
  hinge.name = "hinge";
  hinge.kind = TS_JOINT_REVOLUTE;
  hinge.parent = TS_WORLD;
  hinge.child = part.body;
  hinge.at = (ts_vec3){0.0, 0.0, HEIGHT};
  hinge.axis = (ts_vec3){0.0, 1.0, 0.0};
  if (ts_builder_add_joint(w->builder, &hinge, &number, &error) != TS_OK) fail_msg("%s", error.text);
  w->options.coordinates = coordinates;
  w->options.start = TS_START_AS_GIVEN;
  world_start(w);
  return part.body;
}

// Moment about the hinge of what the contact and gravity do in a step, over that of gravity.
static double missing_moment(const world *w)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  assert_int_equal(count, 1);
  const ts_contact *c = &contacts[0];
  const ts_vec3 arm = ts_sub(c->point, (ts_vec3){0.0, 0.0, HEIGHT});
  const ts_vec3 push = ts_add(ts_scale(c->impulse[0], c->normal),
                              ts_add(ts_scale(c->impulse[1], c->tangent), ts_scale(c->impulse[2], c->other)));
  const double weight = MASS * G * w->options.size * CENTRE;
  return (ts_cross(arm, push).y + weight) / weight;
}

static void arm_holds(double restitution)
{
  const double depths[] = {0.0, 1e-13, 5e-12, 1e-9, 1e-7};
  for (int c = 0; c < 2; ++c)
    for (size_t k = 0; k < sizeof depths / sizeof *depths; ++k) {
      world w;
      const int arm = start_arm(&w, c ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT, 0.5, restitution, depths[k]);
      for (int step = 0; step < 200; ++step) {
        world_step(&w);
        assert_true(fabs(missing_moment(&w)) < 1e-6);
      }
      assert_true(ts_length(ts_sim_velocity(w.sim, arm).angular) < 1e-12);
      assert_true(fabs(ts_sim_pose(w.sim, arm).orientation.y) < 1e-11 + depths[k] / LEVER);
      world_release(&w);
    }
}

static void a_wedged_contact_holds(void **state)
{
  (void)state;
  arm_holds(0.0);
}

// What could rebound is asked by Newton's law, and rests all the same.
static void a_wedged_contact_that_could_rebound_holds(void **state)
{
  (void)state;
  arm_holds(0.5);
}

// Impulses that move nothing have |r_t| / r_n = LEVER / HEIGHT: a cone without them lets the contact open.
static void with_less_friction_overlap_goes(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    world w;
    start_arm(&w, c ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT, 0.9 * LEVER / HEIGHT, 0.0, 1e-9);
    world_steps(&w, 5);
    int count;
    const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
    assert_int_equal(count, 1);
    assert_true(contacts[0].gap > -1e-12);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wedged_contact_holds),
      cmocka_unit_test(a_wedged_contact_that_could_rebound_holds),
      cmocka_unit_test(with_less_friction_overlap_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
