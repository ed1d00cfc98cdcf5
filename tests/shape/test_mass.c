// Mass properties against integrals over slices, other decompositions of the same body, and known solids.
#include "shape/mass.h"

#include "effort.h"
#include "counting_allocator.h"
#include "shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static ts_mass_properties mass_of(const ts_shape *shape)
{
  ts_mass_properties properties;
  ts_error error = {0};
  if (ts_shape_mass_properties(shape, &properties, &error) != TS_OK) fail_msg("%s", error.text);
  return properties;
}

static ts_mass_properties polytope_mass(const ts_vec3 *points, int count)
{
  return mass_of(&(ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = count});
}

static void assert_same(const ts_mass_properties *a, const ts_mass_properties *b, double size, double tolerance)
{
  const double volume = fmax(a->volume, b->volume);
  assert_true(fabs(a->volume - b->volume) <= tolerance * volume);
  assert_true(ts_distance_of(a->centre, b->centre) <= tolerance * size);
  for (int k = 0; k < 6; ++k) assert_true(fabs(a->inertia[k] - b->inertia[k]) <= tolerance * volume * size * size);
}

// ---- solids of revolution and ellipsoids: slices across z are ellipses with semi-axes (a, b) ----

typedef struct slice {
  double a, b;
} slice;

static slice slice_at(const ts_shape *s, double z)
{
  switch (s->kind) {
  case TS_SHAPE_CYLINDER:
    return (slice){s->radius, s->radius};
  case TS_SHAPE_CONE: {
    const double r = s->radius + (z / s->length + 0.5) * (s->top_radius - s->radius);
    return (slice){r, r};
  }
  case TS_SHAPE_ELLIPSOID: {
    const double share = sqrt(fmax(0.0, 1.0 - z * z / (s->size.z * s->size.z)));
    return (slice){share * s->size.x, share * s->size.y};
  }
  default: { // sphere, capsule
    const double beyond = fmax(0.0, fabs(z) - 0.5 * (s->kind == TS_SHAPE_CAPSULE ? s->length : 0.0));
    const double r = sqrt(fmax(0.0, s->radius * s->radius - beyond * beyond));
    return (slice){r, r};
  }
  }
}

typedef struct integrals {
  double volume, first, second[3]; // of 1; z; x^2, y^2, z^2
} integrals;

// Integrals between two heights. Areas are polynomials of z, so that Gauss' rule with five points is exact.
static void add_slices(const ts_shape *s, double low, double high, integrals *sum)
{
  const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
  const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                            0.2369268850561891};
  for (int k = 0; k < 5; ++k) {
    const double z = 0.5 * (low + high) + 0.5 * (high - low) * node[k], dz = 0.5 * (high - low) * weight[k];
    const slice e = slice_at(s, z);
    const double area = TS_PI * e.a * e.b;
    sum->volume += area * dz;
    sum->first += area * z * dz;
    sum->second[0] += 0.25 * area * e.a * e.a * dz;
    sum->second[1] += 0.25 * area * e.b * e.b * dz;
    sum->second[2] += area * z * z * dz;
  }
}

static void round_solids(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 41);
  const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE, TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID,
                                 TS_SHAPE_CONE};
  static test_shape made;
  for (int trial = 0; trial < 500; ++trial) {
    random_shape(&random, kinds[trial % 5], pow(10.0, ts_random_uniform(&random, -4.0, 4.0)), &made);
    const ts_shape *s = &made.shape;
    const bool ends_flat = s->kind == TS_SHAPE_CYLINDER || s->kind == TS_SHAPE_CONE;
    const double straight = s->kind == TS_SHAPE_CAPSULE || ends_flat ? 0.5 * s->length : 0.0;
    const double cap = s->kind == TS_SHAPE_ELLIPSOID ? s->size.z : ends_flat ? 0.0 : s->radius;
    integrals sum = {0};
    add_slices(s, -straight - cap, -straight, &sum);
    add_slices(s, -straight, straight, &sum);
    add_slices(s, straight, straight + cap, &sum);
    const double height = sum.first / sum.volume, along = sum.second[2] - sum.first * height;
    const ts_mass_properties expected = {
        .volume = sum.volume,
        .centre = {0.0, 0.0, height},
        .inertia = {sum.second[1] + along, sum.second[0] + along, sum.second[0] + sum.second[1]}};
    const ts_mass_properties found = mass_of(s);
    const double size = sqrt((sum.second[0] + sum.second[1] + sum.second[2]) / sum.volume);
    assert_same(&found, &expected, size, 1e-13);
  }
}

