// Bushings at rest and in motion: closed forms, energy, coordinates, and stiffness beyond what a step can follow.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"

#include "base/random.h"

static const ts_vec3 Y = {0.0, 1.0, 0.0}, NONE = {0.0, 0.0, 0.0};

enum { STEPPERS = 3, EVENTS = 2 };

static void begin(world *w, ts_space space, int stepper, double h)
{
  world_init(w, space);
  w->options.method = stepper == EVENTS ? ts_stepper_find("event-driven") : fixed_stepper(stepper);
  w->options.size = h;
}

static ts_bushing_def bushing_between(int first, int second)
{
  ts_bushing_def def = ts_bushing_def_default();
  def.body[0] = first;
  def.body[1] = second;
  return def;
}

static int add_bushing(world *w, const ts_bushing_def *def)
{
  ts_error error;
  int bushing;
  if (ts_builder_add_bushing(w->builder, def, &bushing, &error) != TS_OK) fail_msg("%s", error.text);
  return bushing;
}

static double energy_of(const world *w)
{
  const ts_step_report *r = ts_sim_report(w->sim);
  return r->kinetic_energy + r->potential_energy;
}

// ---- at rest -------------------------------------------------------------------------------------------------------

// A load F and a torque T on a body whose bushing to the world is turned by Q: d = K^-1 Q^T F. With one angular
// stiffness r = Q^T T/kappa, for the vector is its own axis.
static void loads_are_carried_along_the_axes(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * STEPPERS; ++k) {
    const int stepper = k % STEPPERS;
    world w;
    begin(&w, TS_SPACE_3D, stepper, stepper == EVENTS ? 0.1 : 1e-2);
    w.options.gyroscopic = TS_GYROSCOPIC_EXPLICIT; // the midpoint rule leaves angular velocities of 1e-8 at rest
    ts_builder_set_gravity(w.builder, NONE);
    const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, (ts_vec3){0.3, 0.2, 0.1});
    const ts_vec3 force = {3.0, -2.0, 5.0}, torque = {0.3, 0.15, -0.12};
    world_force(&w, body, force, torque);
    ts_bushing_def def = k < STEPPERS ? bushing_between(TS_WORLD, body) : bushing_between(body, TS_WORLD);
    def.orientation = ts_quat_exp((ts_vec3){0.4, -0.7, 1.1});
    if (k < STEPPERS) def.at = (ts_vec3){0.3, 0.2, 0.1}; // the body's centre either way
    def.stiffness = (ts_vec3){100.0, 200.0, 400.0};
    def.angular_stiffness = (ts_vec3){1.0, 1.0, 1.0};
    def.damping = (ts_vec3){20.0, 28.0, 40.0};
    def.angular_damping = (ts_vec3){0.3, 0.3, 0.3};
    if (k >= STEPPERS) { // axes go with the body, which hardly turns
      def.angular_stiffness = (ts_vec3){1e3, 1e3, 1e3};
      def.angular_damping = (ts_vec3){10.0, 10.0, 10.0};
    }
    const int bushing = add_bushing(&w, &def);
    world_start(&w);
    world_steps(&w, stepper == EVENTS ? 60 : 1200);
    const ts_bushing_state at = ts_sim_bushing(w.sim, bushing);
    const ts_quat body_turn = ts_sim_pose(w.sim, body).orientation;
    const ts_quat turn = k < STEPPERS ? def.orientation : ts_quat_product(body_turn, def.orientation);
    const ts_quat back = ts_quat_conjugate(turn);
    const ts_vec3 f = ts_quat_rotate(back, force), t = ts_quat_rotate(back, torque);
    const double sign = k < STEPPERS ? 1.0 : -1.0;
    assert_vec_near(at.displacement, ts_scale(sign, (ts_vec3){f.x / 100.0, f.y / 200.0, f.z / 400.0}), 1e-9);
    if (k < STEPPERS) assert_vec_near(at.rotation, t, 1e-9);
    if (k >= STEPPERS) assert_true(ts_length(at.rotation) < 1e-3);
    world_release(&w);
  }
}

