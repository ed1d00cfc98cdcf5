// The library's own solvers as contenders.
#ifndef BENCH_SOLVERS_OWN_CONTENDER_H
#define BENCH_SOLVERS_OWN_CONTENDER_H

#include "contender.h"

// Fill `list` (may be NULL) with all solvers of the library; returns how many there are.
int own_contenders(contender *list);

#endif
