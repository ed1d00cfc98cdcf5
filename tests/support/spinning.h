// Random mechanisms in motion: tops, gyroscopes, chains and trees that nothing holds, all joints obeyed at the start.
#ifndef TS_TESTS_SPINNING_H
#define TS_TESTS_SPINNING_H

#include "world.h"

typedef enum spinning_kind {
  SPINNING_TOP,
  SPINNING_GYROSCOPE,
  SPINNING_CHAIN,
  SPINNING_TREE,
  SPINNING_KINDS
} spinning_kind;
extern const char *const spinning_names[SPINNING_KINDS];

// Bodies, joints and rates by the seed, rates of joints between `slow` and `fast` [rad/s] (those that slide: a tenth of
// that [m/s]). The options of the world are those of world_init(); change them between the two calls.
void spinning_build(world *w, spinning_kind kind, uint64_t seed);
void spinning_start(world *w, uint64_t seed, double slow, double fast);

#endif
