#include "problemfile/siconos_matrix.h"

#include "problemfile/listing.h"

#include "base/status.h"

#include <limits.h>
#include <stdio.h>

enum { DENSE = 0, BLOCKS = 1, SPARSE = 2 };   // storage codes
enum { FROM_TRIPLETS = 1, FROM_COLUMNS = 2 }; // where a sparse matrix was printed from

// A dimension that the file states where it is known already, or one that the rest of the text must be able to hold.
static ts_status scan_extent(ts_scanner *scan, const char *name, const char *what, int known, int *extent)
{
  char text[64];
  snprintf(text, sizeof text, "the number of %s of %s", what, name);
  return known < 0 ? ts_scan_count(scan, text, 1, extent) : ts_scan_int(scan, text, known, known, extent);
}

// Rows and columns again, then the numbers column after column.
static ts_status scan_dense(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A)
{
  ts_scanner *scan = &reading->scan;
  int again;
  TS_TRY(scan_extent(scan, name, "rows", rows, &again));
  TS_TRY(scan_extent(scan, name, "columns", columns, &again));
  const size_t entries = (size_t)rows * (size_t)columns;
  TS_TRY(ts_scan_room(scan, name, entries));
  double *value;
  TS_TRY(ts_pool_doubles(reading->keep, entries, &value));
  TS_TRY(ts_scan_numbers(scan, name, entries, value));
  *A = (ts_matrix){.rows = rows, .columns = columns, .value = value};
  return TS_OK;
}

// A grid of blocks: where each block row and block column ends, and the blocks of each block row.
typedef struct block_grid {
  int rows, columns, count; // block rows, block columns, blocks
  int *row_end, *column_end;
  int *first;  // rows+1: the blocks of block row I are first[I] to first[I+1]-1
  int *column; // block column of each block
} block_grid;

static ts_status scan_ends(ts_scanner *scan, const char *name, const char *what, int count, int total, int *end)
{
  char text[80];
  snprintf(text, sizeof text, "the end of a block %s of %s", what, name);
  for (int i = 0; i < count; ++i) {
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, text, i + 1 == count ? total : 1, total, &end[i]));
    if (i > 0 && end[i] <= end[i - 1])
      return ts_scan_fail(scan, at, TS_INVALID, "a block %s of %s is empty", what, name);
  }
  if (count == 0 && total > 0)
    return ts_scan_fail(scan, scan->at, TS_INVALID, "%s has %d %ss but no block %s", name, total, what, what);
  return TS_OK;
}

// Offsets of the block rows. Siconos leaves out those of empty rows at the end.
static ts_status scan_offsets(ts_scanner *scan, const char *name, int given, block_grid *grid)
{
  char text[80];
  snprintf(text, sizeof text, "an offset of a block row of %s", name);
  for (int i = 0; i < given; ++i) {
    const int low = i == 0 ? 0 : i + 1 == given ? grid->count : grid->first[i - 1];
    TS_TRY(ts_scan_int(scan, text, low, i == 0 ? 0 : grid->count, &grid->first[i]));
  }
  for (int i = given; i <= grid->rows; ++i) grid->first[i] = grid->count;
  return TS_OK;
}

static ts_status scan_grid(ts_reading *reading, const char *name, int rows, int columns, block_grid *grid)
{
  ts_scanner *scan = &reading->scan;
  char text[80];
  snprintf(text, sizeof text, "the number of blocks of %s", name);
  TS_TRY(ts_scan_count(scan, text, 1, &grid->count));
  snprintf(text, sizeof text, "the number of block rows of %s", name);
  TS_TRY(ts_scan_int(scan, text, 0, rows, &grid->rows));
  snprintf(text, sizeof text, "the number of block columns of %s", name);
  TS_TRY(ts_scan_int(scan, text, 0, columns, &grid->columns));
  TS_TRY(ts_pool_ints(reading->scratch, (size_t)grid->rows, &grid->row_end));
  TS_TRY(ts_pool_ints(reading->scratch, (size_t)grid->columns, &grid->column_end));
  TS_TRY(ts_pool_ints(reading->scratch, (size_t)grid->rows + 1, &grid->first));
  TS_TRY(ts_pool_ints(reading->scratch, (size_t)grid->count, &grid->column));
  TS_TRY(scan_ends(scan, name, "row", grid->rows, rows, grid->row_end));
  TS_TRY(scan_ends(scan, name, "column", grid->columns, columns, grid->column_end));
  int offsets, indices;
  snprintf(text, sizeof text, "the number of block row offsets of %s", name);
  TS_TRY(ts_scan_int(scan, text, grid->count > 0 ? 2 : 0, grid->rows + 1, &offsets));
  snprintf(text, sizeof text, "the number of block column indices of %s", name);
  TS_TRY(ts_scan_int(scan, text, grid->count, grid->count, &indices));
  TS_TRY(scan_offsets(scan, name, offsets, grid));
  snprintf(text, sizeof text, "the column of a block of %s", name);
  for (int k = 0; k < grid->count; ++k) TS_TRY(ts_scan_int(scan, text, 0, grid->columns - 1, &grid->column[k]));
  return TS_OK;
}

