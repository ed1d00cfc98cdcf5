// Contacts as springs and dampers beside closed forms: the Kelvin-Voigt bounce and its restitution, stick and slip of a
// spring along the surface, rest, what becomes of it all as stiffness grows, saved states, and what may be gained.
#include "scene_run.h"

#include "base/random.h"
#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;
enum { TEXT = 6000 };

// A floor, and what is on it.
static scene_run start(const char *world, const char *law, const char *bodies, const char *step)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "touchstone: 1\n%scontact: {%s}\nbodies:\n"
           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n%s"
           "step: {method: compliant, tolerance: 1e-10, %s}\n",
           world, law, bodies, step);
  return scene_run_text(text);
}

static ts_vec3 velocity_of(const scene_run *r, const char *body)
{
  return ts_sim_velocity(r->sim, scene_run_body(r, body)).linear;
}

static double energy_of(const scene_run *r)
{
  return ts_sim_report(r->sim)->kinetic_energy + ts_sim_report(r->sim)->potential_energy;
}

static void step(scene_run *r)
{
  ts_error error;
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
}

// ---- Kelvin and Voigt ----------------------------------------------------------------------------------------------

static const double K = 4000.0, MASS = 1.0, SPEED = 2.0, RADIUS = 0.1;

// Pressed in by x after t, and how fast: m x'' = -k x - c x', of any damping.
static void kelvin_voigt(double c, double t, double *x, double *rate)
{
  const double decay = c / (2.0 * MASS), square = K / MASS - decay * decay, w = sqrt(fabs(square));
  const double sine = square > 0.0 ? sin(w * t) / w : square < 0.0 ? sinh(w * t) / w : t;
  const double cosine = square > 0.0 ? cos(w * t) : square < 0.0 ? cosh(w * t) : 1.0;
  *x = SPEED * exp(-decay * t) * sine;
  *rate = SPEED * exp(-decay * t) * (cosine - decay * sine);
}

// When k x + c x' is 0: from there on the spring would pull.
static double end_of_contact(double c)
{
  double low = 1e-6, high = TS_PI / sqrt(K / MASS);
  for (int k = 0; k < 200; ++k) {
    const double t = 0.5 * (low + high);
    double x, rate;
    kelvin_voigt(c, t, &x, &rate);
    *(K * x + c * rate > 0.0 ? &low : &high) = t;
  }
  return low;
}

static double restitution(double c)
{
  double x, rate;
  kelvin_voigt(c, end_of_contact(c), &x, &rate);
  return -rate / SPEED;
}

// A ball without weight, `above` the floor.
static scene_run bouncing_ball(double c, double above, const char *options)
{
  char law[200], ball[200];
  snprintf(law, sizeof law, "friction: 0, stiffness: %.17g, damping: %.17g", K, c);
  snprintf(ball, sizeof ball,
           "- {name: ball, mass: %g, shape: {sphere: {radius: %g}}, position: [0, 0, %.17g], velocity: [0, 0, %g]}\n",
           MASS, RADIUS, RADIUS + above, -SPEED);
  return start("gravity: [0, 0, 0]\n", law, ball, options);
}

// Steps of fixed length that begin where they touch: the error in the middle of the contact falls with the square.
static void fixed_steps_are_of_second_order(void **state)
{
  (void)state;
  const double c = 30.0, end = 0.032;
  double before = 0.0, x, rate;
  kelvin_voigt(c, end, &x, &rate);
  for (int k = 0; k < 4; ++k) {
    char options[100];
    snprintf(options, sizeof options, "size: %.17g, most_parts: 1", 2e-3 / (1 << k));
    scene_run r = bouncing_ball(c, 0.0, options);
    scene_run_to(&r, end);
    const double error =
        hypot((scene_run_position(&r, "ball").z - RADIUS + x) / x, (velocity_of(&r, "ball").z + rate) / SPEED);
    if (k > 0) assert_true(before / error > 3.9 && before / error < 4.1);
    before = error;
    scene_run_end(&r);
  }
  assert_true(before < 1e-4);
}

// Steps of 20 ms, two for the whole contact: parts of them make it as good as asked, wherever in a step it falls.
static void parts_meet_the_error_that_is_asked_for(void **state)
{
  (void)state;
  static const double asked[] = {3e-2, 1e-2, 1e-3, 1e-4};
  const double c = 12.0, e = restitution(c), contact = end_of_contact(c);
  double x, rate;
  kelvin_voigt(c, contact, &x, &rate);
  for (size_t a = 0; a < sizeof asked / sizeof *asked; ++a)
    for (int phase = 0; phase < 8; ++phase) {
      char options[100];
      snprintf(options, sizeof options, "size: 0.02, most_parts: 1024, contact_error: %g", asked[a]);
      const double above = 0.005 * (phase + 0.3), flight = above / SPEED, end = 0.12;
      scene_run r = bouncing_ball(c, above, options);
      scene_run_to(&r, end);
      const double z = -x + e * SPEED * (end - flight - contact);
      assert_near(velocity_of(&r, "ball").z, e * SPEED, asked[a] * SPEED);
      assert_near(scene_run_position(&r, "ball").z - RADIUS, z, asked[a] * SPEED * end);
      scene_run_end(&r);
    }
}

