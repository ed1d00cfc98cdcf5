// The energy of a simulation from step to step.
#ifndef TS_STEP_ENERGY_ACCOUNT_H
#define TS_STEP_ENERGY_ACCOUNT_H

#include "touchstone/sim.h"

// The energy of a simulation, and what steps before have left.
typedef struct ts_energy_account {
  bool is_known; // else nothing is, for something was changed from outside
  double kinetic, potential;
  double stagger; // of the last step (energy.c)
  double length;  // of that step [s]; 0: there was none
  double scale;   // the largest kinetic energy of late
  double gain;    // what free motion has gained in error beyond its allowance
} ts_energy_account;

#endif
