// W = J M^-1 J^T of the blocks of a system, coupling of bodies included.
#ifndef TS_CONTACT_COMPLIANCE_H
#define TS_CONTACT_COMPLIANCE_H

#include "contact/system.h"

// From blocks and Jacobians: responses, and pattern and values of problem.W. Memory from the arena.
void ts_compliance_assemble(ts_system *system, ts_arena *arena);

#endif
