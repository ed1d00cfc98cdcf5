// touchstone list solvers|problems|steppers|options|controllers|shapes|joints|signals|quantities|functions|formats|keys|
//   urdf|study|verify
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/combinations.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/option_list.h"
#include "cli/parameter_list.h"
#include "cli/plugins.h"
#include "cli/quantity_list.h"
#include "cli/scene_keys.h"
#include "cli/table.h"

#include "draw/image_format.h"

#include "touchstone/builtin.h"
#include "touchstone/record.h"
#include "touchstone/scene.h"
#include "touchstone/solver.h"
#include "touchstone/suggest.h"

#include <stdio.h>
#include <string.h>

static const ts_problem_type types[] = {TS_LCP, TS_MLCP, TS_MCP, TS_FRICTION, TS_GLOBAL_FRICTION};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static void join_types(unsigned takes, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < TYPE_COUNT && used < size; ++i)
    if (takes & (unsigned)types[i])
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", ts_problem_type_name(types[i]));
}

static void print_solver(cli_table *table, const ts_solver *solver)
{
  char takes[CLI_CELL_SIZE];
  join_types(ts_solver_takes(solver), takes, sizeof takes);
  cli_table_row(table);
  cli_table_cell(table, "%s", ts_solver_name(solver));
  cli_table_cell(table, "%s", takes);
  cli_table_cell(table, "%s", ts_solver_summary(solver));
}

static void print_solvers(const ts_extensions *extensions)
{
  cli_table table;
  ts_extension_info info;
  cli_table_init(&table);
  cli_table_column(&table, "solver", 'l');
  cli_table_column(&table, "takes", 'l');
  cli_table_column(&table, "method", 'l');
  for (int i = 0; i < ts_solver_count(); ++i) print_solver(&table, ts_solver_at(i));
  for (int i = 0; ts_extensions_at(extensions, TS_EXTENSION_SOLVER, i, &info); ++i)
    print_solver(&table, ts_extensions_solver(extensions, info.name));
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void write_solver(cli_json *json, const ts_solver *solver)
{
  cli_json_open_object(json, NULL);
  cli_json_text(json, "name", ts_solver_name(solver));
  cli_json_open_array(json, "takes");
  for (int k = 0; k < TYPE_COUNT; ++k)
    if (ts_solver_takes(solver) & (unsigned)types[k]) cli_json_text(json, NULL, ts_problem_type_name(types[k]));
  cli_json_close(json);
  cli_json_integer(json, "iteration_limit", ts_solver_default_limit(solver));
  cli_json_text(json, "summary", ts_solver_summary(solver));
  cli_json_close(json);
}

static void write_solvers(const ts_extensions *extensions)
{
  cli_json json;
  ts_extension_info info;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < ts_solver_count(); ++i) write_solver(&json, ts_solver_at(i));
  for (int i = 0; ts_extensions_at(extensions, TS_EXTENSION_SOLVER, i, &info); ++i)
    write_solver(&json, ts_extensions_solver(extensions, info.name));
  cli_json_close(&json);
}

// Size and number of starting points are the problem's own; -1 when it cannot be made.
typedef struct builtin_sizes {
  long long size;
  int starts;
} builtin_sizes;

static builtin_sizes sizes_of(const char *name)
{
  ts_builtin *builtin;
  if (ts_builtin_create(name, 0, &builtin, NULL) != TS_OK) return (builtin_sizes){-1, -1};
  const builtin_sizes sizes = {(long long)ts_problem_size(ts_builtin_problem(builtin)),
                               ts_builtin_start_count(builtin)};
  ts_builtin_destroy(builtin);
  return sizes;
}

static void print_problems(const ts_extensions *unused)
{
  (void)unused;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "problem", 'l');
  cli_table_column(&table, "unknowns", 'r');
  cli_table_column(&table, "starts", 'r');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < ts_builtin_count(); ++i) {
    const builtin_sizes sizes = sizes_of(ts_builtin_name(i));
    cli_table_row(&table);
    cli_table_cell(&table, "builtin:%s", ts_builtin_name(i));
    cli_table_cell(&table, "%lld", sizes.size);
    cli_table_cell(&table, "%d", sizes.starts);
    cli_table_cell(&table, "%s", ts_builtin_summary(i));
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void write_problems(const ts_extensions *unused)
{
  (void)unused;
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < ts_builtin_count(); ++i) {
    const builtin_sizes sizes = sizes_of(ts_builtin_name(i));
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "name", ts_builtin_name(i));
    cli_json_integer(&json, "size", sizes.size);
    cli_json_integer(&json, "starts", sizes.starts);
    cli_json_text(&json, "summary", ts_builtin_summary(i));
    cli_json_close(&json);
  }
  cli_json_close(&json);
}