static void textbook(void **state)
{
  (void)state;
  ts_mass_properties m = mass_of(&(ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 1.0});
  assert_true(fabs(m.volume - 4.1887902047863905) < 1e-14 && fabs(m.inertia[0] / m.volume - 0.4) < 1e-15);
  m = mass_of(&(ts_shape){.kind = TS_SHAPE_BOX, .size = {1.0, 2.0, 3.0}});
  assert_true(m.volume == 6.0 && fabs(m.inertia[0] - 6.5) < 1e-14 && fabs(m.inertia[2] - 2.5) < 1e-14);
  const ts_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  m = polytope_mass(corner, 4); // integrals of x^2 and x y over it: 1/60 and 1/120
  assert_true(fabs(m.volume - 1.0 / 6.0) < 1e-16 && fabs(m.centre.y - 0.25) < 1e-15);
  assert_true(fabs(m.inertia[0] - 2.0 * (1.0 / 60.0 - 1.0 / 96.0)) < 1e-16);
  assert_true(fabs(m.inertia[4] + (1.0 / 120.0 - 1.0 / 96.0)) < 1e-16);
  m = mass_of(
      &(ts_shape){.kind = TS_SHAPE_CONE, .radius = 2.0, .length = 4.0}); // a quarter of the height above its base
  assert_true(fabs(m.volume - 16.0 / 3.0 * TS_PI) < 1e-13 && fabs(m.centre.z + 1.0) < 1e-15);
  assert_true(fabs(m.inertia[2] / m.volume - 1.2) < 1e-14 && fabs(m.inertia[0] / m.volume - 1.2) < 1e-14);
  m = mass_of(&(ts_shape){.kind = TS_SHAPE_DISC, .radius = 2.0});
  assert_true(fabs(m.volume - 4.0 * TS_PI) < 1e-14 && fabs(m.inertia[2] - 8.0 * TS_PI) < 1e-13);
  m = mass_of(&(ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0, 0, 1}});
  assert_true(m.volume == 0.0 && m.inertia[2] == 0.0);
  m = mass_of(&(ts_shape){.kind = TS_SHAPE_POINT});
  assert_true(m.volume == 0.0 && m.inertia[2] == 0.0);
}

// A box that is moved as a box, and the hull of its moved corners
static void moved_boxes(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 42);
  static test_shape made;
  for (int trial = 0; trial < 300; ++trial) {
    random_shape(&random, TS_SHAPE_BOX, 1.0, &made);
    const ts_pose pose = random_pose(&random, 1.0);
    int count;
    const ts_convex *box = ts_convex_pieces(&made.shape, arena, &count);
    ts_vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = ts_pose_apply(&pose, box->hull->vertices[i]);
    const ts_mass_properties still = ts_pieces_mass(box, 1), moved = ts_mass_moved(&still, &pose);
    const ts_mass_properties hull = polytope_mass(corners, 8);
    assert_same(&moved, &hull, 1.0, 1e-13);
    const ts_pose back = {ts_pose_unapply(&pose, ts_vec3_make(0, 0, 0)), ts_quat_conjugate(pose.orientation)};
    const ts_mass_properties again = ts_mass_moved(&moved, &back);
    assert_same(&again, &still, 1.0, 1e-14);
    ts_arena_reset(arena);
  }
}

// Cut a polytope by a plane: corners on one side, and where edges cross it
static int half_of(const ts_hull *h, ts_vec3 normal, double offset, double side, ts_vec3 *points)
{
  int count = 0;
  for (int v = 0; v < h->vertex_count; ++v)
    if (side * (ts_dot(normal, h->vertices[v]) - offset) > 0.0) points[count++] = h->vertices[v];
  for (int e = 0; e < h->edge_count; ++e) {
    const ts_vec3 a = h->vertices[h->edges[e][0]], b = h->vertices[h->edges[e][1]];
    const double da = ts_dot(normal, a) - offset, db = ts_dot(normal, b) - offset;
    if (da * db < 0.0) points[count++] = ts_add_scaled(a, da / (da - db), ts_sub(b, a));
  }
  return count;
}

