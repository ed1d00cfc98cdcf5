// The inside of a block LU. After ordering, the scalars of a supernode are consecutive. Supernode s with p pivots and u
// rows below them keeps two panels, column-major: lower (p + u rows, p columns; its first p rows are the pivot block)
// and upper (u rows, p columns: the part of U right of the pivot block, transposed, so that both panels are worked on
// down contiguous columns).
#ifndef TS_MATH_BLOCK_LU_INSIDE_H
#define TS_MATH_BLOCK_LU_INSIDE_H

#include "math/block_lu.h"

// Work below which plain loops beat a call into BLAS.
#define TS_SMALL_WORK 30000.0

typedef struct ts_supernode {
  int first, pivots;      // first scalar, number of pivot scalars
  int below;              // rows below the pivot block
  const int *rows;        // their scalars, ascending
  double *lower, *upper;  // panels
  int *exchange;          // row exchanged with pivot k (relative to `first`)
  int targets;            // supernodes that the update goes to
  const int *target;      // their numbers
  const int *target_at;   // targets+1: where each one's pivot columns begin in `rows`
  const int *const *into; // for each target: row of its lower panel for every row of ours from target_at on
} ts_supernode;

struct ts_block_lu {
  int nodes, scalars, supernodes;
  ts_supernode *super;
  int *node_first;   // first scalar of node i, in elimination order
  int *node_super;   // supernode of node i
  int *caller_first; // first scalar of node i, in the caller's order
  const int *size;
  double *values; // all panels
  size_t value_count;
  double *update;   // scratch for the largest update
  double *permuted; // scratch for a right-hand side
  double flops;
  double deadline;
};

#endif
