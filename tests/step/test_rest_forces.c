// Forces at rest: least norm where they are not unique, so that symmetric scenes have symmetric forces.
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81, H = 1e-3;

// Least forces are chosen when forces change by more than 1e-4, and then every so many steps. In between solvers may
// shift them by what their tolerance leaves open; of stacks, which still settle, that is more.
static const double SHARE = 1e-7;

static const ts_contact *contacts_of(const world *w, int body_1, int body_2, int *count)
{
  int all;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &all), *first = NULL;
  *count = 0;
  for (int i = 0; i < all; ++i) {
    if (contacts[i].body_1 != body_1 || contacts[i].body_2 != body_2) continue;
    if (!first) first = &contacts[i];
    ++*count;
  }
  return first;
}

// Contacts between two bodies, `count` of them, all with the same normal force and without friction.
static void assert_equal_shares(const world *w, int body_1, int body_2, int count, double weight, double share)
{
  int found;
  const ts_contact *contacts = contacts_of(w, body_1, body_2, &found);
  assert_int_equal(found, count);
  for (int i = 0; i < count; ++i) {
    assert_near(contacts[i].impulse[0] / H, weight / count, share * weight);
    assert_near(contacts[i].impulse[1] / H, 0.0, share * weight);
    assert_near(contacts[i].impulse[2] / H, 0.0, share * weight);
  }
}

static void start(world *w, int stepper)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, -G});
  w->options.method = fixed_stepper(stepper);
  w->options.size = H;
}

static void a_box_stands_on_four_equal_corners(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k) {
    world w;
    start(&w, k % 2);
    world_friction(&w, k / 2 ? 0.5 : 0.0, 0.0);
    const int floor = world_floor(&w);
    const int box = world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.1, 0.1, 0.16), (ts_vec3){0.56, 0.2, 0.08});
    world_start(&w);
    for (int step = 0; step < 600; ++step) {
      world_step(&w);
      int closed; // `velocity` takes corners that are closed, and sees three of them now and then
      contacts_of(&w, box, floor, &closed);
      if (k % 2 == 0 || closed == 4 || step == 0) assert_equal_shares(&w, box, floor, 4, G, SHARE);
      if (k / 2) assert_false(ts_sim_report(w.sim)->impulses_unique);
    }
    world_release(&w);
  }
}

// The first step chooses; there the shares are exact.
static void the_first_forces_are_exact(void **state)
{
  (void)state;
  world w;
  start(&w, 0);
  world_friction(&w, 0.5, 0.0);
  const int floor = world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.1, 0.1, 0.16), (ts_vec3){0.56, 0.2, 0.08});
  world_start(&w);
  world_step(&w);
  int count;
  const ts_contact *contacts = contacts_of(&w, box, floor, &count);
  for (int i = 0; i < count; ++i) assert_near(contacts[i].impulse[0] / H, 0.25 * G, 2e-9);
  for (int i = 0; i < count; ++i) assert_near(contacts[i].impulse[1] / H, 0.0, 1e-9);
  world_release(&w);
}

static void a_table_stands_on_equal_legs(void **state)
{
  (void)state;
  world w;
  ts_error error;
  start(&w, 0);
  world_friction(&w, 0.8, 0.0);
  const int floor = world_floor(&w);
  const int table = world_add(&w, "table", TS_DYNAMIC, 8.0, shape_box(1.2, 0.8, 0.04), (ts_vec3){0.0, 0.0, 0.72});
  for (int leg = 0; leg < 4; ++leg) {
    ts_part_def part = ts_part_def_default();
    part.body = table;
    part.shape = shape_box(0.06, 0.06, 0.70);
    part.pose.position = (ts_vec3){leg % 2 ? 0.5 : -0.5, leg / 2 ? 0.3 : -0.3, -0.37};
    int number;
    const ts_status status = ts_builder_add_part(w.builder, &part, &number, &error);
    if (status != TS_OK) fail_msg("%s", error.text);
  }
  world_start(&w);
  for (int step = 0; step < 50; ++step) world_step(&w);
  assert_equal_shares(&w, table, floor, 16, 8.0 * G, SHARE);
  world_release(&w);
}

static void stacks_share_alike_on_every_level(void **state)
{
  (void)state;
  enum { BOXES = 4 };
  static const char *const names[BOXES] = {"a", "b", "c", "d"};
  world w;
  int box[BOXES];
  start(&w, 0);
  world_friction(&w, 0.5, 0.0);
  const int floor = world_floor(&w);
  for (int k = 0; k < BOXES; ++k)
    box[k] = world_add(&w, names[k], TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1 + 0.2 * k});
  world_start(&w);
  for (int step = 0; step < 100; ++step) world_step(&w);
  assert_equal_shares(&w, box[0], floor, 4, BOXES * G, 1e-4);
  for (int k = 1; k < BOXES; ++k) assert_equal_shares(&w, box[k - 1], box[k], 4, (BOXES - k) * G, 1e-4);
  world_release(&w);
}

// A box turned on another: the data of their contacts are 0, for both fall alike, and tell nothing of what the
// tolerance leaves of velocities.
static void a_turned_box_shares_alike(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    world w;
    ts_error error;
    start(&w, k);
    world_friction(&w, 0.5, 0.0);
    const int floor = world_add(&w, "floor", TS_FIXED, 0.0, shape_box(6.0, 6.0, 1.0), (ts_vec3){0.0, 0.0, -0.5});
    const int lower = world_add(&w, "lower", TS_DYNAMIC, 1.0, shape_box(0.4, 0.4, 0.2), (ts_vec3){0.0, 0.0, 0.1});
    const int upper = world_add(&w, "upper", TS_DYNAMIC, 1.0, shape_box(0.3, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.3});
    world_start(&w);
    const ts_pose turned = {{0.0, 0.0, 0.3}, ts_quat_about_z(0.3)};
    if (ts_sim_set_pose(w.sim, upper, &turned, &error) != TS_OK) fail_msg("%s", error.text);
    world_step(&w);
    assert_equal_shares(&w, lower, floor, 4, 2.0 * G, 1e-6);
    assert_equal_shares(&w, lower, upper, 4, G, 1e-6);
    world_release(&w);
  }
}

