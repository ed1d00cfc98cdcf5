// A step by guesses of where it ends: the geometry is that of a guess, the problem of patches is solved there, and the
// next guess is where its impulses take the bodies.
#ifndef TS_STEP_IMPLICIT_GUESSES_H
#define TS_STEP_IMPLICIT_GUESSES_H

#include "step/implicit/arrival.h"
#include "step/implicit/kept_points.h"
#include "step/implicit/softening.h"

typedef struct ts_guesses {
  ts_step *step;
  ts_arrival arrival;    // bodies where the guess takes them
  ts_twist *velocity;    // the guess (body_count)
  double *joint_impulse; // of the rows that hold, without contacts
  ts_patch_set patches;  // at the guess
  ts_softening soft;     // those with skins
  ts_kept_points *kept;  // of earlier guesses
  double residual;       // of the problem at the guess, and of the guess itself
  double tolerance;      // of both
  double off;            // speed that the last guess lacked
  double speed;          // of the data of the step at the guess
  double size;           // of the smallest part that moves
  double fine;           // of the tolerance: what the speeds of the problem of skins ask for
  int restarts;          // from points that rub each for itself
} ts_guesses;

// The first guess of a step that has joints and free velocities: nothing moves. Finds the points that may touch.
void ts_guesses_begin(ts_guesses *guesses, ts_step *step);

// Find the points that may touch at the guess.
void ts_guesses_look(ts_guesses *guesses);

// Guess, solve, guess again, until the guess stays. Bodies at the first guess have been looked at. The residual tells
// how well it went.
void ts_guesses_find_velocity(ts_guesses *guesses);

// True if bodies at the last guess stand where the velocity takes them, within what overlap is measured by.
bool ts_guesses_have_arrived(const ts_guesses *guesses);

#endif
