// The scenes of examples/line_and_surface_contact against closed forms and against another program's solution of the
// same steps (reference-numbers.md 3, 4 and 11): 003 scenarios 1 to 3, and the disc and the sphere of 004 3.5.3.
#include "number_table.h"
#include "scene_run.h"
#include "shared_data.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

#define SCENES    EXAMPLES "/line_and_surface_contact/"
#define REFERENCE SHARED_DATA "/reference/single_body/"

static const double H = 0.01;

static ts_twist twist_of(const scene_run *r, const char *body)
{
  return ts_sim_velocity(r->sim, scene_run_body(r, body));
}

// `six`: v, then w.
static void check_twist(const scene_run *r, const char *body, const double *six, double tolerance)
{
  const ts_twist v = twist_of(r, body);
  assert_vec_near(v.linear, ((ts_vec3){six[0], six[1], six[2]}), tolerance);
  assert_vec_near(v.angular, ((ts_vec3){six[3], six[4], six[5]}), tolerance);
}

typedef struct row {
  double t, twist[6];
} row;

static void check_rows(scene_run *r, const char *body, const row *rows, int count, double tolerance)
{
  for (int k = 0; k < count; ++k) {
    scene_run_to(r, rows[k].t);
    check_twist(r, body, rows[k].twist, tolerance);
  }
}

// Every row of a table whose first column is time, and whose six from `column` on are the twist.
static void check_table(scene_run *r, const char *body, const number_table *table, int column, double until,
                        double tolerance)
{
  for (int k = 0; k < table->rows && number_table_at(table, k, 0) < until + 0.5 * H; ++k) {
    if (number_table_at(table, k, 0) < ts_sim_time(r->sim) - 0.5 * H) continue;
    scene_run_to(r, number_table_at(table, k, 0));
    check_twist(r, body, number_table_row(table, k) + column, tolerance);
  }
}

static const ts_contact *only_contact(const scene_run *r)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  assert_int_equal(count, 1);
  return contacts;
}

// ---- 003 scenario 1 ------------------------------------------------------------------------------------------------

// Speed 5 - mu g h k along (0.8, 0.6); the equivalent contact point is mu times half an edge ahead of the centre.
static void cube_slides(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "cube_slides.yaml", NULL, 0);
  const double slows = 0.12 * 9.8 * H, weight = 9.8 * H;
  double path = 0.0;
  for (int k = 1; k <= 450; ++k) {
    const double speed = fmax(0.0, 5.0 - slows * k), sliding = 5.0 - slows * k > 0.0 ? 1.0 : 0.0;
    path += H * speed;
    scene_run_to(&r, H * k);
    const double twist[6] = {0.8 * speed, 0.6 * speed, 0.0, 0.0, 0.0, 0.0};
    check_twist(&r, "cube", twist, 1e-8);
    const ts_vec3 at = scene_run_position(&r, "cube");
    assert_vec_near(at, ((ts_vec3){0.8 * path, 0.6 * path, 0.5}), 1e-8);
    if (k == 426) continue; // the step in which it stops
    const ts_contact *contact = only_contact(&r);
    assert_vec_near(ts_sub(contact->point, at), ((ts_vec3){0.048 * sliding, 0.036 * sliding, -0.5}), 1e-8);
    assert_near(contact->impulse[0], weight, 1e-10);
    assert_near(hypot(contact->impulse[1], contact->impulse[2]), 0.12 * weight * sliding, 1e-10);
    assert_near(contact->impulse[3], 0.0, 1e-10);
  }
  assert_vec_near(scene_run_position(&r, "cube"), ((ts_vec3){8.483408, 6.362556, 0.5}), 1e-8);
  scene_run_end(&r);
}

// ---- 003 scenario 2 ------------------------------------------------------------------------------------------------