static void print_options(const ts_extensions *unused)
{
  (void)unused;
  cli_print_step_options();
}

static void write_options(const ts_extensions *unused)
{
  (void)unused;
  cli_write_step_options();
}

static void print_quantities(const ts_extensions *unused)
{
  (void)unused;
  cli_print_quantities();
}

static void write_quantities(const ts_extensions *unused)
{
  (void)unused;
  cli_write_quantities();
}

// ---- lists of names and what they mean -----------------------------------------------------------------------------

// `extra` is what a list has beside the name and the summary: the spaces of a shape, ... or NULL.
typedef struct named_item {
  const char *name, *extra, *summary;
} named_item;

typedef struct named_list {
  const char *heading, *extra_heading; // of the table's columns
  int (*count)(void);
  named_item (*at)(int i);
  const ts_extension_kind *kind;                        // that plug-ins bring, or NULL
  const char *extra;                                    // of these
  void (*print_more)(void);                             // below the table; NULL: nothing
  void (*write_more)(cli_json *json, const char *name); // into the object of an entry
} named_list;

static named_item stepper_item(int i)
{
  const ts_stepper *stepper = ts_stepper_at(i);
  return (named_item){ts_stepper_name(stepper), NULL, ts_stepper_summary(stepper)};
}

static int shape_count(void)
{
  return TS_SHAPE_COUNT;
}

// As scenes have them: there the plane has boxes, too.
static named_item shape_item(int i)
{
  const char *name = ts_shape_name((ts_shape_kind)i);
  named_item item = {name, "", ts_shape_summary((ts_shape_kind)i)};
  for (int k = 0; k < ts_scene_key_count(); ++k) {
    const ts_scene_key key = ts_scene_key_at(k);
    if (strncmp(key.path, "SHAPE.", 6) != 0 || strcmp(key.path + 6, name) != 0) continue;
    item.extra = *key.spaces ? key.spaces : "3d 2d 2.5d";
    item.summary = key.help;
  }
  return item;
}

static int joint_count(void)
{
  return TS_JOINT_COUNT;
}

// Degrees of freedom, the plane's in brackets where the joint exists there.
static named_item joint_item(int i)
{
#define FREEDOMS(n)                                                                                                    \
  {                                                                                                                    \
    n, n " (0)", n " (1)", n " (2)", n " (3)"                                                                          \
  }
  static const char *const words[][5] = {FREEDOMS("0"), FREEDOMS("1"), FREEDOMS("2"),
                                         FREEDOMS("3"), FREEDOMS("4"), FREEDOMS("5")};
#undef FREEDOMS
  const ts_joint_traits *traits = ts_joint_kind_traits((ts_joint_kind)i);
  return (named_item){ts_joint_kind_name((ts_joint_kind)i),
                      words[traits->freedoms[TS_SPACE_3D]][traits->freedoms[TS_SPACE_2D] + 1], traits->summary};
}

// Callbacks are for programs: no scene can have one, and they come last.
#define SIGNAL_ITEM(name, text, help) {text, NULL, help},
static const named_item signal_items[] = {TS_SIGNAL_LIST(SIGNAL_ITEM)};

static int signal_count(void)
{
  return TS_SIGNAL_CALLBACK;
}

static named_item signal_item(int i)
{
  return signal_items[i];
}

// Endings of files that runs go to, then those of pictures and figures.
static int run_ending_count(void)
{
  int count = 0;
  for (int i = 0; i < ts_run_format_count(); ++i)
    for (const char *const *suffix = ts_run_format_at(i)->suffixes; *suffix; ++suffix) ++count;
  return count;
}

static const named_item table_endings[] = {{".h5", "tables", "HDF5: one file, with units and how trials were drawn"},
                                           {".hdf5", "tables", "HDF5: one file, with units and how trials were drawn"},
                                           {".csv", "tables", "CSV: text"}};
