// A pool of memory for a problem that is being read: a list of blocks that is released as a whole, so that a reader
// needs no clean-up on any of its error paths.
#ifndef TS_PROBLEMFILE_POOL_H
#define TS_PROBLEMFILE_POOL_H

#include "touchstone/status.h"

#include <stddef.h>

typedef struct ts_pool {
  struct ts_pool_block *newest; // NULL: nothing taken yet
} ts_pool;

// Uninitialized, never NULL on TS_OK, also for a count of 0. TS_OUT_OF_MEMORY without a sentence otherwise.
ts_status ts_pool_doubles(ts_pool *memory, size_t count, double **values);
ts_status ts_pool_ints(ts_pool *memory, size_t count, int **values);
ts_status ts_pool_sizes(ts_pool *memory, size_t count, size_t **values);

void *ts_pool_take(ts_pool *memory, size_t count, size_t size); // NULL when memory runs out; checks overflow
void ts_pool_release(ts_pool *memory);                          // everything at once

#endif
