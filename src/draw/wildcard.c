#include "draw/wildcard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// When the match fails after a '*', that star takes one character more; only the last star need be tried again.
bool ts_wildcard_matches(const char *pattern, const char *name)
{
  const char *star = NULL, *resume = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      resume = name;
    } else if (*pattern == '?' || *pattern == *name) {
      ++pattern;
      ++name;
    } else if (star) {
      pattern = star + 1;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

static bool is_blank(char c)
{
  return isspace((unsigned char)c) != 0;
}

char **ts_list_split(const char *list, int *count)
{
  size_t most = 1;
  for (const char *c = list; *c; ++c) most += *c == ',';
  char **words = malloc(most * sizeof *words + strlen(list) + 1);
  *count = 0;
  if (!words) return NULL;
  char *text = strcpy((char *)(words + most), list);
  while (text) {
    char *next = strchr(text, ',');
    if (next) *next++ = '\0';
    while (is_blank(*text)) ++text;
    char *end = text + strlen(text);
    while (end > text && is_blank(end[-1])) *--end = '\0';
    if (*text) words[(*count)++] = text;
    text = next;
  }
  return words;
}
