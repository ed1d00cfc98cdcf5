// Products with the public matrix views.
#ifndef TS_MATH_MATRIX_H
#define TS_MATH_MATRIX_H

#include "touchstone/matrix.h"

#include <stdbool.h>
#include <stddef.h>

static inline bool ts_matrix_is_dense(const ts_matrix *A)
{
  return A->start == NULL;
}

size_t ts_matrix_entries(const ts_matrix *A); // stored numbers

// y += factor A x, and y += factor A^T x.
void ts_matrix_multiply_add(const ts_matrix *A, double factor, const double *x, double *y);
void ts_matrix_transpose_multiply_add(const ts_matrix *A, double factor, const double *x, double *y);

void ts_matrix_diagonal(const ts_matrix *A, double *diagonal); // square A

// m[i] = max(m[i], largest |entry| of row i and of column i), for a square A.
void ts_matrix_row_and_column_maxima(const ts_matrix *A, double *m);

// Write A into dense storage, column after column, leading dimension `leading`.
void ts_matrix_to_dense(const ts_matrix *A, double *dense, size_t leading);

// y += A x with x and y in the order of the block rows.
void ts_block_multiply_add(const ts_block_matrix *A, const double *x, double *y);

// The diagonal block of row i.
const double *ts_block_diagonal(const ts_block_matrix *A, int i);

#endif
