// The public checks of shapes: what is refused, and how.
#include "touchstone/shape.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const ts_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const ts_vec3 triangle[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

static const ts_shape_member half_ball[2] = {
    {{.kind = TS_SHAPE_SPHERE, .radius = 1.0}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {{.kind = TS_SHAPE_PLANE, .normal = {0, 0, -1}}, {{0, 0, 0}, {1, 0, 0, 0}}}};

static ts_shape good(ts_shape_kind kind)
{
  return (ts_shape){.kind = kind,
                    .normal = {0, 0, 1},
                    .radius = 1.0,
                    .length = 2.0,
                    .size = {1, 2, 3},
                    .exponents = {2, 3, 4},
                    .members = half_ball,
                    .member_count = 2,
                    .vertices = kind == TS_SHAPE_POLYGON ? triangle : tetrahedron,
                    .vertex_count = kind == TS_SHAPE_POLYGON ? 3 : 4};
}

static void refuse(const ts_shape *shape, const char *word)
{
  ts_error error = {0};
  ts_mass_properties properties;
  assert_int_equal(ts_shape_check(shape, &error), TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  assert_int_equal(ts_shape_check(shape, NULL), TS_INVALID);
  assert_int_equal(ts_shape_mass_properties(shape, &properties, NULL), TS_INVALID);
  assert_true(properties.volume == 0.0);
}

static void names(void **state)
{
  (void)state;
  assert_string_equal(ts_shape_name(TS_SHAPE_CAPSULE), "capsule");
  assert_string_equal(ts_shape_summary(TS_SHAPE_DISC), "disc");
  assert_string_equal(ts_shape_name((ts_shape_kind)99), "unknown shape");
  assert_string_equal(ts_shape_name(TS_SHAPE_OWN), "own");
  assert_string_equal(ts_shape_name((ts_shape_kind)(TS_SHAPE_OWN + 1)), "unknown shape");
  assert_string_not_equal(ts_shape_name((ts_shape_kind)(TS_SHAPE_COUNT - 1)), "unknown shape");
  assert_string_equal(ts_shape_summary((ts_shape_kind)-1), "unknown shape");
}

static void good_shapes(void **state)
{
  (void)state;
  for (int kind = 0; kind < TS_SHAPE_COUNT; ++kind) {
    const ts_shape shape = good((ts_shape_kind)kind);
    assert_int_equal(ts_shape_check(&shape, NULL), TS_OK);
  }
  refuse(&(ts_shape){.kind = (ts_shape_kind)77}, "77");
}

static void lengths(void **state)
{
  (void)state;
  const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY, 1e31, DBL_MAX, 1e-31, DBL_TRUE_MIN};
  const ts_shape_kind with_radius[] = {TS_SHAPE_SPHERE, TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER, TS_SHAPE_DISC,
                                       TS_SHAPE_CONE};
  for (int b = 0; b < 9; ++b) {
    for (int k = 0; k < 5; ++k) {
      ts_shape shape = good(with_radius[k]);
      shape.radius = bad[b];
      refuse(&shape, "radius");
      shape = good(with_radius[k]);
      shape.length = bad[b];
      if (with_radius[k] != TS_SHAPE_SPHERE && with_radius[k] != TS_SHAPE_DISC)
        refuse(&shape, "length");
      else
        assert_int_equal(ts_shape_check(&shape, NULL), TS_OK); // fields of other kinds are not read
    }
    ts_shape cone = good(TS_SHAPE_CONE);
    cone.top_radius = bad[b];
    if (bad[b] == 0.0)
      assert_int_equal(ts_shape_check(&cone, NULL), TS_OK);
    else
      refuse(&cone, "top radius of a cone");
    ts_shape box = good(TS_SHAPE_BOX), ellipsoid = good(TS_SHAPE_ELLIPSOID);
    ts_shape solid = good(TS_SHAPE_SUPERELLIPSOID), flat = good(TS_SHAPE_SUPERELLIPSE);
    box.size.y = ellipsoid.size.z = solid.size.z = flat.size.y = bad[b];
    refuse(&box, "size of a box");
    refuse(&ellipsoid, "semi-axis");
    refuse(&solid, "semi-axis of a superellipsoid");
    refuse(&flat, "semi-axis of a superellipse");
  }
}

static void exponents(void **state)
{
  (void)state;
  const double bad[] = {1.9999, 0.0, -2.0, 1000.1, INFINITY, NAN};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; ++b) {
    ts_shape solid = good(TS_SHAPE_SUPERELLIPSOID), flat = good(TS_SHAPE_SUPERELLIPSE);
    solid.exponents.z = flat.exponents.y = bad[b];
    refuse(&solid, "the exponents of a superellipsoid must be 2 to 1000");
    refuse(&flat, "the exponents of a superellipse must be 2 to 1000");
    flat = good(TS_SHAPE_SUPERELLIPSE);
    flat.exponents.z = flat.size.z = bad[b]; // there is no such number in the plane
    assert_int_equal(ts_shape_check(&flat, NULL), TS_OK);
  }
}

