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

// What the impulses of the guesses, and of limits and motors (`bounded`, one a row of the step), make of the free
// velocities (`velocity`, of the model's bodies), and of the joints (`joints`, one a row that holds). `there` are the
// velocities that the guesses were made with.
void ts_ecp_respond(const ts_ecp_problem *problem, const ts_step *step, const ts_twist *there,
                    const ts_ecp_guess *guesses, const double *bounded, ts_twist *velocity, double *joints);

// A starting point.
typedef struct ts_ecp_start_point {
  const ts_twist *there;       // velocities that the guesses were made with (body_count)
  const ts_ecp_guess *guesses; // a contact each
  const ts_twist *velocity;    // to start with (body_count)
  const double *joints;        // impulses of rows that hold, beside those without contacts; NULL: none
  const double *bounded;       // of limits and motors; NULL: none
  int skip; // faces that come before the one to take: 0 takes the one that is most against the normal,
            // 1 the next one of those that are against it at all (grad f.n < -0.2 |grad f|)
} ts_ecp_start_point;

// Choose faces and write the point. False where no contact has so many faces.
bool ts_ecp_start(ts_ecp_problem *problem, const ts_ecp_start_point *point, double *z);

#endif
