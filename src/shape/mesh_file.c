// stat(), strcasecmp()
#define _POSIX_C_SOURCE 200809L

#include "shape/mesh_file.h"

#include "shape/mesh_places.h"
#include "shape/scratch.h"

#include "text/c_locale.h"
#include "text/scanner.h"

#include "base/status.h"

#include "math/vec3.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// Vertices and triangles as they come. There is room for all that the file can hold: no vertex takes less than
// SMALLEST_VERTEX bytes, and triangles have been counted.
typedef struct pile {
  ts_vec3 *vertices;
  int count;
  int (*triangles)[3];
  int triangle_count;
  int largest;            // number of a vertex that a face names
  const char *largest_at; // where it does
} pile;

enum { SMALLEST_VERTEX = 8 }; // "v 0 0 0\n"

// ---- text ----

static ts_status read_vertex(ts_scanner *scan, pile *p)
{
  double x[3];
  const char *start = scan->at;
  TS_TRY(ts_scan_numbers(scan, "a vertex", 3, x));
  if (memchr(start, '\n', (size_t)(scan->at - start)))
    return ts_scan_fail(scan, start, TS_INVALID, "a vertex has fewer than 3 numbers");
  p->vertices[p->count++] = ts_vec3_make(x[0], x[1], x[2]);
  return TS_OK;
}

static bool begins_line(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '#';
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
  while (is_blank(*at)) ++at;
  return at;
}

static bool begins_number(char c)
{
  return (c >= '0' && c <= '9') || c == '-' || c == '+';
}

// A corner "v", "v/vt", "v//vn" or "v/vt/vn": v counts from 1, or from the last vertex backwards.
static ts_status read_corner(ts_scanner *scan, pile *p, int *vertex)
{
  const char *start = scan->at = skip_blanks(scan->at);
  char *end;
  const long number = strtol(start, &end, 10);
  if (end == start) return ts_scan_unexpected(scan, "the number of a vertex");
  if (number == 0 || number > INT_MAX || number < -(long)p->count)
    return ts_scan_fail(scan, start, TS_INVALID, "a face names vertex %ld, which does not exist", number);
  *vertex = number > 0 ? (int)number - 1 : p->count + (int)number;
  if (*vertex > p->largest) {
    p->largest = *vertex;
    p->largest_at = start;
  }
  while (*end && !ts_scan_is_space(*end)) ++end; // texture and normal
  scan->at = end;
  return TS_OK;
}

// A polygon as a fan about its first corner.
static ts_status read_face(ts_scanner *scan, pile *p)
{
  const char *start = scan->at;
  int fan[3] = {0}, corners = 0;
  for (scan->at = skip_blanks(scan->at); begins_number(*scan->at); scan->at = skip_blanks(scan->at)) {
    int vertex = 0;
    TS_TRY(read_corner(scan, p, &vertex));
    if (corners > 2) fan[1] = fan[2];
    fan[corners < 3 ? corners : 2] = vertex;
    if (++corners > 2) memcpy(p->triangles[p->triangle_count++], fan, sizeof fan);
  }
  return corners > 2 ? TS_OK : ts_scan_fail(scan, start, TS_INVALID, "a face has fewer than 3 corners");
}

// Corners of faces, and with them triangles, that a text can hold at most: numbers behind a blank.
static size_t count_corners(const char *text, size_t bytes)
{
  size_t count = 0;
  for (size_t i = 0; i < bytes; ++i) count += is_blank(text[i]) && begins_number(text[i + 1]);
  return count;
}

// Lines "v x y z", perhaps with a weight or a colour behind, and faces "f a b c ..."; of all others only that they
// begin as OBJ lines do.
static ts_status read_obj(ts_scanner *scan, pile *p)
{
  while (!ts_scan_at_end(scan)) {
    if (!begins_line(*scan->at)) return ts_scan_unexpected(scan, "the keyword of an OBJ line");
    if (*scan->at == 'v' && ts_scan_is_space(scan->at[1])) {
      ++scan->at;
      TS_TRY(read_vertex(scan, p));
    } else if (*scan->at == 'f' && is_blank(scan->at[1])) {
      ++scan->at;
      TS_TRY(read_face(scan, p));
    }
    ts_scan_line(scan);
  }
  if (p->count > 0 && p->largest >= p->count)
    return ts_scan_fail(scan, p->largest_at, TS_INVALID, "a face names vertex %d, but there are %d", p->largest + 1,
                        p->count);
  return TS_OK;
}

