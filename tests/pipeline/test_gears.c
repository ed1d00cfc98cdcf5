// Gears against closed forms, with all steppers in redundant and in minimal coordinates: what follows a wheel with the
// ratio r counts r^2 of its inertia there, and a force on it r of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include "touchstone/dynamics.h"

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};
static const double I1 = 0.02, I2 = 0.3, R = -2.5, TORQUE = 1.5;

// Every stepper in both coordinates. `exact`: nothing is lost by the turns of bodies in a step.
static void in_every_way(ts_space space, void (*law)(world *w, bool exact))
{
  static const char *const steppers[] = {"stewart-trinkle", "velocity", "event-driven"};
  for (int s = 0; s < 3; ++s)
    for (int c = TS_COORDINATES_REDUNDANT; c <= TS_COORDINATES_MINIMAL; ++c) {
      world w;
      world_init(&w, space);
      ts_builder_set_gravity(w.builder, NONE);
      w.options.method = ts_stepper_find(steppers[s]);
      w.options.coordinates = (ts_coordinates)c;
      w.options.tolerance = 1e-12;
      w.options.size = 1e-3;
      law(&w, s == 2 || c == TS_COORDINATES_MINIMAL || space == TS_SPACE_2D);
      world_release(&w);
    }
}

// In space bodies turn by 2 atan(h w/2) in a step: rates are off by this share.
static double share_of_turning(const world *w, double rate, bool exact)
{
  const double turn = w->options.size * rate;
  return exact ? 0.0 : turn * turn / 6.0;
}

static void gear(world *w, int joint, const ts_gear_term *terms, int count, double offset)
{
  ts_error error;
  ts_gear_def def = ts_gear_def_default();
  def.joint = joint;
  def.terms = terms;
  def.term_count = count;
  def.offset = offset;
  if (ts_builder_add_gear(w->builder, &def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
}

static void pair(world *w, int joint, int followed, double ratio)
{
  gear(w, joint, &(ts_gear_term){followed, ratio}, 1, 0.0);
}

// A wheel about z that the world holds.
static ts_joint_def wheel(world *w, const char *name, double inertia)
{
  const ts_vec3 at = {(double)name[0] - 'a', 0.0, 0.0};
  const int body = mechanism_body(w, name, 1.0, (ts_vec3){inertia, inertia, inertia}, at);
  return mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, at, Z);
}

static ts_motor torque(double value)
{
  return (ts_motor){TS_MOTOR_FORCE, ts_signal_constant(value), 0.0, 0.0, INFINITY};
}

static double rate_of(const world *w, int joint)
{
  double rate;
  ts_sim_joint_position(w->sim, joint, &rate);
  return rate;
}

static double place_of(const world *w, int joint)
{
  return ts_sim_joint_position(w->sim, joint, NULL);
}

// Two wheels, the second follows the first; the motors are on the joints that have a torque.
static void two_wheels(world *w, double on_first, double on_second)
{
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = torque(on_first);
  second.motor = torque(on_second);
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
}

static double reflected(void)
{
  return I1 + R * R * I2;
}

// ---- motion --------------------------------------------------------------------------------------------------------

static void check_reflected_inertia(world *w, bool exact)
{
  two_wheels(w, TORQUE, 0.4);
  world_start(w);
  const double a = (TORQUE + R * 0.4) / reflected();
  for (int k = 1; k <= 500; ++k) {
    world_step(w);
    const double rate = a * ts_sim_time(w->sim), off = share_of_turning(w, R * rate, exact);
    assert_near(rate_of(w, 0), rate, 1e-11 + off * rate);
    assert_near(rate_of(w, 1), R * rate, 1e-11 + off * fabs(R * rate));
    assert_near(place_of(w, 1), R * place_of(w, 0), 1e-12 + off * w->options.size);
  }
}

static void wheels_have_the_reflected_inertia(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_reflected_inertia);
  in_every_way(TS_SPACE_2D, check_reflected_inertia);
}

