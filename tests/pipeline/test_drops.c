// Bodies of every shape that are dropped on a floor: they come to rest where they have faces, and never have more
// energy than at the start, apart from the gains of steps that are not certified. Surfaces that are nearly flat do not
// sink in, by points of the outline that are computed here.
#include "effort.h"
#include "world.h"

#include "scene_run.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

#define G 9.81

static double signed_power(double x, double exponent)
{
  return copysign(pow(fabs(x), exponent), x);
}

static double least_height(ts_quat q, ts_vec3 at, ts_space space, const ts_shape *s, double u, double v)
{
  const double p = 2.0 / s->exponents.x; // of equal exponents
  ts_vec3 x = {s->size.x * signed_power(cos(u), p), s->size.y * signed_power(sin(u), p), 0.0};
  if (space == TS_SPACE_3D) {
    x = ts_scale(pow(fabs(cos(v)), p), x);
    x.z = s->size.z * signed_power(sin(v), p);
  }
  const ts_mat3 turn = ts_quat_matrix(q);
  const ts_vec3 y = ts_add(at, ts_mul(&turn, x));
  return space == TS_SPACE_2D ? y.y : y.z;
}

// How deep a superellipse or superellipsoid of equal exponents is below the floor, by points of its surface.
static double depth_of(const world *w, int body, const ts_shape *s)
{
  enum { AROUND = 96 };
  const ts_pose pose = ts_sim_pose(w->sim, body);
  const int rings = w->space == TS_SPACE_2D ? 1 : AROUND / 4;
  double least = INFINITY;
  for (int i = 0; i < AROUND; ++i)
    for (int k = 0; k < rings; ++k)
      least = fmin(least, least_height(pose.orientation, pose.position, w->space, s, 2.0 * TS_PI * i / AROUND,
                                       TS_PI * (k + 0.5) / rings - 0.5 * TS_PI));
  return fmax(0.0, -least);
}

static double energy_of(const world *w)
{
  return world_kinetic(w) + ts_sim_report(w->sim)->potential_energy;
}

// What a drop has shown.
typedef struct drop {
  double rise;    // of energy above that at the start, without that of steps that are not certified, as a share
  double left;    // kinetic energy at the end, as a share
  double deepest; // overlap that steps report [m]
  int uncertified;
} drop;

// Fall for three seconds; `energy` is that at the start, with the floor as the zero of heights.
static drop fall(world *w, double energy)
{
  drop d = {0};
  double before = energy, flagged = 0.0;
  const int steps = (int)lround(3.0 / w->options.size);
  for (int k = 0; k < steps; ++k) {
    ts_error error;
    assert_int_equal(ts_sim_step(w->sim, &error), TS_OK);
    const ts_step_report *report = ts_sim_report(w->sim);
    const double now = energy_of(w);
    if (!report->certified) flagged += fmax(0.0, now - before);
    d.uncertified += !report->certified;
    d.rise = fmax(d.rise, (now - energy - flagged) / energy);
    d.deepest = fmax(d.deepest, report->penetration);
    before = now;
  }
  d.left = world_kinetic(w) / energy;
  return d;
}

// Turned about an axis, in the plane about z.
static ts_body_def body_at(ts_space space, ts_vec3 position, ts_vec3 axis, double angle)
{
  ts_body_def def = ts_body_def_default();
  def.name = "body";
  def.mass = 1.0;
  def.centre = (ts_vec3){0.0, 0.0, 0.0};
  def.pose.position = position;
  if (space == TS_SPACE_2D)
    def.angle = angle;
  else
    def.pose.orientation = ts_quat_exp(ts_scale(angle / ts_length(axis), axis));
  return def;
}

// ---- rounded boxes -------------------------------------------------------------------------------------------------

