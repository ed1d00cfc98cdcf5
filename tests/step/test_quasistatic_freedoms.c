// Quasi-static steps of bodies that nothing pulls, that what touches them keeps from moving, and that plates squeeze:
// in the plane a wedge holds where mu >= tan of half its angle.
#include "step/quasistatic/wedge.h"

#include "scene_run.h"

#include "step/impulses.h"
#include "step/snapshot.h"
#include "step/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_step_report *step_once(scene_run *r)
{
  ts_error error;
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_sim_report(r->sim);
}

// ---- nothing pulls -------------------------------------------------------------------------------------------------

static const char lonely[] = "{touchstone: 1, gravity: [0, 0, %s], bodies: ["
                             "{name: loner, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], velocity: [1, 0, 0]}],"
                             " step: {method: quasistatic, size: 0.01}}";

// Nothing balances what gravity does to it; without gravity it stays where it is.
static void bodies_that_nothing_touches_must_not_be_pulled(void **state)
{
  (void)state;
  char text[600];
  ts_scene *scene;
  ts_error error = {0};
  snprintf(text, sizeof text, lonely, "0");
  scene_run r = scene_run_text(text);
  for (int k = 0; k < 3; ++k) assert_true(step_once(&r)->certified);
  assert_vec_near(scene_run_position(&r, "loner"), (ts_vec3){1.0, 2.0, 3.0}, 0.0);
  scene_run_end(&r);
  snprintf(text, sizeof text, lonely, "-9.81");
  assert_int_equal(ts_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error), TS_INVALID);
  assert_string_equal(error.text, "body 'loner': no equilibrium, forces pull it and nothing can hold it");
}

// ---- kept from all sides -------------------------------------------------------------------------------------------

// A box lies on two posts without friction, beside a slider on a rail; posts keep both from moving along x, and press
// on nothing, for lengths are powers of 2 and gaps 0 to the last bit. Where the right post stands off by more than the
// box could go in a step, box and slider are free to move.
static scene_run kept_between_posts(double away)
{
  char text[1400];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2d, gravity: [0, -9.81], contact: {friction: 0}, bodies: ["
           "{name: box, mass: 1, shape: {box: {size: [0.25, 0.25]}}, position: [0, 0.125]},"
           "{name: slider, mass: 1, shape: {disc: {radius: 0.0625}}, position: [0.1875, 0.125]},"
           "{name: under, kind: fixed, shapes: [{disc: {radius: 0.03125}, position: [-0.0625, -0.03125]},"
           " {disc: {radius: 0.03125}, position: [0.0625, -0.03125]}]},"
           "{name: left, kind: fixed, shape: {disc: {radius: 0.0625}}, position: [-0.1875, 0.125]},"
           "{name: right, kind: fixed, shape: {disc: {radius: 0.0625}}, position: [%.17g, 0.125]}],"
           " joints: [{name: rail, type: prismatic, child: slider, at: [0.1875, 0.125], axis: [1, 0]}],"
           " step: {method: quasistatic, size: 0.01}}",
           0.3125 + away);
  return scene_run_text(text);
}

static void what_is_kept_from_all_sides_is_unique(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    scene_run r = kept_between_posts(k == 0 ? 0.0 : 0.125);
    const ts_step_report *report = step_once(&r);
    assert_true(report->certified);
    assert_int_equal(report->unique, k == 0);
    assert_near(scene_run_position(&r, "box").x, 0.0, 1e-9);
    assert_near(scene_run_position(&r, "slider").x, 0.1875, 1e-9);
    scene_run_end(&r);
  }
}

// ---- units ---------------------------------------------------------------------------------------------------------

