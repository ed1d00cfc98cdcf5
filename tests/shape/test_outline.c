// Polygons: which are refused, and that pieces are convex, cover the polygon and meet in cuts.
#include "shape/outline.h"

#include "counting_allocator.h"
#include "shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double area_of(const ts_vec3 *p, int count) // shoelace, positive counter-clockwise
{
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const ts_vec3 a = ts_sub(p[i], p[0]), b = ts_sub(p[(i + 1) % count], p[0]);
    sum += 0.5 * (a.x * b.y - a.y * b.x);
  }
  return sum;
}

static bool is_inside(const ts_vec3 *p, int count, ts_vec3 q) // crossing number
{
  bool inside = false;
  for (int i = 0, j = count - 1; i < count; j = i++)
    if ((p[i].y > q.y) != (p[j].y > q.y) && q.x < (p[j].x - p[i].x) * (q.y - p[i].y) / (p[j].y - p[i].y) + p[i].x)
      inside = !inside;
  return inside;
}

static int reflex_corners(const ts_vec3 *p, int count)
{
  const double sense = area_of(p, count);
  int reflex = 0;
  for (int i = 0; i < count; ++i) {
    const ts_vec3 a = ts_sub(p[(i + 1) % count], p[i]), b = ts_sub(p[(i + 2) % count], p[(i + 1) % count]);
    reflex += (a.x * b.y - a.y * b.x) * sense < -1e-12 * fabs(sense) * ts_length(a) * ts_length(b);
  }
  return reflex;
}

static bool has_edge(const ts_hull *h, ts_vec3 from, ts_vec3 to, bool inner)
{
  for (int f = 0; f < h->face_count; ++f) {
    const ts_vec3 a = h->vertices[f], b = h->vertices[(f + 1) % h->vertex_count];
    if (ts_distance_of(a, from) == 0.0 && ts_distance_of(b, to) == 0.0 && (h->inner && h->inner[f]) == inner)
      return true;
  }
  return false;
}

// One piece: a convex outline, counter-clockwise, with its planes
static void check_piece(const ts_hull *h, double size)
{
  assert_true(h->vertex_count >= 3 && h->face_count == h->vertex_count && h->edge_count == 0);
  for (int f = 0; f < h->face_count; ++f) {
    const int next = (f + 1) % h->vertex_count;
    assert_int_equal(h->face_vertices[h->face_start[f]], f);
    assert_int_equal(h->face_vertices[h->face_start[f] + 1], next);
    assert_true(fabs(ts_length(h->normals[f]) - 1.0) < 1e-15 && h->normals[f].z == 0.0);
    assert_true(fabs(ts_dot(h->normals[f], h->vertices[f]) - h->offsets[f]) < 1e-14 * size);
    for (int v = 0; v < h->vertex_count; ++v)
      assert_true(ts_dot(h->normals[f], h->vertices[v]) <= h->offsets[f] + 1e-11 * size);
    assert_int_equal(h->neighbours[h->neighbour_start[next]], f);
    assert_int_equal(h->neighbours[h->neighbour_start[f] + 1], next);
  }
  assert_true(area_of(h->vertices, h->vertex_count) > 0.0);
}

