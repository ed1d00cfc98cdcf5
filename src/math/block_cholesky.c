#include "math/block_cholesky.h"

#include "math/elimination.h"
#include "math/ordering.h"
#include "math/panel.h"

#include "base/assert.h"

#include <string.h>

// ---- pattern -------------------------------------------------------------------------------------------------------

// Upper triangle of the permuted pattern, by columns.
static void permute_upper(int nodes, const int *start, const int *index, const int *order, const int *position,
                          int *upper, int *row)
{
  int filled = 0;
  for (int k = 0; k < nodes; ++k) {
    upper[k] = filled;
    for (int e = start[order[k]]; e < start[order[k] + 1]; ++e)
      if (position[index[e]] < k) row[filled++] = position[index[e]];
  }
  upper[nodes] = filled;
}

// Columns of L by rows: row k is appended to every column that it has an entry in, so columns ascend. Without `row` the
// entries are only counted, next[i] then being the length of column i.
static void fill_columns(int nodes, const int *upper, const int *entry, const int *parent, int *next, int *row,
                         ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  int *seen = ts_arena_ints(arena, (size_t)nodes), *stack = ts_arena_ints(arena, (size_t)nodes);
  for (int k = 0; k < nodes; ++k) seen[k] = -1;
  for (int k = 0; k < nodes; ++k)
    for (int t = ts_elimination_row(nodes, k, upper, entry, parent, seen, stack); t < nodes; ++t) {
      if (row) row[next[stack[t]]] = k;
      ++next[stack[t]];
    }
  ts_arena_restore(arena, mark);
}

static void place_blocks(ts_block_cholesky *f, const int *size, ts_arena *arena)
{
  const size_t n = (size_t)f->nodes;
  int *sizes = ts_arena_ints(arena, n), *first = ts_arena_ints(arena, n + 1), *height = ts_arena_ints(arena, n);
  int *offset = ts_arena_ints(arena, (size_t)f->start[n]), *origin = ts_arena_ints(arena, n);
  f->panel = ts_arena_bytes(arena, n, sizeof *f->panel);
  first[0] = 0;
  for (size_t k = 0; k < n; ++k) {
    sizes[k] = size[f->order[k]];
    first[k + 1] = first[k] + sizes[k];
  }
  for (int node = 0, at = 0; node < f->nodes; at += size[node++]) origin[f->position[node]] = at;
  size_t entries = 0;
  for (size_t k = 0; k < n; ++k) {
    height[k] = sizes[k];
    for (int e = f->start[k]; e < f->start[k + 1]; ++e) {
      offset[e] = height[k];
      height[k] += sizes[f->row[e]];
    }
    entries += (size_t)height[k] * (size_t)sizes[k];
  }
  double *values = ts_arena_zeros(arena, entries);
  for (size_t k = 0; k < n; ++k) {
    f->panel[k] = values;
    values += (size_t)height[k] * (size_t)sizes[k];
  }
  f->size = sizes;
  f->first = first;
  f->origin = origin;
  f->height = height;
  f->offset = offset;
  f->scalars = first[n];
}

ts_block_cholesky ts_block_cholesky_analyze(int nodes, const int *size, const int *start, const int *index,
                                            ts_arena *arena)
{
  const size_t n = (size_t)nodes;
  int *order = ts_arena_ints(arena, n), *position = ts_arena_ints(arena, n), *parent = ts_arena_ints(arena, n);
  int *column = ts_arena_ints(arena, n + 1), *upper = ts_arena_ints(arena, n + 1);
  int *entry = ts_arena_ints(arena, (size_t)start[nodes] / 2), *next = ts_arena_ints(arena, n);
  ts_order_minimum_degree(nodes, start, index, order, arena);
  for (int k = 0; k < nodes; ++k) position[order[k]] = k;
  permute_upper(nodes, start, index, order, position, upper, entry);
  ts_elimination_tree(nodes, upper, entry, parent, arena);
  memset(next, 0, n * sizeof *next);
  fill_columns(nodes, upper, entry, parent, next, NULL, arena);
  column[0] = 0;
  for (int k = 0; k < nodes; ++k) {
    column[k + 1] = column[k] + next[k];
    next[k] = column[k];
  }
  int *row = ts_arena_ints(arena, (size_t)column[nodes]);
  fill_columns(nodes, upper, entry, parent, next, row, arena);
  ts_block_cholesky f = {
      .nodes = nodes, .position = position, .order = order, .parent = parent, .start = column, .row = row};
  place_blocks(&f, size, arena);
  return f;
}

