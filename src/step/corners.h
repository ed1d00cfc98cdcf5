// Corners as a disjunction (thesis 3.2; docs/theory/corners.md). Parts that are polygons or polyhedra are apart at the
// end of the step when they are so along one direction of several (shape/directions.h):
//   phi = max_i psi_i >= 0,   p_i > 0 only if psi_i = phi = 0,
// with psi_i linear in the motion. A problem of contacts is a conjunction, psi_i >= 0 for all i in it; so one direction
// is chosen for each pair of parts, the problem is solved with its contacts alone, and what was chosen is held against
// all of the pair's directions at the velocities reached. Where it does not hold another choice is tried.
//
// For any stepper whose contacts ask for gap/h and whose solve leaves impulses in step->r and velocities in the state:
//   ts_step_find_contacts(step, ...);  ts_corners_begin(step);
//   solve;  while (ts_corners_turn(step)) { undo what the solve did; solve again; }
// Its table says that it does so (`takes_corners`), or the option is refused.
#ifndef TS_STEP_CORNERS_H
#define TS_STEP_CORNERS_H

#include "step/step.h"

// After contacts were found: step->contacts are those to solve with, as the option has it. Memory from the step's
// arena, here alone.
void ts_corners_begin(ts_step *step);

// After a solve. True: what was chosen does not hold, step->contacts are others, and all has to be solved again. False:
// it holds, or nothing does, and the step is not certified.
bool ts_corners_turn(ts_step *step);

// All contacts that there are to choose from, until ts_corners_begin(); or what is chosen, again.
void ts_corners_show_all(ts_step *step);
void ts_corners_show_chosen(ts_step *step);

// How far apart the parts of contact i of a set are at the end of the step at the velocities in the state, where the
// contact is one of several directions: phi.
double ts_corner_gap_at_end(const ts_step *step, const ts_contact_set *set, int i);

#endif
