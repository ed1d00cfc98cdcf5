// A whole run of an engine: fall, impact, creep and rest.
#ifndef BENCH_SCALE_FALL_H
#define BENCH_SCALE_FALL_H

#include "contact_error.h"
#include "phase.h"

// Figures of the stages of a run: while the bulk moves (fall and impact), and after (creep and rest)
typedef enum stage { STAGE_MOVING, STAGE_LATE, STAGE_COUNT } stage;

// What Touchstone's reports say
typedef struct fall_reports {
  double iterations, factorizations; // a step, means
  int to_tolerance, within_length, neither;
  double residual[STAGE_COUNT];       // worst
  double velocity_error[STAGE_COUNT]; // worst [m/s]
} fall_reports;

typedef struct fall {
  bool complete;                      // else it was stopped, taking too long
  int steps;                          // taken
  double mean, worst;                 // time of a step [s]
  double phase[PHASE_COUNT];          // mean of the steps of each phase [s]; NAN: there was none
  int phase_steps[PHASE_COUNT];       // that were taken in it
  double contacts;                    // mean
  double overlap[STAGE_COUNT];        // deepest [m]; NAN: it was not looked at
  contact_errors errors[STAGE_COUNT]; // measured as those of all engines are
  double kinetic;                     // energy at the end [J]
  double gained;                      // sum of the rises of the energy from step to step [J]; NAN: the scene is driven
  int failed;                         // steps that the engine says are not solved; -1: it does not say
  bool has_reports;
  fall_reports reports;
} fall;

// Run `steps` steps, for at most `limit` seconds. Times are CPU time, on several threads the wall clock's. Every
// FALL_LOOK_EVERY-th step is looked at outside the clock: overlap, and errors of its contacts. Where an engine must
// keep impulses for that, the step itself is not timed.
enum { FALL_LOOK_EVERY = 10 };
fall fall_run(const scene *s, const engine *e, int steps, double limit);

#endif