// ---- matrix --------------------------------------------------------------------------------------------------------

// Entry of block (row, column), row >= column: its first row in the column's panel.
static int block_offset(const ts_block_cholesky *f, int row, int column)
{
  if (row == column) return 0;
  int low = f->start[column], high = f->start[column + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (f->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  TS_ASSERT(f->row[low] == row);
  return f->offset[low];
}

void ts_block_cholesky_add(const ts_block_cholesky *factor, int i, int j, const double *block)
{
  int row = factor->position[i], column = factor->position[j];
  const int rows = factor->size[row], columns = factor->size[column];
  const bool transposed = row < column;
  if (transposed) {
    row = factor->position[j];
    column = factor->position[i];
  }
  const int height = factor->height[column];
  double *to = factor->panel[column] + block_offset(factor, row, column);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) to[transposed ? c + r * height : r + c * height] += block[r + c * rows];
}

void ts_block_cholesky_clear(const ts_block_cholesky *factor)
{
  for (int k = 0; k < factor->nodes; ++k)
    memset(factor->panel[k], 0, (size_t)factor->height[k] * (size_t)factor->size[k] * sizeof **factor->panel);
}

// ---- factorization -------------------------------------------------------------------------------------------------

// C (rows x columns, leading dimension lead) -= B A^T, where A and B are blocks of a panel of `depth` columns.
static void subtract_product(int rows, int columns, int depth, const double *B, const double *A, int height, double *C,
                             int lead)
{
  for (int c = 0; c < columns; ++c)
    for (int t = 0; t < depth; ++t) {
      const double a = A[c + t * height];
      for (int r = 0; r < rows; ++r) C[r + c * lead] -= B[r + t * height] * a;
    }
}

// What eliminating column k takes from the columns of its rows. They hold all of its later rows (fill), so one walk
// along their list finds the targets.
static void update_columns(const ts_block_cholesky *f, int k)
{
  const int end = f->start[k + 1], height = f->height[k], depth = f->size[k];
  const double *P = f->panel[k];
  for (int a = f->start[k]; a < end; ++a) {
    const int column = f->row[a], columns = f->size[column], lead = f->height[column];
    double *target = f->panel[column];
    subtract_product(columns, columns, depth, P + f->offset[a], P + f->offset[a], height, target, lead);
    int t = f->start[column];
    for (int b = a + 1; b < end; ++b) {
      while (f->row[t] != f->row[b]) ++t;
      subtract_product(f->size[f->row[b]], columns, depth, P + f->offset[b], P + f->offset[a], height,
                       target + f->offset[t], lead);
    }
  }
}

void ts_block_cholesky_factor(const ts_block_cholesky *factor, const double *relative, bool *dropped, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *diagonal = ts_arena_doubles(arena, (size_t)factor->scalars);
  for (int k = 0; k < factor->nodes; ++k)
    for (int c = 0; c < factor->size[k]; ++c)
      diagonal[factor->first[k] + c] = factor->panel[k][c + c * factor->height[k]];
  for (int k = 0; k < factor->nodes; ++k) {
    ts_panel_factor(factor->size[k], factor->height[k], factor->panel[k], diagonal + factor->first[k],
                    relative[factor->order[k]], dropped + factor->origin[k]);
    update_columns(factor, k);
  }
  ts_arena_restore(arena, mark);
}

// ---- solving -------------------------------------------------------------------------------------------------------

// y -= (rows `offset` on of the panel) x
static void subtract_rows(const double *P, int rows, int size, int height, const double *x, double *y)
{
  for (int c = 0; c < size; ++c)
    for (int r = 0; r < rows; ++r) y[r] -= P[r + c * height] * x[c];
}

static void solve_forward(const ts_block_cholesky *f, double *x)
{
  for (int k = 0; k < f->nodes; ++k) {
    const double *P = f->panel[k];
    ts_panel_solve(P, f->size[k], f->height[k], x + f->first[k]);
    for (int e = f->start[k]; e < f->start[k + 1]; ++e)
      subtract_rows(P + f->offset[e], f->size[f->row[e]], f->size[k], f->height[k], x + f->first[k],
                    x + f->first[f->row[e]]);
  }
}

static void solve_backward(const ts_block_cholesky *f, double *x)
{
  for (int k = f->nodes - 1; k >= 0; --k) {
    const double *P = f->panel[k];
    const int size = f->size[k], height = f->height[k];
    double *y = x + f->first[k];
    for (int e = f->start[k]; e < f->start[k + 1]; ++e) {
      const double *below = x + f->first[f->row[e]], *block = P + f->offset[e];
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < f->size[f->row[e]]; ++r) y[c] -= block[r + c * height] * below[r];
    }
    ts_panel_solve_transposed(P, size, height, y);
  }
}

