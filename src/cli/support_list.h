// What the bodies of a 2.5D world stand on, listed for `touchstone check`.
#ifndef TS_CLI_SUPPORT_LIST_H
#define TS_CLI_SUPPORT_LIST_H

#include "cli/json.h"

#include "touchstone/model.h"

// A table on standard output after an empty line; nothing where there are none.
void cli_print_supports(const ts_model *model);

// Array "supports" of the object that is open.
void cli_write_supports(cli_json *json, const ts_model *model);

int cli_support_count(const ts_model *model); // of all bodies

#endif