// A ball that falls and slides onto a floor at rest, and one at rest that a floor comes to the same way: seen from the
// floor the motion is the same. Friction makes both roll.
static void floors_may_come_to_the_ball(void **state)
{
  (void)state;
  static const char *const bodies[] = {
      "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.105], velocity: [0.7, -0.4, -2]}\n",
      "- {name: floor, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion: {displacement:"
      " [{polynomial: [0, -0.7]}, {polynomial: [0, 0.4]}, {polynomial: [0, 2]}]}}\n"
      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.105]}\n"};
  ts_twist seen[2];
  for (int k = 0; k < 2; ++k) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "touchstone: 1\ngravity: [0, 0, 0]\ncontact: {friction: 0.3, stiffness: 4000, damping: 20}\nbodies:\n%s"
             "step: {method: compliant, tolerance: 1e-12, size: 2e-3}\n",
             bodies[k]);
    scene_run r = scene_run_text(text);
    scene_run_to(&r, 0.1);
    seen[k] = ts_sim_velocity(r.sim, scene_run_body(&r, "ball"));
    scene_run_end(&r);
  }
  assert_true(seen[0].linear.z > 1.0 && seen[0].angular.y > 1.0);
  const double asked = 0.01 * 2.0; // contact_error of the speed [m/s]
  assert_vec_near(ts_sub(seen[1].linear, (ts_vec3){-0.7, 0.4, 2.0}), seen[0].linear, asked);
  assert_vec_near(seen[1].angular, seen[0].angular, 2.5 / 0.1 * asked);
}

// When free motion meets a contact is known: the part of a step that it falls into is cut there at once. Halving would
// take ten trials more.
static void free_motion_is_cut_where_it_meets(void **state)
{
  (void)state;
  for (int falls = 0; falls < 2; ++falls) {
    scene_run r = start(falls ? "" : "gravity: [0, 0, 0]\n", "friction: 0.3, stiffness: 4000, damping: 20",
                        "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1333],"
                        " velocity: [0.7, -0.4, -2]}\n",
                        "size: 2e-2, most_parts: 1024");
    step(&r);
    const ts_step_report *report = ts_sim_report(r.sim);
    assert_true(velocity_of(&r, "ball").z > -1.97); // it has met the floor
    assert_true(report->substeps > 1 && report->problems <= report->substeps + 8);
    scene_run_end(&r);
  }
}

// From no damping to twice the critical one, where e = exp(-2) is known at the critical one.
static void damping_makes_restitution(void **state)
{
  (void)state;
  const double critical = 2.0 * sqrt(K * MASS);
  static const double shares[] = {0.0, 0.05, 0.2, 0.5, 1.0, 2.0};
  assert_near(restitution(critical), exp(-2.0), 1e-12);
  for (size_t k = 0; k < sizeof shares / sizeof *shares; ++k) {
    scene_run r = bouncing_ball(shares[k] * critical, 0.011, "size: 0.01, contact_error: 1e-3");
    scene_run_to(&r, 0.15);
    assert_near(velocity_of(&r, "ball").z / SPEED, restitution(shares[k] * critical), 1e-3);
    scene_run_end(&r);
  }
}

// With weight the force at the end is not that of the spring alone: x'' = g - (k x + c x')/m about x = m g/k.
static void bounces_with_weight(void **state)
{
  (void)state;
  const double sink = MASS * G / K, w = sqrt(K / MASS), fall = 0.05;
  // without damping: x - sink = -sink cos + v/w sin; it leaves as fast as it came
  const double v = sqrt(2.0 * G * fall), swing = 2.0 * (TS_PI - atan2(v / w, sink));
  const double contact = swing / w, end = 0.3, rest = end - sqrt(2.0 * fall / G) - contact;
  assert_true(rest > 0.0 && rest < 2.0 * v / G);
  char law[100], ball[200];
  snprintf(law, sizeof law, "friction: 0, stiffness: %.17g", K);
  snprintf(ball, sizeof ball, "- {name: ball, mass: %g, shape: {sphere: {radius: %g}}, position: [0, 0, %.17g]}\n",
           MASS, RADIUS, RADIUS + fall);
  scene_run r = start("", law, ball, "size: 0.01, contact_error: 1e-4, most_parts: 1024");
  const double energy = MASS * G * (RADIUS + fall);
  scene_run_to(&r, end);
  assert_near(velocity_of(&r, "ball").z, v - G * rest, 1e-4 * v);
  assert_near(scene_run_position(&r, "ball").z - RADIUS, v * rest - 0.5 * G * rest * rest, 1e-4 * v * end);
  assert_near(energy_of(&r), energy, 1e-6 * energy);
  scene_run_end(&r);
}

