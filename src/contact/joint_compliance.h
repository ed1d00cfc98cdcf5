// What joints make of W: what they take from the compliance of bodies that are alone, or, in coordinates of joints, all
// of it. Groups of joined bodies have nothing to do with each other, so that each adds its own part, and the cost is
// that of the blocks that W has.
#ifndef TS_CONTACT_JOINT_COMPLIANCE_H
#define TS_CONTACT_JOINT_COMPLIANCE_H

#include "contact/system.h"

// Add it to W of the system's problem, where a mobility joins bodies. Scratch from the arena.
void ts_add_joint_compliance(ts_system *system, ts_arena *arena);

#endif
