// Velocity products in minimal coordinates, by the rule of the options: energy of tops, whips and floating trees
// against its conservation, motion against event-driven and redundant runs, and the factors of the passes as derived.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};

static void begin(world *w, const char *method, ts_gyroscopic rule, double h)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = ts_stepper_find(method);
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  w->options.gyroscopic = rule;
  w->options.size = h;
  w->options.tolerance = 1e-12;
}

static double energy_of(const world *w)
{
  const ts_step_report *report = ts_sim_report(w->sim);
  return report->kinetic_energy + report->potential_energy;
}

// The largest departure of the energy from where it began, over `duration`.
static double energy_departure(world *w, double duration)
{
  const double start = energy_of(w);
  double worst = 0.0;
  while (ts_sim_time(w->sim) < duration - 0.5 * w->options.size) {
    world_step(w);
    worst = fmax(worst, fabs(energy_of(w) - start));
  }
  return worst;
}

// A toy top on its tip, 0.5 rad off the vertical.
static int add_top(world *w, double spin)
{
  ts_body_def def = ts_body_def_default();
  const double inertia[6] = {0.002, 0.002, 0.003, 0.0, 0.0, 0.0};
  def.name = "top";
  def.mass = 1.0;
  memcpy(def.inertia, inertia, sizeof inertia);
  def.centre = (ts_vec3){0.0, 0.0, 0.1};
  def.pose.orientation = (ts_quat){cos(0.25), 0.0, sin(0.25), 0.0};
  def.velocity.angular = ts_scale(spin, (ts_vec3){sin(0.5), 0.0, cos(0.5)});
  ts_error error;
  int body;
  if (ts_builder_add_body(w->builder, &def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_joint_def joint = mechanism_joint(TS_JOINT_SPHERICAL, TS_WORLD, body, NONE, Z);
  mechanism_add(w, &joint);
  return body;
}

static void a_top_keeps_its_energy(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  static const double spins[] = {30.0, 100.0, 500.0, 1000.0, 1900.0};
  for (int m = 0; m < 2; ++m)
    for (size_t k = 0; k < sizeof spins / sizeof *spins; ++k) {
      world w;
      begin(&w, methods[m], TS_GYROSCOPIC_MIDPOINT, 1e-3);
      add_top(&w, spins[k]);
      world_start(&w);
      const double kinetic = 0.5 * 0.003 * spins[k] * spins[k], departure = energy_departure(&w, 10.0);
      print_message("%s, top at %g rad/s for 10 s: energy within %.2g of %g J\n", methods[m], spins[k], departure,
                    kinetic);
      assert_true(departure < 1e-3 * kinetic + 0.01);
      world_release(&w);
    }
}

// Far beyond a radian a step nothing is accurate any more, but all is bounded.
static void a_top_of_any_speed_stays_bounded(void **state)
{
  (void)state;
  static const double spins[] = {3e3, 1e4, 1e6, 1e9};
  for (int rule = TS_GYROSCOPIC_IMPLICIT; rule <= TS_GYROSCOPIC_MIDPOINT; ++rule)
    for (size_t k = 0; k < sizeof spins / sizeof *spins; ++k) {
      world w;
      begin(&w, "velocity", (ts_gyroscopic)rule, 1e-3);
      add_top(&w, spins[k]);
      world_start(&w);
      const double kinetic = 0.5 * 0.003 * spins[k] * spins[k];
      assert_true(energy_departure(&w, 2.0) < 0.05 * kinetic);
      world_release(&w);
    }
}

// The explicit rule is that of the references: it gains h^2/2 t.I^-1 t a step, t the gyroscopic moment.
static void the_explicit_rule_gains_as_derived(void **state)
{
  (void)state;
  world w;
  begin(&w, "velocity", TS_GYROSCOPIC_EXPLICIT, 1e-3);
  ts_builder_set_gravity(w.builder, NONE);
  const ts_vec3 moments = {0.1, 0.2, 0.25};
  const int body = mechanism_body(&w, "top", 1.0, moments, NONE);
  const ts_joint_def joint = mechanism_joint(TS_JOINT_SPHERICAL, TS_WORLD, body, NONE, Z);
  mechanism_add(&w, &joint);
  world_start(&w);
  const ts_vec3 v = {20.0, -30.0, 10.0};
  world_move(&w, body, NONE, v);
  const ts_vec3 L = {moments.x * v.x, moments.y * v.y, moments.z * v.z}, t = ts_cross(v, L);
  const double before = 0.5 * ts_dot(v, L);
  world_step(&w);
  const double gain = 0.5e-6 * (t.x * t.x / moments.x + t.y * t.y / moments.y + t.z * t.z / moments.z);
  assert_near(ts_sim_report(w.sim)->kinetic_energy - before, gain, 1e-9 * before);
  world_release(&w);
}

// A slide that a motor without a largest force keeps where it is: a row, so that a step does not fly.
static void add_held_slide(world *w)
{
  const int body = mechanism_body(w, "slide", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){5.0, 0.0, 0.0});
  ts_joint_def joint = mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, body, NONE, X);
  joint.motor.kind = TS_MOTOR_VELOCITY;
  mechanism_add(w, &joint);
}

