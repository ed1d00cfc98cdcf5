// Event-driven stepping against closed forms: a ball that comes to rest, stops, forces and bases that are functions of
// time, jumps of these, gaps that close and open again within a step; and what it refuses.
#include "mechanism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

// ---- a ball --------------------------------------------------------------------------------------------------------

// Dropped from h with e = 1/2: impacts at t1 (1 + 2 e + 2 e^2 + ...), t1 = sqrt(2 h/g), which end at 3 t1.
static void a_ball_comes_to_rest_when_its_bounces_add_up(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.5);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.25), (ts_vec3){0.0, 0.0, 1.25});
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.size = 0.02;
  world_start(&w);
  const double rest = 3.0 * sqrt(2.0 / 9.81);
  double last = 0.0;
  int impacts = 0;
  for (int k = 0; k < 150; ++k) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    impacts += report->events;
    if (report->events > 0) last = report->event_time;
  }
  assert_true(fabs(last - rest) < 1e-6);
  assert_true(impacts > 15 && impacts < 40);
  assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - 0.25) < 1e-12);
  assert_true(fabs(ts_sim_velocity(w.sim, ball).linear.z) < 1e-12);
  world_release(&w);
}

// ---- a stop --------------------------------------------------------------------------------------------------------

// A ball on a rod of length 1 falls from the horizontal against a stop at the vertical, e = 1/2: it arrives with
// w^2 = 2 m g/I and leaves with half of that, and comes back as fast as it left.
static void a_pendulum_rebounds_from_its_stop(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const double m = 1.5, r = 0.1, I = m * (1.0 + 0.4 * r * r);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 1.0, 0.0});
  const ts_vec3 pivot = {0.0, 0.0, 0.0}, axis = {1.0, 0.0, 0.0};
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, ball, pivot, axis);
  def.limited = true;
  def.lower = -0.5 * TS_PI;
  def.upper = INFINITY;
  def.restitution = 0.5;
  mechanism_add(&w, &def);
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.tolerance = 1e-12;
  w.options.size = 0.01;
  world_start(&w);
  double rate = sqrt(2.0 * m * 9.81 / I);
  int impacts = 0;
  for (int k = 0; impacts < 4 && k < 400; ++k) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    if (report->events == 0) continue;
    assert_int_equal(report->events, 1);
    ++impacts;
    rate *= 0.5;
    const double energy = report->kinetic_energy + report->potential_energy; // at the bottom all of it is kinetic
    assert_true(fabs(energy - (0.5 * I * rate * rate - m * 9.81)) < 1e-9);
  }
  assert_int_equal(impacts, 4);
  world_release(&w);
}

// ---- forces of time ------------------------------------------------------------------------------------------------

static int floating_body(world *w)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  return mechanism_body(w, "m", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){0.0, 0.0, 0.0});
}

static void push_along_x(world *w, int body, ts_signal force)
{
  ts_force_def def = ts_force_def_default();
  ts_error error;
  int index;
  def.body = body;
  def.force[0] = force;
  assert_int_equal(ts_builder_add_force(w->builder, &def, &index, &error), TS_OK);
}

static void move_along_x(world *w, int body, ts_signal displacement)
{
  ts_motion_def def = ts_motion_def_default();
  ts_error error;
  int index;
  def.body = body;
  def.displacement[0] = displacement;
  assert_int_equal(ts_builder_add_motion(w->builder, &def, &index, &error), TS_OK);
}

static void start_event_driven(world *w, double size)
{
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.size = size;
  world_start(w);
}

// v' = 100 cos(100 t + phase), also where a whole number of periods makes a step.
static void forces_of_time_are_integrated_whatever_the_step(void **state)
{
  (void)state;
  static const double sizes[] = {1.0, 0.1, 0.01, 0.25 * 0.06283185307179587};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) {
      world w;
      const double phase = 0.5 * TS_PI * i;
      const int body = floating_body(&w);
      push_along_x(&w, body,
                   (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 100.0, .frequency = 100.0, .phase = phase});
      start_event_driven(&w, sizes[k]);
      world_steps(&w, k == 0 ? 1 : 10);
      const double t = ts_sim_time(w.sim), v = cos(phase) - cos(100.0 * t + phase);
      assert_true(fabs(ts_sim_velocity(w.sim, body).linear.x - v) < 1e-10);
      world_release(&w);
    }
}

