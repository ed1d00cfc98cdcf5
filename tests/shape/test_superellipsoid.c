// Superellipsoids and superellipses: with exponents of 2 they are ellipsoids, with large ones nearly boxes and
// cylinders; derivatives are those of differences, mass is that of integrals over slices.
#include "shape/distance.h"

#include "counting_allocator.h"
#include "shapes.h"

#include "shape/implicit.h"
#include "shape/mass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const ts_convex *part_of(const ts_shape *shape, ts_arena *arena)
{
  int count;
  assert_int_equal(ts_shape_check(shape, NULL), TS_OK);
  return ts_convex_pieces(shape, arena, &count);
}

static ts_frame any_frame(ts_random *random)
{
  const ts_pose pose = random_pose(random, 0.7);
  return ts_pose_frame(&pose);
}

static double largest_entry(const ts_mat3 *A, const ts_mat3 *B)
{
  return fmax(fmax(ts_distance_of(A->x, B->x), ts_distance_of(A->y, B->y)), ts_distance_of(A->z, B->z));
}

static ts_convex *same_with_kind(const ts_convex *part, ts_shape_kind kind, ts_arena *arena)
{
  ts_convex *other = ts_arena_bytes(arena, 1, sizeof *other);
  const ts_shape shape = {.kind = kind, .size = part->half, .exponents = {2.0, 2.0, 2.0}};
  *other = *part_of(&shape, arena);
  return other;
}

// Value, gradient, Hessian, support, bounds, mass, inner radius, reach and distances of the ellipsoid
static void exponents_of_2_make_ellipsoids(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 71);
  static test_shape made, other;
  for (int trial = 0; trial < 300; ++trial) {
    random_shape(&random, TS_SHAPE_ELLIPSOID, 1.0, &made);
    const ts_convex *plain = part_of(&made.shape, arena);
    const ts_convex *super = same_with_kind(plain, TS_SHAPE_SUPERELLIPSOID, arena);
    const ts_vec3 x = random_vector(&random), d = random_direction(&random);
    ts_vec3 g[2];
    ts_mat3 H[2];
    const double f = ts_implicit_value(plain, 0, x, &g[0], &H[0]), size = 1.0 + fabs(f);
    assert_true(fabs(ts_implicit_value(super, 0, x, &g[1], &H[1]) - f) < 1e-13 * size);
    assert_true(ts_distance_of(g[0], g[1]) < 1e-13 * (1.0 + ts_length(g[0])));
    assert_true(largest_entry(&H[0], &H[1]) <
                1e-12 * ts_length(H[0].x) + 1e-12 * ts_length(H[0].y) + 1e-12 * ts_length(H[0].z));
    assert_true(ts_distance_of(ts_convex_support(plain, d), ts_convex_support(super, d)) < 1e-14);
    assert_true(fabs(plain->reach - super->reach) < 1e-12);
    assert_true(ts_convex_inner_radius(plain) == ts_convex_inner_radius(super));
    const ts_mass_properties m[2] = {ts_pieces_mass(plain, 1), ts_pieces_mass(super, 1)};
    assert_true(fabs(m[0].volume - m[1].volume) < 1e-14 * m[0].volume);
    for (int k = 0; k < 6; ++k) assert_true(fabs(m[0].inertia[k] - m[1].inertia[k]) < 1e-14 * m[0].inertia[0] + 1e-18);
    random_shape(&random, trial % 2 ? TS_SHAPE_BOX : TS_SHAPE_SPHERE, 1.0, &other);
    const ts_convex *partner = part_of(&other.shape, arena);
    const ts_frame here = any_frame(&random), there = any_frame(&random);
    ts_separation s[2];
    ts_convex_distance(plain, &here, partner, &there, &s[0]);
    ts_convex_distance(super, &here, partner, &there, &s[1]);
    assert_true(fabs(s[0].gap - s[1].gap) < 1e-12);
    ts_arena_reset(arena);
  }
}

