// touchstone convert: a scene or a robot as one self-contained scene file, and a table of a study as CSV.
#define _POSIX_C_SOURCE 200809L // access
#include "cli/verb.h"

#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"

#include "draw/file_name.h"

#include "touchstone/record.h"
#include "touchstone/summary.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct convert_request {
  cli_texts set;
  cli_robot robot;
  cli_texts plugins;
} convert_request;

static const cli_option options[] = {
    {"set", 's', "KEY=VALUE", &cli_value_texts, offsetof(convert_request, set), "",
     "replace or add a value of the scene; may come more than once"},
    CLI_PLUGIN_OPTION(convert_request, plugins),
    CLI_ROBOT_OPTIONS(convert_request, robot),
};

static const cli_syntax syntax = {
    .verb = "convert",
    .operands = "FILE OUT",
    .summary = "Write a robot (URDF) or a scene as one scene file that needs no other, or a table of a study as CSV.",
    .details = "OUT.yaml reads back as the same scene: includes, overrides and meshes are in it.\n"
               "OUT.csv has the rows of a table that 'touchstone sweep' made, without units.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 2,
    .request_size = sizeof(convert_request)};

static bool write_scene(const ts_scene *scene, const char *path)
{
  cli_output output;
  if (!cli_output_open(path, &output)) return false;
  fputs(ts_scene_text(scene), output.stream);
  return cli_output_commit(&output);
}

static int convert_table(const char *from, const char *to)
{
  ts_table *table;
  ts_error error = {0};
  if (!ts_ends_with(to, ".csv")) {
    cli_message("%s: tables are written as .csv", to);
    return CLI_REFUSED;
  }
  if (ts_table_open(from, &table, &error) != TS_OK) {
    cli_message_about(from, &error);
    return CLI_REFUSED;
  }
  const bool written = ts_table_write_csv(table, to, &error) == TS_OK;
  if (!written) cli_message_about(to, &error);
  ts_table_close(table);
  return written ? CLI_SUCCESS : CLI_REFUSED;
}

// A run, or a file that is called or begins like one and cannot be read.
static int refuse_run(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  if (ts_record_open(path, &record, &error) == TS_OK) {
    cli_message("%s: this is a run; convert takes scenes, robots and tables of studies. 'touchstone plot' and "
                "'touchstone draw' take runs, and 'touchstone run -o OUT.csv' records one as CSV",
                path);
    ts_record_close(record);
  } else {
    cli_message_about(path, &error);
  }
  return CLI_REFUSED;
}

static int run(int argc, char **argv)
{
  convert_request request = {.robot = cli_robot_default};
  const char *paths[2];
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, paths);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  if (access(paths[0], R_OK) != 0) {
    cli_message("%s: the file cannot be read: %s", paths[0], strerror(errno));
    return CLI_REFUSED;
  }
  if (ts_table_recognizes(paths[0])) return convert_table(paths[0], paths[1]);
  if (ts_record_recognizes(paths[0])) return refuse_run(paths[0]);
  if (!ts_ends_with(paths[1], ".yaml") && !ts_ends_with(paths[1], ".yml")) {
    cli_message("%s: scenes are written as .yaml or .yml", paths[1]);
    return CLI_REFUSED;
  }
  ts_scene *scene;
  ts_extensions *extensions = cli_plugins_load(&request.plugins);
  if (!extensions) return CLI_REFUSED;
  if (!cli_scene_open(paths[0], &request.robot, &request.set, extensions, &scene)) {
    ts_extensions_destroy(extensions);
    return CLI_REFUSED;
  }
  cli_scene_print_notes(paths[0], scene);
  const bool written = write_scene(scene, paths[1]);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
  return written ? CLI_SUCCESS : CLI_REFUSED;
}

const cli_verb cli_convert = {"convert", "FILE OUT", "a robot or scene as one scene file, a table as CSV", run};