// 1000 N from 0.3 s to 0.301 s on 1 kg.
static void a_pulse_is_met_whatever_the_step(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.3, 0.301}, sizes[] = {0.5, 0.1, 0.01, 0.3};
  const ts_signal pieces[] = {ts_signal_constant(0.0), ts_signal_constant(1000.0), ts_signal_constant(0.0)};
  for (int k = 0; k < 4; ++k) {
    world w;
    const int body = floating_body(&w);
    push_along_x(&w, body, (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = 3, .times = times, .pieces = pieces});
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 0.4) world_step(&w);
    const double x = 0.5 * 1000.0 * 1e-6 + ts_sim_time(w.sim) - 0.301;
    assert_true(fabs(ts_sim_velocity(w.sim, body).linear.x - 1.0) < 1e-11);
    assert_true(fabs(ts_sim_pose(w.sim, body).position.x - x) < 1e-11);
    world_release(&w);
  }
}

// The same of constrained motion: a box that slides with friction under a push that steps up and down.
static void constrained_motion_meets_steps_of_force(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.105, 0.31}, sizes[] = {0.2, 0.05, 0.01};
  const double m = 2.0, mu = 0.25, F = 20.0, g = 9.81;
  const ts_signal pieces[] = {ts_signal_constant(0.0), ts_signal_constant(F), ts_signal_constant(0.0)};
  for (int k = 0; k < 3; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, mu, 0.0);
    world_floor(&w);
    const int box = world_add(&w, "box", TS_DYNAMIC, m, shape_box(1.0, 1.0, 0.2), (ts_vec3){0.0, 0.0, 0.1});
    push_along_x(&w, box, (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = 3, .times = times, .pieces = pieces});
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 0.4 - 1e-9) world_step(&w);
    const double up = F / m - mu * g, fast = up * (0.31 - 0.105), late = 0.4 - 0.31;
    const double v = fast - mu * g * late;
    const double x = 0.5 * up * 0.205 * 0.205 + fast * late - 0.5 * mu * g * late * late;
    assert_true(fabs(ts_sim_velocity(w.sim, box).linear.x - v) < 1e-8);
    assert_true(fabs(ts_sim_pose(w.sim, box).position.x - x) < 1e-8);
    world_release(&w);
  }
}

// A joint so strongly damped that it creeps: rate m g r/c, where a long step explodes.
static void strong_damping_does_not_explode(void **state)
{
  (void)state;
  for (double c = 1e2; c < 1e6; c *= 10.0) {
    world w;
    world_init(&w, TS_SPACE_3D);
    const int body = mechanism_body(&w, "m", 1.0, (ts_vec3){0.01, 0.01, 0.01}, (ts_vec3){0.1, 0.0, 0.0});
    const ts_vec3 pivot = {0.0, 0.0, 0.0}, axis = {0.0, 1.0, 0.0};
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, pivot, axis);
    def.damping = c;
    mechanism_add(&w, &def);
    start_event_driven(&w, 0.01);
    world_steps(&w, 2);
    assert_true(fabs(c / 0.981 * ts_sim_velocity(w.sim, body).angular.y - 1.0) < 0.1 / c + 1e-7);
    world_release(&w);
  }
}

// A velocity motor whose target steps from 0 to 1 m/s at 0.105 s reaches it with its largest force.
static void a_motor_meets_the_step_of_its_target(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.105}, sizes[] = {0.2, 0.05, 0.01};
  const ts_signal pieces[] = {ts_signal_constant(0.0), ts_signal_constant(1.0)};
  for (int k = 0; k < 3; ++k) {
    world w;
    const int body = floating_body(&w);
    ts_joint_def def =
        mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, body, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){1.0, 0.0, 0.0});
    def.motor = (ts_motor){.kind = TS_MOTOR_VELOCITY, .max_force = 8.0};
    def.motor.target = (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = 2, .times = times, .pieces = pieces};
    mechanism_add(&w, &def);
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 0.2 - 1e-9) world_step(&w);
    const double t = ts_sim_time(w.sim) - 0.105;
    assert_true(fabs(ts_sim_velocity(w.sim, body).linear.x - 8.0 * t) < 1e-8);
    while (ts_sim_time(w.sim) < 0.4 - 1e-9) world_step(&w);
    assert_true(fabs(ts_sim_velocity(w.sim, body).linear.x - 1.0) < 1e-8);
    assert_true(fabs(ts_sim_pose(w.sim, body).position.x - (0.4 - 0.105 - 0.0625)) < 1e-8);
    world_release(&w);
  }
}

