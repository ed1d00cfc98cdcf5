// A step in the making: rows, contacts, their problem, linearized at its start, and what becomes of it.
#ifndef TS_STEP_STEP_H
#define TS_STEP_STEP_H

#include "step/sim.h"

// Impulses of forces that have struck in an impact.
typedef struct ts_struck {
  const ts_wrench *impulse; // on bodies (body_count)
  ts_interval span;         // times that they are of
} ts_struck;

typedef struct ts_corners ts_corners; // corners.h
typedef struct ts_chord ts_chord;     // surfaces.h

// What a step works with, linearized at its start. Steppers fill in sim, h, theta, from, arena and those flags that
// they mean; the rest begins with 0 and is made by the functions below.
typedef struct ts_step {
  ts_sim *sim;
  double h;
  double theta;            // weight of the new velocity in the position update
  double force_time;       // that forces act for in a step without inertia [s]; 0: for h
  bool at_velocity_level;  // joints are asked for their rates alone, not to take back errors; everything stands at the
                           // end of the step
  bool impulsive;          // an impact alone: what needs time, dampers and their like, is left out
  double gap_error;        // error of gaps that the solve of many contacts may be content with [m]; 0: the options say
  bool strikes;            // an impact: forces have no time to work
  const ts_twist *from;    // velocities that the impulses of the step change (body_count)
  const ts_twist *carried; // velocities before positions were corrected, or NULL: `from`
  const ts_twist *turned;  // the same after gyroscopic torques, which work nothing, where contacts act on that; or NULL
  const ts_struck *struck; // with the impact, or NULL: none
  const double *counted;   // impulses whose works are reported already (dimension*blocks), or NULL: none
  ts_arena *arena;
  ts_mobility mobility;    // with the rows that hold and their impulses
  ts_bounded_row *bounded; // limits and motors
  int bounded_count;
  ts_contact_set contacts;
  ts_corners *corners;    // what contacts were chosen from (corners.h), or NULL: there was no choice
  bool keeps_overlap;     // that is not of the last step's making: it could not be taken out, and gives no velocity
  bool rows_at_end;       // contacts are where they are at the end of the step, with the rows that they have there
  bool gaps_at_end;       // kinematic bodies stand where they are at the end: gaps hold their normal motion
  const ts_chord *chords; // of moving surfaces through the step (surfaces.h), or NULL: not asked for
  ts_system system;
  double *surface; // relative velocity that moving surfaces of kinematic bodies add (dimension*blocks)
  double *bias;    // added to J v in q (dimension*blocks)
  double *r;       // impulses (dimension*blocks)
  double *guess;   // for the next step where `balanced` (dimension*blocks), or NULL: contacts are few
  bool balanced;   // bodies are at rest, and r is what keeps them so
  bool may_slide;  // some contact uses its friction up, or nearly (select_loads.h)
  bool settled;    // the next guess is these alone: they are the least of several that do the same, or were the guess
  bool sprung;     // contacts are springs: what they give because bodies overlap repairs nothing
  double stored;   // energy that soft skins or contacts have taken up, without what comes and goes (energy.c) [J]
  double futile;   // velocity error that sweeps did not improve, see contact/warm_start.h [m/s]
  const double *asked; // of contacts and stops that close: bias of normals instead of gap/h (blocks), or NULL: none
  const double *share; // of the compression that Poisson's law gives back from (blocks), or NULL: all
  double *jam;         // shares of the blocks in the infeasibility certificate of their problem, 0 without one (blocks)
} ts_step;

// Rows of joints, limits and motors at the present state, and what they make of the masses. False where that has no
// factor: the step cannot be taken.
bool ts_step_joints(ts_step *step);

// After an impact has changed the velocity in the state: rates, and what follows from them.
void ts_step_new_velocity(ts_step *step);

// sim->free_velocity from the velocity in the state, joints obeyed; kinematic bodies keep theirs.
void ts_step_free_velocity(ts_step *step);

// Nothing acts but what is known at the start of the step, in coordinates whose rates are then the free ones: nobody
// asks for the twists that they mean before the bodies follow. To be called once contacts and rows are there.
bool ts_step_flies(const ts_step *step);

// The velocity that a step reaches that flies.
void ts_step_fly(ts_step *step);

// Contacts that may close within the step at the twists given. Leaves to the arena's recovery point when memory runs
// out.
void ts_step_find_contacts(ts_step *step, const ts_twist *velocity);

// Blocks, W and moving surfaces for the contacts and bounded rows of the step; bias and r are made and set to 0. What
// is in bias after that, surfaces too, is the stepper's to write.
void ts_step_assemble(ts_step *step);

// The same where the impulses of the last step may be kept (solve.h), without W: a solve completes it when it has to.
void ts_step_describe(ts_step *step);
void ts_step_complete(ts_step *step);

// Of block i, a contact or a stop.
double ts_step_restitution(const ts_step *step, int i);

// The hold of motors, and the bias of bounded rows, into step->bias; limits as `limit_gaps` says: with their gap/h, or
// without. Motors whose hold is not there do not act.
void ts_step_bounded_bias(ts_step *step, bool limit_gaps);

// Velocity below which contact i counts as not slipping: what is left of its data by the tolerance of the solve.
double ts_slip_threshold(const ts_step *step, int i);

// After the new velocity is in the state: contacts with impulses, velocities and modes, works, what to remember.
void ts_step_finish(ts_step *step);

// New poses from old and new velocities; time moves on.
void ts_step_advance(ts_step *step);

#endif