// Steps follow the distance from the coordinate planes, where derivatives of third order have no bound.
static void derivatives(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 72);
  static test_shape made;
  for (int trial = 0; trial < 3000; ++trial) {
    random_shape(&random, trial % 2 ? TS_SHAPE_SUPERELLIPSOID : TS_SHAPE_SUPERELLIPSE, 1.0, &made);
    const ts_convex *part = part_of(&made.shape, arena);
    const ts_vec3 x = ts_scale(0.5, random_vector(&random));
    const double h = 2e-6 * fmin(fmin(fabs(x.x), fabs(x.y)), fabs(x.z));
    if (h < 2e-7) continue;
    ts_vec3 g;
    ts_mat3 H;
    ts_implicit_value(part, 0, x, &g, &H);
    const double scale = ts_length(g), bent = ts_length(H.x) + ts_length(H.y) + ts_length(H.z);
    for (int k = 0; k < 3; ++k) {
      const ts_vec3 step = {h * (k == 0), h * (k == 1), h * (k == 2)};
      ts_vec3 ahead, behind;
      const double up = ts_implicit_value(part, 0, ts_add(x, step), &ahead, NULL);
      const double down = ts_implicit_value(part, 0, ts_sub(x, step), &behind, NULL);
      const double slope = k == 0 ? g.x : k == 1 ? g.y : g.z;
      const ts_vec3 column = k == 0 ? H.x : k == 1 ? H.y : H.z;
      assert_true(fabs((up - down) / (2.0 * h) - slope) < 1e-7 * (scale + bent));
      assert_true(ts_distance_of(ts_scale(0.5 / h, ts_sub(ahead, behind)), column) < 2e-6 * (scale + bent));
    }
    ts_arena_reset(arena);
  }
}

// On the coordinate planes, at the centre and far away all numbers are finite, and the Hessian has no negative
// curvature.
static void derivatives_at_special_places(void **state)
{
  ts_arena *arena = *state;
  static const double exponents[] = {2.0, 2.5, 3.0, 7.0, 100.0, 1000.0}, places[] = {0.0, 1e-300, 1e-8, 0.5, 1.0, 1e8};
  for (int e = 0; e < 6; ++e)
    for (int k = 0; k < 216; ++k) {
      const double p = exponents[e];
      const ts_shape shape = {.kind = TS_SHAPE_SUPERELLIPSOID, .size = {1.0, 0.5, 2.0}, .exponents = {p, 2.0, p}};
      const ts_convex *part = part_of(&shape, arena);
      const ts_vec3 x = {places[k % 6], -places[k / 6 % 6], places[k / 36]};
      ts_vec3 g;
      ts_mat3 H;
      assert_true(isfinite(ts_implicit_value(part, 0, x, &g, &H)) && ts_vec3_is_finite(g));
      assert_true(ts_vec3_is_finite(H.x) && ts_vec3_is_finite(H.y) && ts_vec3_is_finite(H.z));
      const ts_vec3 v = {1.0, 2.0, -0.5};
      assert_true(ts_dot(v, ts_mul(&H, v)) >= -1e-12 * ts_length(ts_mul(&H, v)));
      ts_arena_reset(arena);
    }
}

// Between |x| <= a and |x| <= a (1 - 1/p)
static void large_exponents_make_boxes_and_cylinders(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 73);
  const ts_vec3 half = {0.5, 0.7, 0.9};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = ts_scale(2.0, half)};
  const ts_shape cylinder = {.kind = TS_SHAPE_CYLINDER, .radius = 0.6, .length = 1.6};
  const ts_shape square = {.kind = TS_SHAPE_SUPERELLIPSOID, .size = half, .exponents = {1000.0, 1000.0, 1000.0}};
  const ts_shape round = {.kind = TS_SHAPE_SUPERELLIPSOID, .size = {0.6, 0.6, 0.8}, .exponents = {2.0, 2.0, 1000.0}};
  const ts_convex *parts[4] = {part_of(&box, arena), part_of(&square, arena), part_of(&cylinder, arena),
                               part_of(&round, arena)};
  for (int k = 0; k < 4; k += 2) {
    const double exact = ts_pieces_mass(parts[k], 1).volume;
    assert_true(fabs(ts_pieces_mass(parts[k + 1], 1).volume / exact - 1.0) < 5e-3);
    for (int i = 0; i < 200; ++i) {
      const ts_vec3 d = random_direction(&random);
      const double far = ts_dot(d, ts_convex_support(parts[k], d));
      const double near = ts_dot(d, ts_convex_support(parts[k + 1], d));
      assert_true(near <= far * (1.0 + 1e-15) && near >= 0.99 * far);
    }
  }
}

