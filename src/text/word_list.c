#include "text/word_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void ts_word_list_add(char *text, size_t size, int i, int count, const char *conjunction, const char *word)
{
  const size_t used = strlen(text);
  if (i == 0)
    snprintf(text + used, size - used, "%s", word);
  else if (i + 1 < count)
    snprintf(text + used, size - used, ", %s", word);
  else
    snprintf(text + used, size - used, " %s %s", conjunction, word);
}

void ts_word_list_extend(char *text, size_t size, const char *word)
{
  static const char end[] = "...";
  const size_t used = strlen(text), comma = used > 0 ? 2 : 0;
  if (used >= sizeof end - 1 && strcmp(text + used - (sizeof end - 1), end) == 0) return;
  const bool fits = used + comma + strlen(word) + comma + sizeof end <= size;
  snprintf(text + used, size - used, "%s%s", comma ? ", " : "", fits ? word : end);
}
