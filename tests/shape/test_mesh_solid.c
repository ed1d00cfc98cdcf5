// Meshes as solids: volumes in closed form, edges that are open or turned, and pieces.
#include "shape/mesh_solid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"

enum { TEXT = 1 << 16 };

// Append a box [x0, x1] x ... as 8 vertices and 6 quadrilaterals; `inward` turns its faces inside.
static void add_box(char *text, int *vertices, ts_vec3 low, ts_vec3 high, bool inward)
{
  static const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
  for (int i = 0; i < 8; ++i)
    sprintf(text + strlen(text), "v %.17g %.17g %.17g\n", i & 1 ? high.x : low.x, i & 2 ? high.y : low.y,
            i & 4 ? high.z : low.z);
  for (int f = 0; f < 6; ++f) {
    strcat(text, "f");
    for (int k = 0; k < 4; ++k) sprintf(text + strlen(text), " %d", *vertices + faces[f][inward ? 3 - k : k]);
    strcat(text, "\n");
  }
  *vertices += 8;
}

static ts_mesh parse(ts_arena *arena, const char *text)
{
  ts_mesh mesh;
  ts_error error;
  if (ts_mesh_parse(TS_MESH_OBJ, text, strlen(text), arena, &mesh, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return mesh;
}

static void assert_volume(ts_arena *arena, const char *text, double volume)
{
  const ts_mesh mesh = parse(arena, text);
  ts_mesh_solid solid;
  assert_gives_back(arena, solid = ts_mesh_measure(&mesh, arena));
  assert_int_equal(solid.open_edges, 0);
  if (!(fabs(solid.volume - volume) <= 1e-14 * volume)) fail_msg("%.17g, not %.17g", solid.volume, volume);
}

// An L of three unit cubes: two hexagons that are not convex, and six sides. Fans of either hexagon overlap, which
// their signs make good.
static const char prism_l[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                              "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                              "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\n"
                              "f 5 6 12 11\nf 6 1 7 12\n";

static void volumes_are_those_of_the_solids(void **state)
{
  ts_arena *arena = *state;
  char text[TEXT] = "";
  int vertices = 0;
  assert_volume(arena, prism_l, 3.0);
  add_box(text, &vertices, (ts_vec3){-1, -2, -3}, (ts_vec3){1, 2, 3}, false);
  assert_volume(arena, text, 48.0);
  add_box(text, &vertices, (ts_vec3){-0.5, -0.5, -0.5}, (ts_vec3){0.5, 0.5, 0.5}, true); // a hole within
  assert_volume(arena, text, 47.0);
  text[0] = '\0';
  vertices = 0;
  add_box(text, &vertices, (ts_vec3){0, 0, 0}, (ts_vec3){1, 1, 1}, true); // all inside out
  assert_volume(arena, text, 1.0);
}

static void open_and_turned_edges_are_counted(void **state)
{
  ts_arena *arena = *state;
  static const char open[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n", // a face is missing
      turned[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 4 1\n",
                    sliver[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 1 2\n";
  ts_mesh mesh = parse(arena, open);
  ts_mesh_solid solid = ts_mesh_measure(&mesh, arena);
  assert_int_equal(solid.open_edges, 3);
  assert_int_equal(solid.turned_edges, 0);
  mesh = parse(arena, turned); // the last face runs the other way round: its three edges
  solid = ts_mesh_measure(&mesh, arena);
  assert_int_equal(solid.open_edges, 3);
  assert_int_equal(solid.turned_edges, 3);
  assert_volume(arena, sliver, 1.0 / 6.0); // what has no area does no harm
}

// Two boxes that share a face: places coincide, vertices do not.
static void pieces_that_touch_are_told_apart(void **state)
{
  ts_arena *arena = *state;
  char text[TEXT] = "";
  int vertices = 0, count;
  add_box(text, &vertices, (ts_vec3){0, 0, 0}, (ts_vec3){1, 1, 1}, false);
  add_box(text, &vertices, (ts_vec3){1, 0, 0}, (ts_vec3){3, 1, 1}, false);
  ts_mesh mesh = parse(arena, text);
  assert_int_equal(mesh.vertex_count, 12);
  const ts_mesh *pieces = ts_mesh_pieces(&mesh, arena, &count);
  assert_int_equal(count, 2);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(pieces[i].vertex_count, 8);
    assert_true(fabs(ts_mesh_measure(&pieces[i], arena).volume - (i + 1)) < 1e-14);
  }
  mesh = parse(arena, prism_l);
  ts_mesh_pieces(&mesh, arena, &count);
  assert_int_equal(count, 1);
  mesh = parse(arena, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
  ts_mesh_pieces(&mesh, arena, &count);
  assert_int_equal(count, 0);
}

// Every face with vertices of its own, as some programs write it: places hold the pieces together.
static void vertices_of_every_face_anew(void **state)
{
  ts_arena *arena = *state;
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  char text[TEXT] = "";
  int count;
  for (int piece = 0; piece < 3; ++piece)
    for (int f = 0; f < 4; ++f) {
      for (int k = 0; k < 3; ++k) {
        const double *at = corners[faces[f][k]];
        sprintf(text + strlen(text), "v %g %g %g\n", at[0] + 5.0 * piece, at[1], at[2]);
      }
      strcat(text, "f -3 -2 -1\n");
    }
  const ts_mesh mesh = parse(arena, text);
  const ts_mesh *pieces = ts_mesh_pieces(&mesh, arena, &count);
  assert_int_equal(count, 3);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(pieces[i].vertex_count, 4);
    assert_true(fabs(ts_mesh_measure(&pieces[i], arena).volume - 1.0 / 6.0) < 1e-14);
  }
}

static void faces_that_make_no_sense_are_refused(void **state)
{
  ts_arena *arena = *state;
  static const struct {
    const char *text, *words;
    int line, column;
  } cases[] = {{"v 0 0 0\nf 1 2 3\nv 1 0 0\n", "names vertex 3, but there are 2", 2, 7},
               {"v 0 0 0\nf 0 1 1\n", "names vertex 0", 2, 3},
               {"v 0 0 0\nf -2 1 1\n", "names vertex -2", 2, 3},
               {"v 0 0 0\nv 1 1 1\nf 1 2\n", "fewer than 3 corners", 3, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    ts_mesh mesh;
    ts_error error = {0};
    assert_int_equal(ts_mesh_parse(TS_MESH_OBJ, cases[i].text, strlen(cases[i].text), arena, &mesh, &error),
                     TS_INVALID);
    if (!strstr(error.text, cases[i].words)) fail_msg("'%s' does not say '%s'", error.text, cases[i].words);
    assert_int_equal(error.line, cases[i].line);
    assert_int_equal(error.column, cases[i].column);
  }
}

static jmp_buf recovery;

static int make_arena(void **state)
{
  static ts_arena arena;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  *state = &arena;
  return 0;
}

static int release_arena(void **state)
{
  ts_arena_release(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes_are_those_of_the_solids),      cmocka_unit_test(open_and_turned_edges_are_counted),
      cmocka_unit_test(pieces_that_touch_are_told_apart),     cmocka_unit_test(vertices_of_every_face_anew),
      cmocka_unit_test(faces_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
