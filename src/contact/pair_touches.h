// The touches of two parts as a step wants them: what companions cover is marked (companions.h), and parts that pass
// each other get the touches of where they will be (passing.h).
#ifndef TS_CONTACT_PAIR_TOUCHES_H
#define TS_CONTACT_PAIR_TOUCHES_H

#include "contact/companions.h"
#include "contact/passing.h"

#include "shape/directions.h"
#include "shape/own_shape.h"

typedef struct ts_touch_buffer {
  ts_touch *touches;
  ts_part_pair *instead; // of each touch, the pair of parts whose surface covers it, or -1; NULL: nothing is covered
  // Of each touch, the direction of several that the parts may be apart along that it is of, made by
  // ts_alternative_make(); NULL: there is one direction, and all touches count.
  int *alternative;
  int capacity, count;
} ts_touch_buffer;

// Touches along several directions, from pair to pair. Without memory at first.
typedef struct ts_alternative_list {
  ts_direction *directions;
  int capacity;
  ts_touch_buffer touches;
} ts_alternative_list;

// What is kept from pair to pair.
typedef struct ts_pair_finder {
  const ts_model *model;
  const ts_companions *companions;
  ts_arena *arena;
  ts_touch_buffer now, ahead; // `ahead` has memory once it is needed
  ts_alternative_list alternatives;
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

// Where the parts may be apart along several directions within the step (shape/directions.h), and do not overlap: the
// touches of each, of which those of one direction count. NULL: ts_pair_touches() has it all.
const ts_touch_buffer *ts_pair_alternatives(ts_pair_finder *finder, const ts_couple *couple);

// The number of a direction, and whether the touch pushes nobody: that of a cut, of a face that a companion covers, or
// a mere witness. Parts that are apart along it are apart.
TS_INLINE int ts_alternative_make(int number, bool mute)
{
  return 2 * number + mute;
}
TS_INLINE int ts_alternative_number(int alternative)
{
  return alternative >> 1;
}
TS_INLINE bool ts_alternative_is_mute(int alternative)
{
  return alternative & 1;
}

// Leave to the arena's recovery point with a sentence about the answer of a shape of an extension.
_Noreturn void ts_refuse_answer(ts_query_fault fault, const ts_convex *a, const ts_convex *b, ts_arena *arena);

#endif
