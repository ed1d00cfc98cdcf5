// Cones: with equal radii they are cylinders, with dense polytopes inside they have the same distances up to the
// sagitta, and where there are closed forms they are met. Contact points on planes: base, line and tip.
#include "shape/distance.h"

#include "counting_allocator.h"
#include "shapes.h"

#include "shape/manifold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 64, AROUND = 120 };

static const ts_convex *part_of(const ts_shape *shape, ts_arena *arena)
{
  int count;
  assert_int_equal(ts_shape_check(shape, NULL), TS_OK);
  const ts_convex *part = ts_convex_pieces(shape, arena, &count);
  return count == 1 ? part : NULL;
}

static ts_shape cone_of(double radius, double top_radius, double length)
{
  return (ts_shape){.kind = TS_SHAPE_CONE, .radius = radius, .top_radius = top_radius, .length = length};
}

static ts_frame turned(ts_vec3 origin, ts_vec3 rotation)
{
  const ts_pose pose = {origin, ts_quat_exp(rotation)};
  return ts_pose_frame(&pose);
}

static ts_frame any_frame(ts_random *random, double size)
{
  const ts_pose pose = random_pose(random, size);
  return ts_pose_frame(&pose);
}

// A shape of any kind of space.
static const ts_convex *any_part(ts_random *random, ts_arena *arena)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_POINT,    TS_SHAPE_SPHERE,   TS_SHAPE_BOX,
                                        TS_SHAPE_CAPSULE,  TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID,
                                        TS_SHAPE_POLYTOPE, TS_SHAPE_CONE,     TS_SHAPE_PLANE};
  static test_shape made;
  random_shape(random, kinds[ts_random_below(random, 9)], 1.0, &made);
  return part_of(&made.shape, arena);
}

// ---- cylinders

// Half of the time with a's axes turned to b's, so that flat sides and lines meet.
static void align(ts_random *random, ts_frame *a, const ts_frame *b)
{
  if (ts_random_below(random, 2)) return;
  const ts_vec3 quarter = {0.0, 0.5 * TS_PI * ts_random_below(random, 4), 0.0};
  const ts_mat3 R = ts_quat_matrix(ts_quat_exp(quarter));
  a->axes = ts_mat3_product(&b->axes, &R);
}

static void bring_to_gap(const ts_convex *a, ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b, double gap)
{
  for (int k = 0; k < 3; ++k) {
    ts_separation s;
    ts_convex_distance(a, frame_a, b, frame_b, &s);
    frame_a->origin = ts_add_scaled(frame_a->origin, gap - s.gap, s.normal);
  }
}

static void assert_same_touches(const ts_touch *found, const ts_touch *expected, int count)
{
  for (int i = 0; i < count; ++i) {
    assert_int_equal(found[i].feature, expected[i].feature);
    assert_true(fabs(found[i].gap - expected[i].gap) < 1e-9);
    assert_true(ts_distance_of(found[i].normal, expected[i].normal) < 1e-9);
    assert_true(ts_distance_of(found[i].point_1, expected[i].point_1) < 1e-7);
  }
}

static void equal_radii_make_a_cylinder(void **state)
{
  ts_arena *arena = *state;
  static const double gaps[] = {0.3, 1e-3, 0.0, -1e-3, -0.05};
  ts_random random;
  ts_random_init(&random, 61);
  for (int trial = 0; trial < 4000; ++trial) {
    test_shape made;
    random_shape(&random, TS_SHAPE_CYLINDER, 1.0, &made);
    const ts_shape as_cone = cone_of(made.shape.radius, made.shape.radius, made.shape.length);
    const ts_convex *cylinder = part_of(&made.shape, arena), *cone = part_of(&as_cone, arena);
    const ts_convex *other = any_part(&random, arena);
    if (other->kind == TS_SHAPE_CYLINDER || other->kind == TS_SHAPE_CONE) continue; // solved in another order
    ts_frame a = any_frame(&random, 1.0);
    const ts_frame b = any_frame(&random, 1.0);
    align(&random, &a, &b);
    bring_to_gap(cylinder, &a, other, &b, gaps[trial % 5]);
    ts_separation expected, found;
    ts_convex_distance(cylinder, &a, other, &b, &expected);
    ts_convex_distance(cone, &a, other, &b, &found);
    assert_true(fabs(found.gap - expected.gap) < 1e-12);
    const bool same_way = ts_distance_of(found.normal, expected.normal) < 1e-6; // of several that are as good
    ts_touch touches[MOST], others[MOST];
    const int count = ts_convex_touches(cylinder, &a, other, &b, 0.01, touches, MOST);
    const int other_count = ts_convex_touches(cone, &a, other, &b, 0.01, others, MOST);
    assert_true(count <= MOST && other_count <= MOST && (count > 0) == (other_count > 0));
    if (same_way) {
      assert_int_equal(other_count, count);
      assert_same_touches(others, touches, count);
    }
    ts_arena_reset(arena);
  }
}

