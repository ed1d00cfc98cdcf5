// Hulls of points against brute force and Euler's formula, and against solids whose faces are known.
#include "shape/hull.h"

#include "counting_allocator.h"
#include "shapes.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const ts_hull *hull_of(ts_arena *arena, const ts_vec3 *points, int count)
{
  const ts_hull *hull = NULL;
  ts_error error = {0};
  if (ts_hull_build(points, count, arena, &hull, &error) != TS_OK) fail_msg("%s", error.text);
  return hull;
}

static double extent_of(const ts_vec3 *points, int count)
{
  double extent = 0.0;
  for (int i = 0; i < count; ++i) extent = fmax(extent, ts_distance_of(points[i], points[0]));
  return extent;
}

static bool is_given(ts_vec3 v, const ts_vec3 *points, int count)
{
  for (int i = 0; i < count; ++i)
    if (memcmp(&v, points + i, sizeof v) == 0) return true;
  return false;
}

// Topology: loops, edges and neighbours tell the same story, and the surface is a sphere's.
static void check_topology(const ts_hull *h)
{
  assert_int_equal(h->vertex_count - h->edge_count + h->face_count, 2);
  assert_int_equal(h->face_start[0], 0);
  assert_int_equal(h->face_start[h->face_count], 2 * h->edge_count);
  assert_int_equal(h->neighbour_start[h->vertex_count], 2 * h->edge_count);
  for (int e = 0; e < h->edge_count; ++e) {
    const int a = h->edges[e][0], b = h->edges[e][1];
    assert_true(a < b);
    assert_true(e == 0 || h->edges[e - 1][0] < a || (h->edges[e - 1][0] == a && h->edges[e - 1][1] < b));
    for (int k = 0; k < 2; ++k) { // the first face runs from a to b, the second back
      const int f = h->edge_faces[e][k], from = k ? b : a, to = k ? a : b;
      const int *loop = h->face_vertices + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
      int found = 0;
      for (int i = 0; i < n; ++i) found += loop[i] == from && loop[(i + 1) % n] == to;
      assert_int_equal(found, 1);
      int listed = 0;
      for (int i = h->neighbour_start[from]; i < h->neighbour_start[from + 1]; ++i) listed += h->neighbours[i] == to;
      assert_int_equal(listed, 1);
    }
  }
}

// Geometry: unit outward normals, face corners in their planes and in order, every point inside, every vertex extreme.
static void check_geometry(const ts_hull *h, const ts_vec3 *points, int count, double tolerance)
{
  for (int f = 0; f < h->face_count; ++f) {
    const ts_vec3 n = h->normals[f];
    assert_true(fabs(ts_length(n) - 1.0) < 4 * DBL_EPSILON);
    const int *loop = h->face_vertices + h->face_start[f], sides = h->face_start[f + 1] - h->face_start[f];
    assert_true(sides >= 3);
    for (int k = 0; k < sides; ++k) {
      const ts_vec3 a = h->vertices[loop[k]], b = h->vertices[loop[(k + 1) % sides]];
      assert_true(fabs(ts_dot(n, a) - h->offsets[f]) <= tolerance);
      for (int i = 0; i < sides; ++i) { // convex, counter-clockwise
        const ts_vec3 c = h->vertices[loop[i]];
        const double side = ts_dot(n, ts_cross(ts_sub(b, a), ts_sub(c, a))) / ts_distance_of(a, b);
        assert_true(side >= -tolerance);
      }
    }
    for (int i = 0; i < count; ++i) assert_true(ts_dot(n, points[i]) <= h->offsets[f] + tolerance);
  }
  for (int v = 0; v < h->vertex_count; ++v) {
    assert_true(is_given(h->vertices[v], points, count));
    ts_vec3 out = {0.0, 0.0, 0.0}; // the sum of its faces' normals is a direction in which it alone is furthest
    for (int f = 0; f < h->face_count; ++f)
      for (int k = h->face_start[f]; k < h->face_start[f + 1]; ++k)
        if (h->face_vertices[k] == v) out = ts_add(out, h->normals[f]);
    for (int w = 0; w < h->vertex_count; ++w)
      if (w != v) assert_true(ts_dot(out, h->vertices[w]) < ts_dot(out, h->vertices[v]));
  }
}