static void cylinder_rolls(void **state)
{
  (void)state;
  static const row rows[] = {
      {0.05, {0.0001424090323, -1.255136503, 0.0, 0.2897035945, 0.002532811077, 0.1891011188}},
      {0.10, {0.001439148788, -1.112933035, 0.0, 0.5739468121, 0.01022764855, 0.1726246508}},
      {0.15, {0.007326163713, -0.9856149264, 0.0, 0.8280343219, 0.02133533681, 0.1410744993}},
      {0.20, {0.02110545294, -0.9348464073, 0.0, 0.928512568, 0.02918519964, 0.08292303729}},
      {0.25, {0.03087263954, -0.9323924363, 0.0, 0.9326857366, 0.03172148133, 0.0200766698}},
      {0.27, {0.03187755281, -0.9324655271, 0.0, 0.9324655271, 0.03187755281, 0.0}},
  };
  scene_run r = scene_run_start(SCENES "cylinder_rolls.yaml", NULL, 0);
  check_rows(&r, "cylinder", rows, 6, 1e-8);
  scene_run_end(&r);
}

static bool stands_still(const scene_run *r)
{
  return fabs(twist_of(r, "cylinder").angular.z) < 1e-6;
}

// A step after one that ends without a turn about the vertical begins with 3 N m s about it.
static void step_with_kicks(scene_run *r)
{
  ts_error error;
  const ts_wrench kick = {.moment = {0.0, 0.0, 3.0 / H}};
  if (stands_still(r)) assert_int_equal(ts_sim_push(r->sim, scene_run_body(r, "cylinder"), &kick, &error), TS_OK);
  scene_run_to(r, ts_sim_time(r->sim) + H);
}

// The kicks come by themselves in the steps that begin at 0.27 s, 0.38 s and so on, every 0.11 s: 89 in 10 s.
static void cylinder_is_kicked(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "cylinder_rolls.yaml", NULL, 0);
  int kicks = 0;
  double farthest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const bool kicked = stands_still(&r);
    assert_int_equal(kicked, k >= 27 && (k - 27) % 11 == 0);
    kicks += kicked;
    step_with_kicks(&r);
    const ts_vec3 centre = scene_run_position(&r, "cylinder"), point = only_contact(&r)->point;
    farthest = fmax(farthest, hypot(point.x - centre.x, point.y - centre.y));
    assert_near(centre.z, 1.0, 1e-8);
    if (kicked) assert_near(twist_of(&r, "cylinder").angular.z, 0.115971, 1e-6);
  }
  assert_int_equal(kicks, 89);
  assert_near(farthest, 0.03711, 1e-5);
  assert_vec_near(scene_run_position(&r, "cylinder"), ((ts_vec3){2.62484, -8.86619, 1.0}), 1e-5);
  scene_run_end(&r);
}

static void kicked_cylinder_follows_the_table(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "cylinder_rolls.yaml", NULL, 0);
  number_table table = number_table_need_csv(REFERENCE "c2_cyl_h0.01_T2_explicit.csv");
  assert_int_equal(table.rows, 200);
  for (int k = 0; k < table.rows; ++k) {
    step_with_kicks(&r);
    check_twist(&r, "cylinder", number_table_row(&table, k) + 8, 1e-6);
  }
  number_table_release(&table);
  scene_run_end(&r);
}

// ---- 003 scenario 3 ------------------------------------------------------------------------------------------------

// How many of the cube's corners touch the floor, within 1e-8 m; none may be below.
static int corners_down(const scene_run *r)
{
  const ts_pose pose = ts_sim_pose(r->sim, scene_run_body(r, "cube"));
  int down = 0;
  for (int k = 0; k < 8; ++k) {
    const ts_vec3 corner = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
    const double z = ts_pose_apply(&pose, corner).z;
    assert_true(z > -1e-8);
    down += z < 1e-8;
  }
  return down;
}

