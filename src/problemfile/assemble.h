// From the entries of a matrix, as files list them, to the storages of touchstone/matrix.h.
#ifndef TS_PROBLEMFILE_ASSEMBLE_H
#define TS_PROBLEMFILE_ASSEMBLE_H

#include "touchstone/matrix.h"

#include "problemfile/pool.h"

#include <stdbool.h>

// Entries in any order; rows and columns count from 0 and are in range.
typedef struct ts_triplets {
  int rows, columns;
  size_t count, capacity;
  int *row, *column;
  double *value;
} ts_triplets;

ts_status ts_triplets_init(ts_triplets *triplets, ts_pool *memory, int rows, int columns, size_t capacity);
void ts_triplets_add(ts_triplets *triplets, int row, int column, double value); // there is room

// Compressed columns from triplets: rows ascending. Entries in the same place are added up when `twice` is NULL.
// Otherwise *twice becomes the number of the first entry whose place was taken before, or `count` when there is none;
// A is not usable then.
ts_status ts_triplets_compress(const ts_triplets *triplets, ts_pool *keep, ts_pool *scratch, ts_matrix *A,
                               size_t *twice);

// Where one triangle holds entries and the other none, the matrix was meant to be symmetric: fill in the other.
ts_status ts_mirror_triangle(ts_triplets *triplets, ts_pool *memory);

// Compressed columns of a dense matrix, without its zeros. A sparse one comes back as it is.
ts_status ts_sparse_copy(const ts_matrix *A, ts_pool *keep, ts_pool *scratch, ts_matrix *sparse);

// Blocks of a square matrix whose size is a multiple of `block`. A block is there where the matrix stores an entry (a
// dense matrix: one that is not 0) in it or in its mirror image, and on the diagonal.
ts_status ts_assemble_blocks(const ts_matrix *A, int block, ts_pool *keep, ts_pool *scratch, ts_block_matrix *W);

#endif