// A pinion of radius r lifts a rack: (torque - m g r)/(I + m r^2).
static void check_rack(world *w, bool exact)
{
  const double m = 3.0, g = 9.81, r = 0.05;
  const bool plane = w->space == TS_SPACE_2D;
  ts_builder_set_gravity(w->builder, ts_scale(-g, plane ? Y : Z));
  ts_joint_def pinion = wheel(w, "a", I1);
  pinion.motor = torque(2.0);
  const int rack = mechanism_body(w, "rack", m, (ts_vec3){0.1, 0.1, 0.1}, (ts_vec3){1.0, 0.2, 0.0});
  const ts_joint_def slide = mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, rack, NONE, plane ? Y : Z);
  mechanism_add(w, &slide);
  mechanism_add(w, &pinion);
  pair(w, 0, 1, r);
  world_start(w);
  world_steps(w, 300);
  const double rate = (2.0 - m * g * r) / (I1 + m * r * r) * ts_sim_time(w->sim),
               off = share_of_turning(w, rate, exact);
  assert_near(rate_of(w, 1), rate, 1e-11 + off * rate);
  assert_near(ts_dot(ts_sim_velocity(w->sim, rack).linear, plane ? Y : Z), r * rate, 1e-11 + off * rate);
  assert_near(place_of(w, 0), r * place_of(w, 1), 1e-12 + off * w->options.size);
}

static void a_pinion_lifts_its_rack(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_rack);
  in_every_way(TS_SPACE_2D, check_rack);
}

// The cage of a differential, q_c = (q_a + q_b)/2, with torques on the cage and on one wheel:
//   (I_a + I_c/4) a + I_c/4 b = T_a + T_c/2,   I_c/4 a + (I_b + I_c/4) b = T_c/2.
static void check_differential(world *w, bool exact)
{
  const double Ia = 0.1, Ib = 0.25, Ic = 0.8, Ta = -0.3, Tc = 2.0, q = Ic / 4.0;
  ts_joint_def a = wheel(w, "a", Ia), b = wheel(w, "b", Ib), c = wheel(w, "c", Ic);
  a.motor = torque(Ta);
  c.motor = torque(Tc);
  mechanism_add(w, &c);
  mechanism_add(w, &a);
  mechanism_add(w, &b);
  gear(w, 0, (ts_gear_term[]){{1, 0.5}, {2, 0.5}}, 2, 0.0);
  world_start(w);
  world_steps(w, 400);
  const double det = (Ia + q) * (Ib + q) - q * q, t = ts_sim_time(w->sim);
  const double wa = ((Ta + Tc / 2) * (Ib + q) - Tc / 2 * q) / det * t,
               wb = ((Ia + q) * Tc / 2 - q * (Ta + Tc / 2)) / det * t;
  const double off = share_of_turning(w, fmax(fabs(wa), fabs(wb)), exact) * (fabs(wa) + fabs(wb));
  assert_near(rate_of(w, 1), wa, 1e-11 + off);
  assert_near(rate_of(w, 2), wb, 1e-11 + off);
  assert_near(rate_of(w, 0), 0.5 * (wa + wb), 1e-11 + off);
}

static void differentials_share_their_torque(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_differential);
  in_every_way(TS_SPACE_2D, check_differential);
}

// A train of wheels, each twice as fast as the one before: the first carries the sum of 4^k I.
static void check_train(world *w, bool exact)
{
  enum { WHEELS = 6 };
  double sum = 0.0;
  for (int k = 0; k < WHEELS; ++k) {
    ts_joint_def def = wheel(w, (const char[]){(char)('a' + k), '\0'}, I1);
    if (k == 0) def.motor = torque(4.0);
    mechanism_add(w, &def);
    sum += pow(4.0, k) * I1;
  }
  for (int k = WHEELS - 1; k > 0; --k) pair(w, k, k - 1, k % 2 ? -2.0 : 2.0);
  world_start(w);
  world_steps(w, 200);
  const double rate = 4.0 / sum * ts_sim_time(w->sim), off = share_of_turning(w, 32.0 * rate, exact);
  assert_near(rate_of(w, 0), rate, 1e-11 + off * rate);
  assert_near(rate_of(w, WHEELS - 1), -32.0 * rate, 1e-10 + off * 32.0 * rate);
}

