// The solvers of Siconos Numerics as contenders.
#ifndef BENCH_SOLVERS_SICONOS_CONTENDER_H
#define BENCH_SOLVERS_SICONOS_CONTENDER_H

#include "contender.h"

// Fill `list` (may be NULL) with Siconos' solvers; returns how many there are.
int siconos_contenders(contender *list);

#endif
