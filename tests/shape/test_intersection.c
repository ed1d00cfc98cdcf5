// Intersections: of one member they are that member, of half-spaces they are boxes; support points satisfy the
// conditions of optimality, distances are proved by bounds from both sides or by brute force, mass is that of closed
// forms.
#include "shape/intersection_part.h"

#include "effort.h"
#include "shapes.h"

#include "shape/convex_program.h"
#include "shape/core.h"
#include "shape/distance.h"
#include "shape/implicit.h"
#include "shape/manifold.h"
#include "shape/mass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define HERE                                                                                                           \
  {                                                                                                                    \
    {0.0, 0.0, 0.0},                                                                                                   \
    {                                                                                                                  \
      1.0, 0.0, 0.0, 0.0                                                                                               \
    }                                                                                                                  \
  }
#define AT(x, y, z)                                                                                                    \
  {                                                                                                                    \
    {x, y, z},                                                                                                         \
    {                                                                                                                  \
      1.0, 0.0, 0.0, 0.0                                                                                               \
    }                                                                                                                  \
  }
#define MEETING(list)                                                                                                  \
  {                                                                                                                    \
    .kind = TS_SHAPE_INTERSECTION, .members = list, .member_count = sizeof list / sizeof list[0]                       \
  }

static const ts_convex *part_of(const ts_shape *shape, ts_arena *arena)
{
  int count;
  ts_error error;
  if (ts_shape_check(shape, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_convex_pieces(shape, arena, &count);
}

static ts_frame any_frame(ts_random *random, double size)
{
  const ts_pose pose = random_pose(random, size);
  return ts_pose_frame(&pose);
}

static const ts_convex *any_intersection(ts_random *random, test_shape *made, ts_arena *arena)
{
  random_shape(random, TS_SHAPE_INTERSECTION, 1.0, made);
  return part_of(&made->shape, arena);
}

// ---- functions

static void derivatives(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 81);
  static test_shape made;
  for (int trial = 0; trial < effort_share(300, 4); ++trial) {
    const ts_convex *part = any_intersection(&random, &made, arena);
    const ts_vec3 x = ts_scale(0.4, random_vector(&random)), y = ts_scale(0.4, random_vector(&random));
    for (int i = 0; i < ts_implicit_count(part); ++i) {
      const double h = 1e-6;
      ts_vec3 g, ahead, behind;
      ts_mat3 H;
      const double f = ts_implicit_value(part, i, x, &g, &H), at_y = ts_implicit_value(part, i, y, NULL, NULL);
      const ts_vec3 d = random_direction(&random), step = ts_scale(h, d);
      const double up = ts_implicit_value(part, i, ts_add(x, step), &ahead, NULL);
      const double down = ts_implicit_value(part, i, ts_sub(x, step), &behind, NULL);
      const double size = ts_length(g) + ts_length(H.x) + ts_length(H.y) + ts_length(H.z);
      assert_true(fabs((up - down) / (2.0 * h) - ts_dot(g, d)) < 1e-6 * (1.0 + size));
      const ts_vec3 bent = ts_mul(&H, d), change = ts_scale(0.5 / h, ts_sub(ahead, behind));
      if (made.members[0].shape.kind == TS_SHAPE_SPHERE) // others may be steep nearby
        assert_true(i > 0 || ts_distance_of(bent, change) < 1e-6 * (1.0 + size));
      assert_true(ts_dot(d, bent) >= -1e-12 * (1.0 + size));
      assert_true(at_y >= f + ts_dot(g, ts_sub(y, x)) - 1e-12 * (1.0 + fabs(f))); // above its tangent
      const double middle = ts_implicit_value(part, i, ts_scale(0.5, ts_add(x, y)), NULL, NULL);
      assert_true(middle <= 0.5 * (f + at_y) + 1e-12 * (1.0 + fabs(f)));
    }
    ts_arena_reset(arena);
  }
}

// ---- support points

// All functions hold the point, and the direction is a sum of gradients of those that are 0 there, with weights that
// are not negative: then no point is further.
static void support_points_are_furthest(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 82);
  static test_shape made;
  double worst = 0.0, worst_value = 0.0;
  for (int trial = 0; trial < effort_share(400, 4); ++trial) {
    const ts_convex *part = any_intersection(&random, &made, arena);
    for (int k = 0; k < 20 && part->meet; ++k) {
      ts_vec3 d = random_direction(&random);
      if (k == 0 && part->meet->flats->face_count) d = part->meet->flats->normals[0];
      const ts_held_point held = ts_program_furthest(part, d, part->middle, part->meet->size);
      const ts_vec3 x = ts_convex_support(part, d);
      ts_vec3 left = d;
      for (int i = 0; i < held.count; ++i) {
        ts_vec3 g;
        worst_value = fmax(worst_value, fabs(ts_implicit_value(part, held.function[i], held.x, &g, NULL)));
        left = ts_add_scaled(left, -held.weight[i], g);
        assert_true(held.weight[i] >= 0.0);
      }
      worst = fmax(worst, ts_length(left));
      for (int i = 0; i < ts_implicit_count(part); ++i) {
        worst_value = fmax(worst_value, ts_implicit_value(part, i, held.x, NULL, NULL));
        worst_value = fmax(worst_value, ts_implicit_value(part, i, x, NULL, NULL));
      }
      assert_true(fabs(ts_dot(d, ts_sub(x, held.x))) < 1e-13);
      assert_true(ts_length(x) <= part->reach);
    }
    ts_arena_reset(arena);
  }
  print_message("stationary to %.1e, functions up to %.1e\n", worst, worst_value);
  assert_true(worst < 1e-12 && worst_value < 1e-14);
}