// A bracket: the load acts l from the bushing. In the bushing's axes d = F/k and r = l F/kappa, for small angles.
static void a_bracket_bends(void **state)
{
  (void)state;
  const double load = 1e-3, arm = 0.5, k = 50.0, kappa = 8.0;
  for (int c = 0; c < 2 * STEPPERS; ++c) {
    world w;
    begin(&w, TS_SPACE_3D, c / 2, c / 2 == EVENTS ? 0.2 : 1e-2);
    w.options.coordinates = c % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    ts_builder_set_gravity(w.builder, NONE);
    const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, (ts_vec3){arm, 0.0, 0.0});
    world_force(&w, body, (ts_vec3){0.0, 0.0, -load}, NONE);
    ts_bushing_def def = bushing_between(TS_WORLD, body);
    def.stiffness = (ts_vec3){k, k, k};
    def.angular_stiffness = (ts_vec3){kappa, kappa, kappa};
    def.damping = (ts_vec3){8.0, 8.0, 8.0};
    def.angular_damping = (ts_vec3){2.0, 2.0, 2.0};
    add_bushing(&w, &def);
    world_start(&w);
    world_steps(&w, c / 2 == EVENTS ? 100 : 2000);
    const ts_bushing_state at = ts_sim_bushing(w.sim, 0);
    assert_near(at.displacement.z, -load / k, 1e-11);
    assert_near(at.rotation.y, arm * load / kappa, 1e-9);
    world_release(&w);
  }
}

// In the plane: kx, ky and one about z.
static void loads_in_the_plane(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < STEPPERS; ++stepper) {
    world w;
    begin(&w, TS_SPACE_2D, stepper, stepper == EVENTS ? 0.1 : 1e-2);
    ts_builder_set_gravity(w.builder, NONE);
    const int body = world_add(&w, "a", TS_DYNAMIC, 1.0, shape_disc(0.2), (ts_vec3){1.0, 2.0, 0.0});
    world_force(&w, body, (ts_vec3){3.0, -2.0, 0.0}, (ts_vec3){0.0, 0.0, 0.9});
    ts_bushing_def def = bushing_between(TS_WORLD, body);
    def.at = (ts_vec3){1.0, 2.0, 0.0};
    def.angle = 0.6;
    def.stiffness = (ts_vec3){100.0, 200.0, 0.0};
    def.damping = (ts_vec3){20.0, 28.0, 0.0};
    def.angular_stiffness.z = 0.5;
    def.angular_damping.z = 0.2;
    add_bushing(&w, &def);
    world_start(&w);
    world_steps(&w, stepper == EVENTS ? 60 : 1000);
    const ts_bushing_state at = ts_sim_bushing(w.sim, 0);
    const double c = cos(0.6), s = sin(0.6);
    assert_vec_near(at.displacement, ((ts_vec3){(3.0 * c - 2.0 * s) / 100.0, (-3.0 * s - 2.0 * c) / 200.0, 0.0}), 1e-9);
    assert_vec_near(at.rotation, ((ts_vec3){0.0, 0.0, 1.8}), 1e-9);
    assert_near(ts_sim_angle(w.sim, body), 1.8, 1e-9);
    assert_near(ts_model_bushing(w.model, 0).angle, 0.6, 1e-15);
    world_release(&w);
  }
}

// ---- oscillations --------------------------------------------------------------------------------------------------

// x(t) of x'' + 2 delta x' + w^2 x = 0 from x = 0 at the speed v.
static double swing(double w2, double delta, double v, double t)
{
  const double w = sqrt(w2 - delta * delta);
  return v / w * exp(-delta * t) * sin(w * t);
}

// Two free bodies: along axis i at k_i (1/m1 + 1/m2), about it at kappa_i (1/I1 + 1/I2), each alone.
static double mode_after(int stepper, int mode, bool damped, double h, double t, double *expected)
{
  static const double k[] = {300.0, 500.0, 800.0, 2.0, 3.0, 5.0}, d[] = {2.0, 3.0, 4.0, 0.01, 0.02, 0.03};
  static const ts_vec3 I = {0.02, 0.03, 0.04};
  world w;
  begin(&w, TS_SPACE_3D, stepper, h);
  ts_builder_set_gravity(w.builder, NONE);
  const int a = mechanism_body(&w, "a", 1.0, I, NONE);
  const int b = mechanism_body(&w, "b", 3.0, ts_scale(3.0, I), NONE);
  ts_bushing_def def = bushing_between(a, b);
  def.stiffness = (ts_vec3){k[0], k[1], k[2]};
  def.angular_stiffness = (ts_vec3){k[3], k[4], k[5]};
  if (damped) def.damping = (ts_vec3){d[0], d[1], d[2]};
  if (damped) def.angular_damping = (ts_vec3){d[3], d[4], d[5]};
  add_bushing(&w, &def);
  world_start(&w);
  const ts_vec3 e = {mode % 3 == 0, mode % 3 == 1, mode % 3 == 2};
  world_move(&w, a, ts_scale(mode < 3 ? -0.3 : 0.0, e), ts_scale(mode < 3 ? 0.0 : -3.0, e));
  world_move(&w, b, ts_scale(mode < 3 ? 0.1 : 0.0, e), ts_scale(mode < 3 ? 0.0 : 1.0, e));
  world_steps(&w, (int)lround(t / h));
  const ts_bushing_state at = ts_sim_bushing(w.sim, 0);
  const double inertia = mode < 3 ? 0.75 : 0.75 * ts_dot(e, I);
  *expected = swing(k[mode] / inertia, damped ? 0.5 * d[mode] / inertia : 0.0, mode < 3 ? 0.4 : 4.0, t);
  world_release(&w);
  return ts_dot(e, mode < 3 ? at.displacement : at.rotation);
}

