#include "document/mesh.h"

#include "document/collada.h"
#include "document/notes.h"

#include "shape/mass.h"
#include "shape/mesh_solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- COLLADA -------------------------------------------------------------------------------------------------------

static void release_input(void *held)
{
  if (held) ts_document_input_release(held);
  free(held);
}

// What a file takes while it is read, and its tree, lie in an input of its own, which goes when the mesh is there.
static ts_status read_collada(ts_document_input *own, const char *path, ts_arena *arena, ts_mesh *mesh)
{
  char *content = NULL;
  size_t bytes = 0;
  const int file = ts_document_add_file(own, path);
  TS_TRY(ts_mesh_load(path, &own->arena, &content, &bytes, own->error));
  return ts_collada_parse(own, content, bytes, file, arena, mesh);
}

// The input is held by the document, so that nothing is lost when memory runs out below.
static ts_status read_collada_apart(ts_document_input *in, const char *path, ts_mesh *mesh)
{
  void **held = ts_document_hold(in, release_input);
  ts_document_input *own = *held = malloc(sizeof *own);
  if (!own) return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_document_input_init(own, NULL, in->error);
  ts_arena_init(&own->arena, &in->arena.allocator);
  own->arena.recovery = in->arena.recovery;
  const ts_status status = read_collada(own, path, &in->arena, mesh);
  release_input(own);
  *held = NULL;
  return status;
}

// ---- all -----------------------------------------------------------------------------------------------------------

// A mesh as bytes: the two counts, then the arrays.
typedef struct kept_counts {
  int vertices, triangles;
} kept_counts;

static void take_array(void *array, const char **from, size_t bytes)
{
  if (bytes > 0) memcpy(array, *from, bytes);
  *from += bytes;
}

static void unpack(const char *bytes, ts_arena *arena, ts_mesh *mesh)
{
  kept_counts counts;
  take_array(&counts, &bytes, sizeof counts);
  const size_t vertices = (size_t)counts.vertices, triangles = (size_t)counts.triangles;
  *mesh = (ts_mesh){.vertex_count = counts.vertices, .triangle_count = counts.triangles};
  mesh->vertices = ts_arena_bytes(arena, vertices, sizeof *mesh->vertices);
  mesh->triangles = ts_arena_bytes(arena, triangles, sizeof *mesh->triangles);
  mesh->corners = ts_arena_bytes(arena, triangles, sizeof *mesh->corners);
  take_array(mesh->vertices, &bytes, vertices * sizeof *mesh->vertices);
  take_array(mesh->triangles, &bytes, triangles * sizeof *mesh->triangles);
  take_array(mesh->corners, &bytes, triangles * sizeof *mesh->corners);
}

static void put_array(const void *array, char **to, size_t bytes)
{
  if (bytes > 0) memcpy(*to, array, bytes);
  *to += bytes;
}

static void keep(ts_document_input *in, const char *name, const ts_mesh *mesh)
{
  const kept_counts counts = {mesh->vertex_count, mesh->triangle_count};
  const size_t points = (size_t)mesh->vertex_count * sizeof *mesh->vertices;
  const size_t faces = (size_t)mesh->triangle_count * sizeof *mesh->triangles,
               size = sizeof counts + points + 2 * faces;
  if (!in->keeps_files) return;
  const ts_arena_mark mark = ts_arena_save(&in->arena);
  char *bytes = ts_arena_bytes(&in->arena, size, 1), *end = bytes;
  put_array(&counts, &end, sizeof counts);
  put_array(mesh->vertices, &end, points);
  put_array(mesh->triangles, &end, faces);
  put_array(mesh->corners, &end, faces);
  ts_document_keep(in, name, bytes, size);
  ts_arena_restore(&in->arena, mark);
}

static ts_status read_any(ts_document_input *in, const char *path, ts_mesh *mesh)
{
  *mesh = (ts_mesh){0};
  return ts_mesh_name_ends(path, ".dae") ? read_collada_apart(in, path, mesh)
                                         : ts_mesh_read(path, &in->arena, mesh, in->error);
}