// ---- a run that is taken up again ----------------------------------------------------------------------------------

// A box that slides, and a pendulum beside it: from a saved state on the steps are the same to the last bit.
static void constrained_motion_goes_on_from_a_saved_state(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.0);
  world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, 2.0, shape_box(1.0, 1.0, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  const int bob = world_add(&w, "bob", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){5.0, 1.0, 3.0});
  push_along_x(&w, box, (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 30.0, .frequency = 20.0});
  mechanism_hinge(&w, TS_WORLD, bob, (ts_vec3){5.0, 0.0, 3.0}, (ts_vec3){1.0, 0.0, 0.0});
  start_event_driven(&w, 0.004);
  world_steps(&w, 20);
  static world_state saved;
  world_save(&w, &saved);
  world_steps(&w, 20);
  const ts_pose there[] = {ts_sim_pose(w.sim, box), ts_sim_pose(w.sim, bob)};
  ts_sim_destroy(w.sim);
  world_simulate(&w);
  world_load(&w, &saved);
  world_steps(&w, 20);
  const ts_pose again[] = {ts_sim_pose(w.sim, box), ts_sim_pose(w.sim, bob)};
  assert_memory_equal(there, again, sizeof there);
  world_release(&w);
}

// ---- moving bases --------------------------------------------------------------------------------------------------

// A pendulum of length 1 on a base that is shaken up and down by a sin(w t): I q'' = -m (g + z'') sin q. Here by the
// classical Runge-Kutta method in short steps.
typedef struct shaken_state {
  double q, v;
} shaken_state;

static shaken_state shaken_rate(shaken_state y, double t, double w)
{
  return (shaken_state){y.v, -(9.81 - 0.01 * w * w * sin(w * t)) * sin(y.q) / 1.01};
}

static shaken_state shaken_reference(double w, double end, int steps)
{
  shaken_state y = {1.0, 0.0};
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const shaken_state a = shaken_rate(y, t, w);
    const shaken_state b = shaken_rate((shaken_state){y.q + 0.5 * h * a.q, y.v + 0.5 * h * a.v}, t + 0.5 * h, w);
    const shaken_state c = shaken_rate((shaken_state){y.q + 0.5 * h * b.q, y.v + 0.5 * h * b.v}, t + 0.5 * h, w);
    const shaken_state d = shaken_rate((shaken_state){y.q + h * c.q, y.v + h * c.v}, t + h, w);
    y.q += h / 6.0 * (a.q + 2.0 * b.q + 2.0 * c.q + d.q);
    y.v += h / 6.0 * (a.v + 2.0 * b.v + 2.0 * c.v + d.v);
  }
  return y;
}

static void a_pendulum_feels_how_its_base_is_shaken(void **state)
{
  (void)state;
  static const double frequency[] = {10.0, 100.0, 1000.0, 2000.0};
  for (int k = 0; k < 4; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    const int base = mechanism_kinematic(&w, "base", (ts_vec3){0.0, 0.0, 0.0});
    const int body = mechanism_body(&w, "m", 1.0, (ts_vec3){0.01, 0.01, 0.01}, (ts_vec3){0.0, 0.0, -1.0});
    ts_motion_def motion = ts_motion_def_default();
    ts_error error;
    int index;
    motion.body = base;
    motion.displacement[2] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.01, .frequency = frequency[k]};
    assert_int_equal(ts_builder_add_motion(w.builder, &motion, &index, &error), TS_OK);
    ts_joint_def def =
        mechanism_joint(TS_JOINT_REVOLUTE, base, body, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 1.0, 0.0});
    def.position = 1.0;
    mechanism_add(&w, &def);
    start_event_driven(&w, 0.01);
    world_steps(&w, 10);
    const double v = shaken_reference(frequency[k], 0.1, 200000).v;
    assert_true(fabs(ts_sim_velocity(w.sim, body).angular.y - v) < 1e-9 * (1.0 + fabs(v)));
    world_release(&w);
  }
}

