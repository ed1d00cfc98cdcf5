#define _POSIX_C_SOURCE 200809L // locale_t
// A scene with other parameters. Where numbers change that leave entries and shapes as they are, the tree is evaluated
// again in its place and the model made anew from it, with the convex pieces of the shapes that it has; else all
// begins with the tree in which nothing has been evaluated. Either way the model is the one that reading the scene with
// these values gives, and nothing is read from the disk.
#include "scene/scene.h"

#include "document/parameter_set.h"
#include "document/validate.h"
#include "text/c_locale.h"

#include "base/require.h"

#include <math.h>
#include <string.h>

// What has to be done again.
typedef struct changes {
  bool all, model, step, watch;
} changes;

static bool is_called(const ts_key *key, const char *name)
{
  return key && strcmp(key->name, name) == 0;
}

// Numbers of shapes make other pieces; what must not be zero is checked with its list.
static bool needs_all(const ts_live_number *live)
{
  const bool of_shape =
      is_called(live->path[0], "bodies") &&
      (is_called(live->path[1], "shape") || is_called(live->path[1], "shapes") || is_called(live->path[1], "skin"));
  return of_shape || live->row->above_zero;
}

static void note_change(const ts_live_number *live, changes *found)
{
  const ts_key *top = live->path[0];
  if (needs_all(live))
    found->all = true;
  else if (is_called(top, "step"))
    found->step = found->model = true; // energies and margins of a model are held against the step
  else if (is_called(top, "stop") || is_called(top, "results"))
    found->watch = true;
  else if (!is_called(top, "duration") && !is_called(top, "output"))
    found->model = true;
}

static ts_status renew_numbers(ts_scene *scene, const double *values, changes *found)
{
  ts_document_input *in = scene->in;
  const ts_parameter_set *set = in->parameters;
  double *before = ts_arena_doubles(&in->arena, (size_t)set->count);
  for (int i = 0; i < set->count; ++i) before[i] = set->items[i].value;
  TS_TRY(ts_parameters_renew(in, values));
  for (int i = 0; i < set->count; ++i)
    if (set->items[i].shapes && set->items[i].value != before[i]) found->all = true;
  for (ts_live_number *live = found->all ? NULL : in->live; live; live = live->older) {
    bool changed;
    TS_TRY(ts_live_number_renew(in, live, &changed));
    if (changed) note_change(live, found);
  }
  return TS_OK;
}

// ---- the quick way -------------------------------------------------------------------------------------------------

void ts_scene_release_before(ts_scene *scene)
{
  if (scene->before != scene->first && scene->before != scene->first_before) ts_model_destroy(scene->before);
  if (scene->first_before != scene->first) ts_model_destroy(scene->first_before);
  scene->before = scene->first_before = NULL;
}

// The model before stays for one more time: simulations of the next may take over from those of the last.
static void put_aside(ts_scene *scene)
{
  ts_scene_release_before(scene);
  scene->before = scene->model;
  scene->first_before = scene->first;
  scene->model = NULL;
}

static ts_status renew_model(ts_scene *scene)
{
  ts_scene_plan plan;
  put_aside(scene);
  return ts_scene_fill(scene->in, scene, scene->first, &plan);
}

// ---- the long way --------------------------------------------------------------------------------------------------

static ts_status read_again(ts_scene *scene, const double *values)
{
  ts_document_input *in = scene->in;
  ts_scene_plan plan;
  ts_document_restore(in, &scene->raw_mark);
  scene->root = NULL;
  ts_node *root = ts_node_copy(in, scene->raw);
  if (!root) return in->error->status;
  ts_arena_reset(&scene->robot_again.memory);
  scene->robot_again = (ts_urdf_facts){.memory = scene->robot_again.memory};
  TS_TRY(ts_scene_complete(in, scene, root, values, &scene->robot_again));
  TS_TRY(ts_scene_read_step(in, scene->root, &scene->options));
  put_aside(scene);
  TS_TRY(ts_scene_fill(in, scene, NULL, &plan));
  scene->first = scene->model;
  return TS_OK;
}

// ---- both ----------------------------------------------------------------------------------------------------------

// Bodies that conditions and results name may have gone, and times may have become empty. What it was before has gone
// with the tree's later memory.
static ts_status renew_watch(ts_scene *scene)
{
  ts_watch *watch;
  TS_TRY(ts_watch_plan_read(scene->in, scene->root, &scene->watch));
  if (!scene->watch_is_stale) return TS_OK;
  TS_TRY(ts_watch_plan_make(scene->in, &scene->watch, scene->model, &watch));
  ts_watch_destroy(watch);
  return TS_OK;
}

static ts_status set_values(ts_scene *scene, const double *values)
{
  ts_document_input *in = scene->in;
  changes found = {.all = scene->is_stale};
  if (scene->root) ts_document_restore(in, &scene->tree_mark);
  if (!found.all) TS_TRY(renew_numbers(scene, values, &found));
  scene->watch_is_stale = found.all || found.watch;
  if (found.all) {
    TS_TRY(read_again(scene, values));
  } else {
    if (found.step) TS_TRY(ts_scene_read_step(in, scene->root, &scene->options));
    if (found.model) TS_TRY(renew_model(scene));
  }
  ts_scene_read_times(scene);
  ts_scene_list_parameters(scene);
  return renew_watch(scene);
}

static ts_status evaluate_values(ts_scene *scene, const double *values)
{
  if (scene->root) ts_document_restore(scene->in, &scene->tree_mark);
  return ts_parameters_renew(scene->in, values);
}

typedef ts_status change_function(ts_scene *scene, const double *values);

static ts_status change_or_recover(ts_scene *scene, const double *values, change_function *change)
{
  jmp_buf recovery;
  scene->in->arena.recovery = scene->robot_again.memory.recovery = scene->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(scene->in->error, TS_OUT_OF_MEMORY, "memory ran out");
  return change(scene, values);
}

static ts_status change_in_c_locale(ts_scene *scene, const double *values, change_function *change, ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_error why = {0};
  scene->in->error = &why;
  const ts_status status = change_or_recover(scene, values, change);
  ts_c_locale_leave(&locale);
  if (status != TS_OK && error) *error = why;
  return status;
}

ts_status ts_scene_set_parameters(ts_scene *scene, const double *values, ts_error *error)
{
  TS_REFUSE_UNLESS(scene, error);
  TS_REFUSE_UNLESS(values || scene->parameter_count == 0, error);
  if (scene->parameter_count == 0) return TS_OK;
  const ts_status status = change_in_c_locale(scene, values, set_values, error);
  scene->is_stale = status != TS_OK;
  return status;
}

ts_status ts_scene_evaluate_parameters(ts_scene *scene, const double *values, double *all, ts_error *error)
{
  if (scene->parameter_count == 0) return TS_OK;
  scene->is_stale = true;
  TS_TRY(change_in_c_locale(scene, values, evaluate_values, error));
  for (int i = 0; i < scene->parameter_count; ++i) all[i] = scene->in->parameters->items[i].value;
  return TS_OK;
}
