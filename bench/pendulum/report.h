// The tables of bench_pendulum. Touchstone in minimal coordinates comes first everywhere.
#ifndef BENCH_PENDULUM_REPORT_H
#define BENCH_PENDULUM_REPORT_H

#include "measure.h"
#include "run.h"

#include <stdio.h>

void report_chain_engines(FILE *out, const engine *const *engines, int count);

// A row of Table I: all engines on n links.
void report_run(FILE *out, int links, double duration, const table_run *runs, int count);
// What that row is meant to reach, and whether it does.
void report_run_targets(FILE *out, int links, const table_run *runs, int count);

// Time of a step against the number of links: results of lengths[i] at results[i * count].
void report_growth(FILE *out, const char *title, const int *lengths, int lengths_count, const measurement *results,
                   int count);

#endif
