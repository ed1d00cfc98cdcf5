// The touches of two parts as a step wants them: what companions cover is marked (companions.h), and parts that pass
// each other get the touches of where they will be (passing.h).
#ifndef TS_CONTACT_PAIR_TOUCHES_H
#define TS_CONTACT_PAIR_TOUCHES_H

#include "contact/companions.h"
#include "contact/passing.h"

typedef struct ts_touch_room {
  ts_touch *touches;
  ts_part_pair *instead; // of each touch, the pair of parts whose surface covers it, or -1; NULL: nothing is covered
  int capacity, count;
} ts_touch_room;

// What is kept from pair to pair.
typedef struct ts_pair_finder {
  const ts_model *model;
  const ts_companions *companions;
  ts_arena *arena;
  ts_touch_room now, ahead; // `ahead` has room once it is needed
} ts_pair_finder;

// Two parts that may touch, a of a dynamic body.
typedef struct ts_couple {
  int a, b;
  ts_mover movers[2]; // a's and b's
  double margin;      // touches with larger gaps are left out [m]
  ts_outlook outlook;
} ts_couple;

ts_pair_finder ts_pair_finder_make(const ts_model *model, const ts_companions *companions, ts_arena *arena);

// The room is valid until the next call.
const ts_touch_room *ts_pair_touches(ts_pair_finder *finder, const ts_couple *couple);

#endif
