// Numbers that options give: all of a list at once, or one by one by their names.
#ifndef TS_CLI_NUMBERS_H
#define TS_CLI_NUMBERS_H

#include "cli/arguments.h"

// A list that options fill in.
typedef struct cli_numbers {
  const char *option, *kind; // "q", "coordinate": for messages
  int count;
  const char *(*name)(int i, const void *user);
  const void *user;
  double *values; // (count)
} cli_numbers;

// Take over the texts of an option, in their order: "1, 2 3" or "elbow=2". False: one sentence was said.
bool cli_numbers_set(const cli_numbers *numbers, const cli_texts *texts);

// Numbers separated by commas or blanks. Writes the first `limit` of them; returns how many there are, or -1: there is
// something else.
int cli_read_numbers(const char *text, int limit, double *values);

#endif