// A rounded box of 1 kg that falls by 2 cm and is tilted by 0.05.
static void drop_rounded_box(ts_space space, double exponent, double h, const char *method)
{
  const bool flat = space == TS_SPACE_2D;
  const ts_shape shape = {.kind = flat ? TS_SHAPE_SUPERELLIPSE : TS_SHAPE_SUPERELLIPSOID,
                          .size = flat ? (ts_vec3){0.12, 0.09, 0.0} : (ts_vec3){0.12, 0.1, 0.09},
                          .exponents = {exponent, exponent, flat ? 0.0 : exponent}};
  const double height = flat ? 0.11 : 0.12;
  const ts_vec3 axis = {1.0, 0.3, 0.0};
  const ts_vec3 at = flat ? (ts_vec3){0.0, height, 0.0} : (ts_vec3){0.0, 0.0, height};
  world w;
  world_init(&w, space);
  world_floor(&w);
  w.options.size = h;
  w.options.method = ts_stepper_find(method);
  const ts_body_def def = body_at(space, at, axis, 0.05);
  const int body = world_add_def(&w, &def, shape);
  world_start(&w);
  const drop d = fall(&w, G * height);
  const bool position = w.options.method == ts_stepper_find("stewart-trinkle");
  assert_true(d.rise < 1e-6);
  assert_true(d.left < 1e-9);
  assert_int_equal(d.uncertified, 0);
  assert_true(d.deepest < (position ? 1e-3 * 0.09 : G * 0.2 * h)); // `velocity` stops what has sunk in
  assert_true(depth_of(&w, body, &shape) < (position ? 1e-7 : G * 0.2 * h));
  assert_true(fabs(energy_of(&w) / G - 0.09) < (position ? 1e-6 : G * 0.2 * h)); // flat on its face
  world_release(&w);
}

static void rounded_boxes_come_to_rest_on_a_face(void **state)
{
  (void)state;
  drop_rounded_box(TS_SPACE_2D, 100.0, 0.01, "stewart-trinkle");
  drop_rounded_box(TS_SPACE_3D, 100.0, 0.01, "stewart-trinkle");
  drop_rounded_box(TS_SPACE_2D, 20.0, 0.02, "stewart-trinkle");
  drop_rounded_box(TS_SPACE_2D, 1000.0, 0.002, "stewart-trinkle");
  drop_rounded_box(TS_SPACE_3D, 1000.0, 0.02, "stewart-trinkle");
  drop_rounded_box(TS_SPACE_2D, 100.0, 0.01, "velocity");
  drop_rounded_box(TS_SPACE_3D, 100.0, 0.01, "velocity");
}

// ---- every shape ---------------------------------------------------------------------------------------------------

// Kinds that stand on a face once they have fallen; others may roll on.
static bool rests(const ts_shape *s)
{
  const ts_vec3 e = s->exponents;
  if (s->kind == TS_SHAPE_SUPERELLIPSE) return fmin(e.x, e.y) >= 20.0;
  if (s->kind == TS_SHAPE_SUPERELLIPSOID) return fmin(fmin(e.x, e.y), e.z) >= 20.0;
  return s->kind == TS_SHAPE_BOX;
}

static double any_exponent(ts_random *random)
{
  return exp(ts_random_uniform(random, log(2.0), log(1000.0)));
}

static void drop_any(ts_random *random, ts_shape_kind kind)
{
  static const double lengths[] = {0.001, 0.002, 0.005, 0.01, 0.02};
  const bool flat = kind_is_planar(kind);
  test_shape made;
  random_shape(random, kind, 0.1, &made);
  made.shape.exponents = (ts_vec3){any_exponent(random), any_exponent(random), any_exponent(random)};
  const double height = 0.5;
  world w;
  world_init(&w, flat ? TS_SPACE_2D : TS_SPACE_3D);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  w.options.size = lengths[ts_random_below(random, 5)];
  const ts_vec3 axis = random_direction(random);
  const ts_vec3 at = flat ? (ts_vec3){0.0, height, 0.0} : (ts_vec3){0.0, 0.0, height};
  const ts_body_def def = body_at(w.space, at, axis, ts_random_uniform(random, -0.5, 0.5));
  const int body = world_add_def(&w, &def, made.shape);
  world_start(&w);
  const ts_vec3 spin = random_vector(random);
  world_move(&w, body, (ts_vec3){ts_random_uniform(random, -0.5, 0.5), 0.0, 0.0},
             flat ? (ts_vec3){0.0, 0.0, spin.z} : spin);
  const drop d = fall(&w, world_kinetic(&w) + G * height);
  // The contact point of an ellipsoid that rolls moves by more than the body does: errors of first order, which flag
  const double flagged = kind == TS_SHAPE_ELLIPSOID ? 0.2 * 3.0 / w.options.size : 15.0;
  if (d.rise >= 1e-6 || (rests(&made.shape) && d.left >= 1e-8) || d.deepest > 0.01 || d.uncertified > flagged)
    fail_msg("kind %d, exponents %g %g %g, h = %g: energy rises by %g, %g is left, overlap %g, %d not certified",
             (int)kind, made.shape.exponents.x, made.shape.exponents.y, made.shape.exponents.z, w.options.size, d.rise,
             d.left, d.deepest, d.uncertified);
  world_release(&w);
}

