// A time-stepper: one file with its table, and a line in registry.c.
#ifndef TS_STEP_STEPPER_H
#define TS_STEP_STEPPER_H

#include "touchstone/sim.h"

#include "base/arena.h"
#include "schema/parameters.h"
#include "schema/schema.h"

struct ts_stepper {
  const char *name;               // what scene files say: "stewart-trinkle"
  const char *summary;            // one line for `touchstone list steppers`, with its source
  ts_stabilization stabilization; // its own
  ts_impact_law rebounds;         // its own law where something has a restitution
  const ts_section *options;      // that it alone takes, or NULL: none
  ts_parameter_list parameters;   // of one from a plug-in: numbers by name, in ts_step_options.own
  bool needs_coordinates;         // of every dynamic body, whatever the options say
  bool takes_skins;               // models with soft skins are its to step; else they are refused
  bool takes_corners;             // `corners` is obeyed (corners.h); else all but the default is refused
  bool takes_secants;             // `surfaces` is obeyed (surfaces.h); else all but the default is refused
  bool is_elastic;      // contacts are springs: it keeps sim->elastic, and takes a step in parts after each of
                        // which it closes the account of energy
  bool is_smooth;       // motion between impacts is integrated: dampers act as it goes, and nothing staggers
  bool without_inertia; // velocities are the ways of a step alone: there is no kinetic energy
  int number_count;     // that it keeps from step to step in sim->numbers, 0 at first; checkpoints have them
  // What it does not heed of the options that all take, it has to refuse. NULL: takes all
  ts_status (*check)(const ts_step_options *options, ts_error *error);
  ts_status (*check_model)(const ts_model *model, const ts_step_options *options, ts_error *error); // NULL: takes all
  bool (*create)(ts_sim *sim);  // what it needs beside, in sim->own; false: memory ran out. NULL: nothing
  void (*destroy)(ts_sim *sim); // also after a `create` that failed
  // Advance sim->state by h, fill in sim->report, sim->contacts and sim->remembered. Memory from the arena, which may
  // leave to its recovery point. False when numbers that are not finite came up.
  bool (*step)(ts_sim *sim, double h, ts_arena *arena);
};

// Models with soft skins are refused by steppers that do not know them.
ts_status ts_stepper_check_skins(const ts_stepper *stepper, const ts_model *model, ts_error *error);

// Refuse a model that the stepper does not take with these options.
ts_status ts_stepper_check_model(const ts_stepper *stepper, const ts_model *model, const ts_step_options *options,
                                 ts_error *error);

extern const ts_stepper ts_stepper_stewart_trinkle, ts_stepper_velocity, ts_stepper_event_driven, ts_stepper_implicit,
    ts_stepper_implicit_compliant, ts_stepper_quasistatic, ts_stepper_compliant;
extern const ts_stepper *const ts_steppers[]; // all of them, ended by NULL

#endif
