// Soft skins beside closed forms: the Kelvin-Voigt bounce, rest, stick and slip, skins in series, matrices that couple
// the normal to tangents, a load cycle, shapes that are intersections, saved states, and what may be gained.
// tests/pipeline/test_soft_skin.c has the disc of the thesis.
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
enum { TEXT = 3000 };

// A floor with a skin, and what is on it.
static scene_run start(const char *skin, const char *law, const char *bodies, double h)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "touchstone: 1\ncontact: {%s}\nbodies:\n"
           "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}, skin: {%s}}\n%s"
           "step: {method: implicit-compliant, size: %.17g, tolerance: 1e-10}\n",
           law, skin, bodies, h);
  return scene_run_text(text);
}

static const ts_contact *only_contact(const scene_run *r)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  assert_int_equal(count, 1);
  return contacts;
}

static ts_vec3 velocity_of(const scene_run *r, const char *body)
{
  return ts_sim_velocity(r->sim, scene_run_body(r, body)).linear;
}

static double energy_of(const scene_run *r)
{
  return ts_sim_report(r->sim)->kinetic_energy + ts_sim_report(r->sim)->potential_energy;
}

// ---- Kelvin and Voigt ----------------------------------------------------------------------------------------------

static const double K = 4000.0, C = 30.0, MASS = 1.0, SPEED = 2.0;

// Pressed in by x after t, and how fast: m x'' = -k x - c x'.
static void kelvin_voigt(double t, double *x, double *rate)
{
  const double decay = C / (2.0 * MASS), w = sqrt(K / MASS - decay * decay);
  *x = SPEED / w * exp(-decay * t) * sin(w * t);
  *rate = SPEED * exp(-decay * t) * (cos(w * t) - decay / w * sin(w * t));
}

// When k x + c x' is 0: from there on the skin would pull.
static double end_of_contact(void)
{
  double low = 0.01, high = TS_PI / sqrt(K / MASS);
  for (int k = 0; k < 200; ++k) {
    const double t = 0.5 * (low + high);
    double x, rate;
    kelvin_voigt(t, &x, &rate);
    *(K * x + C * rate > 0.0 ? &low : &high) = t;
  }
  return low;
}

// Without gravity: the whole bounce is the closed form, skin and ball part before the skin has recovered.
static void bounce_converges_to_kelvin_voigt(void **state)
{
  (void)state;
  double x, rate, before[3] = {0};
  const double end = end_of_contact();
  kelvin_voigt(end, &x, &rate);
  assert_true(x > 1e-3); // the skin lags behind
  for (int k = 0; k < 5; ++k) {
    const double h = 4e-4 / (1 << k);
    char text[TEXT];
    snprintf(
        text, sizeof text,
        "touchstone: 1\ngravity: [0, 0, 0]\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}},"
        "\n   skin: {thickness: 1, stiffness: %g, damping: %g}}\n- {name: ball, mass: %g, shape: {sphere: {radius: "
        "0.5}},\n   position: [0, 0, 0.5], velocity: [0, 0, %g]}\nstep: {method: implicit-compliant, size: %.17g, "
        "tolerance: 1e-10}\n",
        K, C, MASS, -SPEED, h);
    scene_run r = scene_run_text(text);
    double deepest = 0.0, lasts = 0.0, middle, unused;
    const double half = 0.01;
    kelvin_voigt(half, &middle, &unused);
    for (double t = h; t < 0.08; t += h) {
      scene_run_to(&r, t);
      const double depth = 0.5 - scene_run_position(&r, "ball").z;
      deepest = fmax(deepest, depth);
      int count;
      const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
      if (count > 0 && contacts[0].impulse[0] > 1e-9) lasts = ts_sim_time(r.sim); // rounding leaves less
      if (fabs(t - half) < 0.1 * h) middle -= depth;
    }
    const double errors[3] = {fabs(middle), fabs(velocity_of(&r, "ball").z + rate), fabs(lasts - end)};
    print_message("h = %g: at %g s %.3g m, leaves %.3g m/s, %.3g s\n", h, half, errors[0], errors[1], errors[2]);
    if (k > 0) assert_true(errors[0] > 0.45 * before[0] && errors[0] < 0.55 * before[0]);
    if (k > 0) assert_true(errors[1] > 0.4 * before[1] && errors[1] < 0.6 * before[1]);
    assert_true(errors[2] <= 2.0 * h);
    memcpy(before, errors, sizeof before);
    scene_run_end(&r);
  }
}

// What has been pressed in and left comes back with the time constant C/K, by backward Euler to the digit.
static void skin_recovers_by_itself(void **state)
{
  (void)state;
  const double h = 1e-3;
  scene_run r = start("thickness: 0.1, stiffness: 1000, damping: 200", "friction: 0",
                      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.499],\n"
                      "   velocity: [0, 0, 3], gravity_scale: [0, 0, 0]}\n",
                      h);
  double stored = energy_of(&r) - 4.5, before = stored; // 1/2 1000 0.001^2
  assert_near(stored, 0.5e-3, 1e-15);
  for (int k = 0; k < 20; ++k) {
    scene_run_to(&r, h * (k + 1));
    stored = energy_of(&r) - 4.5;
    assert_near(stored / before, pow(200.0 / (1000.0 * h + 200.0), 2.0), 1e-9);
    before = stored;
  }
  scene_run_end(&r);
}

