#include "study/scene_source.h"

#include "scene/fingerprint.h"

#include "expression/expression.h"

#include "touchstone/suggest.h"

#include <stdio.h>
#include <string.h>

// ---- reading -------------------------------------------------------------------------------------------------------

static const char **list_overrides(ts_document_input *in, const ts_override_lists *from, int *count)
{
  int most = from->request ? from->request->override_count : 0;
  for (int k = 0; k < 2; ++k) most += from->lists[k] ? from->lists[k]->count : 0;
  const char **overrides = ts_document_take(in, ((size_t)most + 1) * sizeof *overrides);
  *count = 0;
  for (int k = 0; k < 2; ++k)
    for (const ts_node *item = from->lists[k] ? from->lists[k]->first : NULL; item; item = item->next)
      overrides[(*count)++] = item->text;
  for (int k = 0; from->request && k < from->request->override_count; ++k)
    overrides[(*count)++] = from->request->overrides[k];
  return overrides;
}

// The override of a file that a sentence is about, which it begins with then; or NULL.
static const ts_node *override_behind(const ts_error *error, const ts_override_lists *from)
{
  for (int k = 0; k < 2; ++k)
    for (const ts_node *item = from->lists[k] ? from->lists[k]->first : NULL; item; item = item->next) {
      char begin[80];
      snprintf(begin, sizeof begin, "'%.60s': ", item->text);
      if (strncmp(error->text, begin, strlen(begin)) == 0) return item;
    }
  return NULL;
}

// What is said of the scene has its own file; of a scene that cannot be read, and of overrides, the place in ours.
static ts_status locate_trouble(ts_document_input *in, const ts_node *name, const ts_scene_source *source,
                                ts_status status)
{
  ts_error *error = in->error;
  if (status == TS_OK || error->file[0]) return status;
  const ts_node *override = error->line > 0 ? NULL : override_behind(error, &source->overrides);
  if (override) return ts_document_locate(in, override->place, status);
  if (status == TS_IO && error->line == 0) {
    const ts_error why = *error;
    ts_document_fail(in, name->place, "the scene '%.120s': %.300s", source->trials.scene, why.text);
    return error->status = status;
  }
  snprintf(error->file, sizeof error->file, "%s", source->trials.scene);
  return status;
}

ts_status ts_scene_source_open(ts_document_input *in, const ts_node *name, const ts_override_lists *overrides,
                               ts_scene_source *source)
{
  ts_scene_trials *trials = &source->trials;
  *source = (ts_scene_source){.overrides = *overrides};
  trials->scene = ts_document_beside(in, name->place.file, name->text);
  trials->overrides = list_overrides(in, overrides, &trials->override_count);
  trials->extensions = overrides->request ? overrides->request->extensions : NULL;
  const ts_scene_request request = {trials->overrides, trials->override_count, trials->extensions};
  const ts_status status = ts_scene_read_with(trials->scene, &request, &source->scene, in->error);
  TS_TRY(locate_trouble(in, name, source, status));
  trials->fingerprint = ts_scene_fingerprint_hash(source->scene);
  trials->parameter_count = ts_scene_parameter_count(source->scene);
  return ts_scene_create_watch(source->scene, &source->watch, in->error);
}

