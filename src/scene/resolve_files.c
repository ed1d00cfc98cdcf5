// Mesh files of polytopes.
#include "scene/build.h"

#include "scene/scene_schema.h"

#include "document/mesh.h"
#include "document/values.h"
#include "math/vec3.h"
#include "shape/mesh_solid.h"

#include <stdio.h>
#include <string.h>

// ---- polytopes -----------------------------------------------------------------------------------------------------

static bool takes_parts(const ts_node *polytope)
{
  return strcmp(ts_node_word(polytope, "convex", "hull"), "parts") == 0;
}

static ts_status read_mesh_of(ts_document_input *in, const ts_node *polytope, ts_mesh *mesh)
{
  const ts_node *file = ts_node_get(polytope, "file");
  const char *path = ts_document_beside(in, file->place.file, file->text);
  const double scale = ts_node_number(polytope, "scale", 1.0);
  return ts_document_read_mesh(in, path, file->text, file->place, (ts_vec3){scale, scale, scale}, mesh);
}

// Vertices in the place of the file.
static ts_status set_vertices(ts_document_input *in, ts_node *polytope, const ts_mesh *mesh)
{
  static const char *const replaced[] = {"file", "scale", "convex"};
  const ts_place place = ts_node_get(polytope, "file")->place;
  ts_node *list = ts_node_create_vectors(in, mesh->vertices, mesh->vertex_count, place);
  if (!list) return in->error->status;
  ts_node_set(polytope, "vertices", place, list);
  for (int i = 0; i < 3; ++i) {
    const ts_node *old = ts_node_find(polytope, replaced[i]);
    if (old) ts_node_remove(polytope, old);
  }
  return TS_OK;
}

static ts_status resolve_hull(ts_document_input *in, ts_node *polytope)
{
  const ts_node *file = ts_node_get(polytope, "file");
  ts_mesh mesh;
  TS_TRY(read_mesh_of(in, polytope, &mesh));
  char what[160];
  snprintf(what, sizeof what, "mesh '%.100s'", file->text);
  ts_document_question_hull(in, what, file->place, &mesh,
                            "; cut it into convex pieces, which 'convex: parts' takes one by one");
  return set_vertices(in, polytope, &mesh);
}

// A copy of a shape, checked as it is, with one piece of its mesh.
static ts_status append_piece(ts_document_input *in, ts_node *list, const ts_node *shape, const ts_mesh *piece)
{
  ts_node *copy = ts_node_copy_checked(in, shape);
  if (!copy) return in->error->status;
  copy->key = NULL;
  ts_node_append(list, copy);
  return set_vertices(in, ts_node_find(copy, "polytope"), piece);
}

// A shape for every piece of its mesh, at the end of `list`.
static ts_status append_pieces(ts_document_input *in, ts_node *list, const ts_node *shape)
{
  const ts_node *polytope = ts_node_find(shape, "polytope"), *file = ts_node_get(polytope, "file");
  ts_mesh mesh;
  int count;
  TS_TRY(read_mesh_of(in, polytope, &mesh));
  const ts_mesh *pieces = ts_mesh_pieces(&mesh, &in->arena, &count);
  if (count == 0)
    return ts_document_fail(in, file->place, "mesh file '%.80s' has no faces, which would tell its parts apart",
                            file->text);
  for (int i = 0; i < count; ++i) {
    char what[160];
    snprintf(what, sizeof what, "piece %d of %d of mesh '%.80s'", i + 1, count, file->text);
    ts_document_question_hull(in, what, file->place, &pieces[i], "; cut it into convex pieces");
    TS_TRY(append_piece(in, list, shape, &pieces[i]));
  }
  return TS_OK;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static bool has_file(const ts_node *shape)
{
  const ts_node *polytope = ts_node_find(shape, "polytope");
  return polytope && ts_node_get(polytope, "file");
}

// Members of an intersection are hulls: pieces of a mesh would have to be members each.
static ts_status resolve_members(ts_document_input *in, const ts_node *shape)
{
  const ts_node *intersection = ts_node_find(shape, "intersection");
  const ts_node *members = intersection ? ts_node_get(intersection, "members") : NULL;
  for (ts_node *member = members ? members->first : NULL; member; member = member->next) {
    ts_node *polytope = ts_node_find(member, "polytope");
    if (!has_file(member)) continue;
    if (takes_parts(polytope))
      return ts_document_fail(in, ts_node_get(polytope, "convex")->place,
                              "a member of an intersection is convex: the parts of a mesh cannot be one");
    TS_TRY(resolve_hull(in, polytope));
  }
  return TS_OK;
}

// `shapes` anew, with the pieces of its meshes in it.
static ts_status resolve_compound(ts_document_input *in, const ts_node *old, ts_node *list)
{
  for (ts_node *part = old->first, *next; part; part = next) {
    next = part->next;
    ts_node *polytope = ts_node_find(part, "polytope");
    if (has_file(part) && takes_parts(polytope)) {
      TS_TRY(append_pieces(in, list, part));
    } else {
      if (has_file(part)) TS_TRY(resolve_hull(in, polytope));
      TS_TRY(resolve_members(in, part));
      ts_node_append(list, part);
    }
  }
  return TS_OK;
}

static ts_status new_list(ts_document_input *in, const ts_node *old, ts_node **list)
{
  *list = ts_node_create(in, TS_NODE_LIST, old->place);
  return *list ? TS_OK : in->error->status;
}

static ts_status resolve_body(ts_document_input *in, ts_node *body)
{
  const ts_node *shape = ts_node_get(body, "shape"), *shapes = ts_node_get(body, "shapes");
  ts_node *list;
  if (shapes) {
    TS_TRY(new_list(in, shapes, &list));
    list->row = shapes->row;
    TS_TRY(resolve_compound(in, shapes, list));
    ts_node_replace(body, shapes, list);
  }
  if (shape) TS_TRY(resolve_members(in, shape));
  if (!shape || !has_file(shape)) return TS_OK;
  ts_node *polytope = ts_node_find(shape, "polytope");
  if (!takes_parts(polytope)) return resolve_hull(in, polytope);
  TS_TRY(new_list(in, shape, &list));
  TS_TRY(append_pieces(in, list, shape));
  for (ts_node *part = list->first; part; part = part->next) part->section = &ts_part_section;
  ts_node_set(body, "shapes", shape->key_place, list);
  ts_node_remove(body, shape);
  return TS_OK;
}

ts_status ts_scene_resolve_files(ts_document_input *in, ts_node *root)
{
  const ts_node *bodies = ts_node_get(root, "bodies");
  for (ts_node *body = bodies ? bodies->first : NULL; body; body = body->next) TS_TRY(resolve_body(in, body));
  return TS_OK;
}
