// Implicit functions: derivatives by differences, convexity along segments, and the set they describe by support
// points.
#include "shape/implicit.h"

#include "counting_allocator.h"
#include "shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

typedef void per_part(const ts_convex *part, ts_random *random);

static void for_random_parts(ts_arena *arena, uint64_t seed, int trials, per_part *check)
{
  ts_random random;
  ts_random_init(&random, seed);
  static test_shape made;
  for (int trial = 0; trial < trials; ++trial) {
    random_shape(&random, (ts_shape_kind)(trial % TS_SHAPE_COUNT), 1.0, &made);
    int count;
    const ts_convex *parts = ts_convex_pieces(&made.shape, arena, &count);
    for (int p = 0; p < count; ++p) check(parts + p, &random);
    ts_arena_reset(arena);
  }
}

static double component(ts_vec3 v, int k)
{
  return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static ts_vec3 column(const ts_mat3 *A, int k)
{
  return k == 0 ? A->x : k == 1 ? A->y : A->z;
}

// Central differences are exact for quadratics but for rounding. Of a cone's side, a multiple of the distance from its
// axis, derivatives of third and fourth order are at most 3 over powers of that distance.
static void check_derivatives(const ts_convex *part, ts_random *random)
{
  const double h = 1e-3;
  const int i = ts_random_below(random, ts_implicit_count(part));
  ts_vec3 x = random_vector(random);
  if (part->kind == TS_SHAPE_CAPSULE && fabs(fabs(x.z) - part->half_length) < 2.0 * h) x.z = 0.0; // off the kink
  if (part->kind == TS_SHAPE_CAPSULE && part->half_length < 2.0 * h) return;
  const double from_axis = hypot(x.x, x.y) - h;
  if (part->kind == TS_SHAPE_CONE && from_axis < 0.1) return;
  if (part->kind == TS_SHAPE_SUPERELLIPSOID || part->kind == TS_SHAPE_SUPERELLIPSE)
    return; // of high order: test_superellipsoid.c
  if (part->kind == TS_SHAPE_INTERSECTION) return; // made of others: test_intersection.c
  const double cubic = part->kind == TS_SHAPE_CONE ? h * h * (1.0 + 1.0 / pow(from_axis, 3.0)) : 0.0;
  ts_vec3 gradient, unused;
  ts_mat3 hessian;
  const double f = ts_implicit_value(part, i, x, &gradient, &hessian);
  assert_true(f == ts_implicit_value(part, i, x, NULL, NULL));
  assert_true(f == ts_implicit_value(part, i, x, &unused, NULL));
  const double scale = 1.0 + fabs(f) + ts_length(gradient);
  for (int k = 0; k < 3; ++k) {
    const ts_vec3 step = {h * (k == 0), h * (k == 1), h * (k == 2)};
    ts_vec3 ahead, behind;
    const double up = ts_implicit_value(part, i, ts_add(x, step), &ahead, NULL);
    const double down = ts_implicit_value(part, i, ts_sub(x, step), &behind, NULL);
    assert_true(fabs((up - down) / (2.0 * h) - component(gradient, k)) < 1e-11 * scale + cubic);
    const ts_vec3 bend = ts_scale(0.5 / h, ts_sub(ahead, behind)), expected = column(&hessian, k);
    assert_true(ts_distance_of(bend, expected) < 1e-11 * scale + cubic);
  }
}

static void derivatives(void **state)
{
  for_random_parts(*state, 51, 4000, check_derivatives);
}

static void check_convexity(const ts_convex *part, ts_random *random)
{
  for (int i = 0; i < ts_implicit_count(part); ++i) {
    const ts_vec3 a = random_vector(random), b = random_vector(random);
    const double t = ts_random_uniform(random, 0.0, 1.0);
    ts_vec3 gradient;
    const double at_a = ts_implicit_value(part, i, a, NULL, NULL),
                 at_b = ts_implicit_value(part, i, b, &gradient, NULL);
    const double between = ts_implicit_value(part, i, ts_add_scaled(a, t, ts_sub(b, a)), NULL, NULL);
    const double rounding = 1e-13 * (1.0 + fabs(at_a) + fabs(at_b));
    assert_true(between <= (1.0 - t) * at_a + t * at_b + rounding);
    assert_true(at_a >= at_b + ts_dot(gradient, ts_sub(a, b)) - rounding); // above its tangent
  }
}

static void convexity(void **state)
{
  for_random_parts(*state, 52, 2000, check_convexity);
}

static double largest_value(const ts_convex *part, ts_vec3 x, int *which)
{
  double largest = -INFINITY;
  for (int i = 0; i < ts_implicit_count(part); ++i) {
    const double f = ts_implicit_value(part, i, x, NULL, NULL);
    if (f > largest) largest = f, *which = i;
  }
  return largest;
}

// Support points lie on the surface {max f_i = 0}; between them and the middle is the inside, beyond them the outside.
// At a smooth point the gradient is along the direction, with the length that is promised.
static void check_surface(const ts_convex *part, ts_random *random)
{
  if (part->kind == TS_SHAPE_PLANE || part->kind == TS_SHAPE_POINT) return;
  ts_vec3 d = random_direction(random);
  if (kind_is_planar(part->kind)) d = ts_normalize(ts_vec3_make(d.x, d.y, 0.0), ts_vec3_make(1, 0, 0));
  const ts_vec3 s = ts_convex_support(part, d);
  int i = 0;
  assert_true(fabs(largest_value(part, s, &i)) < 1e-14 * (1.0 + part->reach));
  assert_true(largest_value(part, ts_add_scaled(s, 0.01, ts_sub(part->middle, s)), &i) < 0.0);
  assert_true(largest_value(part, ts_add_scaled(s, 1e-6, d), &i) > 0.0);
  ts_vec3 gradient;
  ts_implicit_value(part, i, s, &gradient, NULL);
  const bool smooth =
      part->kind == TS_SHAPE_ELLIPSOID || part->kind == TS_SHAPE_SUPERELLIPSOID || part->kind == TS_SHAPE_SUPERELLIPSE;
  if (part->kind == TS_SHAPE_INTERSECTION) return; // as its members' are
  const double c = smooth ? sqrt(ts_convex_inner_radius(part) / part->reach) : 1.0;
  assert_true(ts_length(gradient) >= c * (1.0 - 1e-14) && ts_length(gradient) <= (1.0 + 1e-14) / c);
}

static void surface(void **state)
{
  for_random_parts(*state, 53, 4000, check_surface);
}

static void planes_and_points(void **state)
{
  ts_arena *arena = *state;
  int count, which;
  const ts_convex *plane =
      ts_convex_pieces(&(ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0, 3, 4}, .offset = 2.0}, arena, &count);
  ts_vec3 gradient;
  assert_true(fabs(ts_implicit_value(plane, 0, ts_vec3_make(7, 5, 5), &gradient, NULL) - 5.0) < 1e-15);
  assert_true(fabs(gradient.y - 0.6) < 1e-15 && fabs(gradient.z - 0.8) < 1e-15);
  const ts_convex *point = ts_convex_pieces(&(ts_shape){.kind = TS_SHAPE_POINT}, arena, &count);
  assert_true(largest_value(point, ts_vec3_make(0, 0, 0), &which) == 0.0);
  assert_true(largest_value(point, ts_vec3_make(0, -1e-300, 0), &which) == 1e-300);
}

