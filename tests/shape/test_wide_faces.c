// Faces of meshes with few digits: solids whose faces are known are turned, rounded as mesh files round them, and must
// show those faces to contacts; while distances stay those of the rounded points.
#include "shape/wide_faces.h"

#include "counting_allocator.h"
#include "shapes.h"

#include "shape/distance.h"
#include "shape/hull.h"
#include "shape/manifold.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_POINTS = 4000 };

// ---- meshes --------------------------------------------------------------------------------------------------------

// How files write numbers: OBJ, C++ streams, binary STL.
typedef enum rounding { DECIMALS, SIGNIFICANT, SINGLE, ROUNDINGS } rounding;

static double rounded(double x, rounding how)
{
  char text[40];
  if (how == SINGLE) return (double)(float)x;
  snprintf(text, sizeof text, how == DECIMALS ? "%.6f" : "%.6g", x);
  return strtod(text, NULL);
}

static void turn_and_round(const ts_vec3 *given, int count, ts_quat turn, ts_vec3 shift, rounding how, ts_vec3 *points)
{
  for (int i = 0; i < count; ++i) {
    const ts_vec3 p = ts_add(ts_quat_rotate(turn, given[i]), shift);
    points[i] = ts_vec3_make(rounded(p.x, how), rounded(p.y, how), rounded(p.z, how));
  }
}

static int prism(int sides, double height, ts_vec3 *points)
{
  for (int i = 0; i < 2 * sides; ++i) {
    const double angle = 2.0 * TS_PI * (i / 2) / sides;
    points[i] = ts_vec3_make(cos(angle), sin(angle), i % 2 ? height : -height);
  }
  return 2 * sides;
}

// A box with a grid of points on each face.
static int grid_box(int cells, ts_vec3 half, ts_vec3 *points)
{
  int count = 0;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j)
      for (int k = 0; k <= cells; ++k)
        if (i % cells == 0 || j % cells == 0 || k % cells == 0)
          points[count++] = ts_vec3_make(half.x * (2.0 * i / cells - 1.0), half.y * (2.0 * j / cells - 1.0),
                                         half.z * (2.0 * k / cells - 1.0));
  return count;
}

// ---- what wide faces are -------------------------------------------------------------------------------------------

static int face_size(const ts_hull *hull, int face)
{
  return hull->face_start[face + 1] - hull->face_start[face];
}

// A closed surface that all vertices are on or within the slack below, over vertices of the hull.
static void check_wide(const ts_hull *hull, const ts_hull *wide)
{
  assert_ptr_equal(wide->vertices, hull->vertices);
  assert_true(wide->face_count < hull->face_count);
  bool *used = calloc((size_t)hull->vertex_count, sizeof *used);
  int corners = 0;
  for (int e = 0; e < wide->edge_count; ++e)
    for (int k = 0; k < 2; ++k) corners += !used[wide->edges[e][k]], used[wide->edges[e][k]] = true;
  assert_int_equal(corners - wide->edge_count + wide->face_count, 2); // Euler
  for (int f = 0; f < wide->face_count; ++f) {
    assert_true(fabs(ts_length(wide->normals[f]) - 1.0) < 1e-12);
    for (int v = 0; v < wide->vertex_count; ++v)
      assert_true(ts_dot(wide->normals[f], wide->vertices[v]) <= wide->offsets[f] + 4.0 * wide->slack + 1e-12);
    for (int k = wide->face_start[f]; k < wide->face_start[f + 1]; ++k) {
      const double in = wide->offsets[f] - ts_dot(wide->normals[f], wide->vertices[wide->face_vertices[k]]);
      assert_true(in >= -1e-15 && in <= wide->slack + 1e-15);
    }
  }
  free(used);
}