// A rotor with moments (1, 1, 2) that spins at W about its axis: transverse rates turn at W as well, and three passes
// change their squares by 1 - y^6/16 + y^8/64 a step at the middle, by 1 - y^2 + y^4 - y^6 + y^8 at its end.
static void passes_damp_nutation_as_derived(void **state)
{
  (void)state;
  for (int rule = TS_GYROSCOPIC_IMPLICIT; rule <= TS_GYROSCOPIC_MIDPOINT; ++rule)
    for (double y = 0.1; y < 0.95; y += 0.2) {
      world w;
      begin(&w, "velocity", (ts_gyroscopic)rule, 1e-3);
      ts_builder_set_gravity(w.builder, NONE);
      const int body = mechanism_body(&w, "rotor", 1.0, (ts_vec3){1.0, 1.0, 2.0}, NONE);
      const ts_joint_def joint = mechanism_joint(TS_JOINT_SPHERICAL, TS_WORLD, body, NONE, Z);
      mechanism_add(&w, &joint);
      add_held_slide(&w);
      world_start(&w);
      const double W = y / w.options.size, small = 1e-3 * W;
      world_move(&w, body, NONE, (ts_vec3){small, 0.0, W});
      double expected = 1.0;
      const double z = y * y;
      for (int k = 0; k < 20; ++k) {
        world_step(&w);
        expected *= rule == TS_GYROSCOPIC_MIDPOINT ? 1.0 - z * z * z / 16.0 + z * z * z * z / 64.0
                                                   : 1.0 - z + z * z - z * z * z + z * z * z * z;
      }
      const ts_vec3 v = ts_sim_velocity(w.sim, body).angular;
      const ts_vec3 axis = ts_quat_rotate(ts_sim_pose(w.sim, body).orientation, Z);
      const double along = ts_dot(v, axis), across = ts_dot(v, v) - along * along;
      assert_near(along, W, 1e-9 * W);
      assert_near(across / (small * small), expected, 1e-6);
      world_release(&w);
    }
}

// Three links that begin horizontal and whip.
static void add_whip(world *w)
{
  int from = TS_WORLD;
  static const char *const names[] = {"a", "b", "c"};
  for (int k = 0; k < 3; ++k) {
    const int body = mechanism_body(w, names[k], 1.0, (ts_vec3){0.01, 0.01, 0.01}, (ts_vec3){k + 0.5, 0.0, 0.0});
    const ts_joint_def def =
        mechanism_joint(TS_JOINT_REVOLUTE, from, body, (ts_vec3){from == TS_WORLD ? 0.0 : 0.5, 0.0, 0.0}, Y);
    mechanism_add(w, &def);
    from = body;
  }
}

