// Convex parts: support points and bounds against brute force, climbing against scanning, hulls of large polytopes.
#include "shape/convex.h"

#include "counting_allocator.h"
#include "shapes.h"

#include "shape/implicit.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// The largest of the part's functions: where it is not positive, the point is inside.
static double outside(const ts_convex *part, ts_vec3 x)
{
  double worst = -INFINITY;
  for (int i = 0; i < ts_implicit_count(part); ++i) worst = fmax(worst, ts_implicit_value(part, i, x, NULL, NULL));
  return worst;
}

static double tilt(ts_vec3 a, ts_vec3 b) // sine of the angle between two directions
{
  return ts_length(ts_cross(a, b)) / (ts_length(a) * ts_length(b));
}

// A support point s along d lies in the part, and d is in the normal cone there: no point of the part is further. For
// smooth parts the cone is the gradient; for the others vertices and rims are compared one by one.
static void check_furthest(const ts_convex *part, ts_vec3 d, ts_vec3 s)
{
  const double along = ts_dot(d, s), rounding = 1e-13 * part->reach * ts_length(d);
  ts_vec3 gradient;
  switch (part->kind) {
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_ELLIPSOID:
  case TS_SHAPE_SUPERELLIPSOID:
  case TS_SHAPE_SUPERELLIPSE:
    ts_implicit_value(part, 0, s, &gradient, NULL);
    assert_true(ts_dot(gradient, d) > 0.0 && tilt(gradient, d) < 1e-12);
    break;
  case TS_SHAPE_DISC:
  case TS_SHAPE_CYLINDER:
  case TS_SHAPE_CONE:
    for (int k = 0; k < 720; ++k) {
      const double angle = TS_PI * k / 360.0;
      for (int end = -1; end <= 1; end += 2) {
        const double r = part->kind == TS_SHAPE_CONE && end > 0 ? part->top_radius : part->radius;
        const ts_vec3 rim = {r * cos(angle), r * sin(angle), end * part->half_length};
        assert_true(ts_dot(d, rim) <= along + rounding);
      }
    }
    break;
  default:
    for (int v = 0; part->hull && v < part->hull->vertex_count; ++v)
      assert_true(ts_dot(d, part->hull->vertices[v]) <= along + rounding);
  }
}

static void support_of_every_kind(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 21);
  static test_shape made;
  for (int trial = 0; trial < 3000; ++trial) {
    const ts_shape_kind kind = (ts_shape_kind)(trial % TS_SHAPE_COUNT);
    if (kind == TS_SHAPE_PLANE) continue;
    const double size = pow(10.0, ts_random_uniform(&random, -3.0, 3.0));
    random_shape(&random, kind, size, &made);
    assert_int_equal(ts_shape_check(&made.shape, NULL), TS_OK);
    int count;
    const ts_convex *parts = ts_convex_pieces(&made.shape, arena, &count);
    for (int p = 0; p < count; ++p)
      for (int k = 0; k < 20; ++k) {
        ts_vec3 d = ts_scale(pow(10.0, ts_random_uniform(&random, -5.0, 5.0)), random_direction(&random));
        if (kind_is_planar(kind)) d.z = 0.0;
        const ts_vec3 s = ts_convex_support(parts + p, d);
        assert_true(outside(parts + p, s) <= 1e-13 * (size + parts[p].reach));
        assert_true(ts_length(s) <= parts[p].reach * (1.0 + 1e-15));
        check_furthest(parts + p, d, s);
      }
    for (int p = 0; p < count; ++p) assert_true(outside(parts + p, parts[p].middle) <= 0.0);
    ts_arena_reset(arena);
  }
}

