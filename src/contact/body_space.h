// The mass matrix and the contact directions behind W = H^T M^-1 H, for solvers that factor in the space of bodies.
#ifndef TS_CONTACT_BODY_SPACE_H
#define TS_CONTACT_BODY_SPACE_H

#include "contact/system.h"

// Find the bodies of a system, which its problem may point to, where W is of this form (no joints, no rows held apart)
// and there are enough contacts that a solver may use them; else false. In the arena.
bool ts_body_space_find(const ts_system *system, ts_arena *arena, ts_bodies *bodies);

#endif
