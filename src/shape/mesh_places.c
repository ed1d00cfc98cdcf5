#include "shape/mesh_places.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
  ts_vec3 at;
  int first;
} place;

static int compare_coordinates(ts_vec3 a, ts_vec3 b)
{
  if (a.x != b.x) return a.x < b.x ? -1 : 1;
  if (a.y != b.y) return a.y < b.y ? -1 : 1;
  return a.z < b.z ? -1 : a.z > b.z;
}

static int compare_places(const void *left, const void *right)
{
  const place *a = left, *b = right;
  const int order = compare_coordinates(a->at, b->at);
  return order ? order : a->first < b->first ? -1 : 1;
}

// Keep the first of vertices in one place. Returns for every vertex the number of the one that stands for it.
static int *drop_repeated(ts_vec3 *vertices, int *count, ts_arena *scratch)
{
  const size_t given = (size_t)*count;
  place *places = ts_arena_bytes(scratch, given, sizeof *places);
  int *first = ts_arena_ints(scratch, given), *number = ts_arena_ints(scratch, given);
  for (int i = 0; i < *count; ++i) places[i] = (place){vertices[i], i};
  qsort(places, given, sizeof *places, compare_places);
  for (int i = 0; i < *count; ++i) {
    const bool repeated = i > 0 && compare_coordinates(places[i].at, places[i - 1].at) == 0;
    first[places[i].first] = repeated ? first[places[i - 1].first] : places[i].first;
  }
  int kept = 0;
  for (int i = 0; i < *count; ++i) {
    if (first[i] == i) vertices[kept] = vertices[i];
    number[i] = first[i] == i ? kept++ : number[first[i]];
  }
  *count = kept;
  return number;
}

void ts_mesh_join_places(const ts_mesh *raw, bool numbered, ts_arena *arena, ts_arena *scratch, ts_mesh *mesh)
{
  const size_t triangles = (size_t)raw->triangle_count;
  int count = raw->vertex_count;
  const int *number = drop_repeated(raw->vertices, &count, scratch);
  *mesh = (ts_mesh){.vertex_count = count, .triangle_count = raw->triangle_count};
  mesh->vertices = ts_arena_bytes(arena, (size_t)count, sizeof *mesh->vertices);
  mesh->triangles = ts_arena_bytes(arena, triangles, sizeof *mesh->triangles);
  mesh->corners = ts_arena_bytes(arena, triangles, sizeof *mesh->corners);
  memcpy(mesh->vertices, raw->vertices, (size_t)count * sizeof *mesh->vertices);
  for (size_t i = 0; i < triangles; ++i)
    for (int k = 0; k < 3; ++k) {
      mesh->triangles[i][k] = number[raw->triangles[i][k]];
      mesh->corners[i][k] = numbered ? raw->triangles[i][k] : mesh->triangles[i][k];
    }
}
