// Running the command as its users do, in a folder of the test's own.
#ifndef TS_SUPPORT_COMMAND_H
#define TS_SUPPORT_COMMAND_H

#include "scratch_folder.h"

#include <stddef.h>

enum { COMMAND_OUTPUT_SIZE = 1 << 18 };

typedef struct command_result {
  int status;
  char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];
} command_result;

// Run `program` with these arguments (shell words) in the folder; `environment` (may be empty) goes before it.
void command_run_in(scratch_folder *folder, const char *environment, const char *program, const char *arguments,
                    command_result *result);

// The same without environment.
void command_run(scratch_folder *folder, const char *program, const char *arguments, command_result *result);

// The same, and expect status 0 and nothing on standard error.
void command_run_well(scratch_folder *folder, const char *program, const char *arguments, command_result *result);

// Stops the test unless the run was refused: status 2, nothing on standard output, and one line on standard error that
// holds `words`.
void assert_command_refused(const command_result *result, const char *words);

// Run, and expect that.
void command_assert_refused(scratch_folder *folder, const char *program, const char *arguments, const char *words);

#endif