// ---- rest ----------------------------------------------------------------------------------------------------------

#define DAMPED "thickness: 0.1, stiffness: [2000, 900, 900], damping: [40, 30, 30]"

// A ball and a box sink in by their weight over the stiffness, whatever the box's face; a surface bears the box.
static void weight_presses_in(void **state)
{
  (void)state;
  scene_run r = start(DAMPED, "friction: 0.5",
                      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5]}\n"
                      "- {name: box, mass: 2, shape: {box: {size: [0.4, 0.6, 0.2]}}, position: [2, 0, 0.1]}\n",
                      2e-3);
  scene_run_to(&r, 4.0);
  assert_near(scene_run_position(&r, "ball").z, 0.5 - G / 2000.0, 1e-9);
  assert_near(scene_run_position(&r, "box").z, 0.1 - 2.0 * G / 2000.0, 1e-9);
  int count;
  const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 2);
  assert_int_equal(contacts[0].patch, 0);
  assert_int_equal(contacts[1].patch, 2);
  assert_near(contacts[1].deflection[0], 2.0 * G / 2000.0, 1e-9);
  scene_run_end(&r);
}

// A box on a slope: gravity leans by the angle. It sticks with the deflections of its weight, or slides with g (sin a -
// mu cos a) once the slope is beyond the friction.
static void box_sticks_and_slides_on_a_slope(void **state)
{
  (void)state;
  static const double angles[] = {0.2, 0.5}, mu = 0.4;
  for (int k = 0; k < 2; ++k) {
    const double s = G * sin(angles[k]), c = G * cos(angles[k]);
    char text[TEXT];
    snprintf(text, sizeof text,
             "touchstone: 1\ngravity: [%.17g, 0, %.17g]\ncontact: {friction: %g}\nbodies:\n"
             "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}, skin: {" DAMPED "}}\n"
             "- {name: box, mass: 2, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0, 0, 0.1]}\n"
             "step: {method: implicit-compliant, size: 0.002, tolerance: 1e-10}\n",
             s, -c, mu);
    scene_run r = scene_run_text(text);
    scene_run_to(&r, 3.0);
    const ts_contact *contact = only_contact(&r);
    const ts_vec3 before = velocity_of(&r, "box");
    const double t = k == 0 ? s : mu * c; // friction on the box, up the slope
    assert_near(contact->deflection[0], 2.0 * c / 2000.0, 1e-9);
    assert_near(contact->deflection[1] * contact->tangent.x, -2.0 * t / 900.0, 1e-9);
    assert_int_equal(contact->mode, k == 0 ? TS_STICK : TS_SLIP);
    scene_run_to(&r, 3.1);
    assert_near(velocity_of(&r, "box").x - before.x, 0.1 * (s - t), 1e-9);
    if (k == 0) assert_near(scene_run_position(&r, "box").x, 2.0 * s / 900.0, 1e-9);
    scene_run_end(&r);
  }
}

// Skins without springs and dampers along the surface transmit no friction; those of others beside them do: of three
// boxes that slide on a slope the one in the middle is not braked.
static void slick_skins_transmit_no_friction(void **state)
{
  (void)state;
  static const double mu = 0.4, angle = 0.5, T = 0.2;
  static const char rough[] = DAMPED, slick[] = "thickness: 0.1, stiffness: [2000, 0, 0], damping: [40, 0, 0]";
  static const char *const names[] = {"first", "second", "third"};
  const double s = G * sin(angle), c = G * cos(angle);
  char text[TEXT];
  ts_vec3 before[3];
  int length = snprintf(text, sizeof text,
                        "touchstone: 1\ngravity: [%.17g, 0, %.17g]\ncontact: {friction: %g}\nbodies:\n"
                        "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n",
                        s, -c, mu);
  for (int k = 0; k < 3; ++k)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "- {name: %s, mass: 2, shape: {box: {size: [0.8, 0.4, 0.4]}}, position: [0, %d, 0.2],"
                       " skin: {%s}}\n",
                       names[k], k, k == 1 ? slick : rough);
  snprintf(text + length, sizeof text - (size_t)length,
           "step: {method: implicit-compliant, size: 0.002, tolerance: 1e-10}\n");
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 2.0);
  for (int k = 0; k < 3; ++k) before[k] = velocity_of(&r, names[k]);
  scene_run_to(&r, 2.0 + T);
  for (int k = 0; k < 3; ++k)
    assert_near(velocity_of(&r, names[k]).x - before[k].x, T * (k == 1 ? s : s - mu * c), 1e-6);
  scene_run_end(&r);
}

// A box that is pushed at half its height h/2: the centre of its pressure moves by F h / (2 m g), and it stays flat.
static void pushed_box_bears_farther_on(void **state)
{
  (void)state;
  scene_run r = start(DAMPED, "friction: 0.9",
                      "- {name: box, mass: 2, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0, 0, 0.2], "
                      "force: [6, 0, 0]}\n",
                      2e-3);
  scene_run_to(&r, 4.0);
  const ts_contact *contact = only_contact(&r);
  const ts_vec3 box = scene_run_position(&r, "box");
  assert_near(box.x, 6.0 / 900.0, 1e-9);
  assert_near(contact->point.x - box.x, 6.0 * (box.z - contact->point.z) / (2.0 * G), 1e-9);
  assert_int_equal(contact->patch, 2);
  scene_run_end(&r);
}