static void modes_have_their_frequencies_and_decays(void **state)
{
  (void)state;
  double worst = 0.0;
  for (int mode = 0; mode < 6; ++mode)
    for (int damped = 0; damped < 2; ++damped) {
      double expected;
      const double reached = mode_after(EVENTS, mode, damped, 0.05, 0.35, &expected);
      worst = fmax(worst, fabs(reached - expected));
      assert_near(reached, expected, 1e-8);
      for (int stepper = 0; stepper < 2; ++stepper) { // of first order
        const double coarse = mode_after(stepper, mode, damped, 1e-3, 0.35, &expected) - expected;
        const double fine = mode_after(stepper, mode, damped, 2.5e-4, 0.35, &expected) - expected;
        assert_true(fabs(fine) < 0.3 * fabs(coarse) + 1e-5);
        assert_true(fabs(fine) < 0.05 * (mode < 3 ? 0.02 : 0.5));
      }
    }
  print_message("event-driven: %.2g off\n", worst);
}

// ---- energy --------------------------------------------------------------------------------------------------------

// Turns of more than a radian about changing axes, all stiffnesses different: energy stays, or is what dampers took.
static void energy_is_accounted_for(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; ++damped) {
    world w;
    begin(&w, TS_SPACE_3D, EVENTS, 0.02);
    const int a = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, NONE);
    const int b = mechanism_body(&w, "b", 2.0, (ts_vec3){0.05, 0.03, 0.06}, (ts_vec3){0.3, 0.2, 0.0});
    ts_bushing_def def = bushing_between(a, b);
    def.at = (ts_vec3){0.1, 0.1, 0.05};
    def.orientation = ts_quat_exp((ts_vec3){0.5, 0.2, -0.9});
    def.stiffness = (ts_vec3){30.0, 50.0, 80.0};
    def.angular_stiffness = (ts_vec3){0.4, 0.6, 0.9};
    if (damped) def.damping = (ts_vec3){0.2, 0.1, 0.3};
    if (damped) def.angular_damping = (ts_vec3){0.01, 0.02, 0.03};
    add_bushing(&w, &def);
    world_start(&w);
    world_move(&w, a, (ts_vec3){0.5, 0.0, -0.5}, (ts_vec3){3.0, -4.0, 2.0});
    world_move(&w, b, (ts_vec3){-0.3, 0.4, 0.0}, (ts_vec3){-2.0, 3.0, 1.0});
    ts_vec3 turn = NONE;
    double left = 0.0, taken = 0.0, largest = 0.0, start = NAN;
    for (int k = 0; k < 100; ++k) {
      world_step(&w);
      const ts_step_report *r = ts_sim_report(w.sim);
      if (k == 0) start = energy_of(&w) - r->damping_work;
      left = fmax(left, fabs(r->integration_work));
      taken += r->damping_work;
      assert_true(r->damping_work <= 0.0);
      turn = ts_sim_bushing(w.sim, 0).rotation;
      largest = fmax(largest, ts_length(turn));
    }
    print_message("turned by up to %.2f rad; dampers took %.3g J, unaccounted for %.2g J a step\n", largest, -taken,
                  left);
    assert_true(largest > 1.0 && largest < TS_PI);
    assert_near(left, 0.0, 1e-9);
    assert_near(energy_of(&w), start + taken, 1e-8);
    assert_true(damped ? taken < -0.01 : taken == 0.0);
    world_release(&w);
  }
}

