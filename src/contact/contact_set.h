// The contacts of a configuration: contact points of candidates, and a frame (n, t, o) at each.
#ifndef TS_CONTACT_CONTACT_SET_H
#define TS_CONTACT_CONTACT_SET_H

#include "contact/candidates.h"

#include "shape/manifold.h"

typedef struct ts_contact_set {
  int count, capacity;
  const ts_companions *companions; // of the parts; NULL: not known
  ts_contact *contacts;            // ordered by pair of parts; those of a pair as ts_convex_touches() gives them
  const ts_contact_law **laws;     // of each contact; valid as long as the model
  ts_part_pair *parts;             // of each contact, as indices into the model's convex parts
  int *before;                     // of a contact of compounds: the one before it between the same bodies, or -1
  int *alternative; // of each contact: -1, or, of a pair that may be apart along several directions, which
                    // it is of (ts_alternative_make()); NULL: nobody has asked for alternatives
  ts_part_pair
      *instead; // while contacts are found: the pair whose surface covers this one's, or -1; NULL: no companions
} ts_contact_set;

// How many of them touch: supports of a 2.5D world are told with them.
static inline int ts_contact_set_touching(const ts_contact_set *set)
{
  int count = 0;
  for (int i = 0; i < set->count; ++i) count += !set->contacts[i].support;
  return count;
}

// Contact `from` takes place `to`, for sets that lose some of theirs.
static inline void ts_contact_set_move(ts_contact_set *set, int from, int to)
{
  if (from == to) return;
  set->contacts[to] = set->contacts[from];
  set->laws[to] = set->laws[from];
  set->parts[to] = set->parts[from];
  if (set->alternative) set->alternative[to] = set->alternative[from];
}

// Whether contact i is one along one of several directions: then its gap may be negative and the parts apart.
static inline bool ts_contact_is_alternative(const ts_contact_set *set, int i)
{
  return set->alternative && set->alternative[i] >= 0;
}

// The direction that the tangent t of a contact with normal n lies along, as far as n lets it. In space.
ts_vec3 ts_tangent_wish(const ts_contact_law *law, ts_vec3 n);

// All contacts whose gap is at most what the two bodies can travel in a step of length h at the velocities given (twice
// that, for impulses may change them), or `margin` where that is positive; and those that touch, where the finder is
// asked for them (`touching`). Body_1 of a contact is dynamic. Parts of one body that share a corner, as those of a cut
// polygon do, report it once: contacts of the same bodies and law within 1e-8 of the smaller part's size whose normals
// differ by at most 1e-6 are one. What companions cover (companions.h) is no contact, and parts that pass each other
// get the touches of where they will be (passing.h). Memory from the arena. False when the broad phase runs out of
// memory.
bool ts_find_contacts_on(ts_finder *finder, const ts_course *course, ts_arena *arena, ts_contact_set *set);

// Another contact of the parts of contact i, with the point and arms of `touch`; it comes behind those of the pair that
// follow i. Memory from the arena.
void ts_contact_set_add(ts_contact_set *set, int i, const ts_finder *finder, const ts_kinematics *kinematics,
                        const ts_touch *touch, ts_arena *arena);

// The same on a course that has no more to say.
static inline bool ts_find_contacts(ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity,
                                    double h, double margin, ts_arena *arena, ts_contact_set *set)
{
  const ts_course course = {.kinematics = kinematics, .velocity = velocity, .h = h, .margin = margin};
  return ts_find_contacts_on(finder, &course, arena, set);
}

#endif
