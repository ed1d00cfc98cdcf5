// The simulation as it was: what a step that is given up is taken back to.
#ifndef TS_STEP_SNAPSHOT_H
#define TS_STEP_SNAPSHOT_H

#include "step/sim.h"

typedef struct ts_snapshot {
  ts_state state;
  ts_wrench *pushes; // not set where there are none
  bool pushed;
  ts_joint_command *commands; // (joint_count)
  bool commanded;             // else they are not set
  ts_joint_load *loads;       // (joint_count); not set where nobody measures them
  int impact_count;
  double *numbers; // of the stepper
  ts_warm_start remembered;
  ts_skin_memory skins;
  ts_elastic_memory elastic;
  ts_step_report report;
  ts_energy_account account;
} ts_snapshot;

// Memory from the arena; nothing is taken yet.
ts_snapshot *ts_snapshot_allocate(const ts_sim *sim, ts_arena *arena);
void ts_snapshot_take(const ts_sim *sim, ts_snapshot *taken);
void ts_snapshot_go_back(ts_sim *sim, const ts_snapshot *taken);

// What of a state has to be remembered to come back to it.
void ts_snapshot_copy_state(const ts_sim *sim, const ts_state *from, ts_state *to);

// The pushes of the user hold for all substeps, those of the callback for the one that it was called for.
void ts_snapshot_return_pushes(ts_sim *sim, const ts_snapshot *taken);

// On bodies and along joints.
void ts_sim_forget_pushes(ts_sim *sim);

#endif
