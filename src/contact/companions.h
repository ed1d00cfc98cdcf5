// Parts that stand against each other for ever: those of one body, and those of fixed bodies, where they touch or
// overlap. To what slides over them they are one solid, whose inner edges and faces do not exist.
//
// A touch of b at p with normal n belongs to the union of b and its companions where n is a normal of the union there.
// The normals of a union are those common to all parts that hold the point: n is one of c's at q when no point of c is
// further along n than q. Of what b offers along n, its vertex, edge or face F, every point near p must be looked at:
// at the foot of a wall the floor's normal is none of the wall's, but the floor goes on to the other side. The touch is
// covered when all of F near p lies in companions whose normal n is not.
#ifndef TS_CONTACT_COMPANIONS_H
#define TS_CONTACT_COMPANIONS_H

#include "model/model.h"

typedef struct ts_part_pair {
  int first, second; // first belongs to body_1
} ts_part_pair;

typedef struct ts_companion {
  int part;
  ts_frame frame; // in the frame of the part whose companion it is
  double size;    // of the smaller of the two
} ts_companion;

typedef struct ts_companions {
  int count;
  const int *start; // of each part, into list (part_count+1); NULL where count is 0
  ts_companion *list;
} ts_companions;

// Companions are looked for in the configuration of time 0. Arrays from `memory` (recovery point set by the caller).
// False when the broad phase runs out of memory.
bool ts_companions_find(ts_companions *companions, const ts_model *model, ts_arena *memory);

// Take them over from another model where its parts stand together in the same way; false: they may not.
bool ts_companions_take(ts_companions *companions, const ts_model *model, const ts_companions *from,
                        const ts_model *of, ts_arena *memory);

static inline bool ts_companions_are_there(const ts_companions *companions, int part)
{
  return companions->count > 0 && companions->start[part] < companions->start[part + 1];
}

static inline bool ts_companions_are(const ts_companions *companions, int part, int other)
{
  if (!ts_companions_are_there(companions, part)) return false;
  for (int k = companions->start[part]; k < companions->start[part + 1]; ++k)
    if (companions->list[k].part == other) return true;
  return false;
}

// The companion of `part` that covers its touch with `partner` at `point` with the outward `normal`, both in the
// part's frame; -1: there is none. Companions that do not collide with the partner cover nothing.
int ts_companions_cover(const ts_companions *companions, const ts_model *model, int part, int partner, ts_vec3 point,
                        ts_vec3 normal);

#endif