// ---- along the surface ---------------------------------------------------------------------------------------------

static const double KT = 2000.0, MU = 0.4;

// The floor goes to and fro under a ball that stands still: F goes up and down with KT, and stays at mu N in between.
static void load_cycle_has_the_area_of_its_slip(void **state)
{
  (void)state;
  const double period = 1.0, amplitude = 0.005, h = 1e-3, bound = MU * MASS * G;
  char text[TEXT];
  snprintf(text, sizeof text,
           "touchstone: 1\ncontact: {friction: %g, stiffness: %g, damping: 60, tangential_stiffness: %g}\nbodies:\n"
           "- {name: floor, kind: kinematic, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, -0.05], motion: "
           "{displacement: [{sine: {amplitude: %g, frequency: %.17g}}, 0, 0]}}\n"
           "- {name: ball, mass: %g, shape: {sphere: {radius: %g}}, position: [0, 0, %.17g]}\n"
           "joints:\n- {name: rail, type: prismatic, child: ball, axis: [0, 0, 1]}\n"
           "step: {method: compliant, size: %g, tolerance: 1e-12, start: as_given}\n",
           MU, K, KT, amplitude, 2.0 * TS_PI / period, MASS, RADIUS, RADIUS - MASS * G / K, h);
  scene_run r = scene_run_text(text);
  double area = 0.0, steepest = 0.0, last_force = 0.0, last_way = 0.0, most = 0.0;
  for (int k = 0; k < 2000; ++k) {
    step(&r);
    int count;
    const ts_contact *contact = ts_sim_contacts(r.sim, &count);
    assert_int_equal(count, 1);
    // force of the end of the step on the floor, against its way
    const double force =
        -KT * (contact->deflection[1] * contact->tangent.x + contact->deflection[2] * contact->other.x);
    const double way = scene_run_position(&r, "floor").x;
    if (k >= 1000) { // from the second cycle on
      area += 0.5 * (force + last_force) * (way - last_way);
      const bool turns = fabs(way) > 0.9 * amplitude && fabs(way - last_way) > 1e-7;
      if (turns) steepest = fmin(steepest, (force - last_force) / (way - last_way));
    }
    most = fmax(most, fabs(force));
    last_force = force;
    last_way = way;
    assert_true(ts_sim_report(r.sim)->certified);
  }
  assert_near(most, bound, 1e-6 * bound);
  // surfaces go by their velocity in the middle of a step, (w h)^2/24 too far
  assert_near(steepest, -KT, 1.01 * pow(2.0 * TS_PI / period * h, 2.0) / 24.0 * KT);
  assert_near(fabs(area), 4.0 * bound * (amplitude - bound / KT), 0.01 * fabs(area));
  scene_run_end(&r);
}

// Pushed aside too slowly to slip it swings by KT, and nothing is lost; C_t damps it by its decrement.
static void sticking_contact_swings(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; ++damped) {
    const double c = damped ? 10.0 : 0.0, v = 0.03, decay = 0.5 * c / MASS, w = sqrt(KT / MASS - decay * decay);
    assert_true(v * sqrt(KT * MASS) < MU * MASS * G);
    char law[300], block[300];
    snprintf(law, sizeof law, "friction: %g, stiffness: %g, tangential_stiffness: %g, tangential_damping: %g", MU, K,
             KT, c);
    snprintf(block, sizeof block,
             "- {name: block, mass: %g, rotates: false, shape: {sphere: {radius: %g}}, position: [0, 0, %.17g], "
             "velocity: [%g, 0, 0]}\n",
             MASS, RADIUS, RADIUS - MASS * G / K, v);
    scene_run r = start("", law, block, "size: 5e-3, start: as_given, contact_error: 1e-3, most_parts: 1024");
    const double energy = energy_of(&r), end = 0.4;
    scene_run_to(&r, end);
    assert_near(scene_run_position(&r, "block").x, v / w * exp(-decay * end) * sin(w * end), 1e-2 * v / w);
    assert_near(scene_run_position(&r, "block").z, RADIUS - MASS * G / K, 1e-9);
    if (!damped) assert_near(energy_of(&r), energy, 1e-9 * energy);
    scene_run_end(&r);
  }
}

