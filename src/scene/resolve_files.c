// Mesh files of polytopes.
#include "scene/build.h"

#include "scene/schema.h"
#include "scene/values.h"

#include "math/vec3.h"
#include "shape/mesh_file.h"

#include <stdio.h>
#include <string.h>

// What the mesh reader says stands at a line of the mesh file, or, without a line, at the place that names the file.
static ts_status locate_in_mesh(ts_scene_input *in, const ts_node *file, const char *path, ts_status status)
{
  ts_error *error = in->error;
  if (error->line > 0) {
    snprintf(error->file, sizeof error->file, "%s", path);
    return status;
  }
  const ts_error reason = *error;
  ts_scene_fail(in, file->place, "mesh file '%.80s': %.150s", file->text, reason.text);
  return error->status = status;
}

static ts_node *vector_node(ts_scene_input *in, ts_vec3 v, ts_place place)
{
  ts_node *list = ts_node_create(in, TS_NODE_LIST, place);
  const double numbers[] = {v.x, v.y, v.z};
  for (int k = 0; list && k < 3; ++k) {
    ts_node *number = ts_node_create_number(in, numbers[k], place);
    if (!number) return NULL;
    ts_node_append(list, number);
  }
  return list;
}

static ts_status set_vertices(ts_scene_input *in, ts_node *polytope, const ts_vec3 *vertices, int count, double scale,
                              ts_place place)
{
  ts_node *list = ts_node_create(in, TS_NODE_LIST, place);
  for (int i = 0; list && i < count; ++i) {
    ts_node *vertex = vector_node(in, ts_scale(scale, vertices[i]), place);
    if (!vertex) return in->error->status;
    ts_node_append(list, vertex);
  }
  if (!list) return in->error->status;
  ts_node_set(polytope, "vertices", place, list);
  return TS_OK;
}

static ts_status resolve_polytope(ts_scene_input *in, ts_node *polytope)
{
  const ts_node *file = ts_scene_get(polytope, "file"), *scale = ts_scene_get(polytope, "scale");
  if (!file) return TS_OK;
  const char *path = ts_scene_beside(in, file->place.file, file->text);
  ts_vec3 *vertices;
  int count;
  const ts_status status = ts_mesh_read(path, &in->arena, &vertices, &count, in->error);
  if (status != TS_OK) return locate_in_mesh(in, file, path, status);
  TS_TRY(set_vertices(in, polytope, vertices, count, ts_scene_number(polytope, "scale", 1.0), file->place));
  ts_node_remove(polytope, file);
  if (scale) ts_node_remove(polytope, scale);
  return TS_OK;
}

static ts_status resolve_shape(ts_scene_input *in, const ts_node *shape)
{
  ts_node *polytope = ts_node_find(shape, "polytope");
  return polytope ? resolve_polytope(in, polytope) : TS_OK;
}

ts_status ts_scene_resolve_files(ts_scene_input *in, ts_node *root)
{
  for (const ts_node *body = ts_scene_items(root, "bodies"); body; body = body->next) {
    const ts_node *shape = ts_scene_get(body, "shape");
    if (shape) TS_TRY(resolve_shape(in, shape));
    for (const ts_node *part = ts_scene_items(body, "shapes"); part; part = part->next) TS_TRY(resolve_shape(in, part));
  }
  return TS_OK;
}
