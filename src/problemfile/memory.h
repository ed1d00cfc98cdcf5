// Memory of a problem that is being read: a list of blocks that is released as a whole, so that a reader needs no
// clean-up on any of its error paths.
#ifndef TS_PROBLEMFILE_MEMORY_H
#define TS_PROBLEMFILE_MEMORY_H

#include "touchstone/status.h"

#include <stddef.h>

typedef struct ts_memory {
  struct ts_memory_block *newest; // NULL: nothing taken yet
} ts_memory;

// Uninitialized, never NULL on TS_OK, also for a count of 0. TS_OUT_OF_MEMORY without a sentence otherwise.
ts_status ts_memory_doubles(ts_memory *memory, size_t count, double **values);
ts_status ts_memory_ints(ts_memory *memory, size_t count, int **values);
ts_status ts_memory_sizes(ts_memory *memory, size_t count, size_t **values);

void *ts_memory_take(ts_memory *memory, size_t count, size_t size); // NULL when memory runs out; checks overflow
void ts_memory_release(ts_memory *memory);                          // everything at once

#endif