void ts_block_cholesky_solve(const ts_block_cholesky *factor, double *x, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *y = ts_arena_doubles(arena, (size_t)factor->scalars);
  for (int k = 0; k < factor->nodes; ++k)
    memcpy(y + factor->first[k], x + factor->origin[k], (size_t)factor->size[k] * sizeof *y);
  solve_forward(factor, y);
  solve_backward(factor, y);
  for (int k = 0; k < factor->nodes; ++k)
    memcpy(x + factor->origin[k], y + factor->first[k], (size_t)factor->size[k] * sizeof *y);
  ts_arena_restore(arena, mark);
}

// ---- half solutions ------------------------------------------------------------------------------------------------

static int path_length(const ts_block_cholesky *f, int position)
{
  int length = 0;
  for (int k = position; k >= 0; k = f->parent[k]) ++length;
  return length;
}

static void append(const ts_block_cholesky *f, int position, ts_block_reach *reach, int *place)
{
  place[position] = reach->scalars;
  reach->position[reach->count] = position;
  reach->first[reach->count++] = reach->scalars;
  reach->scalars += f->size[position];
}

// Paths ascend. The least of their heads is taken and goes on to its parent; heads that meet become one.
ts_block_reach ts_block_cholesky_reach(const ts_block_cholesky *factor, int count, const int *nodes, int *place,
                                       ts_arena *arena)
{
  int room = 0;
  for (int i = 0; i < count; ++i) room += path_length(factor, factor->position[nodes[i]]);
  ts_block_reach reach = {.position = ts_arena_ints(arena, (size_t)room), .first = ts_arena_ints(arena, (size_t)room)};
  const ts_arena_mark mark = ts_arena_save(arena);
  int *head = ts_arena_ints(arena, (size_t)count), heads = count;
  for (int i = 0; i < count; ++i) head[i] = factor->position[nodes[i]];
  while (heads > 0) {
    int least = head[0], others = 0;
    for (int i = 1; i < heads; ++i) least = head[i] < least ? head[i] : least;
    append(factor, least, &reach, place);
    for (int i = 0; i < heads; ++i)
      if (head[i] != least) head[others++] = head[i];
    if (factor->parent[least] >= 0) head[others++] = factor->parent[least];
    heads = others;
  }
  ts_arena_restore(arena, mark);
  return reach;
}

void ts_block_cholesky_half_solve(const ts_block_cholesky *factor, const ts_block_reach *reach, const int *place,
                                  int columns, double *X)
{
  const ts_block_cholesky *f = factor;
  for (int t = 0; t < reach->count; ++t) {
    const int k = reach->position[t];
    for (int j = 0; j < columns; ++j) {
      double *x = X + (size_t)j * (size_t)reach->scalars, *own = x + reach->first[t];
      ts_panel_solve(f->panel[k], f->size[k], f->height[k], own);
      for (int e = f->start[k]; e < f->start[k + 1]; ++e)
        subtract_rows(f->panel[k] + f->offset[e], f->size[f->row[e]], f->size[k], f->height[k], own,
                      x + place[f->row[e]]);
    }
  }
}
