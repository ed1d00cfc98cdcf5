// The contacts of a step that was taken in parts.
#ifndef TS_CONTACT_CONTACT_SUM_H
#define TS_CONTACT_CONTACT_SUM_H

#include "contact/contact_set.h"

// The contacts of consecutive parts as one set, ordered by pair of parts. A contact of both, found again by its parts
// and feature, is as in `later` with the sum of the impulses, as a vector in the world, and the gap of `earlier`; the
// sum acts at the mean of the two points weighted by normal impulses, so that moments add up as well where the impulse
// keeps its direction. One that is only in `earlier` has let go: it keeps its impulse, and is separate. `velocity` are
// the twists at the end of the later part. Memory from the arena.
ts_contact_set ts_contact_sum(const ts_contact_set *earlier, const ts_contact_set *later, const ts_twist *velocity,
                              ts_arena *arena);

#endif
