#define _POSIX_C_SOURCE 200809L // stat
#include "cli/scene_file.h"

#include "cli/allocation.h"
#include "cli/document_kind.h"
#include "cli/message.h"
#include "cli/numbers.h"

#include "draw/file_name.h"

#include "touchstone/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const cli_robot cli_robot_default = {.base = TS_BASE_FIXED, .density = 1000.0};

static bool set_base(const char *text, void *field)
{
  const bool is_free = strcmp(text, "free") == 0;
  if (!is_free && strcmp(text, "fixed") != 0) return false;
  *(ts_urdf_base *)field = is_free ? TS_BASE_FREE : TS_BASE_FIXED;
  return true;
}

static void show_base(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%s", *(const ts_urdf_base *)field == TS_BASE_FREE ? "free" : "fixed");
}

const cli_value cli_value_base = {"'fixed' or 'free'", set_base, show_base, NULL};

#define OPTION_WORD(name, text) text,
static const char *const inertia_words[] = {TS_URDF_INERTIA_LIST(OPTION_WORD)};
static const char *const mesh_words[] = {TS_URDF_MESHES_LIST(OPTION_WORD)};
#undef OPTION_WORD

// The number of a word, or -1.
static int find_word(const char *const *words, int count, const char *text)
{
  int i = 0;
  while (i < count && strcmp(words[i], text) != 0) ++i;
  return i < count ? i : -1;
}

static bool set_inertia(const char *text, void *field)
{
  const int word = find_word(inertia_words, TS_INERTIA_COUNT, text);
  if (word >= 0) *(ts_urdf_inertia *)field = (ts_urdf_inertia)word;
  return word >= 0;
}

static void show_inertia(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%s", inertia_words[*(const ts_urdf_inertia *)field]);
}

const cli_value cli_value_inertia = {"'auto', 'strict', 'repair' or 'shapes'", set_inertia, show_inertia, NULL};

static bool set_meshes(const char *text, void *field)
{
  const int word = find_word(mesh_words, TS_MESHES_COUNT, text);
  if (word >= 0) *(ts_urdf_meshes *)field = (ts_urdf_meshes)word;
  return word >= 0;
}

static void show_meshes(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%s", mesh_words[*(const ts_urdf_meshes *)field]);
}

const cli_value cli_value_meshes = {"'refuse' or 'skip'", set_meshes, show_meshes, NULL};

