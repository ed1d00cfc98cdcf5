// A study from a file: the scene is read, what varies is held against its parameters, and trials become simulations.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/study.h"

#include "study/scene_source.h"
#include "study/study_keys.h"
#include "study/variation_read.h"

#include "document/validate.h"
#include "document/values.h"
#include "document/yaml.h"
#include "text/c_locale.h"

#include "base/require.h"

#include <stdlib.h>

// Everything that is in use while a study is read.
typedef struct reading {
  ts_document_input in;
  const ts_scene_request *request;
  ts_node *root;
  ts_variation_list varied;
  ts_study_def def;
  ts_scene_source source;
  ts_study *study;
} reading;

static ts_status read_scene(reading *r)
{
  ts_scene_trials *trials = &r->source.trials;
  const ts_override_lists overrides = {{ts_node_get(r->root, "set"), NULL}, r->request};
  TS_TRY(ts_scene_source_open(&r->in, ts_node_get(r->root, "scene"), &overrides, &r->source));
  int *parameter_of = ts_arena_ints(&r->in.arena, (size_t)r->varied.count);
  TS_TRY(ts_scene_source_match(&r->in, &r->source, &r->varied, parameter_of));
  trials->parameter_of = parameter_of;
  trials->column_count = r->varied.count;
  return TS_OK;
}

static ts_status read_results(reading *r)
{
  const ts_node *chosen = ts_node_get(r->root, "results");
  const int count = chosen ? chosen->count : ts_watch_result_count(r->source.watch);
  int *result_of = ts_arena_ints(&r->in.arena, (size_t)count);
  const char **names = ts_document_take(&r->in, 2 * (size_t)(count + 1) * sizeof *names), **units = names + count;
  for (int i = 0; i < count; ++i) {
    const ts_node *name = chosen ? ts_node_at(chosen, i) : NULL;
    result_of[i] = i;
    if (name) TS_TRY(ts_scene_source_find_result(&r->in, &r->source, name->text, name->place, &result_of[i]));
    names[i] = ts_watch_result_name(r->source.watch, result_of[i]);
    units[i] = ts_watch_result_unit(r->source.watch, result_of[i]);
  }
  r->source.trials.result_of = result_of;
  r->source.trials.result_count = r->def.result_count = count;
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
  for (const ts_node *item = set ? set->first : NULL; item; item = item->next) sets[retry->set_count++] = item->text;
  ts_step_options options = *ts_scene_options(r->source.scene);
  return ts_document_locate(&r->in, map->place, ts_retry_apply(retry, &options, r->in.error));
}

static ts_status read_efforts(reading *r)
{
  const ts_node *limits = ts_node_get(r->root, "limits"), *retries = ts_node_get(r->root, "retry");
  ts_scene_trials *trials = &r->source.trials;
  if (limits) {
    trials->most_steps = ts_node_integer(limits, "steps", 0);
    trials->most_seconds = ts_node_number(limits, "seconds", 0.0);
  }
  trials->retry_count = retries ? retries->count : 0;
  ts_retry *all = ts_arena_bytes(&r->in.arena, (size_t)trials->retry_count + 1, sizeof *all);
  trials->retries = all;
  int k = 0;
  for (const ts_node *map = retries ? retries->first : NULL; map; map = map->next)
    TS_TRY(read_retry(r, map, &all[k++]));
  r->def.most_attempts = 1 + trials->retry_count;
  return TS_OK;
}

// ---- the study -----------------------------------------------------------------------------------------------------

// What trials need lives as long as the study, in its memory.
static ts_status complete_study(reading *r)
{
  ts_study *study = r->study;
  jmp_buf recovery;
  study->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(r->in.error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_scene_trials *kept = ts_arena_bytes(&study->memory, 1, sizeof *kept);
  *kept = ts_scene_trials_copy(&r->source.trials, &study->memory);
  study->function.user = kept;
  ts_scene_source_describe(&r->source, &study->manifest, &study->memory);
  return TS_OK;
}

// What a failure is about: an entry of `results`, something that varies, a result of the scene, or the whole.
static ts_status locate(reading *r, ts_study_subject about, ts_status status)
{
  const ts_node *chosen = ts_node_get(r->root, "results"), *scene = ts_node_get(r->root, "scene");
  if (about.result >= 0 && chosen) return ts_document_locate(&r->in, ts_node_at(chosen, about.result)->place, status);
  if (about.result >= 0 && about.column < 0) return ts_document_locate(&r->in, scene->place, status);
  return ts_variations_locate(&r->in, r->root, &r->varied, about.column, status);
}

static ts_status make_study(reading *r)
{
  ts_study_subject about;
  r->def.name = ts_node_word(r->root, "name", "");
  r->def.variations = r->varied.items;
  r->def.variation_count = r->varied.count;
  ts_variations_read_sampling(r->root, &r->def);
  r->def.function = (ts_trial_function){.create_worker = ts_scene_worker_create,
                                        .destroy_worker = ts_scene_worker_destroy,
                                        .run = ts_scene_trial_run};
  r->in.error->column = 0;
  const ts_status status = ts_study_make(&r->def, &r->study, &about, r->in.error);
  if (status != TS_OK) return locate(r, about, status);
  return complete_study(r);
}

static ts_status read_all(reading *r, const char *path)
{
  size_t length;
  const int file = ts_document_add_file(&r->in, path);
  TS_TRY(ts_document_load(&r->in, path, (ts_place){0}, &length));
  TS_TRY(ts_yaml_parse(&r->in, r->in.content, length, file, &r->root));
  TS_TRY(ts_variations_complete(&r->in, r->root));
  TS_TRY(ts_document_validate(&r->in, r->root, &ts_study_section, TS_SPACE_3D));
  TS_TRY(ts_variations_read(&r->in, r->root, &r->varied));
  TS_TRY(read_scene(r));
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
  ts_scene_source_release(&r->source);
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