// ---- shapes that have another name

static void one_member_is_that_member(void **state)
{
  ts_arena *arena = *state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE,   TS_SHAPE_BOX,           TS_SHAPE_CAPSULE,
                                        TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID,     TS_SHAPE_POLYTOPE,
                                        TS_SHAPE_CONE,     TS_SHAPE_SUPERELLIPSOID};
  ts_random random;
  ts_random_init(&random, 83);
  static test_shape made, other;
  double worst = 0.0;
  for (int trial = 0; trial < effort_share(240, 4); ++trial) {
    random_shape(&random, kinds[trial % 8], 1.0, &made);
    if (made.shape.vertex_count > 12) made.shape.vertex_count = 12;
    if (made.shape.kind == TS_SHAPE_SUPERELLIPSOID) made.shape.exponents = (ts_vec3){2.0, 3.0, 4.0};
    ts_shape_member member = {made.shape, random_pose(&random, 0.3)};
    const ts_shape alone = {.kind = TS_SHAPE_INTERSECTION, .members = &member, .member_count = 1};
    const ts_convex *plain = part_of(&made.shape, arena), *cut = part_of(&alone, arena);
    random_shape(&random, kinds[(trial / 8) % 8], 1.0, &other);
    const ts_convex *partner = part_of(&other.shape, arena);
    const ts_frame inner = ts_pose_frame(&member.pose), outer = any_frame(&random, 1.0),
                   there = any_frame(&random, 1.0);
    const ts_frame whole = {ts_frame_apply(&outer, inner.origin), ts_mat3_product(&outer.axes, &inner.axes)};
    ts_separation s[2];
    ts_convex_distance(plain, &whole, partner, &there, &s[0]);
    ts_convex_distance(cut, &outer, partner, &there, &s[1]);
    worst = fmax(worst, fabs(s[0].gap - s[1].gap));
    const ts_vec3 d = random_direction(&random);
    const ts_vec3 x = ts_convex_support(plain, ts_mul_transposed(&inner.axes, d));
    assert_true(fabs(ts_dot(d, ts_sub(ts_frame_apply(&inner, x), ts_convex_support(cut, d)))) < 1e-13);
    ts_arena_reset(arena);
  }
  print_message("gaps differ by %.1e\n", worst);
  assert_true(worst < 1e-12);
}

// As half-spaces, as a polytope in a box, and a cylinder of an ellipsoid's side
static void half_spaces_make_boxes(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 84);
  ts_shape_member sides[6];
  const double half[3] = {0.3, 0.5, 0.4};
  for (int i = 0; i < 6; ++i) {
    const double sign = i % 2 ? 1.0 : -1.0;
    sides[i] = (ts_shape_member){{.kind = TS_SHAPE_PLANE, .offset = half[i / 2]}, HERE};
    sides[i].shape.normal = ts_vec3_make(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0);
  }
  const ts_shape cut = MEETING(sides), box = {.kind = TS_SHAPE_BOX, .size = {0.6, 1.0, 0.8}};
  const ts_convex *parts[2] = {part_of(&cut, arena), part_of(&box, arena)};
  assert_true(parts[0]->kind == TS_SHAPE_POLYTOPE && parts[0]->hull->vertex_count == 8 &&
              parts[0]->hull->face_count == 6);
  const ts_mass_properties m = ts_pieces_mass(parts[0], 1);
  assert_true(fabs(m.volume - 0.48) < 1e-15 && ts_length(m.centre) < 1e-15);
  static test_shape other;
  for (int trial = 0; trial < effort_share(200, 4); ++trial) {
    random_shape(&random, trial % 2 ? TS_SHAPE_ELLIPSOID : TS_SHAPE_BOX, 1.0, &other);
    const ts_convex *partner = part_of(&other.shape, arena);
    const ts_frame here = any_frame(&random, 1.0), there = any_frame(&random, 1.0);
    ts_separation s[2];
    for (int k = 0; k < 2; ++k) ts_convex_distance(parts[k], &here, partner, &there, &s[k]);
    assert_true(fabs(s[0].gap - s[1].gap) < 1e-12);
  }
}