enum { TABLE_ENDINGS = sizeof table_endings / sizeof *table_endings };

static int ending_count(void)
{
  return run_ending_count() + TABLE_ENDINGS + ts_image_format_count();
}

static named_item run_ending(int i)
{
  for (int k = 0;; ++k)
    for (const char *const *suffix = ts_run_format_at(k)->suffixes; *suffix; ++suffix)
      if (i-- == 0) return (named_item){*suffix, "runs", ts_run_format_at(k)->summary};
}

static named_item ending_item(int i)
{
  if (i < run_ending_count()) return run_ending(i);
  i -= run_ending_count();
  if (i < TABLE_ENDINGS) return table_endings[i];
  const ts_image_format *image = ts_image_format_at(i - TABLE_ENDINGS);
  const char *takes = !image->create_canvas ? "figures" : !image->write_terminal ? "pictures" : "pictures, figures";
  return (named_item){image->suffix, takes, image->summary};
}

static int none(void)
{
  return 0;
}

static int function_count(void)
{
  const char *help;
  int count = 0;
  while (ts_watch_function_at(count, &help)) ++count;
  return count;
}

static named_item function_item(int i)
{
  named_item item = {0};
  item.name = ts_watch_function_at(i, &item.summary);
  return item;
}

static const ts_extension_kind stepper_kind = TS_EXTENSION_STEPPER, shape_kind = TS_EXTENSION_SHAPE,
                               controller_kind = TS_EXTENSION_CONTROLLER;
static const named_list steppers = {"stepper",
                                    NULL,
                                    ts_stepper_count,
                                    stepper_item,
                                    .kind = &stepper_kind,
                                    .print_more = cli_print_combinations,
                                    .write_more = cli_write_combinations};
static const named_list controllers = {"controller", NULL, none, NULL, .kind = &controller_kind};
static const named_list shapes = {"shape", "spaces", shape_count, shape_item, .kind = &shape_kind, .extra = "3d"};
static const named_list joints = {"joint", "freedoms (2d)", joint_count, joint_item, .kind = NULL};
static const named_list signals = {"signal", NULL, signal_count, signal_item, .kind = NULL};
static const named_list functions = {"function", NULL, function_count, function_item, .kind = NULL};
static const named_list formats = {"ending", "of", ending_count, ending_item, .kind = NULL};

static void print_item(cli_table *table, const named_list *list, const named_item *item)
{
  cli_table_row(table);
  cli_table_cell(table, "%s", item->name);
  if (list->extra_heading) cli_table_cell(table, "%s", item->extra);
  cli_table_cell(table, "%s", item->summary);
}

static void print_named(const named_list *list, const ts_extensions *extensions)
{
  cli_table table;
  ts_extension_info info;
  cli_table_init(&table);
  cli_table_column(&table, list->heading, 'l');
  if (list->extra_heading) cli_table_column(&table, list->extra_heading, 'l');
  cli_table_column(&table, "what it is", 'l');
  for (int i = 0; i < list->count(); ++i) {
    const named_item item = list->at(i);
    print_item(&table, list, &item);
  }
  for (int i = 0; list->kind && ts_extensions_at(extensions, *list->kind, i, &info); ++i)
    print_item(&table, list, &(named_item){info.name, list->extra, info.summary});
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
  if (list->kind) cli_print_parameters(extensions, *list->kind, list->heading);
  if (list->print_more) list->print_more();
}

static void write_item(cli_json *json, const char *name, const char *summary)
{
  cli_json_open_object(json, NULL);
  cli_json_text(json, "name", name);
  cli_json_text(json, "summary", summary);
}

static void write_named(const named_list *list, const ts_extensions *extensions)
{
  cli_json json;
  ts_extension_info info;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < list->count(); ++i) {
    const named_item item = list->at(i);
    write_item(&json, item.name, item.summary);
    if (list->write_more) list->write_more(&json, item.name);
    cli_json_close(&json);
  }
  for (int i = 0; list->kind && ts_extensions_at(extensions, *list->kind, i, &info); ++i) {
    write_item(&json, info.name, info.summary);
    cli_write_parameters(&json, &info);
    cli_json_close(&json);
  }
  cli_json_close(&json);
}

typedef struct subject {
  const char *name;
  void (*print)(const ts_extensions *extensions);
  void (*write)(const ts_extensions *extensions);
  const named_list *list; // instead of the two
  const cli_keys *keys;   // likewise
} subject;

