// The touches of two parts as a step wants them: what companions cover is marked (companions.h), and parts that pass
// each other get the touches of where they will be (passing.h).
#ifndef TS_CONTACT_PAIR_TOUCHES_H
#define TS_CONTACT_PAIR_TOUCHES_H

#include "contact/companions.h"
#include "contact/passing.h"

#include "shape/own_shape.h"

typedef struct ts_touch_buffer {
  ts_touch *touches;
  ts_part_pair *instead; // of each touch, the pair of parts whose surface covers it, or -1; NULL: nothing is covered
  int capacity, count;
} ts_touch_buffer;

// What is kept from pair to pair.
typedef struct ts_pair_finder {
  const ts_model *model;
  const ts_companions *companions;
  ts_arena *arena;
  ts_touch_buffer now, ahead; // `ahead` has memory once it is needed
} ts_pair_finder;

// Two parts that may touch, a of a dynamic body.
typedef struct ts_couple {
  int a, b;
  ts_mover movers[2]; // a's and b's
  double margin;      // touches with larger gaps are left out [m]
  ts_outlook outlook;
} ts_couple;

void ts_pair_finder_init(ts_pair_finder *finder, const ts_model *model, const ts_companions *companions,
                         ts_arena *arena);

// Whether two parts touch as they are: nothing can cover them, and there is one direction only that they can be apart
// along, so that they cannot pass each other.
TS_INLINE bool ts_pair_is_plain(const ts_companions *companions, const ts_convex *a, const ts_convex *b)
{
  return companions->count == 0 &&
         (b->kind == TS_SHAPE_PLANE || (a->kind == TS_SHAPE_SPHERE && b->kind == TS_SHAPE_SPHERE));
}

// The touches of such parts, and of others. The buffer is valid until the next call.
const ts_touch_buffer *ts_plain_touches(ts_pair_finder *finder, const ts_convex *a, const ts_frame *frame_a,
                                        const ts_convex *b, const ts_frame *frame_b, double margin);
const ts_touch_buffer *ts_pair_touches(ts_pair_finder *finder, const ts_couple *couple);

// Leave to the arena's recovery point with a sentence about the answer of a shape of an extension.
_Noreturn void ts_refuse_answer(ts_query_fault fault, const ts_convex *a, const ts_convex *b, ts_arena *arena);

#endif
