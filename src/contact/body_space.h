// The mass matrix and the contact directions behind W = H^T M^-1 H, for solvers that factor in the space of bodies.
#ifndef TS_CONTACT_BODY_SPACE_H
#define TS_CONTACT_BODY_SPACE_H

#include "contact/system.h"

// Set system->bodies and let the problem point to them, where W is of this form (no joints, no rows held apart) and
// there are enough contacts that a solver may use it.
void ts_body_space_give(ts_system *system, ts_arena *arena);

#endif
