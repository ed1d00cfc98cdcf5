/// Read-only views of matrices. A view owns nothing: its arrays belong to the caller and must outlive it.
#ifndef TOUCHSTONE_MATRIX_H
#define TOUCHSTONE_MATRIX_H

/// A real matrix, dense or sparse. Dense (`start` is NULL): `value` holds rows*columns numbers, column after column.
/// Sparse: compressed columns; the entries of column j are start[j] to start[j+1]-1 of `index` (their rows, ascending,
/// no row twice) and `value`.
typedef struct ts_matrix {
  int rows, columns;
  const int *start;    ///< columns+1 offsets, or NULL for a dense matrix
  const int *index;    ///< row of each entry; NULL for a dense matrix
  const double *value; ///< may be NULL when the matrix has no entries
} ts_matrix;

/// A square matrix of square blocks, compressed by block rows: the blocks of block row i are start[i] to start[i+1]-1
/// of `index` (their block columns, ascending, none twice) and of `value` (block*block numbers each, column after
/// column). The diagonal block of every row is present. The pattern is symmetric; the values need not be.
typedef struct ts_block_matrix {
  int rows;            ///< block rows, equal to block columns
  int block;           ///< rows of one block
  const int *start;    ///< rows+1 offsets
  const int *index;    ///< block column of each block
  const double *value; ///< block*block numbers a block
} ts_block_matrix;

#endif
