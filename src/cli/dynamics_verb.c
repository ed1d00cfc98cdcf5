// touchstone dynamics: mass matrix, bias, inverse and forward dynamics and Jacobians of a scene in minimal coordinates.
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"
#include "cli/unknown_name.h"

#include "touchstone/dynamics.h"

#include <stdlib.h>
#include <string.h>

typedef struct dynamics_request {
  cli_texts q, v, a, f, points, set;
  double time;
  cli_robot robot;
  cli_texts plugins;
} dynamics_request;

static const cli_option options[] = {
    {"q", 'q', "NUMBERS", &cli_value_texts, offsetof(dynamics_request, q), "",
     "coordinates: all of them, or NAME=X; may come more than once"},
    {"v", 'v', "NUMBERS", &cli_value_texts, offsetof(dynamics_request, v), "", "rates, likewise"},
    {"a", 'a', "NUMBERS", &cli_value_texts, offsetof(dynamics_request, a), "",
     "accelerations that inverse dynamics are for, likewise; those left out are 0"},
    {"f", 'f', "NUMBERS", &cli_value_texts, offsetof(dynamics_request, f), "",
     "forces along the rates that forward dynamics are for, likewise; those left out are 0"},
    {"point", 'p', "BODY[=X,Y,Z]", &cli_value_texts, offsetof(dynamics_request, points), "",
     "a point of a body, in its frame, or its origin: position, velocity, Jacobian; may come more than once"},
    {"time", 't', "T", &cli_value_double, offsetof(dynamics_request, time), "s", "where kinematic bodies are"},
    {"set", 's', "KEY=VALUE", &cli_value_texts, offsetof(dynamics_request, set), "",
     "replace or add a value of the scene; may come more than once"},
    CLI_PLUGIN_OPTION(dynamics_request, plugins),
    CLI_ROBOT_OPTIONS(dynamics_request, robot),
};

