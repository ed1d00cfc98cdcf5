// A solver in the comparison, ours or another library's, behind one interface.
#ifndef BENCH_SOLVERS_CONTENDER_H
#define BENCH_SOLVERS_CONTENDER_H

#include "isolated.h"

#include "touchstone/problem.h"

// What every contender is asked to do, the same for all of them.
typedef struct trial {
  const ts_problem *problem;
  criterion by;
  double tolerance;  // to be reached by the figure of the criterion
  int repeats;       // solves to take the minimum of, at least 1
  double repeat_for; // CPU seconds after which no further repeat is started
  double limit;      // CPU seconds to reach the tolerance in
} trial;

typedef struct contender contender;
struct contender {
  const char *name; // "auto", "siconos:nsgs"
  bool ours;
  const void *solver;
  bool (*takes)(const contender *self, const ts_problem *problem);
  // Solve from cold until the trial's repeats are done, publishing the measurement whenever it got better.
  void (*measure)(const contender *self, const trial *trial, const publisher *to);
  // Solve once, without limit, for profilers.
  void (*solve_once)(const contender *self, const trial *trial, measurement *m);
};

typedef struct contender_list {
  int count;
  contender *at;
} contender_list;

// All contenders, ours first; without those of Siconos where it was not found or `siconos` is false.
contender_list contender_list_create(bool siconos);
void contender_list_destroy(contender_list *list);
// The one of that name that takes the problem (Siconos has an "nsgs" in 2D and in 3D), or NULL.
const contender *contender_list_find(const contender_list *list, const char *name, const ts_problem *problem);

// The trial in a child process.
measurement contender_run(const contender *self, const trial *trial);

#endif
