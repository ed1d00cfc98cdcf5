#include "name_list.h"

#include <string.h>

bool name_contains(const char *name, const char *word)
{
  return strstr(name, word) != NULL;
}

bool name_equals(const char *name, const char *word)
{
  return strcmp(name, word) == 0;
}

bool name_matches(const char *words, const char *name, bool (*matches)(const char *name, const char *word))
{
  while (*words) {
    const size_t length = strcspn(words, ",");
    char word[64];
    if (length > 0 && length < sizeof word) {
      memcpy(word, words, length);
      word[length] = '\0';
      if (matches(name, word)) return true;
    }
    words += length + (words[length] == ',');
  }
  return false;
}