// A base begins to move with 1 m/s at 0.3 s. A slider along x stays where it is. A rod that hangs on a hinge, its
// centre r below, keeps its angular momentum about the hinge, m r (v - w r) = I w, and turns on
// evenly.
static void a_base_that_jumps_drags_along_what_joints_hold(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.3, 1.3}, values[] = {0.0, 0.0, 1.0}, sizes[] = {1.0, 0.3, 0.1, 0.01};
  const double r = 0.5, I = 0.1, m = 2.0;
  for (int k = 0; k < 4; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
    const int base = mechanism_kinematic(&w, "base", (ts_vec3){0.0, 0.0, 0.0});
    const int slider = mechanism_body(&w, "slider", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){0.0, 1.0, 0.0});
    const int rod = mechanism_body(&w, "rod", m, (ts_vec3){I, I, I}, (ts_vec3){0.0, 0.0, -r});
    const ts_vec3 at = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    move_along_x(&w, base, (ts_signal){.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = values});
    const ts_joint_def slide = mechanism_joint(TS_JOINT_PRISMATIC, base, slider, at, x);
    mechanism_add(&w, &slide);
    mechanism_hinge(&w, base, rod, at, y);
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 0.9) world_step(&w);
    const double spin = m * r / (I + m * r * r);
    assert_true(fabs(ts_sim_velocity(w.sim, slider).linear.x) < 1e-13);
    assert_true(fabs(ts_sim_pose(w.sim, slider).position.x) < 1e-13);
    assert_true(fabs(fabs(ts_sim_velocity(w.sim, rod).angular.y) - spin) < 1e-11);
    world_release(&w);
  }
}

// Two cranks of length r that hang on such a base and a bar between them that closes a loop. With q the angle of the
// cranks and V the jump of the base, q' = V (m r + M r)/(2 (I + m r^2/4) + M r^2), and constant from then on. The bar
// never turns. What the loop opens by is seen, and is little.
static void a_loop_on_a_base_that_jumps_stays_closed(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.3, 1.3}, values[] = {0.0, 0.0, 1.0};
  const double r = 0.5, I = 0.1, m = 2.0, M = 3.0;
  const ts_vec3 y = {0.0, 1.0, 0.0}, moments = {I, I, I};
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  const int base = mechanism_kinematic(&w, "base", (ts_vec3){0.0, 0.0, 0.0});
  const int left = mechanism_body(&w, "left", m, moments, (ts_vec3){0.0, 0.0, -0.5 * r});
  const int right = mechanism_body(&w, "right", m, moments, (ts_vec3){1.0, 0.0, -0.5 * r});
  const int bar = mechanism_body(&w, "bar", M, moments, (ts_vec3){0.5, 0.0, -r});
  move_along_x(&w, base, (ts_signal){.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = values});
  mechanism_hinge(&w, base, left, (ts_vec3){0.0, 0.0, 0.0}, y);
  mechanism_hinge(&w, base, right, (ts_vec3){1.0, 0.0, 0.0}, y);
  mechanism_hinge(&w, left, bar, (ts_vec3){0.0, 0.0, -0.5 * r}, y);
  mechanism_hinge(&w, right, bar, (ts_vec3){0.0, 0.0, -0.5 * r}, y);
  start_event_driven(&w, 0.05);
  double error = 0.0;
  while (ts_sim_time(w.sim) < 0.9) {
    world_step(&w);
    error = fmax(error, ts_sim_report(w.sim)->joint_error);
  }
  const double rate = (m * r + M * r) / (2.0 * (I + 0.25 * m * r * r) + M * r * r);
  assert_true(fabs(fabs(ts_sim_velocity(w.sim, left).angular.y) - rate) < 1e-10);
  assert_true(fabs(fabs(ts_sim_velocity(w.sim, right).angular.y) - rate) < 1e-10);
  assert_true(fabs(ts_sim_velocity(w.sim, bar).angular.y) < 1e-10);
  assert_true(error > 0.0 && error < 1e-10);
  world_release(&w);
}