static void equal_radii_make_the_mass_of_a_cylinder(void **state)
{
  (void)state;
  ts_mass_properties found, expected;
  const ts_shape cone = cone_of(0.3, 0.3, 0.7), cylinder = {.kind = TS_SHAPE_CYLINDER, .radius = 0.3, .length = 0.7};
  assert_int_equal(ts_shape_mass_properties(&cone, &found, NULL), TS_OK);
  assert_int_equal(ts_shape_mass_properties(&cylinder, &expected, NULL), TS_OK);
  assert_true(fabs(found.volume - expected.volume) < 1e-16 && fabs(found.centre.z) < 1e-16);
  for (int k = 0; k < 6; ++k) assert_true(fabs(found.inertia[k] - expected.inertia[k]) < 1e-17);
}

// ---- dense polytopes

// Points of both rims: their hull is inside the cone and nowhere further from its surface than the sagitta.
static double inscribed(const ts_shape *cone, ts_vec3 *vertices, ts_shape *polytope)
{
  int count = 0;
  for (int i = 0; i < AROUND; ++i) {
    const double angle = 2.0 * TS_PI * i / AROUND, x = cos(angle), y = sin(angle);
    vertices[count++] = ts_vec3_make(cone->radius * x, cone->radius * y, -0.5 * cone->length);
    if (cone->top_radius > 0.0)
      vertices[count++] = ts_vec3_make(cone->top_radius * x, cone->top_radius * y, 0.5 * cone->length);
  }
  if (cone->top_radius == 0.0) vertices[count++] = ts_vec3_make(0.0, 0.0, 0.5 * cone->length);
  *polytope = (ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = vertices, .vertex_count = count};
  return fmax(cone->radius, cone->top_radius) * (1.0 - cos(TS_PI / AROUND));
}

static void distances_are_those_of_dense_polytopes(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 62);
  for (int trial = 0; trial < 600; ++trial) {
    test_shape made;
    ts_vec3 vertices[2 * AROUND + 1];
    ts_shape polytope;
    random_shape(&random, TS_SHAPE_CONE, 1.0, &made);
    const double sagitta = inscribed(&made.shape, vertices, &polytope);
    const ts_convex *cone = part_of(&made.shape, arena), *hull = part_of(&polytope, arena);
    const ts_convex *other = any_part(&random, arena);
    ts_frame a = any_frame(&random, 1.0);
    const ts_frame b = any_frame(&random, 1.0);
    bring_to_gap(cone, &a, other, &b, ts_random_uniform(&random, -0.05, 0.5));
    ts_separation of_cone, of_hull;
    ts_convex_distance(cone, &a, other, &b, &of_cone);
    ts_convex_distance(hull, &a, other, &b, &of_hull);
    assert_true(of_hull.gap >= of_cone.gap - 1e-12);
    assert_true(of_hull.gap <= of_cone.gap + sagitta + 1e-12);
    ts_arena_reset(arena);
  }
}

// ---- closed forms

static double gap_of(const ts_shape *first, ts_vec3 at, ts_vec3 rotation, const ts_shape *second, ts_vec3 there,
                     ts_vec3 other_rotation)
{
  const ts_pose pose = {at, ts_quat_exp(rotation)}, other = {there, ts_quat_exp(other_rotation)};
  ts_separation s;
  assert_int_equal(ts_shape_distance(first, &pose, second, &other, &s, NULL), TS_OK);
  return s.gap;
}

