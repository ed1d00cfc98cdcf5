// W of few blocks. Those that follow each other on the same bodies, as the contacts of two boxes do, are a run, and are
// coupled with others alike: runs are compared each with each, and nothing has to be sorted by bodies.
#ifndef TS_CONTACT_RUN_COMPLIANCE_H
#define TS_CONTACT_RUN_COMPLIANCE_H

#include "contact/system.h"

// Few blocks, and no row or coordinate that joins bodies.
bool ts_run_compliance_applies(const ts_system *system);

// Pattern and values of problem.W from Jacobians and responses. Memory from the arena.
void ts_run_compliance_assemble(ts_system *system, ts_arena *arena);

#endif
