// Matrices as Siconos prints them: dense, sparse blocks, and what CSparse prints.
#ifndef TS_PROBLEMFILE_SICONOS_MATRIX_H
#define TS_PROBLEMFILE_SICONOS_MATRIX_H

#include "problemfile/reader.h"

// Storage code, rows, columns, and the entries. Dense files give a dense matrix, the others compressed columns.
// Of the extents those are given that are known, and -1 for the others: whatever the file says, as long as the rest of
// the text can hold a vector that long.
ts_status ts_scan_siconos_matrix(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A);

// Sparse blocks without the storage code before them.
ts_status ts_scan_siconos_blocks(ts_reading *reading, const char *name, int rows, int columns, ts_matrix *A);

// Whether a matrix with this many rows and columns seems to come next: storage code, rows and columns, all written
// as whole numbers. Leaves the cursor where it is.
bool ts_scan_sees_siconos_matrix(const ts_reading *reading, int rows, int columns);

#endif
