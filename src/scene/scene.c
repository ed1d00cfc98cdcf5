#define _POSIX_C_SOURCE 200809L
// Reading a scene from beginning to end.
#include "scene/scene.h"

#include "scene/include.h"
#include "scene/overlap.h"
#include "scene/override.h"
#include "scene/plausible.h"
#include "scene/scene_schema.h"

#include "step/stepper.h"
#include "watch/watch.h"
#include "document/emit.h"
#include "document/notes.h"
#include "document/parameter_set.h"
#include "document/repeat.h"
#include "document/validate.h"
#include "document/values.h"
#include "text/c_locale.h"

#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is read: a file, or a text in memory.
typedef struct scene_source {
  const char *path; // or what stands for it in messages
  const char *text; // NULL: read the file
  size_t length;
  const ts_urdf_options *robot; // NULL: it is YAML, else URDF
} scene_source;

static ts_status out_of_memory(ts_error *error)
{
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

static ts_status read_source(ts_document_input *in, scene_source *source)
{
  if (!source->text) {
    TS_TRY(ts_document_load(in, source->path, (ts_place){0}, &source->length));
    source->text = in->content;
  } else if (source->length > TS_DOCUMENT_BYTES) {
    return ts_fail(in->error, TS_INVALID, "a scene may have %d MiB", TS_DOCUMENT_BYTES >> 20);
  } else {
    in->bytes_read = source->length;
  }
  return TS_OK;
}

// Apply the overrides of one kind that have not been applied.
static ts_status override_first(ts_document_input *in, ts_node *root, int override_count, bool *is_done,
                                bool (*is_of)(ts_document_input *in, ts_node *root, int k))
{
  for (int k = 0; k < override_count; ++k) {
    if (is_done[k] || !is_of(in, root, k)) continue;
    TS_TRY(ts_scene_override(in, root, k));
    is_done[k] = true;
  }
  return TS_OK;
}

// Robots and lists of entries are made from what their own numbers say: these do not change later.
static void fix_what_was_used(ts_document_input *in)
{
  for (const ts_live_number *live = in->live; live; live = live->older) ts_formula_shapes(in, &live->formula);
  in->live = NULL;
}

// Parameters come first, for all expressions use them, and entries may be repeated by them; they have been set.
// Overrides of robots say how these are read; all others see the scene with the robots and all entries in it.
static ts_status complete_tree(ts_document_input *in, ts_node *root, const double *given, int override_count,
                               ts_urdf_facts *robot)
{
  bool *is_done = ts_document_take(in, (size_t)override_count * sizeof *is_done);
  for (int k = 0; k < override_count; ++k) is_done[k] = ts_scene_override_is_of_parameters(in, root, k);
  TS_TRY(ts_parameters_read(in, root, given));
  TS_TRY(ts_document_expand(in, root));
  TS_TRY(override_first(in, root, override_count, is_done, ts_scene_override_is_of_robots));
  TS_TRY(ts_urdf_include(in, root, ts_scene_space_of(root), robot));
  fix_what_was_used(in);
  for (int k = 0; k < override_count; ++k)
    if (!is_done[k]) TS_TRY(ts_scene_override(in, root, k));
  return TS_OK;
}

ts_status ts_scene_complete(ts_document_input *in, ts_scene *scene, ts_node *root, const double *given,
                            ts_urdf_facts *robot)
{
  TS_TRY(complete_tree(in, root, given, scene->override_count, robot));
  TS_TRY(ts_scene_complete_results(in, root));
  scene->space = ts_scene_space_of(root);
  TS_TRY(ts_scene_validate(in, root, scene->space));
  TS_TRY(ts_scene_resolve_files(in, root));
  scene->root = root;
  scene->tree_mark = ts_document_save(in);
  return TS_OK;
}

static ts_status override_parameters(ts_document_input *in, ts_node *root, int override_count)
{
  bool *is_done = ts_document_take(in, (size_t)override_count * sizeof *is_done);
  TS_TRY(override_first(in, root, override_count, is_done, ts_scene_override_is_of_parameters));
  return ts_parameters_complete(in, root);
}

// Where there are parameters the tree is kept as it is, to be completed again with others.
static ts_status keep_raw_tree(ts_document_input *in, ts_node *root, ts_scene *scene)
{
  if (root->kind != TS_NODE_MAP || !ts_node_find(root, "parameters")) return TS_OK;
  in->keeps_files = true;
  scene->raw = ts_node_copy(in, root);
  if (!scene->raw) return in->error->status;
  scene->raw_mark = ts_document_save(in);
  return TS_OK;
}

// The tree of the whole scene, checked: includes, overrides and mesh files are in it.
static ts_status read_tree(ts_document_input *in, scene_source *source, ts_scene *scene)
{
  ts_node *root;
  const int file = ts_document_add_file(in, source->path);
  TS_TRY(read_source(in, source));
  if (source->robot)
    TS_TRY(ts_urdf_gather(in, source->text, source->length, file, source->robot, &scene->robot, &root));
  else
    TS_TRY(ts_scene_gather(in, source->text, source->length, file, &root));
  TS_TRY(override_parameters(in, root, scene->override_count));
  TS_TRY(keep_raw_tree(in, root, scene));
  return ts_scene_complete(in, scene, root, NULL, &scene->robot);
}

static void keep_notes(const ts_document_input *in, ts_scene *scene)
{
  scene->note_count = in->note_count;
  if (in->note_count == 0) return;
  scene->notes = ts_arena_bytes(&scene->memory, (size_t)in->note_count, sizeof *scene->notes);
  memcpy(scene->notes, in->notes, (size_t)in->note_count * sizeof *scene->notes);
}

// What the stepper has no law for, where it is chosen: restitution with one that lets nothing rebound.
static ts_status check_stepper(ts_document_input *in, const ts_node *root, const ts_scene *scene)
{
  const ts_node *step = ts_node_get(root, "step"), *method = step ? ts_node_get(step, "method") : NULL;
  const ts_node *chosen = method ? method : step ? step : root;
  return ts_document_locate(in, chosen->place,
                            ts_stepper_check_model(scene->options.method, scene->model, &scene->options, in->error));
}

void ts_scene_read_times(ts_scene *scene)
{
  const ts_node *output = ts_node_get(scene->root, "output");
  scene->duration = ts_node_number(scene->root, "duration", 1.0);
  scene->interval = output ? ts_node_number(output, "interval", 0.0) : 0.0;
}

// Names in conditions and results are known when a watch can be made.
static ts_status read_watch(ts_document_input *in, const ts_node *root, ts_scene *scene)
{
  ts_watch *watch;
  TS_TRY(ts_watch_plan_read(in, root, &scene->watch));
  TS_TRY(ts_watch_plan_make(in, &scene->watch, scene->model, &watch));
  const ts_parameter_set *set = in->parameters;
  for (int i = 0; set && i < set->count; ++i)
    set->items[i].used = set->items[i].used || ts_watch_uses_parameter(watch, i);
  ts_watch_destroy(watch);
  return TS_OK;
}

// A parameter that was set for nothing is probably another's.
static void question_parameters(ts_document_input *in)
{
  const ts_parameter_set *set = in->parameters;
  for (int i = 0; set && i < set->count; ++i)
    if (set->items[i].place.file < 0 && !set->items[i].used)
      ts_document_warn(in, set->items[i].place, "no expression refers to the parameter '%s'", set->items[i].name);
}

ts_status ts_scene_fill(ts_document_input *in, ts_scene *scene, const ts_model *shapes_of, ts_scene_plan *plan)
{
  const ts_node *root = scene->root;
  TS_TRY(ts_scene_build(in, root, scene->space, shapes_of, plan, &scene->model));
  TS_TRY(ts_scene_check_skins(plan, scene->model, &scene->options));
  TS_TRY(check_stepper(in, root, scene));
  if (ts_node_boolean(root, "allow_overlap", false)) return TS_OK;
  return ts_scene_check_overlap(in, scene->model, plan->body_nodes);
}

// The caller's texts need not outlive the call.
static void copy_overrides(ts_document_input *in, int count)
{
  const char **copies = ts_document_take(in, ((size_t)count + 1) * sizeof *copies);
  for (int k = 0; k < count; ++k) copies[k] = ts_document_copy_text(in, in->overrides[k], strlen(in->overrides[k]));
  in->overrides = copies;
}

static ts_status fill_scene(ts_document_input *in, scene_source *source, ts_scene *scene)
{
  ts_scene_plan plan;
  copy_overrides(in, scene->override_count);
  TS_TRY(read_tree(in, source, scene));
  const ts_node *root = scene->root;
  TS_TRY(ts_scene_read_step(in, root, &scene->options));
  TS_TRY(ts_scene_fill(in, scene, NULL, &plan));
  scene->first = scene->model;
  scene->places = ts_scene_places_collect(&plan, scene->model, &scene->memory);
  TS_TRY(read_watch(in, root, scene));
  ts_scene_question_numbers(in, &plan, scene->model, &scene->options);
  question_parameters(in);
  keep_notes(in, scene);
  ts_scene_list_parameters(scene);
  const char *name = ts_node_word(root, "name", "");
  ts_scene_read_times(scene);
  scene->name = malloc(strlen(name) + 1);
  scene->text = ts_document_emit(root);
  if (!scene->name || !scene->text) return out_of_memory(in->error);
  strcpy(scene->name, name);
  return TS_OK;
}

// The recovery point of the arena lies here: whatever happens below, what is held is in `in` or in `scene`.
static ts_status fill_or_recover(ts_document_input *in, scene_source *source, ts_scene *scene)
{
  jmp_buf recovery;
  in->arena.recovery = scene->robot.memory.recovery = scene->memory.recovery = &recovery;
  if (setjmp(recovery)) return out_of_memory(in->error);
  return fill_scene(in, source, scene);
}

static bool needs_document(const ts_scene *scene)
{
  return scene->in->parameters || scene->watch.stop_count > 0 || scene->watch.result_count > 0;
}

static void forget_document(ts_scene *scene)
{
  if (!scene->in) return;
  ts_document_input_release(scene->in);
  free(scene->in);
  scene->in = NULL;
  scene->root = NULL;
  scene->raw = NULL;
}

static ts_status read_in_c_locale(scene_source *source, const ts_scene_request *request, ts_scene *scene,
                                  ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return out_of_memory(error);
  ts_document_input_init(scene->in, request->overrides, error);
  scene->in->extensions = request->extensions;
  scene->override_count = request->override_count;
  const ts_status status = fill_or_recover(scene->in, source, scene);
  if (status != TS_OK || !needs_document(scene)) forget_document(scene);
  ts_c_locale_leave(&locale);
  return status;
}

static ts_status create_scene(scene_source source, const ts_scene_request *request, ts_scene **scene, ts_error *error)
{
  ts_error why = {0};
  *scene = calloc(1, sizeof **scene);
  if (!*scene) return out_of_memory(error);
  ts_arena_init(&(*scene)->robot.memory, NULL);
  ts_arena_init(&(*scene)->robot_again.memory, NULL);
  ts_arena_init(&(*scene)->memory, NULL);
  (*scene)->in = calloc(1, sizeof *(*scene)->in);
  const ts_status status = !(*scene)->in ? out_of_memory(&why) : read_in_c_locale(&source, request, *scene, &why);
  if (status == TS_OK) return TS_OK;
  ts_scene_destroy(*scene);
  *scene = NULL;
  if (error) *error = why;
  return status;
}

// Arguments that all readers have in common; the function that was called is named where one is missing.
#define REFUSE_BAD_REQUEST(overrides, count)                                                                           \
  TS_REFUSE_UNLESS(scene, error);                                                                                      \
  *scene = NULL;                                                                                                       \
  TS_REFUSE_UNLESS(count == 0 || (count > 0 && overrides), error)

static scene_source file_source(const char *path)
{
  return (scene_source){.path = path};
}

static scene_source text_source(const char *text, size_t length, const char *name)
{
  return (scene_source){.path = name, .text = text ? text : "", .length = length};
}

static ts_scene_request plain_request(const char *const *overrides, int count)
{
  return (ts_scene_request){.overrides = overrides, .override_count = count};
}

ts_status ts_scene_read(const char *path, const char *const *overrides, int count, ts_scene **scene, ts_error *error)
{
  REFUSE_BAD_REQUEST(overrides, count);
  TS_REFUSE_UNLESS(path, error);
  const ts_scene_request request = plain_request(overrides, count);
  return create_scene(file_source(path), &request, scene, error);
}

ts_status ts_scene_read_with(const char *path, const ts_scene_request *request, ts_scene **scene, ts_error *error)
{
  TS_REFUSE_UNLESS(request, error);
  REFUSE_BAD_REQUEST(request->overrides, request->override_count);
  TS_REFUSE_UNLESS(path, error);
  return create_scene(file_source(path), request, scene, error);
}

ts_status ts_scene_parse(const char *text, size_t length, const char *name, const char *const *overrides, int count,
                         ts_scene **scene, ts_error *error)
{
  REFUSE_BAD_REQUEST(overrides, count);
  TS_REFUSE_UNLESS(text || length == 0, error);
  TS_REFUSE_UNLESS(name, error);
  const ts_scene_request request = plain_request(overrides, count);
  return create_scene(text_source(text, length, name), &request, scene, error);
}

ts_status ts_scene_parse_with(const char *text, size_t length, const char *name, const ts_scene_request *request,
                              ts_scene **scene, ts_error *error)
{
  TS_REFUSE_UNLESS(request, error);
  REFUSE_BAD_REQUEST(request->overrides, request->override_count);
  TS_REFUSE_UNLESS(text || length == 0, error);
  TS_REFUSE_UNLESS(name, error);
  return create_scene(text_source(text, length, name), request, scene, error);
}

static ts_status create_robot(scene_source source, const ts_urdf_options *options, const ts_scene_request *request,
                              ts_scene **scene, ts_error *error)
{
  const ts_urdf_options defaults = ts_urdf_options_default();
  source.robot = options ? options : &defaults;
  TS_TRY(ts_urdf_options_check(source.robot, error));
  return create_scene(source, request, scene, error);
}

ts_status ts_urdf_read(const char *path, const ts_urdf_options *options, const char *const *overrides, int count,
                       ts_scene **scene, ts_error *error)
{
  REFUSE_BAD_REQUEST(overrides, count);
  TS_REFUSE_UNLESS(path, error);
  const ts_scene_request request = plain_request(overrides, count);
  return create_robot(file_source(path), options, &request, scene, error);
}

ts_status ts_urdf_read_with(const char *path, const ts_urdf_options *options, const ts_scene_request *request,
                            ts_scene **scene, ts_error *error)
{
  TS_REFUSE_UNLESS(request, error);
  REFUSE_BAD_REQUEST(request->overrides, request->override_count);
  TS_REFUSE_UNLESS(path, error);
  return create_robot(file_source(path), options, request, scene, error);
}

ts_status ts_urdf_parse(const char *text, size_t length, const char *name, const ts_urdf_options *options,
                        const char *const *overrides, int count, ts_scene **scene, ts_error *error)
{
  REFUSE_BAD_REQUEST(overrides, count);
  TS_REFUSE_UNLESS(text || length == 0, error);
  TS_REFUSE_UNLESS(name, error);
  const ts_scene_request request = plain_request(overrides, count);
  return create_robot(text_source(text, length, name), options, &request, scene, error);
}

void ts_scene_destroy(ts_scene *scene)
{
  if (!scene) return;
  forget_document(scene);
  ts_arena_release(&scene->robot.memory);
  ts_arena_release(&scene->robot_again.memory);
  ts_arena_release(&scene->memory);
  ts_scene_release_before(scene);
  if (scene->model != scene->first) ts_model_destroy(scene->model);
  ts_model_destroy(scene->first);
  free(scene->name);
  free(scene->text);
  free(scene);
}

const char *ts_scene_name(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->name;
}

const ts_model *ts_scene_model(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->model;
}

const ts_step_options *ts_scene_options(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return &scene->options;
}

double ts_scene_duration(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->duration;
}

double ts_scene_output_interval(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->interval;
}

const char *ts_scene_text(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->text;
}

ts_urdf_summary ts_scene_urdf_summary(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->robot.summary;
}

ts_urdf_link ts_scene_urdf_link(const ts_scene *scene, int i)
{
  TS_REQUIRE(scene);
  TS_REQUIRE(i >= 0 && i < scene->robot.summary.links);
  return scene->robot.links[i];
}

ts_urdf_joint ts_scene_urdf_joint(const ts_scene *scene, int i)
{
  TS_REQUIRE(scene);
  TS_REQUIRE(i >= 0 && i < scene->robot.summary.joints);
  return scene->robot.joints[i];
}

int ts_scene_note_count(const ts_scene *scene)
{
  TS_REQUIRE(scene);
  return scene->note_count;
}

const ts_scene_note *ts_scene_note_at(const ts_scene *scene, int i)
{
  TS_REQUIRE(scene);
  TS_REQUIRE(i >= 0 && i < scene->note_count);
  return &scene->notes[i];
}

void ts_scene_place_error(const ts_scene *scene, ts_error *error)
{
  ts_place place;
  TS_REQUIRE(scene);
  TS_REQUIRE(error);
  if (error->line > 0 || !ts_scene_places_find(&scene->places, error->text, &place) || place.file < 0) return;
  error->line = place.line;
  error->column = place.column;
  if (place.file > 0) snprintf(error->file, sizeof error->file, "%s", scene->places.files[place.file]);
}
