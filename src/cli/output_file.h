// A file that appears under its name only when it is complete: written beside its place under a temporary name, then
// renamed. What is not a regular file (a terminal, a pipe, /dev/null) is written straight through.
#ifndef TS_CLI_OUTPUT_FILE_H
#define TS_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
  FILE *stream;
  char *path;      // where it goes at last
  char *temporary; // where it is written; NULL when written straight
} cli_output;

// False after one sentence on standard error. Open early: work whose result cannot be kept need not be done.
bool cli_output_open(const char *path, cli_output *output);
bool cli_output_commit(cli_output *output);  // close and put in place; false after one sentence
void cli_output_discard(cli_output *output); // close and remove; does nothing after a commit or on a zeroed struct

#endif
