// Starting points of the problem: where contacts are at some velocities, and the multipliers that belong to them.
#ifndef TS_STEP_IMPLICIT_MNCP_START_H
#define TS_STEP_IMPLICIT_MNCP_START_H

#include "step/implicit/mncp_problem.h"

// What is guessed of a contact.
typedef struct ts_ecp_guess {
  ts_vec3 at[2];  // on the parts (world)
  ts_vec3 normal; // from part 2 to part 1
  double gap;
  ts_vec3 force; // impulse on the first body (world)
  double spin;   // about the normal
} ts_ecp_guess;

// Nearest points of the parts of a contact where the velocities (of the model's bodies) take them, without impulses.
ts_ecp_guess ts_ecp_nearest(const ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_twist *velocity);

// The impulse that keeps parts from overlapping at these velocities, friction against the slip, where they do.
void ts_ecp_stop(const ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_twist *velocity,
                 ts_ecp_guess *guess);

// Choose faces and write the starting point z for velocities (of the model's bodies) and a guess a contact. `skip` says
// which face: 0 the one that is most against the normal, 1 the next one, and so on, among those that are against it at
// all (grad f.n < -0.2 |grad f|). False where no contact has so many.
bool ts_ecp_start(ts_ecp_problem *problem, const ts_twist *velocity, const ts_ecp_guess *guesses, int skip, double *z);

#endif
