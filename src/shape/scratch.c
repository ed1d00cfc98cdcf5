#include "shape/scratch.h"

#include "base/assert.h"

// The arenas live with the caller: what changes in the frame of setjmp() itself is lost when control comes back.
static ts_status run_guarded(ts_arena *arena, ts_arena *scratch, ts_scratch_work *work, void *task)
{
  jmp_buf recovery;
  jmp_buf *const outer = arena->recovery;
  arena->recovery = scratch->recovery = &recovery;
  if (setjmp(recovery)) {
    ts_arena_release(scratch);
    arena->recovery = outer;
    TS_ASSERT(outer);
    longjmp(*outer, 1);
  }
  const ts_status status = work(task, scratch);
  arena->recovery = outer;
  ts_arena_release(scratch);
  return status;
}

ts_status ts_with_scratch(ts_arena *arena, ts_scratch_work *work, void *task)
{
  ts_arena scratch;
  ts_arena_init(&scratch, &arena->allocator);
  return run_guarded(arena, &scratch, work, task);
}

static ts_status run_reporting(ts_arena *arena, ts_scratch_work *work, void *task, ts_error *error)
{
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    ts_arena_release(arena);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out while a shape was worked on");
  }
  const ts_status status = work(task, arena);
  ts_arena_release(arena);
  return status;
}

ts_status ts_with_own_memory(ts_scratch_work *work, void *task, ts_error *error)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  return run_reporting(&arena, work, task, error);
}
