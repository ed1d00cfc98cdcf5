// Contacts that act on each other, directly or through others: an island. Islands share no body that moves, so that
// each is a friction problem by itself.
#ifndef TS_COMPLEMENTARITY_FRICTION_ISLANDS_H
#define TS_COMPLEMENTARITY_FRICTION_ISLANDS_H

#include "touchstone/problem.h"

#include "base/arena.h"

// Members of the islands: those of island k are member[start[k]] to member[start[k+1]-1], ascending.
typedef struct ts_island_members {
  const int *start, *member;
  const int *number; // of each of them in its island; -1: in none
} ts_island_members;

typedef struct ts_islands {
  int count; // numbered in the order of their first contacts
  ts_island_members contacts;
  ts_island_members rows; // of the bodies' mass matrix; not set for a problem without bodies
} ts_islands;

// The islands of a problem without bilateral rows: the connected components of contacts and bodies, by the pattern of W
// and, where they are given, by those of H and M. Linear in the entries of these but for a factor that does not grow in
// practice. Where there is one island only its number is set. Lives in the arena.
void ts_islands_find(const ts_friction *problem, ts_arena *arena, ts_islands *islands);

// The problem of island k: a copy in the arena, `bodies` being the room for its bodies.
ts_friction ts_island_problem(const ts_friction *problem, const ts_islands *islands, int k, ts_bodies *bodies,
                              ts_arena *arena);

#endif