static void trains_go_together(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_train);
}

// ---- curved motion -------------------------------------------------------------------------------------------------

// A pendulum of two links in a vertical plane whose second joint follows the first, q_2 = r q_1: one freedom, and the
// energy says how fast it is where it is. With the lengths l, centres of mass at c and p = q_1, s = (1 + r) q_1,
//   2 T = (m_1 c^2 + J_1 + m_2 l^2) p'^2 + 2 m_2 l c cos(s - p) p' s' + (m_2 c^2 + J_2) s'^2,
//   V = -g (m_1 c + m_2 l) cos p - m_2 g c cos s.
enum { LINKS = 2 };
static const double LENGTH = 0.6, CENTRE = 0.4, MASS[LINKS] = {1.2, 0.7}, J[LINKS] = {0.05, 0.03}, FOLDS = -1.7;

static double potential(double q)
{
  const double g = 9.81;
  return -g * (MASS[0] * CENTRE + MASS[1] * LENGTH) * cos(q) - MASS[1] * g * CENTRE * cos((1.0 + FOLDS) * q);
}

static double inertia_at(double q)
{
  const double s = 1.0 + FOLDS;
  return MASS[0] * CENTRE * CENTRE + J[0] + MASS[1] * LENGTH * LENGTH +
         2.0 * MASS[1] * LENGTH * CENTRE * cos(FOLDS * q) * s + (MASS[1] * CENTRE * CENTRE + J[1]) * s * s;
}

// Hinges about y in space and about z in the plane; `rows`: joints are rows, whatever the coordinates.
static void folding_pendulum(world *w, bool rows, double start)
{
  const bool plane = w->space == TS_SPACE_2D;
  const ts_vec3 down = ts_negate(plane ? Y : Z), axis = plane ? Z : Y;
  ts_builder_set_gravity(w->builder, ts_scale(9.81, down));
  int link = TS_WORLD;
  for (int k = 0; k < LINKS; ++k) {
    const ts_vec3 moments = {J[k] + 0.01, J[k], J[k]};
    const int body = mechanism_body(w, k ? "lower" : "upper", MASS[k], plane ? (ts_vec3){J[k], J[k], J[k]} : moments,
                                    ts_scale(k * LENGTH + CENTRE, down));
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, link, body, k ? ts_scale(LENGTH - CENTRE, down) : NONE, axis);
    def.closes_loop = rows;
    def.position = k ? 0.0 : start;
    mechanism_add(w, &def);
    link = body;
  }
  pair(w, 1, 0, FOLDS);
}

static void start_pendulum(world *w, ts_space space, const char *stepper, ts_coordinates coordinates, bool rows)
{
  world_init(w, space);
  w->options.method = ts_stepper_find(stepper);
  w->options.coordinates = coordinates;
  w->options.tolerance = 1e-12;
  w->options.size = 5e-3;
  folding_pendulum(w, rows, 1.1);
  world_start(w);
}

// Smooth motion obeys the gear at the level of accelerations, with coordinates and with rows.
static void a_folding_pendulum_keeps_its_energy(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k) {
    world w;
    start_pendulum(&w, k % 2 ? TS_SPACE_2D : TS_SPACE_3D, "event-driven", TS_COORDINATES_MINIMAL, k >= 2);
    assert_near(place_of(&w, 1), FOLDS * 1.1, 1e-14);
    const double energy = potential(1.1);
    for (int i = 0; i < 400; ++i) {
      world_step(&w);
      const double q = place_of(&w, 0), rate = rate_of(&w, 0);
      assert_near(0.5 * inertia_at(q) * rate * rate + potential(q), energy, 1e-9);
      assert_near(place_of(&w, 1), FOLDS * q, 1e-11);
      assert_near(rate_of(&w, 1), FOLDS * rate, 1e-10);
    }
    world_release(&w);
  }
}