// On a base that swings: works make the change of energy in every step.
static void bases_work_through_bushings(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * STEPPERS; ++k) {
    double sums[2];
    for (int fine = 0; fine < 2; ++fine) {
      world w;
      ts_error error;
      const bool events = k / 2 == EVENTS;
      begin(&w, TS_SPACE_3D, k / 2, events ? 5e-3 : fine ? 2.5e-4 : 2e-3);
      w.options.coordinates = k % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
      ts_motion_def motion = ts_motion_def_default();
      motion.body = mechanism_kinematic(&w, "base", NONE);
      motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.1, .frequency = 5.0};
      motion.rotation[1] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.3, .frequency = 4.0};
      assert_int_equal(ts_builder_add_motion(w.builder, &motion, NULL, &error), TS_OK);
      const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, (ts_vec3){0.1, 0.0, 0.0});
      ts_bushing_def def = bushing_between(motion.body, body);
      def.stiffness = (ts_vec3){200.0, 300.0, 400.0};
      def.angular_stiffness = (ts_vec3){3.0, 2.0, 4.0};
      def.damping = (ts_vec3){2.0, 2.0, 2.0};
      def.angular_damping = (ts_vec3){0.05, 0.05, 0.05};
      add_bushing(&w, &def);
      world_start(&w);
      double energy = energy_of(&w);
      sums[fine] = 0.0;
      while (ts_sim_time(w.sim) < 0.3) {
        world_step(&w);
        const ts_step_report *r = ts_sim_report(w.sim);
        const double works = r->contact_work + r->damping_work + r->drive_work + r->applied_work +
                             r->stabilization_work + r->stagger_work + r->integration_work;
        assert_near(energy_of(&w) - energy, works, 1e-12);
        assert_true(r->damping_work <= 0.0);
        energy = energy_of(&w);
        sums[fine] += r->integration_work;
      }
      world_release(&w);
      if (events) assert_near(sums[fine], 0.0, 1e-8);
    }
    print_message("stepper %d, coordinates %d: %.2g J, %.2g J\n", k / 2, k % 2, sums[0], sums[1]);
    if (k / 2 != EVENTS) assert_true(fabs(sums[1]) < 0.2 * fabs(sums[0]) + 1e-6);
  }
}

// ---- coordinates ---------------------------------------------------------------------------------------------------

// A pendulum of two links, its end held by a bushing to the world: where the end is after 0.5 s.
static ts_vec3 end_of_pendulum(int stepper, ts_coordinates coordinates, double h)
{
  world w;
  begin(&w, TS_SPACE_3D, stepper, h);
  w.options.coordinates = coordinates;
  const ts_vec3 I = {0.01, 0.02, 0.02};
  const int a = mechanism_body(&w, "a", 1.0, I, (ts_vec3){0.3, 0.0, 0.0});
  const int b = mechanism_body(&w, "b", 0.5, I, (ts_vec3){0.9, 0.0, 0.0});
  mechanism_hinge(&w, TS_WORLD, a, NONE, Y);
  const ts_joint_def ball = mechanism_joint(TS_JOINT_SPHERICAL, a, b, (ts_vec3){0.3, 0.0, 0.0}, Y);
  mechanism_add(&w, &ball);
  ts_bushing_def def = bushing_between(b, TS_WORLD);
  def.at = (ts_vec3){0.3, 0.0, 0.0};
  def.stiffness = (ts_vec3){20.0, 30.0, 40.0};
  def.angular_stiffness = (ts_vec3){0.5, 1.0, 0.7};
  def.damping = (ts_vec3){0.5, 0.2, 0.3};
  def.angular_damping = (ts_vec3){0.01, 0.02, 0.01};
  add_bushing(&w, &def);
  world_force(&w, b, (ts_vec3){0.0, 1.0, 0.0}, (ts_vec3){0.1, 0.0, 0.1});
  world_start(&w);
  world_steps(&w, (int)lround(0.5 / h));
  const ts_pose pose = ts_sim_pose(w.sim, b);
  const ts_vec3 end = ts_pose_apply(&pose, (ts_vec3){0.3, 0.1, 0.0});
  world_release(&w);
  return end;
}

