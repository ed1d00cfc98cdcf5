// The inner loops of dense updates, over columns that are contiguous in memory. Compiled for AVX2 beside the baseline
// where the compiler can do that; both compute the same bits, since every sum keeps its order.
#ifndef TS_MATH_COLUMNS_H
#define TS_MATH_COLUMNS_H

#include <stddef.h>

// y += sum over c of factor[c] column[c], `rows` numbers each.
void ts_columns_combine(int rows, int count, const double *const *column, const double *factor, double *y);

// product[c] = column c of A times x.
void ts_columns_dot(int rows, int columns, const double *A, size_t leading, const double *x, double *product);

// maxima[i] = max(maxima[i], factor weight[i] |x[i]|). Returns the largest of factor weight[i] |x[i]|.
double ts_columns_raise_maxima(int rows, const double *x, const double *weight, double factor, double *maxima);

// Column c of A += factor[c] x. Columns whose factor is zero are not touched.
void ts_columns_rank_one(int rows, int columns, const double *x, const double *factor, double *A, size_t leading);

#endif