// Rows and coordinates: the same motion, and in steps of fixed length the same first step.
static void rows_and_coordinates_agree(void **state)
{
  (void)state;
  world w[2];
  for (int k = 0; k < 2; ++k) start_pendulum(&w[k], TS_SPACE_3D, "event-driven", TS_COORDINATES_MINIMAL, k == 1);
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 2; ++k) world_step(&w[k]);
    assert_near(place_of(&w[0], 0), place_of(&w[1], 0), 1e-9);
    assert_near(rate_of(&w[0], 0), rate_of(&w[1], 0), 1e-9);
  }
  for (int k = 0; k < 2; ++k) world_release(&w[k]);
  for (int s = 0; s < 2; ++s) {
    for (int k = 0; k < 2; ++k) {
      start_pendulum(&w[k], TS_SPACE_3D, s ? "velocity" : "stewart-trinkle", (ts_coordinates)k, false);
      w[k].options.gyroscopic = TS_GYROSCOPIC_EXPLICIT; // no products of the velocities that the step begins without
      ts_sim_destroy(w[k].sim);
      world_simulate(&w[k]);
      world_step(&w[k]);
    }
    for (int j = 0; j < LINKS; ++j) assert_near(rate_of(&w[0], j), rate_of(&w[1], j), 1e-12);
    const double a = -(potential(1.1 + 1e-5) - potential(1.1 - 1e-5)) / 2e-5 / inertia_at(1.1);
    assert_near(rate_of(&w[0], 0), a * w[0].options.size, 1e-8);
    for (int k = 0; k < 2; ++k) world_release(&w[k]);
  }
}

// Steps of fixed length come to the same motion at first order, in both coordinates.
static void fixed_steps_converge(void **state)
{
  (void)state;
  world exact;
  start_pendulum(&exact, TS_SPACE_3D, "event-driven", TS_COORDINATES_MINIMAL, false);
  world_steps(&exact, 80);
  for (int k = 0; k < 4; ++k) {
    double off[2];
    for (int i = 0; i < 2; ++i) {
      world w;
      start_pendulum(&w, TS_SPACE_3D, k < 2 ? "velocity" : "stewart-trinkle", (ts_coordinates)(k % 2), false);
      w.options.size = i ? 2.5e-4 : 5e-4;
      ts_sim_destroy(w.sim);
      world_simulate(&w);
      world_steps(&w, i ? 1600 : 800);
      off[i] = fabs(place_of(&w, 0) - place_of(&exact, 0));
      assert_near(place_of(&w, 1), FOLDS * place_of(&w, 0), k % 2 ? 1e-9 : 1e-5);
      world_release(&w);
    }
    assert_true(off[0] < 2e-2 && off[1] < 0.6 * off[0]);
  }
  world_release(&exact);
}

// ---- what acts on coupled joints -----------------------------------------------------------------------------------

// A motor on the joint that follows, one that is followed, servos, friction and damping behind the gear.
static void check_motor_behind(world *w, bool exact)
{
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  second.motor = (ts_motor){TS_MOTOR_VELOCITY, ts_signal_constant(3.0), 0.0, 0.0, INFINITY};
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  world_start(w);
  world_steps(w, 50);
  assert_near(rate_of(w, 1), 3.0, 1e-10);
  assert_near(rate_of(w, 0), 3.0 / R, 1e-9 + share_of_turning(w, 3.0, exact));
}

static void check_both_driven(world *w, bool exact)
{
  (void)exact;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = (ts_motor){TS_MOTOR_VELOCITY, ts_signal_constant(0.4), 0.0, 0.0, INFINITY};
  second.motor = (ts_motor){TS_MOTOR_VELOCITY, ts_signal_constant(0.4 * R), 0.0, 0.0, INFINITY};
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  world_start(w);
  world_steps(w, 50);
  assert_near(rate_of(w, 0), 0.4, 1e-6);
  assert_near(rate_of(w, 1), 0.4 * R, 1e-6);
}