// All pieces: their areas add up, cuts have two sides and other faces one, and they lie on the outline.
static int check_pieces(ts_arena *arena, const ts_vec3 *corners, int count, double size)
{
  const ts_hull *hulls = NULL;
  int pieces = 0;
  ts_error error = {0};
  if (ts_outline_pieces(corners, count, arena, &hulls, &pieces, &error) != TS_OK) fail_msg("%s", error.text);
  double area = 0.0;
  for (int p = 0; p < pieces; ++p) {
    const ts_hull *h = hulls + p;
    check_piece(h, size);
    area += area_of(h->vertices, h->vertex_count);
    assert_true((h->inner != NULL) == (pieces > 1));
    for (int f = 0; pieces > 1 && f < h->face_count; ++f) {
      if (!h->inner[f]) continue;
      const ts_vec3 a = h->vertices[f], b = h->vertices[(f + 1) % h->vertex_count];
      int others = 0;
      for (int o = 0; o < pieces; ++o) others += o != p && has_edge(hulls + o, b, a, true);
      assert_int_equal(others, 1);
      assert_true(is_inside(corners, count, ts_scale(0.5, ts_add(a, b))));
    }
  }
  assert_true(fabs(area - fabs(area_of(corners, count))) <= 1e-13 * size * size);
  const int reflex = reflex_corners(corners, count);
  if (reflex == 0) assert_int_equal(pieces, 1);
  assert_true(pieces >= 1 + (reflex + 1) / 2); // a cut serves two corners at most
  assert_true(pieces <= 1 + 2 * reflex);       // Hertel and Mehlhorn: two cuts a corner at most
  return pieces;
}

static void star_shaped(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 31);
  static test_shape made;
  for (int trial = 0; trial < 3000; ++trial) {
    const double size = pow(10.0, ts_random_uniform(&random, -6.0, 6.0));
    random_shape(&random, TS_SHAPE_POLYGON, size, &made);
    check_pieces(arena, made.vertices, made.shape.vertex_count, 10.0 * size);
    ts_arena_reset(arena);
  }
}

// Spirals, combs and the like: corridors that only their own walls separate
static void corridors(void **state)
{
  ts_arena *arena = *state;
  ts_vec3 p[400];
  for (int turns = 1; turns <= 8; ++turns) {
    const int half = 16 * turns;
    for (int i = 0; i < half; ++i) {
      const double angle = 0.3926990816987241 * i, radius = 1.0 + 0.2 * angle;
      p[i] = ts_vec3_make(radius * cos(angle), radius * sin(angle), 0.0);
      p[2 * half - 1 - i] = ts_vec3_make((radius + 0.5) * cos(angle), (radius + 0.5) * sin(angle), 0.0);
    }
    check_pieces(arena, p, 2 * half, 50.0);
  }
  const int teeth = 90;
  for (int i = 0; i < teeth; ++i) {
    p[4 * i] = ts_vec3_make(i, 10.0, 0.0);
    p[4 * i + 1] = ts_vec3_make(i, 0.0, 0.0);
    p[4 * i + 2] = ts_vec3_make(i + 0.5, 0.0, 0.0);
    p[4 * i + 3] = ts_vec3_make(i + 0.5, 10.0, 0.0);
  }
  p[4 * teeth] = ts_vec3_make(teeth, 12.0, 0.0);
  p[4 * teeth + 1] = ts_vec3_make(0.0, 12.0, 0.0);
  const int pieces = check_pieces(arena, p, 4 * teeth + 2, 100.0);
  print_message("comb of %d teeth: %d pieces\n", teeth, pieces);
}

static void letters(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 L[6] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  assert_int_equal(check_pieces(arena, L, 6, 2.0), 2);
  const ts_vec3 T[8] = {{0, 0, 0}, {0, -1, 0}, {1, -1, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {-1, 1, 0}, {-1, 0, 0}};
  assert_true(check_pieces(arena, T, 8, 3.0) <= 3);
  const ts_vec3 plus[12] = {{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {3, 1, 0}, {3, 2, 0}, {2, 2, 0},
                            {2, 3, 0}, {1, 3, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}, {1, 1, 0}};
  assert_true(check_pieces(arena, plus, 12, 3.0) <= 4);
}

// Corners on straight edges are no corners.
static void straight_corners(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 square[9] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0},   {1, 0.3, 0}, {1, 0.6, 0},
                             {1, 1, 0}, {0, 1, 0},   {0, 0.7, 0}, {0, 0.2, 0}};
  for (int start = 0; start < 9; ++start)
    for (int sense = -1; sense <= 1; sense += 2) {
      ts_vec3 p[9];
      for (int i = 0; i < 9; ++i) p[i] = square[(start + 9 + sense * i) % 9];
      const ts_hull *hulls;
      int pieces;
      assert_int_equal(ts_outline_pieces(p, 9, arena, &hulls, &pieces, NULL), TS_OK);
      assert_int_equal(pieces, 1);
      assert_int_equal(hulls->vertex_count, 4);
    }
}

