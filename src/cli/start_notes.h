// What a simulation made of its start: the impact law that followed from the scene, velocities that joints do not
// allow, and overlap that was taken out.
#ifndef TS_CLI_START_NOTES_H
#define TS_CLI_START_NOTES_H

#include "cli/json.h"

#include "touchstone/sim.h"

#include <stdio.h>

// Lines of a summary, a label in front of each; nothing where there is nothing to say. `asked`: the options of the
// scene.
void cli_print_start_notes(const ts_sim *sim, const ts_step_options *asked, FILE *out);

// Members "impacts", "impacts_by_default", "corrections" and, where velocities were changed, "start_velocities" of the
// object that is open.
void cli_write_start_notes(cli_json *json, const ts_sim *sim, const ts_step_options *asked);

#endif
