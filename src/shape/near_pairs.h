// Which of many boxes overlap, where boxes move little from call to call. The boxes are made fatter, and the
// pairs whose fat boxes overlap are kept as long as every box stays in its own: until then a call looks at these alone.
#ifndef TS_SHAPE_NEAR_PAIRS_H
#define TS_SHAPE_NEAR_PAIRS_H

#include "shape/broad_phase.h"

typedef struct ts_near_pairs ts_near_pairs;

// As for a broad phase.
ts_near_pairs *ts_near_pairs_create(int capacity, const ts_allocator *allocator);
void ts_near_pairs_destroy(ts_near_pairs *near); // accepts NULL

// The very pairs that ts_broad_phase_find() finds. `way` is how far each box is likely to get until the next call; it
// decides on the cost alone.
bool ts_near_pairs_find(ts_near_pairs *near, const ts_bounds *boxes, const double *way, const bool *moves, int count,
                        const ts_box_pair **pairs, int *pair_count);

// For callers that know of a box that it is in its fat box without working it out: the fat boxes that the last call
// left, or NULL where they are not of `count` boxes; and the pairs whose fat boxes overlap, in the order of
// ts_broad_phase_find(). While every box is in its fat box, and what moves is the same, pairs that overlap are among
// these.
const ts_bounds *ts_near_pairs_fat_boxes(const ts_near_pairs *near, int count);
const ts_box_pair *ts_near_pairs_kept(const ts_near_pairs *near, int *pair_count);

#endif
