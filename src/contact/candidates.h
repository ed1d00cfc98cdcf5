// Candidates for contact: pairs of parts that may touch within a step. Where they touch, if they do, is another
// question (contact/contact_set.h), which not every stepper asks.
#ifndef TS_CONTACT_CANDIDATES_H
#define TS_CONTACT_CANDIDATES_H

#include "touchstone/sim.h"

#include "base/team.h"
#include "contact/pair_touches.h"
#include "dynamics/state.h"
#include "shape/near_pairs.h"

// The same whichever part comes first; sets are ordered by it.
TS_INLINE uint64_t ts_part_pair_key(ts_part_pair pair)
{
  const uint32_t first = (uint32_t)pair.first, second = (uint32_t)pair.second;
  return first < second ? (uint64_t)first << 32 | second : (uint64_t)second << 32 | first;
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
  bool has_compounds;    // bodies of several parts
  bool may_roll_far;     // some part has a nearest point that may move far in a small turn (step/look_again.h)
  bool may_share;        // no part is a shape of an extension, which must not be asked by other threads
  ts_team *team;         // that candidates are shared among; NULL at first
  ts_companions companions;
  // How far ahead parts that pass each other are looked at (contact/passing.h), at most; no bounds at first:
  ts_outlook outlook;
} ts_finder;

// Arrays from `memory` (recovery point set by the caller). False when the broad phase runs out of memory. Release with
// ts_finder_release(). Of a finder `like` it, of nearly the same model (or NULL), what takes long is copied.
bool ts_finder_init(ts_finder *finder, const ts_model *model, const ts_finder *like, ts_arena *memory);
void ts_finder_release(ts_finder *finder);

// What parts move by.
typedef struct ts_course {
  const ts_kinematics *kinematics;
  const ts_twist *velocity; // (body_count)
  double h, margin;         // [s]; how far apart a pair may be where that is positive, else as far as it gets [m]
  const ts_twist *heading;  // of parts that pass each other (contact/passing.h), or NULL: the velocity (body_count)
  bool arrived;             // kinematic bodies stand where they will be
  bool uncovered;           // companions (contact/companions.h) cover nothing
  bool alternatives;        // parts that may be apart along several directions have contacts along each
  bool nearest_alone;       // nearly flat surfaces have no points that a turn leads to (shape/turned_points.h)
} ts_course;

// Two parts that may touch. Where they are is ts_part_frame(), how far apart they may be margins[part_1] +
// margins[part_2] of the finder.
typedef struct ts_candidate {
  int part_1, part_2;        // convex parts of the model; the first is of a dynamic body
  bool exchanged;            // part_2 comes first in the model: candidates are ordered by that, then by the other part
  const ts_contact_law *law; // valid as long as the model
} ts_candidate;

// Pairs that may be candidates, to be gone through once with ts_next_candidate().
typedef struct ts_candidates {
  ts_finder *finder;
  const ts_course *course;
  const ts_box_pair *pairs; // (count)
  int next, count;
  bool overlap; // their boxes do for sure; else it is known only of the rooms that boxes had in an earlier call
} ts_candidates;

// Where a part is in the world: most are where their body is.
TS_INLINE const ts_frame *ts_part_frame(const ts_finder *finder, const ts_kinematics *kinematics, int part)
{
  const ts_part *p = &finder->model->parts[part];
  return p->at_centre ? &kinematics->frame[p->body] : &finder->frames[part];
}

// Pairs of parts with a law whose boxes overlap, each grown by what its body can travel in a step (twice that, for
// impulses may change it), or by half of the margin. Valid until the next call; borrows finder and course. False when
// the broad phase runs out of memory.
bool ts_find_candidates(ts_finder *finder, const ts_course *course, ts_candidates *candidates);

// Place all parts that are in pairs now, shared among the team, so that ts_next_candidate() writes nothing but
// `candidates` any more. `list` is scratch (part_count).
void ts_place_candidates(ts_candidates *candidates, int *list);

// For ts_next_candidate(): place and box of a part that stayed in its room, so that nobody has asked for them yet.
void ts_place_part(ts_finder *finder, const ts_course *course, int part);

TS_INLINE bool ts_boxes_overlap(const ts_candidates *candidates, ts_box_pair pair)
{
  ts_finder *finder = candidates->finder;
  if (finder->placed[pair.first] < finder->call) ts_place_part(finder, candidates->course, pair.first);
  if (finder->placed[pair.second] < finder->call) ts_place_part(finder, candidates->course, pair.second);
  const ts_bounds *first = &finder->bounds[pair.first], *second = &finder->bounds[pair.second];
  return ts_bounds_overlap(first, second) && ts_bounds_are_proper(first) && ts_bounds_are_proper(second);
}

// False: there are no more. The moving part comes first: then impulses of a body on the floor are impulses on the body.
// One by one and inline: to write a list and read it again takes a hundredth of a step with one contact.
TS_INLINE bool ts_next_candidate(ts_candidates *candidates, ts_candidate *candidate)
{
  const ts_finder *finder = candidates->finder;
  while (candidates->next < candidates->count) {
    const ts_box_pair pair = candidates->pairs[candidates->next++];
    if (!candidates->overlap && !ts_boxes_overlap(candidates, pair)) continue;
    const ts_contact_law *law = ts_model_law(finder->model, pair.first, pair.second);
    if (!law) continue;
    const bool exchanged = !finder->moves[pair.first];
    *candidate = (ts_candidate){.part_1 = exchanged ? pair.second : pair.first,
                                .part_2 = exchanged ? pair.first : pair.second,
                                .exchanged = exchanged,
                                .law = law};
    return true;
  }
  return false;
}

// Whether no part of a dynamic body gets farther in time h than contacts were looked for in the last call of
// ts_find_candidates(), nor so far that it could pass through another. May say no where ts_look_ahead(), which takes
// longer, says that all is covered. `all` as there.
bool ts_is_in_sight(const ts_finder *finder, const ts_twist *velocity, double h, bool all);

// How far parts of dynamic bodies get at most in time h at other velocities than those that contacts were found with.
typedef struct ts_travel {
  double way;   // the farthest of them, or more, up to sqrt(3) times as much [m]
  bool covered; // everything that they can come to touch was looked at by the last call of ts_find_candidates()
} ts_travel;
// `all`: also parts without any other near them may have other velocities.
ts_travel ts_look_ahead(const ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity, double h,
                        bool all);

#endif
