// Impulses of forces: the whole of one, once, at its time, in all steppers; what touches answers at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, NONE = {0.0, 0.0, 0.0};
static const double g = 9.81;

enum { STEPPERS = 3, EVENTS = 2 };

static void begin(world *w, int stepper, double h)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = stepper == EVENTS ? ts_stepper_find("event-driven") : fixed_stepper(stepper);
  w->options.size = h;
}

static ts_signal impulse(double time, double value)
{
  return (ts_signal){.kind = TS_SIGNAL_IMPULSE, .time = time, .impulse = value};
}

static ts_force_def force_on(int body)
{
  ts_force_def def = ts_force_def_default();
  def.body = body;
  return def;
}

static void add_force(world *w, const ts_force_def *def)
{
  ts_error error;
  if (ts_builder_add_force(w->builder, def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
}

// Impulses at `count` times, each of 1 N s along x.
static void strike(world *w, int body, const double *times, int count)
{
  ts_signal signals[64];
  for (int i = 0; i < count; ++i) signals[i] = impulse(times[i], 1.0);
  ts_force_def def = force_on(body);
  def.force[0] = (ts_signal){.kind = TS_SIGNAL_SUM, .count = count, .pieces = signals};
  add_force(w, &def);
}

static double works_of(const ts_step_report *r)
{
  return r->contact_work + r->damping_work + r->drive_work + r->applied_work + r->stabilization_work + r->stagger_work +
         r->integration_work;
}

// ---- bodies alone --------------------------------------------------------------------------------------------------

// v+ = v + J/m, w+ = I^-1 (a x J) about the body's axes as they stand, and the work J.(v + v+)/2.
static void a_free_body_takes_the_whole_impulse(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < STEPPERS; ++stepper) {
    world w;
    begin(&w, stepper, 0.01);
    ts_builder_set_gravity(w.builder, NONE);
    const int body = mechanism_body(&w, "a", 2.0, (ts_vec3){0.5, 0.5, 0.5}, NONE);
    ts_force_def def = force_on(body);
    def.at = (ts_vec3){0.0, 0.3, 0.0};
    def.force[0] = impulse(0.0334, 4.0);
    def.torque[1] = impulse(0.0334, 0.25);
    add_force(&w, &def);
    world_start(&w);
    world_move(&w, body, ts_scale(3.0, X), NONE);
    double applied = 0.0;
    for (int k = 0; k < 10; ++k) {
      world_step(&w);
      const ts_step_report *r = ts_sim_report(w.sim);
      applied += r->applied_work;
      assert_near(r->integration_work, 0.0, 1e-12);
      const ts_twist v = ts_sim_velocity(w.sim, body);
      assert_near(v.linear.x, k < 3 ? 3.0 : 5.0, 1e-12);
      assert_near(v.angular.z, k < 3 ? 0.0 : -0.3 * 4.0 / 0.5, 1e-12);
      assert_near(v.angular.y, k < 3 ? 0.0 : 0.25 / 0.5, 1e-12);
    }
    assert_near(applied, 4.0 * 4.0 + 0.5 * (1.2 * 1.2 + 0.25 * 0.25) / 0.5, 1e-11);
    if (stepper == EVENTS) assert_near(ts_sim_pose(w.sim, body).position.x, 0.3 + 2.0 * (0.1 - 0.0334), 1e-12);
    world_release(&w);
  }
}

// Along the body's axes: a quarter turn about z has carried x to y.
static void an_impulse_follows_the_body(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < STEPPERS; ++stepper) {
    world w;
    begin(&w, stepper, 1e-3);
    ts_builder_set_gravity(w.builder, NONE);
    const int body = mechanism_body(&w, "a", 2.0, (ts_vec3){0.5, 0.5, 0.5}, NONE);
    ts_force_def def = force_on(body);
    def.follows = true;
    def.force[0] = impulse(1.0, 4.0);
    add_force(&w, &def);
    world_start(&w);
    world_move(&w, body, NONE, (ts_vec3){0.0, 0.0, 0.5 * TS_PI});
    world_steps(&w, 1001);
    const double turned = stepper == EVENTS ? 1e-11 : 1e-6; // (w h)^2/12 of the way
    assert_near(ts_sim_velocity(w.sim, body).linear.x, 0.0, turned);
    assert_near(ts_sim_velocity(w.sim, body).linear.y, 2.0, turned);
    world_release(&w);
  }
}