static void cut_polytopes(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 43);
  static test_shape made;
  for (int trial = 0; trial < 200; ++trial) {
    random_shape(&random, TS_SHAPE_POLYTOPE, 1.0, &made);
    int pieces;
    const ts_convex *whole = ts_convex_pieces(&made.shape, arena, &pieces);
    const ts_vec3 normal = random_direction(&random);
    const double offset = ts_dot(normal, whole->middle);
    ts_vec3 points[2000];
    ts_mass_properties half[2];
    for (int k = 0; k < 2; ++k) {
      const int count = half_of(whole->hull, normal, offset, k ? 1.0 : -1.0, points);
      half[k] = polytope_mass(points, count);
    }
    const ts_mass_properties all = ts_pieces_mass(whole, 1), sum = ts_mass_sum(&half[0], &half[1]);
    assert_same(&all, &sum, whole->reach, 1e-12);
    ts_arena_reset(arena);
  }
}

// Polytopes of points on a sphere come near the ball with the square of their spacing.
static void polytopes_become_balls(void **state)
{
  (void)state;
  const ts_mass_properties ball = mass_of(&(ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 1.0});
  double error[3];
  for (int level = 0; level < 3; ++level) {
    const int rings = 8 << level;
    ts_vec3 *p = malloc((size_t)(2 * rings * rings) * sizeof *p);
    int count = 0;
    for (int i = 0; i <= rings; ++i)
      for (int j = 0; j < (i % rings ? 2 * rings : 1); ++j)
        p[count++] = ts_vec3_make(sin(TS_PI * i / rings) * cos(TS_PI * j / rings),
                                  sin(TS_PI * i / rings) * sin(TS_PI * j / rings), cos(TS_PI * i / rings));
    const ts_mass_properties m = polytope_mass(p, count);
    error[level] = fabs(m.inertia[0] / ball.inertia[0] - 1.0) + fabs(m.volume / ball.volume - 1.0);
    assert_true(ts_length(m.centre) < 1e-15);
    free(p);
  }
  for (int level = 1; level < 3; ++level) assert_true(fabs(error[level - 1] / error[level] - 4.0) < 0.2);
  assert_true(error[2] < 0.02);
}

static void regular_polygons(void **state)
{
  (void)state;
  ts_vec3 p[50];
  for (int n = 3; n <= 50; ++n) {
    const ts_vec3 shift = {3.0, -7.0, 0.0};
    for (int i = 0; i < n; ++i)
      p[i] = ts_add(shift, ts_vec3_make(cos(2.0 * TS_PI * i / n), -sin(2.0 * TS_PI * i / n), 0.0));
    const ts_mass_properties m = mass_of(&(ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = p, .vertex_count = n});
    const double area = 0.5 * n * sin(2.0 * TS_PI / n);
    assert_true(fabs(m.volume - area) < 1e-14 && ts_distance_of(m.centre, shift) < 1e-14);
    assert_true(fabs(m.inertia[2] - area * (2.0 + cos(2.0 * TS_PI / n)) / 6.0) < 1e-14);
    assert_true(fabs(m.inertia[0] + m.inertia[1] - m.inertia[2]) < 1e-14);
  }
}

// Green's formula around the outline, which knows nothing of pieces
static void polygons_by_their_outline(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 44);
  static test_shape made;
  for (int trial = 0; trial < 1000; ++trial) {
    random_shape(&random, TS_SHAPE_POLYGON, 1.0, &made);
    const int n = made.shape.vertex_count;
    double area = 0.0, x = 0.0, y = 0.0, polar = 0.0;
    for (int i = 0; i < n; ++i) {
      const ts_vec3 a = made.vertices[i], b = made.vertices[(i + 1) % n];
      const double cross = a.x * b.y - a.y * b.x;
      area += cross / 2.0;
      x += cross * (a.x + b.x) / 6.0;
      y += cross * (a.y + b.y) / 6.0;
      polar += cross * (a.x * a.x + a.x * b.x + b.x * b.x + a.y * a.y + a.y * b.y + b.y * b.y) / 12.0;
    }
    const ts_vec3 centre = {x / area, y / area, 0.0};
    const ts_mass_properties m = mass_of(&made.shape);
    assert_true(fabs(m.volume - fabs(area)) < 1e-13 && ts_distance_of(m.centre, centre) < 1e-12);
    assert_true(fabs(m.inertia[2] - fabs(polar) + fabs(area) * ts_dot(centre, centre)) < 1e-11);
  }
}

