// Shapes of bodies.
#include "scene/build.h"

#include "document/values.h"

#include "math/vec3.h"

#include "base/assert.h"

#include <string.h>

// A rectangle about the origin: the plane has no boxes of its own.
static ts_shape rectangle(ts_document_input *in, ts_vec3 size)
{
  ts_vec3 *corners = ts_arena_bytes(&in->arena, 4, sizeof *corners);
  const double x = 0.5 * size.x, y = 0.5 * size.y;
  corners[0] = (ts_vec3){-x, -y, 0.0};
  corners[1] = (ts_vec3){x, -y, 0.0};
  corners[2] = (ts_vec3){x, y, 0.0};
  corners[3] = (ts_vec3){-x, y, 0.0};
  return (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 4};
}

// The key of a shape in a map that has exactly one, and the kind it stands for.
static const ts_node *find_shape(const ts_node *map, ts_shape_kind *kind)
{
#define SHAPE_NAME(name, text, spaces, help) text,
  static const char *const names[] = {TS_SHAPE_LIST(SHAPE_NAME)};
#undef SHAPE_NAME
  for (int k = 0; k < TS_SHAPE_COUNT; ++k) {
    const ts_node *shape = ts_node_get(map, names[k]);
    *kind = (ts_shape_kind)k;
    if (shape) return shape;
  }
  return NULL;
}

static ts_shape with_vertices(ts_document_input *in, ts_shape_kind kind, const ts_node *vertices)
{
  return (ts_shape){.kind = kind, .vertices = ts_node_vectors(in, vertices), .vertex_count = vertices->count};
}

static ts_shape shape_of(ts_scene_plan *plan, const ts_node *map)
{
  const ts_vec3 zero = {0.0, 0.0, 0.0};
  ts_shape_kind kind;
  const ts_node *node = find_shape(map, &kind);
  TS_ASSERT(node);
  switch (kind) {
  case TS_SHAPE_PLANE:
    return (ts_shape){
        .kind = kind, .normal = ts_node_vector(node, "normal", zero), .offset = ts_node_number(node, "offset", 0.0)};
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_DISC:
    return (ts_shape){.kind = kind, .radius = ts_node_number(node, "radius", 0.0)};
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_CYLINDER:
    return (ts_shape){
        .kind = kind, .radius = ts_node_number(node, "radius", 0.0), .length = ts_node_number(node, "length", 0.0)};
  case TS_SHAPE_BOX:
    if (plan->space == TS_SPACE_2D) return rectangle(plan->in, ts_node_vector(node, "size", zero));
    return (ts_shape){.kind = kind, .size = ts_node_vector(node, "size", zero)};
  case TS_SHAPE_ELLIPSOID:
    return (ts_shape){.kind = kind, .size = ts_node_vector(node, "semi_axes", zero)};
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    return with_vertices(plan->in, kind, ts_node_get(node, "vertices"));
  default:
    return (ts_shape){.kind = kind};
  }
}

static ts_status add_part(ts_scene_plan *plan, const ts_node *place, ts_part_def *def, const ts_node *material)
{
  if (material) TS_TRY(ts_scene_find_material(plan, material, &def->material));
  int part;
  return ts_document_locate(plan->in, place->place, ts_builder_add_part(plan->builder, def, &part, plan->in->error));
}

static ts_status build_part(ts_scene_plan *plan, const ts_node *node, int body, const ts_node *body_material)
{
  ts_part_def def = ts_part_def_default();
  const ts_node *material = ts_node_get(node, "material");
  def.body = body;
  def.shape = shape_of(plan, node);
  def.pose.position = ts_node_vector(node, "position", def.pose.position);
  def.pose.orientation = ts_node_orientation(node, def.pose.orientation);
  def.angle = ts_node_number(node, "angle", 0.0);
  def.massless = ts_node_boolean(node, "massless", false);
  return add_part(plan, node, &def, material ? material : body_material);
}

ts_status ts_scene_build_parts(ts_scene_plan *plan, const ts_node *body_node, int body)
{
  const ts_node *shape = ts_node_get(body_node, "shape"), *material = ts_node_get(body_node, "material");
  if (shape) {
    ts_part_def def = ts_part_def_default();
    def.body = body;
    def.shape = shape_of(plan, shape);
    TS_TRY(add_part(plan, shape, &def, material));
  }
  for (const ts_node *node = ts_scene_items(body_node, "shapes"); node; node = node->next)
    TS_TRY(build_part(plan, node, body, material));
  return TS_OK;
}