// Two swings of a slide: it slips against mu N, then swings about where its spring is at rest.
static void slipping_contact_slows_down(void **state)
{
  (void)state;
  const double v = 1.0, slide = v / (MU * G);
  char law[300], block[300];
  snprintf(law, sizeof law, "friction: %g, stiffness: 1e5, tangential_stiffness: 1e5, tangential_damping: 200", MU);
  snprintf(
      block, sizeof block,
      "- {name: block, mass: %g, rotates: false, shape: {sphere: {radius: %g}}, position: [0, 0, %.17g], velocity: "
      "[%g, 0, 0]}\n",
      MASS, RADIUS, RADIUS - MASS * G / 1e5, v);
  scene_run r = start("", law, block, "size: 1e-3, start: as_given");
  scene_run_to(&r, 0.5 * slide);
  // it begins with a spring at rest: friction is missing until the bound is reached, after mu m g/(k v)
  assert_near(velocity_of(&r, "block").x, v - MU * G * ts_sim_time(r.sim), MU * G * MU * MASS * G / 1e5 / v);
  int count;
  const ts_contact *contact = ts_sim_contacts(r.sim, &count);
  assert_int_equal(contact->mode, TS_SLIP);
  assert_near(hypot(contact->deflection[1], contact->deflection[2]), MU * MASS * G / 1e5, 1e-9);
  scene_run_to(&r, slide + 0.5);
  assert_near(velocity_of(&r, "block").x, 0.0, 1e-6);
  assert_near(scene_run_position(&r, "block").x, 0.5 * v * slide, 1e-4);
  scene_run_end(&r);
}

// ---- stiff ---------------------------------------------------------------------------------------------------------

static double way_down_a_slope(const char *method, const char *law, double h)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "touchstone: 1\ngravity: [%.17g, 0, %.17g]\ncontact: {friction: 0.3%s}\nbodies:\n"
           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "- {name: box, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05]}\n"
           "step: {method: %s, size: %g, tolerance: 1e-10}\n",
           G * sin(0.6), -G * cos(0.6), law, method, h);
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 0.5);
  const double way = scene_run_position(&r, "box").x;
  scene_run_end(&r);
  return way;
}

// A box slides down a slope. As stiffness grows beyond what its steps resolve, its way becomes that of the rigid step
// of the same length, which is a h t/2 too long; with shorter steps it is a t^2/2.
static void stiff_contacts_are_rigid_ones(void **state)
{
  (void)state;
  const double rigid = way_down_a_slope("stewart-trinkle", "", 1e-3);
  double before = INFINITY;
  for (int power = 4; power <= 9; ++power) {
    char law[200];
    snprintf(law, sizeof law, ", stiffness: 1e%d, damping: %.17g", power, pow(10.0, 0.5 * power));
    const double error = fabs(way_down_a_slope("compliant", law, 1e-3) - rigid);
    assert_true(error < 0.4 * before);
    before = error;
  }
  const double a = G * (sin(0.6) - 0.3 * cos(0.6)), way = 0.5 * a * 0.25;
  assert_true(before < 1e-5);
  assert_near(rigid, way, 1.01 * 0.5 * a * 1e-3 * 0.5);
  assert_near(way_down_a_slope("compliant", ", stiffness: 1e8, damping: 1e4", 1e-4), way, 1.01 * 0.5 * a * 1e-4 * 0.5);
}

// The sphere of 000 slides until 4/(7 mu g) and rolls on at 10/7 m/s.
static void stiff_sphere_rolls_on(void **state)
{
  (void)state;
  char ball[200];
  snprintf(ball, sizeof ball,
           "- {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, %.17g], velocity: [2, 0, 0]}\n",
           1.0 - G / 1e7);
  scene_run r = start("", "friction: 0.2, stiffness: 1e7, damping: 2000", ball, "size: 1e-3, start: as_given");
  scene_run_to(&r, 0.6);
  assert_near(velocity_of(&r, "ball").x, 10.0 / 7.0, 1e-4);
  const double slide = 4.0 / (7.0 * 0.2 * G);
  assert_near(scene_run_position(&r, "ball").x, 2.0 * slide - 0.1 * G * slide * slide + 10.0 / 7.0 * (0.6 - slide),
              0.5 * 0.2 * G * 1e-3 * slide);
  scene_run_end(&r);
}