// ---- once ----------------------------------------------------------------------------------------------------------

// Times on the grid as it is computed, as it is written, and between: momentum is that of all that have come, up to
// those that round-off may have on either side.
static void every_impulse_acts_once(void **state)
{
  (void)state;
  static const double sizes[] = {0.1, 0.01, 0.007, 1.0 / 3.0, 1e-3};
  for (int stepper = 0; stepper < STEPPERS; ++stepper)
    for (int s = 0; s < 5; ++s) {
      const double h = sizes[s];
      double times[60];
      for (int k = 0; k < 20; ++k) {
        times[3 * k] = k * h;
        times[3 * k + 1] = k == 0 ? 0.0 : nextafter(k * h, k % 2 ? 0.0 : 1e9);
        times[3 * k + 2] = (k + 0.37) * h;
      }
      world w;
      begin(&w, stepper, h);
      ts_builder_set_gravity(w.builder, NONE);
      const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
      strike(&w, body, times, 60);
      world_start(&w);
      for (int k = 0; k < 20; ++k) {
        world_step(&w);
        assert_near(ts_sim_velocity(w.sim, body).linear.x, 3.0 * (k + 1), 1e-10);
      }
      world_steps(&w, 3);
      assert_near(ts_sim_velocity(w.sim, body).linear.x, 60.0, 1e-10);
      world_release(&w);
    }
}

// Written as a decimal number a time is that of a step, whatever the two are in binary: 0.3 and 3 times 0.1.
static void a_time_of_the_grid_belongs_to_the_step_that_begins_there(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < STEPPERS; ++stepper)
    for (int k = 0; k < 40; ++k) {
      world w;
      char text[16];
      double time;
      snprintf(text, sizeof text, "%d.%d", k / 10, k % 10);
      assert_int_equal(sscanf(text, "%lf", &time), 1);
      begin(&w, stepper, 0.1);
      ts_builder_set_gravity(w.builder, NONE);
      const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
      strike(&w, body, &time, 1);
      world_start(&w);
      world_steps(&w, k);
      assert_near(ts_sim_velocity(w.sim, body).linear.x, 0.0, 0.0);
      world_step(&w);
      assert_near(ts_sim_velocity(w.sim, body).linear.x, 1.0, 1e-13);
      world_release(&w);
    }
}

// From any state that was saved, with steps of the same or another length, the same impulses are still to come.
static void a_resumed_run_neither_repeats_nor_loses_one(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.55, 0.6, 0.7};
  static const double sizes[] = {0.1, 0.05, 0.03};
  for (int stepper = 0; stepper < STEPPERS; ++stepper)
    for (int s = 0; s < 3; ++s) {
      world w, other;
      world_state saved;
      begin(&w, stepper, 0.1);
      ts_builder_set_gravity(w.builder, NONE);
      const int body = mechanism_body(&w, "a", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
      strike(&w, body, times, 9);
      world_start(&w);
      for (int k = 0; k < 9; ++k) {
        world_save(&w, &saved);
        other = w;
        other.options.size = sizes[s];
        world_simulate(&other);
        world_load(&other, &saved);
        while (ts_sim_time(other.sim) < 1.0) world_step(&other);
        assert_near(ts_sim_velocity(other.sim, body).linear.x, 9.0, 1e-12);
        ts_sim_destroy(other.sim);
        world_step(&w);
      }
      world_release(&w);
    }
}

