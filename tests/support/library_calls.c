#include "library_calls.h"

int library_calls;

#if LIBRARY_CALLS_ARE_COUNTED
#define INTERPOSED __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

INTERPOSED void *malloc(size_t bytes)
{
  ++library_calls;
  return __libc_malloc(bytes);
}

INTERPOSED void *calloc(size_t count, size_t bytes)
{
  ++library_calls;
  return __libc_calloc(count, bytes);
}

INTERPOSED void *realloc(void *memory, size_t bytes)
{
  ++library_calls;
  return __libc_realloc(memory, bytes);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes)
{
  ++library_calls;
  return __libc_memalign(alignment, bytes);
}

INTERPOSED void free(void *memory)
{
  library_calls += memory != NULL;
  __libc_free(memory);
}
#endif
