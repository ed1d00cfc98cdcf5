// Memory of drawing and plotting. A heap remembers that memory has run out: what there is none for is left out of the
// picture, as a stream that has failed takes no more, and who began the work asks at its end.
#ifndef TS_DRAW_HEAP_H
#define TS_DRAW_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_heap {
  bool exhausted; // it has given NULL, and gives nothing else from then on
} ts_heap;

void *ts_heap_zeros(ts_heap *heap, size_t count, size_t size); // NULL: memory ran out. Release with free()
// realloc() of count elements. NULL: memory ran out, and `memory` is as it was.
void *ts_heap_grow(ts_heap *heap, void *memory, size_t count, size_t size);
char *ts_heap_copy(ts_heap *heap, const char *text); // NULL: memory ran out. Release with free()

#endif
