// Islands of a step's blocks: blocks of different islands act on no common body, neither directly nor through joints.
#ifndef TS_CONTACT_SYSTEM_ISLANDS_H
#define TS_CONTACT_SYSTEM_ISLANDS_H

#include "contact/system.h"

#include "complementarity/friction/islands.h"

// Copy the blocks of island k of `islands` (those of system->problem) into `island`. `origin` of the copy holds their
// numbers in `system`. W and q of the copy may be changed. Lives in the arena.
void ts_system_island(const ts_system *system, const ts_islands *islands, int k, ts_arena *arena, ts_system *island);

#endif