static int extent_begin(const int *end, int i)
{
  return i > 0 ? end[i - 1] : 0;
}

// How many numbers the blocks hold together; stops counting where the text cannot hold them.
static size_t count_block_numbers(const block_grid *grid, size_t most)
{
  size_t numbers = 0;
  for (int I = 0; I < grid->rows; ++I)
    for (int k = grid->first[I]; k < grid->first[I + 1] && numbers <= most; ++k) {
      const int J = grid->column[k];
      numbers += (size_t)(grid->row_end[I] - extent_begin(grid->row_end, I)) *
                 (size_t)(grid->column_end[J] - extent_begin(grid->column_end, J));
    }
  return numbers;
}

// The number of the block, then its numbers column after column.
static ts_status scan_block(ts_reading *reading, const char *name, const block_grid *grid, int I, int k,
                            ts_listing *entries)
{
  ts_scanner *scan = &reading->scan;
  int number;
  TS_TRY(ts_scan_int(scan, "the number of a block", k, k, &number));
  const int J = grid->column[k];
  for (int j = extent_begin(grid->column_end, J); j < grid->column_end[J]; ++j)
    for (int i = extent_begin(grid->row_end, I); i < grid->row_end[I]; ++i) {
      double value;
      ts_scan_space(scan);
      const char *at = scan->at;
      TS_TRY(ts_scan_number(scan, name, &value));
      ts_listing_add(entries, reading, i, j, value, at);
    }
  return TS_OK;
}

static ts_status scan_blocks(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A)
{
  block_grid grid;
  ts_listing entries;
  TS_TRY(scan_grid(reading, name, rows, columns, &grid));
  const size_t numbers = count_block_numbers(&grid, ts_scan_capacity(&reading->scan));
  TS_TRY(ts_scan_room(&reading->scan, name, numbers));
  TS_TRY(ts_listing_init(&entries, reading, rows, columns, numbers));
  for (int I = 0; I < grid.rows; ++I)
    for (int k = grid.first[I]; k < grid.first[I + 1]; ++k) TS_TRY(scan_block(reading, name, &grid, I, k, &entries));
  return ts_listing_compress(&entries, reading, name, A);
}

static ts_status scan_triplet_entries(ts_reading *reading, const char *name, size_t count, ts_listing *entries)
{
  ts_scanner *scan = &reading->scan;
  for (size_t e = 0; e < count; ++e) {
    int i, j;
    double value;
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, "the row of an entry", 0, entries->triplets.rows - 1, &i));
    TS_TRY(ts_scan_int(scan, "the column of an entry", 0, entries->triplets.columns - 1, &j));
    TS_TRY(ts_scan_word(scan, ":"));
    TS_TRY(ts_scan_number(scan, name, &value));
    ts_listing_add(entries, reading, i, j, value, at);
  }
  return TS_OK;
}

