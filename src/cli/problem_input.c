#include "cli/problem_input.h"

#include "cli/allocation.h"
#include "cli/message.h"
#include "cli/unknown_name.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char builtin_prefix[] = "builtin:";

enum { NAME_SIZE = 64 };

// ---- built-in problems ---------------------------------------------------------------------------------------------

static const char *builtin_name(int i, const void *unused)
{
  (void)unused;
  return ts_builtin_name(i);
}

static bool builtin_exists(const char *name)
{
  for (int i = 0; i < ts_builtin_count(); ++i)
    if (strcmp(ts_builtin_name(i), name) == 0) return true;
  return false;
}

// Split NAME[:START]; `start` keeps its value where the text has none.
static bool split_builtin(const char *text, char *name, int *start)
{
  const size_t length = strcspn(text, ":");
  if (length == 0 || length >= NAME_SIZE) return false;
  memcpy(name, text, length);
  name[length] = '\0';
  if (text[length] == '\0') return true;
  char *end;
  errno = 0;
  const long value = strtol(text + length + 1, &end, 10);
  if (end == text + length + 1 || *end || errno == ERANGE || value < 0 || value > INT_MAX) return false;
  if (*start == CLI_NO_START) *start = (int)value;
  return true;
}

static bool open_builtin(const char *text, int grid, int start, cli_input *input)
{
  char name[NAME_SIZE];
  if (!split_builtin(text, name, &start)) {
    cli_message("'%s%s' is not of the form builtin:NAME or builtin:NAME:START", builtin_prefix, text);
    return false;
  }
  if (!builtin_exists(name)) {
    cli_message_unknown("built-in problem", name, ts_builtin_count(), builtin_name, NULL);
    return false;
  }
  ts_error error;
  if (ts_builtin_create(name, grid, &input->builtin, &error) != TS_OK) {
    cli_message_about(input->name, &error);
    return false;
  }
  const int starts = ts_builtin_start_count(input->builtin);
  if (start == CLI_NO_START) start = 0;
  if (start >= starts) {
    cli_message("problem '%s' has the starting points 0 to %d, not %d", name, starts - 1, start);
    return false;
  }
  input->format = "built-in problem";
  input->problem = ts_builtin_problem(input->builtin);
  input->start = cli_zeros(ts_problem_size(input->problem), sizeof *input->start);
  ts_builtin_start(input->builtin, start, input->start);
  return true;
}

// ---- files ---------------------------------------------------------------------------------------------------------

static bool open_file(cli_input *input)
{
  ts_error error;
  if (ts_problem_file_read(input->name, &input->file, &error) != TS_OK) {
    cli_message_about(input->name, &error);
    return false;
  }
  input->format = ts_problem_file_format(input->file);
  input->problem = ts_problem_file_problem(input->file);
  return true;
}

// The next number of a file of numbers apart by blanks; `line` counts. 1: read; 0: the end; -1: not a number.
static int next_number(FILE *file, int *line, double *value)
{
  int c;
  while ((c = fgetc(file)) != EOF && isspace(c)) *line += c == '\n';
  if (c == EOF) return 0;
  char word[64], *end;
  size_t length = 0;
  for (; c != EOF && !isspace(c) && length < sizeof word - 1; c = fgetc(file)) word[length++] = (char)c;
  if (c != EOF) ungetc(c, file);
  word[length] = '\0';
  *value = strtod(word, &end);
  return *end == '\0' && isfinite(*value) ? 1 : -1;
}

static bool read_numbers(FILE *file, const char *path, double *values, size_t count)
{
  ts_error error = {.line = 1};
  double value;
  size_t found = 0;
  int got;
  while ((got = next_number(file, &error.line, &value)) == 1) {
    if (found < count) values[found] = value;
    ++found;
  }
  if (got < 0) {
    snprintf(error.text, sizeof error.text, "a finite number was expected here");
  } else if (found != count) {
    error.line = 0;
    snprintf(error.text, sizeof error.text, "the file holds %zu numbers, the problem has %zu", found, count);
  } else {
    return true;
  }
  cli_message_about(path, &error);
  return false;
}

static bool read_start(const char *path, cli_input *input)
{
  FILE *file = fopen(path, "r");
  if (!file) {
    cli_message("%s: cannot be read: %s", path, strerror(errno));
    return false;
  }
  const size_t size = ts_problem_size(input->problem);
  if (!input->start) input->start = cli_zeros(size, sizeof *input->start);
  const bool read = read_numbers(file, path, input->start, size);
  fclose(file);
  return read;
}

// ---- both ----------------------------------------------------------------------------------------------------------

bool cli_input_open(const char *name, int grid, int start, const char *warm_start, cli_input *input)
{
  *input = (cli_input){.name = name};
  const bool builtin = strncmp(name, builtin_prefix, strlen(builtin_prefix)) == 0;
  if (!builtin && (start != CLI_NO_START || grid != 0)) {
    cli_message("--start and --grid are for built-in problems");
    return false;
  }
  bool opened = builtin ? open_builtin(name + strlen(builtin_prefix), grid, start, input) : open_file(input);
  if (opened && warm_start) opened = read_start(warm_start, input);
  if (!opened) cli_input_close(input);
  return opened;
}

void cli_input_close(cli_input *input)
{
  free(input->start);
  ts_problem_file_destroy(input->file);
  ts_builtin_destroy(input->builtin);
  *input = (cli_input){0};
}
