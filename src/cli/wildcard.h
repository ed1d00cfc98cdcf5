// Names with wildcards: '*' stands for any characters or none, '?' for one.
#ifndef TS_CLI_WILDCARD_H
#define TS_CLI_WILDCARD_H

#include <stdbool.h>

bool cli_matches(const char *pattern, const char *name);

// A comma-separated list taken apart, all in one piece of memory: release the result with free().
// Blanks around words are dropped, and so are empty words.
char **cli_split(const char *list, int *count);

#endif
