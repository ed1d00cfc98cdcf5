// A verification from a file.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/verification.h"

#include "study/scene_source.h"
#include "study/study_keys.h"
#include "study/table_format.h"
#include "study/verify_keys.h"

#include "document/formula.h"
#include "document/validate.h"
#include "document/values.h"
#include "document/yaml.h"
#include "text/c_locale.h"

#include "base/require.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
  ts_document_input in;
  const ts_scene_request *request;
  ts_node *root;
  ts_variation_list designs, uncertain;
  ts_scene_source source; // of the level that is being read
  ts_verification *made;
} reading;

// ---- designs, and what they have to cope with ----------------------------------------------------------------------

// Names of designs are columns of the tables of levels.
static bool level_has_name(const char *name)
{
  for (int i = 0; i < TS_LEVEL_RESULTS; ++i)
    if (strcmp(ts_level_result_names[i], name) == 0) return true;
  return strcmp(name, TS_LEVEL_DESIGN) == 0 || ts_table_has_name(name);
}

static ts_status check_designs(reading *r)
{
  for (int i = 0; i < r->designs.count; ++i)
    if (level_has_name(r->designs.items[i].name))
      return ts_document_fail(&r->in, ts_variation_place(&r->designs, i),
                              "no parameter of designs can be called '%s': every level's table has such a column",
                              r->designs.items[i].name);
  return TS_OK;
}

// What is uncertain would take the place of the design's own.
static ts_status check_uncertain(reading *r)
{
  for (int i = 0; i < r->uncertain.count; ++i)
    for (int k = 0; k < r->designs.count; ++k)
      if (strcmp(r->designs.items[k].name, r->uncertain.items[i].name) == 0)
        return ts_document_fail(&r->in, ts_variation_place(&r->uncertain, i),
                                "'%s' is varied twice: by 'designs', and by 'uncertain'", r->uncertain.items[i].name);
  return TS_OK;
}

static ts_status read_design(reading *r, const char *key, ts_variation_list *list, ts_design *design)
{
  const ts_node *map = ts_node_get(r->root, key);
  ts_study_def def = {.samples = 1, .seed = 1};
  int column;
  if (!map) return ts_design_make(&def, &r->made->memory, design, NULL, r->in.error);
  TS_TRY(ts_variations_read(&r->in, map, list));
  def.variations = list->items;
  def.variation_count = list->count;
  ts_variations_read_sampling(map, &def);
  r->in.error->column = 0;
  const ts_status status = ts_design_make(&def, &r->made->memory, design, &column, r->in.error);
  TS_TRY(ts_variations_locate(&r->in, map, list, column, status));
  if (design == &r->made->uncertain)
    ts_design_describe(&def, "uncertain.", &r->made->uncertain_manifest, &r->made->memory);
  return TS_OK;
}

// ---- levels --------------------------------------------------------------------------------------------------------

static ts_status check_name(reading *r, const ts_node *node, int number)
{
  const ts_node *name = ts_node_get(node, "name");
  for (const char *c = name->text; *c; ++c)
    if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
      return ts_document_fail(&r->in, name->place, "a level is called by letters, digits, - and _, not '%.60s'",
                              name->text);
  for (int k = 0; k < number; ++k)
    if (strcmp(r->made->levels[k].name, name->text) == 0)
      return ts_document_fail(&r->in, name->place, "there is already a level '%.60s'", name->text);
  return TS_OK;
}

// Columns of trials are those of designs, then those of what is uncertain.
static ts_status match_columns(reading *r)
{
  ts_scene_trials *trials = &r->source.trials;
  trials->column_count = r->designs.count + r->uncertain.count;
  int *parameter_of = ts_arena_ints(&r->in.arena, (size_t)trials->column_count);
  TS_TRY(ts_scene_source_match(&r->in, &r->source, &r->designs, parameter_of));
  TS_TRY(ts_scene_source_match(&r->in, &r->source, &r->uncertain, parameter_of + r->designs.count));
  trials->parameter_of = parameter_of;
  return TS_OK;
}

static ts_status open_scene(reading *r, const ts_node *level, const ts_node *scene)
{
  const ts_override_lists overrides = {{ts_node_get(r->root, "set"), ts_node_get(level, "set")}, r->request};
  ts_scene_source_release(&r->source);
  return ts_scene_source_open(&r->in, scene, &overrides, &r->source);
}

// Names in an expression are those of the designs' columns, then those of the scene's parameters.
typedef struct level_names {
  const ts_design *designs;
  const ts_scene *scene; // or NULL
} level_names;

static const char *name_at(const void *names, int i)
{
  const level_names *of = names;
  if (i < of->designs->column_count) return of->designs->columns[i].name;
  i -= of->designs->column_count;
  return of->scene && i < ts_scene_parameter_count(of->scene) ? ts_scene_parameter_at(of->scene, i).name : NULL;
}

static int find_name(const void *names, const char *name)
{
  const char *known;
  for (int i = 0; (known = name_at(names, i)); ++i)
    if (strcmp(known, name) == 0) return i;
  return -1;
}

