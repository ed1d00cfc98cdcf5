// Making sparse matrices out of the public views. Results live in the arena.
#ifndef TS_MATH_SPARSE_H
#define TS_MATH_SPARSE_H

#include "touchstone/matrix.h"

#include "base/arena.h"

// A in compressed columns: A itself where it already is, else a copy without its zeros.
ts_matrix ts_matrix_compress(const ts_matrix *A, ts_arena *arena);

// A^T in compressed columns, for an A in compressed columns.
ts_matrix ts_matrix_transpose(const ts_matrix *A, ts_arena *arena);

// A copy of A, dense or compressed as it is.
ts_matrix ts_matrix_copy(const ts_matrix *A, ts_arena *arena);

// For every block (i, j) of A the place of block (j, i).
const int *ts_block_mates(const ts_block_matrix *A, ts_arena *arena);

#endif