// A ball that slides ends rolling with 5/7 of its speed: nothing turns it about the line of its contact points.
static void sliding_ball_ends_rolling(void **state)
{
  (void)state;
  scene_run r = start(DAMPED, "friction: 0.3",
                      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.495095],\n"
                      "   velocity: [1.5, 2, 0]}\n",
                      2e-3);
  scene_run_to(&r, 4.0);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "ball"));
  assert_vec_near(v.linear, (ts_vec3){1.5 * 5.0 / 7.0, 2.0 * 5.0 / 7.0, 0.0}, 1e-8);
  assert_vec_near(v.angular, (ts_vec3){-v.linear.y / 0.5, v.linear.x / 0.5, 0.0}, 1e-8);
  scene_run_end(&r);
}

// What stands in equilibrium at the start stays, with the energy of its skin from the first step on.
static void rest_given_is_kept(void **state)
{
  (void)state;
  scene_run r =
      start("thickness: 0.1, stiffness: 1000", "friction: 0.5",
            "- {name: box, mass: 2, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0, 0, 0.08038]}\n", 1e-3);
  const double energy = energy_of(&r);
  assert_near(energy, 2.0 * G * 0.08038 + 500.0 * 0.01962 * 0.01962, 1e-12);
  for (int k = 1; k <= 200; ++k) {
    scene_run_to(&r, 1e-3 * k);
    assert_true(ts_length(velocity_of(&r, "box")) < 1e-9);
  }
  assert_near(energy_of(&r), energy, 1e-9);
  scene_run_end(&r);
}

// A ball that is placed deeper into its skin, or out of it, stands there with the energy of the new place.
static void placed_bodies_press_skins_in(void **state)
{
  (void)state;
  scene_run r =
      start("thickness: 0.1, stiffness: 1000", "friction: 0.5",
            "- {name: ball, mass: 1, rotates: false, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.49019],\n"
            "   force: [2, 0, 0]}\n",
            1e-4);
  const int ball = scene_run_body(&r, "ball");
  const ts_twist still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  static const double heights[] = {0.47, 0.55};
  ts_error error;
  scene_run_to(&r, 0.05);
  for (int k = 0; k < 2; ++k) {
    const double depth = fmax(0.0, 0.5 - heights[k]), z = heights[k];
    ts_pose pose = ts_sim_pose(r.sim, ball);
    pose.position.z = z;
    assert_int_equal(ts_sim_set_pose(r.sim, ball, &pose, &error), TS_OK);
    assert_int_equal(ts_sim_set_velocity(r.sim, ball, &still, &error), TS_OK);
    assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
    assert_near(energy_of(&r), G * z + 500.0 * depth * depth, k == 0 ? 2e-5 : 1e-6);
    assert_near(velocity_of(&r, "ball").z, 1e-4 * (1000.0 * depth - G), 1e-6);
    assert_true(ts_sim_report(r.sim)->certified);
  }
  scene_run_end(&r);
}

// ---- matrices ------------------------------------------------------------------------------------------------------

// With K = (nn, tt, oo, nt, no, to) a weight presses the skin in and shifts it: delta = K^-1 p. The body goes with it,
// for friction holds: u_t + delta_t' = 0.
static void couplings_shift_what_presses(void **state)
{
  (void)state;
  static const double nn = 2000.0, tt = 1500.0, oo = 1200.0, nt = 500.0, no = -300.0, to = 200.0;
  scene_run r = start("thickness: 0.1, stiffness: [2000, 1500, 1200, 500, -300, 200],\n"
                      "   damping: [60, 60, 60, 10, 0, -5], direction: [0, 1, 0]",
                      "friction: 5",
                      "- {name: ball, mass: 1, rotates: false, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5],\n"
                      "   force: [1, 0.5, 0]}\n",
                      1e-3);
  scene_run_to(&r, 5.0);
  const ts_contact *contact = only_contact(&r);
  // t is y and o = n x t is -x. What the skin pushes with: the weight along n, and against the forces along t and o.
  const double p[3] = {G, -0.5, 1.0}, n = G - contact->core / 1e-3;
  double d[3] = {0};
  assert_near(n, G, 1e-12);
  const ts_vec3 ball = scene_run_position(&r, "ball");
  d[0] = 0.5 - ball.z;
  d[1] = -ball.y;
  d[2] = ball.x;
  assert_near(nn * d[0] + nt * d[1] + no * d[2], p[0], 1e-6);
  assert_near(nt * d[0] + tt * d[1] + to * d[2], p[1], 1e-6);
  assert_near(no * d[0] + to * d[1] + oo * d[2], p[2], 1e-6);
  assert_true(fabs(d[1]) > 1e-4 && fabs(d[2]) > 1e-4);
  scene_run_end(&r);
}

