// Running the command in a folder of the test's own.
#ifndef TS_SUPPORT_COMMAND_H
#define TS_SUPPORT_COMMAND_H

#include "scratch_folder.h"

enum { COMMAND_OUTPUT_SIZE = 1 << 16 };

typedef struct command_result {
  int status; // exit status
  char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
} command_result;

// Run `command` with these arguments (shell words) and keep what it says; it must not be ended by a signal.
void command_run(scratch_folder *folder, const char *command, const char *arguments, command_result *result);

// Bad usage and bad input: status 2, one line on standard error that holds `words`, nothing on standard output.
void command_assert_refused(scratch_folder *folder, const char *command, const char *arguments, const char *words);

#endif
