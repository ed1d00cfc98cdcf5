// Discs and superellipses at the tip of a finger: a corner, and the two sides that meet in it.
#include "shape/planar_search.h"

#include "quadrant.h"
#include "shapes.h"

#include "shape/distance.h"
#include "shape/manifold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const double ROUNDING = 2e-15; // [m]: a hundred roundings of coordinates of 0.1 m

typedef struct scene {
  ts_shape finger, shape;
  ts_pose finger_pose, pose;
  quadrant tip;
} scene;

static ts_pose pose_of(double x, double y, double angle)
{
  return (ts_pose){{x, y, 0.0}, {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
}

// The corner of the square at (-, +) of its middle: the tip of the right finger.
static void place_finger(scene *s, double x, double y, double angle)
{
  static const ts_vec3 square[4] = {{0.0, 0.0, 0.0}, {0.0, -0.06, 0.0}, {0.06, -0.06, 0.0}, {0.06, 0.0, 0.0}};
  s->finger = (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = square, .vertex_count = 4};
  s->finger_pose = pose_of(x, y, angle);
  s->tip = (quadrant){{x, y, 0.0}, {{-cos(angle), -sin(angle), 0.0}, {-sin(angle), cos(angle), 0.0}}};
}

// Somewhere about the tip: beside either side, in front of the corner, or in it.
static void place_shape(scene *s, ts_random *random)
{
  const double away = s->shape.kind == TS_SHAPE_DISC ? s->shape.radius : fmax(s->shape.size.x, s->shape.size.y);
  const double u = ts_random_uniform(random, -1.0, 2.0) * away, v = ts_random_uniform(random, -1.0, 2.0) * away;
  const ts_vec3 at = ts_add(s->tip.corner, ts_add(ts_scale(u, s->tip.sides[0]), ts_scale(v, s->tip.sides[1])));
  s->pose = pose_of(at.x, at.y, ts_random_uniform(random, 0.0, 2.0 * TS_PI));
}

static ts_shape any_outline(ts_random *random)
{
  static const double exponents[] = {4.0, 4.0, 2.0, 3.0, 8.0};
  const double p = exponents[ts_random_below(random, 5)];
  if (ts_random_below(random, 5) == 0) return (ts_shape){.kind = TS_SHAPE_DISC, .radius = 0.02075};
  return (ts_shape){.kind = TS_SHAPE_SUPERELLIPSE, .size = {0.0023, 0.0011, 0.0}, .exponents = {p, p, 0.0}};
}

// Whether a depth is the same along other normals, too, so that one is as good as another
static bool is_deep(const ts_separation *s)
{
  return s->gap < -1e-4;
}

// How far a point is from the outline of the shape, to first order
static double off_outline(const scene *s, ts_vec3 point)
{
  const ts_frame frame = ts_pose_frame(&s->pose);
  const ts_vec3 x = ts_frame_unapply(&frame, point);
  if (s->shape.kind == TS_SHAPE_DISC) return ts_length(x) - s->shape.radius;
  const double p = s->shape.exponents.x, u = fabs(x.x) / s->shape.size.x, v = fabs(x.y) / s->shape.size.y;
  const ts_vec3 slope = {p * pow(u, p - 1.0) / s->shape.size.x, p * pow(v, p - 1.0) / s->shape.size.y, 0.0};
  return (pow(u, p) + pow(v, p) - 1.0) / ts_length(slope);
}

// How far a point is from the boundary of the quadrant; that of what is beside a side's end is the corner.
static double off_quadrant(const quadrant *tip, ts_vec3 point)
{
  const ts_vec3 x = ts_sub(point, tip->corner);
  return fmax(ts_dot(x, tip->sides[0]), ts_dot(x, tip->sides[1]));
}

// A gap that no other separation exceeds, and points on both outlines that are so far apart along the normal, are the
// nearest ones. Points themselves are not compared: along a flat they move by the p - 1st root of what normals turn by.
static void assert_same(const scene *s, const ts_separation *found, const ts_separation *expected)
{
  if (!(fabs(found->gap - expected->gap) <= ROUNDING)) fail_msg("gap %.17g, not %.17g", found->gap, expected->gap);
  assert_true(ts_distance_of(found->point_1, ts_add_scaled(found->point_2, found->gap, found->normal)) <= ROUNDING);
  if (fabs(off_quadrant(&s->tip, found->point_2)) > ROUNDING || fabs(off_outline(s, found->point_1)) > ROUNDING)
    fail_msg("points are off by %g and %g", off_quadrant(&s->tip, found->point_2), off_outline(s, found->point_1));
  if (!is_deep(expected)) assert_true(ts_distance_of(found->normal, expected->normal) < 1e-10);
}

static void distances_are_those_of_support_functions(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 431);
  for (int i = 0; i < 4000; ++i) {
    scene s;
    place_finger(&s, ts_random_uniform(&random, -0.03, 0.03), ts_random_uniform(&random, -0.03, 0.03),
                 i % 2 ? 0.0 : ts_random_uniform(&random, 0.0, 2.0 * TS_PI));
    s.shape = any_outline(&random);
    place_shape(&s, &random);
    const ts_separation expected = quadrant_separation(&s.tip, &s.shape, &s.pose);
    ts_separation found;
    assert_int_equal(ts_shape_distance(&s.shape, &s.pose, &s.finger, &s.finger_pose, &found, NULL), TS_OK);
    assert_same(&s, &found, &expected);
    assert_int_equal(ts_shape_distance(&s.finger, &s.finger_pose, &s.shape, &s.pose, &found, NULL), TS_OK);
    ts_separation_flip(&found);
    assert_same(&s, &found, &expected);
  }
}

// Flats along the sides, the corner at the middle of a flat: where normals turn without end.
static void aligned_outlines(void **state)
{
  (void)state;
  const double shifts[] = {0.0, 1e-12, 1e-6, 2e-4, 0.0011, 0.0023, 0.004}, depths[] = {-1e-5, 0.0, 1e-9, 1e-4, 3e-3};
  for (int turn = 0; turn < 4; ++turn)
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 5; ++j)
        for (int sign = -1; sign <= 1; sign += 2) {
          scene s;
          ts_separation found;
          place_finger(&s, 0.01, 0.0, 0.0);
          s.shape = (ts_shape){.kind = TS_SHAPE_SUPERELLIPSE, .size = {0.0023, 0.0011, 0}, .exponents = {4, 4, 0}};
          const double half = turn % 2 ? 0.0011 : 0.0023; // towards the inner side
          s.pose = pose_of(0.01 - half - depths[j], sign * shifts[i], 0.5 * TS_PI * turn);
          const ts_separation expected = quadrant_separation(&s.tip, &s.shape, &s.pose);
          assert_int_equal(ts_shape_distance(&s.shape, &s.pose, &s.finger, &s.finger_pose, &found, NULL), TS_OK);
          assert_same(&s, &found, &expected);
        }
}

