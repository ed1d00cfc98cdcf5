// Motions that lie apart from the one that was found: a body that slides in a narrow groove or between walls could be
// wedged as well, and friction may close the contact that it acts in. The report says so, and solvers that find other
// motions do not call theirs unique either.
#include "scene_run.h"

#include "effort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const char *const solvers[] = {"auto", "nsgs", "newton", "splitting", "ncp-dogleg", "smooth", "arclength"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, LENGTH = 3000 };

static void step(scene_run *run)
{
  ts_error error;
  assert_int_equal(ts_sim_step(run->sim, &error), TS_OK);
}

// True if the first step is reported as unique; `velocity` receives that of the body `a`.
static bool first_step(const char *text, ts_twist *velocity)
{
  scene_run run = scene_run_text(text);
  step(&run);
  assert_true(ts_sim_report(run.sim)->certified);
  const bool unique = ts_sim_report(run.sim)->unique;
  *velocity = ts_sim_velocity(run.sim, scene_run_body(&run, "a"));
  scene_run_end(&run);
  return unique;
}

// ---- grooves -------------------------------------------------------------------------------------------------------

// A capsule of 1 kg that lies in a groove along y, whose walls have normals at `slope` above the horizontal.
static void write_groove(char *text, double friction, double slope, const double *velocity, const char *solver)
{
  snprintf(text, LENGTH,
           "{touchstone: 1, contact: {friction: %.17g}, bodies: ["
           "{name: w1, kind: fixed, shape: {plane: {normal: [%.17g, 0, %.17g]}}},"
           "{name: w2, kind: fixed, shape: {plane: {normal: [%.17g, 0, %.17g]}}},"
           "{name: a, mass: 1, shape: {capsule: {radius: 0.1, length: 0.3}}, position: [0, 0, %.17g],"
           " orientation: {axis: [1, 0, 0], angle: 1.5707963267948966}, velocity: [0, %.17g, 0],"
           " angular_velocity: [%.17g, %.17g, 0]}], step: {size: 2e-3, tolerance: 1e-10, solver: %s}}",
           friction, cos(slope), sin(slope), -cos(slope), sin(slope), 0.1 / sin(slope), velocity[0], velocity[1],
           velocity[2], solver);
}

// Walls press against each other as soon as friction reaches across, mu > tan(slope), and hold the capsule with forces
// of any size. `auto` lets it slide, `smooth` holds it: both are certified.
static void what_slides_in_a_steep_groove_could_be_wedged(void **state)
{
  (void)state;
  static const double along[] = {0.7, 0.0, 0.0};
  char text[LENGTH];
  ts_twist slides, holds;
  write_groove(text, 0.4, 0.2, along, "auto");
  assert_false(first_step(text, &slides));
  assert_true(slides.linear.y > 0.5);
  write_groove(text, 0.4, 0.2, along, "smooth");
  assert_false(first_step(text, &holds));
  assert_near(holds.linear.y, 0.0, 1e-9);
}

static void what_slides_in_a_flat_groove_has_one_motion(void **state)
{
  (void)state;
  static const double along[] = {0.7, 0.0, 0.0};
  for (int s = 0; s < SOLVERS; ++s) {
    char text[LENGTH];
    ts_twist v;
    write_groove(text, 0.4, 0.6, along, solvers[s]);
    assert_true(first_step(text, &v));
    // two loads of m g / (2 sin 0.6), each of which rubs along y
    assert_near(v.linear.y, 0.7 - 0.4 * 9.81 * 2e-3 / sin(0.6), 1e-9);
  }
}

static unsigned long long seed;

