#include "math/matrix.h"

#include "base/hot.h"
#include "math/quad.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

size_t ts_matrix_entries(const ts_matrix *A)
{
  return ts_matrix_is_dense(A) ? (size_t)A->rows * (size_t)A->columns : (size_t)A->start[A->columns];
}

void ts_matrix_multiply_add(const ts_matrix *A, double factor, const double *x, double *y)
{
  if (A->rows == 0 || A->columns == 0) return;
  if (ts_matrix_is_dense(A)) {
    cblas_dgemv(CblasColMajor, CblasNoTrans, A->rows, A->columns, factor, A->value, A->rows, x, 1, 1.0, y, 1);
    return;
  }
  for (int j = 0; j < A->columns; ++j) {
    const double xj = factor * x[j];
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) y[A->index[k]] += A->value[k] * xj;
  }
}

void ts_matrix_transpose_multiply_add(const ts_matrix *A, double factor, const double *x, double *y)
{
  if (A->rows == 0 || A->columns == 0) return;
  if (ts_matrix_is_dense(A)) {
    cblas_dgemv(CblasColMajor, CblasTrans, A->rows, A->columns, factor, A->value, A->rows, x, 1, 1.0, y, 1);
    return;
  }
  for (int j = 0; j < A->columns; ++j) {
    double sum = 0.0;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) sum += A->value[k] * x[A->index[k]];
    y[j] += factor * sum;
  }
}

void ts_matrix_diagonal(const ts_matrix *A, double *diagonal)
{
  for (int j = 0; j < A->columns; ++j) {
    diagonal[j] = 0.0;
    if (ts_matrix_is_dense(A)) {
      diagonal[j] = A->value[(size_t)j * (size_t)A->rows + (size_t)j];
      continue;
    }
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->index[k] == j) diagonal[j] = A->value[k];
  }
}

static void raise(double *m, double value)
{
  if (fabs(value) > *m) *m = fabs(value);
}

void ts_matrix_row_and_column_maxima(const ts_matrix *A, double *m)
{
  for (int j = 0; j < A->columns; ++j) {
    if (ts_matrix_is_dense(A)) {
      const double *column = A->value + (size_t)j * (size_t)A->rows;
      for (int i = 0; i < A->rows; ++i) {
        raise(&m[i], column[i]);
        raise(&m[j], column[i]);
      }
    } else {
      for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
        raise(&m[A->index[k]], A->value[k]);
        raise(&m[j], A->value[k]);
      }
    }
  }
}

void ts_matrix_to_dense(const ts_matrix *A, double *dense, size_t leading)
{
  if (A->rows == 0) return; // its values may be NULL
  for (int j = 0; j < A->columns; ++j) {
    double *column = dense + (size_t)j * leading;
    if (ts_matrix_is_dense(A)) {
      memcpy(column, A->value + (size_t)j * (size_t)A->rows, (size_t)A->rows * sizeof *column);
    } else {
      memset(column, 0, (size_t)A->rows * sizeof *column);
      for (int k = A->start[j]; k < A->start[j + 1]; ++k) column[A->index[k]] = A->value[k];
    }
  }
}

TS_INLINE void multiply_add_blocks(const ts_block_matrix *A, const double *x, double *y, const int d)
{
  for (int i = 0; i < A->rows; ++i) {
    double sum[8] = {0};
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      const double *B = A->value + (size_t)k * (size_t)(d * d), *xj = x + (size_t)A->index[k] * (size_t)d;
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) sum[r] += B[c * d + r] * xj[c];
    }
    for (int r = 0; r < d; ++r) y[(size_t)i * (size_t)d + (size_t)r] += sum[r];
  }
}

// Columns of three are read as four numbers, the fourth of them the next column's and not used. Behind the last column
// of the matrix there is none.
TS_INLINE void multiply_add_threes(const ts_block_matrix *A, const double *x, double *y)
{
  const int last = A->rows > 0 ? A->start[A->rows] - 1 : -1;
  for (int i = 0; i < A->rows; ++i) {
    const double *B = A->value + 9 * (size_t)A->start[i];
    ts_quad sum[3] = {{0.0}}; // of each column: one sum would wait for every addition to end
    for (int k = A->start[i]; k < A->start[i + 1]; ++k, B += 9) {
      const double *xj = x + 3 * (size_t)A->index[k];
      sum[0] += TS_CONST_QUAD(B) * xj[0];
      sum[1] += TS_CONST_QUAD(B + 3) * xj[1];
      if (k < last)
        sum[2] += TS_CONST_QUAD(B + 6) * xj[2];
      else
        sum[2] += (ts_quad){B[6], B[7], B[8], 0.0} * xj[2];
    }
    const ts_quad all = sum[0] + sum[1] + sum[2];
    for (int r = 0; r < 3; ++r) y[3 * (size_t)i + (size_t)r] += all[r];
  }
}

TS_HOT void ts_block_multiply_add(const ts_block_matrix *A, const double *x, double *y)
{
  switch (A->block) { // a constant block size lets the compiler unroll
  case 2:
    multiply_add_blocks(A, x, y, 2);
    break;
  case 3:
    multiply_add_threes(A, x, y);
    break;
  case 4:
    multiply_add_blocks(A, x, y, 4);
    break;
  default:
    multiply_add_blocks(A, x, y, A->block);
    break;
  }
}

const double *ts_block_diagonal(const ts_block_matrix *A, int i)
{
  int low = A->start[i], high = A->start[i + 1] - 1;
  if (high - low >= i && A->index[low + i] == i) low = high = low + i; // as in a full row
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (A->index[middle] < i)
      low = middle + 1;
    else
      high = middle;
  }
  return A->value + (size_t)low * (size_t)(A->block * A->block);
}
