#include "math/blas.h"

#include <cblas.h>
#include <stdint.h>
#include <stdlib.h>

static const size_t BUFFER = ((size_t)128 << 20) + ((size_t)1 << 20); // what OpenBLAS maps on x86-64, and some more

void ts_blas_take_buffer(ts_arena *arena)
{
  void *room = malloc(BUFFER);
  free(room); // OpenBLAS takes it with the next call
  if (!room) ts_arena_grow(arena, SIZE_MAX);
  const double one = 1.0;
  double product;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0, &one, 1, &one, 1, 0.0, &product, 1);
  arena->blas_is_ready = true;
}