// Edge a, height b, slope t: friction m g sin t / 4 a corner, normals m g (cos t / 4 -+ sin t b / (4 a)).
static void corners_on_a_slope_rub_alike(void **state)
{
  (void)state;
  const double slope = 0.2, a = 0.4, b = 0.1, mass = 2.0;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){G * sin(slope), 0.0, -G * cos(slope)});
  w.options.size = H;
  world_friction(&w, 0.9, 0.0);
  const int floor = world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, mass, shape_box(a, a, b), (ts_vec3){0.0, 0.0, 0.5 * b});
  world_start(&w);
  for (int step = 0; step < 50; ++step) world_step(&w);
  int count;
  const ts_contact *contacts = contacts_of(&w, box, floor, &count);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; ++i) {
    const ts_vec3 force = ts_scale(1.0 / H, ts_sim_contact_wrench(w.sim, i).force);
    const double side = contacts[i].point.x > 0.0 ? 1.0 : -1.0;
    assert_near(force.x, -0.25 * mass * G * sin(slope), SHARE * mass * G);
    assert_near(force.y, 0.0, SHARE * mass * G);
    assert_near(force.z, 0.25 * mass * G * (cos(slope) + side * sin(slope) * b / a), SHARE * mass * G);
  }
  world_release(&w);
}

// Near the angle of friction equal shares would leave the cones: what comes out keeps them, and carries the box.
static void cones_bind_on_a_steep_slope(void **state)
{
  (void)state;
  const double slope = 0.5, mu = 1.05 * tan(slope);
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){G * sin(slope), 0.0, -G * cos(slope)});
  world_friction(&w, mu, 0.0);
  world_floor(&w);
  world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.1), (ts_vec3){0.0, 0.0, 0.05});
  world_start(&w);
  for (int step = 0; step < 50; ++step) {
    world_step(&w);
    int count;
    ts_vec3 sum = {0.0, 0.0, 0.0};
    const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
    for (int i = 0; i < count; ++i) {
      assert_true(hypot(contacts[i].impulse[1], contacts[i].impulse[2]) <= mu * contacts[i].impulse[0] * (1.0 + 1e-9));
      sum = ts_add(sum, ts_scale(1.0 / w.options.size, ts_sim_contact_wrench(w.sim, i).force));
    }
    assert_vec_near(sum, (ts_vec3){-G * sin(slope), 0.0, G * cos(slope)}, 1e-5);
    assert_false(ts_sim_report(w.sim)->impulses_unique);
  }
  world_release(&w);
}

// A ball on the floor has no choice; two that lean on each other and on walls may be wedged, without friction not.
static void what_is_unique_is_said(void **state)
{
  (void)state;
  for (int k = 0; k < 3; ++k) {
    world w;
    start(&w, 0);
    world_friction(&w, k == 2 ? 0.0 : 0.6, 0.0);
    if (k == 0) {
      world_floor(&w);
      world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
      world_add(&w, "other", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.3});
    } else { // in a groove
      const ts_vec3 left = {sqrt(0.5), 0.0, sqrt(0.5)}, right = {-sqrt(0.5), 0.0, sqrt(0.5)};
      world_add(&w, "left", TS_FIXED, 0.0, shape_plane(left, 0.0), (ts_vec3){0.0, 0.0, 0.0});
      world_add(&w, "right", TS_FIXED, 0.0, shape_plane(right, 0.0), (ts_vec3){0.0, 0.0, 0.0});
      world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1 * sqrt(2.0)});
    }
    world_start(&w);
    for (int step = 0; step < 5; ++step) world_step(&w);
    assert_true(ts_sim_report(w.sim)->impulses_unique == (k != 1));
    world_release(&w);
  }
}

// A tower that stands asks little of a solver: what it stood with still solves most of its steps, none of them takes
// more than a Newton step or two, and it stands.
static void what_stands_is_not_solved_again(void **state)
{
  (void)state;
  enum { CUBES = 10, SETTLING = 200, STEPS = 500 };
  world w;
  start(&w, 0);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  int top = 0;
  for (int i = 0; i < CUBES; ++i) {
    const char name[] = {'c', (char)('0' + i), '\0'};
    top = world_add(&w, name, TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.2 * (i + 0.5)});
  }
  world_start(&w);
  int solved = 0;
  for (int step = 0; step < SETTLING + STEPS; ++step) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    assert_true(report->certified && report->residual <= ts_sim_options(w.sim)->tolerance);
    if (step < SETTLING) continue;
    solved += report->iterations > 0;
    assert_true(report->factorizations <= 2);
  }
  print_message("%d of %d steps solved\n", solved, STEPS);
  assert_true(solved < STEPS / 8);
  assert_near(ts_sim_pose(w.sim, top).position.z, 0.2 * (CUBES - 0.5), 1e-10);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_stands_on_four_equal_corners), cmocka_unit_test(the_first_forces_are_exact),
      cmocka_unit_test(a_table_stands_on_equal_legs),       cmocka_unit_test(stacks_share_alike_on_every_level),
      cmocka_unit_test(a_turned_box_shares_alike),          cmocka_unit_test(corners_on_a_slope_rub_alike),
      cmocka_unit_test(cones_bind_on_a_steep_slope),        cmocka_unit_test(what_is_unique_is_said),
      cmocka_unit_test(what_stands_is_not_solved_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
