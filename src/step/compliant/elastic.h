// Contacts as springs and dampers, in a part of a step of length h (thesis 2.4.4; docs/theory/viscoelastic.md). With
// u the mean velocity of a contact, theta that of the end and 1 - theta that of the start, surfaces included,
//   normal:    p_n = h (K (d + theta h d') + C d'),  d' = -u_n:   0 <= p_n _|_ p_n/(h S) + u_n - K d/S >= 0,
//   tangents:  p_t = -h (K s + (theta h K + C) s'),  slip = u_t - s' = u_t + p_t/(h S) + K s/S,   S = theta h K + C,
// so that springs are a softness 1/(theta h S) on the diagonal of W and a bias. Contacts that have not met at the start
// of the part have d+ = -(gap + h u_n) and p_n = (h K + C) d+, which gains nothing either.
#ifndef TS_STEP_COMPLIANT_ELASTIC_H
#define TS_STEP_COMPLIANT_ELASTIC_H

#include "step/step.h"

// A contact at the start of a part.
typedef struct ts_elastic_contact {
  bool touches; // else it is on its way, and has no deflection
  bool acts;    // touches, or would in this part
  double normal;
  double tangent[2]; // t, o
  double pace;       // as in ts_pressed
  double compliance; // of the contact by itself, without springs: the largest of its rows [1/kg]
  double rate;       // the fastest that springs and dampers about it can change anything [1/s]
} ts_elastic_contact;

// The contacts of a part. `before`, `free`: velocities of their rows at the start of the part, and at its end without
// any impulse.
typedef struct ts_elastic {
  ts_step *step;
  ts_elastic_contact *each; // (contacts)
  double energy;            // in them at the start [J]
  double *before, *free;
} ts_elastic;

// From what is remembered and where bodies stand. Overlap is deflection as far as energy that the last part has left in
// the same pair of parts pays for it; what nobody has pressed in pushes nobody. The problem is assembled.
ts_elastic ts_elastic_begin(ts_step *step);

// The free velocity has changed since.
void ts_elastic_take_free_velocity(ts_elastic *springs);

// The largest rate times h of contacts that act: up to 1 or so, all is resolved. 0: none acts.
double ts_elastic_stiffness(const ts_elastic *springs);

// Softness and biases of contacts into the problem. step->theta is set.
void ts_elastic_enter(const ts_elastic *springs);

// The end of a part: velocities of rows, and how good it is.
typedef struct ts_elastic_end {
  const double *after; // velocities of rows
  double event;        // when the first contact begins or ceases to push within the part, from its start [s]; INFINITY
  double slack;        // the least of what a contact may err by over what it does; INFINITY: nothing acts
} ts_elastic_end;

ts_elastic_end ts_elastic_judge(const ts_elastic *springs, const ts_twist *velocity);

// Deflections at the end, into the contacts too.
ts_elastic_memory ts_elastic_remember(const ts_elastic *springs, const double *after);

#endif
