#include "dynamics/row_block.h"

static ts_row row_of(const ts_block_rows *block, int r)
{
  ts_row row = {.body = {block->body[0], block->body[1]}};
  for (int side = 0; side < 2; ++side)
    if (block->body[side] >= 0) row.jacobian[side] = ts_row_block_row(&block->jacobian[side], r);
  return row;
}

const ts_row *ts_rows_of_blocks(const ts_block_list *blocks, ts_arena *arena)
{
  const int d = blocks->dimension;
  ts_row *rows = ts_arena_bytes(arena, (size_t)blocks->count * (size_t)d, sizeof *rows);
  for (int i = 0; i < blocks->count; ++i)
    for (int r = 0; r < d; ++r) rows[i * d + r] = row_of(&blocks->blocks[i], r);
  return rows;
}