// Both coordinates come nearer to what events say, and to each other, as steps get shorter.
static void coordinates_agree(void **state)
{
  (void)state;
  static const ts_coordinates both[] = {TS_COORDINATES_REDUNDANT, TS_COORDINATES_MINIMAL};
  const ts_vec3 exact = end_of_pendulum(EVENTS, TS_COORDINATES_MINIMAL, 0.01);
  for (int k = 0; k < 4; ++k) {
    const double coarse = ts_distance_of(end_of_pendulum(k % 2, both[k / 2], 2e-3), exact);
    const double fine = ts_distance_of(end_of_pendulum(k % 2, both[k / 2], 2.5e-4), exact);
    print_message("stepper %d, coordinates %d: %.2g m, %.2g m off\n", k % 2, k / 2, coarse, fine);
    assert_true(fine < 0.2 * coarse && fine < 1e-3);
  }
}

// ---- stiff ---------------------------------------------------------------------------------------------------------

// k = 1e8 N/m on 1 kg is 1e4 rad/s, ten radians a step: nothing explodes, and the body ends where the load puts it.
static void stiffness_beyond_the_step_is_stable(void **state)
{
  (void)state;
  for (int k = 0; k < 8; ++k) {
    world w;
    begin(&w, TS_SPACE_3D, k % 2, 1e-3);
    w.options.coordinates = k & 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    const int a = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, NONE);
    const int b = mechanism_body(&w, "b", 1.0, (ts_vec3){0.02, 0.03, 0.04}, (ts_vec3){1.0, 0.0, 0.0});
    mechanism_hinge(&w, TS_WORLD, a, NONE, Y);
    ts_bushing_def def = bushing_between(a, b);
    def.at = (ts_vec3){0.5, 0.0, 0.0};
    def.orientation = ts_quat_exp((ts_vec3){0.3, 0.5, -0.2});
    def.stiffness = (ts_vec3){1e8, k & 4 ? 1e3 : 1e8, 1e8};
    def.angular_stiffness = (ts_vec3){1e8, 1e8, k & 4 ? 10.0 : 1e8};
    add_bushing(&w, &def);
    world_start(&w);
    world_move(&w, b, (ts_vec3){0.5, -1.0, 1.0}, (ts_vec3){5.0, -3.0, 4.0});
    world_step(&w);
    const double start = energy_of(&w);
    for (int s = 0; s < 3000; ++s) {
      world_step(&w);
      assert_true(energy_of(&w) < start + 1e-3 * fabs(start) + 1.0);
    }
    const ts_bushing_state at = ts_sim_bushing(w.sim, 0);
    if (!(k & 4)) assert_true(ts_length(at.displacement) < 1e-4 && ts_length(at.rotation) < 1e-4);
    world_release(&w);
  }
}

// Followed by events: 1e3 rad/s as it is; of 1e4 rad/s the work between events comes to its limit, and fixed steps,
// which say so, damp it.
static void stiffness_is_followed_by_events(void **state)
{
  (void)state;
  for (int stiff = 0; stiff < 2; ++stiff) {
    const double k = stiff ? 1e8 : 1e6, frequency = sqrt(k);
    double regularized = 0.0;
    world w;
    begin(&w, TS_SPACE_3D, EVENTS, 1e-3);
    ts_builder_set_gravity(w.builder, NONE);
    const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
    ts_bushing_def def = bushing_between(TS_WORLD, body);
    def.stiffness = def.angular_stiffness = (ts_vec3){k, k, k};
    add_bushing(&w, &def);
    world_start(&w);
    world_move(&w, body, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.0});
    for (int s = 1; s <= (stiff ? 2 : 10); ++s) {
      world_step(&w);
      const ts_bushing_state at = ts_sim_bushing(w.sim, 0);
      const double expected = sin(frequency * 1e-3 * s) / frequency;
      regularized += ts_sim_report(w.sim)->regularized;
      assert_true(energy_of(&w) < 1.0 + 1e-9);
      if (!stiff) assert_near(at.displacement.x, expected, 1e-10);
      if (!stiff) assert_near(at.rotation.z, expected, 1e-10);
    }
    assert_true(stiff ? regularized > 0.0 : regularized == 0.0);
    world_release(&w);
  }
}