// ---- distances

static double gap_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                        ts_vec3 n)
{
  return ts_convex_separation_along(a, frame_a, b, frame_b, n);
}

// Random steps uphill in circles that shrink, from the best of some directions
static double brute_force(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                          ts_random *random)
{
  ts_vec3 n = {1.0, 0.0, 0.0};
  double best = -INFINITY;
  for (int i = 0; i < 100; ++i) {
    const ts_vec3 trial = random_direction(random);
    const double gap = gap_along(a, frame_a, b, frame_b, trial);
    if (gap > best) best = gap, n = trial;
  }
  for (double radius = 0.3; radius > 1e-6; radius *= 0.6)
    for (int i = 0; i < 8; ++i) {
      const ts_vec3 trial = ts_normalize(ts_add_scaled(n, radius, random_vector(random)), n);
      const double gap = gap_along(a, frame_a, b, frame_b, trial);
      if (gap > best) best = gap, n = trial, i = -1;
    }
  return best;
}

static double outside(const ts_convex *part, const ts_frame *frame, ts_vec3 x)
{
  const ts_core core = ts_core_make(part, frame, ts_vec3_make(0.0, 0.0, 0.0));
  return ts_core_outside(&core, x) - core.rounding;
}

static void distances(void **state)
{
  ts_arena *arena = *state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE,         TS_SHAPE_BOX,         TS_SHAPE_CAPSULE,
                                        TS_SHAPE_CYLINDER,       TS_SHAPE_ELLIPSOID,   TS_SHAPE_CONE,
                                        TS_SHAPE_SUPERELLIPSOID, TS_SHAPE_INTERSECTION};
  ts_random random;
  ts_random_init(&random, 85);
  static test_shape made, other;
  double lower = 0.0, points = 0.0, gain = 0.0;
  for (int trial = 0; trial < effort_share(400, 4); ++trial) {
    const ts_convex *a = any_intersection(&random, &made, arena);
    random_shape(&random, kinds[trial % 8], 1.0, &other);
    const ts_convex *b = part_of(&other.shape, arena);
    ts_frame here = any_frame(&random, 0.0);
    const ts_frame there = any_frame(&random, 0.0);
    const ts_vec3 u = random_direction(&random);
    const double wanted = trial % 3 ? ts_random_uniform(&random, -0.1, 0.05) : 0.0;
    here.origin = ts_add_scaled(here.origin, wanted - gap_along(a, &here, b, &there, u), u);
    ts_separation s;
    ts_convex_distance(a, &here, b, &there, &s);
    lower = fmax(lower, fabs(gap_along(a, &here, b, &there, s.normal) - s.gap));
    points = fmax(points, fmax(outside(a, &here, s.point_1), outside(b, &there, s.point_2)));
    if (trial % 2 == 0 && s.gap < 0.0) gain = fmax(gain, brute_force(a, &here, b, &there, &random) - s.gap);
    ts_separation back;
    ts_convex_distance(b, &there, a, &here, &back);
    assert_true(fabs(back.gap - s.gap) < 1e-12);
    ts_arena_reset(arena);
  }
  print_message("gap along the normal %.1e, points outside %.1e, brute force gains %.1e\n", lower, points, gain);
  assert_true(lower < 1e-12 && points < 1e-11 && gain < 1e-8);
}

// ---- in the plane