// Leaning boxes whose solver may try once: their steps are cut. A body that has nothing to do with them is struck.
static void parts_of_a_step_share_its_impulses(void **state)
{
  (void)state;
  world w;
  ts_error error;
  double times[48];
  begin(&w, 0, 0.01);
  w.options.max_iterations = 1;
  w.options.max_substeps = 16;
  w.options.start = TS_START_AS_GIVEN;
  world_floor(&w);
  for (int k = 0; k < 4; ++k) {
    char name[8];
    snprintf(name, sizeof name, "box%d", k);
    ts_body_def def = ts_body_def_default();
    def.name = name;
    def.mass = 1.0;
    def.pose.position = (ts_vec3){0.12 * k, 0.03 * k, 0.1 + 0.15 * k};
    def.velocity.angular = (ts_vec3){1.0, -2.0, 0.5};
    world_add_def(&w, &def, shape_box(0.2, 0.2, 0.2));
  }
  const int body = mechanism_body(&w, "struck", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){50.0, 0.0, 50.0});
  for (int k = 0; k < 48; ++k) times[k] = 0.01 * (k / 4) + 0.0025 * (k % 4);
  strike(&w, body, times, 48);
  world_start(&w);
  int cut = 0;
  for (int k = 0; k < 12; ++k) {
    if (ts_sim_step(w.sim, &error) != TS_OK) fail_msg("%s", error.text);
    cut += ts_sim_report(w.sim)->substeps > 1;
    assert_near(ts_sim_velocity(w.sim, body).linear.x, 4.0 * (k + 1), 1e-11);
  }
  print_message("%d of 12 steps were cut\n", cut);
  assert_true(cut > 3);
  world_release(&w);
}

// ---- contact -------------------------------------------------------------------------------------------------------

// A block that lies on the floor is struck down: what it got goes into the floor, which gives nothing back though it
// has a restitution. Nothing works.
static void what_rests_stays_at_rest_when_it_is_struck_down(void **state)
{
  (void)state;
  static const ts_impact_law laws[] = {TS_IMPACT_DEFAULT, TS_IMPACT_POISSON, TS_IMPACT_INELASTIC, TS_IMPACT_NEWTON};
  for (int stepper = 0; stepper < STEPPERS; ++stepper)
    for (int law = 0; law < (stepper == EVENTS ? 3 : 4); ++law) {
      const double h = 1e-3, mass = 2.0;
      world w;
      begin(&w, stepper, h);
      w.options.impacts = laws[law];
      world_friction(&w, 0.5, 0.8);
      world_floor(&w);
      const int box = world_add(&w, "box", TS_DYNAMIC, mass, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1});
      ts_force_def def = force_on(box);
      def.force[2] = impulse(0.0205, -6.0);
      add_force(&w, &def);
      world_start(&w);
      for (int k = 0; k < 60; ++k) {
        world_step(&w);
        const ts_step_report *r = ts_sim_report(w.sim);
        int count;
        double carried = 0.0;
        const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
        for (int i = 0; i < count; ++i) carried += contacts[i].impulse[0];
        assert_near(carried, mass * g * h + (k == 20 ? 6.0 : 0.0), 1e-7);
        assert_near(ts_sim_velocity(w.sim, box).linear.z, 0.0, 1e-9);
        assert_near(r->applied_work, 0.0, 1e-8);
        assert_near(r->contact_work, 0.0, 1e-8);
        assert_near(r->integration_work, 0.0, 1e-8);
      }
      assert_near(ts_sim_pose(w.sim, box).position.z, 0.1, 1e-8);
      world_release(&w);
    }
}

// Struck down by N and along by T > mu N: friction takes mu N of it at once, the block slides (T - mu N)/m fast and
// stops after v^2/(2 mu g). With T < mu N it stays.
static void friction_has_its_share_of_an_oblique_blow(void **state)
{
  (void)state;
  const double mu = 0.4, mass = 1.5, down = 2.0, along[] = {2.0, 0.7}, h = 1e-3;
  for (int stepper = 0; stepper < STEPPERS; ++stepper)
    for (int k = 0; k < 2; ++k) {
      world w;
      begin(&w, stepper, h);
      world_friction(&w, mu, 0.0);
      world_floor(&w);
      const int box = world_add(&w, "box", TS_DYNAMIC, mass, shape_box(0.4, 0.4, 0.02), (ts_vec3){0.0, 0.0, 0.01});
      ts_force_def def = force_on(box);
      def.at = (ts_vec3){0.0, 0.0, -0.01}; // in the plane of friction: nothing tips it
      def.force[0] = impulse(0.0155, along[k]);
      def.force[2] = impulse(0.0155, -down);
      add_force(&w, &def);
      world_start(&w);
      world_steps(&w, 500);
      const double v = fmax(0.0, (along[k] - mu * down) / mass), way = v * v / (2.0 * mu * g);
      assert_near(ts_sim_pose(w.sim, box).position.x, way, stepper == EVENTS ? 1e-9 : v * h + 1e-12);
      assert_near(ts_sim_velocity(w.sim, box).linear.x, 0.0, 1e-9);
      world_release(&w);
    }
}

