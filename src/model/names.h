// Names and the numbers they stand for: a hash table that only grows.
#ifndef TS_MODEL_NAMES_H
#define TS_MODEL_NAMES_H

#include "base/arena.h"

// A zeroed struct is empty. Name i is the i-th that was added.
typedef struct ts_names {
  int count, slot_count; // slot_count is 0 or a power of 2 of at least 2 count
  const char **names;
  int *slots; // number + 1 of a name, or 0: free
} ts_names;

int ts_names_find(const ts_names *names, const char *name); // its number, or -1

// Add a name that is not there yet. It is borrowed. Either all is done or, without memory, nothing.
void ts_names_add(ts_names *names, const char *name, ts_arena *arena);

// A copy of a text in the arena.
const char *ts_copy_text(const char *text, ts_arena *arena);

#endif