static void check(const ts_hull *h, const ts_vec3 *points, int count)
{
  check_topology(h);
  check_geometry(h, points, count, 1e-13 * (extent_of(points, count) + ts_length(points[0])));
}

static void random_points(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 11);
  for (int trial = 0; trial < 300; ++trial) {
    ts_vec3 points[200];
    const int count = 4 + ts_random_below(&random, trial % 10 ? 30 : 190);
    const bool on_sphere = trial % 3 == 0;
    const double scale = pow(10.0, ts_random_uniform(&random, -20.0, 20.0));
    const ts_vec3 shift = trial % 2 ? ts_scale(scale, random_vector(&random)) : ts_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < count; ++i) {
      ts_vec3 p = random_vector(&random);
      if (on_sphere) p = ts_normalize(p, p);
      points[i] = ts_add_scaled(shift, scale, p);
    }
    const ts_hull *h = hull_of(arena, points, count);
    check(h, points, count);
    if (on_sphere) assert_int_equal(h->vertex_count, count);
    assert_int_equal(h->edge_count, 3 * h->vertex_count - 6); // points in general position: all triangles
    ts_arena_reset(arena);
  }
}

// Few different coordinates: faces with many coplanar and collinear points on them.
static void points_of_a_grid(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 12);
  int built = 0;
  for (int trial = 0; trial < 400; ++trial) {
    ts_vec3 points[60];
    const int count = 8 + ts_random_below(&random, 52), side = 2 + trial % 4;
    const ts_quat q = trial % 2 ? random_rotation(&random) : ts_quat_identity();
    for (int i = 0; i < count; ++i)
      points[i] = ts_quat_rotate(q, ts_vec3_make(ts_random_below(&random, side), ts_random_below(&random, side),
                                                 ts_random_below(&random, side)));
    const ts_hull *h = NULL;
    if (ts_hull_build(points, count, arena, &h, NULL) != TS_OK) continue; // few points of a grid may lie in a plane
    ++built;
    check(h, points, count);
    ts_arena_reset(arena);
  }
  assert_true(built > 380);
}

// A cube with points repeated, inside, on faces and on edges is a cube, however it is turned and moved.
static void cluttered_cube(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 13);
  for (int trial = 0; trial < 200; ++trial) {
    ts_vec3 points[400];
    int count = 0;
    const ts_quat q = trial ? random_rotation(&random) : ts_quat_identity();
    const ts_vec3 shift = trial < 2 ? ts_vec3_make(0, 0, 0) : ts_scale(trial, random_vector(&random));
    const ts_vec3 half = {0.5, trial % 5 == 0 ? 1e-4 : 1.0, trial % 7 == 0 ? 50.0 : 2.0};
    while (count < 400) {
      double c[3];
      for (int k = 0; k < 3; ++k) {
        const int where = ts_random_below(&random, 3);
        c[k] = where == 0 ? -1.0 : where == 1 ? 1.0 : ts_random_uniform(&random, -1.0, 1.0);
        if (count < 8) c[k] = count >> k & 1 ? 1.0 : -1.0;
      }
      const ts_vec3 p = {c[0] * half.x, c[1] * half.y, c[2] * half.z};
      points[count++] = ts_add(shift, ts_quat_rotate(q, p));
    }
    const ts_hull *h = hull_of(arena, points, count);
    assert_int_equal(h->vertex_count, 8);
    assert_int_equal(h->edge_count, 12);
    assert_int_equal(h->face_count, 6);
    for (int f = 0; f < 6; ++f) {
      assert_int_equal(h->face_start[f + 1] - h->face_start[f], 4);
      const ts_vec3 n = ts_quat_rotate(ts_quat_conjugate(q), h->normals[f]); // along an axis of the cube
      const double size = ts_length(half) + ts_length(shift);
      assert_true(fmax(fmax(fabs(n.x), fabs(n.y)), fabs(n.z)) > 1.0 - 1e-14 * size / fmin(half.x, half.y));
    }
    check(h, points, count);
    ts_arena_reset(arena);
  }
}

