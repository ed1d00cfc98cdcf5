#include "math/sparse.h"

#include "math/matrix.h"

#include "base/assert.h"

#include <string.h>

ts_matrix ts_matrix_compress(const ts_matrix *A, ts_arena *arena)
{
  if (!ts_matrix_is_dense(A)) return *A;
  const size_t rows = (size_t)A->rows, entries = ts_matrix_entries(A);
  size_t nonzeros = 0;
  for (size_t k = 0; k < entries; ++k) nonzeros += A->value[k] != 0.0;
  int *start = ts_arena_ints(arena, (size_t)A->columns + 1), *index = ts_arena_ints(arena, nonzeros);
  double *value = ts_arena_doubles(arena, nonzeros);
  int count = 0;
  start[0] = 0;
  for (int j = 0; j < A->columns; ++j) {
    const double *column = A->value + (size_t)j * rows;
    for (int i = 0; i < A->rows; ++i)
      if (column[i] != 0.0) {
        index[count] = i;
        value[count++] = column[i];
      }
    start[j + 1] = count;
  }
  return (ts_matrix){A->rows, A->columns, start, index, value};
}

ts_matrix ts_matrix_transpose(const ts_matrix *A, ts_arena *arena)
{
  TS_ASSERT(!ts_matrix_is_dense(A));
  const size_t entries = ts_matrix_entries(A);
  int *start = ts_arena_ints(arena, (size_t)A->rows + 1), *index = ts_arena_ints(arena, entries);
  double *value = ts_arena_doubles(arena, entries);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *next = ts_arena_ints(arena, (size_t)A->rows);
  memset(start, 0, ((size_t)A->rows + 1) * sizeof *start);
  for (size_t k = 0; k < entries; ++k) ++start[A->index[k] + 1];
  for (int i = 0; i < A->rows; ++i) {
    start[i + 1] += start[i];
    next[i] = start[i];
  }
  for (int j = 0; j < A->columns; ++j) // ascending j: the rows of each new column ascend
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      const int to = next[A->index[k]]++;
      index[to] = j;
      value[to] = A->value[k];
    }
  ts_arena_restore(arena, mark);
  return (ts_matrix){A->columns, A->rows, start, index, value};
}

ts_matrix ts_matrix_copy(const ts_matrix *A, ts_arena *arena)
{
  ts_matrix copy = *A;
  const size_t entries = ts_matrix_entries(A);
  double *value = ts_arena_doubles(arena, entries);
  if (entries) memcpy(value, A->value, entries * sizeof *value);
  copy.value = value;
  if (ts_matrix_is_dense(A)) return copy;
  int *start = ts_arena_ints(arena, (size_t)A->columns + 1), *index = ts_arena_ints(arena, entries);
  memcpy(start, A->start, ((size_t)A->columns + 1) * sizeof *start);
  if (entries) memcpy(index, A->index, entries * sizeof *index);
  copy.start = start;
  copy.index = index;
  return copy;
}

// When block (j, i) comes up, rows before j have used up the blocks of row i in front of (i, j).
const int *ts_block_mates(const ts_block_matrix *A, ts_arena *arena)
{
  if (A->rows == 0) return NULL;
  int *mate = ts_arena_ints(arena, (size_t)A->start[A->rows]);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *next = ts_arena_ints(arena, (size_t)A->rows);
  memcpy(next, A->start, (size_t)A->rows * sizeof *next);
  for (int j = 0; j < A->rows; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) mate[k] = next[A->index[k]]++;
  ts_arena_restore(arena, mark);
  return mate;
}
