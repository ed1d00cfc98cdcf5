#include "shape/mesh_solid.h"

#include "math/vec3.h"

#include <stdint.h>
#include <stdlib.h>

// ---- closed --------------------------------------------------------------------------------------------------------

// An edge of a triangle. `way` is 1 where it runs from the smaller number to the larger.
typedef struct edge {
  int low, high;
  int way;
} edge;

static int compare_edges(const void *left, const void *right)
{
  const edge *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return a->high < b->high ? -1 : a->high > b->high;
}

static bool has_area(const int triangle[3])
{
  return triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0];
}

static int list_edges(const ts_mesh *mesh, edge *edges)
{
  int count = 0;
  for (int i = 0; i < mesh->triangle_count; ++i) {
    const int *t = mesh->triangles[i];
    for (int k = 0; k < 3 && has_area(t); ++k) {
      const int from = t[k], to = t[(k + 1) % 3];
      edges[count++] = from < to ? (edge){from, to, 1} : (edge){to, from, -1};
    }
  }
  return count;
}

// Six times the volume of the tetrahedra from one vertex to all triangles.
static double enclosed_volume(const ts_mesh *mesh)
{
  const ts_vec3 origin = mesh->vertices[0];
  double sum = 0.0;
  for (int i = 0; i < mesh->triangle_count; ++i) {
    ts_vec3 at[3];
    for (int k = 0; k < 3; ++k) at[k] = ts_sub(mesh->vertices[mesh->triangles[i][k]], origin);
    sum += ts_dot(at[0], ts_cross(at[1], at[2]));
  }
  return fabs(sum) / 6.0;
}

ts_mesh_solid ts_mesh_measure(const ts_mesh *mesh, ts_arena *scratch)
{
  ts_mesh_solid solid = {0};
  const ts_arena_mark mark = ts_arena_save(scratch);
  edge *edges = ts_arena_bytes(scratch, 3 * (size_t)mesh->triangle_count, sizeof *edges);
  const int count = list_edges(mesh, edges);
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int i = 0, next; i < count; i = next) {
    int balance = 0;
    for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; ++next) balance += edges[next].way;
    if (balance == 0) continue;
    ++solid.open_edges;
    solid.turned_edges += (next - i) % 2 == 0;
  }
  ts_arena_restore(scratch, mark);
  if (solid.open_edges == 0 && count > 0) solid.volume = enclosed_volume(mesh);
  return solid;
}

// ---- pieces --------------------------------------------------------------------------------------------------------

// The representative of a vertex, with the way to it shortened.
static int find_root(int *parents, int i)
{
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

static int largest_number(const int (*triangles)[3], int count)
{
  int largest = 0;
  for (int i = 0; i < 3 * count; ++i)
    if (triangles[i / 3][i % 3] > largest) largest = triangles[i / 3][i % 3];
  return largest;
}

// Number the pieces of triangles that share numbers; returns how many there are.
static int number_pieces(const int (*triangles)[3], int count, int *piece_of, ts_arena *scratch)
{
  const size_t numbers = (size_t)largest_number(triangles, count) + 1;
  int *parents = ts_arena_ints(scratch, numbers), *piece = ts_arena_ints(scratch, numbers), pieces = 0;
  for (size_t i = 0; i < numbers; ++i) {
    parents[i] = (int)i;
    piece[i] = -1;
  }
  for (int i = 0; i < count; ++i)
    for (int k = 1; k < 3; ++k) parents[find_root(parents, triangles[i][k])] = find_root(parents, triangles[i][0]);
  for (int i = 0; i < count; ++i) {
    const int root = find_root(parents, triangles[i][0]);
    if (piece[root] < 0) piece[root] = pieces++;
    piece_of[i] = piece[root];
  }
  return pieces;
}

// A mesh of the triangles of one piece, `first` to `last` of `order`; `renumber` has a place for every vertex and holds
// -1 in all of them, before and after.
static ts_mesh make_piece(const ts_mesh *mesh, const int *order, int count, int *renumber, ts_arena *arena)
{
  ts_mesh piece = {.triangle_count = count};
  piece.vertices = ts_arena_bytes(arena, 3 * (size_t)count, sizeof *piece.vertices);
  piece.triangles = ts_arena_bytes(arena, (size_t)count, sizeof *piece.triangles);
  piece.corners = piece.triangles;
  for (int i = 0; i < 3 * count; ++i) {
    const int vertex = mesh->triangles[order[i / 3]][i % 3];
    if (renumber[vertex] < 0) {
      renumber[vertex] = piece.vertex_count;
      piece.vertices[piece.vertex_count++] = mesh->vertices[vertex];
    }
    piece.triangles[i / 3][i % 3] = renumber[vertex];
  }
  for (int i = 0; i < 3 * count; ++i) renumber[mesh->triangles[order[i / 3]][i % 3]] = -1;
  return piece;
}

static ts_mesh *split(const ts_mesh *mesh, const int *piece_of, int pieces, ts_arena *arena)
{
  const int count = mesh->triangle_count;
  ts_mesh *split = ts_arena_bytes(arena, (size_t)pieces, sizeof *split);
  int *start = ts_arena_ints(arena, (size_t)pieces + 1), *order = ts_arena_ints(arena, (size_t)count);
  int *renumber = ts_arena_ints(arena, (size_t)mesh->vertex_count);
  for (int p = 0; p <= pieces; ++p) start[p] = 0;
  for (int i = 0; i < count; ++i) ++start[piece_of[i] + 1];
  for (int p = 0; p < pieces; ++p) start[p + 1] += start[p];
  for (int i = 0; i < count; ++i) order[start[piece_of[i]]++] = i; // start[p] is then the end of piece p
  for (int i = 0; i < mesh->vertex_count; ++i) renumber[i] = -1;
  for (int p = 0; p < pieces; ++p) {
    const int first = p > 0 ? start[p - 1] : 0;
    split[p] = make_piece(mesh, order + first, start[p] - first, renumber, arena);
  }
  return split;
}

static bool all_closed(const ts_mesh *pieces, int count, ts_arena *scratch)
{
  for (int i = 0; i < count; ++i)
    if (ts_mesh_measure(&pieces[i], scratch).open_edges > 0) return false;
  return true;
}

ts_mesh *ts_mesh_pieces(const ts_mesh *mesh, ts_arena *arena, int *count)
{
  int *piece_of = ts_arena_ints(arena, (size_t)mesh->triangle_count);
  *count = number_pieces((const int(*)[3])mesh->corners, mesh->triangle_count, piece_of, arena);
  ts_mesh *pieces = split(mesh, piece_of, *count, arena);
  if (all_closed(pieces, *count, arena)) return pieces;
  *count = number_pieces((const int(*)[3])mesh->triangles, mesh->triangle_count, piece_of, arena);
  return split(mesh, piece_of, *count, arena);
}