static void closed_forms(void **state)
{
  (void)state;
  const ts_vec3 none = {0.0, 0.0, 0.0}, over = {TS_PI, 0.0, 0.0}; // upside down
  const ts_shape cone = cone_of(0.6, 0.0, 0.8);                   // normal of the side: 0.8 across, 0.6 along the axis
  const ts_shape cut = cone_of(0.6, 0.3, 0.4), ball = {.kind = TS_SHAPE_SPHERE, .radius = 0.1};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = {2.0, 2.0, 2.0}};
  // above the tip, beside the side at height 0 (radius 0.3), beyond the rim, below the base
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0, 0, 1), none, &cone, none, none) - 0.5) < 1e-15);
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0, 0.8, 0), none, &cone, none, none) - (0.8 * 0.5 - 0.1)) < 1e-15);
  assert_true(fabs(gap_of(&ball, ts_vec3_make(1, 0, -0.7), none, &cone, none, none) - (0.5 - 0.1)) < 1e-15);
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0.5, 0, -0.7), none, &cone, none, none) - 0.2) < 1e-15);
  // inside: the nearest of base and side
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0, 0, -0.35), none, &cone, none, none) + 0.15) < 1e-15);
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0, 0, 0.2), none, &cone, none, none) + 0.8 * 0.15 + 0.1) < 1e-15);
  // over a truncated one: over its top, and beyond the rim of its top
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0.2, 0, 0.5), none, &cut, none, none) - 0.2) < 1e-15);
  assert_true(fabs(gap_of(&ball, ts_vec3_make(0.3, 0, 0.6), none, &cut, none, none) - 0.3) < 1e-15);
  // tip on face, tip to tip, side to side of two that stand beside each other
  assert_true(fabs(gap_of(&cone, ts_vec3_make(0.3, 0.2, 1.9), over, &box, none, none) - 0.5) < 1e-14);
  assert_true(fabs(gap_of(&cone, ts_vec3_make(0.06, 0.08, 1.0), over, &cone, none, none) - hypot(0.1, 0.2)) < 1e-14);
  assert_true(fabs(gap_of(&cone, ts_vec3_make(1.5, 0, 0), none, &cone, none, none) - 0.3) < 1e-14);
  // side along side, one upside down: the lines are parallel and as far apart as the normals say
  assert_true(fabs(gap_of(&cone, ts_vec3_make(1.5, 0, 0), over, &cone, none, none) - 0.8 * 0.9) < 1e-14);
}

// ---- contact points on a plane

static int touches_on_floor(const ts_convex *cone, const ts_frame *frame, double margin, ts_touch *touches,
                            ts_arena *arena)
{
  const ts_frame world = {{0.0, 0.0, 0.0}, ts_mat3_identity()};
  const ts_convex *floor = part_of(&(ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}}, arena);
  const int count = ts_convex_touches(cone, frame, floor, &world, margin, touches, MOST);
  for (int i = 0; i < count; ++i) {
    assert_true(touches[i].normal.z == 1.0 && fabs(touches[i].point_2.z) < 1e-15);
    assert_true(fabs(touches[i].point_1.z - touches[i].gap) < 1e-15);
  }
  return count;
}

// Points of the rims and of the tip, but for round-off: nothing of the cone lies beyond them along the normal.
static void points_of_rims_have_a_normal(void **state)
{
  ts_arena *arena = *state;
  const ts_shape dot = {.kind = TS_SHAPE_POINT};
  ts_random random;
  ts_random_init(&random, 9);
  for (int i = 0; i < 20000; ++i) {
    const ts_arena_mark mark = ts_arena_save(arena);
    const double top_radius = i % 3 ? ts_random_uniform(&random, 0.0, 1.0) : 0.0;
    const ts_shape shape =
        cone_of(ts_random_uniform(&random, 0.3, 1.0), top_radius, ts_random_uniform(&random, 0.5, 2.0));
    const ts_convex *cone = part_of(&shape, arena), *point = part_of(&dot, arena);
    const double side = i % 2 ? 0.5 : -0.5, rim = i % 2 ? top_radius : shape.radius;
    const double angle = ts_random_uniform(&random, 0.0, 2.0 * TS_PI);
    const ts_frame frame = any_frame(&random, 1.0);
    ts_frame at = any_frame(&random, 1.0);
    at.origin = ts_frame_apply(&frame, ts_vec3_make(rim * cos(angle), rim * sin(angle), side * shape.length));
    ts_separation s;
    ts_convex_distance(point, &at, cone, &frame, &s);
    assert_true(fabs(s.gap) < 1e-14);
    assert_true(fabs(ts_convex_separation_along(point, &at, cone, &frame, s.normal)) < 1e-13);
    ts_arena_restore(arena, mark);
  }
}

