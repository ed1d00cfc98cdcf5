// A file that appears under its name only when it is complete. What is written is kept in memory; committing puts it
// into a file beside its place and renames that, so that nothing is left behind when the program is stopped while it
// works. What is not a regular file (a terminal, a pipe, /dev/null) is written straight through.
#ifndef TS_CLI_OUTPUT_FILE_H
#define TS_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
  FILE *stream; // where to write; NULL: not open
  char *path;   // where it goes at last
  char *text;   // what has been written; NULL when it is written straight
  size_t size;
} cli_output;

// False after one sentence on standard error. Open early: work whose result cannot be kept need not be done. The struct
// must stay where it is until it is committed or discarded.
bool cli_output_open(const char *path, cli_output *output);
bool cli_output_commit(cli_output *output);  // close and put in place; false after one sentence
void cli_output_discard(cli_output *output); // close and forget; does nothing after a commit or on a zeroed struct

#endif