static void platonic_and_prisms(void **state)
{
  ts_arena *arena = *state;
  const double g = 0.5 * (1.0 + sqrt(5.0)), i = 1.0 / g;
  const ts_vec3 dodecahedron[20] = {{1, 1, 1},   {1, 1, -1},  {1, -1, 1},   {1, -1, -1}, {-1, 1, 1},
                                    {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}, {0, i, g},   {0, i, -g},
                                    {0, -i, g},  {0, -i, -g}, {i, g, 0},    {i, -g, 0},  {-i, g, 0},
                                    {-i, -g, 0}, {g, 0, i},   {g, 0, -i},   {-g, 0, i},  {-g, 0, -i}};
  const ts_hull *h = hull_of(arena, dodecahedron, 20);
  assert_int_equal(h->face_count, 12);
  assert_int_equal(h->edge_count, 30);
  check(h, dodecahedron, 20);

  for (int sides = 3; sides <= 1000; sides = sides * 2 + 1) {
    ts_vec3 *prism = ts_arena_bytes(arena, 2 * (size_t)sides, sizeof *prism);
    for (int k = 0; k < 2 * sides; ++k) {
      const double angle = 2.0 * TS_PI * (k / 2) / sides;
      prism[k] = ts_vec3_make(cos(angle), sin(angle), k % 2 ? 0.3 : -0.3);
    }
    h = hull_of(arena, prism, 2 * sides);
    assert_int_equal(h->vertex_count, 2 * sides);
    assert_int_equal(h->face_count, sides + 2);
    if (sides < 200) check(h, prism, 2 * sides);
  }
}

static void box_is_the_hull_of_its_corners(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 half = {0.5, 1.5, 0.25};
  const ts_hull *box = ts_hull_of_box(half, arena);
  check(box, box->vertices, 8);
  const ts_hull *built = hull_of(arena, box->vertices, 8);
  assert_int_equal(built->face_count, 6);
  for (int e = 0; e < 12; ++e)
    for (int k = 0; k < 2; ++k) assert_int_equal(box->edges[e][k], built->edges[e][k]);
  for (int k = 0; k < 24; ++k) assert_int_equal(box->neighbours[k], built->neighbours[k]);
  for (int f = 0; f < 6; ++f) {
    int equal = 0;
    for (int o = 0; o < 6; ++o)
      equal += ts_distance_of(box->normals[f], built->normals[o]) == 0.0 && box->offsets[f] == built->offsets[o];
    assert_int_equal(equal, 1);
  }
}

// Almost flat, almost repeated, almost coplanar: a sound hull or one sentence, never anything else.
static void near_degenerate(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 14);
  int built = 0;
  for (int trial = 0; trial < 600; ++trial) {
    ts_vec3 points[64];
    const int count = 8 + ts_random_below(&random, 56);
    const double noise = pow(10.0, ts_random_uniform(&random, -17.0, -6.0));
    const double flat = trial % 3 ? 1.0 : pow(10.0, ts_random_uniform(&random, -16.0, -2.0));
    const ts_quat q = random_rotation(&random);
    for (int k = 0; k < count; ++k) {
      const ts_vec3 grid = {ts_random_below(&random, 3), ts_random_below(&random, 3),
                            flat * ts_random_below(&random, 3)};
      points[k] = ts_quat_rotate(q, ts_add_scaled(grid, noise, random_vector(&random)));
    }
    const ts_hull *h = NULL;
    ts_error error = {0};
    if (ts_hull_build(points, count, arena, &h, &error) == TS_OK) {
      ++built;
      check_topology(h);
      for (int f = 0; f < h->face_count; ++f)
        for (int k = 0; k < count; ++k) assert_true(ts_dot(h->normals[f], points[k]) <= h->offsets[f] + 1e-11);
    } else {
      assert_int_equal(error.status, TS_INVALID);
      assert_true(strlen(error.text) > 10);
    }
    ts_arena_reset(arena);
  }
  print_message("%d of 600 nearly degenerate sets gave a hull\n", built);
  assert_true(built > 400);
}

