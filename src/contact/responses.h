// What the rows of a system's blocks do to their bodies.
#ifndef TS_CONTACT_RESPONSES_H
#define TS_CONTACT_RESPONSES_H

#include "contact/system.h"

// system->response from its jacobians: M^-1 of each body for itself, less what rows that hold it for itself take. Zero
// on bodies whose coordinates are those of a tree.
void ts_system_respond(ts_system *system);

#endif
