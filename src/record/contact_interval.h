// Normal forces between recorded states: contacts are recorded with states, and what lives between two of them is kept
// here, a number for each pair of bodies.
#ifndef TS_RECORD_CONTACT_INTERVAL_H
#define TS_RECORD_CONTACT_INTERVAL_H

#include "touchstone/sim.h"

// Two bodies that have touched since the last recorded state. Supports of a 2.5D world are a pair of their own.
typedef struct ts_touching_pair {
  int body_1, body_2;
  bool support;
  double sum;                     // of the normal forces of steps, all contacts together [N]
  double max;                     // the largest of these [N]
  ts_vec3 point, normal, tangent; // of the last contact, and its gap
  double gap;
  double now;    // in the step that is being added
  bool is_shown; // a row has the numbers
} ts_touching_pair;

typedef struct ts_contact_interval {
  ts_touching_pair *pairs; // in the order in which they came
  int count, capacity;
  int *slots; // a hash table of them: their numbers, or -1
  size_t slot_count;
  int steps; // since the last recorded state
} ts_contact_interval;

// A zeroed struct is empty.
void ts_contact_interval_release(ts_contact_interval *interval);
void ts_contact_interval_clear(ts_contact_interval *interval);

// A step of length h and its contacts. False: memory ran out.
bool ts_contact_interval_add(ts_contact_interval *interval, double h, const ts_contact *contacts, int count);

// The pair of a contact of the last step that was added.
ts_touching_pair *ts_contact_interval_pair(const ts_contact_interval *interval, const ts_contact *contact);

// A row for a pair that has parted before the last step: its last contact without impulses.
ts_contact ts_parted_contact(const ts_touching_pair *pair);

// All as numbers, for files. The size of an empty interval is 0.
size_t ts_contact_interval_size(const ts_contact_interval *interval);
void ts_contact_interval_save(const ts_contact_interval *interval, double *numbers);
// False: these are none, or memory ran out. `bodies`: of the run.
bool ts_contact_interval_load(ts_contact_interval *interval, const double *numbers, size_t size, int bodies);

#endif