// Motors that nothing holds and that the gear does not let both have their way: no step says that it obeyed them.
static void check_contradiction(world *w, bool exact)
{
  (void)exact;
  ts_error error;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = (ts_motor){TS_MOTOR_VELOCITY, ts_signal_constant(1.0), 0.0, 0.0, INFINITY};
  second.motor = first.motor;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  world_start(w);
  assert_int_equal(ts_sim_step(w->sim, &error), TS_OK);
  assert_false(ts_sim_report(w->sim)->certified);
}

static void contradicting_motors_are_not_certified(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_contradiction);
}

static void check_friction(world *w, bool exact)
{
  const double most = 0.5, slips = 1.2 * fabs(R) * most;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2), third = wheel(w, "c", I1),
               fourth = wheel(w, "d", I2);
  first.motor = torque(0.9 * fabs(R) * most);
  third.motor = torque(slips);
  second.friction = fourth.friction = most;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  mechanism_add(w, &third);
  mechanism_add(w, &fourth);
  pair(w, 1, 0, R);
  pair(w, 3, 2, R);
  world_start(w);
  world_steps(w, 200);
  const double rate = (slips - fabs(R) * most) / reflected() * ts_sim_time(w->sim);
  assert_near(place_of(w, 0), 0.0, 1e-12);
  assert_near(rate_of(w, 2), rate, 1e-9 + share_of_turning(w, R * rate, exact) * rate);
}

static void check_damping(world *w, bool exact)
{
  (void)exact;
  const double c = 0.3;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = torque(TORQUE);
  second.damping = c;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  w->options.size = 1e-2;
  world_start(w);
  world_steps(w, 4000);
  assert_near(rate_of(w, 0), TORQUE / (R * R * c), 1e-6);
}

static void check_servo(world *w, bool exact)
{
  (void)exact;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = torque(TORQUE);
  second.motor = (ts_motor){TS_MOTOR_SERVO, ts_signal_constant(1.0), 40.0, 12.0, INFINITY};
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  w->options.size = 1e-2;
  world_start(w);
  world_steps(w, 1000);
  assert_near(place_of(w, 1), 1.0 + TORQUE / (R * 40.0), 1e-6); // what the servo carries is the torque over the ratio
}

static void drives_act_through_gears(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_motor_behind);
  in_every_way(TS_SPACE_2D, check_motor_behind);
  in_every_way(TS_SPACE_3D, check_both_driven);
  in_every_way(TS_SPACE_3D, check_friction);
  in_every_way(TS_SPACE_2D, check_damping);
  in_every_way(TS_SPACE_3D, check_servo);
}

// The stop of the joint that follows holds the one that is followed, which comes back with half its speed.
static void check_stop(world *w, bool exact)
{
  const double a = TORQUE / reflected(), way = 0.05, arrival = sqrt(2.0 * way / a);
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = torque(TORQUE);
  second.limited = true;
  second.lower = R * way;
  second.restitution = 0.5;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  w->options.impacts = TS_IMPACT_POISSON;
  world_start(w);
  double slowest = 0.0;
  while (ts_sim_time(w->sim) < arrival + 0.1) {
    world_step(w);
    slowest = fmin(slowest, rate_of(w, 0));
    assert_true(place_of(w, 0) < way + (exact ? 2.0 : 3.0) * a * arrival * w->options.size);
  }
  assert_near(slowest, -0.5 * a * arrival, 3.0 * a * w->options.size);
  for (int k = 0; k < 8000; ++k) world_step(w);
  assert_near(place_of(w, 0), way, 1e-6 + a * w->options.size * w->options.size);
  assert_near(rate_of(w, 0), 0.0, 1e-9);
}