// Slip s and spin w share the friction: the force is mu m g s/f, the moment mu m g e^2 w/f, f^2 = s^2 + e^2 w^2. For a
// ball of radius 1 s' = -3.5 mu g s/f and w' = -2.5 mu g e^2 w/f. Runge and Kutta's method takes them to the end.
static void slide_and_spin(double mu, double e, double duration, double *slip, double *spin)
{
  enum { STEPS = 1000 };
  const double h = duration / STEPS, weights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
               at[4] = {0.0, 0.5, 0.5, 1.0};
  for (int k = 0; k < STEPS; ++k) {
    double rates[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
    for (int stage = 0; stage < 4; ++stage) {
      const double s = *slip + at[stage] * h * rates[0], w = *spin + at[stage] * h * rates[1], f = hypot(s, e * w);
      rates[0] = -3.5 * mu * G * s / f;
      rates[1] = -2.5 * mu * G * e * e * w / f;
      for (int i = 0; i < 2; ++i) sum[i] += h * weights[stage] * rates[i];
    }
    *slip += sum[0];
    *spin += sum[1];
  }
}

// However the parts are taken: theta is 1/2 where dampers are weak and steps short, above where they are not.
static void slip_and_spin_share_friction(void **state)
{
  (void)state;
  static const char *const steps[] = {"size: 1e-3", "size: 1e-3, contact_error: 1e-4, most_parts: 1024", "size: 1e-5"};
  double slip = 2.0, spin = 3.0;
  slide_and_spin(0.2, 0.3, 0.3, &slip, &spin);
  for (int k = 0; k < 3; ++k) {
    scene_run r =
        start("duration: 0.3\n", "friction: 0.2, ellipsoid: [1, 1, 0.3], stiffness: 1e6, damping: 1e3",
              "- {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1], velocity: [2, 0, 0], "
              "angular_velocity: [0, 0, 3]}\n",
              steps[k]);
    scene_run_to(&r, 0.3);
    const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "ball"));
    assert_near(v.linear.x - v.angular.y, slip, 2e-3);
    assert_near(v.angular.z, spin, 1e-3);
    scene_run_end(&r);
  }
}

// Steps of 1 ms and no parts, a hundred times too long for 1e8 N/m: all is certified, nothing is gained, it rests.
static void long_steps_do_not_blow_up(void **state)
{
  (void)state;
  for (int k = 0; k < 6; ++k) {
    char law[200], ball[300];
    snprintf(law, sizeof law, "friction: 0.5, stiffness: 1e8, damping: %g, tangential_stiffness: %g",
             k % 2 ? 1000.0 : 0.0, k % 3 ? 1e8 : 1e3);
    snprintf(ball, sizeof ball,
             "- {name: box, mass: 1, shape: {box: {size: [0.2, 0.3, 0.1]}}, position: [0, 0, 0.3], orientation: [0.98, "
             "0.15, "
             "%g, 0.05], velocity: [0.5, 0, -2]}\n",
             0.05 * k);
    scene_run r = start("", law, ball, "size: 1e-3, most_parts: 1");
    double energy = energy_of(&r);
    const double scale = energy;
    for (int n = 0; n < 3000; ++n) {
      step(&r);
      assert_true(ts_sim_report(r.sim)->certified);
      assert_true(energy_of(&r) <= energy + 1e-6 * scale);
      energy = fmin(energy, energy_of(&r));
    }
    if (k % 3) assert_true(ts_length(velocity_of(&r, "box")) < 1e-6); // else it swings along the surface as it should
    scene_run_end(&r);
  }
}

// ---- rest ----------------------------------------------------------------------------------------------------------

// The thesis' Figure 2.7: a box that is dropped askew on springs at its corners comes to rest, and does not shiver.
static void box_on_four_springs_comes_to_rest(void **state)
{
  (void)state;
  const double k = 1e6;
  scene_run r =
      start("", "friction: 0.5, stiffness: 1e6, damping: 300",
            "- {name: box, mass: 2, shape: {box: {size: [0.2, 0.3, 0.1]}}, position: [0, 0, 0.2], orientation: [0.98, "
            "0.15, 0.1, 0]}\n",
            "size: 1e-3");
  scene_run_to(&r, 2.0);
  for (int n = 0; n < 100; ++n) {
    step(&r);
    const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
    assert_true(ts_length(v.linear) + ts_length(v.angular) < 1e-9);
    assert_int_equal(ts_sim_report(r.sim)->substeps, 1);
    assert_true(ts_sim_report(r.sim)->impulses_unique);
  }
  int count;
  const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 4);
  for (int i = 0; i < count; ++i) {
    assert_near(contacts[i].impulse[0], 2.0 * G / 4.0 * 1e-3, 1e-9);
    assert_near(contacts[i].deflection[0], 2.0 * G / (4.0 * k), 1e-12);
  }
  scene_run_end(&r);
}

