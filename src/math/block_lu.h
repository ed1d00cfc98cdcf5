// LU factorization of a sparse matrix made of dense blocks with a symmetric block pattern (the values need not be
// symmetric). Nodes are ordered by minimum degree and gathered into supernodes; rows are exchanged only inside the
// pivot block of a supernode, and a pivot that is too small is replaced, so the caller refines the solution against
// the matrix it meant. Made for Newton systems of contact problems, where the blocks are contacts or bodies and the
// same pattern is factored again and again.
//
// Cost: that of dense LU on the fronts; nothing is allocated after ts_block_lu_analyze().
#ifndef TS_MATH_BLOCK_LU_H
#define TS_MATH_BLOCK_LU_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct ts_block_lu ts_block_lu;

// Where a block of the matrix is to be added: entry (r, c) at value[r * row_stride + c * column_stride].
typedef struct ts_block_place {
  double *value;
  int row_stride, column_stride;
} ts_block_place;

// Analyze a pattern: `nodes` nodes of size[i] scalars, neighbours of node i in index[start[i]..start[i+1]), both
// directions present, self loops allowed and ignored. The object lives in the arena.
ts_block_lu *ts_block_lu_analyze(int nodes, const int *size, const int *start, const int *index, ts_arena *arena);

double ts_block_lu_flops(const ts_block_lu *lu); // multiply-adds of one factorization

// Set the matrix to zero, then add to its blocks: the place of block (i, j), i and j neighbours or equal.
void ts_block_lu_clear(ts_block_lu *lu);
ts_block_place ts_block_lu_place(const ts_block_lu *lu, int i, int j);

// Time (ts_clock_seconds()) after which a factorization is given up: one of a large matrix takes seconds. At first
// there is none.
void ts_block_lu_set_deadline(ts_block_lu *lu, double deadline);

// Factor what was assembled. Pivots below `tiny` times the largest diagonal entry are replaced by that size.
// Returns the number of pivots replaced, or -1 when a number is not finite or the deadline has passed.
int ts_block_lu_factor(ts_block_lu *lu, double tiny);

// x: right-hand side in, solution out; scalars in the order of the nodes as the caller numbered them.
void ts_block_lu_solve(const ts_block_lu *lu, double *x);

#endif
