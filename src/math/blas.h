// The memory of the linear algebra library. OpenBLAS maps a buffer for nearly everything but products of a matrix and a
// vector, keeps it for the next call, and where it cannot have one it asks again for ever. Whatever may go beyond the
// small systems of math/small_dense.h therefore asks here first.
#ifndef TS_MATH_BLAS_H
#define TS_MATH_BLAS_H

#include "base/arena.h"

// Leaves by the arena's recovery point when there is no memory for the buffer.
void ts_blas_take_buffer(ts_arena *arena);

static inline void ts_blas_prepare(ts_arena *arena)
{
  if (!arena->blas_is_ready) ts_blas_take_buffer(arena);
}

#endif
