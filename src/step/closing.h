// Impacts in one piece, for steps that keep gaps from closing too far (stewart_trinkle.c).
//
// With gap/h alone a contact that closes within the step keeps an approach of gap/h, which the next step takes: its
// impulse comes in two parts whose sizes depend on when it closes, and with them friction and what Poisson's law gives
// back, at any h. Here velocities and positions part ways in such a step:
//   velocities: J_n v+ >= 0 (or Newton's rebound) where the free motion closes the gap, so that all of the impulse
//   acts; positions: q+ = q + h w, w with J_n w + gap/h >= 0: gaps end closed, not overrun, as without impacts.
// What is not closed by the free motion but by the impulses of others is not part of this impact. It is let alone, w
// stops it where it touches, and the next step has it as an impact of its own: impacts follow each other as in time.
#ifndef TS_STEP_CLOSING_H
#define TS_STEP_CLOSING_H

#include "step/step.h"

// What a block, a contact or stop, does in an impact.
typedef enum ts_impact_role {
  TS_KEEPS_GAP, // it rests, or is far
  TS_CLOSES,    // the free motion closes it, faster than forces of this step do
  TS_LATER      // impulses of others close it
} ts_impact_role;

typedef struct ts_impacts {
  int count;             // of blocks that close
  ts_impact_role *role;  // (blocks)
  double *forced;        // what forces of this step make of the normal velocity (blocks)
  double *gap_speed;     // ts_step_gap_speed() (blocks)
  double *approach;      // normal velocity at the start; with Poisson's law 0 where nothing closes (blocks)
  double *asked, *share; // for the step
} ts_impacts;

// False: there is none. `approach` (blocks): normal velocities at the start, surfaces included. Memory from the step's
// arena.
bool ts_impacts_find(ts_impacts *impacts, ts_step *step, const double *approach);

// Biases of a problem for the velocities into the step.
void ts_impacts_ask(const ts_impacts *impacts, ts_step *step);

// After it was solved: true where something was closed by others, and the problem is to be solved again without it.
bool ts_impacts_release(ts_impacts *impacts, ts_step *step);

// All rebounds and impacts of a step are taken as if at once: where a step is long, a wall takes what is meant for the
// body in front of it, which is then passed. Such a step is not certified. `approach` as above, of the problem that was
// solved.
void ts_notice_passed_over(ts_step *step, const double *approach);

// New positions, instead of ts_step_advance(); after ts_step_finish(). Velocities in the state stay.
void ts_impacts_advance(const ts_impacts *impacts, ts_step *step);

#endif
