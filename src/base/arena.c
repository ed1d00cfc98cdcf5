#include "base/arena.h"

#include "base/assert.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The header takes a whole cache line, so that a chunk whose memory is aligned hands out aligned memory.
enum { ALIGNMENT = TS_ARENA_ALIGNMENT, HEADER = ALIGNMENT, SMALLEST_CHUNK = 1 << 16 };
_Static_assert(sizeof(ts_chunk) <= HEADER, "the header of a chunk has a line for itself");

static void *default_allocate(void *user, size_t bytes)
{
  (void)user;
  return malloc(bytes);
}

static void default_release(void *user, void *memory)
{
  (void)user;
  free(memory);
}

void ts_arena_init(ts_arena *arena, const ts_allocator *allocator)
{
  *arena = (ts_arena){.allocator = {default_allocate, default_release, NULL}};
  if (allocator) arena->allocator = *allocator;
}

static void release_chunk(ts_arena *arena, ts_chunk *chunk)
{
  ts_arena_open(chunk->first, chunk->capacity); // the allocator may write there
  arena->allocator.release(arena->allocator.user, chunk);
}

void ts_arena_release(ts_arena *arena)
{
  arena->highest = ts_arena_peak(arena);
  while (arena->chunk) {
    ts_chunk *older = arena->chunk->older;
    release_chunk(arena, arena->chunk);
    arena->chunk = older;
  }
}

static _Noreturn void out_of_memory(ts_arena *arena)
{
  TS_ASSERT(arena->recovery);
  longjmp(*arena->recovery, 1);
}

_Noreturn void ts_arena_refuse(ts_arena *arena, const char *what, size_t count, size_t most)
{
  arena->refused.what = what;
  arena->refused.count = count;
  arena->refused.most = most;
  out_of_memory(arena);
}

_Noreturn void ts_arena_fail(ts_arena *arena, const char *sentence)
{
  const size_t size = strlen(sentence) + 1;
  char *copy = ts_arena_bytes(arena, size, 1);
  memcpy(copy, sentence, size);
  ts_arena_refuse(arena, copy, 0, 0);
}

ts_status ts_arena_reason(ts_arena *arena, ts_error *error, const char *where)
{
  const char *what = arena->refused.what;
  arena->refused.what = NULL;
  if (!what) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out %s", where);
  if (arena->refused.most == 0) return ts_fail(error, TS_INVALID, "%s, %s", what, where);
  return ts_fail(error, TS_OUT_OF_MEMORY, "there are %zu %s %s, more than the %zu that memory is given for",
                 arena->refused.count, what, where, arena->refused.most);
}

static unsigned char *first_byte(ts_chunk *chunk)
{
  const uintptr_t start = (uintptr_t)chunk + sizeof *chunk;
  return (unsigned char *)((start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static bool try_chunk(ts_arena *arena, size_t capacity)
{
  if (capacity > SIZE_MAX - HEADER - ALIGNMENT) return false;
  ts_chunk *chunk = arena->allocator.allocate(arena->allocator.user, capacity + HEADER + ALIGNMENT);
  if (!chunk) return false;
  *chunk = (ts_chunk){
      .older = arena->chunk, .first = first_byte(chunk), .capacity = capacity, .before = ts_arena_in_use(arena)};
  arena->chunk = chunk;
  ts_arena_close(chunk->first, capacity);
  return true;
}

ts_chunk *ts_arena_grow(ts_arena *arena, size_t bytes)
{
  const size_t grown = arena->chunk ? 2 * arena->chunk->capacity : SMALLEST_CHUNK;
  if (!try_chunk(arena, bytes > grown ? bytes : grown)) out_of_memory(arena);
  return arena->chunk;
}

// Give back what lies beyond the first `used` bytes.
static void shorten(ts_chunk *chunk, size_t used)
{
  ts_arena_close(chunk->first + used, chunk->used - used);
  chunk->used = used;
}

// A mark taken before the first chunk existed keeps the oldest chunk, emptied.
void ts_arena_restore_chunks(ts_arena *arena, ts_arena_mark mark)
{
  arena->highest = ts_arena_peak(arena);
  while (arena->chunk != mark.chunk) {
    ts_chunk *older = arena->chunk->older;
    if (!older && !mark.chunk) {
      shorten(arena->chunk, 0);
      return;
    }
    release_chunk(arena, arena->chunk);
    arena->chunk = older;
  }
  if (arena->chunk) shorten(arena->chunk, mark.used);
}

void ts_arena_reset(ts_arena *arena)
{
  const size_t wanted = arena->highest = ts_arena_peak(arena);
  if (arena->chunk && !arena->chunk->older && arena->chunk->capacity >= wanted) {
    shorten(arena->chunk, 0);
    return;
  }
  ts_arena_release(arena);
  if (wanted) try_chunk(arena, wanted); // without it the arena grows again as it is used
}