// The three vertices that came last.
static void add_triangle(pile *p)
{
  for (int k = 0; k < 3; ++k) p->triangles[p->triangle_count][k] = p->count - 3 + k;
  ++p->triangle_count;
}

static bool sees_word(ts_scanner *scan, const char *word)
{
  ts_scan_space(scan);
  return strncmp(scan->at, word, strlen(word)) == 0;
}

// The normal behind "facet" is often wrong or nan, and never needed.
static ts_status read_facet(ts_scanner *scan, pile *p)
{
  TS_TRY(ts_scan_word(scan, "facet"));
  ts_scan_line(scan);
  TS_TRY(ts_scan_word(scan, "outer"));
  TS_TRY(ts_scan_word(scan, "loop"));
  for (int k = 0; k < 3; ++k) {
    TS_TRY(ts_scan_word(scan, "vertex"));
    TS_TRY(read_vertex(scan, p));
  }
  add_triangle(p);
  TS_TRY(ts_scan_word(scan, "endloop"));
  return ts_scan_word(scan, "endfacet");
}

// One or several solids; their names may be anything.
static ts_status read_stl_text(ts_scanner *scan, pile *p)
{
  do {
    TS_TRY(ts_scan_word(scan, "solid"));
    ts_scan_line(scan);
    while (sees_word(scan, "facet")) TS_TRY(read_facet(scan, p));
    TS_TRY(ts_scan_word(scan, "endsolid"));
    ts_scan_line(scan);
  } while (!ts_scan_at_end(scan));
  return TS_OK;
}

// ---- binary STL: 80 bytes of anything, a count, and 50 bytes a triangle: normal, corners, two bytes more ----

enum { STL_HEADER = 84, STL_COUNT_AT = 80, STL_TRIANGLE = 50, STL_CORNERS_AT = 12 };