// Sums do not depend on order, and masses of different densities add up.
static void sums(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 45);
  static test_shape made;
  ts_mass_properties body[3];
  for (int k = 0; k < 3; ++k) {
    random_shape(&random, (ts_shape_kind[]){TS_SHAPE_BOX, TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID}[k], 1.0, &made);
    const ts_pose pose = random_pose(&random, 2.0);
    const ts_mass_properties own = mass_of(&made.shape);
    body[k] = ts_mass_moved(&own, &pose);
    body[k].volume *= k + 1.0;
    for (int i = 0; i < 6; ++i) body[k].inertia[i] *= k + 1.0;
  }
  const ts_mass_properties ab = ts_mass_sum(&body[0], &body[1]), cb = ts_mass_sum(&body[2], &body[1]);
  const ts_mass_properties left = ts_mass_sum(&ab, &body[2]), right = ts_mass_sum(&cb, &body[0]);
  assert_same(&left, &right, 2.0, 1e-14);
  const ts_mass_properties none = {0}, same = ts_mass_sum(&none, &left), also = ts_mass_sum(&left, &none);
  assert_same(&same, &left, 2.0, 1e-15);
  assert_same(&also, &left, 2.0, 1e-15);

  // Two balls on a rod without mass: I = sum of (2/5 m r^2 + m d^2)
  const ts_mass_properties ball = mass_of(&(ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 0.1});
  ts_mass_properties right_ball = ball;
  right_ball.centre.x = 1.0;
  const ts_mass_properties dumbbell = ts_mass_sum(&ball, &right_ball);
  assert_true(fabs(dumbbell.centre.x - 0.5) < 1e-16);
  assert_true(fabs(dumbbell.inertia[1] - 2.0 * ball.volume * (0.4 * 0.01 + 0.25)) < 1e-16);
  assert_true(fabs(dumbbell.inertia[0] - 2.0 * ball.volume * 0.4 * 0.01) < 1e-17);
}

// The inertia of a body is that of some mass: principal moments obey the triangle inequality.
static void inertias_are_possible(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 46);
  static test_shape made;
  for (int trial = 0; trial < effort_share(2000, 5); ++trial) {
    const ts_shape_kind kind = (ts_shape_kind)(TS_SHAPE_SPHERE + trial % (TS_SHAPE_COUNT - TS_SHAPE_SPHERE));
    if (kind == TS_SHAPE_INTERSECTION && trial > effort_share(60, 3)) continue; // integrals take their time
    random_shape(&random, kind, 1.0, &made);
    const ts_mass_properties m = mass_of(&made.shape);
    assert_true(m.volume > 0.0);
    const ts_vec3 n = random_direction(&random), t = ts_tangent_of(n), b = ts_cross(n, t);
    const double *I = m.inertia;
    const ts_mat3 A = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    const double about_n = ts_dot(n, ts_mul(&A, n)), about_t = ts_dot(t, ts_mul(&A, t)),
                 about_b = ts_dot(b, ts_mul(&A, b));
    assert_true(about_n >= 0.0 && about_n <= (about_t + about_b) * (1.0 + 1e-14));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_solids),
      cmocka_unit_test(textbook),
      cmocka_unit_test(moved_boxes),
      cmocka_unit_test(cut_polytopes),
      cmocka_unit_test(polytopes_become_balls),
      cmocka_unit_test(regular_polygons),
      cmocka_unit_test(polygons_by_their_outline),
      cmocka_unit_test(sums),
      cmocka_unit_test(inertias_are_possible),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
