// Motion on the active set: what is closed stays closed, is driven or sticks. A short substep is a step at the level of
// velocities:
//   q+ = q + h v,   M (v+ - v) = h f + J^T p + G l   at q+,   0 <= p_n _|_ J_n v+ >= 0,   friction,
// with the contacts and stops that are active. Over a longer time such substeps are extrapolated
// (math/extrapolation.h). Velocities obey what holds where they are taken, so that forces are those of the motion from
// the first substep on.
#ifndef TS_STEP_EVENT_ACTIVE_SET_H
#define TS_STEP_EVENT_ACTIVE_SET_H

#include "step/step.h"

// Contacts and stops are looked for as for a step of this length, or longer [s].
static const double TS_ACTIVE_REACH = 1e-3;

// How far beyond its end ts_active_set_goes_on() looks [s].
static const double TS_ACTIVE_PROBE = 1e-6;

// How a contact, a stop or a drive acts.
typedef struct ts_active_mode {
  bool pushes;            // of a contact or stop
  double apart;           // how fast it opens [m/s, rad/s]
  bool opens;             // or begins to
  ts_vec3 slip;           // in the world; of a drive x: how much too fast it is [m/s, rad/s]
  double spin;            // times the length that its friction goes with [m/s]
  bool slips;             // or begins to
  bool sticks;            // within its cone
  ts_vec3 normal, arm[2]; // of a contact, where it was seen last
} ts_active_mode;

// A contact, found again by its parts and feature.
typedef struct ts_active_contact {
  uint64_t pair;
  uint32_t feature;
  int body[2];
  double gap;      // when it was added [m]
  ts_contact seen; // as it was found last, and its law and parts
  const ts_contact_law *law;
  ts_part_pair parts;
  ts_vec3 normal[2];         // then, in the frames of body_1 and body_2
  ts_active_mode start, now; // at the start of a step (motion since it was added, the rest by
                             // ts_active_set_see_modes()), and in the last substep
} ts_active_contact;

// A stop of a joint that is active, or a drive or dry friction.
typedef struct ts_active_row {
  int joint;
  uint32_t feature;
  ts_active_mode start, now;
} ts_active_row;

typedef struct ts_active_set {
  ts_active_contact *contacts;
  int contact_count, contact_capacity;
  ts_active_row *rows; // (ts_bounded_row_limit())
  int row_count;
  ts_contact_set last; // contacts as the last substep left them
  int *index;          // of these among those that are active
  ts_remembered *remembered;
  int remembered_capacity;
  size_t load_size; // numbers of the loads of joints, where somebody asks for them
} ts_active_set;

// What a substep adds up beside coordinates and rates: works, of each contact its impulse as a vector in the world, its
// spin, its point times the normal impulse, and the normal impulse, and loads of joints.
enum { TS_ACTIVE_WORKS = 5, TS_ACTIVE_IMPULSES = 8 };

// A normal impulse of a contact at its point, added to the sums of that contact.
static inline void ts_active_add_point(ts_vec3 point, double impulse, double *sum)
{
  sum[4] += impulse * point.x;
  sum[5] += impulse * point.y;
  sum[6] += impulse * point.z;
  sum[7] += impulse;
}

static inline size_t ts_active_set_first_load(const ts_active_set *active)
{
  return TS_ACTIVE_WORKS + TS_ACTIVE_IMPULSES * (size_t)active->contact_count;
}

static inline size_t ts_active_set_sums(const ts_active_set *active)
{
  return ts_active_set_first_load(active) + active->load_size;
}

// Nothing is active. Memory from the arena.
void ts_active_set_init(ts_active_set *active, const ts_sim *sim, ts_arena *arena);

void ts_active_set_clear(ts_active_set *active);
// Room for that many contacts; none is active then. Memory from the arena.
void ts_active_set_make_room(ts_active_set *active, int capacity, ts_arena *arena);
// A contact of a set at the simulation's state, in the order of the set; there must be room.
void ts_active_set_add_contact(ts_active_set *active, const ts_sim *sim, const ts_contact_set *set, int i);
void ts_active_set_add_stop(ts_active_set *active, const ts_bounded_row *stop);

// Memory for substeps with what is active now. From the arena: not to be given back before the last of them.
void ts_active_set_reserve(ts_active_set *active, const ts_sim *sim, ts_arena *arena);

// Whether one of the first `count` contacts is the k-th that is active.
bool ts_active_set_is_matched(const int *match, int count, int k);

// For each contact of a set at the simulation's state the number of the one that is active, or -1: by its feature;
// where bodies have turned so that features are others, the nearest of the pair; where they have slid onto a part
// beside, the nearest with that one. These two only where they touch along a normal that has stayed with one of the
// bodies: one that jumps is an event.
void ts_active_set_match(const ts_active_set *active, const ts_sim *sim, const ts_contact_set *set, int *match);
// Whether something active has a gap that is more than the error of a step of smooth motion: it has let go on the way.
bool ts_active_contact_is_open(const ts_contact *contact);
bool ts_active_stop_is_open(const ts_bounded_row *stop);

const ts_active_row *ts_active_set_find_row(const ts_active_set *active, const ts_bounded_row *row); // or NULL

// How everything acts at the simulation's state, which is the start of a step; its state is then another one. Functions
// of time are smooth for `longest`.
void ts_active_set_see_modes(ts_active_set *active, ts_sim *sim, double longest, ts_arena *arena);

// Whether everything that acted in the last substep goes on to do so at the simulation's state, which is its end:
// substeps feel the mean of forces alone. The state is then another one.
bool ts_active_set_goes_on(ts_active_set *active, ts_sim *sim, ts_arena *arena);

// At the start of a step once more.
void ts_active_set_take_start(ts_active_set *active);

// The simulation's state after a substep of length h; what happened is added to `sums`. False: forces jump in the
// substep, because something that slips stops `until` after its start, or (0) it turns round, begins to slip, lets go,
// or ends with what it touched; other than from one substep to the next that cannot be seen. Scratch from the arena.
bool ts_active_set_substep(ts_active_set *active, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena);

// What a step has done: its sums, and those of its last row alone, which are not extrapolated, of so many substeps.
typedef struct ts_active_course {
  const double *sums, *row;
  int substeps;
} ts_active_course;

// Works into the report, contacts beside those that are in sim->contacts.
void ts_active_set_report(const ts_active_set *active, ts_sim *sim, const ts_active_course *course, ts_arena *arena);

#endif