static void standing_cones_touch_with_their_rim(void **state)
{
  ts_arena *arena = *state;
  const ts_shape shape = cone_of(0.6, 0.2, 0.8);
  const ts_convex *cone = part_of(&shape, arena);
  for (int top = 0; top < 2; ++top) {
    ts_touch touches[MOST];
    const ts_frame frame = turned(ts_vec3_make(3.0, 2.0, 0.4), ts_vec3_make(top ? TS_PI : 0.0, 0.0, 0.0));
    assert_int_equal(touches_on_floor(cone, &frame, 0.01, touches, arena), 8);
    for (int i = 0; i < 8; ++i)
      assert_true(fabs(hypot(touches[i].point_1.x - 3.0, touches[i].point_1.y - 2.0) - (top ? 0.2 : 0.6)) < 1e-14);
  }
}

// On its side a cone touches along the line from its tip to its base, and tilted up from it with one end alone.
static void lying_cones_touch_with_a_line(void **state)
{
  ts_arena *arena = *state;
  const ts_shape shape = cone_of(0.6, 0.0, 0.8);
  const ts_convex *cone = part_of(&shape, arena);
  const double lying = 0.5 * TS_PI + asin(0.6); // from upright until the side is level below
  for (int tilt = -1; tilt <= 1; ++tilt) {
    ts_touch touches[MOST];
    ts_frame frame = turned(ts_vec3_make(0.0, 0.0, 0.0), ts_vec3_make(0.0, lying + 0.1 * tilt, 0.0));
    const ts_vec3 down = ts_mul_transposed(&frame.axes, ts_vec3_make(0.0, 0.0, -1.0));
    frame.origin.z = ts_dot(down, ts_convex_support(cone, down));
    const int count = touches_on_floor(cone, &frame, 0.01, touches, arena);
    assert_int_equal(count, tilt == 0 ? 2 : 1);
    for (int i = 0; i < count; ++i) assert_true(fabs(touches[i].gap) < 1e-15);
    if (tilt == 0) assert_true(fabs(ts_distance_of(touches[0].point_1, touches[1].point_1) - 1.0) < 1e-14);
  }
}

static void tips_touch_with_a_point(void **state)
{
  ts_arena *arena = *state;
  const ts_shape shape = cone_of(0.6, 0.0, 0.8);
  const ts_convex *cone = part_of(&shape, arena);
  for (int k = 0; k < 8; ++k) { // leaning by up to 28 degrees to all sides
    ts_touch touches[MOST];
    const ts_frame lean = turned(ts_vec3_make(0.0, 0.0, 0.0), ts_vec3_make(0.5 * cos(k), 0.5 * sin(k), 0.0));
    ts_frame frame = {{0.0, 0.0, 0.0}, {lean.axes.x, ts_negate(lean.axes.y), ts_negate(lean.axes.z)}};
    frame.origin = ts_add_scaled(ts_vec3_make(1.0, 2.0, 1e-3), -0.4, frame.axes.z);
    assert_int_equal(touches_on_floor(cone, &frame, 0.01, touches, arena), 1);
    assert_true(ts_distance_of(touches[0].point_1, ts_vec3_make(1.0, 2.0, 1e-3)) < 1e-15);
    assert_true(fabs(touches[0].gap - 1e-3) < 1e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_radii_make_a_cylinder),
      cmocka_unit_test(equal_radii_make_the_mass_of_a_cylinder),
      cmocka_unit_test(distances_are_those_of_dense_polytopes),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(points_of_rims_have_a_normal),
      cmocka_unit_test(standing_cones_touch_with_their_rim),
      cmocka_unit_test(lying_cones_touch_with_a_line),
      cmocka_unit_test(tips_touch_with_a_point),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