// Pushed aside harder than it is pressed in, a skin that couples the two stands out over its shape, and bears the body
// up there: delta_n = S_nn p_n + S_nt p_t with S = K^-1.
static void skin_bulges_and_bears(void **state)
{
  (void)state;
  scene_run r = start("thickness: 0.1, stiffness: [2000, 1500, 1500, 1500, 0, 0], damping: 40", "friction: 2",
                      "- {name: ball, mass: 1, rotates: false, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5],\n"
                      "   force: [{ramp: {from: 0, to: -14, start: 1, end: 2}}, 0, 0]}\n",
                      1e-3);
  scene_run_to(&r, 5.0);
  const double p[2] = {G, 14.0}, S = 1.0 / (2000.0 * 1500.0 - 1500.0 * 1500.0);
  const ts_vec3 ball = scene_run_position(&r, "ball");
  assert_near(0.5 - ball.z, S * 1500.0 * (p[0] - p[1]), 1e-8);
  assert_near(-ball.x, S * (2000.0 * p[1] - 1500.0 * p[0]), 1e-8);
  assert_true(ball.z > 0.505);
  assert_true(ts_length(velocity_of(&r, "ball")) < 1e-8);
  scene_run_end(&r);
}

// The same skin on the body instead of the floor: its n points down and its o = n x t the other way, and it pushes the
// floor instead of the ball. Along t the sign of what it does to the ball turns, along o it turns twice.
static void skin_may_be_on_either_side(void **state)
{
  (void)state;
  static const char *const skin = "thickness: 0.1, stiffness: [2000, 1500, 1200, %s], damping: [40, 40, 40]";
  ts_vec3 at[2];
  for (int k = 0; k < 2; ++k) {
    char text[TEXT], own[200], none[] = "";
    snprintf(own, sizeof own, skin, k == 0 ? "500, -300, 200" : "-500, -300, -200");
    snprintf(text, sizeof text,
             "touchstone: 1\ncontact: {friction: 0.3}\nbodies:\n"
             "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}%s%s%s}\n"
             "- {name: ball, mass: 1, rotates: false, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.52],\n"
             "   velocity: [0.3, 0.1, 0]%s%s%s}\n"
             "step: {method: implicit-compliant, size: 0.002, tolerance: 1e-10}\n",
             k == 0 ? ", skin: {" : "", k == 0 ? own : none, k == 0 ? "}" : "", k == 1 ? ", skin: {" : "",
             k == 1 ? own : none, k == 1 ? "}" : "");
    scene_run r = scene_run_text(text);
    scene_run_to(&r, 0.6);
    at[k] = scene_run_position(&r, "ball");
    scene_run_end(&r);
  }
  print_message("%g %g %g\n", at[0].x, at[0].y, at[0].z);
  assert_vec_near(at[0], at[1], 1e-9);
}

// ---- both soft -----------------------------------------------------------------------------------------------------

static scene_run start_pair(const char *floor, const char *ball, double h)
{
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "touchstone: 1\ncontact: {friction: 0.4}\nbodies:\n"
      "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}, skin: {%s}}\n"
      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.55], velocity: [1, 0, 0]%s%s%s}\n"
      "step: {method: implicit-compliant, size: %.17g, tolerance: 1e-10}\n",
      floor, *ball ? ", skin: {" : "", ball, *ball ? "}" : "", h);
  return scene_run_text(text);
}

// Two skins do what one does whose compliance is the sum of theirs.
static void skins_in_series(void **state)
{
  (void)state;
  scene_run both = start_pair("thickness: 0.1, stiffness: [3000, 2000, 2000], damping: [30, 20, 20]",
                              "thickness: 0.1, stiffness: [6000, 4000, 4000], damping: [60, 40, 40]", 1e-3);
  scene_run one = start_pair("thickness: 0.2, stiffness: [2000, 1333.3333333333333, 1333.3333333333333],\n"
                             "   damping: [20, 13.333333333333333, 13.333333333333333]",
                             "", 1e-3);
  for (int k = 1; k <= 1000; ++k) {
    scene_run_to(&both, 1e-3 * k);
    scene_run_to(&one, 1e-3 * k);
    assert_vec_near(scene_run_position(&both, "ball"), scene_run_position(&one, "ball"), 1e-9);
  }
  scene_run_end(&both);
  scene_run_end(&one);
}

// Boxes with skins on each other: every contact is pressed in by the weight above it, half by each of two skins.
static void soft_boxes_stand_on_each_other(void **state)
{
  (void)state;
  scene_run r = start("thickness: 0.05, stiffness: [6000, 5000, 5000], damping: 300", "friction: 0.5",
                      "- {name: low, mass: 1, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0, 0, 0.1],\n"
                      "   skin: {thickness: 0.05, stiffness: [6000, 5000, 5000], damping: 300}}\n"
                      "- {name: middle, mass: 2, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0.05, 0, 0.3],\n"
                      "   skin: {thickness: 0.05, stiffness: [6000, 5000, 5000], damping: 300}}\n"
                      "- {name: high, mass: 3, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0, 0.05, 0.5],\n"
                      "   skin: {thickness: 0.05, stiffness: [6000, 5000, 5000], damping: 300}}\n",
                      2e-3);
  scene_run_to(&r, 4.0);
  const double k = 3000.0, low = 0.1 - 6.0 * G / k, middle = low + 0.2 - 5.0 * G / k;
  assert_near(scene_run_position(&r, "low").z, low, 1e-8);
  assert_near(scene_run_position(&r, "middle").z, middle, 1e-8);
  assert_near(scene_run_position(&r, "high").z, middle + 0.2 - 3.0 * G / k, 1e-8);
  assert_true(ts_length(velocity_of(&r, "high")) < 1e-8);
  scene_run_end(&r);
}

