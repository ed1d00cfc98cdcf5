// What the command is asked to solve: a problem file or a built-in problem, and the point to start from.
#ifndef TS_CLI_PROBLEM_INPUT_H
#define TS_CLI_PROBLEM_INPUT_H

#include "touchstone/builtin.h"
#include "touchstone/problem_file.h"

typedef struct cli_input {
  const char *name;   // as given on the command line
  const char *format; // what it turned out to be (static text)
  const ts_problem *problem;
  double *start;         // ts_problem_size() numbers, or NULL: every solver's own cold start
  ts_problem_file *file; // one of the two owns the problem
  ts_builtin *builtin;
} cli_input;

enum { CLI_NO_START = -1 };

// Open FILE or builtin:NAME[:START]. `grid` is for built-in problems on a grid (0: their own), `start` the number of a
// built-in starting point (CLI_NO_START: the one in the name, else 0), `warm_start` a file with a point or NULL. False
// after one sentence on standard error; `input` then needs no closing.
bool cli_input_open(const char *name, int grid, int start, const char *warm_start, cli_input *input);
void cli_input_close(cli_input *input);

#endif