// Build from `count` points that were turned and rounded; the number of faces with each number of corners.
static const ts_hull *wide_of(ts_arena *arena, const ts_vec3 *points, int count)
{
  const ts_hull *hull = NULL;
  ts_error error = {0};
  if (ts_hull_build(points, count, arena, &hull, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_hull *wide = ts_wide_faces(hull, arena);
  if (wide) check_wide(hull, wide);
  return wide ? wide : hull;
}

static int faces_of_size(const ts_hull *hull, int corners)
{
  int count = 0;
  for (int f = 0; f < hull->face_count; ++f) count += face_size(hull, f) == corners;
  return count;
}

static void boxes_have_six_faces(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 71);
  double slack = 0.0;
  for (int trial = 0; trial < 600; ++trial) {
    const double size = pow(10.0, ts_random_uniform(&random, -1.0, 2.0));
    const ts_vec3 half = {ts_random_uniform(&random, 0.3, 1.0) * size, ts_random_uniform(&random, 0.3, 1.0) * size,
                          size};
    const rounding how = (rounding)(trial % ROUNDINGS);
    const ts_vec3 shift = how == DECIMALS ? (ts_vec3){0.0, 0.0, 0.0} : ts_scale(size, random_vector(&random));
    const ts_quat turn = random_rotation(&random);
    ts_vec3 points[8], given[8];
    for (int i = 0; i < 8; ++i)
      given[i] = ts_vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    turn_and_round(given, 8, turn, shift, how, points);
    const ts_hull *wide = wide_of(arena, points, 8);
    assert_int_equal(wide->face_count, 6);
    assert_int_equal(faces_of_size(wide, 4), 6);
    for (int f = 0; f < 6; ++f) { // each normal is that of a face that was meant
      const ts_vec3 n = ts_quat_rotate(ts_quat_conjugate(turn), wide->normals[f]);
      assert_true(fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z))) > 1.0 - 1e-8);
    }
    slack = fmax(slack, wide->slack / size);
    ts_arena_reset(arena);
  }
  print_message("600 boxes of six digits: corners up to %.1e of the size from the planes of faces\n", slack);
}

static void prisms_have_their_faces(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 72);
  for (int trial = 0; trial < 300; ++trial) {
    const int sides = 3 + trial % 30;
    ts_vec3 given[66], points[66];
    const int count = prism(sides, ts_random_uniform(&random, 0.2, 2.0), given);
    turn_and_round(given, count, random_rotation(&random), (ts_vec3){0.0, 0.0, 0.0}, (rounding)(trial % ROUNDINGS),
                   points);
    const ts_hull *wide = wide_of(arena, points, count);
    assert_int_equal(wide->face_count, sides + 2);
    assert_int_equal(faces_of_size(wide, sides), sides == 4 ? 6 : 2);
    assert_int_equal(faces_of_size(wide, 4), sides == 4 ? 6 : sides);
    ts_arena_reset(arena);
  }
}

// Points along edges and inside faces, of which rounding makes bulges, are no corners.
static void grids_are_faces(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 73);
  ts_vec3 *given = calloc(MOST_POINTS, sizeof *given), *points = calloc(MOST_POINTS, sizeof *points);
  for (int trial = 0; trial < 30; ++trial) {
    const int count = grid_box(1 + trial % 10, (ts_vec3){1.0, 0.7, 0.4}, given);
    turn_and_round(given, count, random_rotation(&random), (ts_vec3){0.0, 0.0, 0.0}, (rounding)(trial % ROUNDINGS),
                   points);
    const ts_hull *wide = wide_of(arena, points, count);
    assert_int_equal(wide->face_count, 6);
    assert_int_equal(faces_of_size(wide, 4), 6);
    ts_arena_reset(arena);
  }
  free(given);
  free(points);
}

// Solids with exact numbers have their faces already; round ones have none to join until they are finer than the
// tolerance, and what is joined then is sound (checked by wide_of()).
static void what_is_not_flat_is_left_alone(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 74);
  ts_vec3 *points = calloc(MOST_POINTS, sizeof *points);
  const ts_hull *hull = NULL;
  int count = grid_box(3, (ts_vec3){1.0, 2.0, 3.0}, points);
  assert_int_equal(ts_hull_build(points, count, arena, &hull, NULL), TS_OK);
  assert_null(ts_wide_faces(hull, arena));
  for (int i = 0; i < 1000; ++i) points[i] = random_direction(&random);
  assert_int_equal(ts_hull_build(points, 1000, arena, &hull, NULL), TS_OK);
  const ts_hull *wide = ts_wide_faces(hull, arena);
  if (wide) check_wide(hull, wide);
  assert_true(!wide || wide->face_count > hull->face_count - 40); // slivers between near points
  for (int i = 0; i < MOST_POINTS; ++i) { // a dome so flat that parts of it are planes to the tolerance
    const ts_vec3 d = random_direction(&random);
    points[i] = ts_vec3_make(d.x, d.y, 1e-3 * fabs(d.z));
  }
  assert_int_equal(ts_hull_build(points, MOST_POINTS, arena, &hull, NULL), TS_OK);
  wide = ts_wide_faces(hull, arena);
  if (wide) check_wide(hull, wide);
  free(points);
}