static const subject subjects[] = {{"solvers", .print = print_solvers, .write = write_solvers},
                                   {"problems", .print = print_problems, .write = write_problems},
                                   {"steppers", .list = &steppers},
                                   {"options", .print = print_options, .write = write_options},
                                   {"controllers", .list = &controllers},
                                   {"shapes", .list = &shapes},
                                   {"joints", .list = &joints},
                                   {"signals", .list = &signals},
                                   {"quantities", .print = print_quantities, .write = write_quantities},
                                   {"functions", .list = &functions},
                                   {"formats", .list = &formats},
                                   {"keys", .keys = &cli_scene_keys},
                                   {"urdf", .keys = &cli_urdf_keys},
                                   {"study", .keys = &cli_study_keys},
                                   {"verify", .keys = &cli_verify_keys}};
enum { SUBJECT_COUNT = sizeof subjects / sizeof subjects[0] };

static const char *subject_name(int i, const void *unused)
{
  (void)unused;
  return subjects[i].name;
}

typedef struct list_request {
  bool json, markdown;
  cli_texts plugins;
} list_request;

static const cli_option options[] = {
    {"json", 0, NULL, &cli_value_flag, offsetof(list_request, json), "", "write a JSON array instead of a table"},
    {"markdown", 0, NULL, &cli_value_flag, offsetof(list_request, markdown), "",
     "keys, urdf, study, verify: write tables for a manual"},
    CLI_PLUGIN_OPTION(list_request, plugins),
};

static const cli_syntax syntax = {
    .verb = "list",
    .operands = "WHAT",
    .summary = "List what there is of a kind.",
    .details =
        "WHAT is solvers, problems (built in), steppers, options (of a step), controllers (of plug-ins), shapes,\n"
        "joints, signals, quantities and functions (of expressions), formats (of what is written), keys (of scenes),\n"
        "urdf (what is read of robots), study or verify (keys of such files).\n"
        "What plug-ins bring comes after the rest, with its parameters.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(list_request)};

static bool has_plugins(const subject *wanted)
{
  return wanted->print == print_solvers || (wanted->list && wanted->list->kind);
}

static void show(const subject *wanted, const list_request *request, const ts_extensions *extensions)
{
  if (request->markdown)
    cli_print_keys_as_markdown(wanted->keys);
  else if (wanted->keys)
    (request->json ? cli_write_keys : cli_print_keys)(wanted->keys);
  else if (wanted->list)
    (request->json ? write_named : print_named)(wanted->list, extensions);
  else
    (request->json ? wanted->write : wanted->print)(extensions);
}

static int answer(const subject *wanted, const list_request *request)
{
  if (request->markdown && !wanted->keys) {
    cli_message("'--markdown' is for 'touchstone list keys', 'urdf', 'study' and 'verify'");
    return CLI_REFUSED;
  }
  if (request->plugins.count > 0 && !has_plugins(wanted)) {
    cli_message("'--plugin' is for lists of solvers, steppers, controllers and shapes, not of %s", wanted->name);
    return CLI_REFUSED;
  }
  ts_extensions *extensions = cli_plugins_load(&request->plugins);
  if (!extensions) return CLI_REFUSED;
  show(wanted, request, extensions);
  ts_extensions_destroy(extensions);
  return CLI_SUCCESS;
}

static void refuse(const char *wanted)
{
  char all[200] = "";
  for (int i = 0; i < SUBJECT_COUNT; ++i)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", subjects[i].name);
  const char *nearest = ts_suggest(wanted, SUBJECT_COUNT, subject_name, NULL);
  if (nearest)
    cli_message("there is no list of '%s'; did you mean '%s'? (lists: %s)", wanted, nearest, all);
  else
    cli_message("there is no list of '%s' (lists: %s)", wanted, all);
}

static int run(int argc, char **argv)
{
  list_request request = {0};
  const char *wanted;
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &wanted);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  for (int i = 0; i < SUBJECT_COUNT; ++i)
    if (strcmp(subjects[i].name, wanted) == 0) return answer(&subjects[i], &request);
  refuse(wanted);
  return CLI_REFUSED;
}

const cli_verb cli_list = {"list", "WHAT", "solvers, shapes, keys of scenes, ...", run};