static void shapes_that_fall_gain_nothing(void **state)
{
  (void)state;
  static const ts_shape_kind kinds[] = {
      TS_SHAPE_SUPERELLIPSE, TS_SHAPE_SUPERELLIPSOID, TS_SHAPE_SUPERELLIPSE, TS_SHAPE_SPHERE,
      TS_SHAPE_BOX,          TS_SHAPE_CAPSULE,        TS_SHAPE_CYLINDER,     TS_SHAPE_CONE,
      TS_SHAPE_ELLIPSOID,    TS_SHAPE_POLYTOPE,       TS_SHAPE_DISC,         TS_SHAPE_POLYGON};
  ts_random random;
  ts_random_init(&random, 2024);
  const int drops = effort_part(120, 5, 10);
  for (int k = 0; k < drops; ++k) drop_any(&random, kinds[k % 12]);
}

// ---- a disc on its rim ---------------------------------------------------------------------------------------------

// A tilted disc that is let go wobbles on its rim: next to level its lowest point runs around the rim while the disc
// hardly turns. All steps are certified, and the shorter they are the less they overlap.
static double wobble(double h)
{
  const double tilt = 0.1, r = 0.005, half = 0.002;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.0);
  world_floor(&w);
  w.options.size = h;
  ts_body_def def =
      body_at(TS_SPACE_3D, (ts_vec3){0.0, 0.0, r * sin(tilt) + half * cos(tilt)}, (ts_vec3){1.0, 0.0, 0.0}, tilt);
  def.mass = 0.01;
  def.velocity.angular = (ts_vec3){0.0, 2.0, 3.0};
  world_add_def(&w, &def, shape_cylinder(r, 2.0 * half));
  world_start(&w);
  const double first = world_kinetic(&w) + def.mass * G * def.pose.position.z;
  double deepest = 0.0;
  for (int k = 0; k * h < 0.22; ++k) {
    world_step(&w);
    deepest = fmax(deepest, ts_sim_report(w.sim)->penetration);
    assert_true(energy_of(&w) <= first * (1.0 + 1e-6));
  }
  world_release(&w);
  return deepest;
}

static void steps_of_a_disc_on_its_rim_are_certified(void **state)
{
  (void)state;
  const double coarse = wobble(5e-5), fine = wobble(2.5e-5);
  assert_true(coarse < 2e-5);
  assert_true(fine < coarse);
}

// ---- a linkage -----------------------------------------------------------------------------------------------------

// Rounded boxes in a linkage, with impacts in one piece and rebounds: nothing is thrown, and no overlap is of the size
// of a body.
static void a_linkage_of_rounded_boxes_is_not_thrown(void **state)
{
  (void)state;
  scene_run run = scene_run_start(TEST_DATA "/scenes/superellipse_linkage.yaml", NULL, 0);
  double first = 0.0, most = 0.0, deepest = 0.0, drives = 0.0;
  for (int k = 0; k < 600; ++k) {
    ts_error error;
    assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
    const ts_step_report *report = ts_sim_report(run.sim);
    const double energy = report->kinetic_energy + report->potential_energy;
    drives += fmax(0.0, report->drive_work);
    if (k == 0) first = energy;
    most = fmax(most, energy - drives);
    deepest = fmax(deepest, report->penetration);
    assert_true(report->certified);
  }
  assert_true(most <= first * (1.0 + 1e-6));
  assert_true(deepest < 0.02 * 0.04); // of the least semi-axis
  scene_run_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounded_boxes_come_to_rest_on_a_face),
      cmocka_unit_test(shapes_that_fall_gain_nothing),
      cmocka_unit_test(steps_of_a_disc_on_its_rim_are_certified),
      cmocka_unit_test(a_linkage_of_rounded_boxes_is_not_thrown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