// A thin skin is pressed in to its core, and the other goes on by its own stiffness; both are, where both are thin.
static void cores_bear_what_skins_do_not(void **state)
{
  (void)state;
  scene_run one =
      start_pair("thickness: 0.1, stiffness: 1000, damping: 30", "thickness: 0.002, stiffness: 500, damping: 30", 1e-3);
  scene_run_to(&one, 4.0);
  assert_near(scene_run_position(&one, "ball").z, 0.5 - G / 1000.0 - 0.002, 1e-9);
  assert_near(only_contact(&one)->core, 0.0, 1e-12);
  scene_run_end(&one);
  scene_run two = start_pair("thickness: 0.003, stiffness: 1000, damping: 30",
                             "thickness: 0.002, stiffness: 500, damping: 30", 1e-3);
  scene_run_to(&two, 4.0);
  assert_near(scene_run_position(&two, "ball").z, 0.495, 1e-12);
  assert_near(only_contact(&two)->core, 1e-3 * (G - 3.0), 1e-12); // the floor's skin bears 3 N, the ball's 1 N
  assert_near(only_contact(&two)->impulse[0], 1e-3 * G, 1e-12);
  scene_run_end(&two);
}

// ---- intersections -------------------------------------------------------------------------------------------------

// A box, and the same box as half-spaces: with the same skin they tumble alike (3.5.2.2).
static void intersection_with_a_skin(void **state)
{
  (void)state;
  static const char *const shapes[] = {
      "box: {size: [0.4, 0.3, 0.2]}",
      "intersection: {members: [\n"
      "     {plane: {normal: [1, 0, 0], offset: 0.2}}, {plane: {normal: [-1, 0, 0], offset: 0.2}},\n"
      "     {plane: {normal: [0, 1, 0], offset: 0.15}}, {plane: {normal: [0, -1, 0], offset: 0.15}},\n"
      "     {plane: {normal: [0, 0, 1], offset: 0.1}}, {plane: {normal: [0, 0, -1], offset: 0.1}}]}"};
  scene_run runs[2];
  for (int k = 0; k < 2; ++k) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "touchstone: 1\ncontact: {friction: 0.4, ellipsoid: [1, 1, 0.05]}\nbodies:\n"
             "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "- {name: block, mass: 2, inertia: [0.02, 0.03, 0.04], shape: {%s}, position: [0, 0, 0.4],\n"
             "   orientation: {axis: [1, 2, 0.5], angle: 0.7}, velocity: [0.5, 0, 0],\n"
             "   skin: {thickness: 0.05, stiffness: [4000, 3000, 3000], damping: 20}}\n"
             "step: {method: implicit-compliant, size: 0.001, tolerance: 1e-10}\n",
             shapes[k]);
    runs[k] = scene_run_text(text);
  }
  for (int k = 1; k <= 800; ++k)
    for (int i = 0; i < 2; ++i) scene_run_to(&runs[i], 1e-3 * k);
  assert_vec_near(scene_run_position(&runs[0], "block"), scene_run_position(&runs[1], "block"), 1e-8);
  for (int i = 0; i < 2; ++i) {
    scene_run_to(&runs[i], 4.0); // it lies on its largest face
    assert_near(scene_run_position(&runs[i], "block").z, 0.1 - 2.0 * G / 4000.0, 1e-8);
    assert_int_equal(only_contact(&runs[i])->patch, 2);
    scene_run_end(&runs[i]);
  }
}

// ---- a load cycle --------------------------------------------------------------------------------------------------

// A weight that can move up and down only, on a floor whose skin is dragged to and fro by A sin(w t). The skin sticks
// and slips: force over way is a loop whose area is 4 mu N (A - mu N / k).
static void load_cycle_is_a_loop(void **state)
{
  (void)state;
  static const double A = 0.02, k = 900.0, mu = 0.4, m = 2.0;
  const double N = m * G, closed = 4.0 * mu * N * (A - mu * N / k);
  double before = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double h = 2e-3 / (1 << i), period = 2.0;
    char text[TEXT];
    snprintf(text, sizeof text,
             "touchstone: 1\ncontact: {friction: %g}\nbodies:\n"
             "- {name: floor, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
             "   skin: {thickness: 0.1, stiffness: [2000, %g, %g], damping: [40, 0, 0]},\n"
             "   motion: {displacement: [{sine: {amplitude: %g, frequency: %.17g}}, 0, 0]}}\n"
             "- {name: weight, mass: %g, shape: {box: {size: [0.4, 0.4, 0.2]}}, position: [0, 0, %.17g],\n"
             "   joint: {type: prismatic, axis: [0, 0, 1]}}\n"
             "step: {method: implicit-compliant, size: %.17g, tolerance: 1e-10}\n",
             mu, k, k, A, TS_PI, m, 0.1 - N / 2000.0, h);
    scene_run r = scene_run_text(text);
    scene_run_to(&r, period); // the first quarter is another loop
    double area = 0.0, taken = 0.0, largest = 0.0;
    ts_vec3 last = scene_run_position(&r, "floor");
    for (int s = 1; s <= (int)(period / h + 0.5); ++s) {
      scene_run_to(&r, period + h * s);
      const ts_contact *contact = only_contact(&r);
      const double force = contact->impulse[1] * contact->tangent.x / h;
      const ts_vec3 floor = scene_run_position(&r, "floor");
      area += force * (floor.x - last.x);
      taken -= ts_sim_report(r.sim)->contact_work;
      largest = fmax(largest, fabs(force));
      last = floor;
    }
    print_message("h = %g: loop %.6f J, taken %.6f J, closed form %.6f J\n", h, area, taken, closed);
    assert_near(largest, mu * N, 1e-7);
    assert_near(area, closed, 0.02 * closed * 500.0 * h);
    assert_near(taken, area, 0.02 * closed * 500.0 * h);
    if (i > 0) assert_true(fabs(area - closed) < 0.6 * before);
    before = fabs(area - closed);
    scene_run_end(&r);
  }
}