static const ts_convex *part_of(const ts_shape *shape, ts_arena *arena)
{
  int count;
  const ts_convex *part = ts_convex_pieces(shape, arena, &count);
  assert_int_equal(count, 1);
  return part;
}

// Contact points within the margin, one or those of a side; none outside. The nearest one is the separation.
static void touches_are_the_nearest_points(void **state)
{
  (void)state;
  const double margin = 1e-3;
  ts_random random;
  ts_random_init(&random, 433);
  int touching = 0;
  for (int i = 0; i < 4000; ++i) {
    ts_arena arena;
    ts_touch touch[4];
    scene s;
    ts_arena_init(&arena, NULL);
    place_finger(&s, ts_random_uniform(&random, -0.03, 0.03), 0.0, ts_random_uniform(&random, 0.0, 2.0 * TS_PI));
    s.shape = any_outline(&random);
    place_shape(&s, &random);
    const ts_separation expected = quadrant_separation(&s.tip, &s.shape, &s.pose);
    const ts_frame frame = ts_pose_frame(&s.pose), finger_frame = ts_pose_frame(&s.finger_pose);
    const int count = ts_convex_touches(part_of(&s.shape, &arena), &frame, part_of(&s.finger, &arena), &finger_frame,
                                        margin, touch, 4);
    assert_int_equal(count > 0, expected.gap <= margin);
    int nearest = 0;
    for (int k = 1; k < count; ++k)
      if (touch[k].gap < touch[nearest].gap) nearest = k;
    const ts_touch *own = &touch[nearest];
    const ts_separation found = {own->gap, own->normal, own->point_1, own->point_2};
    if (count > 0) assert_same(&s, &found, &expected);
    touching += count > 0;
    ts_arena_release(&arena);
  }
  assert_in_range(touching, 1000, 3000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_are_those_of_support_functions),
      cmocka_unit_test(aligned_outlines),
      cmocka_unit_test(touches_are_the_nearest_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
