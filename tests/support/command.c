#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include "whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void keep(const char *path, char *text)
{
  char *content = read_text(path);
  snprintf(text, COMMAND_OUTPUT_SIZE, "%s", content);
  free(content);
  assert_int_equal(unlink(path), 0);
}

void command_run_in(scratch_folder *folder, const char *environment, const char *program, const char *arguments,
                    command_result *result)
{
  char line[2048];
  const int length = snprintf(line, sizeof line, "cd '%s' && %s '%s' %s > .out 2> .err < /dev/null", folder->path,
                              environment, program, arguments);
  assert_in_range(length, 1, sizeof line - 1);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  result->status = WEXITSTATUS(status);
  keep(scratch_path(folder, ".out"), result->out);
  keep(scratch_path(folder, ".err"), result->err);
}

void command_run_well(scratch_folder *folder, const char *program, const char *arguments, command_result *result)
{
  command_run(folder, program, arguments, result);
  if (result->status != 0) fail_msg("%s: status %d, said '%s'", arguments, result->status, result->err);
  assert_string_equal(result->err, "");
}

void assert_command_refused(const command_result *result, const char *words)
{
  assert_int_equal(result->status, 2);
  assert_string_equal(result->out, "");
  if (!strstr(result->err, words)) fail_msg("'%s' is not in '%s'", words, result->err);
  assert_int_equal(strncmp(result->err, "touchstone: ", 12), 0);
  assert_ptr_equal(strchr(result->err, '\n'), result->err + strlen(result->err) - 1);
}

void command_run(scratch_folder *folder, const char *program, const char *arguments, command_result *result)
{
  command_run_in(folder, "", program, arguments, result);
}

void command_assert_refused(scratch_folder *folder, const char *program, const char *arguments, const char *words)
{
  command_result *result = calloc(1, sizeof *result);
  assert_non_null(result);
  command_run(folder, program, arguments, result);
  assert_command_refused(result, words);
  free(result);
}
