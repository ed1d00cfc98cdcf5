// Cones in motion: at rest on the base, rolling on the side about the tip, and over seams.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static ts_shape shape_cone(double radius, double top_radius, double length)
{
  return (ts_shape){.kind = TS_SHAPE_CONE, .radius = radius, .top_radius = top_radius, .length = length};
}

static int add_cone(world *w, ts_shape shape, double mass, ts_vec3 position, ts_quat orientation)
{
  ts_body_def def = ts_body_def_default();
  def.name = "cone";
  def.kind = TS_DYNAMIC;
  def.mass = mass;
  def.pose = (ts_pose){position, orientation};
  return world_add_def(w, &def, shape);
}

// ---- at rest

// Impulses that the floor gave to the only body in the last step, about its centre of mass
static ts_wrench sum_of_contacts(const world *w)
{
  int count;
  ts_sim_contacts(w->sim, &count);
  ts_wrench sum = {0};
  for (int i = 0; i < count; ++i) {
    const ts_wrench own = ts_sim_contact_wrench(w->sim, i);
    sum = (ts_wrench){ts_add(sum.force, own.force), ts_add(sum.moment, own.moment)};
  }
  return sum;
}

static void rest_on(ts_shape shape, ts_quat orientation, double height, int stepper)
{
  const double mass = 2.0, weight = mass * 9.81;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = fixed_stepper(stepper);
  world_friction(&w, 0.5, 0.0);
  world_floor(&w);
  const int cone = add_cone(&w, shape, mass, (ts_vec3){0.1, -0.2, height}, orientation);
  world_start(&w);
  const ts_pose before = ts_sim_pose(w.sim, cone);
  for (int i = 0; i < 300; ++i) {
    world_step(&w);
    const ts_wrench sum = sum_of_contacts(&w);
    assert_true(ts_distance_of(sum.force, (ts_vec3){0.0, 0.0, weight * w.options.size}) <
                1e-6 * weight * w.options.size);
    assert_true(ts_length(sum.moment) < 1e-6 * weight * w.options.size * shape.radius);
  }
  const ts_pose after = ts_sim_pose(w.sim, cone);
  assert_true(ts_distance_of(before.position, after.position) < 1e-9);
  assert_true(ts_length(ts_sub(ts_quat_matrix(before.orientation).z, ts_quat_matrix(after.orientation).z)) < 1e-9);
  world_release(&w);
}

static void cones_stand_and_lie(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < 2; ++stepper) {
    const ts_quat upright = ts_quat_identity(), over = ts_quat_exp((ts_vec3){TS_PI, 0.0, 0.0});
    rest_on(shape_cone(0.3, 0.0, 0.4), upright, 0.2, stepper);
    rest_on(shape_cone(0.3, 0.2, 0.4), upright, 0.2, stepper);
    rest_on(shape_cone(0.3, 0.2, 0.4), over, 0.2, stepper);
    // on its side: the axis leans down by the half angle, whose sine is 0.6, and the middle of the height is 0.15 * 0.8
    // above the line, the distance of half the height along the axis
    rest_on(shape_cone(0.3, 0.0, 0.4), ts_quat_exp((ts_vec3){0.0, 0.5 * TS_PI + asin(0.6), 0.0}), 0.12, stepper);
  }
}

// ---- rolling

// A cone on its side that rolls without sliding turns about its tip, which stays: with the angular velocity W of the
// axis about the vertical, all points of the line of contact are at rest, so that the angular velocity is along it,
// W / tan(half angle) of it. Nothing changes but the direction: the centre of mass, at 3/4 of the height from the tip,
// goes round a circle about the tip at W.
static double rolled_off(int stepper, double step)
{
  const double radius = 0.3, height = 0.4, slant = 0.5, W = 0.8, duration = 0.5;
  const double sine = radius / slant, cosine = height / slant, around = 0.75 * height * cosine;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = fixed_stepper(stepper);
  w.options.size = step;
  world_friction(&w, 1.0, 0.0);
  world_floor(&w);
  // tip at the origin, line of contact along x; the axis rises from it by the half angle
  const ts_vec3 axis = {-cosine, 0.0, -sine}; // from the base to the tip
  const double turn = acos(axis.z);
  const int cone = add_cone(&w, shape_cone(radius, 0.0, height), 1.0, ts_scale(-0.5 * height, axis),
                            ts_quat_exp((ts_vec3){0.0, -turn, 0.0}));
  world_start(&w);
  const double half_way = 0.5 * height * cosine; // of the middle of the height from the vertical through the tip
  world_move(&w, cone, (ts_vec3){0.0, W * half_way, 0.0}, (ts_vec3){-W * cosine / sine, 0.0, 0.0});
  world_steps(&w, (int)lround(duration / step));
  const ts_pose pose = ts_sim_pose(w.sim, cone);
  const ts_vec3 centre = ts_pose_apply(&pose, ts_model_body_centre(w.model, cone));
  const ts_vec3 tip = ts_pose_apply(&pose, (ts_vec3){0.0, 0.0, 0.5 * height});
  const ts_vec3 expected = {around * cos(W * duration), around * sin(W * duration), 0.75 * height * sine};
  world_release(&w);
  return fmax(ts_distance_of(centre, expected), ts_length(tip));
}

static void cones_roll_about_their_tip(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < 2; ++stepper) {
    const double coarse = rolled_off(stepper, 2e-3), fine = rolled_off(stepper, 5e-4);
    assert_true(coarse < 2e-3);       // of a way of 0.1 m
    assert_true(fine < 0.4 * coarse); // it comes with the step: a quarter of it, nearly
  }
}

// ---- seams

// Over two boxes side by side: what slides across the seam does not notice it.
static void slide_over_seam(ts_shape shape, ts_quat orientation, double height)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.0);
  world_add(&w, "left", TS_FIXED, 0.0, shape_box(2.0, 2.0, 0.5), (ts_vec3){-1.0, 0.0, -0.25});
  world_add(&w, "right", TS_FIXED, 0.0, shape_box(2.0, 2.0, 0.5), (ts_vec3){1.0, 0.0, -0.25});
  const int cone = add_cone(&w, shape, 1.0, (ts_vec3){-0.45, 0.03, height}, orientation);
  world_start(&w);
  world_move(&w, cone, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  const ts_pose before = ts_sim_pose(w.sim, cone);
  const int count = (int)lround(0.9 / w.options.size);
  world_steps(&w, count);
  const ts_pose after = ts_sim_pose(w.sim, cone);
  assert_true(fabs(after.position.x - before.position.x - count * w.options.size) < 1e-9);
  assert_true(fabs(after.position.y - before.position.y) < 1e-9 && fabs(after.position.z - before.position.z) < 1e-9);
  assert_true(ts_length(ts_sub(ts_quat_matrix(before.orientation).z, ts_quat_matrix(after.orientation).z)) < 1e-9);
  world_release(&w);
}

static void cones_slide_over_seams(void **state)
{
  (void)state;
  slide_over_seam(shape_cone(0.3, 0.0, 0.4), ts_quat_identity(), 0.2);
  slide_over_seam(shape_cone(0.3, 0.2, 0.4), ts_quat_exp((ts_vec3){TS_PI, 0.0, 0.0}), 0.2);
  slide_over_seam(shape_cone(0.3, 0.0, 0.4), ts_quat_exp((ts_vec3){0.0, 0.5 * TS_PI + asin(0.6), 0.0}), 0.12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cones_stand_and_lie),
      cmocka_unit_test(cones_roll_about_their_tip),
      cmocka_unit_test(cones_slide_over_seams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