static ts_status read_expression(reading *r, const ts_node *level_node, const ts_node *node, ts_level *level)
{
  const ts_node *scene = ts_node_get(r->root, "scene");
  const int marked = node->text[0] == '=';
  ts_expression_error trouble;
  ts_expression *compiled;
  int value;
  if (scene) TS_TRY(open_scene(r, level_node, scene));
  const level_names known = {&r->made->designs, scene ? r->source.scene : NULL};
  const ts_expression_names names = {&known, find_name, name_at};
  if (!ts_expression_compile(node->text + marked, &names, &r->made->memory, &compiled, &trouble))
    return ts_document_fail(&r->in, ts_node_place_at(node, trouble.offset + marked), "%s", trouble.text);
  level->when = compiled;
  for (int i = 0; (value = ts_expression_value_at(compiled, i)) >= 0; ++i)
    level->asks_scene |= value >= r->made->designs.column_count;
  if (!level->asks_scene) return TS_OK;
  TS_TRY(match_columns(r));
  r->source.trials.column_count = r->designs.count; // what is uncertain has the scene's own values
  level->trials = ts_scene_trials_copy(&r->source.trials, &r->made->memory);
  return TS_OK;
}

static ts_status read_simulations(reading *r, const ts_node *node, ts_level *level)
{
  const ts_node *own = ts_node_get(node, "scene"), *scene = own ? own : ts_node_get(r->root, "scene");
  const ts_node *success = ts_node_get(node, "success");
  if (!scene)
    return ts_document_fail(&r->in, node->place, "the level needs a 'scene', or the verification one for all");
  TS_TRY(open_scene(r, node, scene));
  TS_TRY(match_columns(r));
  int *result_of = ts_arena_ints(&r->in.arena, 1);
  TS_TRY(ts_scene_source_find_result(&r->in, &r->source, success ? success->text : "success",
                                     success ? success->place : node->place, result_of));
  r->source.trials.result_of = result_of;
  r->source.trials.result_count = 1;
  level->trials = ts_scene_trials_copy(&r->source.trials, &r->made->memory);
  ts_manifest_add(&level->manifest, &r->made->memory, "success", success ? success->text : "success");
  level->share = ts_node_number(node, "share", 1.0);
  level->most_failures = ts_node_integer(node, "stop_after", 0) - 1;
  ts_scene_source_describe(&r->source, &level->manifest, &r->made->memory);
  return TS_OK;
}

static ts_status read_levels(reading *r)
{
  const ts_node *list = ts_node_get(r->root, "levels");
  ts_verification *made = r->made;
  made->levels = ts_arena_bytes(&made->memory, (size_t)list->count, sizeof *made->levels);
  for (const ts_node *node = list->first; node; node = node->next) {
    ts_level *level = &made->levels[made->level_count];
    const ts_node *when = ts_node_get(node, "when");
    TS_TRY(check_name(r, node, made->level_count));
    *level =
        (ts_level){.name = ts_arena_text(&made->memory, ts_node_word(node, "name", "")), .share = 1.0, .most_failures = -1};
    TS_TRY(when ? read_expression(r, node, when, level) : read_simulations(r, node, level));
    ++made->level_count;
  }
  return TS_OK;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static ts_status read_all(reading *r, const char *path)
{
  size_t length;
  const int file = ts_document_add_file(&r->in, path);
  TS_TRY(ts_document_load(&r->in, path, (ts_place){0}, &length));
  TS_TRY(ts_yaml_parse(&r->in, r->in.content, length, file, &r->root));
  if (r->root->kind == TS_NODE_MAP) {
    TS_TRY(ts_variations_complete(&r->in, ts_node_find(r->root, "designs")));
    TS_TRY(ts_variations_complete(&r->in, ts_node_find(r->root, "uncertain")));
  }
  TS_TRY(ts_document_validate(&r->in, r->root, &ts_verify_section, TS_SPACE_3D));
  r->made->name = ts_arena_text(&r->made->memory, ts_node_word(r->root, "name", ""));
  r->made->naive = (uint64_t)ts_node_number(r->root, "naive", 0.0);
  TS_TRY(read_design(r, "designs", &r->designs, &r->made->designs));
  TS_TRY(check_designs(r));
  TS_TRY(read_design(r, "uncertain", &r->uncertain, &r->made->uncertain));
  TS_TRY(check_uncertain(r));
  return read_levels(r);
}

static ts_status read_or_recover(reading *r, const char *path)
{
  jmp_buf recovery;
  r->in.arena.recovery = r->made->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(r->in.error, TS_OUT_OF_MEMORY, "memory ran out");
  return read_all(r, path);
}

static ts_status read_in_c_locale(reading *r, const char *path)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(r->in.error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = read_or_recover(r, path);
  ts_c_locale_leave(&locale);
  return status;
}

ts_status ts_verification_read(const char *path, const ts_scene_request *request, ts_verification **verification,
                               ts_error *error)
{
  TS_REFUSE_UNLESS(verification, error);
  *verification = NULL;
  TS_REFUSE_UNLESS(path, error);
  ts_error why = {0};
  reading *r = calloc(1, sizeof *r);
  ts_verification *made = calloc(1, sizeof *made);
  if (!r || !made) {
    free(r);
    free(made);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  r->request = request;
  r->made = made;
  ts_arena_init(&made->memory, NULL);
  ts_document_input_init(&r->in, NULL, &why);
  const ts_status status = read_in_c_locale(r, path);
  ts_scene_source_release(&r->source);
  ts_document_input_release(&r->in);
  free(r);
  if (status == TS_OK)
    *verification = made;
  else
    ts_verification_destroy(made);
  if (status != TS_OK && error) *error = why;
  return status;
}