static void planes(void **state)
{
  (void)state;
  ts_shape plane = good(TS_SHAPE_PLANE);
  plane.normal = ts_vec3_make(0, 0, 0);
  refuse(&plane, "direction");
  plane.normal = ts_vec3_make(0, NAN, 1);
  refuse(&plane, "direction");
  plane.normal = ts_vec3_make(0, INFINITY, 1);
  refuse(&plane, "direction");
  plane = good(TS_SHAPE_PLANE);
  plane.offset = NAN;
  refuse(&plane, "offset");
  plane.offset = INFINITY;
  refuse(&plane, "offset");
}

static void vertices(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e31, -DBL_MAX};
  for (int b = 0; b < 5; ++b)
    for (int k = 0; k < 6; ++k) {
      const ts_shape_kind kind = k < 3 ? TS_SHAPE_POLYTOPE : TS_SHAPE_POLYGON;
      ts_shape shape = good(kind);
      ts_vec3 changed[4];
      memcpy(changed, shape.vertices, (size_t)shape.vertex_count * sizeof *changed);
      changed[1] = ts_vec3_make(k % 3 == 0 ? bad[b] : 1, k % 3 == 1 ? bad[b] : 0, k % 3 == 2 ? bad[b] : 0);
      shape.vertices = changed;
      refuse(&shape, "vertex 2");
    }
  ts_shape shape = good(TS_SHAPE_POLYTOPE);
  shape.vertex_count = 3;
  refuse(&shape, "4 points");
  shape.vertex_count = -1;
  refuse(&shape, "4 points");
  shape.vertices = NULL;
  for (shape.vertex_count = 1; shape.vertex_count <= 4; ++shape.vertex_count) refuse(&shape, "no vertices");
  shape = good(TS_SHAPE_POLYGON);
  shape.vertices = tetrahedron;
  shape.vertex_count = 4;
  refuse(&shape, "z = 0");
  const ts_vec3 tiny[4] = {{0, 0, 0}, {1e-40, 0, 0}, {0, 1e-40, 0}, {0, 0, 1e-40}};
  shape = good(TS_SHAPE_POLYTOPE);
  shape.vertices = tiny;
  refuse(&shape, "within");
  shape.kind = TS_SHAPE_POLYGON;
  shape.vertex_count = 3;
  refuse(&shape, "within");
}

// At the ends of what is allowed, numbers stay finite.
static void extremes(void **state)
{
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2)
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_COUNT; ++kind) {
      ts_shape shape = good((ts_shape_kind)kind);
      const double s = pow(10.0, sign * 29.0);
      ts_vec3 scaled[4];
      for (int i = 0; i < shape.vertex_count; ++i) scaled[i] = ts_scale(s, shape.vertices[i]);
      shape.vertices = scaled;
      shape.radius *= s;
      shape.length *= s;
      shape.size = ts_scale(s, shape.size);
      ts_shape_member scaled_members[2] = {half_ball[0], half_ball[1]};
      scaled_members[0].shape.radius *= s;
      shape.members = scaled_members;
      ts_mass_properties large, normal;
      assert_int_equal(ts_shape_mass_properties(&shape, &large, NULL), TS_OK);
      shape = good((ts_shape_kind)kind);
      assert_int_equal(ts_shape_mass_properties(&shape, &normal, NULL), TS_OK);
      const bool planar = kind == TS_SHAPE_DISC || kind == TS_SHAPE_POLYGON || kind == TS_SHAPE_SUPERELLIPSE;
      const double volume = planar ? s * s : s * s * s;
      const double accuracy = kind == TS_SHAPE_INTERSECTION ? 1e-9 : 1e-13; // of integrals, of closed forms
      assert_true(fabs(large.volume / volume / normal.volume - 1.0) < accuracy);
      assert_true(fabs(large.inertia[2] / (volume * s * s) / normal.inertia[2] - 1.0) < accuracy);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),    cmocka_unit_test(good_shapes), cmocka_unit_test(lengths),   cmocka_unit_test(planes),
      cmocka_unit_test(vertices), cmocka_unit_test(extremes),    cmocka_unit_test(exponents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
