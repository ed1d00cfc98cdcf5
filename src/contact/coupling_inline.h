// Blocks of W: what the rows of one block make of the responses to those of another.
#ifndef TS_CONTACT_COUPLING_INLINE_H
#define TS_CONTACT_COUPLING_INLINE_H

#include "contact/system.h"

#include "math/quad.h"

#include <math.h>

// Column by column, block += rows . responses: all rows of block i with all of block j, on one body.
TS_INLINE void ts_couple_rows(const ts_row_block *rows, const ts_row_block *response, const int d, ts_quad *column)
{
  for (int c = 0; c < d; ++c)
    for (int k = 0; k < 3; ++k)
      column[c] += TS_CONST_QUAD(rows->linear[k]) * response->linear[k][c] +
                   TS_CONST_QUAD(rows->angular[k]) * response->angular[k][c];
}

// A block of W from its columns. A column is written in one piece where what it writes beyond its end is the next one.
TS_INLINE void ts_store_columns(const ts_quad *column, const int d, double *block)
{
  for (int c = 0; c < d; ++c) {
    if (d > 2 && c < d - 1)
      TS_QUAD(block + c * d) = column[c];
    else
      for (int r = 0; r < d; ++r) block[c * d + r] = column[c][r];
  }
}

// Block (i, j) of W from its columns, and (j, i), its transpose, where `mirrored` is not NULL.
TS_INLINE void ts_store_block(const ts_quad *column, const int d, double *block, double *mirrored)
{
  ts_store_columns(column, d, block);
  if (!mirrored) return;
  if (d == 3) {
    const ts_quad even = TS_QUAD_PICK(column[0], column[1], 0, 4, 2, 6),
                  odd = TS_QUAD_PICK(column[0], column[1], 1, 5, 3, 7);
    const ts_quad row[3] = {TS_QUAD_PICK(even, column[2], 0, 1, 4, 5), TS_QUAD_PICK(odd, column[2], 0, 1, 5, 4),
                            TS_QUAD_PICK(even, column[2], 2, 3, 6, 7)};
    ts_store_columns(row, 3, mirrored);
    return;
  }
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) mirrored[r * d + c] = column[c][r];
}

// The bodies that two blocks have in common: `count` of them, by a side of each.
typedef struct ts_coupling {
  int count, side_i[2], side_j[2];
} ts_coupling;

TS_INLINE ts_coupling ts_coupling_of(const ts_block *a, const ts_block *b)
{
  ts_coupling c = {0};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      if (a->body[i] < 0 || a->body[i] != b->body[j]) continue;
      c.side_i[c.count] = i;
      c.side_j[c.count++] = j;
    }
  return c;
}

// Rows that act on nothing get the block's own size on the diagonal.
static inline void ts_fill_idle_rows(const ts_block *block, int d, double *diagonal)
{
  if (block->active == (1u << d) - 1u) return;
  double size = 0.0;
  for (int r = 0; r < d; ++r)
    if (block->active & (1u << r)) size = fmax(size, diagonal[r * d + r]);
  if (size == 0.0) size = 1.0;
  for (int r = 0; r < d; ++r)
    if (!(block->active & (1u << r))) diagonal[r * d + r] = size;
}

#endif
