// The account of energy, and the watch over what integration gains.
#ifndef TS_STEP_ENERGY_H
#define TS_STEP_ENERGY_H

#include "step/sim.h"

// The energy of the present state into the account where it is not known.
void ts_energy_begin(ts_sim *sim);

// After a step or substep of length h that began with `before` in the account and in the report: energies,
// stagger and integration work into the report, and the account. A gain of free motion beyond bounds is not certified.
void ts_energy_close(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before);

// Of a step that is taken though it has gained more than all there was: velocities of no more kinetic energy than it
// began with, all by one factor, so that directions stay and what rests stays at rest. False: it is none of that kind.
bool ts_energy_slow_down(ts_sim *sim, const ts_energy_account *before);

// The energy of such a step of length h once its end is in place. Nothing is known of its stagger.
void ts_energy_renew(ts_sim *sim, double h, const ts_energy_account *before, const ts_step_report *works_before);

#endif
