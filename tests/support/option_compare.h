// Are two sets of step options the same, to the last digit?
#ifndef OPTION_COMPARE_H
#define OPTION_COMPARE_H

#include "touchstone/sim.h"

// NULL when all options are the same, else the name of the first that is not; valid until the next call.
const char *option_difference(const ts_step_options *a, const ts_step_options *b);

#endif
