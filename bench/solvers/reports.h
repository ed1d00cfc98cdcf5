// What a run leaves behind: a table with a summary, performance profiles, and all numbers as CSV.
#ifndef BENCH_SOLVERS_REPORTS_H
#define BENCH_SOLVERS_REPORTS_H

#include "results.h"

#include <stdio.h>

// One line a problem: ours against the best of Siconos, with ratios; then the summary.
void report_table(const results *r, FILE *out);

// Every measurement of a problem, one line each; written while the run goes on, so that nothing is lost when it ends
// early.
void report_csv_header(FILE *out);
void report_csv(const results *r, const problem_results *record, FILE *out);

// Dolan-More performance profile of the problems of one type: the share of problems a solver finishes within tau times
// the time of the fastest. `count` is that of the problems some contender solved; nothing is written when it is 0.
int report_profile_count(const results *r, ts_problem_type type);
void report_profile_text(const results *r, ts_problem_type type, FILE *out);
void report_profile_svg(const results *r, ts_problem_type type, FILE *out);

#endif
