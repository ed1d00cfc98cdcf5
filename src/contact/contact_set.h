// The contacts of a configuration: broad phase, contact points of each pair of parts, and a frame (n, t, o) at each.
#ifndef TS_CONTACT_CONTACT_SET_H
#define TS_CONTACT_CONTACT_SET_H

#include "touchstone/sim.h"

#include "contact/pair_touches.h"
#include "dynamics/state.h"
#include "shape/manifold.h"
#include "shape/near_pairs.h"

// The same whichever part comes first; sets are ordered by it.
TS_INLINE uint64_t ts_part_pair_key(ts_part_pair pair)
{
  const uint32_t first = (uint32_t)pair.first, second = (uint32_t)pair.second;
  return first < second ? (uint64_t)first << 32 | second : (uint64_t)second << 32 | first;
}

typedef struct ts_contact_set {
  int count, capacity;
  const ts_companions *companions; // of the parts; NULL: not known
  ts_contact *contacts;            // ordered by pair of parts; those of a pair as ts_convex_touches() gives them
  const ts_contact_law **laws;     // of each contact; valid as long as the model
  ts_part_pair *parts;             // of each contact, as indices into the model's convex parts
  int *before;                     // of a contact of compounds: the one before it between the same bodies, or -1
  ts_part_pair
      *instead; // while contacts are found: the pair whose surface covers this one's, or -1; NULL: no companions
} ts_contact_set;

// Contact `from` takes place `to`, for sets that lose some of theirs.
static inline void ts_contact_set_move(ts_contact_set *set, int from, int to)
{
  if (from == to) return;
  set->contacts[to] = set->contacts[from];
  set->laws[to] = set->laws[from];
  set->parts[to] = set->parts[from];
}

// A part that is a ball about the centre of mass of a dynamic body: where it is, is known without its box.
typedef struct ts_ball {
  int part, body;
  double radius, pull;
  double weight[2][4]; // of the components of a twist in a bound on how fast its points are; see contact_set.c
} ts_ball;

// What finding contacts keeps between steps. Arrays belong to the memory that made them.
typedef struct ts_finder {
  const ts_model *model;
  ts_near_pairs *near_pairs;
  ts_frame *frames;  // in the world, of the parts that are not where their body is (part_count)
  ts_bounds *bounds; // of the parts, with their margins (part_count)
  double *margins;   // how far a part may get in a step (part_count)
  double *ways;      // how far it is likely to get (part_count)
  double *swings;    // farthest point of a part from its body's centre of mass (part_count)
  double *pulls;     // gravity of a part's body (part_count)
  bool *moves;       // the part's body is dynamic (part_count)
  int64_t *placed;   // call that placed a part last; of one that never moves, placed once, INT64_MAX (part_count)
  int64_t call;      // number of the present one
  ts_ball *balls;    // (ball_count)
  int *others;       // parts that are no balls and do not stay where they are for ever (other_count)
  int ball_count, other_count;
  double thinnest;       // inner radii of the two thinnest parts that can meet, together
  int most_contacts;     // that the model can have; INT_MAX: not known
  double touching;       // margin beside that of motion, of the size and place of a part; 0 at first
  bool arms_to_surfaces; // of bodies that overlap: arms end at each one's surface instead of midway; false at first
  int *last;             // contact found last with this body as the second of a pair of compounds (body_count)
  ts_companions companions;
  // How parts that pass each other go on (contact/passing.h):
  const ts_twist *heading; // their twists, or NULL: those that contacts are looked for with (body_count)
  bool arrived;            // kinematic bodies stand where they will be
  ts_outlook outlook;      // at most; no bounds at first
} ts_finder;

// Arrays from `memory` (recovery point set by the caller). False when the broad phase runs out of memory. Release with
// ts_finder_release().
bool ts_finder_init(ts_finder *finder, const ts_model *model, ts_arena *memory);
void ts_finder_release(ts_finder *finder);

// All contacts whose gap is at most what the two bodies can travel in a step of length h at the velocities given (twice
// that, for impulses may change them), or `margin` where that is positive; and those that touch, where the finder is
// asked for them (`touching`). Body_1 of a contact is dynamic. Parts of one
// body that share a corner, as those of a cut polygon do, report it once: contacts of the same bodies and law within
// 1e-8 of the smaller part's size whose normals differ by at most 1e-6 are one. What companions cover (companions.h) is
// no contact, and parts that pass each other get the touches of where they will be (passing.h). Memory from the arena.
// False when the broad phase runs out of memory.
bool ts_find_contacts(ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity, double h,
                      double margin, ts_arena *arena, ts_contact_set *set);

// Whether no part of a dynamic body gets farther in time h than contacts were looked for in the last call of
// ts_find_contacts(), nor so far that it could pass through another. May say no where ts_look_ahead(), which takes
// longer, says that all is covered. `all` as there.
bool ts_is_in_sight(const ts_finder *finder, const ts_twist *velocity, double h, bool all);

// How far parts of dynamic bodies get at most in time h at other velocities than those that contacts were found with.
typedef struct ts_travel {
  double way;   // the farthest of them, or more, up to sqrt(3) times as much [m]
  bool covered; // everything that they can come to touch was looked at by the last call of ts_find_contacts()
} ts_travel;
// `all`: also parts without any other near them may have other velocities.
ts_travel ts_look_ahead(const ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity, double h,
                        bool all);

#endif
