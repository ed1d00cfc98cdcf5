#include "problemfile/assemble.h"

#include "base/assert.h"
#include "base/status.h"

#include <limits.h>
#include <string.h>

ts_status ts_triplets_init(ts_triplets *triplets, ts_pool *memory, int rows, int columns, size_t capacity)
{
  *triplets = (ts_triplets){.rows = rows, .columns = columns, .capacity = capacity};
  TS_TRY(ts_pool_ints(memory, capacity, &triplets->row));
  TS_TRY(ts_pool_ints(memory, capacity, &triplets->column));
  return ts_pool_doubles(memory, capacity, &triplets->value);
}

void ts_triplets_add(ts_triplets *triplets, int row, int column, double value)
{
  TS_ASSERT(triplets->count < triplets->capacity);
  triplets->row[triplets->count] = row;
  triplets->column[triplets->count] = column;
  triplets->value[triplets->count++] = value;
}

// start[k] = number of keys below k, for keys 0 .. range-1; start has range+1 places.
static void count_keys(const int *key, size_t count, int range, int *start)
{
  memset(start, 0, ((size_t)range + 1) * sizeof *start);
  for (size_t e = 0; e < count; ++e) ++start[key[e] + 1];
  for (int k = 0; k < range; ++k) start[k + 1] += start[k];
}

// Order of the entries by column, rows ascending within a column, and where both agree as they came: two stable
// distributions, by row and then by column, in time proportional to entries + rows + columns.
static ts_status sort_entries(const ts_triplets *triplets, ts_pool *scratch, int *order)
{
  int *next, *by_row;
  const int larger = triplets->rows > triplets->columns ? triplets->rows : triplets->columns;
  TS_TRY(ts_pool_ints(scratch, (size_t)larger + 1, &next));
  TS_TRY(ts_pool_ints(scratch, triplets->count, &by_row));
  count_keys(triplets->row, triplets->count, triplets->rows, next);
  for (size_t e = 0; e < triplets->count; ++e) by_row[next[triplets->row[e]]++] = (int)e;
  count_keys(triplets->column, triplets->count, triplets->columns, next);
  for (size_t k = 0; k < triplets->count; ++k) order[next[triplets->column[by_row[k]]]++] = by_row[k];
  return TS_OK;
}

ts_status ts_triplets_compress(const ts_triplets *triplets, ts_pool *keep, ts_pool *scratch, ts_matrix *A,
                               size_t *twice)
{
  TS_ASSERT(triplets->count <= INT_MAX);
  int *order, *start, *index;
  double *value;
  TS_TRY(ts_pool_ints(scratch, triplets->count, &order));
  TS_TRY(ts_pool_ints(keep, (size_t)triplets->columns + 1, &start));
  TS_TRY(ts_pool_ints(keep, triplets->count, &index));
  TS_TRY(ts_pool_doubles(keep, triplets->count, &value));
  TS_TRY(sort_entries(triplets, scratch, order));
  memset(start, 0, ((size_t)triplets->columns + 1) * sizeof *start);
  if (twice) *twice = triplets->count;
  int filled = 0;
  for (size_t k = 0; k < triplets->count; ++k) {
    const int e = order[k], column = triplets->column[e];
    if (start[column + 1] > 0 && index[filled - 1] == triplets->row[e]) {
      value[filled - 1] += triplets->value[e];
      if (twice && (size_t)e < *twice) *twice = (size_t)e;
      continue;
    }
    index[filled] = triplets->row[e];
    value[filled++] = triplets->value[e];
    ++start[column + 1];
  }
  for (int j = 0; j < triplets->columns; ++j) start[j + 1] += start[j];
  *A =
      (ts_matrix){.rows = triplets->rows, .columns = triplets->columns, .start = start, .index = index, .value = value};
  return TS_OK;
}

ts_status ts_mirror_triangle(ts_triplets *triplets, ts_pool *memory)
{
  size_t below = 0, above = 0;
  for (size_t e = 0; e < triplets->count; ++e) {
    below += triplets->row[e] > triplets->column[e];
    above += triplets->row[e] < triplets->column[e];
  }
  if ((below > 0) == (above > 0)) return TS_OK;
  ts_triplets full;
  TS_TRY(ts_triplets_init(&full, memory, triplets->rows, triplets->columns, triplets->count + below + above));
  for (size_t e = 0; e < triplets->count; ++e) {
    const int i = triplets->row[e], j = triplets->column[e];
    ts_triplets_add(&full, i, j, triplets->value[e]);
    if (i != j) ts_triplets_add(&full, j, i, triplets->value[e]);
  }
  *triplets = full;
  return TS_OK;
}

