// touchstone check FILE
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/document_kind.h"
#include "cli/joint_list.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"
#include "cli/start_notes.h"
#include "cli/study_check.h"
#include "cli/support_list.h"
#include "cli/table.h"
#include "cli/watch_list.h"

#include <stdio.h>
#include <string.h>

typedef struct check_request {
  cli_texts set;
  cli_robot robot;
  cli_texts plugins;
  bool json;
} check_request;

// ---- what can touch ------------------------------------------------------------------------------------------------

enum { PAIRS_SHOWN = 12 };

// Pairs of shapes that no rule keeps apart, the first few of them by the numbers of the shapes.
typedef struct possible_contacts {
  long long count;
  int shown[PAIRS_SHOWN][2];
  bool spins; // some law has torsional friction
} possible_contacts;

static possible_contacts count_pairs(const ts_model *model)
{
  possible_contacts pairs = {0};
  for (int i = 0; i < ts_model_part_count(model); ++i) {
    for (int k = i + 1; k < ts_model_part_count(model); ++k) {
      ts_contact_law law;
      if (!ts_model_contact_law(model, i, k, &law)) continue;
      if (pairs.count < PAIRS_SHOWN) memcpy(pairs.shown[pairs.count], (const int[]){i, k}, sizeof pairs.shown[0]);
      pairs.spins = pairs.spins || law.ellipsoid.z > 0.0;
      ++pairs.count;
    }
  }
  return pairs;
}

static const char *body_of_part(const ts_model *model, int part)
{
  return ts_model_body_name(model, ts_model_part_body(model, part));
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

// What a step has to find out, counted at the start of the run.
typedef struct problem_sizes {
  int velocities, bilaterals;
  int contacts, with_friction;
  int directions; // of the polyhedral cone
  int friction;   // unknowns of the friction problem: impulses of contacts and joints
  int mlcp;       // of thesis 2.78: velocities, joint impulses, p_n, and where there is friction p_f and sigma
} problem_sizes;

static problem_sizes count_unknowns(const ts_sim *sim, bool spins)
{
  const ts_model *model = ts_sim_model(sim);
  const bool planar = ts_space_is_planar(ts_model_space(model));
  problem_sizes sizes = {.velocities = ts_model_dof_count(model), .bilaterals = ts_model_bilateral_count(model)};
  const ts_contact *contacts = ts_sim_contacts(sim, &sizes.contacts);
  for (int i = 0; i < sizes.contacts; ++i) sizes.with_friction += contacts[i].friction > 0.0;
  sizes.directions = planar ? 2 : ts_sim_options(sim)->directions;
  const int supports = cli_support_count(model), around = ts_sim_options(sim)->directions;
  sizes.friction = sizes.contacts * (planar ? 2 : spins ? 4 : 3) + 3 * supports + sizes.bilaterals;
  sizes.mlcp = sizes.velocities + sizes.bilaterals + sizes.contacts + sizes.with_friction * (sizes.directions + 1) +
               supports * (around + 1);
  return sizes;
}

// ---- report --------------------------------------------------------------------------------------------------------

static const char *kind_name(ts_body_kind kind)
{
#define KIND_NAME(name, text, help) text,
  static const char *const names[] = {TS_BODY_KIND_LIST(KIND_NAME)};
#undef KIND_NAME
  return names[kind];
}

// "box, sphere": the shapes of a body.
static void join_shapes(const ts_model *model, int body, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int part = 0; part < ts_model_part_count(model) && used < size; ++part)
    if (ts_model_part_body(model, part) == body)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               ts_shape_name(ts_model_part_shape(model, part)->kind));
}

