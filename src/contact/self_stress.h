// Impulses that push bodies against each other and move nothing.
#ifndef TS_CONTACT_SELF_STRESS_H
#define TS_CONTACT_SELF_STRESS_H

#include "contact/contact_set.h"

// Least change of the impulses of a set from `target` (4 numbers a contact, as in ts_contact.impulse) that brings the
// same wrenches on all dynamic bodies as the impulses in the set: what is left out is self-stress, which no motion
// depends on. The result replaces the impulses in the set. Scratch from the arena.
void ts_contact_set_unstress(ts_contact_set *set, const ts_model *model, const double *target, ts_arena *arena);

#endif