void ts_scene_source_release(ts_scene_source *source)
{
  ts_watch_destroy(source->watch);
  ts_scene_destroy(source->scene);
  source->watch = NULL;
  source->scene = NULL;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static const char *parameter_name(int i, const void *scene)
{
  return ts_scene_parameter_at(scene, i).name;
}

static const char *result_name(int i, const void *watch)
{
  return ts_watch_result_name(watch, i);
}

static ts_status refuse(ts_document_input *in, ts_place place, const char *what, const char *name, const char *nearest)
{
  return ts_document_fail(in, place, "the scene has no %s '%.60s'%s%s%s", what, name,
                          nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int find_parameter(const ts_scene *scene, const char *name)
{
  for (int p = 0; p < ts_scene_parameter_count(scene); ++p)
    if (strcmp(ts_scene_parameter_at(scene, p).name, name) == 0) return p;
  return -1;
}

// Whether an override gives a parameter its value: NAME=..., parameters.NAME=... or parameters.NAME.value=...
static bool is_set_by(const char *name, const char *override)
{
  static const char map[] = "parameters.", key[] = ".value";
  if (strncmp(override, map, sizeof map - 1) == 0) override += sizeof map - 1;
  const size_t length = strlen(name);
  if (strncmp(override, name, length) != 0) return false;
  override += length;
  if (strncmp(override, key, sizeof key - 1) == 0) override += sizeof key - 1;
  return *override == '=';
}

// A value that every trial replaces.
static ts_status check_overrides(ts_document_input *in, const ts_override_lists *from, const char *name)
{
  static const char sentence[] = "'%s' is varied, so that it cannot be set";
  for (int k = 0; k < 2; ++k)
    for (const ts_node *item = from->lists[k] ? from->lists[k]->first : NULL; item; item = item->next)
      if (is_set_by(name, item->text)) return ts_document_fail(in, item->place, sentence, name);
  for (int k = 0; from->request && k < from->request->override_count; ++k)
    if (is_set_by(name, from->request->overrides[k])) return ts_fail(in->error, TS_INVALID, sentence, name);
  return TS_OK;
}

// Names in an expression: of what varies, then of the scene.
typedef struct known_names {
  const ts_variation_list *list;
  const ts_scene *scene;
} known_names;

static int find_known(const void *user, const char *name)
{
  const known_names *known = user;
  for (int i = 0; i < known->list->count; ++i)
    if (strcmp(known->list->items[i].name, name) == 0) return i;
  const int p = find_parameter(known->scene, name);
  return p < 0 ? -1 : known->list->count + p;
}

// What follows from parameters of the scene that stay as they are belongs into the scene. All else that may be wrong
// with an expression is found when the design is made.
static ts_status check_expression(ts_document_input *in, const ts_scene *scene, const ts_variation_list *list, int i)
{
  const known_names known = {list, scene};
  const ts_expression_names names = {&known, find_known, NULL};
  ts_expression *compiled;
  int value;
  if (!ts_expression_compile(list->items[i].expression, &names, &in->arena, &compiled, NULL)) return TS_OK;
  for (int k = 0; (value = ts_expression_value_at(compiled, k)) >= 0; ++k)
    if (value >= list->count)
      return ts_document_fail(in, list->nodes[i]->place,
                              "the scene's parameter '%s' does not vary, and derived ones follow from what does; derive "
                              "'%.60s' in the scene, or vary '%s' with one value",
                              ts_scene_parameter_at(scene, value - list->count).name, list->items[i].name,
                              ts_scene_parameter_at(scene, value - list->count).name);
  return TS_OK;
}

ts_status ts_scene_source_match(ts_document_input *in, const ts_scene_source *source, ts_variation_list *list,
                                int *parameter_of)
{
  for (int i = 0; i < list->count; ++i) {
    ts_variation *variation = &list->items[i];
    const int p = parameter_of[i] = find_parameter(source->scene, variation->name);
    if (p >= 0) {
      const ts_scene_parameter parameter = ts_scene_parameter_at(source->scene, p);
      variation->unit = parameter.unit;
      TS_TRY(check_overrides(in, &source->overrides, variation->name));
      TS_TRY(ts_variation_check_range(in, list, i, &parameter));
    }
    if (variation->kind == TS_VARY_EXPRESSION) TS_TRY(check_expression(in, source->scene, list, i));
    if (p >= 0 || variation->kind == TS_VARY_EXPRESSION) continue;
    return refuse(in, ts_variation_place(list, i), "parameter", variation->name,
                  ts_suggest(variation->name, source->trials.parameter_count, parameter_name, source->scene));
  }
  return TS_OK;
}

ts_status ts_scene_source_find_result(ts_document_input *in, const ts_scene_source *source, const char *name,
                                      ts_place place, int *result)
{
  *result = ts_watch_find_result(source->watch, name);
  if (*result >= 0) return TS_OK;
  return refuse(in, place, "result", name,
                ts_suggest(name, ts_watch_result_count(source->watch), result_name, source->watch));
}

// ---- keeping -------------------------------------------------------------------------------------------------------

static const char **copy_texts(const char *const *texts, int count, ts_arena *arena)
{
  const char **copies = ts_arena_bytes(arena, (size_t)count + 1, sizeof *copies);
  for (int i = 0; i < count; ++i) copies[i] = ts_arena_text(arena, texts[i]);
  return copies;
}

static const int *copy_ints(const int *numbers, int count, ts_arena *arena)
{
  const size_t n = (size_t)count;
  int *copies = ts_arena_ints(arena, n);
  if (n > 0) memcpy(copies, numbers, n * sizeof *numbers);
  return copies;
}

ts_scene_trials ts_scene_trials_copy(const ts_scene_trials *trials, ts_arena *arena)
{
  ts_scene_trials copy = *trials;
  copy.scene = ts_arena_text(arena, trials->scene);
  copy.overrides = copy_texts(trials->overrides, trials->override_count, arena);
  copy.parameter_of = copy_ints(trials->parameter_of, trials->column_count, arena);
  copy.result_of = copy_ints(trials->result_of, trials->result_count, arena);
  ts_retry *retries = ts_arena_bytes(arena, (size_t)trials->retry_count + 1, sizeof *retries);
  for (int i = 0; i < trials->retry_count; ++i) {
    retries[i] = trials->retries[i];
    retries[i].sets = copy_texts(retries[i].sets, retries[i].set_count, arena);
  }
  copy.retries = retries;
  return copy;
}

// ---- describing ----------------------------------------------------------------------------------------------------

typedef struct describing {
  ts_manifest *manifest;
  ts_arena *arena;
} describing;

static void add_scene_line(void *user, const char *key, const char *value)
{
  const describing *to = user;
  char path[600];
  snprintf(path, sizeof path, "scene.%s", key);
  ts_manifest_add(to->manifest, to->arena, path, value);
}

static void describe_retry(const ts_retry *retry, ts_manifest *manifest, ts_arena *arena)
{
  ts_manifest_print(manifest, arena, "retry", "step %.17g", retry->size_factor)->may_change = TS_MANIFEST_RETRIED;
  for (int k = 0; k < retry->set_count; ++k)
    ts_manifest_add(manifest, arena, "retry", retry->sets[k])->may_change = TS_MANIFEST_RETRIED;
}

void ts_scene_source_describe(const ts_scene_source *source, ts_manifest *manifest, ts_arena *arena)
{
  const ts_scene_trials *trials = &source->trials;
  describing to = {manifest, arena};
  ts_manifest_add(manifest, arena, "touchstone", ts_version());
  ts_manifest_print(manifest, arena, "limits", "%lld steps, %.17g s", (long long)trials->most_steps,
                    trials->most_seconds);
  for (int i = 0; i < trials->retry_count; ++i) describe_retry(&trials->retries[i], manifest, arena);
  ts_scene_fingerprint(source->scene, add_scene_line, &to);
}
