// What a scene takes from extensions.
#include "scene/build.h"

#include "document/values.h"
#include "schema/parameters.h"

#include <stdio.h>

ts_status ts_scene_read_parameters(const ts_scene_plan *plan, const ts_node *map, const char *owner,
                                   const ts_parameter *items, int count, double *values)
{
  const ts_parameter_list list = {items, count};
  ts_parameters_default(list, values);
  for (const ts_node *node = map ? map->first : NULL; node; node = node->next)
    TS_TRY(ts_document_locate(plan->in, node->key_place,
                              ts_parameters_set(list, owner, node->key, node->number, values, plan->in->error)));
  return TS_OK;
}

static ts_status build_controller(ts_scene_plan *plan, const ts_node *node)
{
  const ts_node *type = ts_node_get(node, "type");
  const ts_controller_def *def = ts_extensions_controller(plan->in->extensions, type->text);
  if (!def)
    return ts_document_fail(plan->in, type->place,
                            "there is no controller '%.60s' in the plug-ins that were loaded (--plugin FILE loads one)",
                            type->text);
  double parameters[TS_MOST_PARAMETERS];
  char owner[96];
  snprintf(owner, sizeof owner, "controller '%.60s'", def->name);
  TS_TRY(ts_scene_read_parameters(plan, ts_node_get(node, "parameters"), owner, def->parameters, def->parameter_count,
                                  parameters));
  return ts_document_locate(plan->in, node->place,
                            ts_builder_add_controller(plan->builder, def, parameters, plan->in->error));
}

ts_status ts_scene_build_controllers(ts_scene_plan *plan)
{
  for (const ts_node *node = ts_scene_items(plan->root, "controllers"); node; node = node->next)
    TS_TRY(build_controller(plan, node));
  return TS_OK;
}

ts_status ts_scene_read_own_shape(const ts_scene_plan *plan, const ts_node *node, ts_shape *shape)
{
  const ts_node *type = ts_node_get(node, "type");
  const ts_shape_def *def = ts_extensions_shape(plan->in->extensions, type->text);
  if (!def)
    return ts_document_fail(plan->in, type->place,
                            "there is no shape '%.60s' in the plug-ins that were loaded (--plugin FILE loads one)",
                            type->text);
  double *parameters = ts_arena_doubles(&plan->in->arena, TS_MOST_PARAMETERS);
  char owner[96];
  snprintf(owner, sizeof owner, "shape '%.60s'", def->name);
  shape->own = def;
  shape->parameters = parameters;
  return ts_scene_read_parameters(plan, ts_node_get(node, "parameters"), owner, def->parameters, def->parameter_count,
                                  parameters);
}