// Points that nearly coincide, as meshes have that were written with few digits: always a hull, and of nearly all of
// the sets the exact one. Where points had to be made one, those left out lie that near.
static void nearly_repeated(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 15);
  enum { TRIALS = 3000 };
  int built = 0, exact = 0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    ts_vec3 points[80];
    const int count = 24 + ts_random_below(&random, 56);
    const double noise = pow(10.0, ts_random_uniform(&random, -11.0, -5.0));
    for (int k = 0; k < count; ++k) {
      const ts_vec3 grid = {ts_random_below(&random, 3), ts_random_below(&random, 3), ts_random_below(&random, 3)};
      points[k] = ts_add_scaled(grid, noise, random_vector(&random));
    }
    const ts_hull *h = NULL;
    if (ts_hull_build(points, count, arena, &h, NULL) != TS_OK) continue;
    ++built;
    check_topology(h);
    double outside = 0.0;
    for (int f = 0; f < h->face_count; ++f)
      for (int k = 0; k < count; ++k) outside = fmax(outside, ts_dot(h->normals[f], points[k]) - h->offsets[f]);
    assert_true(outside < 4.0 * TS_HULL_LARGEST_WELD);
    exact += outside < 1e-10;
    ts_arena_reset(arena);
  }
  print_message("%d of %d sets with points nearly repeated gave a hull, %d to 1e-10\n", built, TRIALS, exact);
  assert_int_equal(built, TRIALS);
  assert_true(exact > TRIALS * 99 / 100);
}

// A plate of 1e-10 of its size with a needle: rounding leaves it no convex surface until two of its points are one.
static void welded(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 plate[6] = {{0.9999999999109812, 0.9999999999525763, 6.03192354608814e-10},
                            {1.553172793341766e-10, 0.999999999997932, 5.698828980464921e-10},
                            {1.0000000001269524, 2.0000001863841637, -1.3471425760112568e-10},
                            {0.9999999999123946, 0.9999999989375249, 6.03192354608814e-10},
                            {1.553172793341766e-10, 0.9759521479406669, 5.698828980464921e-10},
                            {1.0000000298128595, 2.0000000001196487, 9.415506720643389e-11}};
  const ts_hull *h = hull_of(arena, plate, 6);
  check_topology(h);
  assert_true(h->vertex_count < 6);
  for (int k = 0; k < 6; ++k) {
    double nearest = INFINITY;
    for (int v = 0; v < h->vertex_count; ++v) nearest = fmin(nearest, ts_distance_of(h->vertices[v], plate[k]));
    assert_true(nearest <= TS_HULL_LARGEST_WELD * 1.1);
  }
}

static void refusals(void **state)
{
  ts_arena *arena = *state;
  const ts_hull *h = NULL;
  ts_error error = {0};
  const ts_vec3 flat[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}};
  const ts_vec3 line[4] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  const ts_vec3 same[4] = {{7, 7, 7}, {7, 7, 7}, {7, 7, 7}, {7, 7, 7}};
  assert_int_equal(ts_hull_build(flat, 5, arena, &h, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "plane"));
  const ts_vec3 fewest[4] = {{0, 0, 1}, {0, 1, 6}, {0, 0, 0}, {0, 2, 0}}; // qhull makes a tetrahedron of these
  assert_int_equal(ts_hull_build(fewest, 4, arena, &h, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "plane"));
  assert_int_equal(ts_hull_build(line, 4, arena, &h, &error), TS_INVALID);
  assert_int_equal(ts_hull_build(same, 4, arena, &h, &error), TS_INVALID);
  assert_int_equal(ts_hull_build(flat, 3, arena, &h, &error), TS_INVALID);
  assert_int_equal(ts_hull_build(flat, -3, arena, &h, &error), TS_INVALID);
  assert_int_equal(ts_hull_build(flat, 2000000000, arena, &h, &error), TS_INVALID);
  assert_null(h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_points),
      cmocka_unit_test(points_of_a_grid),
      cmocka_unit_test(cluttered_cube),
      cmocka_unit_test(platonic_and_prisms),
      cmocka_unit_test(box_is_the_hull_of_its_corners),
      cmocka_unit_test(near_degenerate),
      cmocka_unit_test(nearly_repeated),
      cmocka_unit_test(welded),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
