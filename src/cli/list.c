// touchstone list solvers|problems
#include "cli/verb.h"

#include "cli/arguments.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/suggest.h"
#include "cli/table.h"

#include "touchstone/builtin.h"
#include "touchstone/solver.h"

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

static void print_solvers(void)
{
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "solver", 'l');
  cli_table_column(&table, "takes", 'l');
  cli_table_column(&table, "method", 'l');
  for (int i = 0; i < ts_solver_count(); ++i) {
    const ts_solver *solver = ts_solver_at(i);
    char takes[CLI_CELL_SIZE];
    join_types(ts_solver_takes(solver), takes, sizeof takes);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", ts_solver_name(solver));
    cli_table_cell(&table, "%s", takes);
    cli_table_cell(&table, "%s", ts_solver_summary(solver));
  }
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void write_solvers(void)
{
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open_array(&json, NULL);
  for (int i = 0; i < ts_solver_count(); ++i) {
    const ts_solver *solver = ts_solver_at(i);
    cli_json_open_object(&json, NULL);
    cli_json_text(&json, "name", ts_solver_name(solver));
    cli_json_open_array(&json, "takes");
    for (int k = 0; k < TYPE_COUNT; ++k)
      if (ts_solver_takes(solver) & (unsigned)types[k]) cli_json_text(&json, NULL, ts_problem_type_name(types[k]));
    cli_json_close(&json);
    cli_json_integer(&json, "iteration_limit", ts_solver_default_limit(solver));
    cli_json_text(&json, "summary", ts_solver_summary(solver));
    cli_json_close(&json);
  }
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

static void print_problems(void)
{
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

static void write_problems(void)
{
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

typedef struct subject {
  const char *name;
  void (*print)(void);
  void (*write)(void);
} subject;

static const subject subjects[] = {{"solvers", print_solvers, write_solvers},
                                   {"problems", print_problems, write_problems}};
enum { SUBJECT_COUNT = sizeof subjects / sizeof subjects[0] };

static const char *subject_name(int i, const void *unused)
{
  (void)unused;
  return subjects[i].name;
}

typedef struct list_request {
  bool json;
} list_request;

static const cli_option options[] = {
    {"json", 0, NULL, &cli_value_flag, offsetof(list_request, json), "", "write a JSON array instead of a table"},
};

static const cli_syntax syntax = {.verb = "list",
                                  .operands = "solvers|problems",
                                  .summary = "List the solvers, or the built-in problems.",
                                  .details = "",
                                  .options = options,
                                  .option_count = sizeof options / sizeof options[0],
                                  .operand_count = 1,
                                  .request_size = sizeof(list_request)};

static int run(int argc, char **argv)
{
  list_request request = {0};
  const char *wanted;
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &wanted);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  for (int i = 0; i < SUBJECT_COUNT; ++i) {
    if (strcmp(subjects[i].name, wanted) != 0) continue;
    (request.json ? subjects[i].write : subjects[i].print)();
    return CLI_SUCCESS;
  }
  cli_message_unknown("list of", wanted, SUBJECT_COUNT, subject_name, NULL);
  return CLI_REFUSED;
}

const cli_verb cli_list = {"list", "solvers|problems", "what there is", run};
