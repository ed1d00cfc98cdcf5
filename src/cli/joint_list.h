// The joints, gears, springs and bushings of a model, listed for `touchstone check`.
#ifndef TS_CLI_JOINT_LIST_H
#define TS_CLI_JOINT_LIST_H

#include "cli/json.h"

#include "touchstone/model.h"

// Tables on standard output, each after an empty line; nothing where there are none.
void cli_print_joints(const ts_model *model);
void cli_print_gears(const ts_model *model);
void cli_print_springs(const ts_model *model);
void cli_print_bushings(const ts_model *model);

// Arrays "joints", "gears", "springs" and "bushings" of the object that is open.
void cli_write_joints(cli_json *json, const ts_model *model);
void cli_write_gears(cli_json *json, const ts_model *model);
void cli_write_springs(cli_json *json, const ts_model *model);
void cli_write_bushings(cli_json *json, const ts_model *model);

#endif
