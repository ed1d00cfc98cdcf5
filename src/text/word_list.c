#include "text/word_list.h"

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