// ---- joints --------------------------------------------------------------------------------------------------------

// The motor of a hinge gives J to the rate: J/(I + m r^2) of it.
static void a_motor_gives_an_impulse(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * STEPPERS; ++k) {
    world w;
    begin(&w, k / 2, 1e-3);
    w.options.coordinates = k % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    ts_builder_set_gravity(w.builder, NONE);
    const int arm = mechanism_body(&w, "arm", 2.0, (ts_vec3){0.1, 0.2, 0.3}, (ts_vec3){0.5, 0.0, 0.0});
    ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, NONE, Y);
    hinge.motor = (ts_motor){.kind = TS_MOTOR_FORCE, .target = impulse(0.01, 1.4), .max_force = INFINITY};
    mechanism_add(&w, &hinge);
    world_start(&w);
    double applied = 0.0, rate;
    for (int s = 0; s < 11; ++s) {
      world_step(&w);
      applied += ts_sim_report(w.sim)->applied_work;
    }
    ts_sim_joint_position(w.sim, 0, &rate);
    assert_near(rate, 1.4 / (0.2 + 2.0 * 0.25), 1e-10);
    assert_near(applied, 0.5 * 1.4 * 1.4 / 0.7, 1e-10);
    world_release(&w);
  }
}

// Two equal rods of length 1 in line, m = 1, I = 1/12 about their centres, hinged to the world and to each other; J
// across the end of the second. From 4/3 u + 1/2 w = J, 1/2 u + 1/3 w = J: u = -6/7 J, w = 30/7 J.
static void a_chain_answers_as_a_whole(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * STEPPERS; ++k) {
    world w;
    begin(&w, k / 2, 1e-6);
    w.options.coordinates = k % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    ts_builder_set_gravity(w.builder, NONE);
    const ts_vec3 thin = {1e-3, 1.0 / 12.0, 1.0 / 12.0};
    const int a = mechanism_body(&w, "a", 1.0, thin, (ts_vec3){0.5, 0.0, 0.0});
    const int b = mechanism_body(&w, "b", 1.0, thin, (ts_vec3){1.5, 0.0, 0.0});
    mechanism_hinge(&w, TS_WORLD, a, NONE, (ts_vec3){0.0, 0.0, 1.0});
    mechanism_hinge(&w, a, b, (ts_vec3){0.5, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.0});
    ts_force_def def = force_on(b);
    def.at = (ts_vec3){0.5, 0.0, 0.0};
    def.force[1] = impulse(0.0, 0.7);
    add_force(&w, &def);
    world_start(&w);
    world_step(&w);
    assert_near(ts_sim_velocity(w.sim, a).angular.z, -0.6, 1e-4);
    assert_near(ts_sim_velocity(w.sim, b).angular.z, 3.0, 1e-4);
    assert_near(ts_sim_report(w.sim)->applied_work, 0.5 * 0.7 * (-0.6 + 3.0), 1e-4);
    world_release(&w);
  }
}

// ---- works ---------------------------------------------------------------------------------------------------------