// ---- rolling -------------------------------------------------------------------------------------------------------

// A ball with a skin rolls down a slope, three times around. Friction is 2/7 of what drives it, and its deflection goes
// around with the ball without a jump.
static void rolling_skin_keeps_its_deflection(void **state)
{
  (void)state;
  const double s = 0.5, h = 2e-3;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "touchstone: 1\ngravity: [%.17g, %.17g, -9.81]\ncontact: {friction: 0.8}\nbodies:\n"
      "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5], orientation: {axis: [1, 2, 3],"
      " angle: 1},\n   skin: {" DAMPED "}}\n"
      "step: {method: implicit-compliant, size: %.17g, tolerance: 1e-10}\n",
      s, 0.5 * s, h);
  scene_run r = scene_run_text(text);
  scene_run_to(&r, 3.0);
  for (int k = 1; scene_run_position(&r, "ball").x < 9.0; ++k) {
    scene_run_to(&r, 3.0 + h * k);
    const ts_contact *contact = only_contact(&r);
    assert_near(contact->impulse[1] * contact->tangent.x / h, -2.0 / 7.0 * s, 1e-7);
    assert_near(contact->deflection[1] * contact->tangent.x, -2.0 / 7.0 * s / 900.0, 1e-9);
  }
  scene_run_end(&r);
}

// ---- energy --------------------------------------------------------------------------------------------------------

// A ball on a plane has a gap that is linear in its motion: there the method can only lose, in every step, whatever
// couples its skin, whether it sticks, slips, hits the core or leaves.
static void ball_never_gains_energy(void **state)
{
  (void)state;
  double most = 0.0, slipped = 0.0, cored = 0.0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ts_random random;
    ts_random_init(&random, seed);
    char skin[300], body[400];
    double a[6];
    for (int k = 0; k < 6; ++k) a[k] = ts_random_normal(&random); // K = A A^T, A lower
    const double K6[6] = {
        a[0] * a[0] + 0.1, a[1] * a[1] + a[2] * a[2] + 0.1, a[3] * a[3] + a[4] * a[4] + a[5] * a[5], a[0] * a[1],
        a[0] * a[3],       a[1] * a[3] + a[2] * a[4]};
    const double k0 = 2000.0, c0 = seed % 2 ? 0.0 : 10.0;
    snprintf(skin, sizeof skin,
             "thickness: %g, stiffness: [%g, %g, %g, %g, %g, %g], damping: %g, direction: [1, 0.3, 0]",
             ts_random_uniform(&random, 0.01, 0.1), k0 * K6[0], k0 * K6[1], k0 * K6[2], k0 * K6[3], k0 * K6[4],
             k0 * K6[5], c0);
    snprintf(body, sizeof body,
             "- {name: ball, mass: 1, shape: {sphere: {radius: 0.2}}, position: [0, 0, 0.4], velocity: [%g, %g, 0],\n"
             "   angular_velocity: [%g, %g, %g]}\n",
             ts_random_normal(&random), ts_random_normal(&random), 5.0 * ts_random_normal(&random),
             5.0 * ts_random_normal(&random), ts_random_normal(&random));
    scene_run r = start(skin, "friction: 0.3, ellipsoid: [1, 1, 0.02]", body, 1e-3);
    double energy = energy_of(&r);
    for (int k = 1; k <= 1500; ++k) {
      scene_run_to(&r, 1e-3 * k);
      int count;
      const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
      if (count > 0) slipped += contacts[0].mode == TS_SLIP;
      if (count > 0) cored += contacts[0].core > 0.0;
      most = fmax(most, energy_of(&r) - energy);
      assert_true(energy_of(&r) <= energy + 1e-11 * energy);
      energy = energy_of(&r);
    }
    scene_run_end(&r);
  }
  print_message("%g steps slipped, %g met the core; the most that a step gained is %g J\n", slipped, cored, most);
  assert_true(slipped > 100.0 && cored > 10.0);
}

enum { MOST_PAIRS = 16 };
typedef struct pressed {
  int count;
  ts_contact contacts[MOST_PAIRS];
} pressed;

static pressed contacts_of(const scene_run *r)
{
  pressed made = {0};
  const ts_contact *contacts = ts_sim_contacts(r->sim, &made.count);
  assert_true(made.count <= MOST_PAIRS);
  if (made.count > 0) memcpy(made.contacts, contacts, (size_t)made.count * sizeof *contacts);
  return made;
}

