// Names with wildcards: '*' stands for any characters or none, '?' for one.
#ifndef TS_DRAW_WILDCARD_H
#define TS_DRAW_WILDCARD_H

#include <stdbool.h>

bool ts_wildcard_matches(const char *pattern, const char *name);

// A comma-separated list taken apart, all in one piece of memory: release the result with free(). NULL: memory ran out.
// Blanks around words are dropped, and so are empty words.
char **ts_list_split(const char *list, int *count);

#endif
