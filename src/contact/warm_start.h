// Impulses remembered from one step to the next: contacts are found again by their parts and feature.
#ifndef TS_CONTACT_WARM_START_H
#define TS_CONTACT_WARM_START_H

#include "contact/system.h"

// A contact impulse over the length of its step, in the world, so that it can be taken over into a frame that has
// turned a little and into a step of another length.
typedef struct ts_remembered_force {
  double normal;   // [N]; of a joint row [N, N m]
  ts_vec3 tangent; // [N]; of a joint row only x
  double spin;     // [N m]
} ts_remembered_force;

// The forces of the last step and of the one before: what rests is pushed a little too much in one step and too little
// in the next, when errors of the order of the tolerance are put right. The mean of two steps has none of that.
typedef struct ts_remembered {
  uint64_t pair; // of parts, or of a joint; ascending in a list
  uint32_t feature;
  ts_remembered_force last, before; // equal where the contact is new
} ts_remembered;

// `pair` of a row of a joint: behind those of all parts.
static inline uint64_t ts_joint_key(int joint)
{
  return UINT64_C(1) << 63 | (uint64_t)(uint32_t)joint;
}

typedef struct ts_warm_start {
  int count;
  ts_remembered *entries;
  double futile; // velocity error of the worst contact that sweeps were seen not to improve [m/s]; 0: none was
} ts_warm_start;

// Remember the impulses r of a step of length h, beside those of `old`, the memory that it began with. Memory from the
// arena.
ts_warm_start ts_remember(const ts_warm_start *old, const ts_system *system, const ts_contact_set *contacts,
                          const ts_bounded_row *bounded, const double *r, double h, ts_arena *arena);

// Write a starting point for r. False when nothing in it comes from the memory.
bool ts_recall(const ts_warm_start *memory, const ts_system *system, const ts_contact_set *contacts,
               const ts_bounded_row *bounded, double h, double *r);

// Change of the forces at the blocks of `system` between the last two steps over their size, in sums of absolute
// values. It bounds the error of the mean of the two where nothing else has changed. Held normals of motors are data,
// not forces, and do not count.
double ts_remembered_change(const ts_warm_start *memory, const ts_system *system, const ts_contact_set *contacts,
                            const ts_bounded_row *bounded);

#endif