static void box_in_the_plane_comes_to_rest(void **state)
{
  (void)state;
  scene_run r =
      scene_run_text("touchstone: 1\nspace: 2d\ngravity: [0, -9.81]\n"
                     "contact: {friction: 0.5, stiffness: 1e6, damping: 300}\nbodies:\n"
                     "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 1]}}}\n"
                     "- {name: box, mass: 2, shape: {box: {size: [0.2, 0.1]}}, position: [0, 0.2], angle: 0.4}\n"
                     "step: {method: compliant, size: 1e-3, tolerance: 1e-10}\n");
  scene_run_to(&r, 2.0);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "box"));
  assert_true(ts_length(v.linear) + ts_length(v.angular) < 1e-9);
  int count;
  const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 2);
  for (int i = 0; i < count; ++i) assert_near(contacts[i].deflection[0], 2.0 * G / (2.0 * 1e6), 1e-12);
  scene_run_end(&r);
}

// Overlap of the start that is left there is deflection: what stands at rest stays at rest. Else it is taken out.
static void overlap_at_the_start_is_pressed_in(void **state)
{
  (void)state;
  char ball[200];
  snprintf(ball, sizeof ball, "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, %.17g]}\n",
           0.1 - G / 4000.0);
  scene_run r = start("", "stiffness: 4000", ball, "size: 1e-3, start: as_given");
  assert_near(energy_of(&r), G * (0.1 - G / 4000.0) + 0.5 * G * G / 4000.0, 1e-12);
  scene_run_to(&r, 0.5);
  assert_near(scene_run_position(&r, "ball").z, 0.1 - G / 4000.0, 1e-12);
  scene_run_end(&r);
  r = start("", "stiffness: 4000", ball, "size: 1e-3");
  assert_near(scene_run_position(&r, "ball").z, 0.1, 1e-9);
  scene_run_end(&r);
}

// ---- energy --------------------------------------------------------------------------------------------------------

static void add_random_body(ts_random *random, bool planar, int i, char *text, size_t size)
{
  const size_t used = strlen(text);
  const double a = ts_random_uniform(random, 0.05, 0.15), b = ts_random_uniform(random, 0.05, 0.15);
  char shape[100], place[200];
  if (planar) {
    snprintf(shape, sizeof shape, i % 2 ? "box: {size: [%g, %g]}" : "disc: {radius: %g}", a, b);
    snprintf(place, sizeof place, "position: [%g, %g], angle: %g, velocity: [%g, %g]",
             ts_random_uniform(random, -0.05, 0.05), 0.2 + 0.25 * i, ts_random_uniform(random, 0.0, 3.0),
             ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -2.0, 0.0));
  } else {
    snprintf(shape, sizeof shape, i % 2 ? "box: {size: [%g, %g, 0.1]}" : "sphere: {radius: %g}", a, b);
    snprintf(place, sizeof place, "position: [%g, %g, %g], orientation: [%g, %g, %g, 0.1], velocity: [%g, 0, %g]",
             ts_random_uniform(random, -0.05, 0.05), ts_random_uniform(random, -0.05, 0.05), 0.2 + 0.25 * i,
             ts_random_uniform(random, 0.2, 1.0), ts_random_uniform(random, -1.0, 1.0),
             ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0),
             ts_random_uniform(random, -2.0, 0.0));
  }
  snprintf(text + used, size - used, "- {name: b%d, mass: %g, shape: {%s}, %s}\n", i,
           ts_random_uniform(random, 0.2, 3.0), shape, place);
}

// Heaps of a few bodies, of any stiffness and damping, in parts or not: energy with that of the springs never rises,
// and contacts only take. 1e-9 of it is for the tolerance of solves. In space axes of inertia turn by the mean velocity
// of a part and not by that of its end, which changes the energy of a body that is pushed while it turns, to and fro.
static void nothing_is_gained(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  for (int scene = 0; scene < 100; ++scene) {
    const bool planar = scene % 2;
    char text[TEXT];
    const double k = pow(10.0, ts_random_uniform(&random, 4.0, 7.0)),
                 zeta = scene % 3 ? ts_random_uniform(&random, 0.0, 0.5) : 0.0;
    const char *world = planar ? "space: 2d\ngravity: [0, -9.81]\n" : "";
    const char *normal = planar ? "[0, 1]" : "[0, 0, 1]";
    snprintf(text, sizeof text,
             "touchstone: 1\n%scontact: {friction: %g, stiffness: %g, damping: %g, tangential_stiffness: %g, "
             "tangential_damping: %g}\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: %s}}}\n",
             world, ts_random_uniform(&random, 0.0, 1.0), k, zeta * sqrt(k), k * ts_random_uniform(&random, 0.2, 2.0),
             zeta * sqrt(k), normal);
    for (int i = 0; i < 4; ++i) add_random_body(&random, planar, i, text, sizeof text);
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "step: {method: compliant, size: 2e-3, most_parts: %d}\n",
             scene % 5 == 0 ? 1 : 64);
    scene_run r = scene_run_text(text);
    double energy = energy_of(&r), most = 0.0;
    const double scale = energy;
    for (int n = 0; n < 300; ++n) {
      step(&r);
      const ts_step_report *report = ts_sim_report(r.sim);
      assert_true(report->certified);
      assert_true(report->contact_work <= 1e-12 * scale);
      most = fmax(most, energy_of(&r) - energy);
      energy = energy_of(&r);
    }
    if (!(most < (planar ? 1e-9 : 1e-6) * scale)) fail_msg("scene %d gains %g of %g J", scene, most, scale);
    scene_run_end(&r);
  }
}

