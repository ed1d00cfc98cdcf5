// Supports that slide share loads in many ways, and the motion depends on them: the declared loads are those of least
// norm, whatever the solver, and the report says where others would move bodies otherwise.
#include "scene_run.h"

#include "effort.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const char *const solvers[] = {"auto", "nsgs", "newton", "splitting", "ncp-dogleg"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, STATE = 7, LENGTH = 4000 };

// The scene with `%s` replaced by the name of a solver.
static scene_run start(const char *scene, const char *solver)
{
  char text[LENGTH];
  assert_true(snprintf(text, sizeof text, scene, solver) < LENGTH);
  return scene_run_text(text);
}

static void read_state(const scene_run *run, const char *body, double state[STATE])
{
  const ts_pose pose = ts_sim_pose(run->sim, scene_run_body(run, body));
  const double all[STATE] = {pose.position.x,    pose.position.y,    pose.position.z,   pose.orientation.w,
                             pose.orientation.x, pose.orientation.y, pose.orientation.z};
  memcpy(state, all, sizeof all);
}

// Run until `end`. Returns how many steps could have moved otherwise.
static int run_to(scene_run *run, double end)
{
  int others = 0;
  while (ts_sim_time(run->sim) < end - 0.5 * ts_sim_options(run->sim)->size) {
    scene_run_to(run, ts_sim_time(run->sim) + ts_sim_options(run->sim)->size);
    others += !ts_sim_report(run->sim)->unique;
  }
  return others;
}

// Every solver leads to the same place. Returns how many steps could have moved otherwise.
static int assert_same_for_all(const char *scene, const char *body, double end, double tolerance)
{
  double first[STATE], state[STATE];
  int others = 0;
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start(scene, solvers[s]);
    others = run_to(&run, end);
    read_state(&run, body, s == 0 ? first : state);
    for (int k = 0; s > 0 && k < STATE; ++k) assert_near(state[k], first[k], tolerance);
    scene_run_end(&run);
  }
  return others;
}

// Of all loads with the same resultant force and moments the least ones are linear in the places of the supports, so
// that those of a rectangle's diagonals have the same sum.
static void assert_equal_diagonals(const scene_run *run, const char *body)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(run->sim, &count);
  const int own = scene_run_body(run, body), floor = 0;
  const ts_pose pose = ts_sim_pose(run->sim, own);
  double sum = 0.0, difference = 0.0;
  const double yaw = 2.0 * atan2(pose.orientation.z, pose.orientation.w);
  for (int i = 0; i < count; ++i) {
    if (contacts[i].body_2 != floor && contacts[i].body_1 != floor) continue;
    const double x = contacts[i].point.x - pose.position.x, y = contacts[i].point.y - pose.position.y;
    const double along = x * cos(yaw) + y * sin(yaw), across = y * cos(yaw) - x * sin(yaw);
    sum += contacts[i].impulse[0];
    difference += along * across > 0.0 ? contacts[i].impulse[0] : -contacts[i].impulse[0];
  }
  assert_true(sum > 0.0);
  assert_near(difference, 0.0, 1e-9 * sum);
}

// ---- feet ----------------------------------------------------------------------------------------------------------

// A body of 1 kg and 1 cm over the floor that slides along y on feet without size in two rows along x, at these places
// from its center.
static scene_run start_on_feet(const double *x, int count, const char *solver)
{
  char feet[3000] = "";
  for (int k = 0; k < 2 * count; ++k)
    snprintf(feet + strlen(feet), sizeof feet - strlen(feet), "{point: {}, position: [%.17g, %g, -0.01]},", x[k / 2],
             k % 2 ? 0.2 : -0.2);
  char text[LENGTH];
  snprintf(
      text, sizeof text,
      "{touchstone: 1, contact: {friction: 0.3}, bodies: ["
      "{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}},"
      "{name: a, mass: 1, centre: [0, 0, 0], inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.01], velocity: [0, 1, 0],"
      " shapes: [%s]}], step: {method: stewart-trinkle, size: 1e-3, tolerance: 1e-10, solver: %s}}",
      feet, solver);
  return scene_run_text(text);
}

