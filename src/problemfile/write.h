// Our own text format on a stream.
#ifndef TS_PROBLEMFILE_WRITE_H
#define TS_PROBLEMFILE_WRITE_H

#include "touchstone/problem.h"

#include <stdio.h>

// Print a problem that passes ts_problem_check() and is not an MCP. Trouble shows in ferror(). The caller sees to it
// that the decimal point is a point (c_locale.h).
void ts_problem_print(FILE *out, const ts_problem *problem);

#endif
