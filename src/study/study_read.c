// A study from a file: the scene is read, what varies is held against its parameters, and trials become simulations.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/study.h"

#include "study/parameter_table.h"
#include "study/scene_trial.h"
#include "study/study_keys.h"

#include "scene/fingerprint.h"
#include "document/formula.h"
#include "document/validate.h"
#include "document/values.h"
#include "document/yaml.h"
#include "text/c_locale.h"

#include "touchstone/suggest.h"

#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything that is in use while a study is read.
typedef struct reading {
  ts_document_input in;
  const ts_scene_request *request;
  ts_node *root;
  const ts_node **place_of;   // of each variation: its entry, or NULL where it is of the table
  ts_variation *variations;
  ts_parameter_table table;
  ts_study_def def;
  ts_scene *scene;
  ts_watch *watch;
  ts_scene_trials trials;
  ts_study *study;
} reading;

// ---- what varies ---------------------------------------------------------------------------------------------------

static const double *numbers_of(reading *r, const ts_node *map, const char *key, int *count)
{
  const ts_node *list = ts_node_get(map, key);
  if (!list) return NULL;
  *count = list->count;
  return ts_node_numbers(&r->in, list);
}

static void read_grid(reading *r, const ts_node *map, const double *ends, ts_variation *variation)
{
  const int count = ts_node_integer(map, "count", 1);
  double *values = ts_arena_doubles(&r->in.arena, (size_t)count);
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? (double)i / (double)(count - 1) : 0.0;
    values[i] = i == count - 1 && count > 1 ? ends[1] : ends[0] + share * (ends[1] - ends[0]);
  }
  variation->kind = TS_VARY_VALUES;
  variation->values = values;
  variation->count = count;
}

static ts_status read_variation(reading *r, const ts_node *map, ts_variation *variation)
{
  int count = 0;
  const double *n;
  *variation = (ts_variation){.name = map->key};
  if ((n = numbers_of(r, map, "values", &count)) != NULL) {
    *variation = (ts_variation){.name = map->key, .kind = TS_VARY_VALUES, .values = n, .count = count};
  } else if ((n = numbers_of(r, map, "grid", &count)) != NULL) {
    if (ts_node_integer(map, "count", 1) > TS_MOST_TRIALS)
      return ts_document_fail(&r->in, ts_node_get(map, "count")->place, "a grid may have %d points", TS_MOST_TRIALS);
    if (n[0] == n[1] && ts_node_integer(map, "count", 1) > 1)
      return ts_document_fail(&r->in, ts_node_get(map, "grid")->place, "the range from %g to %g is empty", n[0], n[1]);
    read_grid(r, map, n, variation);
  } else if ((n = numbers_of(r, map, "uniform", &count)) != NULL) {
    variation->kind = TS_VARY_UNIFORM, variation->low = n[0], variation->high = n[1];
  } else if ((n = numbers_of(r, map, "log_uniform", &count)) != NULL) {
    variation->kind = TS_VARY_LOG_UNIFORM, variation->low = n[0], variation->high = n[1];
  } else if ((n = numbers_of(r, map, "triangular", &count)) != NULL) {
    variation->kind = TS_VARY_TRIANGULAR;
    variation->low = n[0], variation->mode = n[1], variation->high = n[2];
  } else if ((n = numbers_of(r, map, "discrete", &count)) != NULL) {
    variation->kind = TS_VARY_DISCRETE;
    variation->values = n, variation->count = count;
    variation->weights = numbers_of(r, map, "weights", &count);
  } else {
    n = numbers_of(r, map, "normal", &count);
    variation->kind = TS_VARY_NORMAL, variation->mean = n[0], variation->deviation = n[1];
    n = numbers_of(r, map, "range", &count);
    if (n && !(n[0] < n[1]))
      return ts_document_fail(&r->in, ts_node_get(map, "range")->place, "the range from %g to %g is empty", n[0], n[1]);
    if (n) variation->low = n[0], variation->high = n[1];
  }
  return TS_OK;
}

static void add_table(reading *r)
{
  for (int c = 0; c < r->table.columns; ++c)
    r->variations[r->def.variation_count++] = (ts_variation){
        .name = r->table.names[c], .axis = 1, .values = r->table.values[c], .count = r->table.rows};
}