// Numbers at the ends of what is accepted leave numbers.
static void extreme_numbers_stay_finite(void **state)
{
  (void)state;
  static const double sizes[] = {0.0, 1e-320, 1e-300, 1e30, 1e60};
  for (int k = 0; k < 5 * 2; ++k) {
    world w;
    begin(&w, TS_SPACE_3D, k % 2, 1e-3);
    const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.03, 0.04}, NONE);
    ts_bushing_def def = bushing_between(TS_WORLD, body);
    const double s = sizes[k / 2];
    def.stiffness = def.angular_stiffness = def.damping = def.angular_damping = (ts_vec3){s, s, s};
    add_bushing(&w, &def);
    world_start(&w);
    world_move(&w, body, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.0});
    world_steps(&w, 20);
    const ts_pose pose = ts_sim_pose(w.sim, body);
    assert_near(pose.position.z, k / 2 < 3 ? -9.81e-6 * 210.0 : 0.0, 1e-9);
    assert_near(pose.position.x, k / 2 < 3 ? 0.02 : 0.0, 1e-9);
    world_release(&w);
  }
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void bad_bushings_are_refused(void **state)
{
  (void)state;
  enum { CASES = 14 };
  for (int plane = 0; plane < 2; ++plane) {
    world w;
    ts_error error;
    begin(&w, plane ? TS_SPACE_2D : TS_SPACE_3D, 0, 1e-3);
    const int a = world_add(&w, "a", TS_DYNAMIC, 1.0, plane ? shape_disc(1.0) : shape_sphere(1.0), NONE);
    const int fixed =
        world_add(&w, "rock", TS_FIXED, 0.0, plane ? shape_disc(1.0) : shape_sphere(1.0), (ts_vec3){5.0, 0.0, 0.0});
    ts_bushing_def good = bushing_between(TS_WORLD, a), cases[CASES];
    good.name = "mount";
    good.stiffness.x = 1.0;
    add_bushing(&w, &good);
    for (int i = 0; i < CASES; ++i) cases[i] = bushing_between(TS_WORLD, a);
    cases[0].cookie = 7;
    cases[1].name = "mount";
    cases[2].body[1] = TS_WORLD;
    cases[3].body[0] = a;
    cases[4].body[0] = 9;
    cases[5].body[1] = fixed;
    cases[6].stiffness.x = -1.0;
    cases[7].damping.y = NAN;
    cases[8].angular_stiffness.z = INFINITY;
    cases[9].angular_damping.z = 1e61;
    cases[10].at.x = INFINITY;
    cases[11].orientation = (ts_quat){0.0, 0.0, 0.0, 0.0};
    cases[12].angle = plane ? NAN : 1.0;
    cases[13].name = "";
    static const char *const words[CASES] = {"ts_bushing_def_default",
                                             "there is already a bushing of that name",
                                             "bushing2': it joins 'world' to itself",
                                             "it joins 'a' to itself",
                                             "there is no body number 9",
                                             "neither 'world' nor 'rock' is dynamic",
                                             "bushing 'bushing2': stiffness must be numbers from 0 to 1e+60",
                                             "damping must be numbers",
                                             "stiffness must be numbers",
                                             "damping must be numbers",
                                             "positions and angles must be finite",
                                             "",
                                             "",
                                             "a bushing needs a name"};
    for (int i = 0; i < CASES; ++i) {
      assert_int_equal(ts_builder_add_bushing(w.builder, &cases[i], NULL, &error), TS_INVALID);
      if (!strstr(error.text, words[i])) fail_msg("%d: %s", i, error.text);
    }
    ts_bushing_def out = bushing_between(TS_WORLD, a);
    out.stiffness.z = plane ? 1.0 : -1.0;
    assert_int_equal(ts_builder_add_bushing(w.builder, &out, NULL, &error), TS_INVALID);
    out.stiffness.z = 0.0;
    out.angular_damping.x = plane ? 1.0 : -1.0;
    assert_int_equal(ts_builder_add_bushing(w.builder, &out, NULL, &error), TS_INVALID);
    if (plane)
      assert_string_equal(error.text,
                          "bushing 'bushing2': in the plane there is no damping along z, nor about x and y");
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_carried_along_the_axes),
      cmocka_unit_test(a_bracket_bends),
      cmocka_unit_test(loads_in_the_plane),
      cmocka_unit_test(modes_have_their_frequencies_and_decays),
      cmocka_unit_test(energy_is_accounted_for),
      cmocka_unit_test(bases_work_through_bushings),
      cmocka_unit_test(coordinates_agree),
      cmocka_unit_test(stiffness_beyond_the_step_is_stable),
      cmocka_unit_test(stiffness_is_followed_by_events),
      cmocka_unit_test(extreme_numbers_stay_finite),
      cmocka_unit_test(bad_bushings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
