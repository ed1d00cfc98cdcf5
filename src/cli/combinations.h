// What steppers go with, for `touchstone list steppers`: small scenes are tried, so that the list says what a run would.
#ifndef TS_CLI_COMBINATIONS_H
#define TS_CLI_COMBINATIONS_H

#include "cli/json.h"

// A table of all steppers on standard output, and under it why those that do not go with something do not.
void cli_print_combinations(void);

// Object "goes_with" of the one that is open, for a stepper: true, or the sentence that refuses it.
void cli_write_combinations(cli_json *json, const char *stepper);

#endif
