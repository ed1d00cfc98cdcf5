#include "counting_allocator.h"

#include "base/arena.h"

#include <stdlib.h>

static void *allocate(void *user, size_t bytes)
{
  allocation_count *count = user;
  ++count->calls;
  void *memory = count->budget-- > 0 ? malloc(bytes) : NULL;
  count->held += memory != NULL;
  return memory;
}

static void release(void *user, void *memory)
{
  allocation_count *count = user;
  count->held -= memory != NULL;
  free(memory);
}

ts_allocator counting_allocator(allocation_count *count)
{
  return (ts_allocator){allocate, release, count};
}

int make_arena(void **state)
{
  ts_arena *arena = malloc(sizeof *arena);
  if (!arena) return -1;
  ts_arena_init(arena, NULL);
  *state = arena;
  return 0;
}

int release_arena(void **state)
{
  ts_arena_release(*state);
  free(*state);
  return 0;
}