// Loads that are linear in the places of feet would pull at the one that is far from the center, which is left out. The
// two places beside the center bear the weight by their levers, and friction brakes by mu g.
static void feet_that_would_be_pulled_bear_nothing(void **state)
{
  (void)state;
  static const double x[] = {-0.05, 0.2, 1.0};
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start_on_feet(x, 3, solvers[s]);
    double load[3] = {0.0};
    int count;
    scene_run_to(&run, 1e-3);
    const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
    assert_int_equal(count, 6);
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k)
        if (fabs(contacts[i].point.x - x[k]) < 1e-6) load[k] += contacts[i].impulse[0];
    assert_near(load[0], 0.8 * 9.81e-3, 1e-9);
    assert_near(load[1], 0.2 * 9.81e-3, 1e-9);
    assert_near(load[2], 0.0, 1e-9);
    const ts_twist velocity = ts_sim_velocity(run.sim, scene_run_body(&run, "a"));
    assert_vec_near(velocity.linear, ((ts_vec3){0.0, 1.0 - 0.3 * 9.81e-3, 0.0}), 1e-9);
    assert_vec_near(velocity.angular, ((ts_vec3){0.0, 0.0, 0.0}), 1e-8);
    assert_true(ts_sim_report(run.sim)->unique);
    assert_false(ts_sim_report(run.sim)->impulses_unique);
    scene_run_end(&run);
  }
}

// Up to 32 contacts of an island are examined. Of more the motion may be unique, but nobody says so.
static void motions_on_many_feet_are_not_called_unique(void **state)
{
  (void)state;
  for (int count = 8; count <= 24; count += 8) {
    double x[24];
    for (int k = 0; k < count; ++k) x[k] = 0.02 * (k - 0.5 * (count - 1));
    scene_run run = start_on_feet(x, count, "auto");
    scene_run_to(&run, 1e-3);
    assert_near(ts_sim_velocity(run.sim, scene_run_body(&run, "a")).linear.y, 1.0 - 0.3 * 9.81e-3, 1e-9);
    assert_int_equal(ts_sim_report(run.sim)->unique, 2 * count <= 32);
    scene_run_end(&run);
  }
}

// Friction of an ellipsoid with semi-axes D brakes by mu g D^2 u / |D u|, u the velocity at the end of the step, along
// the tangents of the contacts, and across u.
static void ellipsoids_brake_aside(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "contact: {friction: 0.3, ellipsoid: [1, 0.4, 0]}\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: a, mass: 2, shape: {box: {size: [0.3, 0.2, 0.1]}}, position: [0, 0, 0.05], velocity: [1, 0.5, 0]}\n"
      "step: {method: stewart-trinkle, size: 1e-2, tolerance: 1e-10, solver: %s}\n";
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start(scene, solvers[s]);
    int count;
    scene_run_to(&run, 1e-2);
    const ts_contact *c = ts_sim_contacts(run.sim, &count);
    assert_int_equal(count, 4);
    const ts_vec3 v = ts_sim_velocity(run.sim, scene_run_body(&run, "a")).linear;
    const double u[2] = {ts_dot(v, c->tangent), 0.4 * ts_dot(v, c->other)}, brake = 0.3 * 9.81e-2 / hypot(u[0], u[1]);
    const ts_vec3 before =
        ts_add(v, ts_add(ts_scale(brake * u[0], c->tangent), ts_scale(0.4 * brake * u[1], c->other)));
    assert_vec_near(before, ((ts_vec3){1.0, 0.5, 0.0}), 1e-9);
    assert_true(ts_sim_report(run.sim)->unique);
    assert_false(ts_sim_report(run.sim)->impulses_unique);
    scene_run_end(&run);
  }
}

// ---- boxes ---------------------------------------------------------------------------------------------------------

static const char spinning_box[] =
    "touchstone: 1\n"
    "contact: {friction: 0.4}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, mass: 1, shape: {box: {size: [0.3, 0.2, 0.2]}}, position: [0, 0, 0.1], velocity: [0.8, 0.3, 0],\n"
    "     angular_velocity: [0, 0, 4]}\n"
    "step: {method: stewart-trinkle, size: 2e-3, tolerance: 1e-10, solver: %s}\n"
    "duration: 0.5\n";

static void a_spinning_box_does_not_depend_on_the_solver(void **state)
{
  (void)state;
  assert_int_equal(assert_same_for_all(spinning_box, "a", 0.5, 1e-9), 117);
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start(spinning_box, solvers[s]);
    scene_run_to(&run, 2e-3);
    assert_false(ts_sim_report(run.sim)->unique);
    assert_false(ts_sim_report(run.sim)->impulses_unique);
    assert_equal_diagonals(&run, "a");
    scene_run_end(&run);
  }
}

