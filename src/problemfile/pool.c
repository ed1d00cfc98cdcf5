#include "problemfile/pool.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct ts_pool_block {
  struct ts_pool_block *older;
  max_align_t bytes[]; // what the reader sees
} ts_pool_block;

void *ts_pool_take(ts_pool *memory, size_t count, size_t size)
{
  if (count > (SIZE_MAX - sizeof(ts_pool_block)) / size) return NULL;
  ts_pool_block *block = malloc(sizeof *block + count * size);
  if (!block) return NULL;
  block->older = memory->newest;
  memory->newest = block;
  return block->bytes;
}

ts_status ts_pool_doubles(ts_pool *memory, size_t count, double **values)
{
  *values = ts_pool_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

ts_status ts_pool_ints(ts_pool *memory, size_t count, int **values)
{
  *values = ts_pool_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

ts_status ts_pool_sizes(ts_pool *memory, size_t count, size_t **values)
{
  *values = ts_pool_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

void ts_pool_release(ts_pool *memory)
{
  while (memory->newest) {
    ts_pool_block *older = memory->newest->older;
    free(memory->newest);
    memory->newest = older;
  }
}