// Does the file begin as XML does? A YAML file may begin with '<<', which merges. Of a pipe nothing may be taken.
static bool begins_as_xml(const char *path)
{
  struct stat about;
  char head[64];
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const size_t length = fread(head, 1, sizeof head - 1, file);
  fclose(file);
  head[length] = '\0';
  const char *first = head + (strncmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
  first += strspn(first, " \t\r\n");
  return first[0] == '<' && first[1] != '<';
}

// "NAME=X". The name is to be freed.
static bool read_start(const char *text, ts_urdf_start *start)
{
  const char *equals = strrchr(text, '=');
  *start = (ts_urdf_start){.joint = NULL};
  if (!equals || equals == text || cli_read_numbers(equals + 1, 1, &start->position) != 1) {
    cli_message("option '--joint' wants NAME=X, not '%s'", text);
    return false;
  }
  char *name = cli_zeros((size_t)(equals - text) + 1, 1);
  memcpy(name, text, (size_t)(equals - text));
  start->joint = name;
  return true;
}

static ts_status read_robot(const char *path, const cli_robot *robot, const ts_urdf_start *starts,
                            const ts_scene_request *request, ts_scene **scene, ts_error *error)
{
  ts_urdf_options options = ts_urdf_options_default();
  options.base = robot->base;
  options.density = robot->density;
  options.inertia = robot->inertia;
  options.missing_meshes = robot->missing_meshes;
  options.strict = robot->strict;
  options.floor = robot->floor;
  options.hold = robot->hold;
  options.packages = robot->packages.items;
  options.package_count = robot->packages.count;
  options.starts = starts;
  options.start_count = robot->starts.count;
  return ts_urdf_read_with(path, &options, request, scene, error);
}

static bool is_asked_for(const cli_robot *robot)
{
  return robot->base != cli_robot_default.base || robot->density != cli_robot_default.density || robot->floor ||
         robot->hold || robot->packages.count > 0 || robot->starts.count > 0 ||
         robot->inertia != cli_robot_default.inertia || robot->missing_meshes != cli_robot_default.missing_meshes ||
         robot->strict;
}

static bool open_robot(const char *path, const cli_robot *robot, const ts_scene_request *request, ts_scene **scene)
{
  ts_urdf_start starts[CLI_TEXTS];
  int count = 0;
  bool done = true;
  while (done && count < robot->starts.count) {
    done = read_start(robot->starts.items[count], &starts[count]);
    count += done;
  }
  ts_error error = {0};
  if (done && read_robot(path, robot, starts, request, scene, &error) != TS_OK) {
    cli_message_about(path, &error);
    done = false;
  }
  for (int i = 0; i < count; ++i) free((char *)starts[i].joint);
  return done;
}

bool cli_scene_open(const char *path, const cli_robot *robot, const cli_texts *overrides,
                    const ts_extensions *extensions, ts_scene **scene)
{
  const ts_scene_request request = {overrides->items, overrides->count, extensions};
  ts_error error = {0};
  *scene = NULL;
  const bool is_robot = ts_ends_with(path, ".urdf") || begins_as_xml(path);
  if (!is_robot && is_asked_for(robot)) {
    cli_message(
        "%s: --base, --floor, --hold, --package, --joint, --density, --inertia, --missing-meshes and --strict are "
        "for robots (URDF)",
        path);
    return false;
  }
  if (is_robot) return open_robot(path, robot, &request, scene);
  if (!cli_document_may_be(path, CLI_SCENE)) return false;
  const ts_status status = ts_scene_read_with(path, &request, scene, &error);
  if (status != TS_OK) cli_message_about(path, &error);
  return status == TS_OK;
}

void cli_scene_print_notes(const char *path, const ts_scene *scene)
{
  enum { SHOWN = 20 };
  const int count = ts_scene_note_count(scene);
  for (int i = 0; i < count && i < SHOWN; ++i) cli_message_note(path, ts_scene_note_at(scene, i));
  if (count > SHOWN) cli_message("%s: and %d more; 'touchstone check --json' lists them", path, count - SHOWN);
}

void cli_scene_write_notes(const ts_scene *scene, cli_json *json)
{
  cli_json_open_array(json, "notes");
  for (int i = 0; i < ts_scene_note_count(scene); ++i) {
    const ts_scene_note *note = ts_scene_note_at(scene, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "kind", note->warning ? "warning" : "note");
    cli_json_text(json, "text", note->text);
    if (note->file[0]) cli_json_text(json, "file", note->file);
    cli_json_integer(json, "line", note->line);
    cli_json_integer(json, "column", note->column);
    cli_json_close(json);
  }
  cli_json_close(json);
}

bool cli_trial_open(const char *path, const ts_scene_request *request, int trial, int attempt, ts_scene **scene,
                    long long *step_limit)
{
  ts_error error = {0};
  ts_study *study;
  *scene = NULL;
  if (!cli_document_may_be(path, CLI_STUDY)) return false;
  ts_status status = ts_study_read(path, request, &study, &error);
  if (status != TS_OK) return cli_message_about(path, &error), false;
  status = ts_study_read_scene(study, (uint64_t)trial, attempt, scene, &error);
  *step_limit = ts_study_step_limit(study);
  if (status != TS_OK) cli_message_about(error.line > 0 ? ts_study_scene_path(study) : path, &error);
  ts_study_destroy(study);
  return status == TS_OK;
}
