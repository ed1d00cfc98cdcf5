// touchstone draw: a picture of a scene, or of a run at some times.
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/arguments.h"
#include "cli/image_file.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"
#include "cli/unknown_name.h"

#include "draw/composition.h"
#include "draw/name_list.h"

#include "touchstone/wildcard.h"

#include <math.h>
#include <stdlib.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct draw_request {
  const char *input, *at, *output, *view, *focus, *hide, *trail, *title;
  ts_image_size size;
  double zoom;
  int ghosts;
  bool contacts, names;
  cli_robot robot;
  cli_texts plugins;
} draw_request;

#define FIELD(field) offsetof(draw_request, field)

static const cli_option options[] = {
    {"at", 't', "TIMES", &cli_value_text, FIELD(at), "s",
     "time to draw, or several with commas: the last one plain, earlier ones pale; without it the last state"},
    {"ghosts", 'g', "N", &cli_value_int, FIELD(ghosts), "", "draw N earlier times too, evenly spaced from the start"},
    {"output", 'o', "FILE", &cli_value_picture_file, FIELD(output), "", "%s; without it RUN.draw.svg"},
    {"view", 'v', "VIEW", &cli_value_text, FIELD(view), "",
     "iso, x, y, z (from that side), or AZIMUTH,ELEVATION in degrees"},
    {"focus", 'f', "BODIES", &cli_value_text, FIELD(focus), "",
     "fill the picture with these bodies (commas, * and ? as wildcards); without it all are shown but those far away "
     "from the rest"},
    {"zoom", 'z', "F", &cli_value_double, FIELD(zoom), "", "come F times nearer; less than 1: go back"},
    {"hide", 0, "BODIES", &cli_value_text, FIELD(hide), "", "leave these bodies out, with their joints and springs"},
    {"size", 's', "WxH", &cli_value_image_size, FIELD(size), "pixels", "size of the picture"},
    {"trail", 0, "BODIES", &cli_value_text, FIELD(trail), "",
     "lines that the centres of these bodies have drawn (commas, * and ? as wildcards)"},
    {"contacts", 'c', NULL, &cli_value_flag, FIELD(contacts), "", "contact points, with their forces as arrows"},
    {"names", 'n', NULL, &cli_value_flag, FIELD(names), "",
     "write the names of bodies on them, as far as there is room"},
    {"title", 0, "TEXT", &cli_value_text, FIELD(title), "", "heading; without it the name of the scene"},
    CLI_PLUGIN_OPTION(draw_request, plugins),
    CLI_ROBOT_OPTIONS(draw_request, robot)};