// A box on a belt that begins to move: it slides until it is as fast, t = V/(mu g).
static void a_box_on_a_base_that_jumps_is_carried_along(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.3, 1.3}, values[] = {0.0, 0.0, 1.0}, sizes[] = {0.3, 0.05};
  const double mu = 0.25, g = 9.81, slides = 1.0 / (mu * g);
  for (int k = 0; k < 2; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, mu, 0.0);
    const int belt = world_add(&w, "belt", TS_KINEMATIC, 0.0, shape_box(9.0, 2.0, 1.0), (ts_vec3){0.0, 0.0, -0.5});
    const int box = world_add(&w, "box", TS_DYNAMIC, 2.0, shape_box(0.4, 0.4, 0.2), (ts_vec3){0.0, 0.0, 0.1});
    move_along_x(&w, belt, (ts_signal){.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = values});
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 0.6 - 1e-9) world_step(&w);
    const double t = ts_sim_time(w.sim) - 0.3;
    assert_true(t < slides);
    assert_true(fabs(ts_sim_velocity(w.sim, box).linear.x - mu * g * t) < 1e-8);
    while (ts_sim_time(w.sim) < 1.2 - 1e-9) world_step(&w);
    const double x = ts_sim_time(w.sim) - 0.3 - 0.5 * slides;
    assert_true(fabs(ts_sim_velocity(w.sim, box).linear.x - 1.0) < 1e-8);
    assert_true(fabs(ts_sim_pose(w.sim, box).position.x - x) < 1e-8);
    world_release(&w);
  }
}

// ---- gaps that close and open again --------------------------------------------------------------------------------

// Thrown up against a stop 6.6 cm below its apex, e = 1/2: the first flight, then one from the stop downwards.
static void a_stop_below_the_apex_is_met_whatever_the_step(void **state)
{
  (void)state;
  static const double sizes[] = {2.2, 1.1, 0.7, 0.1, 0.01};
  const double v0 = 7.3, top = 2.65, g = 9.81, v1 = sqrt(v0 * v0 - 2.0 * g * top), t1 = (v0 - v1) / g;
  for (int k = 0; k < 5; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    const int body = mechanism_body(&w, "m", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){0.0, 0.0, 0.0});
    ts_joint_def def =
        mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, body, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.0});
    def.velocity = v0;
    def.limited = true;
    def.lower = -INFINITY;
    def.upper = top;
    def.restitution = 0.5;
    mechanism_add(&w, &def);
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 2.2 - 1e-9) world_step(&w);
    const double t = ts_sim_time(w.sim) - t1;
    assert_true(fabs(ts_sim_pose(w.sim, body).position.z - (top - 0.5 * v1 * t - 0.5 * g * t * t)) < 1e-10);
    world_release(&w);
  }
}

// The same of a contact: a ball against a ceiling.
static void a_ceiling_below_the_apex_is_met_whatever_the_step(void **state)
{
  (void)state;
  static const double sizes[] = {4.0, 1.0, 0.3, 0.01}, below[] = {0.1, 1e-3, 1e-5};
  const double v0 = 7.3, g = 9.81, r = 0.1;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) {
      world w;
      world_init(&w, TS_SPACE_3D);
      world_friction(&w, 0.0, 0.5);
      const double top = 0.5 * v0 * v0 / g - below[i], v1 = sqrt(v0 * v0 - 2.0 * g * top), t1 = (v0 - v1) / g;
      world_add(&w, "ceiling", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, 0.0, -1.0}, -top - r),
                (ts_vec3){0.0, 0.0, 0.0});
      const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(r), (ts_vec3){0.0, 0.0, 0.0});
      start_event_driven(&w, sizes[k]);
      world_move(&w, ball, (ts_vec3){0.0, 0.0, v0}, (ts_vec3){0.0, 0.0, 0.0});
      while (ts_sim_time(w.sim) < 1.5) world_step(&w);
      const double t = ts_sim_time(w.sim) - t1;
      assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - (top - 0.5 * v1 * t - 0.5 * g * t * t)) < 1e-8);
      world_release(&w);
    }
}

