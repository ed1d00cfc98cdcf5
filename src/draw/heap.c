#include "draw/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *ts_heap_zeros(ts_heap *heap, size_t count, size_t size)
{
  void *memory = heap->exhausted ? NULL : calloc(count ? count : 1, size);
  heap->exhausted = !memory;
  return memory;
}

void *ts_heap_grow(ts_heap *heap, void *memory, size_t count, size_t size)
{
  void *grown = heap->exhausted || count > SIZE_MAX / size ? NULL : realloc(memory, count * size);
  heap->exhausted = !grown;
  return grown;
}

char *ts_heap_copy(ts_heap *heap, const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = ts_heap_zeros(heap, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}
