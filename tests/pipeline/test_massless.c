// Bodies without a mass between joints, in minimal coordinates: against joints with several axes, against bodies that
// are almost massless, by their energy, and where they are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include <math.h>

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};
static const ts_vec3 TOP = {0.0, 0.0, 0.75}, BOB = {0.5, 0.3, 0.35};

static void begin(world *w, const char *stepper)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = ts_stepper_find(stepper);
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  w->options.tolerance = 1e-9;
}

// A frame at the point that everything hangs on; `mass` 0: of none.
static int add_frame(world *w, const char *name, double mass)
{
  if (mass > 0.0) return mechanism_body(w, name, mass, (ts_vec3){mass, mass, mass}, TOP);
  ts_body_def def = ts_body_def_default();
  ts_error error;
  int body;
  def.name = name;
  def.mass = 0.0;
  def.pose.position = TOP;
  if (ts_builder_add_body(w->builder, &def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  return body;
}

// A ball that does not turn alike about all axes.
static int add_bob(world *w)
{
  ts_body_def def = ts_body_def_default();
  const double moments[] = {0.02, 0.05, 0.06, 0.01, 0.0, 0.0};
  def.name = "bob";
  def.mass = 2.0;
  memcpy(def.inertia, moments, sizeof moments);
  def.centre = NONE;
  def.pose.position = BOB;
  return world_add_def(w, &def, shape_sphere(0.1));
}

static ts_joint_def joint_at_top(ts_joint_kind kind, int parent, int child, ts_vec3 axis)
{
  return mechanism_joint(kind, parent, child, parent == TS_WORLD ? TOP : NONE, axis);
}

static int add_hinge(world *w, int parent, int child, ts_vec3 axis, double damping)
{
  ts_joint_def def = joint_at_top(TS_JOINT_REVOLUTE, parent, child, axis);
  def.damping = damping;
  return mechanism_add(w, &def);
}

// ---- other joints --------------------------------------------------------------------------------------------------

static int add_cross(world *w)
{
  const int cross = add_frame(w, "cross", 0.0), bob = add_bob(w);
  add_hinge(w, TS_WORLD, cross, X, 0.0);
  add_hinge(w, cross, bob, Y, 0.0);
  return bob;
}

static int add_universal(world *w)
{
  const int bob = add_bob(w);
  ts_joint_def def = joint_at_top(TS_JOINT_UNIVERSAL, TS_WORLD, bob, X);
  def.axis2 = Y;
  mechanism_add(w, &def);
  return bob;
}

// A bob that swings about two axes, and hits the floor where there is one.
static void check_cross(const char *stepper, bool floor, int steps, double tolerance)
{
  world a, b;
  begin(&a, stepper);
  begin(&b, stepper);
  const int first = add_cross(&a), second = add_universal(&b);
  if (floor) world_floor(&a);
  if (floor) world_floor(&b);
  world_start(&a);
  world_start(&b);
  int contacts = 0;
  for (int k = 0; k < steps; ++k) {
    world_step(&a);
    world_step(&b);
    contacts += ts_sim_report(a.sim)->contacts;
    const ts_pose p = ts_sim_pose(a.sim, first), q = ts_sim_pose(b.sim, second);
    assert_vec_near(p.position, q.position, tolerance);
    assert_vec_near(ts_sim_velocity(a.sim, first).angular, ts_sim_velocity(b.sim, second).angular, 100.0 * tolerance);
  }
  assert_int_equal(floor, contacts > 0);
  world_release(&a);
  world_release(&b);
}

static void two_axes_are_a_universal_joint(void **state)
{
  (void)state;
  check_cross("stewart-trinkle", false, 1500, 1e-9);
  check_cross("velocity", false, 1500, 1e-9);
  check_cross("event-driven", false, 300, 1e-8);
}

static void contacts_feel_it_as_a_universal_joint(void **state)
{
  (void)state;
  check_cross("stewart-trinkle", true, 600, 1e-8);
  check_cross("velocity", true, 600, 1e-8);
}

// ---- almost massless -----------------------------------------------------------------------------------------------

// What drives the first joint, which moves the massless body alone.
static void drive(ts_joint_def *def, int which)
{
  if (which == 0) return;
  def->motor.kind = which < 3 ? TS_MOTOR_SERVO : TS_MOTOR_VELOCITY;
  def->motor.target = ts_signal_constant(0.3);
  def->motor.stiffness = 40.0;
  def->motor.damping = 2.0;
  if (which == 2) def->motor.max_force = 3.0;
  if (which == 3) def->friction = 0.5;
  if (which == 4) {
    def->limited = true;
    def->lower = -0.2;
    def->upper = 0.2;
  }
}

static world driven(double mass, int which)
{
  world w;
  begin(&w, "stewart-trinkle");
  const int cross = add_frame(&w, "cross", mass), bob = add_bob(&w);
  ts_joint_def def = joint_at_top(TS_JOINT_REVOLUTE, TS_WORLD, cross, X);
  drive(&def, which);
  mechanism_add(&w, &def);
  add_hinge(&w, cross, bob, Y, 0.1);
  world_start(&w);
  return w;
}

static void drives_act_as_on_light_bodies(void **state)
{
  (void)state;
  for (int which = 0; which <= 4; ++which) {
    world none = driven(0.0, which), light = driven(1e-8, which);
    for (int k = 0; k < 500; ++k) {
      world_step(&none);
      world_step(&light);
      for (int joint = 0; joint < 2; ++joint)
        assert_near(ts_sim_joint_position(none.sim, joint, NULL), ts_sim_joint_position(light.sim, joint, NULL), 1e-5);
    }
    world_release(&none);
    world_release(&light);
  }
}

// ---- three axes ----------------------------------------------------------------------------------------------------

static int add_three_axes(world *w, double mass, double damping)
{
  const int one = add_frame(w, "one", mass), two = add_frame(w, "two", mass), bob = add_bob(w);
  add_hinge(w, TS_WORLD, one, Z, damping);
  add_hinge(w, one, two, Y, damping);
  add_hinge(w, two, bob, Z, damping);
  return bob;
}

// About z, y and z again: at the start the outer axes are one, and later the bob swings through below. Energy falls,
// and light bodies in the place of none do the same.
static void three_damped_axes_may_line_up(void **state)
{
  (void)state;
  world none, light;
  begin(&none, "stewart-trinkle");
  begin(&light, "stewart-trinkle");
  const int first = add_three_axes(&none, 0.0, 0.6), second = add_three_axes(&light, 1e-7, 0.6);
  world_start(&none);
  world_start(&light);
  double energy = INFINITY, largest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    world_step(&none);
    world_step(&light);
    const ts_step_report *report = ts_sim_report(none.sim);
    assert_true(report->kinetic_energy + report->potential_energy < energy + 1e-9);
    energy = report->kinetic_energy + report->potential_energy;
    const ts_vec3 p = ts_sim_pose(none.sim, first).position, q = ts_sim_pose(light.sim, second).position;
    largest = fmax(largest, ts_length(ts_sub(p, q)));
  }
  print_message("light bodies are %.1e m apart at most; the energy ends at %g J\n", largest, energy);
  assert_true(largest < 1e-4);
  world_release(&none);
  world_release(&light);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void refuse_simulation(world *w, const char *words)
{
  ts_error error;
  ts_sim *sim;
  if (ts_builder_finish(w->builder, &w->model, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_sim_create(w->model, &w->options, NULL, &sim, &error), TS_INVALID);
  assert_null(sim);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  world_release(w);
}

static void what_has_no_motion_is_refused(void **state)
{
  (void)state;
  world w;
  begin(&w, "stewart-trinkle"); // other coordinates
  w.options.coordinates = TS_COORDINATES_REDUNDANT;
  add_cross(&w);
  refuse_simulation(&w, "body 'cross' has no mass: only minimal coordinates can move it");
  begin(&w, "stewart-trinkle"); // no joint
  add_cross(&w);
  add_frame(&w, "lost", 0.0);
  refuse_simulation(&w, "body 'lost' has no mass, and no joint");
  for (int k = 0; k < 2; ++k) { // nor anywhere in the model: whatever the coordinates, they are not what it lacks
    begin(&w, "stewart-trinkle");
    if (k > 0) w.options.coordinates = TS_COORDINATES_REDUNDANT;
    add_frame(&w, "lost", 0.0);
    refuse_simulation(&w, "body 'lost' has no mass, and no joint: it must be a link between two, or have a mass");
  }
  begin(&w, "event-driven");
  add_frame(&w, "lost", 0.0);
  refuse_simulation(&w, "body 'lost' has no mass, and is no link between two joints");
  begin(&w, "stewart-trinkle"); // nothing behind it
  add_hinge(&w, add_bob(&w), add_frame(&w, "tip", 0.0), X, 1.0);
  refuse_simulation(&w, "body 'tip' has no mass, and is no link between two joints");
  begin(&w, "stewart-trinkle"); // axes along one line
  const int cross = add_frame(&w, "cross", 0.0);
  add_hinge(&w, TS_WORLD, cross, X, 0.0);
  add_hinge(&w, cross, add_bob(&w), X, 0.0);
  refuse_simulation(&w, "nothing resists the joint of body 'cross'");
}

static void joints_with_several_axes_are_refused(void **state)
{
  (void)state;
  const ts_joint_kind kinds[] = {TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL, TS_JOINT_WELD};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    for (int place = 0; place < 2; ++place) {
      world w;
      begin(&w, "stewart-trinkle");
      const int cross = add_frame(&w, "cross", 0.0), bob = add_bob(&w);
      const ts_joint_def inner = joint_at_top(place == 0 ? kinds[i] : TS_JOINT_REVOLUTE, TS_WORLD, cross, Z);
      const ts_joint_def outer = joint_at_top(place == 1 ? kinds[i] : TS_JOINT_REVOLUTE, cross, bob, Z);
      mechanism_add(&w, &inner);
      mechanism_add(&w, &outer);
      refuse_simulation(&w, "the joints about it must have one freedom each");
    }
}

static void loops_at_massless_bodies_are_refused(void **state)
{
  (void)state;
  world w;
  begin(&w, "stewart-trinkle");
  const int cross = add_frame(&w, "cross", 0.0), bob = add_bob(&w);
  add_hinge(&w, TS_WORLD, cross, X, 0.0);
  add_hinge(&w, cross, bob, Y, 0.0);
  add_hinge(&w, TS_WORLD, cross, X, 0.0);
  refuse_simulation(&w, "closes a loop at body 'cross', which has no mass");
}

// 4 h w^2 I of the innermost joint at 1 ms, w = 10 rad/s: I = 2 (0.5^2 + 0.3^2) + 0.06 about z.
static void several_in_a_row_need_damping(void **state)
{
  (void)state;
  const double least = 4.0 * 1e-3 * 100.0 * (2.0 * 0.34 + 0.06);
  const double damping[] = {0.0, 1e-300, 0.999 * least};
  for (int k = 0; k < 3; ++k) {
    world w;
    begin(&w, "stewart-trinkle");
    add_three_axes(&w, 0.0, damping[k]);
    refuse_simulation(&w, "needs a damping of at least 0.3");
  }
  world w;
  begin(&w, "event-driven");
  add_three_axes(&w, 0.0, 1.0);
  refuse_simulation(&w, "bodies 'one' and 'two' both have no mass, which steps of fixed length alone take");
}

static void massless_bodies_are_checked(void **state)
{
  (void)state;
  world w;
  ts_error error;
  world_init(&w, TS_SPACE_3D);
  ts_body_def def = ts_body_def_default();
  def.name = "a";
  def.mass = 0.0;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
  assert_int_equal(ts_builder_add_body(w.builder, &def, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "without a mass it has no inertia"));
  def = ts_body_def_default();
  def.name = "a";
  def.mass = 0.0;
  def.rotates = false;
  assert_int_equal(ts_builder_add_body(w.builder, &def, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "does not rotate needs a mass"));
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_axes_are_a_universal_joint),       cmocka_unit_test(contacts_feel_it_as_a_universal_joint),
      cmocka_unit_test(drives_act_as_on_light_bodies),        cmocka_unit_test(three_damped_axes_may_line_up),
      cmocka_unit_test(what_has_no_motion_is_refused),        cmocka_unit_test(joints_with_several_axes_are_refused),
      cmocka_unit_test(loops_at_massless_bodies_are_refused), cmocka_unit_test(several_in_a_row_need_damping),
      cmocka_unit_test(massless_bodies_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
