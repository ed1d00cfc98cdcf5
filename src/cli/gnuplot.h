// gnuplot, run as a program.
#ifndef TS_CLI_GNUPLOT_H
#define TS_CLI_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

// Feed it a script and copy what it draws to `out`. The script must not set an output: the picture comes back through a
// pipe, so that no file name passes through gnuplot. False after one sentence on standard error.
bool cli_gnuplot_run(const char *script, size_t length, FILE *out);

#endif
