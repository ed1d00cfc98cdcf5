// touchstone draw: a picture of a scene, or of a run at some times.
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/arguments.h"
#include "cli/image_file.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/scene_file.h"
#include "cli/unknown_name.h"

#include "draw/composition.h"
#include "draw/wildcard.h"

#include <math.h>
#include <stdlib.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct draw_request {
  const char *input, *at, *output, *view, *trail, *title;
  ts_image_size size;
  int ghosts;
  bool contacts, names;
  cli_robot robot;
} draw_request;

#define FIELD(field) offsetof(draw_request, field)

static const cli_option options[] = {
    {"at", 't', "TIMES", &cli_value_text, FIELD(at), "s",
     "time to draw, or several with commas: the last one plain, earlier ones pale; without it the last state"},
    {"ghosts", 'g', "N", &cli_value_int, FIELD(ghosts), "", "draw N earlier times too, evenly spaced from the start"},
    {"output", 'o', "FILE", &cli_value_picture_file, FIELD(output), "", "%s; without it RUN.draw.svg"},
    {"view", 'v', "VIEW", &cli_value_text, FIELD(view), "",
     "iso, x, y, z (from that side), or AZIMUTH,ELEVATION in degrees"},
    {"size", 's', "WxH", &cli_value_image_size, FIELD(size), "pixels", "size of the picture"},
    {"trail", 0, "BODIES", &cli_value_text, FIELD(trail), "",
     "lines that the centres of these bodies have drawn (commas, * and ? as wildcards)"},
    {"contacts", 'c', NULL, &cli_value_flag, FIELD(contacts), "", "contact points, with their forces as arrows"},
    {"names", 'n', NULL, &cli_value_flag, FIELD(names), "", "write the names of bodies on them"},
    {"title", 0, "TEXT", &cli_value_text, FIELD(title), "", "heading; without it the name of the scene"},
    CLI_ROBOT_OPTIONS(draw_request, robot)};

static const cli_syntax syntax = {
    .verb = "draw",
    .operands = "RUN|SCENE",
    .summary = "Draw the bodies of a run at a time, or of a scene at its beginning.",
    .details =
        "RUN is a file written by 'touchstone run' that keeps its scene (.h5), SCENE a scene file or a robot (URDF).\n"
        "The state nearest to each time is drawn. Pictures of planar scenes are always seen along z.\n"
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

// ---- which bodies leave trails -------------------------------------------------------------------------------------

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

static bool mark_all_bodies(const ts_model *model, const char *list, bool *marked)
{
  int count = 0;
  char **words = ts_list_split(list, &count);
  if (!words) cli_out_of_memory();
  bool good = true;
  for (int i = 0; good && i < count; ++i) good = mark_bodies(model, words[i], marked);
  free(words);
  return good;
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
  bool *trails = cli_zeros((size_t)ts_model_body_count(subject->model), sizeof *trails);
  bool drawn = !request->trail || mark_all_bodies(subject->model, request->trail, trails);
  if (drawn) {
    const ts_composition_choice choice = {.title = request->title ? request->title : ts_scene_name(subject->scene),
                                          .states = m->states,
                                          .state_count = m->count,
                                          .contacts = request->contacts,
                                          .names = request->names,
                                          .trails = trails};
    ts_composition composition;
    if (ts_composition_init(&composition, subject, &choice) != TS_OK) cli_out_of_memory();
    drawn = write_picture(request, &composition.picture, path);
    ts_composition_destroy(&composition);
  }
  free(trails);
  return drawn;
}

// The content tells what the file is.
static bool open_subject(const draw_request *request, ts_subject *subject)
{
  ts_error error;
  ts_scene *scene;
  if (ts_record_recognizes(request->input)) {
    if (ts_subject_open_run(request->input, subject, &error) == TS_OK) return true;
  } else {
    if (!cli_scene_open(request->input, &request->robot, &(cli_texts){.count = 0}, &scene)) return false;
    if (ts_subject_of_scene(scene, subject, &error) == TS_OK) return true;
  }
  cli_message_about(request->input, &error);
  return false;
}

static bool draw(const draw_request *request, const char *path)
{
  ts_subject subject;
  if (!open_subject(request, &subject)) return false;
  moments m;
  bool drawn = choose_moments(&subject, request, &m);
  if (drawn) {
    drawn = draw_moments(request, &subject, &m, path);
    free(m.states);
  }
  ts_subject_close(&subject);
  return drawn;
}

static bool check_request(const draw_request *request, const char *path)
{
  enum { MOST_GHOSTS = 1000 };
  if (!cli_picture_format(path)) return false;
  if (request->ghosts >= 0 && request->ghosts <= MOST_GHOSTS) return true;
  cli_message("option '--ghosts' wants 0 to %d, not %d", MOST_GHOSTS, request->ghosts);
  return false;
}

static int run(int argc, char **argv)
{
  draw_request request = {.view = "iso", .size = {900, 600}, .robot = cli_robot_default};
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
