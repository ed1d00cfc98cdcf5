#include "shape/shape_type.h"

#include <string.h>

#define ENTRY(name, text) [TS_SHAPE_##name] = &ts_shape_type_##text,
const ts_shape_type *const ts_shape_types[TS_SHAPE_KINDS] = {TS_SHAPE_LIST(ENTRY)[TS_SHAPE_OWN] = &ts_shape_type_own};
#undef ENTRY

const ts_key *ts_shape_key_at(int i)
{
  return &ts_shape_types[i]->key;
}

bool ts_shape_is_in(const ts_shape *shape, bool plane)
{
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  if (!(plane ? type->in_plane : type->in_space)) return false;
  return !type->is_planar || type->is_planar(shape) == plane;
}

ts_shape ts_shape_copy(const ts_shape *shape, ts_arena *arena)
{
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  ts_shape copy = *shape;
  copy.vertices = NULL;
  copy.vertex_count = 0;
  if (type->normalize) type->normalize(&copy, arena);
  if (type->has_vertices) {
    ts_vec3 *vertices = ts_arena_bytes(arena, (size_t)shape->vertex_count, sizeof *vertices);
    memcpy(vertices, shape->vertices, (size_t)shape->vertex_count * sizeof *vertices);
    copy.vertices = vertices;
    copy.vertex_count = shape->vertex_count;
  }
  return copy;
}