// One stored entry of either storage: k counts through a column's entries from column_begin() to column_end().
static size_t column_begin(const ts_matrix *A, int j)
{
  return A->start ? (size_t)A->start[j] : (size_t)j * (size_t)A->rows;
}

static size_t column_end(const ts_matrix *A, int j)
{
  return column_begin(A, j + 1);
}

static int entry_row(const ts_matrix *A, int j, size_t k)
{
  return A->start ? A->index[k] : (int)(k - column_begin(A, j));
}

static bool entry_counts(const ts_matrix *A, size_t k)
{
  return A->start || A->value[k] != 0.0;
}

ts_status ts_sparse_copy(const ts_matrix *A, ts_pool *keep, ts_pool *scratch, ts_matrix *sparse)
{
  *sparse = *A;
  if (A->start) return TS_OK;
  const size_t entries = (size_t)A->rows * (size_t)A->columns;
  ts_triplets triplets;
  TS_TRY(ts_triplets_init(&triplets, scratch, A->rows, A->columns, entries));
  for (int j = 0; j < A->columns; ++j)
    for (size_t k = column_begin(A, j); k < column_end(A, j); ++k)
      if (entry_counts(A, k)) ts_triplets_add(&triplets, entry_row(A, j, k), j, A->value[k]);
  return ts_triplets_compress(&triplets, keep, scratch, sparse, NULL);
}

// The places of blocks, each once a block column that touches it, with their mirror images; counted only when `places`
// is NULL. seen[I] = J+1 marks block row I as met in block column J.
static size_t list_places(const ts_matrix *A, int block, int *seen, ts_triplets *places)
{
  const int n = A->rows / block;
  size_t count = 0;
  memset(seen, 0, (size_t)n * sizeof *seen);
  for (int j = 0; j < A->columns; ++j) {
    const int J = j / block;
    for (size_t k = column_begin(A, j); k < column_end(A, j); ++k) {
      const int I = entry_row(A, j, k) / block;
      if (I == J || seen[I] == J + 1 || !entry_counts(A, k)) continue;
      seen[I] = J + 1;
      count += 2;
      if (!places) continue;
      ts_triplets_add(places, I, J, 0.0);
      ts_triplets_add(places, J, I, 0.0);
    }
  }
  for (int I = 0; places && I < n; ++I) ts_triplets_add(places, I, I, 0.0); // whatever is stored there
  return count + (size_t)n;
}

// Place of block column J among the blocks of block row I; it is there.
static int find_block(const int *start, const int *index, int I, int J)
{
  int low = start[I], high = start[I + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (index[middle] < J)
      low = middle + 1;
    else
      high = middle;
  }
  TS_ASSERT(low < start[I + 1] && index[low] == J);
  return low;
}

ts_status ts_assemble_blocks(const ts_matrix *A, int block, ts_pool *keep, ts_pool *scratch, ts_block_matrix *W)
{
  TS_ASSERT(A->rows == A->columns && A->rows % block == 0);
  const int n = A->rows / block;
  const size_t numbers = (size_t)block * (size_t)block;
  int *seen;
  ts_triplets places;
  TS_TRY(ts_pool_ints(scratch, (size_t)n, &seen));
  TS_TRY(ts_triplets_init(&places, scratch, n, n, list_places(A, block, seen, NULL)));
  list_places(A, block, seen, &places);
  ts_matrix pattern; // symmetric, so its compressed columns are its compressed rows
  TS_TRY(ts_triplets_compress(&places, keep, scratch, &pattern, NULL));
  double *value;
  TS_TRY(ts_pool_doubles(keep, (size_t)pattern.start[n] * numbers, &value));
  memset(value, 0, (size_t)pattern.start[n] * numbers * sizeof *value);
  for (int j = 0; j < A->columns; ++j)
    for (size_t k = column_begin(A, j); k < column_end(A, j); ++k) {
      if (!entry_counts(A, k)) continue;
      const int i = entry_row(A, j, k);
      const size_t place = (size_t)find_block(pattern.start, pattern.index, i / block, j / block);
      value[place * numbers + (size_t)(j % block) * (size_t)block + (size_t)(i % block)] = A->value[k];
    }
  *W = (ts_block_matrix){.rows = n, .block = block, .start = pattern.start, .index = pattern.index, .value = value};
  return TS_OK;
}
