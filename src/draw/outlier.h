// Things that are so far away from all others that a picture of all of them would show next to nothing.
#ifndef TS_DRAW_OUTLIER_H
#define TS_DRAW_OUTLIER_H

#include "draw/scope.h"

// Say which of the boxes that count are outliers. More than half of them never are, those nearest to the middle of all.
// From these one goes outwards: where the next one is several times further than anything has reached, it and all
// beyond are outliers. Where memory runs out, none is.
void ts_outliers_find(const ts_scope *boxes, const bool *counted, int count, bool *outlying, ts_heap *heap);

#endif