// A joint without play holds all that it follows.
static void check_locked(world *w, bool exact)
{
  (void)exact;
  ts_joint_def first = wheel(w, "a", I1), second = wheel(w, "b", I2);
  first.motor = torque(TORQUE);
  second.limited = true;
  second.lower = second.upper = 0.0;
  mechanism_add(w, &first);
  mechanism_add(w, &second);
  pair(w, 1, 0, R);
  world_start(w);
  world_steps(w, 100);
  assert_near(place_of(w, 0), 0.0, 1e-9);
}

static void stops_hold_through_gears(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_2D, check_stop);
  in_every_way(TS_SPACE_3D, check_stop);
  in_every_way(TS_SPACE_3D, check_locked);
}

// ---- impacts -------------------------------------------------------------------------------------------------------

// A hammer of mass m and speed v hits an arm at the distance l from its axis. Behind the arm is a train: the impulse is
// p = (1 + e) v/(1/m + l^2/I), I all that the arm carries, in the same instant.
static void check_hammer(world *w, double restitution, bool exact)
{
  const double m = 0.8, v = 3.0, l = 0.7, Ia = 0.1;
  const bool plane = w->space == TS_SPACE_2D;
  world_friction(w, 0.0, restitution);
  ts_body_def def = ts_body_def_default();
  const double inertia[6] = {Ia, Ia, Ia, 0.0, 0.0, 0.0};
  ts_vec3 room[4];
  def.name = "arm";
  def.mass = 1.0;
  memcpy(def.inertia, inertia, sizeof inertia);
  def.centre = NONE;
  const int arm =
      world_add_def(w, &def, plane ? shape_rectangle(room, -1.0, -0.1, 1.0, 0.1) : shape_box(2.0, 0.2, 0.2));
  const int hammer = world_add(w, "hammer", TS_DYNAMIC, m, plane ? shape_disc(0.05) : shape_sphere(0.05),
                               (ts_vec3){l, 0.1 + 0.05 + 0.01, 0.0});
  const int axle = mechanism_hinge(w, TS_WORLD, arm, NONE, Z);
  ts_joint_def second = wheel(w, "h", I2), third = wheel(w, "i", I1);
  const int b = mechanism_add(w, &second), c = mechanism_add(w, &third);
  pair(w, c, b, 3.0);
  pair(w, b, axle, R);
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.margin = 0.0;
  world_start(w);
  world_move(w, hammer, ts_scale(-v, Y), NONE);
  world_steps(w, 10); // it arrives after 3.3 ms
  const double carried = Ia + R * R * (I2 + 9.0 * I1), p = (1.0 + restitution) * v / (1.0 / m + l * l / carried);
  const double rate = -p * l / carried, tolerance = exact ? 1e-10 : 1e-3;
  assert_near(ts_sim_velocity(w->sim, hammer).linear.y, -v + p / m, tolerance);
  assert_near(rate_of(w, axle), rate, tolerance);
  assert_near(rate_of(w, b), R * rate, 10.0 * tolerance);
  assert_near(rate_of(w, c), 3.0 * R * rate, 10.0 * tolerance);
  const double after = 0.5 * m * pow(-v + p / m, 2.0) + 0.5 * carried * rate * rate;
  assert_near(world_kinetic(w), after, 10.0 * tolerance);
  if (restitution == 1.0) assert_near(after, 0.5 * m * v * v, 1e-12);
}

static void check_half_elastic(world *w, bool exact)
{
  (void)exact;
  check_hammer(w, 0.4, w->options.method == ts_stepper_find("event-driven"));
}

static void check_elastic(world *w, bool exact)
{
  (void)exact;
  check_hammer(w, 1.0, w->options.method == ts_stepper_find("event-driven"));
}

static void impacts_pass_through_trains(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_2D, check_half_elastic);
  in_every_way(TS_SPACE_2D, check_elastic);
  in_every_way(TS_SPACE_3D, check_half_elastic);
  in_every_way(TS_SPACE_3D, check_elastic);
}

// ---- energy --------------------------------------------------------------------------------------------------------