// Without spin all corners slide along the same direction: their loads are not unique, the motion is.
static void a_sliding_box_moves_as_its_weight_brakes_it(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "contact: {friction: 0.3}\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: a, mass: 2, shape: {box: {size: [0.3, 0.2, 0.1]}}, position: [0, 0, 0.05], velocity: [1, 0.5, 0]}\n"
      "step: {method: stewart-trinkle, size: 1e-3, tolerance: 1e-10, solver: %s}\n"
      "duration: 0.1\n";
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start(scene, solvers[s]);
    assert_int_equal(run_to(&run, 0.1), 0);
    assert_false(ts_sim_report(run.sim)->impulses_unique);
    assert_equal_diagonals(&run, "a");
    const ts_twist v = ts_sim_velocity(run.sim, scene_run_body(&run, "a"));
    const double speed = sqrt(1.25), left = speed - 0.3 * 9.81 * 0.1;
    assert_near(v.linear.x, left / speed, 1e-9);
    assert_near(v.linear.y, 0.5 * left / speed, 1e-9);
    assert_near(v.angular.z, 0.0, 1e-9);
    scene_run_end(&run);
  }
}

static void a_pushed_box_on_four_corners_could_move_otherwise(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "contact: {friction: 0.3}\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: b, mass: 1, shape: {box: {size: [0.2, 0.2, 0.02]}}, position: [0, 0, 0.01]}\n"
      "  - {name: k, kind: kinematic, shape: {sphere: {radius: 0.005}}, position: [-0.105, 0.03, 0.01],\n"
      "     motion: {displacement: [{polynomial: [0, 0.05]}, 0, 0]}}\n"
      "pairs: [{bodies: [k, floor], collide: false}]\n"
      "step: {method: quasistatic, size: 0.005, solver: %s}\n"
      "duration: 1\n";
  assert_int_equal(assert_same_for_all(scene, "b", 0.05, 1e-9), 10);
  scene_run run = start(scene, "nsgs");
  scene_run_to(&run, 0.005);
  assert_false(ts_sim_report(run.sim)->impulses_unique);
  assert_equal_diagonals(&run, "b");
  scene_run_end(&run);
}

// A fence need not push what nothing holds; a force of round-off holds nothing.
static void what_nothing_holds_may_go_ahead(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "space: 2.5d\n"
      "contact: {friction: 0.3}\n"
      "bodies:\n"
      "  - {name: fence, kind: kinematic, shape: {box: {size: [0.1, 20]}}, position: [-0.1, 0],\n"
      "     motion: {displacement: [{polynomial: [0, %g]}, 0]}}\n"
      "  - {name: p, mass: %g, rotates: false, shape: {disc: {radius: 0.05}},\n"
      "     support: {points: [[0, 0]], friction: %g}}\n"
      "step: {method: quasistatic, size: 0.01, cone: quadratic}\n"
      "duration: 0.1\n";
  for (int k = 0; k < 40; ++k) {
    char text[LENGTH];
    snprintf(text, sizeof text, scene, 0.1 + 0.037 * k, 2.5 - 0.06 * k, k % 4 == 3 ? 0.3 : 0.0);
    scene_run run = scene_run_text(text);
    assert_int_equal(run_to(&run, 0.1), k % 4 == 3 ? 0 : 10);
    scene_run_end(&run);
  }
}

static void a_box_on_a_vibrating_plate_does_not_depend_on_the_solver(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "contact: {friction: 0.3}\n"
      "bodies:\n"
      "  - {name: plate, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion: {acceleration: {\n"
      "     amplitude: [0,0,8,0,0,100], phase: [0,0,4.71238898038469,0,0,0], frequency: 207.345115136926}}}\n"
      "  - {name: part, mass: 0.01, shape: {box: {size: [0.01,0.01,0.004]}},\n"
      "     position: [0.05,-0.02,0.00218608114534865],\n"
      "     velocity: [-0.00964575412678154,-0.0241143853169538,0], angular_velocity: [0,0,-0.482287706339077]}\n"
      "step: {size: 1e-4, arms: surface, tolerance: 1e-12, solver: %s}\n"
      "duration: 3\n";
  assert_true(assert_same_for_all(scene, "part", 0.03, 1e-10) > 100);
}

// ---- a pusher that stops -------------------------------------------------------------------------------------------

static double push_on(const scene_run *run, int body, int pusher)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(run->sim, &count);
  double sum = 0.0;
  for (int i = 0; i < count; ++i)
    if ((contacts[i].body_1 == body && contacts[i].body_2 == pusher) ||
        (contacts[i].body_2 == body && contacts[i].body_1 == pusher))
      sum += contacts[i].impulse[0];
  return sum / ts_sim_options(run->sim)->size;
}