// ---- states and laws -----------------------------------------------------------------------------------------------

static const char *const box_law = "friction: 0.4, stiffness: 1e5, damping: 30, tangential_stiffness: 5e4";
static const char *const box = "- {name: box, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.12], "
                               "orientation: [1, 0.2, 0.1, 0], velocity: [1, 0, 0]}\n";

// In the middle of a bounce: the same bits as without the stop, and other steppers take what they understand.
static void saved_states_go_on_to_the_bit(void **state)
{
  (void)state;
  scene_run whole = start("", box_law, box, "size: 1e-3"), other = start("", box_law, box, "size: 1e-3");
  ts_error error;
  bool touching = false;
  for (int k = 0; k < 500 && !(touching && k > 60); ++k) {
    step(&whole);
    int count;
    const ts_contact *contacts = ts_sim_contacts(whole.sim, &count);
    touching = count > 0 && contacts[0].deflection[0] > 0.0;
  }
  assert_true(touching);
  double *saved;
  size_t size;
  assert_int_equal(ts_sim_snapshot(whole.sim, &saved, &size, &error), TS_OK);
  assert_int_equal(ts_sim_load(other.sim, saved, size, &error), TS_OK);
  for (int k = 0; k < 200; ++k) {
    step(&whole);
    step(&other);
    const ts_twist a = ts_sim_velocity(whole.sim, 1), b = ts_sim_velocity(other.sim, 1);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(energy_of(&whole) == energy_of(&other));
  }
  scene_run_end(&other);

  char text[TEXT];
  snprintf(
      text, sizeof text,
      "touchstone: 1\ncontact: {%s}\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n%s"
      "step: {size: 1e-3}\n",
      box_law, box);
  other = scene_run_text(text);
  assert_int_equal(ts_sim_load(other.sim, saved, size, &error), TS_OK);
  step(&other);
  saved[size - 5] = -1.0; // a spring that is stretched: normal, tangent, pace end the list
  assert_int_not_equal(ts_sim_load(whole.sim, saved, size, &error), TS_OK);
  free(saved);
  scene_run_end(&other);
  scene_run_end(&whole);
}

// Rigid steppers do not ask for stiffness: the same bits.
static void others_leave_stiffness_aside(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven", "implicit"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    ts_vec3 end[2];
    for (int k = 0; k < 2; ++k) {
      char text[TEXT];
      snprintf(text, sizeof text,
               "touchstone: 1\ncontact: {friction: 0.4%s}\nbodies:\n"
               "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n%sstep: {method: %s, size: 1e-3}\n",
               k ? ", stiffness: 1e5, damping: 30" : "", box, methods[m]);
      scene_run r = scene_run_text(text);
      for (int n = 0; n < 150; ++n) step(&r);
      end[k] = scene_run_position(&r, "box");
      scene_run_end(&r);
    }
    assert_memory_equal(&end[0], &end[1], sizeof end[0]);
  }
}