// A pendulum that swings to 1 rad and grazes a stop a little before: m g r (1 - cos) is left, and what the impacts
// take.
static void a_stop_that_is_grazed_is_met_whatever_the_step(void **state)
{
  (void)state;
  static const double sizes[] = {3.0, 0.3, 0.1, 0.03, 0.001}, stops[] = {0.999, 0.9995, 0.9999};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 5; ++k) {
      world w;
      world_init(&w, TS_SPACE_3D);
      const int body = mechanism_body(&w, "m", 1.0, (ts_vec3){0.01, 0.01, 0.01}, (ts_vec3){0.0, 0.0, -1.0});
      ts_joint_def def =
          mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 1.0, 0.0});
      def.position = -1.0;
      def.limited = true;
      def.lower = -INFINITY;
      def.upper = stops[i];
      def.restitution = 0.5;
      mechanism_add(&w, &def);
      start_event_driven(&w, sizes[k]);
      while (ts_sim_time(w.sim) < 3.0 - 1e-9) world_step(&w);
      const ts_step_report *report = ts_sim_report(w.sim);
      const double start = -9.81 * cos(1.0), kinetic = start + 9.81 * cos(stops[i]); // at the stop
      const double energy = report->kinetic_energy + report->potential_energy;
      assert_true(fabs(energy - (start - 0.75 * kinetic)) < 1e-10);
      world_release(&w);
    }
}

// 10 rad/s against a stop at 4 rad, e = 1, in steps of less and of more than half a turn.
static void turns_within_a_step_are_counted(void **state)
{
  (void)state;
  static const double sizes[] = {2.0, 1.0, 0.5, 0.01};
  for (int k = 0; k < 4; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
    const int body = mechanism_body(&w, "m", 1.0, (ts_vec3){1.0, 1.0, 1.0}, (ts_vec3){0.0, 0.0, 0.0});
    ts_joint_def def =
        mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.0});
    def.velocity = 10.0;
    def.limited = true;
    def.lower = -INFINITY;
    def.upper = 4.0;
    def.restitution = 1.0;
    const int joint = mechanism_add(&w, &def);
    start_event_driven(&w, sizes[k]);
    while (ts_sim_time(w.sim) < 2.0 - 1e-9) world_step(&w);
    double rate;
    assert_true(fabs(ts_sim_joint_position(w.sim, joint, &rate) + 12.0) < 1e-11);
    assert_true(fabs(rate + 10.0) < 1e-11);
    world_release(&w);
  }
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void newtons_law_is_refused(void **state)
{
  (void)state;
  ts_error error;
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_find("event-driven");
  assert_int_equal(ts_step_options_check(&options, &error), TS_OK);
  options.impacts = TS_IMPACT_NEWTON;
  assert_int_equal(ts_step_options_check(&options, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "poisson or inelastic"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_comes_to_rest_when_its_bounces_add_up),
      cmocka_unit_test(a_pendulum_rebounds_from_its_stop),
      cmocka_unit_test(forces_of_time_are_integrated_whatever_the_step),
      cmocka_unit_test(a_pulse_is_met_whatever_the_step),
      cmocka_unit_test(constrained_motion_meets_steps_of_force),
      cmocka_unit_test(strong_damping_does_not_explode),
      cmocka_unit_test(a_motor_meets_the_step_of_its_target),
      cmocka_unit_test(constrained_motion_goes_on_from_a_saved_state),
      cmocka_unit_test(a_pendulum_feels_how_its_base_is_shaken),
      cmocka_unit_test(a_base_that_jumps_drags_along_what_joints_hold),
      cmocka_unit_test(a_loop_on_a_base_that_jumps_stays_closed),
      cmocka_unit_test(a_box_on_a_base_that_jumps_is_carried_along),
      cmocka_unit_test(a_stop_below_the_apex_is_met_whatever_the_step),
      cmocka_unit_test(a_ceiling_below_the_apex_is_met_whatever_the_step),
      cmocka_unit_test(a_stop_that_is_grazed_is_met_whatever_the_step),
      cmocka_unit_test(turns_within_a_step_are_counted),
      cmocka_unit_test(newtons_law_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