// A box on the floor cannot move where it rubs, and a ball can roll, whatever the unit that lengths are in. It is a
// power of 2, so that all numbers of the scene have the same digits.
static bool is_unique_in_units(bool is_box, double friction, double unit)
{
  char text[800], own[100];
  const double size = 0.25 * unit;
  if (is_box)
    snprintf(own, sizeof own, "{box: {size: [%.17g, %.17g, %.17g]}}", size, size, size);
  else
    snprintf(own, sizeof own, "{sphere: {radius: %.17g}}", 0.5 * size);
  snprintf(text, sizeof text,
           "{touchstone: 1, gravity: [0, 0, %.17g], contact: {friction: %.17g}, bodies: ["
           "{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}},"
           "{name: body, mass: 1, shape: %s, position: [0, 0, %.17g]}], step: {method: quasistatic, size: 0.01}}",
           -9.81 * unit, friction, own, 0.5 * size);
  scene_run r = scene_run_text(text);
  const ts_step_report *report = step_once(&r);
  assert_true(report->certified);
  const bool unique = report->unique;
  scene_run_end(&r);
  return unique;
}

static void verdicts_are_the_same_in_all_units(void **state)
{
  (void)state;
  static const int powers[] = {-40, -10, 0, 10, 40};
  for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
    const double unit = ldexp(1.0, powers[k]);
    assert_true(is_unique_in_units(true, 0.5, unit));
    assert_false(is_unique_in_units(true, 0.0, unit));
    assert_false(is_unique_in_units(false, 0.5, unit));
  }
}

// ---- a wedge -------------------------------------------------------------------------------------------------------

static const double SLOPE = 0.3; // of the sides

// Two plates close on a trapezoid, narrower above, with half the angle atan(0.3) between its sides.
static scene_run squeezed(double friction)
{
  char text[1400];
  const double c = 1.0 / hypot(1.0, SLOPE), s = SLOPE * c;
  snprintf(
      text, sizeof text,
      "{touchstone: 1, space: 2d, gravity: [0, 0], contact: {friction: %.17g}, bodies: ["
      "{name: part, mass: 1, shape: {polygon: {vertices: [[-0.13, -0.1], [0.13, -0.1], [0.07, 0.1], [-0.07, 0.1]]}}},"
      "{name: left, kind: kinematic, shape: {plane: {normal: [%.17g, %.17g], offset: %.17g}},"
      " motion: {displacement: [{polynomial: [0, 0.01]}, 0]}},"
      "{name: right, kind: kinematic, shape: {plane: {normal: [%.17g, %.17g], offset: %.17g}},"
      " motion: {displacement: [{polynomial: [0, -0.01]}, 0]}}],"
      " step: {method: quasistatic, size: 0.01}}",
      friction, c, -s, -0.1 * c, -c, -s, -0.1 * c);
  return scene_run_text(text);
}

// Self-stress of contacts that the plates feed, in the first step of a scene: shares of the contacts with the left
// plate, and of all.
static bool find_wedge(scene_run *r, double *left, double *sum)
{
  ts_arena arena;
  jmp_buf recovery;
  ts_sim *sim = r->sim;
  const double h = sim->options.size;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = &arena, .from = sim->old_velocity, .gaps_at_end = true};
  ts_impulses_begin(sim, (ts_interval){0.0, h}, h, &arena);
  ts_place_kinematic_bodies(sim, h);
  assert_true(ts_step_joints(&step));
  ts_step_free_velocity(&step);
  ts_step_find_contacts(&step, sim->free_velocity);
  ts_step_assemble(&step);
  for (int i = 0; i < step.contacts.count; ++i)
    step.bias[i * step.system.dimension] = step.contacts.contacts[i].gap / h;
  const bool found = ts_step_find_wedge(&step);
  *left = *sum = 0.0;
  for (int i = 0; i < step.contacts.count; ++i) {
    *sum += step.jam[i];
    *left += step.contacts.contacts[i].body_2 == scene_run_body(r, "left") ? step.jam[i] : 0.0;
  }
  ts_arena_release(&arena);
  return found;
}

