// Deflections of contacts that are springs (compliant), from step to step.
#ifndef TS_STEP_ELASTIC_MEMORY_H
#define TS_STEP_ELASTIC_MEMORY_H

#include "contact/contact_set.h"

// A contact point, found again by its parts and feature.
typedef struct ts_pressed {
  uint64_t pair; // of parts; ascending in a list
  uint32_t feature;
  double normal;   // deflection along the normal, >= 0 [m]
  ts_vec3 tangent; // way of body_1 from where its spring along the surface is at rest (world) [m]
  double pace;     // speed that springs of this contact are resolved for [m/s]
} ts_pressed;

typedef struct ts_elastic_memory {
  int count;
  ts_pressed *entries;
  double energy; // of all [J]
  double taken;  // by how much the last part has changed that [J]
  double part;   // length that the next part of a step may have, by the errors of the last one [s]; 0: any
} ts_elastic_memory;

// The energy of a contact with this law [J].
double ts_elastic_energy(const ts_contact_law *law, double normal, ts_vec3 tangent);

// The entries of a pair: [*first, end). `*first` is where to look from; entries before belong to pairs that have
// passed.
int ts_elastic_of_pair(const ts_elastic_memory *memory, uint64_t pair, int *first);

// The entry of a feature among [first, end), or NULL.
const ts_pressed *ts_elastic_find(const ts_elastic_memory *memory, int first, int end, uint32_t feature);

// A copy in another arena.
ts_elastic_memory ts_elastic_copy(const ts_elastic_memory *memory, ts_arena *arena);

// Where bodies stand: all overlap of the contacts given is deflection along the normal.
ts_elastic_memory ts_elastic_press_in(const ts_contact_set *contacts, ts_arena *arena);

#endif
