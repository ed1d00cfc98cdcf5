// Mesh files: the same cube in every format, files cut short and damaged anywhere, and sentences about what is wrong.
#define _XOPEN_SOURCE 700 // mkdtemp

#include "shape/mesh_file.h"

#include "counting_allocator.h"

#include "shape/hull.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char cube_obj[] = "# a cube\n"
                               "mtllib none.mtl\n"
                               "o cube\n"
                               "v -1 -1 -1\n"
                               "v  1 -1 -1 1.0\n"
                               "v -1  1 -1 0.5 0.5 0.5\r\n"
                               "\tv 1e0 +1. -10e-1\n"
                               "\n"
                               "v -1 -1 1\n"
                               "vn 0 0 1\n"
                               "vt 0 0\n"
                               "v 1 -1 1\n"
                               "v -1 1 1\n"
                               "v 1 1 1\n"
                               "f 1/1/1 2//1 3\n"
                               "v 1 1 1";

static ts_status parse(ts_arena *arena, ts_mesh_format format, const char *content, size_t bytes, ts_mesh *mesh,
                       ts_error *error)
{
  char *exact = malloc(bytes + 1); // a block of its size, so that a sanitizer sees a step beyond it
  memcpy(exact, content, bytes);
  exact[bytes] = '\0';
  const ts_status status = ts_mesh_parse(format, exact, bytes, arena, mesh, error);
  free(exact);
  return status;
}

