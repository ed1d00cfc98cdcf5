// Rows of contacts, stops and drives, as many at a time as act on the same two bodies.
#ifndef TS_DYNAMICS_ROW_BLOCK_H
#define TS_DYNAMICS_ROW_BLOCK_H

#include "dynamics/rows.h"

enum { TS_MAX_DIMENSION = 4 };

// The rows of a block on one of its bodies, component by component: entry r of a component belongs to row r. Rows
// beyond the dimension are zero, so that four rows are always worked on at once.
typedef struct ts_row_block {
  double linear[3][TS_MAX_DIMENSION], angular[3][TS_MAX_DIMENSION];
} ts_row_block;

static inline ts_twist ts_row_block_row(const ts_row_block *rows, int r)
{
  return (ts_twist){{rows->linear[0][r], rows->linear[1][r], rows->linear[2][r]},
                    {rows->angular[0][r], rows->angular[1][r], rows->angular[2][r]}};
}

// The rows of a block on both of its bodies.
typedef struct ts_block_rows {
  int body[2];                  // dynamic bodies they act on, or -1
  unsigned active;              // bit r: row r acts on the bodies; the others are zero
  const ts_row_block *jacobian; // on body[0] and body[1]; not set where that is -1
} ts_block_rows;

// `dimension` rows a block: row r of block i is row i*dimension + r of all.
typedef struct ts_block_list {
  int count, dimension;
  const ts_block_rows *blocks; // (count)
} ts_block_list;

// The rows of blocks one by one. Memory from the arena.
const ts_row *ts_rows_of_blocks(const ts_block_list *blocks, ts_arena *arena);

#endif
