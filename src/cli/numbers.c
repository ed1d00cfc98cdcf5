#include "cli/numbers.h"

#include "cli/allocation.h"
#include "cli/message.h"
#include "cli/unknown_name.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_separators(const char *text)
{
  return text + strspn(text, ", \t\n");
}

int cli_read_numbers(const char *text, int limit, double *values)
{
  int count = 0;
  const char *rest = skip_separators(text);
  while (*rest) {
    char *end;
    const double value = strtod(rest, &end);
    if (end == rest) return -1;
    rest = skip_separators(end);
    if (*rest && rest == end) return -1;
    if (count < limit) values[count] = value;
    ++count;
  }
  return count;
}

static int find_name(const cli_numbers *numbers, const char *name)
{
  for (int i = 0; i < numbers->count; ++i)
    if (strcmp(numbers->name(i, numbers->user), name) == 0) return i;
  return -1;
}

static bool set_one(const cli_numbers *numbers, const char *name, const char *text)
{
  const int i = find_name(numbers, name);
  if (i < 0) {
    cli_message_unknown(numbers->kind, name, numbers->count, numbers->name, numbers->user);
    return false;
  }
  if (cli_read_numbers(text, 1, &numbers->values[i]) == 1) return true;
  cli_message("option '--%s': '%s' is not a number", numbers->option, text);
  return false;
}

static bool set_all(const cli_numbers *numbers, const char *text)
{
  const int given = cli_read_numbers(text, numbers->count, numbers->values);
  if (given == numbers->count) return true;
  if (given < 0)
    cli_message("option '--%s' wants numbers, or NAME=NUMBER, not '%s'", numbers->option, text);
  else
    cli_message("option '--%s' has %d numbers, the scene has %d %ss", numbers->option, given, numbers->count,
                numbers->kind);
  return false;
}

// Names may hold a '=' themselves, numbers do not: the last one separates.
static bool set_text(const cli_numbers *numbers, const char *text)
{
  const char *equals = strrchr(text, '=');
  if (!equals) return set_all(numbers, text);
  char *name = cli_zeros((size_t)(equals - text) + 1, 1);
  memcpy(name, text, (size_t)(equals - text));
  const bool set = set_one(numbers, name, equals + 1);
  free(name);
  return set;
}

bool cli_numbers_set(const cli_numbers *numbers, const cli_texts *texts)
{
  for (int i = 0; i < texts->count; ++i)
    if (!set_text(numbers, texts->items[i])) return false;
  return true;
}