// Corner i of the cube, and the twelve triangles as their corners
static ts_vec3 corner(int i)
{
  return (ts_vec3){i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
}

static const int triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static size_t cube_stl_text(char *text, size_t size)
{
  size_t n = (size_t)snprintf(text, size, "solid cube facet vertex\n");
  for (int t = 0; t < 12; ++t) {
    n += (size_t)snprintf(text + n, size - n, " facet normal nan 0 inf\n  outer loop\n");
    for (int k = 0; k < 3; ++k) {
      const ts_vec3 v = corner(triangles[t][k]);
      n += (size_t)snprintf(text + n, size - n, "   vertex %g %.3e %g\n", v.x, v.y, v.z);
    }
    n += (size_t)snprintf(text + n, size - n, "  endloop\n endfacet\n");
  }
  n += (size_t)snprintf(text + n, size - n, "endsolid cube\n");
  return n;
}

enum { CUBE_BINARY = 84 + 50 * 12 };

static void put_float(char *at, double value)
{
  const float narrow = (float)value;
  memcpy(at, &narrow, sizeof narrow); // the machines we test on are little-endian
}

static void cube_stl_binary(char *content, const char *header)
{
  memset(content, 0, CUBE_BINARY);
  memcpy(content, header, strlen(header));
  content[80] = 12;
  for (int t = 0; t < 12; ++t)
    for (int k = 0; k < 3; ++k) {
      const ts_vec3 v = corner(triangles[t][k]);
      char *at = content + 84 + 50 * t + 12 + 12 * k;
      put_float(at, v.x);
      put_float(at + 4, v.y);
      put_float(at + 8, v.z);
    }
}

static void assert_cube(ts_arena *arena, const ts_vec3 *vertices, int count)
{
  assert_int_equal(count, 8);
  const ts_hull *hull;
  assert_int_equal(ts_hull_build(vertices, count, arena, &hull, NULL), TS_OK);
  assert_int_equal(hull->face_count, 6);
  for (int i = 0; i < 8; ++i) assert_true(fabs(vertices[i].x) == 1.0 && fabs(vertices[i].y) == 1.0);
}

static void cubes(void **state)
{
  ts_arena *arena = *state;
  ts_mesh mesh;
  assert_int_equal(parse(arena, TS_MESH_OBJ, cube_obj, sizeof cube_obj - 1, &mesh, NULL), TS_OK);
  assert_cube(arena, mesh.vertices, mesh.vertex_count);
  for (int i = 0; i < 8; ++i) { // in the order of the file, the ninth left out
    const ts_vec3 v = corner(i);
    assert_true(mesh.vertices[i].x == v.x && mesh.vertices[i].y == v.y && mesh.vertices[i].z == v.z);
  }
  char text[4096];
  const size_t bytes = cube_stl_text(text, sizeof text);
  assert_int_equal(parse(arena, TS_MESH_STL, text, bytes, &mesh, NULL), TS_OK);
  assert_cube(arena, mesh.vertices, mesh.vertex_count);
  char twice[8192];
  memcpy(twice, text, bytes);
  memcpy(twice + bytes, text, bytes);
  assert_int_equal(parse(arena, TS_MESH_STL, twice, 2 * bytes, &mesh, NULL), TS_OK);
  assert_cube(arena, mesh.vertices, mesh.vertex_count);
  char binary[CUBE_BINARY];
  const char *headers[] = {"", "written by a test", "solid of a program that likes to mislead"};
  for (int k = 0; k < 3; ++k) {
    cube_stl_binary(binary, headers[k]);
    assert_int_equal(parse(arena, TS_MESH_STL, binary, sizeof binary, &mesh, NULL), TS_OK);
    assert_cube(arena, mesh.vertices, mesh.vertex_count);
  }
}

typedef struct refusal {
  ts_mesh_format format;
  const char *text;
  int line, column;
  const char *fragment;
} refusal;

static void refused_texts(void **state)
{
  ts_arena *arena = *state;
  static const refusal table[] = {
      {TS_MESH_OBJ, "", 0, 0, "no vertices"},
      {TS_MESH_OBJ, "# nothing\nf 1 2 3\n", 0, 0, "no vertices"},
      {TS_MESH_OBJ, "v 1 2\nv 3 4 5\n", 2, 1, "\"v\" stands where a number of a vertex"},
      {TS_MESH_OBJ, "o x\nv 1 2\n3\n", 2, 2, "fewer than 3"},
      {TS_MESH_OBJ, "v 1 nan 2\n", 1, 5, "not finite"},
      {TS_MESH_OBJ, "v 1 2 inf\n", 1, 7, "not finite"},
      {TS_MESH_OBJ, "v 1 2 1e999\n", 1, 7, "too large"},
      {TS_MESH_OBJ, "v 1 2 3,4\n", 1, 7, "\"3,4\" stands where"},
      {TS_MESH_OBJ, "v 1 2 3\n  0x10 4\n", 2, 3, "keyword"},
      {TS_MESH_OBJ, "v 1 2", 1, 6, "ends where"},
      {TS_MESH_OBJ, "\x01\x02", 1, 1, "keyword"},
      {TS_MESH_STL, "", 0, 0, "begins with 84 bytes"},
      {TS_MESH_STL, "hello", 0, 0, "begins with 84 bytes"},
      {TS_MESH_STL, "solid\nendsolid\n", 0, 0, "no vertices"},
      {TS_MESH_STL, "solid a\n", 2, 1, "ends where \"endsolid\""},
      {TS_MESH_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendloop\n", 5, 1, "\"vertex\" should be"},
      {TS_MESH_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 -nan\n", 4, 12, "not finite"},
      {TS_MESH_STL, "solid a\nfacet\nouter lop", 3, 7, "\"loop\" should be"},
      {TS_MESH_STL, "solid a\nvertex 1 2 3", 2, 1, "\"endsolid\" should be"},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
    ts_mesh mesh;
    ts_error error = {0};
    const refusal *r = table + k;
    assert_int_equal(parse(arena, r->format, r->text, strlen(r->text), &mesh, &error), TS_INVALID);
    if (!strstr(error.text, r->fragment) || error.line != r->line || error.column != r->column)
      fail_msg("%zu: %d:%d: %s", k, error.line, error.column, error.text);
    assert_null(mesh.vertices);
    assert_int_equal(parse(arena, r->format, r->text, strlen(r->text), &mesh, NULL), TS_INVALID);
  }
}

static void refused_binaries(void **state)
{
  ts_arena *arena = *state;
  char binary[CUBE_BINARY];
  ts_mesh mesh;
  ts_error error = {0};
  cube_stl_binary(binary, "x");
  binary[83] = (char)0xff; // four thousand million triangles
  assert_int_equal(parse(arena, TS_MESH_STL, binary, sizeof binary, &mesh, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "byte 80"));
  assert_non_null(strstr(error.text, "4278190092 triangles"));
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; ++k) {
    cube_stl_binary(binary, "x");
    put_float(binary + 84 + 50 * 3 + 12 + 12 + 4, bad[k]);
    assert_int_equal(parse(arena, TS_MESH_STL, binary, sizeof binary, &mesh, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "byte 258"));
  }
  char none[84] = "x";
  assert_int_equal(parse(arena, TS_MESH_STL, none, sizeof none, &mesh, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "no vertices"));
}

// A file cut short anywhere, or with any bytes changed, gives vertices that are finite or one sentence.
static void check_any(ts_arena *arena, ts_mesh_format format, const char *content, size_t bytes)
{
  ts_mesh mesh;
  ts_error error = {0};
  if (parse(arena, format, content, bytes, &mesh, &error) == TS_OK) {
    assert_true(mesh.vertex_count > 0 && (size_t)mesh.vertex_count <= bytes / 8 + 1);
    for (int i = 0; i < mesh.vertex_count; ++i)
      assert_true(isfinite(mesh.vertices[i].x) && isfinite(mesh.vertices[i].y) && isfinite(mesh.vertices[i].z));
    for (int i = 0; i < 3 * mesh.triangle_count; ++i)
      assert_in_range(mesh.triangles[i / 3][i % 3], 0, mesh.vertex_count - 1);
  } else {
    assert_int_equal(error.status, TS_INVALID);
    assert_true(error.text[0] && !strchr(error.text, '\n'));
    assert_null(mesh.vertices);
  }
  ts_arena_reset(arena);
}

static void damaged(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 61);
  char text[4096], binary[CUBE_BINARY], changed[4096];
  const size_t text_bytes = cube_stl_text(text, sizeof text);
  cube_stl_binary(binary, "solid");
  const struct {
    ts_mesh_format format;
    const char *content;
    size_t bytes;
  } file[] = {{TS_MESH_OBJ, cube_obj, sizeof cube_obj - 1},
              {TS_MESH_STL, text, text_bytes},
              {TS_MESH_STL, binary, sizeof binary}};
  for (int f = 0; f < 3; ++f) {
    for (size_t n = 0; n < file[f].bytes; ++n) check_any(arena, file[f].format, file[f].content, n);
    for (int trial = 0; trial < 5000; ++trial) {
      memcpy(changed, file[f].content, file[f].bytes);
      for (int k = 0; k <= trial % 5; ++k)
        changed[ts_random_below(&random, (int)file[f].bytes)] = (char)ts_random_below(&random, 256);
      check_any(arena, file[f].format, changed, file[f].bytes);
    }
  }
}

