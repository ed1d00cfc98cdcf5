// touchstone draw: a picture of a scene, or of a run at some times.
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/image_file.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/subject.h"
#include "cli/suggest.h"
#include "cli/wildcard.h"

#include <math.h>
#include <stdlib.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

typedef struct draw_request {
  const char *input, *at, *output, *view, *trail, *title;
  cli_image_size size;
  int ghosts;
  bool contacts, names;
  cli_robot robot;
} draw_request;

#define FIELD(field) offsetof(draw_request, field)

static const cli_option options[] = {
    {"at", 't', "TIMES", &cli_value_text, FIELD(at), "s",
     "time to draw, or several with commas: the last one plain, earlier ones pale; without it the last state"},
    {"ghosts", 'g', "N", &cli_value_int, FIELD(ghosts), "", "draw N earlier times too, evenly spaced from the start"},
    {"output", 'o', "FILE", &cli_value_text, FIELD(output), "", "FILE.svg or FILE.png; without it RUN.draw.svg"},
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
static bool find_state(const cli_subject *subject, const char *word, int *state)
{
  double time;
  if (!parse_time(word, &time)) {
    cli_message("option '--at' wants times in seconds, not '%s'", word);
    return false;
  }
  const double first = cli_subject_time(subject, 0);
  const double last = cli_subject_time(subject, cli_subject_state_count(subject) - 1);
  const double slack = 1e-6 * (1.0 + fabs(last));
  if (time < first - slack || time > last + slack) {
    cli_message("%s: there is no state at %g s: it holds %g to %g s", subject->path, time, first, last);
    return false;
  }
  *state = cli_subject_nearest(subject, time);
  return true;
}

static bool take_times(const cli_subject *subject, char **words, int count, int ghosts, moments *m)
{
  m->states = cli_zeros((size_t)count + (size_t)ghosts + 1, sizeof *m->states);
  for (int i = 0; i < count; ++i)
    if (!find_state(subject, words[i], &m->states[m->count++])) return false;
  if (count == 0) m->states[m->count++] = cli_subject_state_count(subject) - 1;
  const int present = m->states[m->count - 1];
  const double first = cli_subject_time(subject, 0), last = cli_subject_time(subject, present);
  for (int i = 0; i < ghosts; ++i)
    m->states[m->count++] = cli_subject_nearest(subject, first + (last - first) * i / ghosts);
  sort_moments(m);
  return true;
}

static bool choose_moments(const cli_subject *subject, const draw_request *request, moments *m)
{
  *m = (moments){NULL, 0};
  int count = 0;
  char **words = cli_split(request->at ? request->at : "", &count);
  const bool chosen = take_times(subject, words, count, request->ghosts, m);
  free(words);
  if (!chosen) free(m->states);
  return chosen;
}

// ---- what is in the picture ----------------------------------------------------------------------------------------

// The arrays that a cli_picture refers to.
typedef struct content {
  cli_placed *placed;
  double *times;
  cli_force *forces;
  cli_trail *trails;
  cli_label *labels;
  cli_link *links;
} content;

static void free_content(content *c, int trail_count)
{
  for (int i = 0; i < trail_count; ++i) free((void *)c->trails[i].points);
  free(c->placed);
  free(c->times);
  free(c->forces);
  free(c->trails);
  free(c->labels);
  free(c->links);
}

// All parts at all moments; what is fixed once.
static void place_parts(const cli_subject *subject, const moments *m, content *c, cli_picture *picture)
{
  const ts_model *model = subject->model;
  const int parts = ts_model_part_count(model);
  c->placed = cli_zeros((size_t)parts * (size_t)m->count, sizeof *c->placed);
  c->times = cli_zeros((size_t)m->count, sizeof *c->times);
  ts_pose *poses = cli_zeros((size_t)ts_model_body_count(model), sizeof *poses);
  int count = 0;
  for (int k = 0; k < m->count; ++k) {
    c->times[k] = cli_subject_time(subject, m->states[k]);
    cli_subject_poses(subject, m->states[k], poses);
    for (int i = 0; i < parts; ++i) {
      const int body = ts_model_part_body(model, i);
      const ts_body_kind kind = ts_model_body_kind(model, body);
      const ts_pose inner = ts_model_part_pose(model, i);
      if (kind == TS_FIXED && k + 1 < m->count) continue;
      c->placed[count++] =
          (cli_placed){ts_model_part_shape(model, i), cli_compose(&poses[body], &inner), body, k, kind};
    }
  }
  free(poses);
  picture->placed = c->placed;
  picture->placed_count = count;
  picture->moments = c->times;
  picture->moment_count = m->count;
}

static ts_vec3 *trail_points(const cli_subject *subject, int body, int last, int *count)
{
  ts_vec3 *points = cli_zeros((size_t)last + 1, sizeof *points);
  ts_pose *poses = cli_zeros((size_t)ts_model_body_count(subject->model), sizeof *poses);
  const ts_vec3 centre = ts_model_body_centre(subject->model, body);
  *count = 0;
  for (int state = 0; state <= last; ++state) {
    cli_subject_poses(subject, state, poses);
    const ts_vec3 point = cli_place(&poses[body], centre);
    if (cli_is_finite(point)) points[(*count)++] = point;
  }
  free(poses);
  return points;
}

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
    if (cli_matches(word, ts_model_body_name(model, i))) any = marked[i] = true;
  if (!any) cli_message_unknown("body", word, count, body_name, model);
  return any;
}

