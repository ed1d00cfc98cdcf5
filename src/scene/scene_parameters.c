// What callers see of parameters, and watches of what a scene asks for.
#include "scene/scene.h"

#include "document/parameter_set.h"

#include "base/require.h"

void ts_scene_list_parameters(ts_scene *scene)
{
  const ts_parameter_set *set = scene->in->parameters;
  if (!set) return;
  if (!scene->parameters)
    scene->parameters = ts_arena_bytes(&scene->memory, (size_t)set->count + 1, sizeof *scene->parameters);
  scene->parameter_count = set->count;
  for (int i = 0; i < set->count; ++i) {
    const ts_document_parameter *parameter = &set->items[i];
    scene->parameters[i] = (ts_scene_parameter){.name = parameter->name,
                                                .value = parameter->value,
                                                .least = parameter->least,
                                                .most = parameter->most,
                                                .unit = parameter->unit,
                                                .help = parameter->help,
                                                .derived = parameter->derived};
  }
}

int ts_scene_parameter_count(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->parameter_count;
}

ts_scene_parameter ts_scene_parameter_at(const ts_scene *scene, int i)
{
  TS_REQUIRE(i >= 0 && i < ts_scene_parameter_count(scene));
  return scene->parameters[i];
}

ts_status ts_scene_create_watch(const ts_scene *scene, ts_watch **watch, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  *watch = NULL;
  TS_REFUSE_UNLESS(scene, error);
  if (!scene->in) return ts_watch_create(scene->model, watch, error);
  TS_REFUSE_UNLESS(!scene->is_stale, error);
  ts_error why = {0};
  ts_document_input in = *scene->in; // others may be making watches of the scene as well
  in.error = &why;
  const ts_status status = ts_watch_plan_make(&in, &scene->watch, scene->model, watch);
  if (status != TS_OK && error) *error = why;
  return status;
}