// sum p_n max(0, u_n + delta_n'): what rows of the end of the step may cost, of the plates that bodies bear on.
static double most_gain(const pressed *before, const pressed *now, double h)
{
  double most = 0.0;
  for (int i = 0; i < now->count; ++i) {
    const ts_contact *c = &now->contacts[i];
    double old = 0.0;
    for (int k = 0; k < before->count; ++k)
      if (before->contacts[k].body_1 == c->body_1 && before->contacts[k].body_2 == c->body_2)
        old = before->contacts[k].deflection[0];
    most += c->impulse[0] * fmax(0.0, c->velocity[0] + (c->deflection[0] - old) / h);
  }
  return most;
}

// A box, an ellipsoid and a cylinder, soft all of them, fall onto each other.
static scene_run start_heap(uint64_t seed, double h)
{
  static const char *const shapes[] = {"box: {size: [0.4, 0.3, 0.25]}", "ellipsoid: {semi_axes: [0.2, 0.3, 0.25]}",
                                       "cylinder: {radius: 0.15, length: 0.4}"};
  ts_random random;
  ts_random_init(&random, seed);
  char bodies[TEXT / 2];
  size_t used = 0;
  for (int k = 0; k < 3; ++k)
    used += (size_t)snprintf(
        bodies + used, sizeof bodies - used,
        "- {name: body%d, mass: 1, shape: {%s}, position: [%g, %g, %g], orientation: {axis: [%g, %g, 1], angle: %g},\n"
        "   velocity: [%g, 0, 0], skin: {thickness: 0.05, stiffness: [%g, %g, 4000, 600, 0, -300], damping: %g}}\n",
        k, shapes[k], ts_random_uniform(&random, -0.1, 0.1), ts_random_uniform(&random, -0.1, 0.1), 0.5 + 0.6 * k,
        ts_random_normal(&random), ts_random_normal(&random), ts_random_uniform(&random, 0.0, 3.0),
        ts_random_normal(&random), ts_random_uniform(&random, 3e3, 2e4), ts_random_uniform(&random, 2e3, 1e4),
        seed % 2 ? 0.0 : 20.0);
  return start("thickness: 0.02, stiffness: 8000", "friction: 0.4, ellipsoid: [1, 1, 0.02]", bodies, h);
}

// Beside what the rows of the end may cost, steps lose.
static void heap_gains_no_more_than_rows_cost(void **state)
{
  (void)state;
  double bound[2] = {0.0, 0.0};
  int steps = 0, cut = 0, uncertified = 0;
  for (int fine = 0; fine < 2; ++fine) {
    const double h = fine ? 5e-4 : 1e-3;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      scene_run r = start_heap(seed, h);
      double energy = energy_of(&r);
      pressed before = contacts_of(&r);
      for (int k = 1; k <= (int)(1.0 / h + 0.5); ++k) {
        ts_error error;
        assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
        const pressed now = contacts_of(&r);
        const double most = most_gain(&before, &now, h), gain = energy_of(&r) - energy;
        ++steps;
        cut += ts_sim_report(r.sim)->substeps > 1;
        uncertified += !ts_sim_report(r.sim)->certified;
        if (ts_sim_report(r.sim)->substeps == 1 && ts_sim_report(r.sim)->certified) {
          bound[fine] += most;
          if (gain > most + 1e-9 * energy)
            fail_msg("seed %d, %g s: %g J gained, %g J allowed", (int)seed, ts_sim_time(r.sim), gain, most);
        }
        energy = energy_of(&r);
        before = now;
      }
      scene_run_end(&r);
    }
  }
  print_message("rows may have cost %g J, with half the step %g J; of %d steps %d were cut, %d not certified\n",
                bound[0], bound[1], steps, cut, uncertified);
  assert_true(1000 * uncertified <= steps);
  assert_true(bound[0] > 1e-4 && bound[1] < 0.7 * bound[0]);
}

// ---- saved states --------------------------------------------------------------------------------------------------

static void resumes_to_the_bit(void **state)
{
  (void)state;
  scene_run r = start("thickness: 0.05, stiffness: [3000, 2000, 1000, 300, 100, 0], damping: 5", "friction: 0.3",
                      "- {name: box, mass: 2, shape: {box: {size: [0.4, 0.3, 0.2]}}, position: [0, 0, 0.3],\n"
                      "   orientation: {axis: [1, 1, 0], angle: 0.4}, velocity: [1, 0.5, 0],\n"
                      "   skin: {thickness: 0.02, stiffness: 5000, damping: 10}}\n",
                      2e-3);
  double *saved, *first, *second;
  size_t size, first_size, second_size;
  ts_error error;
  scene_run_to(&r, 0.3);
  assert_int_equal(ts_sim_snapshot(r.sim, &saved, &size, &error), TS_OK);
  scene_run_to(&r, 0.9);
  assert_int_equal(ts_sim_snapshot(r.sim, &first, &first_size, &error), TS_OK);
  ts_sim_destroy(r.sim);
  assert_int_equal(ts_sim_create(ts_scene_model(r.scene), ts_scene_options(r.scene), NULL, &r.sim, &error), TS_OK);
  assert_int_equal(ts_sim_load(r.sim, saved, size, &error), TS_OK);
  scene_run_to(&r, 0.9);
  assert_int_equal(ts_sim_snapshot(r.sim, &second, &second_size, &error), TS_OK);
  assert_int_equal(first_size, second_size);
  assert_memory_equal(first, second, first_size * sizeof *first);
  saved[size - 11] = 7.0; // no such part
  assert_int_equal(ts_sim_load(r.sim, saved, size, &error), TS_INVALID);
  assert_string_equal(error.text, "deflection 0 of the saved state belongs to no skin");
  assert_int_equal(ts_sim_load(r.sim, saved, size - 1, &error), TS_INVALID);
  free(saved);
  free(first);
  free(second);
  scene_run_end(&r);
}