static bool mark_all_bodies(const ts_model *model, const char *list, bool *marked)
{
  int count = 0;
  char **words = cli_split(list, &count);
  bool good = true;
  for (int i = 0; good && i < count; ++i) good = mark_bodies(model, words[i], marked);
  free(words);
  return good;
}

static bool add_trails(const cli_subject *subject, const char *list, int last, content *c, cli_picture *picture)
{
  const int bodies = ts_model_body_count(subject->model);
  bool *marked = cli_zeros((size_t)bodies, sizeof *marked);
  const bool good = mark_all_bodies(subject->model, list, marked);
  c->trails = cli_zeros((size_t)bodies, sizeof *c->trails);
  for (int i = 0; good && i < bodies; ++i) {
    if (!marked[i]) continue;
    cli_trail *trail = &c->trails[picture->trail_count++];
    trail->body = i;
    trail->points = trail_points(subject, i, last, &trail->count);
  }
  picture->trails = c->trails;
  free(marked);
  return good;
}

// A body's name goes on its first part that has a place; a half-space has none.
static void add_labels(const cli_subject *subject, content *c, cli_picture *picture)
{
  const int bodies = ts_model_body_count(subject->model), last = picture->moment_count - 1;
  c->labels = cli_zeros((size_t)bodies, sizeof *c->labels);
  int previous = -1;
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = &picture->placed[i];
    if (placed->moment != last || placed->shape->kind == TS_SHAPE_PLANE || placed->body == previous) continue;
    previous = placed->body;
    c->labels[picture->label_count++] =
        (cli_label){placed->pose.position, ts_model_body_name(subject->model, placed->body)};
  }
  picture->labels = c->labels;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static bool aim(const draw_request *request, const cli_picture *picture, cli_camera *camera)
{
  if (picture->planar) {
    cli_camera_aim_planar(camera);
    return true;
  }
  if (cli_camera_aim(request->view, picture->gravity, camera)) return true;
  cli_message("option '--view' wants iso, x, y, z or AZIMUTH,ELEVATION in degrees, not '%s'", request->view);
  return false;
}

static bool write_picture(const draw_request *request, const cli_picture *picture, const char *path)
{
  cli_camera camera;
  cli_output output;
  if (!aim(request, picture, &camera) || !cli_output_open(path, &output)) return false;
  const cli_image_size size = request->size;
  cli_canvas *canvas = cli_image_format_of(path) == CLI_IMAGE_PNG ? cli_canvas_create_png(size.width, size.height)
                                                                  : cli_canvas_create_svg(size.width, size.height);
  cli_picture_draw(picture, &camera, canvas);
  cli_canvas_finish(canvas, output.stream);
  cli_canvas_destroy(canvas);
  return cli_output_commit(&output);
}

static bool draw_moments(const draw_request *request, const cli_subject *subject, const moments *m, const char *path)
{
  cli_picture picture = {.planar = ts_model_space(subject->model) == TS_SPACE_2D,
                         .gravity = ts_model_gravity(subject->model),
                         .title = request->title ? request->title : ts_scene_name(subject->scene)};
  content c = {0};
  const int last = m->states[m->count - 1];
  place_parts(subject, m, &c, &picture);
  picture.links = c.links = cli_subject_links(subject, last, &picture.link_count);
  if (request->contacts) picture.forces = c.forces = cli_subject_forces(subject, last, &picture.force_count);
  if (request->names) add_labels(subject, &c, &picture);
  const bool drawn = (!request->trail || add_trails(subject, request->trail, last, &c, &picture)) &&
                     write_picture(request, &picture, path);
  free_content(&c, picture.trail_count);
  return drawn;
}

static bool draw(const draw_request *request, const char *path)
{
  cli_subject subject;
  if (!cli_subject_open(request->input, &request->robot, &subject)) return false;
  moments m;
  bool drawn = choose_moments(&subject, request, &m);
  if (drawn) {
    drawn = draw_moments(request, &subject, &m, path);
    free(m.states);
  }
  cli_subject_close(&subject);
  return drawn;
}

static bool check_request(const draw_request *request, const char *path)
{
  enum { MOST_GHOSTS = 1000 };
  const cli_image_format format = cli_image_format_of(path);
  if (format == CLI_IMAGE_SVG || format == CLI_IMAGE_PNG) {
    if (request->ghosts >= 0 && request->ghosts <= MOST_GHOSTS) return true;
    cli_message("option '--ghosts' wants 0 to %d, not %d", MOST_GHOSTS, request->ghosts);
    return false;
  }
  cli_message("%s: pictures are written as .svg or .png", path);
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