// "col j : locations a to b" before the entries of each column, "row : value" an entry.
static ts_status scan_column_entries(ts_reading *reading, const char *name, int count, ts_listing *entries)
{
  ts_scanner *scan = &reading->scan;
  int used = 0;
  for (int j = 0; j < entries->triplets.columns; ++j) {
    int number, first, last;
    TS_TRY(ts_scan_word(scan, "col"));
    TS_TRY(ts_scan_int(scan, "the number of a column", j, j, &number));
    TS_TRY(ts_scan_word(scan, ":"));
    TS_TRY(ts_scan_word(scan, "locations"));
    TS_TRY(ts_scan_int(scan, "the first location of a column", used, used, &first));
    TS_TRY(ts_scan_word(scan, "to"));
    TS_TRY(ts_scan_int(scan, "the last location of a column", used - 1, count - 1, &last));
    for (; used <= last; ++used) {
      int i;
      double value;
      ts_scan_space(scan);
      const char *at = scan->at;
      TS_TRY(ts_scan_int(scan, "the row of an entry", 0, entries->triplets.rows - 1, &i));
      TS_TRY(ts_scan_word(scan, ":"));
      TS_TRY(ts_scan_number(scan, name, &value));
      ts_listing_add(entries, reading, i, j, value, at);
    }
  }
  if (used == count) return TS_OK;
  return ts_scan_fail(scan, scan->at, TS_INVALID, "%s has %d entries, %d were announced", name, used, count);
}

// What CSparse's cs_print() writes: a line about itself, a line about the matrix, the entries.
static ts_status scan_sparse(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A)
{
  ts_scanner *scan = &reading->scan;
  int origin, extent, capacity, count;
  TS_TRY(ts_scan_int(scan, "the origin of a sparse matrix", FROM_TRIPLETS, FROM_COLUMNS, &origin));
  TS_TRY(ts_scan_word(scan, "CSparse"));
  ts_scan_line(scan);
  if (origin == FROM_TRIPLETS) TS_TRY(ts_scan_word(scan, "triplet:"));
  TS_TRY(ts_scan_int_before(scan, "the number of rows", rows, rows, "-by-", &extent));
  TS_TRY(ts_scan_int_before(scan, "the number of columns", columns, columns, ",", &extent));
  TS_TRY(ts_scan_word(scan, "nzmax:"));
  TS_TRY(ts_scan_int(scan, "the capacity of a sparse matrix", 0, INT_MAX, &capacity));
  TS_TRY(ts_scan_word(scan, "nnz:"));
  const char *suffix = origin == FROM_COLUMNS ? "," : "";
  TS_TRY(ts_scan_int_before(scan, "the number of entries", 0, INT_MAX, suffix, &count));
  TS_TRY(ts_scan_room(scan, name, (size_t)count));
  if (origin == FROM_COLUMNS) {
    TS_TRY(ts_scan_word(scan, "1-norm:"));
    ts_scan_line(scan);
  }
  ts_listing entries;
  TS_TRY(ts_listing_init(&entries, reading, rows, columns, (size_t)count));
  if (origin == FROM_TRIPLETS)
    TS_TRY(scan_triplet_entries(reading, name, (size_t)count, &entries));
  else
    TS_TRY(scan_column_entries(reading, name, count, &entries));
  return ts_listing_compress(&entries, reading, name, A);
}

ts_status ts_scan_siconos_blocks(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A)
{
  TS_TRY(scan_extent(&reading->scan, name, "rows", rows, &rows));
  TS_TRY(scan_extent(&reading->scan, name, "columns", columns, &columns));
  return scan_blocks(reading, name, rows, columns, A);
}

ts_status ts_scan_siconos_matrix(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A)
{
  char text[64];
  snprintf(text, sizeof text, "the storage code of %s", name);
  int storage;
  TS_TRY(ts_scan_int(&reading->scan, text, DENSE, SPARSE, &storage));
  TS_TRY(scan_extent(&reading->scan, name, "rows", rows, &rows));
  TS_TRY(scan_extent(&reading->scan, name, "columns", columns, &columns));
  switch (storage) {
  case DENSE:
    return scan_dense(reading, name, rows, columns, A);
  case BLOCKS:
    return scan_blocks(reading, name, rows, columns, A);
  default:
    return scan_sparse(reading, name, rows, columns, A);
  }
}

bool ts_scan_sees_siconos_matrix(const ts_reading *reading, int rows, int columns)
{
  ts_error ignored;
  ts_scanner look = reading->scan;
  look.error = &ignored;
  int value;
  return ts_scan_int(&look, "", DENSE, SPARSE, &value) == TS_OK &&
         ts_scan_int(&look, "", rows, rows, &value) == TS_OK &&
         ts_scan_int(&look, "", columns, columns, &value) == TS_OK;
}
