#include "draw/name_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
  return isspace((unsigned char)c) != 0;
}

// The comma that ends a word, or NULL.
static char *end_of_word(char *text)
{
  for (; *text && *text != ','; ++text) {
    char *closing = *text == '(' ? strchr(text, ')') : NULL;
    if (closing) text = closing;
  }
  return *text ? text : NULL;
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
    char *next = end_of_word(text);
    if (next) *next++ = '\0';
    while (is_blank(*text)) ++text;
    char *end = text + strlen(text);
    while (end > text && is_blank(end[-1])) *--end = '\0';
    if (*text) words[(*count)++] = text;
    text = next;
  }
  return words;
}
