// Motion with what is closed held closed, driven or stuck: over a short part it is a step at the level of velocities,
// with the complementarity problem of the contacts that are held; over a long one such parts extrapolated
// (math/extrapolation.h).
#ifndef TS_STEP_HELD_H
#define TS_STEP_HELD_H

#include "step/sim.h"

// A contact, found again by its parts and feature.
typedef struct ts_held_contact {
  uint64_t pair;
  uint32_t feature;
  bool pushes, sticks; // in the last part that was taken
} ts_held_contact;

// A stop of a joint.
typedef struct ts_held_stop {
  int joint;
  uint32_t feature;
  bool pushes;
} ts_held_stop;

typedef struct ts_held {
  ts_held_contact *contacts;
  int contact_count, contact_capacity;
  ts_held_stop *stops; // (ts_bounded_row_limit())
  int stop_count;
  ts_contact_set last; // as the last part left them
  ts_remembered *remembered;
  int remembered_capacity;
} ts_held;

// What a part adds up beside coordinates and rates: works, and of each contact its impulse as a vector in the world and
// its spin.
enum { TS_HELD_WORKS = 3, TS_HELD_IMPULSES = 4 };

static inline size_t ts_held_sums(const ts_held *held)
{
  return TS_HELD_WORKS + TS_HELD_IMPULSES * (size_t)held->contact_count;
}

// Nothing is held. Memory from the arena.
void ts_held_init(ts_held *held, const ts_sim *sim, ts_arena *arena);

void ts_held_clear(ts_held *held);
void ts_held_add_contact(ts_held *held, const ts_contact_set *set, int i, ts_arena *arena); // in the order of the set
void ts_held_add_stop(ts_held *held, const ts_bounded_row *stop);

// Index of a contact, or -1: it is not held.
int ts_held_find(const ts_held *held, const ts_contact_set *set, int i);
bool ts_held_has_stop(const ts_held *held, const ts_bounded_row *stop);
bool ts_held_stop_pushes(const ts_held *held, const ts_bounded_row *stop);

// The simulation's state after a part of length h; what happened is added to `sums`. False: something that slips stops
// `until` after the start of the part, or turns round in it (0), so that forces jump. Scratch from the arena.
bool ts_held_part(ts_held *held, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena);

// What a step whose sums are given has done: works into the report, contacts beside those that are in sim->contacts.
void ts_held_report(const ts_held *held, ts_sim *sim, const double *sums, ts_arena *arena);

#endif