static void a_whip_keeps_its_energy(void **state)
{
  (void)state;
  double departure[3], exact;
  for (int c = 0; c < 3; ++c) {
    world w;
    begin(&w, "velocity", c == 2 ? TS_GYROSCOPIC_EXPLICIT : TS_GYROSCOPIC_MIDPOINT, 1e-3);
    w.options.coordinates = c == 1 ? TS_COORDINATES_REDUNDANT : TS_COORDINATES_MINIMAL;
    add_whip(&w);
    world_start(&w);
    departure[c] = energy_departure(&w, 10.0);
    world_release(&w);
  }
  world w;
  begin(&w, "event-driven", TS_GYROSCOPIC_MIDPOINT, 0.05);
  add_whip(&w);
  world_start(&w);
  exact = energy_departure(&w, 10.0);
  world_release(&w);
  print_message("triple pendulum, 10 s: energy within %.2g J minimal (explicit %.2g), %.2g J redundant, %.1g J "
                "event-driven\n",
                departure[0], departure[2], departure[1], exact);
  assert_true(departure[0] < 2.5 && departure[0] < 0.2 * departure[2] && exact < 1e-9);
}

// A tree of six bodies in free space, joints of all kinds that turn.
static void add_floating_tree(world *w)
{
  ts_builder_set_gravity(w->builder, NONE);
  static const ts_joint_kind kinds[] = {TS_JOINT_REVOLUTE, TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL,
                                        TS_JOINT_REVOLUTE};
  static const char *const names[] = {"b0", "b1", "b2", "b3", "b4", "b5"};
  for (int k = 0; k < 6; ++k) {
    const ts_vec3 place = {0.6 * k, 0.1 * (k % 2), 0.05 * k * k};
    const int body = mechanism_body(w, names[k], 1.0 + 0.3 * k, (ts_vec3){0.05 + 0.01 * k, 0.06, 0.08}, place);
    if (k == 0) continue;
    const ts_joint_def def =
        mechanism_joint(kinds[k - 1], body - 1 - (k == 3), body, (ts_vec3){0.3, 0.0, 0.0}, k % 2 ? Y : X);
    mechanism_add(w, &def);
  }
}

// Some motion that all joints allow: the bodies turn as one, and one of them is kicked for 0.1 s.
static void kick(void *user, ts_sim *sim, double time)
{
  (void)user;
  ts_error error;
  const ts_wrench push = {{60.0, -800.0, 500.0}, {80.0, 120.0, -180.0}};
  if (time < 0.0995 && ts_sim_push(sim, 4, &push, &error) != TS_OK) fail_msg("%s", error.text);
}

static double floating_departure(ts_coordinates coordinates, ts_gyroscopic rule, double *kinetic)
{
  world w;
  begin(&w, "velocity", rule, 1e-3);
  w.options.coordinates = coordinates;
  add_floating_tree(&w);
  world_start(&w);
  ts_sim_set_callback(w.sim, kick, NULL);
  world_steps(&w, 100);
  *kinetic = ts_sim_report(w.sim)->kinetic_energy;
  const double departure = energy_departure(&w, 10.0);
  world_release(&w);
  return departure;
}

static void a_floating_tree_keeps_its_energy(void **state)
{
  (void)state;
  double kinetic, explicitly;
  const double minimal = floating_departure(TS_COORDINATES_MINIMAL, TS_GYROSCOPIC_MIDPOINT, &kinetic);
  const double redundant = floating_departure(TS_COORDINATES_REDUNDANT, TS_GYROSCOPIC_MIDPOINT, &kinetic);
  explicitly = floating_departure(TS_COORDINATES_MINIMAL, TS_GYROSCOPIC_EXPLICIT, &kinetic);
  print_message("floating tree of %.3g J, 10 s: energy within %.2g J minimal (explicit %.2g), %.2g J redundant\n",
                kinetic, minimal, explicitly, redundant);
  assert_true(minimal < 0.3 * kinetic && minimal < 0.2 * explicitly);
}

