// Mesh files of polytopes.
#include "scene/build.h"

#include "scene/schema.h"
#include "scene/values.h"

#include "math/vec3.h"
#include "shape/mesh_file.h"

#include <stdio.h>
#include <string.h>

// What the mesh reader says stands at a line of the mesh file, or, without a line, at the place that names the file.
ts_status ts_scene_read_mesh(ts_scene_input *in, const char *path, const char *name, ts_place place, ts_vec3 **vertices,
                             int *count)
{
  ts_error *error = in->error;
  const ts_status status = ts_mesh_read(path, &in->arena, vertices, count, error);
  if (status == TS_OK) return TS_OK;
  if (error->line > 0) {
    snprintf(error->file, sizeof error->file, "%s", path);
    return status;
  }
  const ts_error reason = *error;
  ts_scene_fail(in, place, "mesh file '%.80s': %.150s", name, reason.text);
  return error->status = status;
}

static ts_status resolve_polytope(ts_scene_input *in, ts_node *polytope)
{
  const ts_node *file = ts_scene_get(polytope, "file"), *scale = ts_scene_get(polytope, "scale");
  if (!file) return TS_OK;
  const char *path = ts_scene_beside(in, file->place.file, file->text);
  ts_vec3 *vertices;
  int count;
  TS_TRY(ts_scene_read_mesh(in, path, file->text, file->place, &vertices, &count));
  const double factor = ts_scene_number(polytope, "scale", 1.0);
  for (int i = 0; i < count; ++i) vertices[i] = ts_scale(factor, vertices[i]);
  ts_node *list = ts_node_create_vectors(in, vertices, count, file->place);
  if (!list) return in->error->status;
  ts_node_set(polytope, "vertices", file->place, list);
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
