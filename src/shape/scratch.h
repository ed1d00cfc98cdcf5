// Memory for work whose result goes to another arena: the result stays, the scratch goes.
#ifndef TS_SHAPE_SCRATCH_H
#define TS_SHAPE_SCRATCH_H

#include "base/arena.h"
#include "base/status.h"

typedef ts_status ts_scratch_work(void *task, ts_arena *scratch);

// Run `work` with an arena of its own, which takes from the allocator of `arena` and is released afterwards. When
// memory runs out in either arena, the scratch is released and control goes on to the recovery point of `arena`.
ts_status ts_with_scratch(ts_arena *arena, ts_scratch_work *work, void *task);

// Run `work` with an arena from malloc(); TS_OUT_OF_MEMORY and a sentence when that runs out.
ts_status ts_with_own_memory(ts_scratch_work *work, void *task, ts_error *error);

#endif