// Directions along axes, and none at all, have a support point too.
static void support_along_axes(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 22);
  static test_shape made;
  for (int kind = TS_SHAPE_POINT; kind < TS_SHAPE_COUNT; ++kind) {
    random_shape(&random, (ts_shape_kind)kind, 1.0, &made);
    int count;
    const ts_convex *part = ts_convex_pieces(&made.shape, arena, &count);
    for (int k = 0; k < 27; ++k) {
      const ts_vec3 d = {k % 3 - 1, k / 3 % 3 - 1, kind_is_planar((ts_shape_kind)kind) ? 0 : k / 9 - 1};
      const ts_vec3 s = ts_convex_support(part, d);
      assert_true(ts_vec3_is_finite(s));
      assert_true(outside(part, s) <= 1e-14);
    }
  }
}

// Points of a sphere in rings, as a meshed ball has: many vertices are equally far along an axis.
static int fill_rings(ts_vec3 *points, int rings)
{
  int count = 0;
  for (int i = 0; i <= rings; ++i)
    for (int j = 0; j < (i % rings ? 2 * rings : 1); ++j) {
      const double polar = TS_PI * i / rings, around = TS_PI * j / rings;
      points[count++] = ts_vec3_make(sin(polar) * cos(around), sin(polar) * sin(around), cos(polar));
    }
  return count;
}

static void climbing_large_hulls(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 23);
  enum { MOST = 5000 };
  ts_vec3 *points = malloc(MOST * sizeof *points);
  for (int trial = 0; trial < 4; ++trial) {
    int count = trial % 2 ? fill_rings(points, 40) : MOST / 2;
    const ts_vec3 stretch = trial < 2 ? ts_vec3_make(1, 1, 1) : ts_vec3_make(1e-3, 1, 30);
    for (int i = 0; i < count; ++i) {
      const ts_vec3 p = trial % 2 ? points[i] : random_direction(&random);
      points[i] = ts_vec3_make(p.x * stretch.x, p.y * stretch.y, p.z * stretch.z);
    }
    const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = count};
    int pieces;
    const ts_convex *part = ts_convex_pieces(&shape, arena, &pieces);
    assert_non_null(part->hull->outposts);
    for (int k = 0; k < 4000; ++k) {
      ts_vec3 d = random_direction(&random);
      if (k % 4 == 0) d = ts_vec3_make(k % 3 - 1, k / 3 % 3 - 1, k / 9 % 3 - 1);                 // ties
      if (k % 4 == 1) d = part->hull->normals[ts_random_below(&random, part->hull->face_count)]; // plateaus
      double furthest = -INFINITY;
      for (int i = 0; i < count; ++i) furthest = fmax(furthest, ts_dot(points[i], d));
      assert_true(ts_dot(ts_convex_support(part, d), d) >= furthest - 1e-15 * part->reach);
    }
    ts_arena_reset(arena);
  }
  free(points);
}

static void climbing_large_polygons(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 26);
  ts_vec3 corners[1000];
  for (int i = 0; i < 1000; ++i) {
    const double angle = 2.0 * TS_PI * i / 1000.0;
    corners[i] = ts_vec3_make(3.0 * cos(angle), sin(angle) + 5.0, 0.0);
  }
  const ts_shape shape = {.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 1000};
  int pieces;
  const ts_convex *part = ts_convex_pieces(&shape, arena, &pieces);
  assert_int_equal(pieces, 1);
  assert_non_null(part->hull->outposts);
  for (int k = 0; k < 4000; ++k) {
    const double angle = k % 2 ? ts_random_uniform(&random, 0.0, 7.0) : 2.0 * TS_PI * k / 4000.0;
    const ts_vec3 d = k % 3 ? ts_vec3_make(cos(angle), sin(angle), 0.0) : part->hull->normals[k / 4];
    double furthest = -INFINITY;
    for (int i = 0; i < 1000; ++i) furthest = fmax(furthest, ts_dot(corners[i], d));
    assert_true(ts_dot(ts_convex_support(part, d), d) >= furthest - 1e-15 * part->reach);
  }
}

