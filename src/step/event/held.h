// Motion with what is closed held closed, driven or stuck. Over a short part it is a step at the level of velocities:
//   q+ = q + h v,   M (v+ - v) = h f + J^T p + G l   at q+,   0 <= p_n _|_ J_n v+ >= 0,   friction,
// with the contacts and stops that are held; over a long one such parts extrapolated (math/extrapolation.h). Velocities
// obey what holds where they are taken, so that forces are those of the motion from the first part on.
#ifndef TS_STEP_EVENT_HELD_H
#define TS_STEP_EVENT_HELD_H

#include "step/stage.h"

// Contacts and stops are looked for as for a step of this length, or longer [s].
static const double TS_HELD_REACH = 1e-3;

// How far beyond its end ts_held_goes_on() looks [s].
static const double TS_HELD_PROBE = 1e-6;

// How a contact, a stop or a drive acts.
typedef struct ts_held_mode {
  bool pushes;            // of a contact or stop
  double apart;           // how fast it opens [m/s, rad/s]
  bool opens;             // or begins to
  ts_vec3 slip;           // in the world; of a drive x: how much too fast it is [m/s, rad/s]
  double spin;            // times the length that its friction goes with [m/s]
  bool slips;             // or begins to
  bool sticks;            // within its cone
  ts_vec3 normal, arm[2]; // of a contact, where it was seen last
} ts_held_mode;

// A contact, found again by its parts and feature.
typedef struct ts_held_contact {
  uint64_t pair;
  uint32_t feature;
  int body[2];
  double gap;              // when it was added [m]
  ts_vec3 normal[2];       // then, in the frames of body_1 and body_2
  ts_held_mode start, now; // at the start of a step (motion since it was added, the rest by ts_held_see_modes()), and
                           // in the last part
} ts_held_contact;

// A stop of a joint that is held, or a drive or dry friction.
typedef struct ts_held_row {
  int joint;
  uint32_t feature;
  ts_held_mode start, now;
} ts_held_row;

typedef struct ts_held {
  ts_held_contact *contacts;
  int contact_count, contact_capacity;
  ts_held_row *rows; // (ts_bounded_row_limit())
  int row_count;
  ts_contact_set last; // contacts as the last part left them
  int *index;          // of these among those that are held
  ts_remembered *remembered;
  int remembered_capacity;
} ts_held;

// What a part adds up beside coordinates and rates: works, and of each contact its impulse as a vector in the world and
// its spin.
enum { TS_HELD_WORKS = 5, TS_HELD_IMPULSES = 4 };

static inline size_t ts_held_sums(const ts_held *held)
{
  return TS_HELD_WORKS + TS_HELD_IMPULSES * (size_t)held->contact_count;
}

// Nothing is held. Memory from the arena.
void ts_held_init(ts_held *held, const ts_sim *sim, ts_arena *arena);

void ts_held_clear(ts_held *held);
// Room for that many contacts; none is held then. Memory from the arena.
void ts_held_make_room(ts_held *held, int capacity, ts_arena *arena);
// A contact of a set at the simulation's state, in the order of the set; there must be room.
void ts_held_add_contact(ts_held *held, const ts_sim *sim, const ts_contact_set *set, int i);
void ts_held_add_stop(ts_held *held, const ts_bounded_row *stop);

// Memory for parts with what is held now. From the arena: not to be given back before the last of them.
void ts_held_reserve(ts_held *held, const ts_sim *sim, ts_arena *arena);

// Whether one of the first `count` contacts is the k-th that is held.
bool ts_held_is_matched(const int *match, int count, int k);

// For each contact of a set at the simulation's state the number of the one that is held, or -1: by its feature; where
// bodies have turned so that features are others, the nearest of the pair; where they have slid onto a part beside, the
// nearest with that one. These two only where they touch along a normal that has stayed with one of the bodies: one
// that jumps is an event.
void ts_held_match(const ts_held *held, const ts_sim *sim, const ts_contact_set *set, int *match);
// Whether something held has a gap that is more than the error of a step of smooth motion: it has let go on the way.
bool ts_held_is_open(const ts_contact *contact);
bool ts_held_stop_is_open(const ts_bounded_row *stop);

const ts_held_row *ts_held_find_row(const ts_held *held, const ts_bounded_row *row); // or NULL

// How everything acts at the simulation's state, which is the start of a step; its state is then another one. Functions
// of time are smooth for `longest`.
void ts_held_see_modes(ts_held *held, ts_sim *sim, double longest, ts_arena *arena);

// Whether everything that acted in the last part goes on to do so at the simulation's state, which is its end: parts
// feel the mean of forces alone. The state is then another one.
bool ts_held_goes_on(ts_held *held, ts_sim *sim, ts_arena *arena);

// At the start of a step once more.
void ts_held_take_start(ts_held *held);

// The simulation's state after a part of length h; what happened is added to `sums`. False: forces jump in the part,
// because something that slips stops `until` after its start, or (0) it turns round, begins to slip, lets go, or ends
// with what it touched; other than from one part to the next that cannot be seen. Scratch from the arena.
bool ts_held_part(ts_held *held, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena);

// What a step whose sums are given has done: works into the report, contacts beside those that are in sim->contacts.
// `row`: the sums of the last row alone, not extrapolated.
void ts_held_report(const ts_held *held, ts_sim *sim, const double *sums, const double *row, ts_arena *arena);

#endif
