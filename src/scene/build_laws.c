// Gravity, contact laws, materials and pairs.
#include "scene/build.h"

#include "scene/scene_schema.h"

#include "document/values.h"

#include "model/supports.h"

#include "touchstone/wildcard.h"

#include <string.h>

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
  const ts_vec3 given = ts_node_vector(plan->root, "gravity", (ts_vec3){0});
  if (gravity && plan->space == TS_SPACE_2_5D)
    TS_TRY(ts_document_locate(plan->in, gravity->place, ts_check_pressing_gravity(given, plan->in->error)));
  if (gravity) ts_builder_set_gravity(plan->builder, given);
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

// Choose the bodies whose names match. A word without wildcards is a name.
static ts_status choose_bodies(const ts_scene_plan *plan, const ts_node *pattern, bool *chosen)
{
  bool any = false;
  if (!strpbrk(pattern->text, "*?")) {
    int body;
    TS_TRY(ts_scene_find_body(plan, pattern, false, &body));
    chosen[body] = true;
    return TS_OK;
  }
  for (int b = 0; b < plan->bodies.count; ++b)
    if (ts_wildcard_matches(pattern->text, plan->bodies.names[b])) any = chosen[b] = true;
  return any ? TS_OK : ts_scene_refuse_name(plan, &plan->bodies, "body", pattern);
}

// The bodies that a list of patterns stands for; of no list: none.
static ts_status find_group(const ts_scene_plan *plan, const ts_node *patterns, const int **bodies, int *count)
{
  const size_t all = (size_t)plan->bodies.count;
  bool *chosen = ts_arena_bytes(&plan->in->arena, all, sizeof *chosen);
  int *list = ts_arena_ints(&plan->in->arena, all);
  memset(chosen, 0, all * sizeof *chosen);
  for (const ts_node *pattern = patterns ? patterns->first : NULL; pattern; pattern = pattern->next)
    TS_TRY(choose_bodies(plan, pattern, chosen));
  *count = 0;
  for (int b = 0; b < plan->bodies.count; ++b)
    if (chosen[b]) list[(*count)++] = b;
  *bodies = list;
  return TS_OK;
}

// A group that collides and says no more does so by its materials.
static ts_status build_groups(ts_scene_plan *plan, const ts_node *node, const ts_contact_law *law)
{
  ts_group_def def = ts_group_def_default();
  TS_TRY(find_group(plan, ts_node_get(node, "group"), &def.group, &def.group_count));
  TS_TRY(find_group(plan, ts_node_get(node, "with"), &def.with, &def.with_count));
  def.collide = ts_node_boolean(node, "collide", true);
  def.law = has_law(node) ? law : NULL;
  return ts_document_locate(plan->in, node->place, ts_builder_pair_groups(plan->builder, &def, plan->in->error));
}

static ts_status build_pair(ts_scene_plan *plan, const ts_node *node)
{
  const ts_node *bodies = ts_node_get(node, "bodies"), *collide = ts_node_get(node, "collide");
  const bool touch = ts_node_boolean(node, "collide", true);
  if (!touch && ts_node_get(node, "materials"))
    return ts_document_fail(plan->in, collide->key_place,
                            "'collide: false' needs 'bodies' or a 'group', materials always touch");
  if (!touch && has_law(node))
    return ts_document_fail(plan->in, collide->key_place, "a pair that does not collide has no contact law");
  const ts_contact_law law = ts_scene_law(plan, node);
  if (ts_node_get(node, "group")) return build_groups(plan, node, &law);
  if (!bodies) return build_material_pair(plan, node, &law);
  return build_body_pair(plan, node, bodies, touch ? &law : NULL);
}

ts_status ts_scene_build_pairs(ts_scene_plan *plan)
{
  for (const ts_node *node = ts_scene_items(plan->root, "pairs"); node; node = node->next)
    TS_TRY(build_pair(plan, node));
  return TS_OK;
}
