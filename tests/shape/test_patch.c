// The surface over a point near the edge of a box, against the box itself as three slabs: the ray leaves it at the
// first of the faces that it goes out by, whatever the order of faces in the hull.
#include "shape/patch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

static const double HALF[3] = {0.3, 0.5, 0.4};

static ts_vec3 vector(const double a[3])
{
  return ts_vec3_make(a[0], a[1], a[2]);
}

// How far the surface of the box is from a point along m, which has no component 0.
static double height_of_slabs(const double from[3], const double m[3])
{
  double h = INFINITY;
  for (int c = 0; c < 3; ++c) h = fmin(h, (copysign(HALF[c], m[c]) - from[c]) / m[c]);
  return h;
}

// For every corner of the box and each of its edges: a point over the edge at this corner, within the box or beyond the
// third face by less than what still counts as over the edge (1e-6 of the size). The third face is steep and ends the
// surface there.
static void surface_ends_at_the_third_face(void **state)
{
  (void)state;
  const ts_frame frame = {.origin = {0.0, 0.0, 0.0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const ts_shape shape = {.kind = TS_SHAPE_BOX, .size = {2.0 * HALF[0], 2.0 * HALF[1], 2.0 * HALF[2]}};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  int count, lower = 0;
  const ts_convex *box = ts_convex_pieces(&shape, &arena, &count);
  assert_int_equal(count, 1);
  for (int corner = 0; corner < 8; ++corner)
    for (int along = 0; along < 3; ++along)
      for (int k = -2; k <= 2; ++k) {
        double m[3], from[3];
        for (int c = 0; c < 3; ++c) {
          const double sign = corner >> c & 1 ? 1.0 : -1.0;
          m[c] = sign * (c == along ? 0.01 : 0.7);
          from[c] = sign * (HALF[c] + (c == along ? k * 4e-7 : 0.0)) - 0.1 * m[c];
        }
        const double length = ts_length(vector(m));
        for (int c = 0; c < 3; ++c) m[c] /= length;
        ts_patch patch;
        ts_vec3 y;
        const ts_facing facing = ts_patch_look(box, &frame, vector(m));
        ts_patch_edge(box, &frame, vector(m), &facing, &patch);
        assert_int_equal(patch.kind, TS_PATCH_SEGMENT);
        if (!ts_patch_surface_over(&patch, vector(from), 1.0, &y))
          fail_msg("corner %d, along %d, %d", corner, along, k);
        const double h = height_of_slabs(from, m);
        assert_vec_near(y, ts_add_scaled(vector(from), h, vector(m)), 1e-12);
        lower += h < 0.1 * length - 1e-9;
      }
  assert_true(lower >= 24);
  ts_arena_release(&arena);
}

// The same edges and a point farther along them than the box reaches, by 3e-6: the ray leaves the slabs of the edge
// outside the third, so that there is no surface of the edge over it; as far inside there is. Every face is the third
// of some.
static void no_surface_lies_beyond_the_third_face(void **state)
{
  (void)state;
  const ts_frame frame = {.origin = {0.0, 0.0, 0.0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const ts_shape shape = {.kind = TS_SHAPE_BOX, .size = {2.0 * HALF[0], 2.0 * HALF[1], 2.0 * HALF[2]}};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  int count;
  const ts_convex *box = ts_convex_pieces(&shape, &arena, &count);
  for (int corner = 0; corner < 8; ++corner)
    for (int along = 0; along < 3; ++along)
      for (int beyond = -1; beyond <= 1; beyond += 2) {
        double m[3], from[3];
        for (int c = 0; c < 3; ++c) {
          const double sign = corner >> c & 1 ? 1.0 : -1.0;
          m[c] = sign * (c == along ? 1e-9 : sqrt(0.5));
          from[c] = sign * (HALF[c] + (c == along ? beyond * 3e-6 : -0.1));
        }
        ts_patch patch;
        ts_vec3 y;
        const ts_facing facing = ts_patch_look(box, &frame, vector(m));
        ts_patch_edge(box, &frame, vector(m), &facing, &patch);
        assert_int_equal(patch.kind, TS_PATCH_SEGMENT);
        if (ts_patch_surface_over(&patch, vector(from), 1.0, &y) != (beyond < 0))
          fail_msg("corner %d, along %d, %d", corner, along, beyond);
        if (beyond < 0) assert_vec_near(y, ts_add_scaled(vector(from), height_of_slabs(from, m), vector(m)), 1e-12);
      }
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(surface_ends_at_the_third_face),
                                     cmocka_unit_test(no_surface_lies_beyond_the_third_face)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