// Integrals of a superellipse over the slices at y >= 0, as wide as 2 a (1 - (y/b)^q)^(1/p), by the double exponential
// rule: y/b = 1 - e is given by what it lacks to 1, so that the ends are met however steep they are.
static void mass_of_slices(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 74);
  static test_shape made;
  for (int trial = 0; trial < 60; ++trial) {
    random_shape(&random, TS_SHAPE_SUPERELLIPSE, 1.0, &made);
    ts_mass_properties m;
    assert_int_equal(ts_shape_mass_properties(&made.shape, &m, NULL), TS_OK);
    const double a = made.shape.size.x, b = made.shape.size.y, p = made.shape.exponents.x, q = made.shape.exponents.y;
    double area = 0.0, xx = 0.0, yy = 0.0;
    for (int i = -120; i <= 120; ++i) {
      const double h = 1.0 / 32.0, u = TS_PI * sinh(i * h), e = 1.0 / (1.0 + exp(u));
      const double dy = b * h * TS_PI * cosh(i * h) * e * (1.0 - e), y = b * (1.0 - e);
      const double x = a * pow(-expm1(q * log1p(-e)), 1.0 / p);
      area += 4.0 * x * dy;
      xx += 4.0 * x * x * x / 3.0 * dy;
      yy += 4.0 * x * y * y * dy;
    }
    assert_true(fabs(area / m.volume - 1.0) < 1e-12);
    assert_true(fabs(xx / m.inertia[1] - 1.0) < 1e-12 && fabs(yy / m.inertia[0] - 1.0) < 1e-12);
    assert_true(fabs(m.inertia[2] - m.inertia[0] - m.inertia[1]) < 1e-15 * m.inertia[2]);
  }
}

// Of x^4 + y^4 + z^4 <= 1: 8 G(5/4)^3 / G(7/4), and the second moment over the volume G(7/4)^2 / (3 G(5/4) G(9/4)); of
// x^4 + y^4 <= 1: 4 G(5/4)^2 / G(3/2).
static void mass_of_quartics(void **state)
{
  (void)state;
  const double G54 = 0.90640247705547707798, G74 = 0.91906252684888324, G32 = 0.88622692545275801365;
  const double G94 = 1.25 * G54;
  ts_mass_properties m;
  const ts_shape solid = {.kind = TS_SHAPE_SUPERELLIPSOID, .size = {1, 1, 1}, .exponents = {4, 4, 4}};
  assert_int_equal(ts_shape_mass_properties(&solid, &m, NULL), TS_OK);
  assert_true(fabs(m.volume - 8.0 * G54 * G54 * G54 / G74) < 1e-14);
  assert_true(fabs(m.inertia[0] / m.volume - 2.0 * G74 * G74 / (3.0 * G54 * G94)) < 1e-14);
  const ts_shape flat = {.kind = TS_SHAPE_SUPERELLIPSE, .size = {1, 1, 0}, .exponents = {4, 4, 0}};
  assert_int_equal(ts_shape_mass_properties(&flat, &m, NULL), TS_OK);
  assert_true(fabs(m.volume - 4.0 * G54 * G54 / G32) < 1e-14);
}

static int set_up(void **state)
{
  static ts_arena arena;
  ts_arena_init(&arena, NULL);
  *state = &arena;
  return 0;
}

static int tear_down(void **state)
{
  ts_arena_release(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exponents_of_2_make_ellipsoids),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(derivatives_at_special_places),
      cmocka_unit_test(large_exponents_make_boxes_and_cylinders),
      cmocka_unit_test(mass_of_slices),
      cmocka_unit_test(mass_of_quartics),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