static void planar_distances_and_touches(void **state)
{
  ts_arena *arena = *state;
  // half a disc, above y = 0, over a rectangle: it stands on two points
  const ts_shape_member half[] = {{{.kind = TS_SHAPE_DISC, .radius = 0.5}, HERE},
                                  {{.kind = TS_SHAPE_PLANE, .normal = {0, -1, 0}}, HERE}};
  const ts_shape cut = MEETING(half);
  const ts_vec3 corners[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 0, 0}, {-1, 0, 0}};
  const ts_shape table = {.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 4};
  const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = {0, 1, 0}};
  const ts_convex *a = part_of(&cut, arena), *b = part_of(&table, arena), *c = part_of(&ground, arena);
  assert_true(a->planar && a->meet->flats->face_count == 1);
  const ts_frame here = {{0.1, 1e-4, 0.0}, ts_mat3_identity()}, there = {{0.0, 0.0, 0.0}, ts_mat3_identity()};
  ts_touch touches[8];
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(ts_convex_touches(a, &here, k ? b : c, &there, 1e-3, touches, 8), 2);
    for (int i = 0; i < 2; ++i) {
      assert_true(fabs(touches[i].gap - 1e-4) < 1e-15 && fabs(touches[i].normal.y - 1.0) < 1e-15);
      assert_true(fabs(fabs(touches[i].point_1.x - 0.1) - 0.5) < 1e-12);
    }
  }
  const ts_mass_properties m = ts_pieces_mass(a, 1);
  assert_true(fabs(m.volume - 0.125 * TS_PI) < 1e-11 && fabs(m.centre.y - 2.0 / (3.0 * TS_PI)) < 1e-11);
  // three half-planes are a triangle
  const ts_shape_member sides[] = {{{.kind = TS_SHAPE_PLANE, .normal = {0, -1, 0}}, HERE},
                                   {{.kind = TS_SHAPE_PLANE, .normal = {1, 1, 0}, .offset = sqrt(0.5)}, HERE},
                                   {{.kind = TS_SHAPE_PLANE, .normal = {-1, 0, 0}}, HERE}};
  const ts_shape triangle = MEETING(sides);
  const ts_convex *t = part_of(&triangle, arena);
  assert_true(t->kind == TS_SHAPE_POLYGON && t->hull->vertex_count == 3);
  assert_true(fabs(ts_pieces_mass(t, 1).volume - 0.5) < 1e-15);
}

// ---- mass

static ts_mass_properties mass_of(const ts_shape *shape)
{
  ts_mass_properties m;
  ts_error error;
  if (ts_shape_mass_properties(shape, &m, &error) != TS_OK) fail_msg("%s", error.text);
  return m;
}

static bool is_near(double value, double expected)
{
  return fabs(value - expected) <= 1e-10 * fabs(expected);
}

static void masses(void **state)
{
  (void)state;
  const ts_shape_member hemisphere[] = {{{.kind = TS_SHAPE_SPHERE, .radius = 2.0}, HERE},
                                        {{.kind = TS_SHAPE_PLANE, .normal = {0.6, 0, -0.8}}, HERE}};
  ts_mass_properties m = mass_of(&(ts_shape)MEETING(hemisphere));
  assert_true(is_near(m.volume, 16.0 / 3.0 * TS_PI) && is_near(ts_length(m.centre), 0.75));
  const ts_vec3 n = {-0.6, 0.0, 0.8};
  const double along = n.x * n.x * m.inertia[0] + n.z * n.z * m.inertia[2] + 2.0 * n.x * n.z * m.inertia[4];
  assert_true(is_near(along, 0.4 * 4.0 * m.volume) && is_near(m.inertia[1], (0.4 * 4.0 - 0.5625) * m.volume));
  const ts_shape_member lens[] = {{{.kind = TS_SHAPE_SPHERE, .radius = 0.5}, AT(0.35, 0, 0)},
                                  {{.kind = TS_SHAPE_SPHERE, .radius = 0.5}, AT(-0.35, 0, 0)}};
  m = mass_of(&(ts_shape)MEETING(lens));
  assert_true(is_near(m.volume, 2.0 * TS_PI * 0.0225 * 1.35 / 3.0) && ts_length(m.centre) < 1e-11);
  // an eighth of a ball: corner, edges and all
  const ts_shape_member eighth[] = {{{.kind = TS_SHAPE_SPHERE, .radius = 1.0}, HERE},
                                    {{.kind = TS_SHAPE_PLANE, .normal = {-1, 0, 0}}, HERE},
                                    {{.kind = TS_SHAPE_PLANE, .normal = {0, -1, 0}}, HERE},
                                    {{.kind = TS_SHAPE_PLANE, .normal = {0, 0, -1}}, HERE}};
  m = mass_of(&(ts_shape)MEETING(eighth));
  assert_true(is_near(m.volume, TS_PI / 6.0) && is_near(m.centre.x, 0.375) && is_near(m.centre.z, 0.375));
  // a cone whose tip is cut off is a truncated cone
  const ts_shape_member cut_cone[] = {{{.kind = TS_SHAPE_CONE, .radius = 1.0, .length = 2.0}, HERE},
                                      {{.kind = TS_SHAPE_PLANE, .normal = {0, 0, 1}, .offset = 0.0}, HERE}};
  const ts_mass_properties t =
      mass_of(&(ts_shape){.kind = TS_SHAPE_CONE, .radius = 1.0, .top_radius = 0.5, .length = 1.0});
  m = mass_of(&(ts_shape)MEETING(cut_cone));
  assert_true(is_near(m.volume, t.volume) && fabs(m.centre.z + 0.5 - t.centre.z) < 1e-10 &&
              is_near(m.inertia[0], t.inertia[0]));
}

