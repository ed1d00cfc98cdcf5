// Whether impulses of contacts lie in their friction cones.
#ifndef TS_CONTACT_CONE_CHECK_H
#define TS_CONTACT_CONE_CHECK_H

#include "contact/contact_set.h"

double ts_contact_way_out_of_cone(const ts_contact *contact, const ts_contact_law *law);

// By how much the impulse of a contact is outside its cone: friction beyond mu p_n, measured by the ellipsoid's
// semi-axes, or a pull [N s]; 0 inside, but for round-off. That most are inside an ellipsoid of semi-axes of 1 and more
// shows at once.
TS_INLINE double ts_contact_cone_violation(const ts_contact *contact, const ts_contact_law *law)
{
  const double *p = contact->impulse, most = contact->friction * p[0];
  if ((p[0] >= 0.0) & (p[3] == 0.0) & (law->ellipsoid.x >= 1.0) & (law->ellipsoid.y >= 1.0) &
      (p[1] * p[1] + p[2] * p[2] <= (1.0 + 1e-13) * most * most))
    return 0.0;
  return ts_contact_way_out_of_cone(contact, law);
}

// The same impulse with no more friction than its cone allows, and no pull.
void ts_contact_enter_cone(ts_contact *contact, const ts_contact_law *law);

// Least change of the impulses of a set from `target` (4 numbers a contact, as in ts_contact.impulse) that brings the
// same wrenches on all dynamic bodies as the impulses in the set: what is left out is self-stress, which no motion
// depends on. The result replaces the impulses in the set. Scratch from the arena.
void ts_contact_set_unstress(ts_contact_set *set, const ts_model *model, const double *target, ts_arena *arena);

#endif