// Springs of two materials stand behind each other; what is rigid leaves the other as it is.
static void materials_stand_behind_each_other(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ncontact: {friction: 0}\n"
      "materials:\n- {name: soft, stiffness: 1000, damping: 10, tangential_stiffness: 500, tangential_damping: 1}\n"
      "- {name: hard, stiffness: 3000, damping: 30}\n- {name: rigid}\nbodies:\n"
      "- {name: a, material: soft, shape: {sphere: {radius: 1}}}\n"
      "- {name: b, material: hard, shape: {sphere: {radius: 1}}, position: [3, 0, 0]}\n"
      "- {name: c, material: rigid, shape: {sphere: {radius: 1}}, position: [6, 0, 0]}\n"
      "- {name: d, material: soft, shape: {sphere: {radius: 1}}, position: [9, 0, 0]}\n");
  ts_contact_law law;
  const ts_model *model = ts_sim_model(r.sim);
  assert_true(ts_model_contact_law(model, 0, 1, &law));
  assert_near(law.stiffness, 750.0, 1e-9);
  assert_near(law.damping, 7.5, 1e-9);                                  // equal ratios: exact
  assert_near(law.tangential_stiffness, 500.0 * 3000.0 / 3500.0, 1e-9); // the other is as along its normal
  assert_near(law.tangential_damping, (36.0 * 1.0 + 1.0 * 30.0) / 49.0, 1e-9);
  assert_true(ts_model_contact_law(model, 0, 2, &law));
  assert_near(law.stiffness, 1000.0, 0.0);
  assert_near(law.damping, 10.0, 0.0);
  assert_near(law.tangential_stiffness, 500.0, 0.0);
  assert_true(ts_model_contact_law(model, 1, 2, &law));
  assert_near(law.tangential_stiffness, 0.0, 0.0); // left to the normal
  assert_true(ts_model_contact_law(model, 0, 3, &law));
  assert_near(law.stiffness, 500.0, 1e-9);
  assert_near(law.damping, 5.0, 1e-9);
  scene_run_end(&r);
}

// What is refused, and where.
static void bad_laws_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *contact, *options, *says;
    int line;
  } bad[] = {
      {"stiffness: -1", "", "stiffness", 2},
      {"stiffness: 1e4, damping: -1", "", "damping", 2},
      {"stiffness: 1e4, tangential_stiffness: -1", "", "tangential_stiffness", 2},
      {"stiffness: 1e4, tangential_damping: -0.1", "", "tangential_damping", 2},
      {"damping: 3", "", "damping is 3, but stiffness is 0: there is nothing to damp", 2},
      {"stiffness: 1e4, tangential_damping: 3", "", "tangential_damping is 3, but tangential_stiffness is 0", 2},
      {"friction: 0.5", "", "needs a stiffness of the contact law between bodies 'floor' and 'ball'", 0},
      {"stiffness: 1e4, restitution: 0.5", "", "compliant knows no restitution", 0},
      {"stiffness: 1e4", ", impacts: newton", "compliant has no impacts", 0},
      {"stiffness: 1e4", ", stabilization: none", "it has no rule of stabilization", 0},
      {"stiffness: 1e4", ", contact_error: 0", "contact_error", 6},
      {"stiffness: 1e4", ", most_parts: 0", "most_parts", 6},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "touchstone: 1\ncontact: {%s}\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "- {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 2]}\nstep: {method: compliant%s}\n",
        bad[k].contact, bad[k].options);
    ts_scene *scene = NULL;
    ts_sim *sim = NULL;
    ts_error error = {0};
    ts_status status = ts_scene_parse(text, strlen(text), "bad", NULL, 0, &scene, &error);
    if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
    if (status == TS_OK) fail_msg("%s %s was taken", bad[k].contact, bad[k].options);
    if (!strstr(error.text, bad[k].says)) fail_msg("%s: %s", bad[k].contact, error.text);
    if (bad[k].line > 0) assert_int_equal(error.line, bad[k].line);
    ts_scene_destroy(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_steps_are_of_second_order),
      cmocka_unit_test(parts_meet_the_error_that_is_asked_for),
      cmocka_unit_test(floors_may_come_to_the_ball),
      cmocka_unit_test(free_motion_is_cut_where_it_meets),
      cmocka_unit_test(damping_makes_restitution),
      cmocka_unit_test(bounces_with_weight),
      cmocka_unit_test(load_cycle_has_the_area_of_its_slip),
      cmocka_unit_test(sticking_contact_swings),
      cmocka_unit_test(slipping_contact_slows_down),
      cmocka_unit_test(stiff_contacts_are_rigid_ones),
      cmocka_unit_test(stiff_sphere_rolls_on),
      cmocka_unit_test(slip_and_spin_share_friction),
      cmocka_unit_test(long_steps_do_not_blow_up),
      cmocka_unit_test(box_on_four_springs_comes_to_rest),
      cmocka_unit_test(box_in_the_plane_comes_to_rest),
      cmocka_unit_test(overlap_at_the_start_is_pressed_in),
      cmocka_unit_test(nothing_is_gained),
      cmocka_unit_test(saved_states_go_on_to_the_bit),
      cmocka_unit_test(others_leave_stiffness_aside),
      cmocka_unit_test(materials_stand_behind_each_other),
      cmocka_unit_test(bad_laws_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
