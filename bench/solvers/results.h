// Everything that was measured in a run, and the questions the reports ask of it.
#ifndef BENCH_SOLVERS_RESULTS_H
#define BENCH_SOLVERS_RESULTS_H

#include "contender.h"
#include "problem_set.h"

typedef struct entry {
  bool ran; // false where the contender does not take the problem or was not asked for
  measurement m;
} entry;

// One problem with an entry for every contender.
typedef struct problem_results {
  char set[16], name[PROBLEM_NAME];
  ts_problem_type type;
  int size;
  entry *entries;
  measurement strict; // "auto" at STRICT_TOLERANCE where the summary wants it
} problem_results;

#define STRICT_TOLERANCE 1e-10

typedef struct results {
  contender_list contenders;
  problem_results *at;
  int count;
  criterion by;
  double tolerance;
} results;

// The fastest contender of one side that reached the tolerance, or -1.
int results_best(const results *r, const problem_results *record, bool ours);

// The entry of that name on this problem if it ran, or NULL.
const entry *results_entry(const results *r, const problem_results *record, const char *name);

// Whether the summary quotes the time of this problem at STRICT_TOLERANCE.
bool results_quoted(const char *problem);

#endif