// The same in another unit of length, with a right plate that moves on its own and hangs on a carrier: both are fed
// along x at these speeds, positive to the right.
static scene_run squeezed_by_jaw(double friction, double left, double right, double unit)
{
  enum { CORNERS = 4 };
  char text[2000], jaw[300] = "", part[300] = "";
  const double c = 1.0 / hypot(1.0, SLOPE), s = SLOPE * c, along[CORNERS] = {-0.12, -0.12, 0.12, 0.12};
  const double out[CORNERS] = {0.0, 0.1, 0.1, 0.0}, x[CORNERS] = {-0.13, 0.13, 0.07, -0.07}, y = 0.1;
  for (int k = 0; k < CORNERS; ++k) {
    const double at_x = 0.1 - s * along[k] + c * out[k], at_y = c * along[k] + s * out[k];
    snprintf(jaw + strlen(jaw), sizeof jaw - strlen(jaw), "[%.17g, %.17g],", unit * at_x, unit * at_y);
    snprintf(part + strlen(part), sizeof part - strlen(part), "[%.17g, %.17g],", unit * x[k], unit * (k < 2 ? -y : y));
  }
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2d, gravity: [0, 0], contact: {friction: %.17g}, bodies: ["
           "{name: part, mass: 1, shape: {polygon: {vertices: [%s]}}},"
           "{name: left, kind: kinematic, shape: {plane: {normal: [%.17g, %.17g], offset: %.17g}},"
           " motion: {displacement: [{polynomial: [0, %.17g]}, 0]}},"
           "{name: carrier, kind: kinematic, motion: {displacement: [{polynomial: [0, %.17g]}, 0]}},"
           "{name: jaw, mass: 1, shape: {polygon: {vertices: [%s]}}}],"
           "joints: [{name: weld, type: fixed, parent: carrier, child: jaw, at: [0, 0]}],"
           " step: {method: quasistatic, size: 0.01}}",
           friction, part, c, -s, -0.1 * c * unit, left * unit, right * unit, jaw);
  return scene_run_text(text);
}

// What feeds a wedge is that its plates close, whether they are driven themselves or by joints; in all units of length.
static void wedges_are_fed_by_joints(void **state)
{
  (void)state;
  static const double speeds[][2] = {{0.01, -0.01}, {0.01, 0.005}, {0.005, -0.01},
                                     {0.01, 0.02},  {0.0, -0.01},  {0.0, 0.01}};
  static const int powers[] = {0, -40, 40};
  for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k)
    for (size_t u = 0; u < sizeof powers / sizeof *powers; ++u)
      for (int holds = 0; holds < 2; ++holds) {
        const double closing = speeds[k][0] - speeds[k][1];
        double left, sum;
        scene_run r = squeezed_by_jaw(SLOPE * (holds ? 1.1 : 0.9), speeds[k][0], speeds[k][1], ldexp(1.0, powers[u]));
        assert_int_equal(find_wedge(&r, &left, &sum), holds && closing > 0.0);
        assert_near(sum, holds && closing > 0.0 ? 1.0 : 0.0, 1e-12);
        scene_run_end(&r);
      }
}

// With less friction it is squeezed out at the speed of the plates over the slope.
static void wedges_hold_from_their_angle_on(void **state)
{
  (void)state;
  static const double shares[] = {0.0, 0.5, 0.9, 1.1, 2.0};
  for (size_t k = 0; k < sizeof shares / sizeof *shares; ++k) {
    double left, sum;
    scene_run r = squeezed(0.3 * shares[k]);
    assert_int_equal(find_wedge(&r, &left, &sum), shares[k] > 1.0);
    assert_near(sum, shares[k] > 1.0 ? 1.0 : 0.0, 1e-12);
    assert_near(left, 0.5 * sum, 0.1); // forces along x balance: sides differ by (1 + mu tan)/(1 - mu tan) at most
    scene_run_end(&r);
    r = squeezed(0.3 * shares[k]);
    const ts_step_report *report = step_once(&r);
    assert_int_equal(report->certified, shares[k] < 1.0);
    assert_int_equal(report->jammed, shares[k] > 1.0);
    if (shares[k] < 1.0) assert_near(scene_run_position(&r, "part").y, -0.01 * 0.01 / 0.3, 1e-9);
    scene_run_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_that_nothing_touches_must_not_be_pulled),
      cmocka_unit_test(what_is_kept_from_all_sides_is_unique), cmocka_unit_test(verdicts_are_the_same_in_all_units),
      cmocka_unit_test(wedges_hold_from_their_angle_on), cmocka_unit_test(wedges_are_fed_by_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