// Files that are kept as they are have their paths for names.
static const char *kept_name(ts_document_input *in, const char *path)
{
  static const char prefix[] = "mesh ";
  char *name = ts_document_take(in, sizeof prefix + strlen(path));
  strcpy(name, prefix);
  return strcat(name, path);
}

static ts_status read_once(ts_document_input *in, const char *path, ts_mesh *mesh)
{
  size_t length;
  const char *name = kept_name(in, path), *kept = ts_document_kept(in, name, &length);
  if (kept) {
    unpack(kept, &in->arena, mesh);
    return TS_OK;
  }
  TS_TRY(read_any(in, path, mesh));
  keep(in, name, mesh);
  return TS_OK;
}

// What the mesh reader says stands at a line of the mesh file, or, without a line, at the place that names the file.
ts_status ts_document_read_mesh(ts_document_input *in, const char *path, const char *name, ts_place place,
                                ts_vec3 scale, ts_mesh *mesh)
{
  ts_error *error = in->error;
  const ts_status status = read_once(in, path, mesh);
  for (int i = 0; i < mesh->vertex_count; ++i) {
    const ts_vec3 v = mesh->vertices[i];
    mesh->vertices[i] = (ts_vec3){scale.x * v.x, scale.y * v.y, scale.z * v.z};
  }
  if (status == TS_OK) return TS_OK;
  if (error->line > 0) {
    snprintf(error->file, sizeof error->file, "%s", path);
    return status;
  }
  const ts_error reason = *error;
  ts_document_fail(in, place, "mesh file '%.80s': %.150s", name, reason.text);
  return error->status = status;
}

// How much larger a hull may be for a mesh to count as convex: some hundred times what six digits leave of a volume.
static const double FILLED_UP = 1e-3;

ts_hull_doubt ts_document_doubt_hull(ts_document_input *in, const ts_mesh *mesh)
{
  const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = mesh->vertices, .vertex_count = mesh->vertex_count};
  ts_hull_doubt doubt = {.kind = TS_HULL_FITS};
  ts_mass_properties hull;
  if (mesh->triangle_count == 0 || ts_shape_mass_properties(&shape, &hull, NULL) != TS_OK) return doubt;
  const ts_mesh_solid solid = ts_mesh_measure(mesh, &in->arena);
  doubt.volume = hull.volume;
  doubt.ratio = hull.volume / solid.volume;
  doubt.edges = solid.open_edges > solid.turned_edges ? solid.open_edges - solid.turned_edges : solid.open_edges;
  if (solid.open_edges > solid.turned_edges)
    doubt.kind = TS_HULL_OF_OPEN;
  else if (solid.open_edges > 0)
    doubt.kind = TS_HULL_OF_TURNED;
  else if (hull.volume > (1.0 + FILLED_UP) * solid.volume)
    doubt.kind = TS_HULL_LARGER;
  return doubt;
}

void ts_document_question_hull(ts_document_input *in, const char *what, ts_place place, const ts_mesh *mesh,
                               const char *advice)
{
  const ts_hull_doubt doubt = ts_document_doubt_hull(in, mesh);
  if (doubt.kind == TS_HULL_OF_OPEN)
    ts_document_warn(
        in, place,
        "%.120s is not closed (%d edges have no second face), so that its volume is not known; its hull of "
        "%.4g m^3 is taken",
        what, doubt.edges, doubt.volume);
  if (doubt.kind == TS_HULL_OF_TURNED)
    ts_document_warn(in, place,
                     "faces of %.120s are not turned alike at %d edges, so that its volume is not known; its hull of "
                     "%.4g m^3 is taken",
                     what, doubt.edges, doubt.volume);
  if (doubt.kind == TS_HULL_LARGER)
    ts_document_warn(in, place, "%.120s is not convex: its hull, which is taken, has %.4g times its volume%s", what,
                     doubt.ratio, advice);
}
