// touchstone solve: one solver, or all that fit, on one problem.
#define _POSIX_C_SOURCE 200809L // isatty
#include "cli/verb.h"

#include "cli/allocation.h"
#include "cli/arguments.h"
#include "cli/history.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/plan.h"
#include "cli/problem_input.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// ---- what may be asked ---------------------------------------------------------------------------------------------

static const double TIME_LIMIT_OF_COMPARISON = 10.0; // [s] a solver, unless the user gives one

typedef struct solve_request {
  const char *input, *solver, *formulation, *warm_start, *history, *output;
  int directions, grid, start;
  bool all, json, print_solution;
  ts_solve_options options;
} solve_request;

#define FIELD(field) offsetof(solve_request, field)

// Rows for the fields of ts_solve_options. There is none for a bool: the only one, warm_start, follows from whether a
// point to start from was given.
#define SOLVE_OPTION_ROW(field, type, value, unit, help) SOLVE_OPTION_##type(field, unit, help)
#define SOLVE_OPTION_bool(field, unit, help)
#define SOLVE_OPTION_double(field, unit, help) {#field, 0, "X", &cli_value_double, FIELD(options.field), unit, help},
#define SOLVE_OPTION_int(field, unit, help)    {#field, 0, "N", &cli_value_int, FIELD(options.field), unit, help},
#define SOLVE_OPTION_uint64_t(field, unit, help)                                                                       \
  {#field, 0, "N", &cli_value_uint64_t, FIELD(options.field), unit, help},
#define SOLVE_OPTION_ts_line_search(field, unit, help)                                                                 \
  {#field, 0, "NAME", &cli_value_ts_line_search, FIELD(options.field), unit, help},

static const cli_option options[] = {
    {"solver", 's', "NAME", &cli_value_text, FIELD(solver), "", "the solver; 'touchstone list solvers' shows them"},
    {"all", 'a', NULL, &cli_value_flag, FIELD(all), "", "compare every solver that takes the problem (10 s each)"},
    {"formulation", 'f', "NAME", &cli_value_text, FIELD(formulation), "",
     "native, local, mcp, mlcp or lcp; with --all also all"},
    {"directions", 'd', "N", &cli_value_int, FIELD(directions), "",
     "directions of the friction polygon, for lcp (implied) and mlcp; 0: 8"},
    {"grid", 'g', "N", &cli_value_int, FIELD(grid), "", "points a side of a built-in problem on a grid; 0: its own"},
    {"start", 0, "K", &cli_value_int, FIELD(start), "", "starting point of a built-in problem, from 0; -1: as named"},
    {"warm_start", 'w', "FILE", &cli_value_text, FIELD(warm_start), "",
     "start from the numbers in FILE, as written by -o, instead of the solver's cold start"},
    {"history", 0, "FILE", &cli_value_text, FIELD(history), "", "write every iteration as comma-separated values"},
    {"output", 'o', "FILE", &cli_value_text, FIELD(output), "",
     "write the solution, one number a line (--json: the object)"},
    {"json", 'j', NULL, &cli_value_flag, FIELD(json), "", "one JSON object instead of the summary (--all: an array)"},
    {"print_solution", 'p', NULL, &cli_value_flag, FIELD(print_solution), "", "print the solution however long it is"},
    TS_SOLVE_OPTION_LIST(SOLVE_OPTION_ROW)};

static const cli_syntax syntax = {
    .verb = "solve",
    .operands = "FILE|builtin:NAME[:START]",
    .summary = "Solve a complementarity problem, and say how good the solution is.",
    .details =
        "FILE is a problem in any format that Touchstone reads; its content tells which. 'touchstone list problems'\n"
        "shows the built-in ones. Friction problems can be lowered to other types with --formulation.\n"
        "Exit status: 0 solved (--all: by some solver), 1 not solved, 2 bad usage or bad input.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(solve_request)};

// ---- running -------------------------------------------------------------------------------------------------------

// A line on a terminal that the next one overwrites; nothing elsewhere.
static void show_progress(int done, int count, const char *solver)
{
  if (count > 1 && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K%d/%d %s", done + 1, count, solver);
}

static void clear_progress(int count)
{
  if (count > 1 && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

static void run_plan(const cli_plan *plan, const solve_request *request, const double *start, ts_workspace *workspace,
                     cli_attempt *attempts)
{
  const int history = request->history ? CLI_HISTORY_CAPACITY : 0;
  for (int i = 0; i < plan->count; ++i) {
    const cli_pair *pair = &plan->pairs[i];
    show_progress(i, plan->count, ts_solver_name(pair->solver));
    cli_attempt_run(pair->solver, pair->formulation, &request->options, start, history, workspace, &attempts[i]);
  }
  clear_progress(plan->count);
}

// ---- reporting -----------------------------------------------------------------------------------------------------

static void write_json(const solve_request *request, const cli_input *input, const cli_attempt *attempts, int count,
                       FILE *out)
{
  cli_json json;
  cli_json_init(&json, out);
  if (request->all) cli_json_open_array(&json, NULL);
  for (int i = 0; i < count; ++i)
    cli_json_attempt(&json, input, &attempts[i], request->options.tolerance, !request->all || request->print_solution);
  if (request->all) cli_json_close(&json);
}

// Results go to -o; what a person reads besides a solution stays on standard output.
static void write_results(const solve_request *request, const cli_input *input, const cli_attempt *attempts, int count,
                          FILE *output)
{
  FILE *results = output ? output : stdout;
  if (request->json) {
    write_json(request, input, attempts, count, results);
  } else if (request->all) {
    cli_print_input(input, results);
    cli_print_comparison(attempts, count, results);
  } else {
    cli_print_input(input, stdout);
    cli_print_attempt(&attempts[0], request->options.tolerance, request->print_solution, stdout);
    if (output) cli_write_solution(&attempts[0], output);
  }
}

static void write_history(const cli_attempt *attempts, int count, FILE *out)
{
  cli_history_header(out);
  for (int i = 0; i < count; ++i) {
    cli_history_rows(&attempts[i], out);
    const ts_report *report = &attempts[i].report;
    if (report->history_count == CLI_HISTORY_CAPACITY && report->iterations > CLI_HISTORY_CAPACITY)
      cli_message("the history of %s holds the first %d of %d iterations", ts_solver_name(attempts[i].solver),
                  CLI_HISTORY_CAPACITY, report->iterations);
  }
}

static int exit_status(const cli_attempt *attempts, int count)
{
  for (int i = 0; i < count; ++i)
    if (cli_attempt_solved(&attempts[i])) return CLI_SUCCESS;
  return CLI_NOT_SOLVED;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

// The files are opened before the work and put in place after it.
typedef struct outputs {
  cli_output solution, history;
} outputs;

static bool open_outputs(const solve_request *request, outputs *files)
{
  *files = (outputs){0};
  if (request->output && !cli_output_open(request->output, &files->solution)) return false;
  if (!request->history || cli_output_open(request->history, &files->history)) return true;
  cli_output_discard(&files->solution);
  return false;
}

static bool commit_outputs(outputs *files)
{
  const bool solution = !files->solution.stream || cli_output_commit(&files->solution);
  const bool history = !files->history.stream || cli_output_commit(&files->history);
  return solution && history;
}

// A single run that could not even start is bad input; in a comparison it is a line of the table.
static bool refused(const solve_request *request, const cli_input *input, const cli_attempt *attempts)
{
  if (request->all || attempts[0].status == TS_OK) return false;
  cli_message_about(input->name, &attempts[0].error);
  return true;
}

static int report_attempts(const solve_request *request, const cli_input *input, const cli_attempt *attempts, int count,
                           outputs *files)
{
  if (refused(request, input, attempts)) return CLI_REFUSED;
  write_results(request, input, attempts, count, files->solution.stream);
  if (files->history.stream) write_history(attempts, count, files->history.stream);
  return commit_outputs(files) ? exit_status(attempts, count) : CLI_REFUSED;
}

static int solve_plan(const solve_request *request, const cli_input *input, const cli_plan *plan)
{
  outputs files;
  if (!open_outputs(request, &files)) return CLI_REFUSED;
  ts_workspace *workspace = ts_workspace_create(NULL);
  cli_attempt *attempts = cli_zeros((size_t)plan->count, sizeof *attempts);
  int status = CLI_REFUSED;
  if (workspace) {
    run_plan(plan, request, input->start, workspace, attempts);
    status = report_attempts(request, input, attempts, plan->count, &files);
  } else {
    cli_message("memory ran out");
  }
  for (int i = 0; i < plan->count; ++i) cli_attempt_destroy(&attempts[i]);
  free(attempts);
  ts_workspace_destroy(workspace);
  cli_output_discard(&files.solution); // what has not been committed
  cli_output_discard(&files.history);
  return status;
}

static int solve_input(const solve_request *request, const cli_input *input)
{
  cli_plan plan;
  const bool planned =
      request->all ? cli_plan_all(input->problem, request->formulation, request->directions, &plan)
                   : cli_plan_one(input->problem, request->solver, request->formulation, request->directions, &plan);
  if (!planned) return CLI_REFUSED;
  const int status = solve_plan(request, input, &plan);
  cli_plan_destroy(&plan);
  return status;
}

static bool check_request(const solve_request *request)
{
  ts_error error;
  if (ts_solve_options_check(&request->options, &error) != TS_OK) {
    cli_message_about(NULL, &error);
    return false;
  }
  if (request->directions < 0 || request->grid < 0 || request->start < CLI_NO_START) {
    cli_message("--directions, --grid and --start cannot be negative");
    return false;
  }
  return true;
}

static int run(int argc, char **argv)
{
  solve_request request = {.solver = "auto", .start = CLI_NO_START, .options = ts_solve_options_default()};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, &request, &request.input);
  if (parsed != CLI_PARSED) return parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  if (!check_request(&request)) return CLI_REFUSED;
  if (request.all && isinf(request.options.time_limit)) request.options.time_limit = TIME_LIMIT_OF_COMPARISON;
  cli_input input;
  if (!cli_input_open(request.input, request.grid, request.start, request.warm_start, &input)) return CLI_REFUSED;
  const int status = solve_input(&request, &input);
  cli_input_close(&input);
  return status;
}

const cli_verb cli_solve = {"solve", "FILE|builtin:NAME", "solve a problem, or compare solvers on it", run};
