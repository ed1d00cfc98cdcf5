// Comma separated words that names are chosen by.
#ifndef BENCH_STEP_NAME_LIST_H
#define BENCH_STEP_NAME_LIST_H

#include <stdbool.h>

bool name_contains(const char *name, const char *word);
bool name_equals(const char *name, const char *word);

// Does `name` match one of the words?
bool name_matches(const char *words, const char *name, bool (*matches)(const char *name, const char *word));

#endif
