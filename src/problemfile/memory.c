#include "problemfile/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct ts_memory_block {
  struct ts_memory_block *older;
  max_align_t bytes[]; // what the reader sees
} ts_memory_block;

void *ts_memory_take(ts_memory *memory, size_t count, size_t size)
{
  if (count > (SIZE_MAX - sizeof(ts_memory_block)) / size) return NULL;
  ts_memory_block *block = malloc(sizeof *block + count * size);
  if (!block) return NULL;
  block->older = memory->newest;
  memory->newest = block;
  return block->bytes;
}

ts_status ts_memory_doubles(ts_memory *memory, size_t count, double **values)
{
  *values = ts_memory_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

ts_status ts_memory_ints(ts_memory *memory, size_t count, int **values)
{
  *values = ts_memory_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

ts_status ts_memory_sizes(ts_memory *memory, size_t count, size_t **values)
{
  *values = ts_memory_take(memory, count, sizeof **values);
  return *values ? TS_OK : TS_OUT_OF_MEMORY;
}

void ts_memory_release(ts_memory *memory)
{
  while (memory->newest) {
    ts_memory_block *older = memory->newest->older;
    free(memory->newest);
    memory->newest = older;
  }
}
