// The bodies of a picture at its moments, and which of them are far away from all others.
#ifndef TS_DRAW_CROWD_H
#define TS_DRAW_CROWD_H

#include "draw/picture.h"

// A body at a moment.
typedef struct ts_crowd_member {
  int body, moment;
  bool fixed;
} ts_crowd_member;

typedef struct ts_crowd {
  ts_crowd_member *members;
  ts_scope *boxes; // of the members
  bool *counted;   // of the members: not so only fixed ones so large that all else is dwarfed
  bool *outside;   // of the members: far away from all that count
  int *member_of;  // of the picture's shapes: the member that it is a part of, or -1
  int count, outside_count;
} ts_crowd;

// Where memory runs out, nobody is in it.
void ts_crowd_init(ts_crowd *crowd, const ts_picture *picture, ts_heap *heap);
void ts_crowd_destroy(ts_crowd *crowd);

bool ts_crowd_is_outside(const ts_crowd *crowd, int body, int moment);
// What those fill that count and are not far away.
ts_scope ts_crowd_scope(const ts_crowd *crowd);

#endif