// ---- what they are for ---------------------------------------------------------------------------------------------

static const ts_convex *part_of(ts_arena *arena, const ts_shape *shape)
{
  int count;
  ts_error error = {0};
  if (ts_shape_check(shape, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_convex_pieces(shape, arena, &count);
}

static bool has_touch_at(const ts_touch *touches, int count, ts_vec3 point, double tolerance)
{
  for (int i = 0; i < count; ++i)
    if (ts_distance_of(touches[i].point_1, point) <= tolerance) return true;
  return false;
}

// A mesh of a box over another: contacts where the boxes that were meant have them, closed, a little apart and a little
// overlapping; and the distance of the rounded points is told exactly.
static void meshes_touch_as_the_boxes_they_mean(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 75);
  enum { MOST = 64 };
  for (int trial = 0; trial < 300; ++trial) {
    const rounding how = (rounding)(trial % ROUNDINGS);
    const ts_vec3 half[2] = {{0.5, 0.4, 0.3}, {0.6, 0.5, 0.2}};
    const double gap = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? 1e-3 : -1e-3;
    const ts_quat yaw = ts_quat_about_z(ts_random_uniform(&random, -3.0, 3.0));
    const ts_pose place[2] = {
        {{ts_random_uniform(&random, -0.3, 0.3), ts_random_uniform(&random, -0.3, 0.3), half[0].z + half[1].z + gap},
         yaw},
        {{0.0, 0.0, 0.0}, ts_quat_identity()}};
    const ts_convex *mesh[2], *box[2];
    ts_frame mesh_frame[2], box_frame[2];
    for (int side = 0; side < 2; ++side) {
      const ts_quat turn = random_rotation(&random);
      ts_vec3 given[8], points[8];
      for (int i = 0; i < 8; ++i)
        given[i] = ts_vec3_make(i & 1 ? half[side].x : -half[side].x, i & 2 ? half[side].y : -half[side].y,
                                i & 4 ? half[side].z : -half[side].z);
      turn_and_round(given, 8, turn, (ts_vec3){0.0, 0.0, 0.0}, how, points);
      mesh[side] = part_of(arena, &(ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = 8});
      box[side] = part_of(arena, &(ts_shape){.kind = TS_SHAPE_BOX, .size = ts_scale(2.0, half[side])});
      const ts_pose turned = {place[side].position, ts_quat_product(place[side].orientation, ts_quat_conjugate(turn))};
      mesh_frame[side] = ts_pose_frame(&turned);
      box_frame[side] = ts_pose_frame(&place[side]);
    }
    ts_touch found[MOST], meant[MOST];
    const int count = ts_convex_touches(mesh[0], &mesh_frame[0], mesh[1], &mesh_frame[1], 0.01, found, MOST);
    const int expected = ts_convex_touches(box[0], &box_frame[0], box[1], &box_frame[1], 0.01, meant, MOST);
    assert_true(expected >= 3);
    assert_int_equal(count, expected);
    for (int i = 0; i < expected; ++i) {
      assert_true(has_touch_at(found, count, meant[i].point_1, 1e-4));
      assert_true(fabs(found[i].gap - gap) < 3e-5);
      assert_true(ts_distance_of(found[i].normal, (ts_vec3){0.0, 0.0, 1.0}) < 1e-4);
    }
    ts_separation exact;
    ts_convex_distance(mesh[0], &mesh_frame[0], mesh[1], &mesh_frame[1], &exact);
    for (int i = 0; i < count; ++i) // no contact hides how near they are, none is nearer than slack allows
      assert_true(found[i].gap >= exact.gap - 1e-4);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) least = fmin(least, found[i].gap);
    assert_true(least <= exact.gap + 1e-9);
    ts_arena_reset(arena);
  }
}