static uint32_t little_endian(const char *at)
{
  const unsigned char *byte = (const unsigned char *)at;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static double read_float(const char *at)
{
  const uint32_t bits = little_endian(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static ts_status read_stl_binary(const char *content, size_t bytes, pile *p, ts_error *error)
{
  if (bytes < STL_HEADER)
    return ts_fail(error, TS_INVALID, "a binary STL file begins with %d bytes, but this file has %zu", STL_HEADER,
                   bytes);
  const uint32_t triangles = little_endian(content + STL_COUNT_AT);
  const uint64_t needed = STL_HEADER + (uint64_t)STL_TRIANGLE * triangles;
  if (needed != bytes)
    return ts_fail(error, TS_INVALID,
                   "byte %d of the STL file announces %lu triangles, which take %llu bytes, but the file has %zu",
                   STL_COUNT_AT, (unsigned long)triangles, (unsigned long long)needed, bytes);
  for (uint32_t t = 0; t < triangles; ++t) {
    for (int k = 0; k < 3; ++k) {
      const size_t at = STL_HEADER + (size_t)STL_TRIANGLE * t + STL_CORNERS_AT + (size_t)(12 * k);
      const ts_vec3 v = {read_float(content + at), read_float(content + at + 4), read_float(content + at + 8)};
      if (!ts_vec3_is_finite(v))
        return ts_fail(error, TS_INVALID, "the vertex at byte %zu of the STL file is not finite", at);
      p->vertices[p->count++] = v;
    }
    add_triangle(p);
  }
  return TS_OK;
}

// Binary files may begin with "solid" too; then their size tells.
static bool is_binary_stl(const char *content, size_t bytes)
{
  if (bytes >= STL_HEADER &&
      STL_HEADER + (uint64_t)STL_TRIANGLE * little_endian(content + STL_COUNT_AT) == (uint64_t)bytes)
    return true;
  while (ts_scan_is_space(*content)) ++content;
  return strncmp(content, "solid", 5) != 0;
}

// ---- files ----

static ts_status cannot(const char *what, int reason, ts_error *error)
{
  return ts_fail(error, TS_IO, "the file cannot be %s: %s", what, strerror(reason));
}

// The size is asked for before the file is opened, so that no stream is lost when memory for it runs out.
ts_status ts_mesh_load(const char *path, ts_arena *arena, char **content, size_t *bytes, ts_error *error)
{
  struct stat about;
  if (stat(path, &about) != 0) return cannot("opened", errno, error);
  if (!S_ISREG(about.st_mode)) return ts_fail(error, TS_IO, "it is not a regular file");
  if (about.st_size > TS_MESH_LARGEST_FILE)
    return ts_fail(error, TS_INVALID, "the file is larger than %d MiB", TS_MESH_LARGEST_FILE >> 20);
  const size_t size = (size_t)about.st_size;
  *content = ts_arena_bytes(arena, size + 1, 1);
  FILE *stream = fopen(path, "rb");
  if (!stream) return cannot("opened", errno, error);
  *bytes = fread(*content, 1, size, stream);
  const int reason = ferror(stream) ? errno : 0;
  fclose(stream);
  if (reason) return cannot("read", reason, error);
  (*content)[*bytes] = '\0';
  return TS_OK;
}

typedef struct task {
  const char *path; // or NULL: the content is given
  ts_mesh_format format;
  const char *content;
  size_t bytes;
  ts_arena *arena;
  ts_mesh *mesh;
  ts_error error;
} task;

static ts_status read_text(task *t, pile *p)
{
  ts_scanner scan;
  ts_scan_init(&scan, t->content, t->bytes, &t->error);
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(&t->error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = t->format == TS_MESH_OBJ ? read_obj(&scan, p) : read_stl_text(&scan, p);
  ts_c_locale_leave(&locale);
  return status;
}

// No arena memory is taken while text is read: the locale must be left again.
static ts_status parse(void *given, ts_arena *scratch)
{
  task *t = given;
  const size_t most = t->bytes / SMALLEST_VERTEX + 1;
  const size_t triangles = t->format == TS_MESH_OBJ ? count_corners(t->content, t->bytes) : most / 3 + 1;
  pile p = {.vertices = ts_arena_bytes(scratch, most, sizeof *p.vertices), .largest = -1};
  p.triangles = ts_arena_bytes(scratch, triangles, sizeof *p.triangles);
  if (t->format == TS_MESH_STL && is_binary_stl(t->content, t->bytes))
    TS_TRY(read_stl_binary(t->content, t->bytes, &p, &t->error));
  else
    TS_TRY(read_text(t, &p));
  if (p.count == 0) return ts_fail(&t->error, TS_INVALID, "the file has no vertices");
  const ts_mesh raw = {
      .vertices = p.vertices, .vertex_count = p.count, .triangles = p.triangles, .triangle_count = p.triangle_count};
  // Facets of an STL file have vertices of their own.
  ts_mesh_join_places(&raw, t->format == TS_MESH_OBJ, t->arena, scratch, t->mesh);
  return TS_OK;
}

static ts_status read_file(void *given, ts_arena *scratch)
{
  task *t = given;
  char *content = NULL;
  TS_TRY(ts_mesh_load(t->path, scratch, &content, &t->bytes, &t->error));
  t->content = content;
  return parse(t, scratch);
}

static ts_status run(task *t, ts_scratch_work *work, ts_error *error)
{
  *t->mesh = (ts_mesh){0};
  const ts_status status = ts_with_scratch(t->arena, work, t);
  if (status != TS_OK && error) *error = t->error;
  return status;
}

bool ts_mesh_name_ends(const char *path, const char *ending)
{
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

ts_status ts_mesh_read(const char *path, ts_arena *arena, ts_mesh *mesh, ts_error *error)
{
  task t = {.path = path, .arena = arena, .mesh = mesh};
  *mesh = (ts_mesh){0};
  if (ts_mesh_name_ends(path, ".obj"))
    t.format = TS_MESH_OBJ;
  else if (ts_mesh_name_ends(path, ".stl"))
    t.format = TS_MESH_STL;
  else
    return ts_fail(error, TS_INVALID, "the name of a mesh file must end in .obj, .stl or .dae");
  return run(&t, read_file, error);
}

ts_status ts_mesh_parse(ts_mesh_format format, const char *content, size_t bytes, ts_arena *arena, ts_mesh *mesh,
                        ts_error *error)
{
  task t = {.format = format, .content = content, .bytes = bytes, .arena = arena, .mesh = mesh};
  return run(&t, parse, error);
}