static void write_file(const char *path, const char *content, size_t bytes)
{
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(content, 1, bytes, out), bytes);
  fclose(out);
}

static void files(void **state)
{
  ts_arena *arena = *state;
  char folder[] = "/tmp/touchstone-mesh-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  ts_mesh mesh;
  ts_error error = {0};
  const char *endings[] = {"obj", "OBJ", "stl", "Stl"};
  char binary[CUBE_BINARY];
  cube_stl_binary(binary, "");
  for (int k = 0; k < 4; ++k) {
    snprintf(path, sizeof path, "%s/cube.%s", folder, endings[k]);
    write_file(path, k < 2 ? cube_obj : binary, k < 2 ? sizeof cube_obj - 1 : sizeof binary);
    assert_int_equal(ts_mesh_read(path, arena, &mesh, &error), TS_OK);
    assert_cube(arena, mesh.vertices, mesh.vertex_count);
    remove(path);
    assert_int_equal(ts_mesh_read(path, arena, &mesh, &error), TS_IO);
    assert_non_null(strstr(error.text, "cannot be opened"));
  }
  assert_int_equal(ts_mesh_read("cube.ply", arena, &mesh, &error), TS_INVALID);
  assert_non_null(strstr(error.text, ".obj, .stl or .dae"));
  assert_int_equal(ts_mesh_read(".stl", arena, &mesh, &error), TS_INVALID);
  snprintf(path, sizeof path, "%s/folder.stl", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(ts_mesh_read(path, arena, &mesh, &error), TS_IO);
  assert_non_null(strstr(error.text, "regular"));
  rmdir(path);
  snprintf(path, sizeof path, "%s/large.obj", folder);
  write_file(path, "", 0);
  assert_int_equal(ts_mesh_read(path, arena, &mesh, &error), TS_INVALID);
  assert_int_equal(truncate(path, (off_t)TS_MESH_LARGEST_FILE + 1), 0); // sparse: takes no room
  assert_int_equal(ts_mesh_read(path, arena, &mesh, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "larger than"));
  remove(path);
  rmdir(folder);
}

static bool parsed_within(int budget)
{
  allocation_count allowed = {.budget = budget};
  const ts_allocator allocator = counting_allocator(&allowed);
  ts_arena arena;
  ts_arena_init(&arena, &allocator);
  jmp_buf recovery;
  arena.recovery = &recovery;
  volatile bool finished = false;
  if (!setjmp(recovery)) {
    ts_mesh mesh;
    assert_int_equal(ts_mesh_parse(TS_MESH_OBJ, cube_obj, sizeof cube_obj - 1, &arena, &mesh, NULL), TS_OK);
    finished = true;
  }
  ts_arena_release(&arena);
  return finished;
}

static void memory_runs_out(void **state)
{
  (void)state;
  int needed = 0;
  while (!parsed_within(needed)) assert_true(++needed < 20);
  assert_true(needed > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubes),   cmocka_unit_test(refused_texts), cmocka_unit_test(refused_binaries),
      cmocka_unit_test(damaged), cmocka_unit_test(files),         cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