// Prisms of few digits against every kind of solid, anyhow placed: the closest touch is as close as the distance says,
// or closer by what the slack of faces allows.
static void touches_keep_to_the_distance(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 76);
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE,   TS_SHAPE_BOX,      TS_SHAPE_CAPSULE,
                                        TS_SHAPE_POLYTOPE, TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID};
  enum { KINDS = sizeof kinds / sizeof kinds[0], MOST = 200 };
  double most_off = 0.0;
  int touching = 0;
  for (int trial = 0; trial < 2400; ++trial) {
    ts_vec3 given[66], points[66];
    const int sides = prism(3 + trial % 30, ts_random_uniform(&random, 0.2, 1.0), given);
    turn_and_round(given, sides, random_rotation(&random), (ts_vec3){0.0, 0.0, 0.0}, (rounding)(trial % ROUNDINGS),
                   points);
    test_shape other;
    random_shape(&random, kinds[trial / ROUNDINGS % KINDS], 1.0, &other);
    const ts_convex *a =
        part_of(arena, &(ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = sides});
    const ts_convex *b = part_of(arena, &other.shape);
    const ts_pose place = random_pose(&random, 1.0);
    ts_pose apart = random_pose(&random, 1.0);
    ts_frame frame_a = ts_pose_frame(&apart);
    const ts_frame frame_b = ts_pose_frame(&place);
    ts_separation exact;
    ts_convex_distance(a, &frame_a, b, &frame_b, &exact);
    const double wanted = ts_random_uniform(&random, -0.02, 0.02); // move them to about there
    frame_a.origin = ts_add_scaled(frame_a.origin, wanted - exact.gap, exact.normal);
    ts_convex_distance(a, &frame_a, b, &frame_b, &exact);
    ts_touch touches[MOST];
    const int count = ts_convex_touches(a, &frame_a, b, &frame_b, 0.05, touches, MOST);
    if (exact.gap <= 0.05 - 1e-4) assert_true(count > 0 && count <= MOST);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) least = fmin(least, touches[i].gap);
    const double slack = a->hull->wide ? a->hull->wide->slack : 0.0;
    if (count > 0) {
      assert_true(least <= exact.gap + 1e-8);
      assert_true(least >= exact.gap - 12.0 * slack - 1e-8);
      most_off = fmax(most_off, exact.gap - least);
      ++touching;
    }
    ts_arena_reset(arena);
  }
  print_message("%d pairs: touches up to %.1e closer than the distance\n", touching, most_off);
  assert_true(touching > 2000);
}

// Blades: triangles with two corners, 1e-4 and 7e-6 apart, in place of one. Of the first, planes of wide faces are
// outside by 8e-5, and where they are steep as seen from another blade, 30 times that above the surface. The second has
// a face so sharp that what is 1 beyond its corner is outside its sides by 1e-6 only; the third has such an edge.
enum { BLADE_CORNERS = 6 };
static const struct {
  int count;
  ts_vec3 corners[BLADE_CORNERS];
} blades[] = {{4,
               {{7.0 - 3.3e-5, 7.0 + 2.1e-5, 7.0 - 3.3e-5},
                {7.0 + 4.5e-5, 7.0 + 4.5e-5, 7.0 + 4.5e-5},
                {7.0 + 4.5e-5, 3.0 - 4.8e-5, 1.0 - 3.3e-5},
                {6.0 - 3.3e-5, 0.0, 0.0}}},
              {4,
               {{2.0 - 4.5e-5, 7.0 + 4.2e-5, 7.0 + 3.9e-5},
                {4.0 - 4.5e-5, 2.0 - 4.5e-5, 2.0 - 4.5e-5},
                {2.0 - 4.5e-5, 7.0 + 4.5e-5, 7.0 + 4.5e-5},
                {2.0 - 4.5e-5, 0.0, 0.0}}},
              {6,
               {{-3.3e-5, 7.0 + 4.5e-5, 7.0 - 2.7e-5},
                {7.0 + 4.5e-5, 7.0 + 4.5e-5, 7.0 - 2.7e-5},
                {7.0 + 4.5e-5, 7.0 + 4.5e-5, 7.0 + 4.5e-5},
                {7.0 + 4.5e-5, 5.0 + 2.7e-5, 5.0 + 2.7e-5},
                {-4.8e-5, -4.8e-5, -4.8e-5},
                {0.0, -4.8e-5, -4.8e-5}}}};