static ts_status read_variations(reading *r)
{
  const ts_node *vary = ts_node_get(r->root, "vary"), *derived = ts_node_get(r->root, "derived");
  const ts_node *table = ts_node_get(r->root, "table");
  if (table) TS_TRY(ts_parameter_table_read(&r->in, table, &r->table));
  const size_t most = (size_t)(r->table.columns + (vary ? vary->count : 0) + (derived ? derived->count : 0)) + 1;
  r->variations = ts_arena_bytes(&r->in.arena, most, sizeof *r->variations);
  r->place_of = memset(ts_arena_bytes(&r->in.arena, most, sizeof *r->place_of), 0, most * sizeof *r->place_of);
  add_table(r);
  for (const ts_node *map = vary ? vary->first : NULL; map; map = map->next) {
    r->place_of[r->def.variation_count] = map;
    TS_TRY(read_variation(r, map, &r->variations[r->def.variation_count++]));
  }
  for (const ts_node *text = derived ? derived->first : NULL; text; text = text->next) {
    r->place_of[r->def.variation_count] = text;
    r->variations[r->def.variation_count++] = (ts_variation){
        .name = text->key, .kind = TS_VARY_EXPRESSION, .expression = text->text + (text->text[0] == '=')};
  }
  r->def.variations = r->variations;
  return TS_OK;
}

// ---- the scene -----------------------------------------------------------------------------------------------------

static int list_texts(reading *r, const ts_node *list, const char **texts)
{
  int count = 0;
  for (const ts_node *item = list ? list->first : NULL; item; item = item->next) texts[count++] = item->text;
  (void)r;
  return count;
}

static ts_status read_scene(reading *r)
{
  const ts_node *name = ts_node_get(r->root, "scene"), *set = ts_node_get(r->root, "set");
  const int more = r->request ? r->request->override_count : 0;
  const char **overrides = ts_document_take(&r->in, (size_t)((set ? set->count : 0) + more + 1) * sizeof *overrides);
  int count = list_texts(r, set, overrides);
  for (int k = 0; k < more; ++k) overrides[count++] = r->request->overrides[k];
  r->trials.scene = ts_document_beside(&r->in, name->place.file, name->text);
  r->trials.overrides = overrides;
  r->trials.override_count = count;
  r->trials.extensions = r->request ? r->request->extensions : NULL;
  const ts_scene_request request = {overrides, count, r->trials.extensions};
  const ts_status status = ts_scene_read_with(r->trials.scene, &request, &r->scene, r->in.error);
  if (status != TS_OK) {
    if (!r->in.error->file[0]) snprintf(r->in.error->file, sizeof r->in.error->file, "%s", r->trials.scene);
    return status;
  }
  r->trials.parameter_count = ts_scene_parameter_count(r->scene);
  return ts_scene_create_watch(r->scene, &r->watch, r->in.error);
}

static const char *parameter_name(int i, const void *scene)
{
  return ts_scene_parameter_at(scene, i).name;
}

static int find_parameter(const ts_scene *scene, const char *name)
{
  for (int p = 0; p < ts_scene_parameter_count(scene); ++p)
    if (strcmp(ts_scene_parameter_at(scene, p).name, name) == 0) return p;
  return -1;
}

static ts_place place_of_variation(const reading *r, int i)
{
  if (r->place_of[i]) return r->place_of[i]->key_place;
  return (ts_place){r->table.file, 1, 1};
}