static void large(void **state)
{
  ts_arena *arena = *state;
  const int count = TS_OUTLINE_MOST_CORNERS;
  ts_vec3 *p = malloc((size_t)count * sizeof *p);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * TS_PI * i / count;
    p[i] = ts_vec3_make(cos(angle), sin(angle), 0.0);
  }
  const ts_hull *hulls;
  int pieces;
  assert_int_equal(ts_outline_pieces(p, count, arena, &hulls, &pieces, NULL), TS_OK);
  assert_int_equal(pieces, 1);
  assert_int_equal(hulls->vertex_count, count);
  for (int i = 0; i < count; i += 2) p[i] = ts_scale(0.9, p[i]);
  assert_int_equal(ts_outline_pieces(p, count, arena, &hulls, &pieces, NULL), TS_OK);
  free(p);
}

static void refuse(ts_arena *arena, const ts_vec3 *p, int count, const char *word)
{
  const ts_hull *hulls = NULL;
  int pieces = 0;
  for (int start = 0; start < count || start == 0; ++start) {
    ts_vec3 turned[16];
    for (int i = 0; i < count; ++i) turned[i] = p[(start + i) % count];
    ts_error error = {0};
    assert_int_equal(ts_outline_pieces(turned, count, arena, &hulls, &pieces, &error), TS_INVALID);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
    assert_int_equal(ts_outline_pieces(turned, count, arena, &hulls, &pieces, NULL), TS_INVALID);
  }
  assert_null(hulls);
}

static void refusals(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 bow_tie[4] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
  refuse(arena, bow_tie, 4, "crosses");
  const ts_vec3 doubled[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  refuse(arena, doubled, 4, "one place");
  const ts_vec3 line[3] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
  refuse(arena, line, 3, "");
  const ts_vec3 there_and_back[5] = {{0, 0, 0}, {2, 0, 0}, {5, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  refuse(arena, there_and_back, 5, "");
  const ts_vec3 touching_corner[6] = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0}};
  refuse(arena, touching_corner, 6, "touches");
  const ts_vec3 corner_on_edge[5] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0, 0}, {0, 2, 0}};
  refuse(arena, corner_on_edge, 5, "touches");
  const ts_vec3 twice_round[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  refuse(arena, twice_round, 8, "touches");
  const ts_vec3 needle[3] = {{0, 0, 0}, {1, 0, 0}, {2, 1e-14, 0}};
  refuse(arena, needle, 3, "");
  refuse(arena, bow_tie, 2, "3 corners");
  refuse(arena, bow_tie, 0, "3 corners");
  const ts_hull *hulls;
  int pieces;
  assert_int_equal(ts_outline_pieces(bow_tie, 2000000000, arena, &hulls, &pieces, NULL), TS_INVALID);
}

// Random closed polylines almost always cross themselves; those that are accepted are simple.
static void random_polylines(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 33);
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    ts_vec3 p[8];
    const int count = 3 + ts_random_below(&random, 6), grid = trial % 2 ? 4 : 1000000;
    for (int i = 0; i < count; ++i)
      p[i] = ts_vec3_make(ts_random_below(&random, grid), ts_random_below(&random, grid), 0.0);
    const ts_hull *hulls;
    int pieces;
    if (ts_outline_pieces(p, count, arena, &hulls, &pieces, NULL) != TS_OK) continue;
    ++accepted;
    check_pieces(arena, p, count, 2.0 * grid);
    ts_arena_reset(arena);
  }
  assert_true(accepted > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(star_shaped),      cmocka_unit_test(corridors), cmocka_unit_test(letters),
      cmocka_unit_test(straight_corners), cmocka_unit_test(large),     cmocka_unit_test(refusals),
      cmocka_unit_test(random_polylines),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
