// Scratch memory for solvers: allocate by moving a pointer, give back in the opposite order. The arena is a chain of
// chunks; when it has been emptied, the chain is replaced by one chunk as large as everything that was ever in use, so
// that a run of the same size allocates nothing.
//
// Allocation never returns NULL. When memory runs out, control leaves to the recovery point that ts_arena_recover()
// set; code that holds nothing but arena memory therefore needs no error paths.
#ifndef TS_BASE_ARENA_H
#define TS_BASE_ARENA_H

#include "touchstone/solver.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Memory that was given back must not be read any more, though nothing takes it away. Builds that look for mistakes
// make such a read seen: with the address sanitizer memory that nobody holds may not be touched, ends of arrays
// included; in Debug builds (TS_ARENA_SPOILS) it is filled with ones, which read as NaN and -1.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TS_ARENA_GUARDS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TS_ARENA_GUARDS
#endif

#ifdef TS_ARENA_GUARDS
#include <sanitizer/asan_interface.h>
#endif

typedef struct ts_chunk ts_chunk;
struct ts_chunk {
  ts_chunk *older;
  unsigned char *first;  // byte that may be handed out, aligned
  size_t capacity, used; // bytes from there on
  size_t before;         // bytes in use in the older chunks
};

enum { TS_ARENA_ALIGNMENT = 64 }; // a cache line

typedef struct ts_arena {
  ts_allocator allocator;
  ts_chunk *chunk;    // the one being filled; older ones are linked behind it
  size_t highest;     // bytes in use at most before memory was last given back; see ts_arena_peak()
  jmp_buf *recovery;  // where to go when memory runs out
  bool blas_is_ready; // see math/blas.h
  struct {
    const char *what;   // static text, or of the arena; NULL: memory ran out
    size_t count, most; // 0: `what` says it all
  } refused;            // why control went to the recovery point; see ts_arena_refuse() and ts_arena_fail()
} ts_arena;

typedef struct ts_arena_mark {
  ts_chunk *chunk;
  size_t used;
} ts_arena_mark;

// `bytes` from `memory` on belong to nobody from now on, or to whom they are handed.
static inline void ts_arena_close(void *memory, size_t bytes)
{
#if defined(TS_ARENA_GUARDS)
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#elif defined(TS_ARENA_SPOILS)
  memset(memory, 0xff, bytes);
#else
  (void)memory, (void)bytes;
#endif
}

static inline void ts_arena_open(void *memory, size_t bytes)
{
#ifdef TS_ARENA_GUARDS
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#else
  (void)memory, (void)bytes;
#endif
}

void ts_arena_init(ts_arena *arena, const ts_allocator *allocator); // NULL: malloc and free
void ts_arena_release(ts_arena *arena);                             // give everything back to the allocator

// Bytes in use, padding included; and most of them at once since the arena was made.
static inline size_t ts_arena_in_use(const ts_arena *arena)
{
  return arena->chunk ? arena->chunk->before + arena->chunk->used : 0;
}

static inline size_t ts_arena_peak(const ts_arena *arena)
{
  const size_t now = ts_arena_in_use(arena);
  return now > arena->highest ? now : arena->highest;
}

static inline ts_arena_mark ts_arena_save(const ts_arena *arena)
{
  return (ts_arena_mark){arena->chunk, arena->chunk ? arena->chunk->used : 0};
}

// Frees all that came after a mark in another chunk, or in none.
void ts_arena_restore_chunks(ts_arena *arena, ts_arena_mark mark);

// Frees all that came after the mark. Inline for what happens as a rule: everything was in one chunk.
static inline void ts_arena_restore(ts_arena *arena, ts_arena_mark mark)
{
  ts_chunk *chunk = arena->chunk;
  if (!chunk || chunk != mark.chunk) {
    ts_arena_restore_chunks(arena, mark);
    return;
  }
  arena->highest = ts_arena_peak(arena);
  ts_arena_close(chunk->first + mark.used, chunk->used - mark.used);
  chunk->used = mark.used;
}

// Empty the arena, and keep one chunk that holds the peak where memory allows. May call the allocator.
void ts_arena_reset(ts_arena *arena);

// A new chunk with room for `bytes`, a multiple of the alignment; SIZE_MAX says that no size would do.
ts_chunk *ts_arena_grow(ts_arena *arena, size_t bytes);

// Leave to the recovery point because `count` things are more than the `most` that there is ever memory for. Whoever
// is there takes the reason with ts_arena_reason().
_Noreturn void ts_arena_refuse(ts_arena *arena, const char *what, size_t count, size_t most);

// The same because of what somebody else's function has done: `sentence` is copied into the arena.
_Noreturn void ts_arena_fail(ts_arena *arena, const char *sentence);

// Fill `error` (may be NULL) with why control came to the recovery point, `where` being added; TS_OUT_OF_MEMORY, after
// ts_arena_fail() TS_INVALID.
ts_status ts_arena_reason(ts_arena *arena, ts_error *error, const char *where);

// `count` elements of `size` bytes: uninitialized, aligned; checks overflow. Inline because a step of one contact asks
// for memory thirty times.
static inline void *ts_arena_bytes(ts_arena *arena, size_t count, size_t size)
{
  const bool fits = size == 0 || count <= (SIZE_MAX / 2 - TS_ARENA_ALIGNMENT) / size;
  const size_t mask = TS_ARENA_ALIGNMENT - 1, bytes = fits ? (count * size + mask) & ~mask : SIZE_MAX;
  ts_chunk *chunk = arena->chunk;
  if (!chunk || chunk->capacity - chunk->used < bytes) chunk = ts_arena_grow(arena, bytes);
  void *memory = chunk->first + chunk->used;
  chunk->used += bytes;
  ts_arena_open(memory, count * size);
  return memory;
}

static inline double *ts_arena_doubles(ts_arena *arena, size_t count)
{
  return ts_arena_bytes(arena, count, sizeof(double));
}

static inline int *ts_arena_ints(ts_arena *arena, size_t count)
{
  return ts_arena_bytes(arena, count, sizeof(int));
}

static inline double *ts_arena_zeros(ts_arena *arena, size_t count)
{
  double *memory = ts_arena_doubles(arena, count);
  memset(memory, 0, count * sizeof *memory);
  return memory;
}

// A copy of a text; NULL counts as "".
static inline const char *ts_arena_text(ts_arena *arena, const char *text)
{
  const size_t size = text ? strlen(text) + 1 : 1;
  return memcpy(ts_arena_bytes(arena, size, 1), text ? text : "", size);
}

#endif