// The capsule's gradient is continuous where its caps begin.
static void capsule_is_smooth_at_its_caps(void **state)
{
  ts_arena *arena = *state;
  int count;
  const ts_convex *part =
      ts_convex_pieces(&(ts_shape){.kind = TS_SHAPE_CAPSULE, .radius = 0.3, .length = 2.0}, arena, &count);
  ts_vec3 below, above;
  const double f = ts_implicit_value(part, 0, ts_vec3_make(0.2, -0.1, 1.0 - 1e-12), &below, NULL);
  const double g = ts_implicit_value(part, 0, ts_vec3_make(0.2, -0.1, 1.0 + 1e-12), &above, NULL);
  assert_true(fabs(f - g) < 1e-15 && ts_distance_of(below, above) < 1e-11);
}

// On its axis the cone's side has no gradient; what is given lies below the function all the same.
static void cone_has_subgradients_on_its_axis(void **state)
{
  ts_arena *arena = *state;
  int count;
  const ts_convex *part =
      ts_convex_pieces(&(ts_shape){.kind = TS_SHAPE_CONE, .radius = 0.6, .length = 0.8}, arena, &count);
  ts_random random;
  ts_random_init(&random, 54);
  for (int trial = 0; trial < 200; ++trial) {
    const ts_vec3 on_axis = {0.0, 0.0, ts_random_normal(&random)}, x = random_vector(&random);
    ts_vec3 gradient;
    ts_mat3 hessian;
    const double f = ts_implicit_value(part, 0, on_axis, &gradient, &hessian);
    assert_true(fabs(f - 0.8 * -0.75 * (0.4 - on_axis.z)) < 1e-14); // slope 3/4, normal (0.8, 0.6)
    assert_true(ts_implicit_value(part, 0, x, NULL, NULL) >= f + ts_dot(gradient, ts_sub(x, on_axis)) - 1e-14);
    assert_true(hessian.x.x == 0.0 && hessian.y.y == 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),
      cmocka_unit_test(convexity),
      cmocka_unit_test(surface),
      cmocka_unit_test(planes_and_points),
      cmocka_unit_test(capsule_is_smooth_at_its_caps),
      cmocka_unit_test(cone_has_subgradients_on_its_axis),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