static void cube_tips(void **state)
{
  (void)state;
  static const row rows[] = {
      {0.20, {-0.7183528378, -0.7183528378, -0.215223015, 0.8489398068, -0.8489398068, 0.0}},
      {0.44, {-0.7829493046, -0.7829493046, -0.3878939544, 0.5516160395, -0.5516160395, 0.0}},
      {0.90, {-0.09056534146, -0.09056534146, 0.0, 0.0, 0.0, 0.0}},
      {1.01, {0.7120693339, -0.7120693339, -0.06290945304, 2.983404017, 2.983404017, 0.0}},
      {1.20, {0.6774799004, -0.6774799004, -1.054974602, 1.310344563, 1.310344563, 0.0}},
      {1.26, {0.4839399175, -0.4839399175, -0.2744402586, -0.3891911279, -0.3891911279, 0.0}},
      {1.50, {0.112505174, -0.112505174, 0.0, 0.0, 0.0, 0.0}},
      {1.81, {9.986140707, -9.986140707, 0.0, 0.0, 0.0, 0.0}},
      {4.00, {6.95095556, -6.95095556, 0.0, 0.0, 0.0, 0.0}},
  };
  scene_run r = scene_run_start(SCENES "cube_tips.yaml", NULL, 0);
  check_rows(&r, "cube", rows, 9, 1e-8);
  assert_vec_near(scene_run_position(&r, "cube"), ((ts_vec3){18.3566, -19.39, 0.5}), 5e-5);
  scene_run_end(&r);
}

// Corner, edge, flight, the other edge, face: the step in which each begins. Its contact says of which dimension it is.
static void cube_touches_by_corner_edge_and_face(void **state)
{
  (void)state;
  static const struct {
    int from, corners;
  } kinds[] = {{1, 1}, {44, 2}, {102, 0}, {120, 2}, {126, 4}, {401, -1}};
  scene_run r = scene_run_start(SCENES "cube_tips.yaml", NULL, 0);
  for (int k = 1, kind = 0; k <= 400; ++k) {
    if (k == kinds[kind + 1].from) ++kind;
    scene_run_to(&r, H * k);
    assert_int_equal(corners_down(&r), kinds[kind].corners);
    if (kinds[kind].corners > 0) assert_int_equal(only_contact(&r)->patch, kinds[kind].corners / 2);
  }
  scene_run_end(&r);
}

static void tipping_cube_follows_the_table(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "cube_tips.yaml", NULL, 0);
  number_table table = number_table_need_csv(REFERENCE "c3_cube_h0.01.csv");
  assert_int_equal(table.rows, 400);
  check_table(&r, "cube", &table, 8, 4.0, 1e-6);
  number_table_release(&table);
  scene_run_end(&r);
}

// ---- 004 3.5.3.1 ---------------------------------------------------------------------------------------------------

static void disc_keeps_its_energy(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "disc_rolls.yaml", NULL, 0);
  for (int k = 1; k <= 1000; ++k) {
    scene_run_to(&r, H * k);
    const ts_twist v = twist_of(&r, "disc");
    assert_near(0.5 * (ts_dot(v.linear, v.linear) + 0.5 * v.angular.z * v.angular.z), 6.75, 1e-10);
  }
  assert_near(scene_run_position(&r, "disc").x, -30.0, 1e-9);
  scene_run_end(&r);
}

// ---- 004 3.5.3.2 ---------------------------------------------------------------------------------------------------

static void sphere_on_two_spheres(void **state)
{
  (void)state;
  static const row rows[] = {
      {1.0, {0.5384435932, 0.0, -0.01546113124, 0.007388793245, 0.4731729934, 0.2573193593}},
      {2.0, {1.536700059, 0.0, -0.2168228497, 0.1036184987, 1.36323355, 0.7343808702}},
      {3.0, {3.560321815, 0.0, -1.642470141, 0.7806048157, 3.440636144, 1.695736818}},
      {3.5, {4.892306267, 0.163571084, -4.169986536, 1.348883349, 4.602493474, 2.072250513}},
  };
  static const row last = {4.0, {5.537978595, 1.325645818, -8.841360619, 1.410217555, 4.7345166, 2.11253439}};
  scene_run r = scene_run_start(SCENES "sphere_on_spheres.yaml", NULL, 0);
  check_rows(&r, "ball", rows, 4, 1e-7);
  check_rows(&r, "ball", &last, 1, 2e-5);
  scene_run_end(&r);
}