// The least forces of a body at rest need no push: they are there from the first step at rest, not once forces are
// looked at again.
static void a_pusher_at_rest_does_not_push(void **state)
{
  (void)state;
  static const char scene[] =
      "touchstone: 1\n"
      "contact: {friction: 0.3}\n"
      "bodies:\n"
      "  - {name: table, kind: fixed, shape: {box: {size: [1, 1, 0.05]}}, position: [0, 0, -0.025]}\n"
      "  - name: T\n"
      "    mass: 0.5\n"
      "    shapes:\n"
      "      - {box: {size: [0.12, 0.03, 0.03]}, position: [0, 0.03, 0]}\n"
      "      - {box: {size: [0.03, 0.09, 0.03]}, position: [0, -0.03, 0]}\n"
      "    position: [0, 0, 0.015]\n"
      "  - name: pusher\n"
      "    kind: kinematic\n"
      "    shape: {cylinder: {radius: 0.008, length: 0.05}}\n"
      "    position: [0.03, -0.12, 0.03]\n"
      "    motion: {displacement: [0, {ramp: {from: 0, to: 0.15, start: 0.2, end: 3}}, 0]}\n"
      "step: {solver: %s}\n"
      "duration: 3.5\n";
  scene_run run = start(scene, "auto");
  const int body = scene_run_body(&run, "T"), pusher = scene_run_body(&run, "pusher");
  double most = 0.0;
  scene_run_to(&run, 2.998);
  assert_true(push_on(&run, body, pusher) > 0.5);
  scene_run_to(&run, 3.001);
  for (double t = 3.002; t < 3.08; t += 1e-3) {
    scene_run_to(&run, t);
    most = fmax(most, push_on(&run, body, pusher));
  }
  assert_near(most, 0.0, 1e-9);
  scene_run_end(&run);
}

// ---- any scene -----------------------------------------------------------------------------------------------------

static unsigned long long seed;

static double any(double low, double high)
{
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

// Shapes of a body that stands on `legs` small balls or boxes, or on a face. Returns the height of its center.
static double draw_shapes(int kind, double size, char *to, size_t room)
{
  const double a = size * any(0.5, 1.0), b = size * any(0.5, 1.0), c = size * any(0.1, 0.6), foot = 0.08 * size;
  int at = 0;
  if (kind == 0) {
    snprintf(to, room, "{box: {size: [%.17g, %.17g, %.17g]}}", a, b, c);
    return 0.5 * c;
  }
  if (kind == 3) {
    snprintf(to, room, "{cylinder: {radius: %.17g, length: %.17g}}", 0.5 * a, c);
    return 0.5 * c;
  }
  const int legs = kind == 1 ? 4 : 4 + (int)any(0.0, 3.999);
  if (kind == 1)
    at = snprintf(to, room, "{box: {size: [%.17g, %.17g, %.17g]}, position: [0, 0, %.17g]}, ", a, b, foot, foot);
  for (int k = 0; k < legs; ++k) {
    const double angle = 2.0 * TS_PI * (k + 0.5) / legs;
    const double x = kind == 1 ? (k & 1 ? 0.45 : -0.45) * a : 0.5 * a * cos(angle);
    const double y = kind == 1 ? (k & 2 ? 0.45 : -0.45) * b : 0.5 * a * sin(angle);
    at += snprintf(to + at, room - (size_t)at, "%s{sphere: {radius: %.17g}, position: [%.17g, %.17g, 0]}",
                   k > 0 ? ", " : "", foot, x, y);
  }
  return foot;
}

// A scene with `%s` for the solver. Returns its length.
static double draw_scene(int number, char *scene)
{
  static const char spun[] =
      "touchstone: 1\ncontact: {friction: %.17g}\nbodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: b, mass: 1, shapes: [%s], position: [0, 0, %.17g], velocity: [%.17g, %.17g, 0],\n"
      "     angular_velocity: [0, 0, %.17g]}\n"
      "step: {size: 2e-3, tolerance: 1e-10, solver: %%s}\nduration: 1\n";
  static const char pushed[] =
      "touchstone: 1\ncontact: {friction: %.17g}\nbodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: b, mass: 1, shapes: [%s], position: [0, 0, %.17g]}\n"
      "  - {name: k, kind: kinematic, shape: {sphere: {radius: 0.01}}, position: [-0.2, %.17g, %.17g],\n"
      "     motion: {displacement: [{polynomial: [0, %.17g]}, 0, 0]}}\n"
      "pairs: [{bodies: [k, floor], collide: false}]\n"
      "step: {method: %s, size: 0.01, tolerance: 1e-10, solver: %%s}\nduration: 1\n";
  static const char shaken[] =
      "touchstone: 1\ncontact: {friction: %.17g}\nbodies:\n"
      "  - {name: plate, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion: {acceleration: {\n"
      "     amplitude: [%.17g, %.17g, %.17g, 0, 0, %.17g], phase: [0.3, 1, 2, 0, 0, 0], frequency: %.17g}}}\n"
      "  - {name: b, mass: 0.01, shapes: [%s], position: [0.01, -0.02, %.17g], angular_velocity: [0, 0, %.17g]}\n"
      "step: {size: 2e-4, tolerance: 1e-10, solver: %%s}\nduration: 1\n";
  char shapes[2000];
  seed = 977ULL * (unsigned long long)number + 5ULL;
  for (int k = 0; k < 5; ++k) any(0.0, 1.0);
  const int kind = number % 4;
  const double mu = any(0.05, 0.7), height = draw_shapes(number % 3 == 2 ? 3 * (kind & 1) : kind % 3,
                                                         number % 3 == 2 ? 0.02 : 0.3, shapes, sizeof shapes);
  if (number % 3 == 0) {
    const double vx = any(-1.0, 1.0), vy = any(-1.0, 1.0), w = any(-8.0, 8.0);
    snprintf(scene, LENGTH, spun, mu, shapes, height, vx, vy, w);
    return 0.06;
  }
  if (number % 3 == 1) {
    const double y = any(-0.1, 0.1), speed = any(0.2, 0.5);
    snprintf(scene, LENGTH, pushed, mu, shapes, height, y, height, speed,
             number % 2 ? "quasistatic" : "stewart-trinkle");
    return 0.4;
  }
  const double ax = any(-5.0, 5.0), ay = any(-5.0, 5.0), az = any(0.0, 8.0), turn = any(0.0, 150.0);
  const double frequency = any(100.0, 300.0), w = any(-3.0, 3.0);
  snprintf(scene, LENGTH, shaken, mu, ax, ay, az, turn, frequency, shapes, height, w);
  return 0.02;
}

// Run every solver beside the first. Those whose motion parts from it by more than 1e-6 are counted in `parted`; they
// must have met a step that could have moved otherwise, or that was cut.
static void compare_solvers(int number, int *parted, int *others)
{
  char scene[LENGTH];
  const double end = draw_scene(number, scene);
  double first[STATE], state[STATE];
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run run = start(scene, solvers[s]);
    bool unique = true, same = true;
    while (ts_sim_time(run.sim) < end) {
      ts_error error;
      assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
      const ts_step_report *report = ts_sim_report(run.sim);
      if (!report->certified || report->substeps > 1) same = false;
      unique = unique && report->unique;
    }
    read_state(&run, "b", s == 0 ? first : state);
    double most = 0.0;
    for (int k = 0; s > 0 && k < STATE; ++k) most = fmax(most, fabs(state[k] - first[k]));
    *parted += most > 1e-6;
    *others += s == 0 && !unique;
    if (most > 1e-6 && unique && same) fail_msg("scene %d: %s moves otherwise by %g", number, solvers[s], most);
    scene_run_end(&run);
  }
}