static ts_status refuse_parameter(reading *r, int i)
{
  const char *name = r->variations[i].name;
  const char *nearest = ts_suggest(name, r->trials.parameter_count, parameter_name, r->scene);
  return ts_document_fail(&r->in, place_of_variation(r, i), "the scene has no parameter '%.60s'%s%s%s", name,
                          nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// What follows from others may be a column of the table alone.
static ts_status match_parameters(reading *r)
{
  int *parameter_of = ts_arena_ints(&r->in.arena, (size_t)r->def.variation_count);
  for (int i = 0; i < r->def.variation_count; ++i) {
    parameter_of[i] = find_parameter(r->scene, r->variations[i].name);
    if (parameter_of[i] < 0 && r->variations[i].kind != TS_VARY_EXPRESSION) return refuse_parameter(r, i);
    if (parameter_of[i] >= 0) r->variations[i].unit = ts_scene_parameter_at(r->scene, parameter_of[i]).unit;
  }
  r->trials.parameter_of = parameter_of;
  r->trials.column_count = r->def.variation_count;
  return TS_OK;
}

static const char *result_name(int i, const void *watch)
{
  return ts_watch_result_name(watch, i);
}

static ts_status find_result(reading *r, const ts_node *name, int *result)
{
  *result = ts_watch_find_result(r->watch, name->text);
  if (*result >= 0) return TS_OK;
  const char *nearest = ts_suggest(name->text, ts_watch_result_count(r->watch), result_name, r->watch);
  return ts_document_fail(&r->in, name->place, "the scene has no result '%.60s'%s%s%s", name->text,
                          nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static ts_status read_results(reading *r)
{
  const ts_node *chosen = ts_node_get(r->root, "results");
  const int count = chosen ? chosen->count : ts_watch_result_count(r->watch);
  int *result_of = ts_arena_ints(&r->in.arena, (size_t)count);
  const char **names = ts_document_take(&r->in, 2 * (size_t)(count + 1) * sizeof *names), **units = names + count;
  for (int i = 0; i < count; ++i) {
    result_of[i] = i;
    if (chosen) TS_TRY(find_result(r, ts_node_at(chosen, i), &result_of[i]));
    names[i] = ts_watch_result_name(r->watch, result_of[i]);
    units[i] = ts_watch_result_unit(r->watch, result_of[i]);
  }
  r->trials.result_of = result_of;
  r->trials.result_count = r->def.result_count = count;
  r->def.results = names;
  r->def.units = units;
  return TS_OK;
}

// ---- limits and further attempts -----------------------------------------------------------------------------------

static ts_status read_retry(reading *r, const ts_node *map, ts_retry *retry)
{
  const ts_node *set = ts_node_get(map, "set");
  const char **sets = ts_document_take(&r->in, (size_t)((set ? set->count : 0) + 1) * sizeof *sets);
  *retry = (ts_retry){.size_factor = ts_node_number(map, "step", 1.0), .sets = sets};
  retry->set_count = list_texts(r, set, sets);
  ts_step_options options = *ts_scene_options(r->scene);
  return ts_document_locate(&r->in, map->place, ts_retry_apply(retry, &options, r->in.error));
}

static ts_status read_efforts(reading *r)
{
  const ts_node *limits = ts_node_get(r->root, "limits"), *retries = ts_node_get(r->root, "retry");
  if (limits) {
    r->trials.most_steps = ts_node_integer(limits, "steps", 0);
    r->trials.most_seconds = ts_node_number(limits, "seconds", 0.0);
  }
  r->trials.retry_count = retries ? retries->count : 0;
  ts_retry *all = ts_arena_bytes(&r->in.arena, (size_t)r->trials.retry_count + 1, sizeof *all);
  r->trials.retries = all;
  int k = 0;
  for (const ts_node *map = retries ? retries->first : NULL; map; map = map->next)
    TS_TRY(read_retry(r, map, &all[k++]));
  r->def.most_attempts = 1 + r->trials.retry_count;
  return TS_OK;
}

// ---- the study -----------------------------------------------------------------------------------------------------

// What trials need lives as long as the study, in its memory: copies of what was read.
static const char *kept_text(ts_study *study, const char *text)
{
  const size_t size = strlen(text) + 1;
  return memcpy(ts_arena_bytes(&study->memory, size, 1), text, size);
}

static const char **kept_texts(ts_study *study, const char *const *texts, int count)
{
  const char **copies = ts_arena_bytes(&study->memory, (size_t)count + 1, sizeof *copies);
  for (int i = 0; i < count; ++i) copies[i] = kept_text(study, texts[i]);
  return copies;
}

static const int *kept_ints(ts_study *study, const int *numbers, int count)
{
  const size_t n = (size_t)count;
  return n == 0 ? NULL : memcpy(ts_arena_ints(&study->memory, n), numbers, n * sizeof *numbers);
}

static void keep_trials(const reading *r, ts_study *study)
{
  ts_scene_trials *kept = ts_arena_bytes(&study->memory, 1, sizeof *kept);
  *kept = r->trials;
  kept->scene = kept_text(study, r->trials.scene);
  kept->overrides = kept_texts(study, r->trials.overrides, r->trials.override_count);
  kept->parameter_of = kept_ints(study, r->trials.parameter_of, r->trials.column_count);
  kept->result_of = kept_ints(study, r->trials.result_of, r->trials.result_count);
  ts_retry *retries = ts_arena_bytes(&study->memory, (size_t)r->trials.retry_count + 1, sizeof *retries);
  for (int i = 0; i < r->trials.retry_count; ++i) {
    retries[i] = r->trials.retries[i];
    retries[i].sets = kept_texts(study, retries[i].sets, retries[i].set_count);
  }
  kept->retries = retries;
  study->function.user = kept;
}

static void add_scene_line(void *user, const char *key, const char *value)
{
  ts_study *study = user;
  char path[600];
  snprintf(path, sizeof path, "scene.%s", key);
  ts_manifest_add(&study->manifest, &study->memory, path, value);
}

static void describe_efforts(const reading *r, ts_study *study)
{
  ts_arena *arena = &study->memory;
  ts_manifest_add(&study->manifest, arena, "touchstone", ts_version());
  ts_manifest_print(&study->manifest, arena, "limits", "%lld steps, %.17g s", (long long)r->trials.most_steps,
                    r->trials.most_seconds);
  for (int i = 0; i < r->trials.retry_count; ++i) {
    const ts_retry *retry = &r->trials.retries[i];
    ts_manifest_print(&study->manifest, arena, "retry", "step %.17g", retry->size_factor)->may_change = true;
    for (int k = 0; k < retry->set_count; ++k)
      ts_manifest_add(&study->manifest, arena, "retry", retry->sets[k])->may_change = true;
  }
}

static ts_place place_of_failure(const reading *r, int column)
{
  ts_place place = r->root->place;
  const ts_node *samples = ts_node_get(r->root, "samples"), *sampling = ts_node_get(r->root, "sampling");
  if (samples) place = samples->place;
  if (sampling) place = sampling->place;
  if (column < 0) return place;
  place = place_of_variation(r, column);
  const ts_node *node = r->place_of[column];
  if (node && node->kind == TS_NODE_SCALAR && r->in.error->column > 0) {
    place = node->place;
    place.column += r->in.error->column - 1 + (node->text[0] == '=') + !node->plain;
  }
  return place;
}

static ts_status make_study(reading *r)
{
  int column;
  r->def.name = ts_node_word(r->root, "name", "");
  r->def.sampling = (ts_sampling)ts_node_choice(r->root, "sampling", TS_SAMPLING_RANDOM);
  r->def.samples = (uint64_t)ts_node_number(r->root, "samples", 1.0);
  r->def.seed = (uint64_t)ts_node_number(r->root, "seed", 1.0);
  r->def.function = (ts_trial_function){.create_worker = ts_scene_worker_create,
                                        .destroy_worker = ts_scene_worker_destroy,
                                        .run = ts_scene_trial_run};
  r->in.error->column = 0;
  const ts_status status = ts_study_make(&r->def, &r->study, &column, r->in.error);
  if (status != TS_OK) return ts_document_locate(&r->in, place_of_failure(r, column), status);
  jmp_buf recovery;
  r->study->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(r->in.error, TS_OUT_OF_MEMORY, "memory ran out");
  keep_trials(r, r->study);
  describe_efforts(r, r->study);
  ts_scene_fingerprint(r->scene, add_scene_line, r->study);
  return TS_OK;
}

static ts_status read_all(reading *r, const char *path)
{
  size_t length;
  const int file = ts_document_add_file(&r->in, path);
  TS_TRY(ts_document_load(&r->in, path, (ts_place){0}, &length));
  TS_TRY(ts_yaml_parse(&r->in, r->in.content, length, file, &r->root));
  TS_TRY(ts_study_complete(&r->in, r->root));
  TS_TRY(ts_document_validate(&r->in, r->root, &ts_study_section, TS_SPACE_3D));
  TS_TRY(read_variations(r));
  TS_TRY(read_scene(r));
  TS_TRY(match_parameters(r));
  TS_TRY(read_results(r));
  TS_TRY(read_efforts(r));
  return make_study(r);
}

static ts_status read_or_recover(reading *r, const char *path)
{
  jmp_buf recovery;
  r->in.arena.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(r->in.error, TS_OUT_OF_MEMORY, "memory ran out");
  return read_all(r, path);
}

ts_status ts_study_read(const char *path, const ts_scene_request *request, ts_study **study, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  *study = NULL;
  TS_REFUSE_UNLESS(path, error);
  ts_error why = {0};
  ts_c_locale locale;
  reading *r = calloc(1, sizeof *r);
  if (!r || !ts_c_locale_enter(&locale)) {
    free(r);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  r->request = request;
  ts_document_input_init(&r->in, NULL, &why);
  const ts_status status = read_or_recover(r, path);
  ts_watch_destroy(r->watch);
  ts_scene_destroy(r->scene);
  ts_document_input_release(&r->in);
  ts_c_locale_leave(&locale);
  if (status == TS_OK)
    *study = r->study;
  else
    ts_study_destroy(r->study);
  if (status != TS_OK && error) *error = why;
  free(r);
  return status;
}