// The middle of the step is one of a motion that obeys the rows of loops. A four-bar linkage of equal sides is a
// parallelogram: its crank turns at a constant rate without gravity, whatever links weigh, when the coupler is
// balanced by its crank pins alone.
static void a_fast_loop_turns_evenly(void **state)
{
  (void)state;
  for (double spin = 10.0; spin < 1000.0; spin *= 3.0) {
    world w;
    begin(&w, "velocity", TS_GYROSCOPIC_MIDPOINT, 1e-3);
    ts_builder_set_gravity(w.builder, NONE);
    const ts_vec3 moments = {0.01, 0.01, 0.01};
    const int crank = mechanism_body(&w, "crank", 1.0, moments, (ts_vec3){0.0, 0.0, 0.25});
    const int coupler = mechanism_body(&w, "coupler", 2.0, moments, (ts_vec3){0.5, 0.0, 0.5});
    const int rocker = mechanism_body(&w, "rocker", 1.0, moments, (ts_vec3){1.0, 0.0, 0.25});
    const ts_joint_def joints[] = {
        mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, crank, NONE, Y),
        mechanism_joint(TS_JOINT_REVOLUTE, crank, coupler, (ts_vec3){0.0, 0.0, 0.25}, Y),
        mechanism_joint(TS_JOINT_REVOLUTE, coupler, rocker, (ts_vec3){0.5, 0.0, 0.0}, Y),
        mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, rocker, (ts_vec3){1.0, 0.0, 0.0}, Y),
    };
    int first = -1;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; ++k) {
      const int joint = mechanism_add(&w, &joints[k]);
      if (k == 0) first = joint;
    }
    world_start(&w);
    const ts_vec3 turning = {0.0, spin, 0.0};
    world_move(&w, crank, (ts_vec3){0.25 * spin, 0.0, 0.0}, turning);
    world_move(&w, coupler, (ts_vec3){0.5 * spin, 0.0, 0.0}, NONE);
    world_move(&w, rocker, (ts_vec3){0.25 * spin, 0.0, 0.0}, turning);
    double slowest = spin, fastest = spin, rate;
    for (int k = 0; k < 2000; ++k) {
      world_step(&w);
      ts_sim_joint_position(w.sim, first, &rate);
      slowest = fmin(slowest, rate);
      fastest = fmax(fastest, rate);
    }
    print_message("parallelogram at %g rad/s: %g to %g rad/s in 2 s\n", spin, slowest, fastest);
    assert_true(slowest > 0.9 * spin && fastest < 1.01 * spin);
    world_release(&w);
  }
}

// A slider along a base that accelerates stays where it is, also when something else is in contact.
static void a_slider_does_not_feel_its_base_speed_up(void **state)
{
  (void)state;
  static const char *const methods[] = {"velocity", "stewart-trinkle", "event-driven"};
  for (int m = 0; m < 3; ++m)
    for (int rests = 0; rests < 2; ++rests) {
      world w;
      begin(&w, methods[m], TS_GYROSCOPIC_MIDPOINT, 1e-3);
      world_floor(&w);
      world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.5), (ts_vec3){20.0, 0.0, rests ? 0.5 : 90.0});
      const int base = mechanism_kinematic(&w, "base", (ts_vec3){0.0, 0.0, 5.0});
      const double way[3] = {0.0, 0.0, 1.0}; // 2 m/s^2
      ts_motion_def motion = ts_motion_def_default();
      motion.body = base;
      motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = way, .count = 3};
      ts_error error;
      if (ts_builder_add_motion(w.builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
      const int slider = mechanism_body(&w, "slider", 1.0, (ts_vec3){0.1, 0.1, 0.1}, (ts_vec3){0.0, 0.0, 5.0});
      const ts_joint_def def = mechanism_joint(TS_JOINT_PRISMATIC, base, slider, NONE, X);
      mechanism_add(&w, &def);
      world_start(&w);
      world_steps(&w, 1000);
      assert_near(ts_sim_velocity(w.sim, slider).linear.x, 0.0, 1e-9);
      assert_near(ts_sim_pose(w.sim, slider).position.x, 0.0, 2e-3);
      world_release(&w);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_top_keeps_its_energy),
      cmocka_unit_test(a_top_of_any_speed_stays_bounded),
      cmocka_unit_test(the_explicit_rule_gains_as_derived),
      cmocka_unit_test(passes_damp_nutation_as_derived),
      cmocka_unit_test(a_whip_keeps_its_energy),
      cmocka_unit_test(a_floating_tree_keeps_its_energy),
      cmocka_unit_test(a_fast_loop_turns_evenly),
      cmocka_unit_test(a_slider_does_not_feel_its_base_speed_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