// ---- bad input

static void refuse(const ts_shape *shape, const char *words)
{
  ts_error error = {0};
  assert_int_equal(ts_shape_check(shape, &error), TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void bad_input(void **state)
{
  (void)state;
  const ts_vec3 dart[4] = {{0, 0, 0}, {1, 1, 0}, {0, 0.5, 0}, {-1, 1, 0}};
  ts_shape_member two[2] = {{{.kind = TS_SHAPE_SPHERE, .radius = 1.0}, HERE},
                            {{.kind = TS_SHAPE_SPHERE, .radius = 1.0}, AT(3.0, 0, 0)}};
  const ts_shape pair = MEETING(two);
  refuse(&pair, "is empty: no point lies in all of its members");
  two[1].pose.position.x = 2.0;
  refuse(&pair, "has no inside: its members only touch");
  two[1].pose.position.x = NAN;
  refuse(&pair, "member 2 of an intersection: its position");
  two[1].pose = (ts_pose)HERE;
  two[1].pose.orientation.w = 2.0;
  refuse(&pair, "member 2 of an intersection: its orientation has length 2");
  two[1] = (ts_shape_member){{.kind = TS_SHAPE_SPHERE, .radius = -1.0}, HERE};
  refuse(&pair, "member 2 of an intersection: the radius of a sphere must be a positive number");
  two[1].shape = (ts_shape){.kind = TS_SHAPE_POINT};
  refuse(&pair, "member 2 of an intersection: a point has no implicit function");
  two[1].shape = (ts_shape){.kind = TS_SHAPE_OWN};
  refuse(&pair, "member 2 of an intersection: a shape of one's own has no implicit function");
  two[1].shape = pair;
  refuse(&pair, "an intersection within another");
  two[1].shape = (ts_shape){.kind = TS_SHAPE_DISC, .radius = 1.0};
  refuse(&pair, "member 1 of an intersection: a sphere cannot be cut with shapes of the plane");
  two[1].shape = (ts_shape){.kind = (ts_shape_kind)99};
  refuse(&pair, "there is no shape of kind 99");
  two[0].shape = (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = dart, .vertex_count = 4};
  two[1].shape = (ts_shape){.kind = TS_SHAPE_DISC, .radius = 1.0};
  refuse(&pair, "member 1 of an intersection: the polygon is not convex");
  two[0] = (ts_shape_member){{.kind = TS_SHAPE_PLANE, .normal = {0, 0, 1}, .offset = 1.0}, HERE};
  two[1] = (ts_shape_member){{.kind = TS_SHAPE_PLANE, .normal = {0, 0, -1}, .offset = 1.0}, HERE};
  refuse(&pair, "has no end: its half-spaces leave it open");
  ts_shape_member tent[4] = {{{.kind = TS_SHAPE_PLANE, .normal = {1, 0, 1}, .offset = 1.0}, HERE},
                             {{.kind = TS_SHAPE_PLANE, .normal = {-1, 0, 1}, .offset = 1.0}, HERE},
                             {{.kind = TS_SHAPE_PLANE, .normal = {0, 1, 0}, .offset = 1.0}, HERE},
                             {{.kind = TS_SHAPE_PLANE, .normal = {0, -1, 0}, .offset = 1.0}, HERE}};
  const ts_shape open = MEETING(tent);
  refuse(&open, "has no end");
  refuse(&(ts_shape){.kind = TS_SHAPE_INTERSECTION}, "an intersection has 1 to 64 members, not 0");
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
      cmocka_unit_test(derivatives),
      cmocka_unit_test(support_points_are_furthest),
      cmocka_unit_test(one_member_is_that_member),
      cmocka_unit_test(half_spaces_make_boxes),
      cmocka_unit_test(distances),
      cmocka_unit_test(planar_distances_and_touches),
      cmocka_unit_test(masses),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