// What motors give and dampers take is what the energy changes by: nothing is left to the gear.
static void check_works(world *w, bool exact)
{
  const bool smooth = w->options.method == ts_stepper_find("event-driven");
  ts_joint_def a = wheel(w, "a", I1), b = wheel(w, "b", I2), c = wheel(w, "c", I2);
  a.motor = torque(TORQUE);
  b.damping = 0.2;
  c.friction = 0.1;
  mechanism_add(w, &a);
  mechanism_add(w, &b);
  mechanism_add(w, &c);
  pair(w, 1, 0, R);
  gear(w, 2, (ts_gear_term[]){{0, 0.5}, {1, -0.3}}, 2, 0.2);
  world_start(w);
  double energy = world_kinetic(w), driven = 0.0;
  for (int k = 0; k < 200; ++k) {
    world_step(w);
    const ts_step_report *r = ts_sim_report(w->sim);
    const double works = r->contact_work + r->damping_work + r->drive_work + r->applied_work;
    assert_near(world_kinetic(w) - energy, works + r->integration_work, 1e-12);
    assert_true(fabs(r->integration_work) < (exact ? 1e-12 : 1e-5));
    energy = world_kinetic(w);
    driven += r->drive_work;
  }
  if (smooth) assert_near(driven, TORQUE * place_of(w, 0), 1e-9);
}

static void works_add_up(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_2D, check_works);
  in_every_way(TS_SPACE_3D, check_works);
}

// A wheel on a turntable that moves as it is told is geared to one on the world.
static void check_turntable(world *w, bool exact)
{
  const int table = mechanism_kinematic(w, "table", NONE);
  ts_motion_def motion = ts_motion_def_default();
  ts_error error;
  motion.body = table;
  motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.8, .frequency = 5.0};
  if (ts_builder_add_motion(w->builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  const int body = mechanism_body(w, "planet", 1.0, (ts_vec3){I1, I1, I1}, X);
  const int planet = mechanism_hinge(w, table, body, X, Z);
  ts_joint_def sun = wheel(w, "a", I2);
  const int fixed = mechanism_add(w, &sun);
  pair(w, fixed, planet, R);
  world_start(w);
  world_steps(w, 300);
  const double jerks = w->options.method == ts_stepper_find("event-driven") ? 0.0 : 0.8 * 25.0 * w->options.size;
  const double off = fabs(R) * jerks; // steps know velocities of bases at one of their ends, or on the mean
  assert_near(place_of(w, fixed), R * place_of(w, planet), (exact ? 1e-9 : 1e-8) + off * w->options.size);
  assert_near(rate_of(w, fixed), R * rate_of(w, planet), 1e-9 + off);
}

static void gears_on_moving_bases_hold(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_turntable);
  in_every_way(TS_SPACE_2D, check_turntable);
}

// ---- start and resume ----------------------------------------------------------------------------------------------

static void starts_follow(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_joint_def a = wheel(&w, "a", I1), b = wheel(&w, "b", I2), c = wheel(&w, "c", I2);
  a.position = 0.4;
  a.velocity = 2.0;
  c.position = 0.3 + 2.0 * (0.1 + R * 0.4) + 1e-9;
  mechanism_add(&w, &c);
  mechanism_add(&w, &b);
  mechanism_add(&w, &a);
  gear(&w, 0, &(ts_gear_term){1, 2.0}, 1, 0.3);
  gear(&w, 1, &(ts_gear_term){2, R}, 1, 0.1);
  world_start(&w);
  assert_near(place_of(&w, 1), 0.1 + R * 0.4, 1e-14);
  assert_near(place_of(&w, 0), 0.3 + 2.0 * (0.1 + R * 0.4), 1e-14);
  assert_near(rate_of(&w, 1), R * 2.0, 1e-14);
  assert_near(rate_of(&w, 0), 2.0 * R * 2.0, 1e-14);
  assert_int_equal(ts_sim_start_velocities(w.sim)->joint, -1);
  assert_int_equal(ts_model_gear_count(w.model), 2);
  const ts_gear_def back = ts_model_gear(w.model, 0);
  assert_int_equal(back.joint, 0);
  assert_int_equal(back.terms[0].joint, 1);
  assert_near(back.terms[0].ratio, 2.0, 0.0);
  assert_near(back.offset, 0.3, 0.0);
  assert_int_equal(ts_model_bilateral_count(w.model), 3 * 5 + 2);
  world_release(&w);
}