static void print_bodies(const ts_model *model)
{
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "body", 'l');
  cli_table_column(&table, "kind", 'l');
  cli_table_column(&table, "mass [kg]", 'r');
  cli_table_column(&table, "shape", 'l');
  for (int i = 0; i < ts_model_body_count(model); ++i) {
    const bool dynamic = ts_model_body_kind(model, i) == TS_DYNAMIC;
    char shapes[CLI_CELL_SIZE];
    join_shapes(model, i, shapes, sizeof shapes);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", ts_model_body_name(model, i));
    cli_table_cell(&table, "%s", kind_name(ts_model_body_kind(model, i)));
    if (dynamic)
      cli_table_cell(&table, "%.6g", ts_model_body_mass(model, i));
    else
      cli_table_cell(&table, "-");
    cli_table_cell(&table, "%s", *shapes ? shapes : "-");
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void print_pairs(const ts_model *model, const possible_contacts *pairs)
{
  printf("\npairs of shapes that can touch: %lld\n", pairs->count);
  const long long shown = pairs->count < PAIRS_SHOWN ? pairs->count : PAIRS_SHOWN;
  for (long long i = 0; i < shown; ++i)
    printf("  %s - %s\n", body_of_part(model, pairs->shown[i][0]), body_of_part(model, pairs->shown[i][1]));
  if (pairs->count > shown) printf("  and %lld more\n", pairs->count - shown);
}

static void print_groups(const ts_model *model)
{
  if (ts_model_group_count(model) == 0) return;
  printf("\ngroups that decide whether bodies collide: %d\n", ts_model_group_count(model));
  for (int i = 0; i < ts_model_group_count(model); ++i) {
    const ts_group_info group = ts_model_group(model, i);
    printf("  %d %s", group.group_count, group.group_count == 1 ? "body" : "bodies");
    if (group.with_count > 0)
      printf(" with %d", group.with_count);
    else
      printf(" among themselves");
    printf(": %s%s, pairs: %lld\n", group.collide ? "collide" : "do not collide",
           group.has_law ? " by a law of their own" : "", group.pairs);
  }
}

static void print_sizes(const ts_model *model, const problem_sizes *sizes)
{
  printf("\njoints: %d, with %d bilateral rows; velocities: %d\n", ts_model_joint_count(model), sizes->bilaterals,
         sizes->velocities);
  printf("contacts at the start: %d, %d of them with friction\n", sizes->contacts, sizes->with_friction);
  printf("unknowns at the start: friction problem %d, MLCP %d (%d directions)\n", sizes->friction, sizes->mlcp,
         sizes->directions);
}

// Of a robot, what its file holds.
static void print_robot(const ts_scene *scene)
{
  const ts_urdf_summary robot = ts_scene_urdf_summary(scene);
  if (robot.links == 0) return;
  printf("\nrobot: links %d, joints %d, degrees of freedom %d, mass %.6g kg\n", robot.links, robot.joints,
         robot.velocities, robot.mass);
  if (robot.derived_mass > 0.0)
    printf("  %.6g kg of it come from the shapes of links without <inertial> (--density)\n", robot.derived_mass);
  if (robot.separated > 0)
    printf("  pairs of bodies that overlap at the start, and so do not collide: %d\n", robot.separated);
}

static void print_report(const ts_scene *scene, const ts_sim *sim, const ts_watch *watch,
                         const possible_contacts *pairs, const problem_sizes *sizes)
{
  const ts_model *model = ts_scene_model(scene);
  if (*ts_scene_name(scene)) printf("%s\n\n", ts_scene_name(scene));
  print_bodies(model);
  cli_print_scene_parameters(scene);
  print_robot(scene);
  cli_print_joints(model);
  cli_print_gears(model);
  cli_print_springs(model);
  cli_print_bushings(model);
  cli_print_supports(model);
  print_pairs(model, pairs);
  print_groups(model);
  print_sizes(model, sizes);
  printf("steps: %s, %g s long, for %g s\n", ts_stepper_name(ts_scene_options(scene)->method),
         ts_scene_options(scene)->size, ts_scene_duration(scene));
  cli_print_start_notes(sim, ts_scene_options(scene), stdout);
  cli_print_watched(watch);
}

static void write_bodies(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "bodies");
  for (int i = 0; i < ts_model_body_count(model); ++i) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", ts_model_body_name(model, i));
    cli_json_text(json, "kind", kind_name(ts_model_body_kind(model, i)));
    cli_json_number(json, "mass", ts_model_body_mass(model, i));
    cli_json_open_array(json, "shapes");
    for (int part = 0; part < ts_model_part_count(model); ++part)
      if (ts_model_part_body(model, part) == i)
        cli_json_text(json, NULL, ts_shape_name(ts_model_part_shape(model, part)->kind));
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void write_robot(cli_json *json, const ts_scene *scene)
{
  const ts_urdf_summary robot = ts_scene_urdf_summary(scene);
  if (robot.links == 0) return;
  cli_json_open_object(json, "robot");
  cli_json_integer(json, "links", robot.links);
  cli_json_integer(json, "joints", robot.joints);
  cli_json_integer(json, "velocities", robot.velocities);
  cli_json_number(json, "mass", robot.mass);
  cli_json_number(json, "derived_mass", robot.derived_mass);
  cli_json_integer(json, "separated_pairs", robot.separated);
  cli_json_close(json);
}

static void write_groups(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "groups");
  for (int i = 0; i < ts_model_group_count(model); ++i) {
    const ts_group_info group = ts_model_group(model, i);
    cli_json_open_object(json, NULL);
    cli_json_integer(json, "bodies", group.group_count);
    cli_json_integer(json, "with", group.with_count);
    cli_json_boolean(json, "collide", group.collide);
    cli_json_boolean(json, "own_law", group.has_law);
    cli_json_integer(json, "pairs", group.pairs);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void write_report(const ts_scene *scene, const ts_sim *sim, const ts_watch *watch,
                         const possible_contacts *pairs, const problem_sizes *sizes)
{
  const ts_model *model = ts_scene_model(scene);
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_object(&json, NULL);
  cli_json_text(&json, "name", ts_scene_name(scene));
  cli_json_text(&json, "space", ts_space_name(ts_model_space(model)));
  write_bodies(&json, model);
  cli_list_scene_parameters(&json, scene);
  write_robot(&json, scene);
  cli_write_joints(&json, model);
  cli_write_gears(&json, model);
  cli_write_springs(&json, model);
  cli_write_bushings(&json, model);
  cli_write_supports(&json, model);
  cli_json_integer(&json, "velocities", sizes->velocities);
  cli_json_integer(&json, "bilateral_rows", sizes->bilaterals);
  cli_json_integer(&json, "possible_pairs", pairs->count);
  write_groups(&json, model);
  cli_json_integer(&json, "contacts", sizes->contacts);
  cli_json_integer(&json, "contacts_with_friction", sizes->with_friction);
  cli_json_integer(&json, "directions", sizes->directions);
  cli_json_integer(&json, "friction_problem_size", sizes->friction);
  cli_json_integer(&json, "mlcp_size", sizes->mlcp);
  cli_json_text(&json, "method", ts_stepper_name(ts_scene_options(scene)->method));
  cli_json_number(&json, "step_size", ts_scene_options(scene)->size);
  cli_json_number(&json, "duration", ts_scene_duration(scene));
  cli_list_watched(&json, watch);
  cli_scene_write_notes(scene, &json);
  cli_write_start_notes(&json, sim, ts_scene_options(scene));
  cli_json_close(&json);
}

// ---- verb ----------------------------------------------------------------------------------------------------------

static const cli_option options[] = {
    {"set", 0, "PATH=VALUE", &cli_value_texts, offsetof(check_request, set), "",
     "replace or add a value of the scene; may be given again"},
    {"json", 0, NULL, &cli_value_flag, offsetof(check_request, json), "", "write a JSON object instead of text"},
    CLI_PLUGIN_OPTION(check_request, plugins),
    CLI_ROBOT_OPTIONS(check_request, robot),
};

static const cli_syntax syntax = {.verb = "check",
                                  .operands = "FILE",
                                  .summary =
                                      "Check a scene; list its bodies, parameters, joints, gears, springs, bushings "
                                      "and supports, what can touch, problem sizes, and what is watched.",
                                  .details = "Of a study or a verification: how many trials or designs, how far their "
                                             "parameters reach, the first\nof them, and results or levels. Nothing "
                                             "is run.\n",
                                  .options = options,
                                  .option_count = sizeof options / sizeof options[0],
                                  .operand_count = 1,
                                  .request_size = sizeof(check_request)};

static ts_status report_scene(const ts_scene *scene, bool json, ts_error *error)
{
  ts_sim *sim;
  ts_watch *watch = NULL;
  ts_status status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
  if (status == TS_OK) status = ts_sim_find_contacts(sim, error);
  if (status == TS_OK) status = ts_scene_create_watch(scene, &watch, error);
  if (status == TS_OK) {
    const possible_contacts pairs = count_pairs(ts_scene_model(scene));
    const problem_sizes sizes = count_unknowns(sim, pairs.spins);
    (json ? write_report : print_report)(scene, sim, watch, &pairs, &sizes);
  }
  ts_watch_destroy(watch);
  ts_sim_destroy(sim);
  if (status != TS_OK) ts_scene_place_error(scene, error);
  return status;
}

static int check_scene(const char *path, const check_request *request, const ts_extensions *extensions)
{
  ts_scene *scene;
  ts_error error = {0};
  if (!cli_scene_open(path, &request->robot, &request->set, extensions, &scene)) return CLI_REFUSED;
  cli_scene_print_notes(path, scene);
  const ts_status status = report_scene(scene, request->json, &error);
  if (status != TS_OK) cli_message_about(path, &error);
  if (status == TS_OK && ts_step_count_check(ts_scene_duration(scene), ts_scene_options(scene)->size, &error) != TS_OK)
    cli_message("%s: warning: %s; 'run' needs --yes", path, error.text);
  ts_scene_destroy(scene);
  return status == TS_OK ? CLI_SUCCESS : CLI_REFUSED;
}

static int check_file(const char *path, const check_request *request, const ts_extensions *extensions)
{
  const ts_scene_request scene = {request->set.items, request->set.count, extensions};
  switch (cli_document_kind_of(path)) {
  case CLI_STUDY:
    return cli_check_study(path, &scene, request->json);
  case CLI_VERIFICATION:
    return cli_check_verification(path, &scene, request->json);
  default:
    return check_scene(path, request, extensions);
  }
}

static int run(int argc, char **argv)
{
  check_request request = {.robot = cli_robot_default};
  const char *path;
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &path);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  ts_extensions *extensions = cli_plugins_load(&request.plugins);
  if (!extensions) return CLI_REFUSED;
  const int status = check_file(path, &request, extensions);
  ts_extensions_destroy(extensions);
  return status;
}

const cli_verb cli_check = {"check", "FILE", "check a scene, a study or a verification", run};
