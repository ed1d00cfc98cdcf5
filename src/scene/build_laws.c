// Gravity, contact laws, materials and pairs.
#include "scene/build.h"

#include "scene/scene_schema.h"

#include "document/values.h"

ts_contact_law ts_scene_law(const ts_scene_plan *plan, const ts_node *map)
{
  ts_contact_law law = plan->contact;
#define NUMBER(name, value, range, rule, help) law.name = ts_node_number(map, #name, law.name);
  TS_LAW_NUMBER_LIST(NUMBER)
#undef NUMBER
  law.ellipsoid = ts_node_vector(map, "ellipsoid", law.ellipsoid);
  law.direction = ts_node_vector(map, "direction", law.direction);
  return law;
}

static ts_status build_contact(ts_scene_plan *plan)
{
  plan->contact = ts_contact_law_default();
  const ts_node *contact = ts_node_get(plan->root, "contact");
  if (!contact) return TS_OK;
  plan->contact = ts_scene_law(plan, contact);
  return ts_document_locate(plan->in, contact->place,
                            ts_builder_set_contact(plan->builder, &plan->contact, plan->in->error));
}

static void build_combination(ts_scene_plan *plan)
{
  const ts_node *combine = ts_node_get(plan->root, "combine");
  if (!combine) return;
  ts_builder_set_combination(plan->builder, (ts_combination)ts_node_choice(combine, "friction", TS_GEOMETRIC_MEAN),
                             (ts_combination)ts_node_choice(combine, "restitution", TS_GEOMETRIC_MEAN));
}

static ts_status build_material(ts_scene_plan *plan, const ts_node *node)
{
  const ts_contact_law law = ts_scene_law(plan, node);
  const char *name = ts_node_word(node, "name", NULL);
  int material;
  TS_TRY(ts_document_locate(plan->in, node->place,
                            ts_builder_add_material(plan->builder, name, &law, &material, plan->in->error)));
  ts_names_add(&plan->materials, name, &plan->in->arena);
  return TS_OK;
}

ts_status ts_scene_build_laws(ts_scene_plan *plan)
{
  const ts_node *gravity = ts_node_get(plan->root, "gravity");
  if (gravity) ts_builder_set_gravity(plan->builder, ts_node_vector(plan->root, "gravity", (ts_vec3){0}));
  TS_TRY(build_contact(plan));
  build_combination(plan);
  for (const ts_node *node = ts_scene_items(plan->root, "materials"); node; node = node->next)
    TS_TRY(build_material(plan, node));
  return TS_OK;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static bool has_law(const ts_node *pair)
{
  for (int i = 0; i < ts_law_section.key_count; ++i)
    if (ts_node_get(pair, ts_law_section.keys[i].name)) return true;
  return false;
}

static ts_status build_body_pair(ts_scene_plan *plan, const ts_node *node, const ts_node *bodies,
                                 const ts_contact_law *law)
{
  int first, second;
  TS_TRY(ts_scene_find_body(plan, bodies->first, false, &first));
  TS_TRY(ts_scene_find_body(plan, bodies->last, false, &second));
  return ts_document_locate(plan->in, node->place,
                            ts_builder_pair_bodies(plan->builder, first, second, law, plan->in->error));
}

static ts_status build_material_pair(ts_scene_plan *plan, const ts_node *node, const ts_contact_law *law)
{
  const ts_node *materials = ts_node_get(node, "materials");
  int first, second;
  TS_TRY(ts_scene_find_material(plan, materials->first, &first));
  TS_TRY(ts_scene_find_material(plan, materials->last, &second));
  return ts_document_locate(plan->in, node->place,
                            ts_builder_pair_materials(plan->builder, first, second, law, plan->in->error));
}

static ts_status build_pair(ts_scene_plan *plan, const ts_node *node)
{
  const ts_node *bodies = ts_node_get(node, "bodies"), *collide = ts_node_get(node, "collide");
  const bool touch = ts_node_boolean(node, "collide", true);
  if (!touch && !bodies)
    return ts_document_fail(plan->in, collide->key_place, "'collide: false' needs 'bodies', materials always touch");
  if (!touch && has_law(node))
    return ts_document_fail(plan->in, collide->key_place, "a pair that does not collide has no contact law");
  const ts_contact_law law = ts_scene_law(plan, node);
  if (!bodies) return build_material_pair(plan, node, &law);
  return build_body_pair(plan, node, bodies, touch ? &law : NULL);
}

ts_status ts_scene_build_pairs(ts_scene_plan *plan)
{
  for (const ts_node *node = ts_scene_items(plan->root, "pairs"); node; node = node->next)
    TS_TRY(build_pair(plan, node));
  return TS_OK;
}