// A box that comes to rest on a plate: all corners stick with some loads, slide with others. The solver decides which
// loads come first, not where the box ends.
static void sticking_with_some_loads_is_no_unique_motion(void **state)
{
  (void)state;
  int parted = 0, others = 0;
  compare_solvers(116, &parted, &others);
  assert_int_equal(parted, 0);
  assert_int_equal(others, 1);
}

static void any_scene_moves_alike_or_is_said_not_to(void **state)
{
  (void)state;
  const int stride = effort_stride(7, 61);
  int count = 0, parted = 0, others = 0;
  for (int number = 0; number < 600; number += stride, ++count) compare_solvers(number, &parted, &others);
  print_message("%d scenes, %d with steps that could have moved otherwise, %d of %d runs parted\n", count, others,
                parted, count * (SOLVERS - 1));
  assert_true(others > count / 3);
  assert_true(20 * parted <= count * (SOLVERS - 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feet_that_would_be_pulled_bear_nothing),
      cmocka_unit_test(motions_on_many_feet_are_not_called_unique),
      cmocka_unit_test(ellipsoids_brake_aside),
      cmocka_unit_test(a_spinning_box_does_not_depend_on_the_solver),
      cmocka_unit_test(a_sliding_box_moves_as_its_weight_brakes_it),
      cmocka_unit_test(a_pushed_box_on_four_corners_could_move_otherwise),
      cmocka_unit_test(what_nothing_holds_may_go_ahead),
      cmocka_unit_test(a_box_on_a_vibrating_plate_does_not_depend_on_the_solver),
      cmocka_unit_test(a_pusher_at_rest_does_not_push),
      cmocka_unit_test(sticking_with_some_loads_is_no_unique_motion),
      cmocka_unit_test(any_scene_moves_alike_or_is_said_not_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