// The box is tight: its sides are the support values along the world's axes.
static void bounds_of_every_kind(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 24);
  static test_shape made;
  for (int trial = 0; trial < 2000; ++trial) {
    const ts_shape_kind kind = (ts_shape_kind)(trial % TS_SHAPE_COUNT);
    if (kind == TS_SHAPE_PLANE) continue;
    random_shape(&random, kind, 1.0, &made);
    int count;
    const ts_convex *part = ts_convex_pieces(&made.shape, arena, &count);
    const ts_pose pose = random_pose(&random, 10.0);
    const ts_frame frame = ts_pose_frame(&pose);
    const ts_bounds box = ts_convex_bounds(part, &frame);
    const double low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
    for (int k = 0; k < 3; ++k) {
      const ts_vec3 axis = {k == 0, k == 1, k == 2}, d = ts_mul_transposed(&frame.axes, axis);
      const double top = ts_dot(axis, ts_frame_apply(&frame, ts_convex_support(part, d)));
      const double bottom = ts_dot(axis, ts_frame_apply(&frame, ts_convex_support(part, ts_negate(d))));
      assert_true(fabs(high[k] - top) < 1e-13 && fabs(low[k] - bottom) < 1e-13);
    }
    ts_arena_reset(arena);
  }
}

static void bounds_of_planes(void **state)
{
  ts_arena *arena = *state;
  int count;
  const ts_shape floor = {.kind = TS_SHAPE_PLANE, .normal = {0, 0, 4}, .offset = 0.5};
  const ts_convex *part = ts_convex_pieces(&floor, arena, &count);
  assert_true(part->normal.z == 1.0);
  const ts_frame moved = {{1, 2, 3}, ts_mat3_identity()};
  ts_bounds box = ts_convex_bounds(part, &moved);
  assert_true(box.high.z == 3.5 && box.low.z == -INFINITY && box.high.x == INFINITY && box.low.y == -INFINITY);

  const ts_shape wall = {.kind = TS_SHAPE_PLANE, .normal = {-2, 0, 0}, .offset = 0.5};
  box = ts_convex_bounds(ts_convex_pieces(&wall, arena, &count), &moved);
  assert_true(box.low.x == 0.5 && box.high.x == INFINITY && box.low.z == -INFINITY);

  const ts_pose tilted = {{0, 0, 0}, ts_quat_exp(ts_vec3_make(0.1, 0, 0))};
  const ts_frame frame = ts_pose_frame(&tilted);
  box = ts_convex_bounds(part, &frame);
  assert_true(box.high.z == INFINITY && box.high.y == INFINITY && box.low.y == -INFINITY);
}

// Whether the pieces of a shape can be made with so many allocations
static bool made_within(const ts_shape *shape, int budget)
{
  allocation_count allowed = {.budget = budget};
  const ts_allocator allocator = counting_allocator(&allowed);
  ts_arena arena;
  ts_arena_init(&arena, &allocator);
  jmp_buf recovery;
  arena.recovery = &recovery;
  volatile bool finished = false;
  if (!setjmp(recovery)) {
    int count;
    ts_convex_pieces(shape, &arena, &count);
    finished = true;
  }
  assert_ptr_equal(arena.recovery, &recovery);
  ts_arena_release(&arena);
  return finished;
}

// Memory that runs out anywhere comes back to the recovery point, with nothing lost.
static void memory_runs_out(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 25);
  static test_shape made;
  const ts_shape_kind kinds[] = {TS_SHAPE_BOX, TS_SHAPE_POLYTOPE, TS_SHAPE_POLYGON};
  for (int k = 0; k < 3; ++k) {
    random_shape(&random, kinds[k], 1.0, &made);
    int needed = 0;
    while (!made_within(&made.shape, needed)) assert_true(++needed < 100);
    assert_true(needed > 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(support_of_every_kind), cmocka_unit_test(support_along_axes),
      cmocka_unit_test(climbing_large_hulls),  cmocka_unit_test(climbing_large_polygons),
      cmocka_unit_test(bounds_of_every_kind),  cmocka_unit_test(bounds_of_planes),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
