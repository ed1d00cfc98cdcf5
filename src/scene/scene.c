#define _POSIX_C_SOURCE 200809L
// Reading a scene from beginning to end.
#include "touchstone/scene.h"

#include "scene/build.h"
#include "scene/include.h"
#include "scene/overlap.h"
#include "scene/override.h"
#include "scene/places.h"
#include "scene/plausible.h"
#include "scene/scene_schema.h"

#include "robot/urdf_gather.h"
#include "step/stepper.h"
#include "document/emit.h"
#include "document/values.h"
#include "text/c_locale.h"

#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ts_scene {
  char *name, *text;
  ts_model *model;
  ts_step_options options;
  double duration, interval;
  ts_urdf_facts robot;
  ts_arena memory; // of what follows
  ts_scene_places places;
  ts_scene_note *notes;
  int note_count;
};

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

// Overrides of robots say how these are read; all others see the scene with the robots in it.
static ts_status read_robots(ts_document_input *in, ts_node *root, int override_count, ts_urdf_facts *robot)
{
  bool *is_done = ts_document_take(in, (size_t)override_count * sizeof *is_done);
  for (int k = 0; k < override_count; ++k) {
    is_done[k] = ts_scene_override_is_of_robots(in, root, k);
    if (is_done[k]) TS_TRY(ts_scene_override(in, root, k));
  }
  TS_TRY(ts_urdf_include(in, root, ts_scene_space_of(root), robot));
  for (int k = 0; k < override_count; ++k)
    if (!is_done[k]) TS_TRY(ts_scene_override(in, root, k));
  return TS_OK;
}

// The tree of the whole scene, checked: includes, overrides and mesh files are in it.
static ts_status read_tree(ts_document_input *in, scene_source *source, int override_count, ts_urdf_facts *robot,
                           ts_node **root, ts_space *space)
{
  const int file = ts_document_add_file(in, source->path);
  TS_TRY(read_source(in, source));
  if (source->robot)
    TS_TRY(ts_urdf_gather(in, source->text, source->length, file, source->robot, robot, root));
  else
    TS_TRY(ts_scene_gather(in, source->text, source->length, file, root));
  TS_TRY(read_robots(in, *root, override_count, robot));
  *space = ts_scene_space_of(*root);
  TS_TRY(ts_scene_validate(in, *root, *space));
  return ts_scene_resolve_files(in, *root);
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

static ts_status fill_scene(ts_document_input *in, scene_source *source, int override_count, ts_scene *scene)
{
  ts_node *root;
  ts_space space;
  ts_scene_plan plan;
  TS_TRY(read_tree(in, source, override_count, &scene->robot, &root, &space));
  TS_TRY(ts_scene_read_step(in, root, &scene->options));
  TS_TRY(ts_scene_build(in, root, space, &plan, &scene->model));
  TS_TRY(ts_scene_check_skins(&plan, scene->model, &scene->options));
  TS_TRY(check_stepper(in, root, scene));
  if (!ts_node_boolean(root, "allow_overlap", false)) TS_TRY(ts_scene_check_overlap(in, scene->model, plan.body_nodes));
  scene->places = ts_scene_places_collect(&plan, scene->model, &scene->memory);
  ts_scene_question_numbers(in, &plan, scene->model, &scene->options);
  keep_notes(in, scene);
  const ts_node *output = ts_node_get(root, "output");
  const char *name = ts_node_word(root, "name", "");
  scene->duration = ts_node_number(root, "duration", 1.0);
  scene->interval = output ? ts_node_number(output, "interval", 0.0) : 0.0;
  scene->name = malloc(strlen(name) + 1);
  scene->text = ts_document_emit(root);
  if (!scene->name || !scene->text) return out_of_memory(in->error);
  strcpy(scene->name, name);
  return TS_OK;
}

// The recovery point of the arena lies here: whatever happens below, what is held is in `in` or in `scene`.
static ts_status fill_or_recover(ts_document_input *in, scene_source *source, int override_count, ts_scene *scene)
{
  jmp_buf recovery;
  in->arena.recovery = scene->robot.memory.recovery = scene->memory.recovery = &recovery;
  if (setjmp(recovery)) return out_of_memory(in->error);
  return fill_scene(in, source, override_count, scene);
}

static ts_status read_in_c_locale(scene_source *source, const ts_scene_request *request, ts_scene *scene,
                                  ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return out_of_memory(error);
  ts_document_input in;
  ts_document_input_init(&in, request->overrides, error);
  in.extensions = request->extensions;
  const ts_status status = fill_or_recover(&in, source, request->override_count, scene);
  ts_document_input_release(&in);
  ts_c_locale_leave(&locale);
  return status;
}

static ts_status create_scene(scene_source source, const ts_scene_request *request, ts_scene **scene, ts_error *error)
{
  ts_error why = {0};
  *scene = calloc(1, sizeof **scene);
  if (!*scene) return out_of_memory(error);
  ts_arena_init(&(*scene)->robot.memory, NULL);
  ts_arena_init(&(*scene)->memory, NULL);
  const ts_status status = read_in_c_locale(&source, request, *scene, &why);
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
  ts_arena_release(&scene->robot.memory);
  ts_arena_release(&scene->memory);
  ts_model_destroy(scene->model);
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
