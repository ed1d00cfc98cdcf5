// Which pivots of joint rows are too small to be meant.
#ifndef TS_DYNAMICS_REDUNDANCY_H
#define TS_DYNAMICS_REDUNDANCY_H

#include "dynamics/rows.h"

// Thresholds relative to the diagonal entries of A, a block of rows first[b] .. first[b+1] each.
void ts_pivot_thresholds(const ts_model *model, const ts_bilateral_row *rows, int blocks, const int *first,
                         double *relative, ts_arena *arena);

#endif
