// Shapes of bodies.
#include "scene/build.h"

#include "document/values.h"

#include "math/vec3.h"

#include "step/stepper.h"

#include "model/skin.h"

#include "shape/shape_type.h"

#include "base/assert.h"

#include <stdlib.h>

// The key of a shape in a map that has exactly one, and the kind it stands for.
static const ts_node *find_shape(const ts_node *map, ts_shape_kind *kind)
{
  for (int k = 0; k < TS_SHAPE_KINDS; ++k) {
    const ts_node *shape = ts_node_get(map, ts_shape_key_at(k)->name);
    *kind = (ts_shape_kind)k;
    if (shape) return shape;
  }
  return NULL;
}

// The value of a key into its place; what is left out stays 0, unless the key says otherwise.
static void take_value(ts_document_input *in, const ts_node *map, const ts_key *key, ts_shape *shape)
{
  void *place = (char *)shape + key->offset;
  const ts_node *node = ts_node_get(map, key->name);
  if (key->type == TS_VALUE_NUMBER)
    *(double *)place = ts_node_number(map, key->name, key->fallback ? strtod(key->fallback, NULL) : 0.0);
  if (key->type == TS_VALUE_VECTOR) *(ts_vec3 *)place = ts_node_vector(map, key->name, (ts_vec3){0.0, 0.0, 0.0});
  if (key->type == TS_VALUE_VECTORS && node) {
    shape->vertices = ts_node_vectors(in, node);
    shape->vertex_count = node->count;
  }
}

static ts_status shape_of(ts_scene_plan *plan, const ts_node *map, ts_shape *shape);

// Members of an intersection, with their poses
static ts_status read_members(ts_scene_plan *plan, const ts_node *list, ts_shape *shape)
{
  ts_shape_member *members = ts_arena_bytes(&plan->in->arena, (size_t)list->count, sizeof *members);
  shape->members = members;
  for (const ts_node *node = list->first; node; node = node->next) {
    ts_shape_member *member = &members[shape->member_count++];
    TS_TRY(shape_of(plan, node, &member->shape));
    member->pose.position = ts_node_vector(node, "position", (ts_vec3){0.0, 0.0, 0.0});
    member->pose.orientation = ts_node_orientation(node, ts_quat_identity());
    if (ts_space_is_planar(plan->space)) member->pose.orientation = ts_quat_about_z(ts_node_number(node, "angle", 0.0));
  }
  return TS_OK;
}

static ts_status shape_of(ts_scene_plan *plan, const ts_node *map, ts_shape *shape)
{
  ts_shape_kind kind;
  const ts_node *node = find_shape(map, &kind);
  TS_ASSERT(node);
  const ts_shape_type *type = ts_shape_type_of(kind);
  *shape = (ts_shape){.kind = kind};
  if (kind == TS_SHAPE_OWN) return ts_scene_read_own_shape(plan, node, shape);
  for (int i = 0; i < type->key.section->key_count; ++i)
    if (type->key.section->keys[i].offset > 0) take_value(plan->in, node, &type->key.section->keys[i], shape);
  if (kind == TS_SHAPE_INTERSECTION) TS_TRY(read_members(plan, ts_node_get(node, "members"), shape));
  if (ts_space_is_planar(plan->space) && type->flattened) *shape = type->flattened(shape, &plan->in->arena);
  return TS_OK;
}

// A symmetric matrix by its diagonal, or by that and what is beside it; one number is that of all directions. In the
// plane o has none.
static ts_status read_matrix(const ts_scene_plan *plan, const ts_node *map, const char *key, double packed[6])
{
  const ts_node *node = ts_node_get(map, key);
  const int directions = ts_space_is_planar(plan->space) ? 2 : 3, whole = directions == 2 ? 3 : 6;
  int k = 0;
  if (!node) return TS_OK;
  if (node->kind == TS_NODE_SCALAR) {
    for (; k < directions; ++k) packed[k] = node->number;
    return TS_OK;
  }
  if (node->count != directions && node->count != whole)
    return ts_document_fail(plan->in, node->place, "'%s' must be a number, or %d or %d of them, not %d", key,
                            directions, whole, node->count);
  for (const ts_node *item = node->first; item; item = item->next, ++k)
    packed[k < directions ? k : k - directions + 3] = item->number;
  return TS_OK;
}

