// Which of many boxes overlap. Cost n log n plus the number of pairs, whatever the arrangement of boxes of similar
// size.
#ifndef TS_SHAPE_BROAD_PHASE_H
#define TS_SHAPE_BROAD_PHASE_H

#include "shape/convex.h"

#include "base/hot.h"

// Arrays that have grown to their size; nothing else is kept from call to call.
typedef struct ts_broad_phase ts_broad_phase;

// No short cuts: six comparisons cost less than one branch that is guessed wrong.
TS_INLINE bool ts_bounds_overlap(const ts_bounds *a, const ts_bounds *b)
{
  return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
         (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

TS_INLINE bool ts_bounds_are_proper(const ts_bounds *a)
{
  return (a->low.x <= a->high.x) & (a->low.y <= a->high.y) & (a->low.z <= a->high.z);
}

typedef struct ts_box_pair {
  int first, second; // first < second
} ts_box_pair;

// Memory from the allocator (as in ts_arena_init()); NULL when it runs out.
ts_broad_phase *ts_broad_phase_create(int capacity, const ts_allocator *allocator);
void ts_broad_phase_destroy(ts_broad_phase *broad_phase); // accepts NULL

// All pairs of overlapping boxes (closed boxes: touching counts), ordered by first, then second; pairs of which neither
// `moves` are left out. Boxes may be infinite in any direction; each of those costs a pass over all the others. A box
// with a NaN in it, or with low > high, overlaps nothing. The result depends on the arguments alone, never on earlier
// calls. The view is valid until the next call. Grows its memory when there are more boxes or pairs than ever before;
// false when that fails.
bool ts_broad_phase_find(ts_broad_phase *broad_phase, const ts_bounds *boxes, const bool *moves, int count,
                         const ts_box_pair **pairs, int *pair_count);

#endif
