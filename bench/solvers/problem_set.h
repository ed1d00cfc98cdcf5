// The problems of the comparison: files, the pyramid LCPs of the contact piles, and random LCPs.
#ifndef BENCH_SOLVERS_PROBLEM_SET_H
#define BENCH_SOLVERS_PROBLEM_SET_H

#include "touchstone/problem.h"

enum { PROBLEM_NAME = 96, PROBLEM_PATH = 1024 };

// Where a problem comes from; opened one at a time, since all together are large.
typedef struct problem_source {
  char set[16];            // "lcp", "mlcp", "fc3d", "fclib", "piles", "pyramid", "random"
  char name[PROBLEM_NAME]; // "piles/fc3d_np_K0256_rest"
  char path[PROBLEM_PATH]; // of the file; empty for a generated problem
  int class, size, seed;   // of a generated problem, see lcp_generator.h
} problem_source;

typedef struct problem_list {
  problem_source *at;
  int count;
} problem_list;

// The problems of the sets named in `sets` (comma separated, NULL: all) under the folder `data`, whose names contain
// `only` (NULL: any). A path of an existing file in `only` is a list of that file alone.
problem_list problem_list_create(const char *data, const char *sets, const char *only);
void problem_list_destroy(problem_list *list);

// A problem in memory. Global friction problems are condensed: local solvers are what is compared.
typedef struct bench_problem bench_problem;

// NULL when it cannot be opened, or has nothing to solve; `why` (256 characters) then says so.
bench_problem *bench_problem_open(const problem_source *source, char *why);
const ts_problem *bench_problem_get(const bench_problem *problem);
void bench_problem_close(bench_problem *problem);

#endif