enum { GIVEN_BLADES = sizeof blades / sizeof *blades };

// These, and others like them: whole numbers, and next to them.
static int blade(ts_random *random, int trial, ts_vec3 points[BLADE_CORNERS])
{
  const int count = trial < GIVEN_BLADES ? blades[trial].count : 4 + trial / 2 % 3;
  for (int i = 0; i < count; ++i) {
    const ts_vec3 whole = {ts_random_below(random, 8), ts_random_below(random, 8), ts_random_below(random, 8)};
    const double away = trial % 2 ? 5e-5 : 5e-6;
    points[i] = trial < GIVEN_BLADES
                    ? blades[trial].corners[i]
                    : ts_add_scaled(i % 2 == 1 ? points[i - 1] : whole, away, random_direction(random));
  }
  return count;
}

// Two of a kind are moved to where they touch. No two points of theirs are closer along any normal than their corners
// say, and so must touches be, up to the slack of wide faces.
static void blades_are_no_closer_than_their_corners(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 1116);
  enum { BLADES = 2000, MOST = 64 };
  int wide = 0;
  for (int trial = 0; trial < BLADES; ++trial) {
    ts_vec3 points[BLADE_CORNERS];
    const int corners = blade(&random, trial, points);
    const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = corners};
    if (ts_shape_check(&shape, NULL) != TS_OK) continue;
    const ts_convex *part = part_of(arena, &shape);
    const ts_pose here = ts_pose_identity(), there = {{25.0, 0.0, 0.0}, ts_quat_identity()};
    const ts_frame still = ts_pose_frame(&here);
    ts_frame moved = ts_pose_frame(&there);
    ts_separation apart;
    ts_convex_distance(part, &moved, part, &still, &apart);
    moved.origin = ts_add_scaled(moved.origin, -apart.gap, apart.normal);
    ts_touch touches[MOST];
    const int count = ts_convex_touches(part, &moved, part, &still, 0.01, touches, MOST);
    const double slack = part->hull->wide ? part->hull->wide->slack : 0.0;
    for (int i = 0; i < count; ++i) {
      double low = INFINITY, high = -INFINITY;
      for (int v = 0; v < corners; ++v) {
        low = fmin(low, ts_dot(touches[i].normal, ts_add(moved.origin, points[v])));
        high = fmax(high, ts_dot(touches[i].normal, points[v]));
      }
      assert_true(touches[i].gap >= low - high - 4.0 * slack - 1e-9);
    }
    wide += slack > 0.0 && count > 0;
    ts_arena_reset(arena);
  }
  print_message("%d blades with wide faces\n", wide);
  assert_true(wide > 200);
}

static void memory_runs_out(void **state)
{
  (void)state;
  ts_vec3 given[8], points[8];
  for (int i = 0; i < 8; ++i) given[i] = ts_vec3_make(i & 1 ? 1.0 : -1.0, i & 2 ? 0.8 : -0.8, i & 4 ? 0.6 : -0.6);
  turn_and_round(given, 8, ts_quat_exp((ts_vec3){0.3, 0.5, -0.7}), (ts_vec3){0.0, 0.0, 0.0}, SIGNIFICANT, points);
  ts_arena own;
  ts_arena_init(&own, NULL);
  const ts_hull *hull = NULL;
  assert_int_equal(ts_hull_build(points, 8, &own, &hull, NULL), TS_OK);
  volatile bool failed = true;
  for (volatile int budget = 0; failed; ++budget) {
    allocation_count count = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&count);
    ts_arena arena;
    ts_arena_init(&arena, &allocator);
    jmp_buf recovery;
    arena.recovery = &recovery;
    failed = setjmp(recovery) != 0;
    if (!failed) assert_int_equal(ts_wide_faces(hull, &arena)->face_count, 6);
    ts_arena_release(&arena);
    assert_int_equal(count.held, 0);
  }
  ts_arena_release(&own);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_have_six_faces),
      cmocka_unit_test(prisms_have_their_faces),
      cmocka_unit_test(grids_are_faces),
      cmocka_unit_test(what_is_not_flat_is_left_alone),
      cmocka_unit_test(meshes_touch_as_the_boxes_they_mean),
      cmocka_unit_test(touches_keep_to_the_distance),
      cmocka_unit_test(blades_are_no_closer_than_their_corners),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
