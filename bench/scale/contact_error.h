// How well a step of any engine obeys the law of contact, measured by the formula of Touchstone's own certificate
// (docs/theory/residuals.md, "An error in m/s").
#ifndef BENCH_SCALE_CONTACT_ERROR_H
#define BENCH_SCALE_CONTACT_ERROR_H

#include "engine.h"

// Of one kind of error over any number of contacts
typedef struct error_sum {
  double worst, squares; // [m/s, m^2/s^2]
} error_sum;

typedef struct contact_errors {
  int count;          // contacts
  error_sum whole;    // overlap is asked to be gone at the end of the step
  error_sum forgiven; // it may stay, or go as far as it did: the least that the law could be meant by
} contact_errors;

// Add the contacts of a step. The velocity error of a contact is the natural map of its impulse and its relative
// velocity at the end of the step, in m/s, scaled by the trace of its own block of W; gap/h is added to the normal
// velocity, with the gap at the start of the step. `start`: poses at the start of the step; `end`: velocities at its
// end.
void contact_errors_add(contact_errors *errors, const scene *s, const engine_contact *contacts, int count,
                        const ts_pose *start, const ts_twist *end);
void contact_errors_join(contact_errors *errors, const contact_errors *others);

// The root of the mean of the squares; NAN: there were no contacts
double contact_errors_rms(const contact_errors *errors, const error_sum *sum);

#endif
