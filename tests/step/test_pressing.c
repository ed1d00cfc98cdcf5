// A motor presses a light link against a wall and nothing moves. In minimal coordinates the link's velocity products
// must not be those of the motion that the wall prevents: the slide that carries all holds its weight, no more.
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#define G 9.81

static const double HAND = 0.4, FINGER = 0.02, REACH = 0.1, TORQUE = 1.5; // [kg, kg, m, N m]

static void need(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static int add_joint(world *w, const char *name, ts_joint_kind kind, int parent, int child, ts_vec3 axis,
                     ts_motor motor)
{
  ts_error error;
  int joint;
  ts_joint_def def = ts_joint_def_default();
  def.name = name;
  def.kind = kind;
  def.parent = parent;
  def.child = child;
  def.axis = axis;
  def.motor = motor;
  need(ts_builder_add_joint(w->builder, &def, &joint, &error), &error);
  return joint;
}

// A hand on a vertical slide; its finger hangs down beside a wall without friction, and a motor turns it against that.
// The tip is a ball of radius 0.01. Returns the slide.
static int start_hand(world *w, const ts_stepper *method, ts_coordinates coordinates, double h)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.0, 0.0);
  world_add(w, "wall", TS_FIXED, 0.0, shape_plane((ts_vec3){-1, 0, 0}, -0.01), (ts_vec3){0, 0, 0});
  const int hand = world_add(w, "hand", TS_DYNAMIC, HAND, shape_sphere(0.005), (ts_vec3){0, 0, 0});
  ts_body_def def = ts_body_def_default();
  def.name = "finger";
  def.kind = TS_DYNAMIC;
  def.mass = FINGER;
  def.pose.position = (ts_vec3){0, 0, 0};
  def.centre = (ts_vec3){0, 0, -REACH};
  ts_error error;
  ts_part_def part = ts_part_def_default();
  part.shape = shape_sphere(0.01);
  part.pose.position = (ts_vec3){0, 0, -REACH};
  need(ts_builder_add_body(w->builder, &def, &part.body, &error), &error);
  need(ts_builder_add_part(w->builder, &part, NULL, &error), &error);
  const ts_motor hold = {.kind = TS_MOTOR_VELOCITY, .target = ts_signal_constant(0.0), .max_force = INFINITY};
  const ts_motor press = {.kind = TS_MOTOR_FORCE, .target = ts_signal_constant(-TORQUE), .max_force = INFINITY};
  const int slide = add_joint(w, "slide", TS_JOINT_PRISMATIC, TS_WORLD, hand, (ts_vec3){0, 0, 1}, hold);
  add_joint(w, "knuckle", TS_JOINT_REVOLUTE, hand, part.body, (ts_vec3){0, 1, 0}, press);
  w->options.method = method;
  w->options.coordinates = coordinates;
  w->options.size = h;
  world_start(w);
  need(ts_sim_measure_joints(w->sim, true, &error), &error);
  return slide;
}

static void a_slide_holds_the_weight_of_what_presses(void **state)
{
  (void)state;
  const double sizes[] = {5e-4, 1e-3, 2e-3};
  for (int method = 0; method < 2; ++method)
    for (int c = 0; c < 2; ++c)
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        world w;
        const int slide =
            start_hand(&w, fixed_stepper(method), c ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT, sizes[k]);
        world_steps(&w, 20);
        int count;
        const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
        assert_int_equal(count, 1);
        const double push = contacts[0].impulse[0] / sizes[k], weight = (HAND + FINGER) * G;
        const double held = ts_sim_joint_forces(w.sim, slide).motor;
        if (!(fabs(push - TORQUE / REACH) <= 1e-7 * push)) fail_msg("the wall feels %.12g N", push);
        if (!(fabs(held - weight) <= 1e-7 * weight)) fail_msg("the slide holds %.12g N, not %.12g", held, weight);
        world_release(&w);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_slide_holds_the_weight_of_what_presses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
