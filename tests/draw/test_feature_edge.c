// Edges that are drawn: how many solids of closed form have, how long they are, and where the limit of 25 degrees lies.
#include "draw/feature_edge.h"

#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct edge_sum {
  int count;
  double length;
} edge_sum;

static edge_sum sum_edges(const ts_shape *shape, const ts_pose *pose)
{
  ts_heap heap = {0};
  ts_surface surface;
  edge_sum sum = {0, 0.0};
  ts_surface_init(&surface, shape, pose, &heap);
  ts_feature_edge *edges = ts_feature_edges(&surface, &sum.count, &heap);
  assert_non_null(edges);
  for (int i = 0; i < sum.count; ++i) {
    sum.length += ts_vector_length(ts_vector_subtract(edges[i].to, edges[i].from));
    assert_in_range(edges[i].face_1, 0, surface.face_count - 1);
    assert_in_range(edges[i].face_2, 0, surface.face_count - 1);
  }
  free(edges);
  ts_surface_destroy(&surface);
  return sum;
}

static void assert_edges(const ts_shape *shape, int count, double length, double tolerance)
{
  ts_random random;
  ts_random_init(&random, 31);
  for (int trial = 0; trial < 20; ++trial) { // however it is turned
    const ts_pose pose = random_pose(&random, 3.0);
    const edge_sum found = sum_edges(shape, &pose);
    if (count >= 0) assert_int_equal(found.count, count);
    if (!(fabs(found.length - length) <= tolerance * (1.0 + length)))
      fail_msg("%s: edges of %g m, not %g", ts_shape_name(shape->kind), found.length, length);
  }
}

static void solids_have_their_edges(void **state)
{
  (void)state;
  const ts_vec3 octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = {1.0, 2.0, 3.0}};
  const ts_shape eight = {.kind = TS_SHAPE_POLYTOPE, .vertices = octahedron, .vertex_count = 6};
  const ts_shape can = {.kind = TS_SHAPE_CYLINDER, .radius = 0.5, .length = 2.0};
  const ts_shape hat = {.kind = TS_SHAPE_CONE, .radius = 0.5, .length = 2.0};
  const ts_shape pill = {.kind = TS_SHAPE_CAPSULE, .radius = 0.5, .length = 2.0};
  const ts_shape egg = {.kind = TS_SHAPE_ELLIPSOID, .size = {0.5, 1.0, 1.5}};
  assert_edges(&box, 12, 24.0, 1e-12);
  assert_edges(&eight, 12, 12.0 * sqrt(2.0), 1e-12);
  assert_edges(&can, -1, 2.0 * TS_PI, 0.01); // two rims of many sides
  assert_edges(&hat, -1, TS_PI, 0.01);
  assert_edges(&pill, 0, 0.0, 0.0);
  assert_edges(&egg, 0, 0.0, 0.0);
}

// A prism with n sides has normals 360/n degrees apart: its upright edges are drawn for n = 14, not for n = 15.
static void the_limit_is_25_degrees(void **state)
{
  (void)state;
  for (int n = 3; n <= 40; ++n) {
    ts_vec3 corners[80];
    for (int i = 0; i < n; ++i)
      for (int top = 0; top < 2; ++top)
        corners[2 * i + top] = (ts_vec3){cos(2.0 * TS_PI * i / n), sin(2.0 * TS_PI * i / n), top};
    const ts_shape prism = {.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = 2 * n};
    const double side = 2.0 * sin(TS_PI / n), rims = 2.0 * n * side;
    assert_edges(&prism, n < 15 ? 3 * n : 2 * n, rims + (n < 15 ? n : 0), 1e-9);
  }
}

// A mesh of a ball is hundreds of triangles and no edge.
static void meshes_of_balls_have_no_edges(void **state)
{
  (void)state;
  enum { POINTS = 600 };
  static ts_vec3 points[POINTS];
  for (int i = 0; i < POINTS; ++i) { // a spiral of equal areas
    const double z = 1.0 - (2.0 * i + 1.0) / POINTS, r = sqrt(1.0 - z * z), angle = TS_PI * (3.0 - sqrt(5.0)) * i;
    points[i] = (ts_vec3){r * cos(angle), r * sin(angle), z};
  }
  const ts_shape mesh = {.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = POINTS};
  assert_edges(&mesh, 0, 0.0, 0.0);
}

static void what_has_no_faces_has_no_edges(void **state)
{
  (void)state;
  const ts_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const ts_shape sheet = {.kind = TS_SHAPE_POLYTOPE, .vertices = flat, .vertex_count = 4};
  const ts_shape point = {.kind = TS_SHAPE_POINT};
  assert_edges(&sheet, 0, 0.0, 0.0);
  assert_edges(&point, 0, 0.0, 0.0);
}

// Faces without an area, sides that three faces share, a face that is there twice: nothing worse than a line more.
static void broken_surfaces_are_survived(void **state)
{
  (void)state;
  ts_heap heap = {0};
  ts_surface surface = {.heap = &heap};
  const ts_vec3 up = {0.0, 0.0, 1.0}, a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, d = {0, -1, 1}, e = {0, -1, -1};
  const ts_vec3 faces[5][3] = {{a, b, c}, {a, b, d}, {a, b, e}, {a, a, a}, {a, b, c}};
  for (int i = 0; i < 5; ++i) ts_surface_add(&surface, faces[i], 3, up, false);
  int count = 0;
  ts_feature_edge *edges = ts_feature_edges(&surface, &count, &heap);
  assert_non_null(edges);
  assert_in_range(count, 1, 15);
  free(edges);
  ts_surface_destroy(&surface);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_their_edges),       cmocka_unit_test(the_limit_is_25_degrees),
      cmocka_unit_test(meshes_of_balls_have_no_edges), cmocka_unit_test(what_has_no_faces_has_no_edges),
      cmocka_unit_test(broken_surfaces_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
