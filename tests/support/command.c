#include "command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

static void read_output(scratch_folder *folder, const char *name, char *text)
{
  FILE *file = fopen(scratch_path(folder, name), "r");
  assert_non_null(file);
  text[fread(text, 1, COMMAND_OUTPUT_SIZE - 1, file)] = '\0';
  fclose(file);
  assert_int_equal(remove(scratch_path(folder, name)), 0);
}

void command_run(scratch_folder *folder, const char *command, const char *arguments, command_result *result)
{
  char line[1024];
  snprintf(line, sizeof line, "cd '%s' && '%s' %s > .out 2> .err < /dev/null", folder->path, command, arguments);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  result->status = WEXITSTATUS(status);
  read_output(folder, ".out", result->out);
  read_output(folder, ".err", result->err);
}

void command_assert_refused(scratch_folder *folder, const char *command, const char *arguments, const char *words)
{
  command_result *result = calloc(1, sizeof *result);
  command_run(folder, command, arguments, result);
  if (result->status != 2 || *result->out || strncmp(result->err, "touchstone: ", 12) != 0 ||
      !strstr(result->err, words) || strchr(result->err, '\n') != result->err + strlen(result->err) - 1)
    fail_msg("'%s': status %d, said '%s', wanted '%s'", arguments, result->status, result->err, words);
  free(result);
}