// ---- without skins, and refusals -----------------------------------------------------------------------------------

static void without_skins_it_is_implicit(void **state)
{
  (void)state;
  const char *const methods[] = {"step.method=implicit", "step.method=implicit-compliant"};
  ts_vec3 at[2];
  for (int k = 0; k < 2; ++k) {
    scene_run r = scene_run_start(EXAMPLES "/line_and_surface_contact/cube_tips.yaml", &methods[k], 1);
    scene_run_to(&r, 0.6);
    at[k] = scene_run_position(&r, "cube");
    scene_run_end(&r);
  }
  assert_memory_equal(&at[0], &at[1], sizeof at[0]);
}

static void check_refusal(const char *skin, const char *method, const char *sentence, int line, int column)
{
  char text[TEXT];
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  ts_error error = {.line = 0};
  snprintf(text, sizeof text,
           "touchstone: 1\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}},\n   skin: {%s}}\n"
           "- {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}\nstep: {method: %s}\n",
           skin, method);
  ts_status status = ts_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error);
  if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
  assert_true(status != TS_OK);
  assert_string_equal(error.text, sentence);
  assert_int_equal(error.line, line);
  assert_int_equal(error.column, column);
  ts_scene_destroy(scene);
}

static void refuses_skins_that_cannot_be(void **state)
{
  (void)state;
  static const char *const own = "implicit-compliant";
  check_refusal("thickness: 0, stiffness: 1000", own, "'thickness' must be > 0 m, not 0", 4, 22);
  check_refusal("thickness: -0.1, stiffness: 1000", own, "'thickness' must be > 0 m, not -0.1", 4, 22);
  check_refusal("stiffness: 1000", own, "a skin needs 'thickness'", 4, 10);
  check_refusal("thickness: 0.1", own, "a skin needs 'stiffness'", 4, 10);
  check_refusal("thickness: 0.1, stiffness: -5", own, "'stiffness' must be >= 0 N/m, not -5", 4, 38);
  check_refusal("thickness: 0.1, stiffness: [100, 50]", own, "'stiffness' must have at least 3 entries, not 2", 4, 38);
  check_refusal("thickness: 0.1, stiffness: [100, 50, 50, 1]", own,
                "'stiffness' must be a number, or 3 or 6 of them, not 4", 4, 38);
  check_refusal("thickness: 0.1, stiffness: [100, 50, 50, 80, 0, 0]", own,
                "body 'floor': the stiffness of its skin is not positive semidefinite", 4, 10);
  check_refusal("thickness: 0.1, stiffness: [0, 50, 50]", own, "body 'floor': a skin needs stiffness along its normal",
                4, 10);
  check_refusal("thickness: 0.1, stiffness: 100, damping: [1, 1, 1, 0, 0, 2]", own,
                "body 'floor': the damping of its skin is not positive semidefinite", 4, 10);
  static const char *const others[] = {"stewart-trinkle", "velocity", "event-driven", "implicit"};
  for (int k = 0; k < 4; ++k) {
    char sentence[120];
    snprintf(sentence, sizeof sentence, "%s knows no soft skins: implicit-compliant does, or take out the skin",
             others[k]);
    check_refusal("thickness: 0.1, stiffness: 100", others[k], sentence, 4, 10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounce_converges_to_kelvin_voigt),
      cmocka_unit_test(skin_recovers_by_itself),
      cmocka_unit_test(weight_presses_in),
      cmocka_unit_test(box_sticks_and_slides_on_a_slope),
      cmocka_unit_test(slick_skins_transmit_no_friction),
      cmocka_unit_test(pushed_box_bears_farther_on),
      cmocka_unit_test(sliding_ball_ends_rolling),
      cmocka_unit_test(rest_given_is_kept),
      cmocka_unit_test(placed_bodies_press_skins_in),
      cmocka_unit_test(couplings_shift_what_presses),
      cmocka_unit_test(skin_bulges_and_bears),
      cmocka_unit_test(skin_may_be_on_either_side),
      cmocka_unit_test(skins_in_series),
      cmocka_unit_test(soft_boxes_stand_on_each_other),
      cmocka_unit_test(cores_bear_what_skins_do_not),
      cmocka_unit_test(intersection_with_a_skin),
      cmocka_unit_test(load_cycle_is_a_loop),
      cmocka_unit_test(rolling_skin_keeps_its_deflection),
      cmocka_unit_test(ball_never_gains_energy),
      cmocka_unit_test(heap_gains_no_more_than_rows_cost),
      cmocka_unit_test(resumes_to_the_bit),
      cmocka_unit_test(without_skins_it_is_implicit),
      cmocka_unit_test(refuses_skins_that_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
