// Velocities at the start that joints do not allow: the nearest in the metric of the masses, in all coordinates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

static const ts_vec3 Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};

// Two cubes with a hinge between them, the first at 1 m/s across: the joint's point moves at 1 m/s against itself, and
// gives way by 2 (1/m + a^2/I) an impulse. An impact there takes half of the square of the one over the other.
static void build(world *w, ts_coordinates coordinates, const char *method, ts_vec3 velocity)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, NONE);
  w->options.coordinates = coordinates;
  w->options.method = ts_stepper_find(method);
  ts_error error;
  const double I = 1.0 / 600.0, inertia[6] = {I, I, I, 0.0, 0.0, 0.0};
  int body[2];
  for (int k = 0; k < 2; ++k) {
    ts_body_def def = ts_body_def_default();
    def.name = k ? "b" : "a";
    def.mass = 1.0;
    for (int i = 0; i < 6; ++i) def.inertia[i] = inertia[i];
    def.pose.position = (ts_vec3){0.1 * k, 0.0, 0.0};
    if (k == 0) def.velocity.linear = velocity;
    if (ts_builder_add_body(w->builder, &def, &body[k], &error) != TS_OK) fail_msg("%s", error.text);
  }
  ts_joint_def joint = mechanism_joint(TS_JOINT_REVOLUTE, body[0], body[1], (ts_vec3){0.05, 0.0, 0.0}, Z);
  joint.name = "hinge";
  mechanism_add(w, &joint);
  world_start(w);
}

static void velocities_are_the_nearest_that_joints_allow(void **state)
{
  (void)state;
  static const struct {
    ts_coordinates coordinates;
    const char *method;
  } cases[] = {{TS_COORDINATES_REDUNDANT, "stewart-trinkle"},
               {TS_COORDINATES_MINIMAL, "stewart-trinkle"},
               {TS_COORDINATES_REDUNDANT, "velocity"},
               {TS_COORDINATES_MINIMAL, "velocity"},
               {TS_COORDINATES_MINIMAL, "event-driven"}};
  const double gives_way = 2.0 * (1.0 + 0.05 * 0.05 * 600.0);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    world w;
    build(&w, cases[k].coordinates, cases[k].method, Y);
    const ts_start_velocities *start = ts_sim_start_velocities(w.sim);
    assert_int_equal(start->joint, 0);
    assert_near(start->violation, 1.0, 1e-12);
    assert_near(start->kinetic_given, 0.5, 1e-12);
    assert_near(start->kinetic_taken, 0.5 - 0.5 / gives_way, 1e-12);
    assert_near(ts_sim_report(w.sim)->kinetic_energy, 0.4, 1e-12);
    assert_near(ts_sim_velocity(w.sim, 0).linear.y, 1.0 - 1.0 / gives_way, 1e-12);
    assert_near(ts_sim_velocity(w.sim, 1).linear.y, 1.0 / gives_way, 1e-12);
    world_release(&w);
  }
}

// Nothing is done to velocities that joints allow, to the bit.
static void allowed_velocities_stay(void **state)
{
  (void)state;
  world w;
  build(&w, TS_COORDINATES_REDUNDANT, "velocity", NONE);
  assert_int_equal(ts_sim_start_velocities(w.sim)->joint, -1);
  assert_true(ts_sim_start_velocities(w.sim)->violation == 0.0);
  assert_true(ts_sim_velocity(w.sim, 1).linear.y == 0.0);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_are_the_nearest_that_joints_allow),
      cmocka_unit_test(allowed_velocities_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