// An arm on a base that swings or stands, with damper, friction, spring and a floor that it may hit, struck six times.
static double integration_of(int stepper, ts_coordinates coordinates, bool swings, double h)
{
  world w;
  ts_error error;
  int base = TS_WORLD, index;
  begin(&w, stepper, h);
  w.options.coordinates = coordinates;
  if (swings) {
    ts_motion_def motion = ts_motion_def_default();
    base = motion.body = mechanism_kinematic(&w, "base", NONE);
    motion.displacement[0] =
        (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.2, .frequency = 5.0, .phase = 0.5 * TS_PI};
    motion.rotation[1] = (ts_signal){.kind = TS_SIGNAL_RAMP, .to = 0.4, .start = 0.05, .end = 0.35};
    assert_int_equal(ts_builder_add_motion(w.builder, &motion, &index, &error), TS_OK);
  }
  const int a = mechanism_body(&w, "a", 1.0, (ts_vec3){0.02, 0.01, 0.02}, (ts_vec3){0.3, 0.0, 0.0});
  const int b = mechanism_body(&w, "b", 0.5, (ts_vec3){0.01, 0.02, 0.01}, (ts_vec3){0.7, 0.0, 0.0});
  ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, base, a, NONE, Y);
  hinge.damping = 0.3;
  hinge.friction = 0.2;
  mechanism_add(&w, &hinge);
  mechanism_hinge(&w, a, b, (ts_vec3){0.2, 0.0, 0.0}, Y);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = TS_WORLD;
  spring.body[1] = b;
  spring.at[0] = (ts_vec3){0.3, 0.0, 0.4};
  spring.stiffness = 15.0;
  spring.damping = 0.4;
  spring.length = 0.3;
  spring.implicit = false;
  assert_int_equal(ts_builder_add_spring(w.builder, &spring, &index, &error), TS_OK);
  const ts_signal blows[] = {impulse(0.03, 0.4), impulse(0.111, -0.6), impulse(0.2, 0.5), ts_signal_constant(1.0)};
  ts_force_def def = force_on(b);
  def.at = (ts_vec3){0.1, 0.0, 0.05};
  for (int i = 0; i < 3; i += 2) def.force[i] = (ts_signal){.kind = TS_SIGNAL_SUM, .count = 4, .pieces = blows};
  add_force(&w, &def);
  world_start(&w);
  const ts_step_report *r = ts_sim_report(w.sim);
  double energy = r->kinetic_energy + r->potential_energy, sum = 0.0;
  while (ts_sim_time(w.sim) < 0.4) {
    world_step(&w);
    r = ts_sim_report(w.sim);
    assert_near(r->kinetic_energy + r->potential_energy - energy, works_of(r), 1e-12);
    assert_true(r->damping_work <= 1e-15);
    energy = r->kinetic_energy + r->potential_energy;
    sum += r->integration_work;
  }
  world_release(&w);
  return sum;
}

// Works that were missed would stay in it at any step.
static void works_add_up(void **state)
{
  (void)state;
  static const ts_coordinates both[] = {TS_COORDINATES_REDUNDANT, TS_COORDINATES_MINIMAL};
  for (int stepper = 0; stepper < 2; ++stepper)
    for (int c = 0; c < 2; ++c)
      for (int swings = 0; swings < 2; ++swings) {
        const double coarse = integration_of(stepper, both[c], swings, 2e-3);
        const double fine = integration_of(stepper, both[c], swings, 2.5e-4);
        print_message("stepper %d, coordinates %d, base %d: %.3g J at 2 ms, %.3g J at 0.25 ms\n", stepper, c, swings,
                      coarse, fine);
        assert_true(fabs(fine) < 0.2 * fabs(coarse) + 2e-4);
      }
  for (int swings = 0; swings < 2; ++swings) {
    const double left = integration_of(EVENTS, TS_COORDINATES_MINIMAL, swings, 5e-3);
    print_message("event-driven, base %d: %.3g J\n", swings, left);
    assert_near(left, 0.0, 1e-7);
  }
}

// An arm on a base that goes up meets a stop: what the stop takes, and the base gives, make the change of energy.
static void bases_work_in_impacts(void **state)
{
  (void)state;
  for (int rotates = 0; rotates < 2; ++rotates) {
    world w;
    ts_error error;
    begin(&w, EVENTS, 1e-2);
    world_friction(&w, 0.3, 0.5);
    world_floor(&w);
    ts_motion_def motion = ts_motion_def_default();
    motion.body = mechanism_kinematic(&w, "base", (ts_vec3){0.0, 0.0, 0.5});
    static const double down[] = {0.0, -0.4}, turn[] = {0.0, 1.0};
    motion.displacement[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = down};
    if (rotates) motion.rotation[1] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = turn};
    assert_int_equal(ts_builder_add_motion(w.builder, &motion, NULL, &error), TS_OK);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.6, 0.0, 0.5});
    mechanism_hinge(&w, motion.body, ball, NONE, Y);
    world_start(&w);
    int events = 0;
    double left = 0.0;
    for (int k = 0; k < 60; ++k) {
      world_step(&w);
      const ts_step_report *r = ts_sim_report(w.sim);
      events += r->events;
      left = fmax(left, fabs(r->integration_work));
    }
    print_message("%d impacts, at most %.2g J unaccounted for\n", events, left);
    assert_true(events > 1);
    assert_near(left, 0.0, 1e-9);
    world_release(&w);
  }
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void refuse_motor(ts_motor motor, const char *words)
{
  world w;
  ts_error error;
  begin(&w, 0, 1e-3);
  const int arm = mechanism_body(&w, "arm", 1.0, (ts_vec3){1.0, 1.0, 1.0}, NONE);
  ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, NONE, Y);
  hinge.motor = motor;
  assert_int_equal(ts_builder_add_joint(w.builder, &hinge, NULL, &error), TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("%s", error.text);
  world_release(&w);
}

