#include "scene/build.h"

#include "touchstone/suggest.h"

#include "scene/places.h"
#include "document/values.h"
#include "model/builder.h"

#include <string.h>

const ts_node *ts_scene_items(const ts_node *root, const char *key)
{
  const ts_node *list = ts_node_get(root, key);
  return list ? list->first : NULL;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static const char *name_at(int i, const void *names)
{
  return ((const ts_names *)names)->names[i];
}

ts_status ts_scene_refuse_name(const ts_scene_plan *plan, const ts_names *names, const char *what, const ts_node *name)
{
  const char *nearest = ts_suggest(name->text, names->count, name_at, names);
  if (nearest)
    return ts_document_fail(plan->in, name->place, "there is no %s '%.60s'; did you mean '%.60s'?", what, name->text,
                            nearest);
  return ts_document_fail(plan->in, name->place, "there is no %s '%.60s'", what, name->text);
}

static ts_status find_name(const ts_scene_plan *plan, const ts_names *names, const char *what, const ts_node *name,
                           int *number)
{
  *number = ts_names_find(names, name->text);
  return *number >= 0 ? TS_OK : ts_scene_refuse_name(plan, names, what, name);
}

ts_status ts_scene_find_body(const ts_scene_plan *plan, const ts_node *name, bool world_too, int *body)
{
  *body = TS_WORLD;
  if (strcmp(name->text, "world") != 0) return find_name(plan, &plan->bodies, "body", name, body);
  return world_too ? TS_OK : ts_document_fail(plan->in, name->place, "the world cannot take the place of a body here");
}

ts_status ts_scene_find_joint(const ts_scene_plan *plan, const ts_node *name, int *joint)
{
  return find_name(plan, &plan->builder->joint_names, "joint", name, joint);
}

ts_status ts_scene_find_material(const ts_scene_plan *plan, const ts_node *name, int *material)
{
  return find_name(plan, &plan->materials, "material", name, material);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

// What the builder finds out at the end concerns a body or joint, which its sentence names.
static ts_place place_of_failure(const ts_scene_plan *plan)
{
  const ts_scene_places places = ts_scene_places_collect(plan, NULL, &plan->in->arena);
  ts_place place = plan->root->place;
  ts_scene_places_find(&places, plan->in->error->text, &place);
  return place;
}

static ts_status build_all(ts_scene_plan *plan, const ts_model *shapes_of, ts_model **model)
{
  TS_TRY(ts_scene_build_laws(plan));
  TS_TRY(ts_scene_build_bodies(plan));
  TS_TRY(ts_scene_build_joints(plan));
  TS_TRY(ts_scene_build_pairs(plan));
  TS_TRY(ts_scene_build_controllers(plan));
  const ts_status status = ts_builder_finish_with(plan->builder, shapes_of, model, plan->in->error);
  return status == TS_OK ? TS_OK : ts_document_locate(plan->in, place_of_failure(plan), status);
}

static void release_builder(void *builder)
{
  ts_builder_destroy(builder);
}

ts_status ts_scene_build(ts_document_input *in, const ts_node *root, ts_space space, const ts_model *shapes_of,
                         ts_scene_plan *plan, ts_model **model)
{
  void **builder = ts_document_hold(in, release_builder);
  *builder = ts_builder_create(space);
  if (!*builder) return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  *plan = (ts_scene_plan){.in = in, .builder = *builder, .root = root, .space = space};
  const ts_status status = build_all(plan, shapes_of, model);
  if (status == TS_OK) {
    ts_builder_destroy(*builder);
    *builder = plan->builder = NULL;
  }
  return status;
}