static ts_status read_skin(const ts_scene_plan *plan, const ts_node *map, int body, ts_skin *skin)
{
  *skin = (ts_skin){.thickness = ts_node_number(map, "thickness", 0.0)};
  TS_TRY(read_matrix(plan, map, "stiffness", skin->stiffness));
  TS_TRY(read_matrix(plan, map, "damping", skin->damping));
  skin->direction = ts_node_vector(map, "direction", skin->direction);
  return ts_document_locate(
      plan->in, map->place,
      ts_skin_check(skin, ts_space_is_planar(plan->space), plan->bodies.names[body], plan->in->error));
}

// What the shapes of a body have in common, unless they say otherwise.
typedef struct surface {
  const ts_node *material, *skin; // or NULL
} surface;

static surface surface_of(const ts_node *map, surface otherwise)
{
  const ts_node *material = ts_node_get(map, "material"), *skin = ts_node_get(map, "skin");
  return (surface){material ? material : otherwise.material, skin ? skin : otherwise.skin};
}

static ts_status add_part(ts_scene_plan *plan, const ts_node *place, ts_part_def *def, surface own)
{
  if (own.material) TS_TRY(ts_scene_find_material(plan, own.material, &def->material));
  if (own.skin) TS_TRY(read_skin(plan, own.skin, def->body, &def->skin));
  int part;
  return ts_document_locate(plan->in, place->place, ts_builder_add_part(plan->builder, def, &part, plan->in->error));
}

static ts_status build_part(ts_scene_plan *plan, const ts_node *node, int body, surface of_body)
{
  ts_part_def def = ts_part_def_default();
  def.body = body;
  TS_TRY(shape_of(plan, node, &def.shape));
  def.pose.position = ts_node_vector(node, "position", def.pose.position);
  def.pose.orientation = ts_node_orientation(node, def.pose.orientation);
  def.angle = ts_node_number(node, "angle", 0.0);
  def.massless = ts_node_boolean(node, "massless", false);
  return add_part(plan, node, &def, surface_of(node, of_body));
}

ts_status ts_scene_build_parts(ts_scene_plan *plan, const ts_node *body_node, int body)
{
  const ts_node *shape = ts_node_get(body_node, "shape");
  const surface own = surface_of(body_node, (surface){NULL, NULL});
  if (shape) {
    ts_part_def def = ts_part_def_default();
    def.body = body;
    TS_TRY(shape_of(plan, shape, &def.shape));
    TS_TRY(add_part(plan, shape, &def, own));
  }
  for (const ts_node *node = ts_scene_items(body_node, "shapes"); node; node = node->next)
    TS_TRY(build_part(plan, node, body, own));
  return TS_OK;
}

// The first skin of a body, or NULL.
static const ts_node *first_skin(const ts_node *body)
{
  const ts_node *skin = ts_node_get(body, "skin");
  for (const ts_node *part = ts_scene_items(body, "shapes"); part && !skin; part = part->next)
    skin = ts_node_get(part, "skin");
  return skin;
}

ts_status ts_scene_check_skins(const ts_scene_plan *plan, const ts_model *model, const ts_step_options *options)
{
  for (const ts_node *body = ts_scene_items(plan->root, "bodies"); body; body = body->next) {
    const ts_node *skin = first_skin(body);
    if (skin)
      return ts_document_locate(plan->in, skin->place, ts_stepper_check_skins(options->method, model, plan->in->error));
  }
  return TS_OK;
}