static void an_impulse_is_a_force(void **state)
{
  (void)state;
  const ts_signal blow = impulse(1.0, 1.0), zero = {0}, two[] = {zero, blow};
  const ts_signal hidden = {.kind = TS_SIGNAL_SUM, .count = 2, .pieces = two};
  refuse_motor((ts_motor){.kind = TS_MOTOR_SERVO, .target = blow, .stiffness = 1.0, .max_force = INFINITY},
               "joint 'joint1': the target of a motor is no force and has no impulse");
  refuse_motor((ts_motor){.kind = TS_MOTOR_VELOCITY, .target = hidden, .max_force = 5.0}, "is no force");
  refuse_motor((ts_motor){.kind = TS_MOTOR_FORCE, .target = hidden, .max_force = 5.0},
               "an impulse is more than any max_force");
  refuse_motor((ts_motor){.kind = TS_MOTOR_FORCE, .target = impulse(-1.0, 1.0), .max_force = INFINITY}, "never acts");
  for (int k = 0; k < 2; ++k) {
    world w;
    ts_error error;
    begin(&w, 0, 1e-3);
    ts_motion_def motion = ts_motion_def_default();
    motion.body = mechanism_kinematic(&w, "base", NONE);
    (k ? motion.rotation : motion.displacement)[2] = hidden;
    assert_int_equal(ts_builder_add_motion(w.builder, &motion, NULL, &error), TS_INVALID);
    assert_string_equal(error.text, "motion of 'base': a place or an angle is no force and has no impulse");
    world_release(&w);
  }
}

// Blows beyond all measure: one sentence and the state before, never numbers that are none.
static void a_blow_beyond_numbers_is_an_error(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < STEPPERS; ++stepper) {
    world w;
    ts_error error;
    begin(&w, stepper, 1e-3);
    world_floor(&w);
    const int box = world_add(&w, "box", TS_DYNAMIC, 1e-3, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.3});
    ts_force_def def = force_on(box);
    def.force[0] = impulse(0.001, 1e307);
    add_force(&w, &def);
    world_start(&w);
    world_step(&w);
    assert_int_equal(ts_sim_step(w.sim, &error), TS_INVALID);
    assert_near(ts_sim_velocity(w.sim, box).linear.x, 0.0, 0.0);
    assert_near(ts_sim_time(w.sim), 0.001, 1e-15);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_body_takes_the_whole_impulse),
      cmocka_unit_test(an_impulse_follows_the_body),
      cmocka_unit_test(every_impulse_acts_once),
      cmocka_unit_test(a_time_of_the_grid_belongs_to_the_step_that_begins_there),
      cmocka_unit_test(a_resumed_run_neither_repeats_nor_loses_one),
      cmocka_unit_test(parts_of_a_step_share_its_impulses),
      cmocka_unit_test(what_rests_stays_at_rest_when_it_is_struck_down),
      cmocka_unit_test(friction_has_its_share_of_an_oblique_blow),
      cmocka_unit_test(a_motor_gives_an_impulse),
      cmocka_unit_test(a_chain_answers_as_a_whole),
      cmocka_unit_test(works_add_up),
      cmocka_unit_test(bases_work_in_impacts),
      cmocka_unit_test(an_impulse_is_a_force),
      cmocka_unit_test(a_blow_beyond_numbers_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