static const cli_syntax syntax = {
    .verb = "draw",
    .operands = "RUN|SCENE",
    .summary = "Draw the bodies of a run at a time, or of a scene at its beginning.",
    .details =
        "RUN is a file written by 'touchstone run' that keeps its scene (.h5), SCENE a scene file or a robot (URDF).\n"
        "The state nearest to each time is drawn. Pictures of planar scenes are always seen along z.\n"
        "Bodies that are far away from all others are left out; the picture says which, and how far they are.\n"
        "Exit status: 0 success, 2 bad usage or bad input.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(draw_request)};

// ---- which states --------------------------------------------------------------------------------------------------

// Numbers of states, ascending, each once.
typedef struct moments {
  int *states;
  int count;
} moments;

static int ascending(const void *a, const void *b)
{
  const int first = *(const int *)a, second = *(const int *)b;
  return (first > second) - (first < second);
}

static void sort_moments(moments *m)
{
  qsort(m->states, (size_t)m->count, sizeof *m->states, ascending);
  int kept = 0;
  for (int i = 0; i < m->count; ++i)
    if (kept == 0 || m->states[i] != m->states[kept - 1]) m->states[kept++] = m->states[i];
  m->count = kept;
}

static bool parse_time(const char *text, double *time)
{
  return cli_value_double.set(text, time) && isfinite(*time);
}

// A time outside the run is refused rather than shown as what it is not.
static bool find_state(const char *path, const ts_subject *subject, const char *word, int *state)
{
  double time;
  if (!parse_time(word, &time)) {
    cli_message("option '--at' wants times in seconds, not '%s'", word);
    return false;
  }
  const double first = ts_subject_time(subject, 0);
  const double last = ts_subject_time(subject, ts_subject_state_count(subject) - 1);
  const double slack = 1e-6 * (1.0 + fabs(last));
  if (time < first - slack || time > last + slack) {
    cli_message("%s: there is no state at %g s: it holds %g to %g s", path, time, first, last);
    return false;
  }
  *state = ts_subject_nearest(subject, time);
  return true;
}

static bool take_times(const draw_request *request, const ts_subject *subject, char **words, int count, moments *m)
{
  const int ghosts = request->ghosts;
  m->states = cli_zeros((size_t)count + (size_t)ghosts + 1, sizeof *m->states);
  for (int i = 0; i < count; ++i)
    if (!find_state(request->input, subject, words[i], &m->states[m->count++])) return false;
  if (count == 0) m->states[m->count++] = ts_subject_state_count(subject) - 1;
  const int present = m->states[m->count - 1];
  const double first = ts_subject_time(subject, 0), last = ts_subject_time(subject, present);
  for (int i = 0; i < ghosts; ++i)
    m->states[m->count++] = ts_subject_nearest(subject, first + (last - first) * i / ghosts);
  sort_moments(m);
  return true;
}

static bool choose_moments(const ts_subject *subject, const draw_request *request, moments *m)
{
  *m = (moments){NULL, 0};
  int count = 0;
  char **words = ts_list_split(request->at ? request->at : "", &count);
  if (!words) cli_out_of_memory();
  const bool chosen = take_times(request, subject, words, count, m);
  free(words);
  if (!chosen) free(m->states);
  return chosen;
}

// ---- which bodies --------------------------------------------------------------------------------------------------

static const char *body_name(int i, const void *model)
{
  return ts_model_body_name(model, i);
}

// Mark the bodies that a word names; false after one sentence when there are none.
static bool mark_bodies(const ts_model *model, const char *word, bool *marked)
{
  const int count = ts_model_body_count(model);
  bool any = false;
  for (int i = 0; i < count; ++i)
    if (ts_wildcard_matches(word, ts_model_body_name(model, i))) any = marked[i] = true;
  if (!any) cli_message_unknown("body", word, count, body_name, model);
  return any;
}

static bool mark_listed_bodies(const ts_model *model, const char *list, bool *marked)
{
  int count = 0;
  char **words = ts_list_split(list, &count);
  if (!words) cli_out_of_memory();
  bool good = true;
  for (int i = 0; good && i < count; ++i) good = mark_bodies(model, words[i], marked);
  free(words);
  return good;
}

// By the number of the body; NULL: the option was not given.
typedef struct marks {
  bool *trails, *focus, *hidden;
} marks;

static bool mark(const ts_model *model, const char *list, bool **marked)
{
  *marked = list ? cli_zeros((size_t)ts_model_body_count(model), sizeof **marked) : NULL;
  return !list || mark_listed_bodies(model, list, *marked);
}

static bool has_place(const ts_model *model, int body)
{
  for (int i = 0; i < ts_model_part_count(model); ++i)
    if (ts_model_part_body(model, i) == body && ts_model_part_shape(model, i)->kind != TS_SHAPE_PLANE) return true;
  return false;
}

static bool check_hidden(const ts_model *model, const marks *m)
{
  for (int i = 0; i < ts_model_body_count(model); ++i)
    if (!m->hidden || !m->hidden[i]) return true;
  cli_message("option '--hide' leaves no body to draw");
  return false;
}

// Of several bodies some may be hidden, or have no place in the picture, as half-spaces have none.
static bool check_focus(const ts_model *model, const char *list, const marks *m)
{
  int named = 0, shown = 0, placed = 0;
  for (int i = 0; m->focus && i < ts_model_body_count(model); ++i) {
    const bool seen = m->focus[i] && !(m->hidden && m->hidden[i]);
    named += m->focus[i];
    shown += seen;
    placed += seen && has_place(model, i);
  }
  if (!m->focus || placed > 0) return true;
  if (named == 0)
    cli_message("option '--focus' names no body");
  else if (shown == 0)
    cli_message("option '--focus': '%s' is hidden by '--hide'", list);
  else
    cli_message("option '--focus': '%s' has no place to look at: it has no shape, or is a half-space", list);
  return false;
}

static bool choose_bodies(const ts_model *model, const draw_request *request, marks *m)
{
  const bool marked = mark(model, request->trail, &m->trails) && mark(model, request->focus, &m->focus) &&
                      mark(model, request->hide, &m->hidden);
  return marked && check_hidden(model, m) && check_focus(model, request->focus, m);
}

static void release_marks(marks *m)
{
  free(m->trails);
  free(m->focus);
  free(m->hidden);
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static bool aim(const draw_request *request, const ts_picture *picture, ts_camera *camera)
{
  if (picture->planar) {
    ts_camera_aim_planar(camera);
    return true;
  }
  if (ts_camera_aim(request->view, picture->gravity, camera)) return true;
  cli_message("option '--view' wants iso, x, y, z or AZIMUTH,ELEVATION in degrees, not '%s'", request->view);
  return false;
}

static bool write_picture(const draw_request *request, const ts_picture *picture, const char *path)
{
  ts_camera camera;
  cli_output output;
  if (!aim(request, picture, &camera) || !cli_output_open(path, &output)) return false;
  ts_canvas *canvas = ts_image_format_of(path)->create_canvas(request->size.width, request->size.height);
  if (!canvas) cli_out_of_memory();
  ts_picture_draw(picture, &camera, canvas);
  if (ts_canvas_finish(canvas, output.stream) != TS_OK) cli_out_of_memory();
  ts_canvas_destroy(canvas);
  return cli_output_commit(&output);
}

static bool draw_moments(const draw_request *request, const ts_subject *subject, const moments *m, const char *path)
{
  marks bodies = {NULL, NULL, NULL};
  bool drawn = choose_bodies(subject->model, request, &bodies);
  if (drawn) {
    const ts_composition_choice choice = {.title = request->title ? request->title : ts_scene_name(subject->scene),
                                          .states = m->states,
                                          .state_count = m->count,
                                          .contacts = request->contacts,
                                          .names = request->names,
                                          .trails = bodies.trails,
                                          .focus = bodies.focus,
                                          .hidden = bodies.hidden,
                                          .zoom = request->zoom};
    ts_composition composition;
    if (ts_composition_init(&composition, subject, &choice) != TS_OK) cli_out_of_memory();
    drawn = write_picture(request, &composition.picture, path);
    ts_composition_destroy(&composition);
  }
  release_marks(&bodies);
  return drawn;
}

// The content tells what the file is.
static bool open_subject(const draw_request *request, const ts_extensions *extensions, ts_subject *subject)
{
  ts_error error;
  ts_scene *scene;
  if (ts_record_recognizes(request->input)) {
    if (ts_subject_open_run(request->input, extensions, subject, &error) == TS_OK) return true;
  } else {
    if (!cli_scene_open(request->input, &request->robot, &(cli_texts){.count = 0}, extensions, &scene)) return false;
    if (ts_subject_of_scene(scene, subject, &error) == TS_OK) return true;
  }
  cli_message_about(request->input, &error);
  return false;
}

static bool draw_with(const draw_request *request, const ts_extensions *extensions, const char *path)
{
  ts_subject subject;
  if (!open_subject(request, extensions, &subject)) return false;
  moments m;
  bool drawn = choose_moments(&subject, request, &m);
  if (drawn) {
    drawn = draw_moments(request, &subject, &m, path);
    free(m.states);
  }
  ts_subject_close(&subject);
  return drawn;
}

static bool draw(const draw_request *request, const char *path)
{
  ts_extensions *extensions = cli_plugins_load(&request->plugins);
  const bool drawn = extensions && draw_with(request, extensions, path);
  ts_extensions_destroy(extensions);
  return drawn;
}

static bool check_request(const draw_request *request, const char *path)
{
  enum { MOST_GHOSTS = 1000 };
  static const double LEAST_ZOOM = 1e-3, MOST_ZOOM = 1e3;
  if (!cli_picture_format(path)) return false;
  if (request->ghosts < 0 || request->ghosts > MOST_GHOSTS) {
    cli_message("option '--ghosts' wants 0 to %d, not %d", MOST_GHOSTS, request->ghosts);
    return false;
  }
  if (request->zoom >= LEAST_ZOOM && request->zoom <= MOST_ZOOM) return true;
  cli_message("option '--zoom' wants %g to %g, not %g", LEAST_ZOOM, MOST_ZOOM, request->zoom);
  return false;
}

static int run(int argc, char **argv)
{
  draw_request request = {.view = "iso", .size = {900, 600}, .zoom = 1.0, .robot = cli_robot_default};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &request.input);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  char *beside = cli_name_beside(request.input, ".draw.svg");
  const char *path = request.output ? request.output : beside;
  const bool drawn = check_request(&request, path) && draw(&request, path);
  if (drawn) printf("%s\n", path);
  free(beside);
  return drawn ? CLI_SUCCESS : CLI_REFUSED;
}

const cli_verb cli_draw = {"draw", "RUN|SCENE", "a picture of a run at a time, or of a scene", run};