static double any(double low, double high)
{
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

static void run_groove(const char *text, ts_pose *pose, bool *unique, bool *certified)
{
  scene_run run = scene_run_text(text);
  *unique = *certified = true;
  for (int k = 0; k < 20; ++k) {
    step(&run);
    *unique = *unique && ts_sim_report(run.sim)->unique;
    *certified = *certified && ts_sim_report(run.sim)->certified;
  }
  *pose = ts_sim_pose(run.sim, scene_run_body(&run, "a"));
  scene_run_end(&run);
}

static double distance(const ts_pose *a, const ts_pose *b)
{
  return hypot(hypot(a->position.x - b->position.x, a->position.y - b->position.y), a->position.z - b->position.z);
}

static void motions_in_any_groove_agree_or_are_not_called_unique(void **state)
{
  (void)state;
  const int stride = effort_stride(2, 11);
  int count = 0, parted = 0, others = 0;
  seed = 77;
  for (int number = 0; number < 80; ++number) {
    const double friction = any(0.05, 0.9), slope = any(0.2, 1.3);
    const double v[3] = {any(-1.0, 1.0), number % 2 ? any(-5.0, 5.0) : 0.0, number % 3 ? any(-5.0, 5.0) : 0.0};
    ts_pose first, pose;
    bool unique[SOLVERS], certified[SOLVERS], apart = false;
    if (number % stride) continue;
    for (int s = 0; s < SOLVERS; ++s) {
      char text[LENGTH];
      write_groove(text, friction, slope, v, solvers[s]);
      run_groove(text, s == 0 ? &first : &pose, &unique[s], &certified[s]);
      if (s == 0 || !(distance(&first, &pose) > 1e-6)) continue;
      apart = true;
      if (certified[0] && unique[0]) fail_msg("groove %d: %s moves otherwise than auto", number, solvers[s]);
      if (certified[s] && unique[s]) fail_msg("groove %d: auto moves otherwise than %s", number, solvers[s]);
    }
    ++count;
    parted += apart;
    others += !unique[0];
  }
  print_message("%d grooves, motions of %d part, of %d are not unique\n", count, parted, others);
  assert_true(parted > 0 && others < 3 * count / 4);
}

// ---- walls ---------------------------------------------------------------------------------------------------------

// A box that falls between two walls without play: they need not press, and any pressure is a solution.
static void a_box_between_walls_may_fall_or_stay(void **state)
{
  (void)state;
  static const char scene[] =
      "{touchstone: 1, contact: {friction: %g}, bodies: ["
      "{name: w1, kind: fixed, shape: {plane: {normal: [1, 0, 0], offset: -0.1}}},"
      "{name: w2, kind: fixed, shape: {plane: {normal: [-1, 0, 0], offset: -0.1}}},"
      "{name: a, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}}], step: {size: 2e-3, tolerance: 1e-10}}";
  for (int rubs = 0; rubs < 2; ++rubs) {
    char text[LENGTH];
    ts_twist v;
    snprintf(text, sizeof text, scene, rubs ? 0.3 : 0.0);
    assert_int_equal(first_step(text, &v), !rubs);
    assert_near(v.linear.z, -9.81 * 2e-3, 1e-12);
  }
}

// Two fingers beside a box that falls move apart along it. They need not press, but if they do they drag it along.
static void a_box_between_moving_fingers_may_be_dragged(void **state)
{
  (void)state;
  static const char scene[] =
      "{touchstone: 1, contact: {friction: 0.06}, bodies: ["
      "{name: a, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}},"
      "{name: k1, kind: kinematic, shape: {sphere: {radius: 0.01}}, position: [-0.11, 0, 0],"
      " motion: {displacement: [0, 0, {polynomial: [0, 0.25]}]}},"
      "{name: k2, kind: kinematic, shape: {sphere: {radius: 0.01}}, position: [0.11, 0, 0],"
      " motion: {displacement: [0, 0, {polynomial: [0, 0.1]}]}}], step: {size: 2e-3, tolerance: 1e-10}}";
  ts_twist v;
  assert_false(first_step(scene, &v));
  assert_near(v.linear.z, -9.81 * 2e-3, 1e-9);
}

// A slider on a rail above the floor that it touches: the rail bears its weight, or the floor does.
static void a_slider_on_a_rail_may_press_on_the_floor(void **state)
{
  (void)state;
  static const char scene[] =
      "{touchstone: 1, contact: {friction: 0.3}, bodies: ["
      "{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}},"
      "{name: a, mass: 1, shape: {sphere: {radius: 0.05}}, joint: {type: cylindrical, axis: [0, 1, 0],"
      " at: [0, 0, 0.05]}, velocity: [0, 0.5, 0]}],"
      " step: {size: 2e-3, tolerance: 1e-10, coordinates: %s}}";
  static const char *const coordinates[] = {"redundant", "minimal"};
  for (int k = 0; k < 2; ++k) {
    char text[LENGTH];
    ts_twist v;
    snprintf(text, sizeof text, scene, coordinates[k]);
    assert_false(first_step(text, &v));
  }
}

// ---- rods ----------------------------------------------------------------------------------------------------------

// The first step of a rod of 1 kg and 1 m that slides on its lower end; tan a = 2, its middle to the right of this end.
static bool is_rod_unique(double friction, int velocity)
{
  const double x = 0.5 / sqrt(5.0), y = 2.0 * x;
  char text[LENGTH];
  ts_twist v;
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2d, contact: {friction: %.17g}, bodies: ["
           "{name: floor, kind: fixed, shape: {plane: {normal: [0, 1]}}},"
           "{name: a, mass: 1, centre: [0, 0], inertia: %.17g, shapes: [{point: {}, position: [%.17g, %.17g]},"
           " {point: {}, position: [%.17g, %.17g]}], position: [0, %.17g], velocity: [%d, 0]}],"
           " step: {size: 1e-3, tolerance: 1e-10}}",
           friction, 1.0 / 12.0, x, y, -x, -y, y, velocity);
  return first_step(text, &v);
}

// A load p opens the contact by p (1 + 3 cos^2 a)/m, friction closes it by up to 3 mu p sin a cos a/m. At tan a = 2 the
// two are equal for mu = 4/3 (Painleve). Below, friction closes it where the rod slides to the left, and at mu = 1 it
// leaves a quarter.
static void rods_that_friction_closes_have_other_motions(void **state)
{
  (void)state;
  for (int velocity = -1; velocity <= 1; velocity += 2) {
    assert_true(is_rod_unique(1.0 - 1e-3, velocity));
    assert_int_equal(is_rod_unique(1.0 + 1e-3, velocity), velocity > 0);
    assert_int_equal(is_rod_unique(4.0 / 3.0 - 1e-3, velocity), velocity > 0);
    assert_false(is_rod_unique(4.0 / 3.0 + 1e-3, velocity));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_slides_in_a_steep_groove_could_be_wedged),
      cmocka_unit_test(what_slides_in_a_flat_groove_has_one_motion),
      cmocka_unit_test(motions_in_any_groove_agree_or_are_not_called_unique),
      cmocka_unit_test(a_box_between_walls_may_fall_or_stay),
      cmocka_unit_test(a_box_between_moving_fingers_may_be_dragged),
      cmocka_unit_test(a_slider_on_a_rail_may_press_on_the_floor),
      cmocka_unit_test(rods_that_friction_closes_have_other_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
