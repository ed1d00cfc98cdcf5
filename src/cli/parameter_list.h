// Parameters of extensions, for `touchstone list`.
#ifndef TS_CLI_PARAMETER_LIST_H
#define TS_CLI_PARAMETER_LIST_H

#include "cli/json.h"

#include "touchstone/extension.h"

// A table of all parameters of a kind, after an empty line, where there are any. `owner` heads the column of names.
void cli_print_parameters(const ts_extensions *extensions, ts_extension_kind kind, const char *owner);

// `parameters` of one of them, a member of an open object.
void cli_write_parameters(cli_json *json, const ts_extension_info *info);

#endif
