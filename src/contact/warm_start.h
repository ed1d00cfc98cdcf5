// Impulses remembered from one step to the next: contacts are found again by their parts and feature.
#ifndef TS_CONTACT_WARM_START_H
#define TS_CONTACT_WARM_START_H

#include "contact/system.h"

// An impulse in the world, so that it can be taken over into a frame that has turned a little.
typedef struct ts_remembered {
  uint64_t pair; // of parts, or of a joint; ascending in a list
  uint32_t feature;
  double normal;   // per unit of time: p/h, for steps of another length [N, N m]
  ts_vec3 tangent; // world [N]; x only for joint rows
  double spin;     // [N m]
} ts_remembered;

typedef struct ts_memory {
  int count;
  ts_remembered *entries;
} ts_memory;

// Remember the impulses r of a step of length h. Memory from the arena.
ts_memory ts_remember(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded,
                      const double *r, double h, ts_arena *arena);

// Write a starting point for r. False when nothing in it comes from the memory.
bool ts_recall(const ts_memory *memory, const ts_system *system, const ts_contact_set *contacts,
               const ts_bounded_row *bounded, double h, double *r);

#endif
