#include "library_calls.h"

int library_calls, library_blocks, library_calls_left = -1;

#if LIBRARY_CALLS_ARE_COUNTED
#define INTERPOSED __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

static int is_memory_left(void)
{
  ++library_calls;
  if (library_calls_left > 0) --library_calls_left;
  return library_calls_left != 0;
}

static void *count_block(void *memory)
{
  library_blocks += memory != NULL;
  return memory;
}

INTERPOSED void *malloc(size_t bytes)
{
  return is_memory_left() ? count_block(__libc_malloc(bytes)) : NULL;
}

INTERPOSED void *calloc(size_t count, size_t bytes)
{
  return is_memory_left() ? count_block(__libc_calloc(count, bytes)) : NULL;
}

INTERPOSED void *realloc(void *memory, size_t bytes)
{
  if (!is_memory_left()) return NULL;
  void *grown = __libc_realloc(memory, bytes);
  return memory ? grown : count_block(grown);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes)
{
  return is_memory_left() ? count_block(__libc_memalign(alignment, bytes)) : NULL;
}

INTERPOSED void free(void *memory)
{
  library_calls += memory != NULL;
  library_blocks -= memory != NULL;
  __libc_free(memory);
}
#endif