static const cli_syntax syntax = {
    .verb = "dynamics",
    .operands = "SCENE",
    .summary = "Mass matrix, bias, inverse and forward dynamics of a scene in minimal coordinates, as one JSON object.",
    .details = "M a + b = f + what else pushes. b has gravity and velocity products; springs, motors, friction and "
               "contacts are\n"
               "not in it. NUMBERS are separated by commas or spaces. Coordinates and rates begin as the scene does.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(dynamics_request)};

// ---- report --------------------------------------------------------------------------------------------------------

typedef struct vectors {
  double *q, *v, *a, *f; // q, rates and what the user gave
  double *result;        // as many as rates
  double *matrix;        // rates x rates, or 6 x rates
} vectors;

static vectors make_vectors(const ts_dynamics *dynamics)
{
  const size_t q = (size_t)ts_dynamics_coordinate_count(dynamics), v = (size_t)ts_dynamics_rate_count(dynamics);
  const vectors x = {cli_zeros(q + 1, sizeof(double)), cli_zeros(v + 1, sizeof(double)),
                     cli_zeros(v + 1, sizeof(double)), cli_zeros(v + 1, sizeof(double)),
                     cli_zeros(v + 1, sizeof(double)), cli_zeros((v + 6) * (v + 1), sizeof(double))};
  if (q > 0) memcpy(x.q, ts_dynamics_coordinates(dynamics), q * sizeof *x.q);
  if (v > 0) memcpy(x.v, ts_dynamics_rates(dynamics), v * sizeof *x.v);
  return x;
}

static void free_vectors(vectors *x)
{
  free(x->q);
  free(x->v);
  free(x->a);
  free(x->f);
  free(x->result);
  free(x->matrix);
}

static const char *body_name(const ts_model *model, int body)
{
  return body == TS_WORLD ? "world" : ts_model_body_name(model, body);
}

static void write_names(cli_json *json, const char *key, const ts_dynamics *dynamics, int count,
                        const char *(*name)(const ts_dynamics *, int))
{
  cli_json_open_array(json, key);
  for (int i = 0; i < count; ++i) cli_json_text(json, NULL, name(dynamics, i));
  cli_json_close(json);
}

static void write_matrix(cli_json *json, const char *key, const double *matrix, int rows, int columns)
{
  cli_json_open_array(json, key);
  for (int i = 0; i < rows; ++i) cli_json_numbers(json, NULL, matrix + (size_t)i * (size_t)columns, (size_t)columns);
  cli_json_close(json);
}

static void write_node(cli_json *json, const ts_model *model, const ts_dynamics_node *node)
{
  cli_json_open_object(json, NULL);
  cli_json_text(json, "body", ts_model_body_name(model, node->body));
  cli_json_text(json, "parent", body_name(model, node->parent));
  cli_json_text(json, "joint", node->joint < 0 ? NULL : ts_model_joint(model, node->joint).name);
  cli_json_boolean(json, "reversed", node->reversed);
  cli_json_integer(json, "coordinate", node->coordinate);
  cli_json_integer(json, "coordinates", node->coordinate_count);
  cli_json_integer(json, "rate", node->rate);
  cli_json_integer(json, "rates", node->rate_count);
  cli_json_close(json);
}

// The spanning tree, and what is left of the joints.
static void write_tree(cli_json *json, const ts_dynamics *dynamics)
{
  const ts_model *model = ts_dynamics_model(dynamics);
  cli_json_open_array(json, "tree");
  for (int i = 0; i < ts_dynamics_node_count(dynamics); ++i) {
    const ts_dynamics_node node = ts_dynamics_node_at(dynamics, i);
    write_node(json, model, &node);
  }
  cli_json_close(json);
  cli_json_open_array(json, "closures");
  for (int i = 0; i < ts_dynamics_closure_count(dynamics); ++i)
    cli_json_text(json, NULL, ts_model_joint(model, ts_dynamics_closure_at(dynamics, i)).name);
  cli_json_close(json);
  cli_json_number(json, "loop_error", ts_dynamics_loop_error(dynamics));
}

static void write_twist(cli_json *json, const char *key, ts_twist t)
{
  const double numbers[] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
  cli_json_numbers(json, key, numbers, 6);
}

static void write_vector(cli_json *json, const char *key, ts_vec3 v)
{
  cli_json_numbers(json, key, (const double[]){v.x, v.y, v.z}, 3);
}

// A point that was asked for.
typedef struct point {
  int body;
  ts_vec3 at;
} point;

static void write_point(cli_json *json, ts_dynamics *dynamics, const point *p, const vectors *x)
{
  ts_point_motion motion = {0};
  ts_dynamics_point(dynamics, p->body, p->at, x->matrix, &motion, NULL); // checked before
  cli_json_open_object(json, NULL);
  cli_json_text(json, "body", ts_model_body_name(ts_dynamics_model(dynamics), p->body));
  write_vector(json, "at", p->at);
  write_vector(json, "position", motion.position);
  write_twist(json, "velocity", motion.velocity);
  write_matrix(json, "jacobian", x->matrix, 6, ts_dynamics_rate_count(dynamics));
  write_twist(json, "jacobian_rate_v", motion.bias);
  cli_json_close(json);
}

// What a run of the verb has found out; nothing can fail any more once it is written.
typedef struct results {
  double *inverse, *forward;
  point *points;
  int point_count;
} results;

static void write_report(const ts_scene *scene, ts_dynamics *dynamics, const vectors *x, const results *found)
{
  const int n = ts_dynamics_rate_count(dynamics);
  const size_t rates = (size_t)n;
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_object(&json, NULL);
  cli_json_text(&json, "name", ts_scene_name(scene));
  cli_json_number(&json, "time", ts_dynamics_time(dynamics));
  write_names(&json, "coordinates", dynamics, ts_dynamics_coordinate_count(dynamics), ts_dynamics_coordinate_name);
  write_names(&json, "rates", dynamics, n, ts_dynamics_rate_name);
  cli_json_numbers(&json, "q", ts_dynamics_coordinates(dynamics), (size_t)ts_dynamics_coordinate_count(dynamics));
  cli_json_numbers(&json, "v", ts_dynamics_rates(dynamics), rates);
  write_tree(&json, dynamics);
  ts_dynamics_mass_matrix(dynamics, x->matrix);
  write_matrix(&json, "mass_matrix", x->matrix, n, n);
  ts_dynamics_bias(dynamics, x->result);
  cli_json_numbers(&json, "bias", x->result, rates);
  cli_json_numbers(&json, "a", x->a, rates);
  cli_json_numbers(&json, "inverse_dynamics", found->inverse, rates);
  cli_json_numbers(&json, "f", x->f, rates);
  cli_json_numbers(&json, "forward_dynamics", found->forward, rates);
  cli_json_open_array(&json, "points");
  for (int i = 0; i < found->point_count; ++i) write_point(&json, dynamics, &found->points[i], x);
  cli_json_close(&json);
  cli_json_close(&json);
}

// ---- verb ----------------------------------------------------------------------------------------------------------

static const char *name_of_body(int i, const void *model)
{
  return ts_model_body_name(model, i);
}

// "BODY", or "BODY=X,Y,Z" (in the plane "BODY=X,Y").
static bool read_point(const ts_model *model, const char *text, point *p)
{
  const char *equals = strrchr(text, '=');
  const size_t length = equals ? (size_t)(equals - text) : strlen(text);
  const int wanted = ts_space_is_planar(ts_model_space(model)) ? 2 : 3;
  char *name = cli_zeros(length + 1, 1);
  memcpy(name, text, length);
  double at[3] = {0.0, 0.0, 0.0};
  const bool placed = !equals || cli_read_numbers(equals + 1, 3, at) == wanted;
  *p = (point){ts_model_find_body(model, name), {at[0], at[1], at[2]}};
  if (p->body < 0)
    cli_message_unknown("body", name, ts_model_body_count(model), name_of_body, model);
  else if (!placed)
    cli_message("option '--point' wants BODY=X,Y%s, not '%s'", wanted == 3 ? ",Z" : "", text);
  free(name);
  return p->body >= 0 && placed;
}

static bool read_points(ts_dynamics *dynamics, const cli_texts *texts, results *found)
{
  for (int i = 0; i < texts->count; ++i) {
    point *p = &found->points[found->point_count++];
    ts_error error;
    if (!read_point(ts_dynamics_model(dynamics), texts->items[i], p)) return false;
    if (ts_dynamics_point(dynamics, p->body, p->at, NULL, NULL, &error) == TS_OK) continue;
    cli_message("%s", error.text);
    return false;
  }
  return true;
}

static const char *coordinate_name(int i, const void *dynamics)
{
  return ts_dynamics_coordinate_name(dynamics, i);
}

static const char *rate_name(int i, const void *dynamics)
{
  return ts_dynamics_rate_name(dynamics, i);
}

static bool read_vectors(const dynamics_request *request, const ts_dynamics *dynamics, const vectors *x)
{
  const int q = ts_dynamics_coordinate_count(dynamics), v = ts_dynamics_rate_count(dynamics);
  const cli_numbers all[] = {{"q", "coordinate", q, coordinate_name, dynamics, x->q},
                             {"v", "rate", v, rate_name, dynamics, x->v},
                             {"a", "rate", v, rate_name, dynamics, x->a},
                             {"f", "rate", v, rate_name, dynamics, x->f}};
  return cli_numbers_set(&all[0], &request->q) && cli_numbers_set(&all[1], &request->v) &&
         cli_numbers_set(&all[2], &request->a) && cli_numbers_set(&all[3], &request->f);
}

static ts_status compute(ts_dynamics *dynamics, double time, const vectors *x, const results *found, ts_error *error)
{
  ts_status status = ts_dynamics_set(dynamics, time, x->q, x->v, error);
  if (status == TS_OK) status = ts_dynamics_inverse(dynamics, x->a, NULL, found->inverse, error);
  if (status == TS_OK) status = ts_dynamics_forward(dynamics, x->f, NULL, found->forward, error);
  return status;
}

static bool report(const dynamics_request *request, const char *path, const ts_scene *scene, ts_dynamics *dynamics)
{
  const size_t rates = (size_t)ts_dynamics_rate_count(dynamics);
  vectors x = make_vectors(dynamics);
  results found = {.inverse = cli_zeros(rates + 1, sizeof(double)),
                   .forward = cli_zeros(rates + 1, sizeof(double)),
                   .points = cli_zeros(CLI_TEXTS, sizeof *found.points)};
  bool done = read_vectors(request, dynamics, &x) && read_points(dynamics, &request->points, &found);
  if (done) {
    ts_error error;
    done = compute(dynamics, request->time, &x, &found, &error) == TS_OK;
    if (done)
      write_report(scene, dynamics, &x, &found);
    else
      cli_message_about(path, &error);
  }
  free(found.inverse);
  free(found.forward);
  free(found.points);
  free_vectors(&x);
  return done;
}

static int run(int argc, char **argv)
{
  dynamics_request request = {.robot = cli_robot_default};
  const char *path;
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &path);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  ts_scene *scene;
  ts_dynamics *dynamics;
  ts_error error = {0};
  ts_extensions *extensions = cli_plugins_load(&request.plugins);
  if (!extensions) return CLI_REFUSED;
  if (!cli_scene_open(path, &request.robot, &request.set, extensions, &scene)) {
    ts_extensions_destroy(extensions);
    return CLI_REFUSED;
  }
  cli_scene_print_notes(path, scene);
  bool done = ts_dynamics_create(ts_scene_model(scene), NULL, &dynamics, &error) == TS_OK;
  if (done)
    done = report(&request, path, scene, dynamics);
  else
    cli_message_about(path, &error);
  ts_dynamics_destroy(dynamics);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
  return done ? CLI_SUCCESS : CLI_REFUSED;
}

const cli_verb cli_dynamics = {"dynamics", "SCENE", "mass matrix, inverse dynamics, Jacobians", run};
