// Whether impulses of contacts lie in their friction cones.
#ifndef TS_CONTACT_CONE_CHECK_H
#define TS_CONTACT_CONE_CHECK_H

#include "contact/contact_set.h"

// By how much the impulse of a contact is outside its cone: friction beyond mu p_n, measured by the ellipsoid's
// semi-axes, or a pull [N s]; 0 inside.
TS_INLINE double ts_contact_cone_violation(const ts_contact *contact, const ts_contact_law *law)
{
  const double *p = contact->impulse, spin = law->ellipsoid.z > 0.0 ? p[3] / law->ellipsoid.z : 0.0;
  const double t = p[1] / law->ellipsoid.x, o = p[2] / law->ellipsoid.y, most = contact->friction * fmax(0.0, p[0]);
  const double used = t * t + o * o + spin * spin, pull = fmax(0.0, -p[0]);
  return used > most * most ? fmax(pull, sqrt(used) - most) : pull;
}

// The same impulse with no more friction than its cone allows, and no pull.
void ts_contact_enter_cone(ts_contact *contact, const ts_contact_law *law);

// Least change of the impulses of a set from `target` (4 numbers a contact, as in ts_contact.impulse) that brings the
// same wrenches on all dynamic bodies as the impulses in the set: what is left out is self-stress, which no motion
// depends on. The result replaces the impulses in the set. Scratch from the arena.
void ts_contact_set_unstress(ts_contact_set *set, const ts_model *model, const double *target, ts_arena *arena);

#endif