static void sphere_follows_the_table(void **state)
{
  (void)state;
  scene_run r = scene_run_start(SCENES "sphere_on_spheres.yaml", NULL, 0);
  number_table table = number_table_need_csv(REFERENCE "d2_ts_ac_h0.01.csv");
  assert_int_equal(table.rows, 400);
  check_table(&r, "ball", &table, 4, 3.69, 1e-7);
  check_table(&r, "ball", &table, 4, 4.0, 2e-5);
  number_table_release(&table);
  scene_run_end(&r);
}

// Normal impulse of the ball with another body, and how fast it slips there.
static double push_of(const scene_run *r, const char *other, double *slip)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  const int body = scene_run_body(r, other);
  *slip = 0.0;
  for (int k = 0; k < count; ++k)
    if (contacts[k].body_2 == body && contacts[k].impulse[0] > 0.0) {
      *slip = hypot(contacts[k].velocity[1], contacts[k].velocity[2]);
      return contacts[k].impulse[0];
    }
  return 0.0;
}

// The ends of the steps in which the ball begins to slip on the smaller sphere, leaves the larger, and leaves the
// smaller; and its velocity at 2 s.
typedef struct descent {
  double events[3];
  ts_vec3 velocity;
} descent;

static descent descend(double h)
{
  char size[40];
  const char *const overrides[] = {size};
  snprintf(size, sizeof size, "step.size=%g", h);
  scene_run r = scene_run_start(SCENES "sphere_on_spheres.yaml", overrides, 1);
  descent d = {{0.0}, {0.0, 0.0, 0.0}};
  const int steps = (int)(4.0 / h + 0.5);
  for (int k = 1; k <= steps && d.events[2] == 0.0; ++k) {
    double slip, unused;
    scene_run_to(&r, h * k);
    const double nine = push_of(&r, "nine", &slip), ten = push_of(&r, "ten", &unused);
    if (d.events[0] == 0.0 && slip > 1e-7) d.events[0] = h * k;
    if (d.events[1] == 0.0 && ten < 1e-9 * h) d.events[1] = h * k;
    if (nine < 1e-9 * h) d.events[2] = h * k;
    if (2 * k == steps) d.velocity = twist_of(&r, "ball").linear;
  }
  scene_run_end(&r);
  return d;
}

static void events_converge(void **state)
{
  (void)state;
  static const double sizes[] = {0.1, 0.05, 0.025, 0.0125, 0.01, 0.005, 0.0025},
                      located[] = {2.944807, 3.213206, 3.7016};
  double before = 0.0;
  for (int k = 0; k < 7; ++k) {
    const descent d = descend(sizes[k]);
    print_message("h = %g: %.4f %.4f %.4f\n", sizes[k], d.events[0], d.events[1], d.events[2]);
    for (int e = 0; e < 3; ++e) assert_near(d.events[e], located[e], sizes[k] + 1e-9);
  }
  for (int k = 0; k < 4; ++k) { // v(2 s) of the smooth motion: 1.52477, 0, -0.21393
    const ts_vec3 v = descend(0.02 / (1 << k)).velocity;
    const double error = hypot(v.x - 1.52477, v.z + 0.21393);
    print_message("error at 2 s: %g\n", error);
    if (k > 0) assert_true(error > 0.45 * before && error < 0.55 * before);
    before = error;
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cube_slides),
                                     cmocka_unit_test(cylinder_rolls),
                                     cmocka_unit_test(cylinder_is_kicked),
                                     cmocka_unit_test(cube_tips),
                                     cmocka_unit_test(cube_touches_by_corner_edge_and_face),
                                     cmocka_unit_test(disc_keeps_its_energy),
                                     cmocka_unit_test(sphere_on_two_spheres),
                                     cmocka_unit_test(events_converge)};
  const struct CMUnitTest on_shared[] = {cmocka_unit_test(kicked_cylinder_follows_the_table),
                                         cmocka_unit_test(tipping_cube_follows_the_table),
                                         cmocka_unit_test(sphere_follows_the_table)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(on_shared, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
