// The iterations of runs as comma-separated values: solver,iteration,residual,step,damping,active.
#ifndef TS_CLI_HISTORY_H
#define TS_CLI_HISTORY_H

#include "cli/attempt.h"

#include <stdio.h>

enum { CLI_HISTORY_CAPACITY = 100000 }; // iterations of a run that are kept

void cli_history_header(FILE *out);
void cli_history_rows(const cli_attempt *attempt, FILE *out);

#endif