// Velocities of bodies that the gear does not allow become the nearest ones: an impact of the gear.
static void velocities_are_made_to_fit(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_body_def def = ts_body_def_default();
    const double inertia[6] = {I1, I1, I1, 0.0, 0.0, 0.0};
    def.name = "z";
    def.mass = 1.0;
    memcpy(def.inertia, inertia, sizeof inertia);
    def.centre = NONE;
    def.velocity.angular.z = 5.0;
    ts_error error;
    int body;
    assert_int_equal(ts_builder_add_body(w.builder, &def, &body, &error), TS_OK);
    mechanism_hinge(&w, TS_WORLD, body, NONE, Z);
    ts_joint_def second = wheel(&w, "b", I2);
    mechanism_add(&w, &second);
    pair(&w, 1, 0, R);
    w.options.coordinates = (ts_coordinates)c;
    world_start(&w);
    assert_near(rate_of(&w, 0), I1 * 5.0 / reflected(), 1e-12);
    assert_near(rate_of(&w, 1), R * I1 * 5.0 / reflected(), 1e-12);
    assert_int_equal(ts_sim_start_velocities(w.sim)->joint, 1);
    world_release(&w);
  }
}

static void check_resume(world *w, bool exact)
{
  (void)exact;
  two_wheels(w, TORQUE, 0.0);
  world_start(w);
  world_steps(w, 100);
  world_state saved, end, again;
  world_save(w, &saved);
  world_steps(w, 20);
  world_save(w, &end);
  world_load(w, &saved);
  world_steps(w, 20);
  world_save(w, &again);
  assert_memory_equal(end.numbers, again.numbers, end.size * sizeof(double));
}

static void runs_resume(void **state)
{
  (void)state;
  in_every_way(TS_SPACE_3D, check_resume);
}

static void dynamics_obey(void **state)
{
  (void)state;
  world w;
  ts_error error;
  ts_dynamics *dynamics;
  world_init(&w, TS_SPACE_3D);
  two_wheels(&w, 0.0, 0.0);
  world_start(&w);
  assert_int_equal(ts_dynamics_create(w.model, NULL, &dynamics, &error), TS_OK);
  double a[2];
  assert_int_equal(ts_dynamics_forward(dynamics, (const double[]){TORQUE, 0.0}, NULL, a, &error), TS_OK);
  assert_near(a[0], TORQUE / reflected(), 1e-12);
  assert_near(a[1], R * TORQUE / reflected(), 1e-12);
  assert_int_equal(ts_dynamics_set(dynamics, 0.0, (const double[]){0.2, 0.0}, NULL, &error), TS_OK);
  assert_near(ts_dynamics_loop_error(dynamics), fabs(R * 0.2), 1e-12);
  ts_dynamics_destroy(dynamics);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheels_have_the_reflected_inertia),
      cmocka_unit_test(a_pinion_lifts_its_rack),
      cmocka_unit_test(differentials_share_their_torque),
      cmocka_unit_test(trains_go_together),
      cmocka_unit_test(a_folding_pendulum_keeps_its_energy),
      cmocka_unit_test(rows_and_coordinates_agree),
      cmocka_unit_test(fixed_steps_converge),
      cmocka_unit_test(contradicting_motors_are_not_certified),
      cmocka_unit_test(drives_act_through_gears),
      cmocka_unit_test(stops_hold_through_gears),
      cmocka_unit_test(impacts_pass_through_trains),
      cmocka_unit_test(works_add_up),
      cmocka_unit_test(gears_on_moving_bases_hold),
      cmocka_unit_test(starts_follow),
      cmocka_unit_test(velocities_are_made_to_fit),
      cmocka_unit_test(runs_resume),
      cmocka_unit_test(dynamics_obey),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
