// A problem of ours as Siconos wants it: a copy in its structs, made anew for every solve because its solvers keep
// converted matrices and factors inside.
#ifndef BENCH_SOLVERS_SICONOS_PROBLEM_H
#define BENCH_SOLVERS_SICONOS_PROBLEM_H

#include "touchstone/problem.h"

#include <stdbool.h>

#include <NumericsMatrix.h>
#include <SolverOptions.h>

typedef struct siconos_problem siconos_problem;

// LCPs, MLCPs whose variables are free or bounded below by 0, and local friction in 2D and 3D with round cones.
bool siconos_problem_exists(const ts_problem *problem);

// `storage` is that of the matrix W of a friction problem; LCPs and MLCPs are dense. Ends the process when memory runs
// out.
siconos_problem *siconos_problem_create(const ts_problem *problem, NM_types storage);
void siconos_problem_destroy(siconos_problem *problem);

// What the drivers of some types want to be done before and after they are called; not part of a solve.
void siconos_problem_prepare(siconos_problem *problem, SolverOptions *options);
void siconos_problem_finish(siconos_problem *problem, SolverOptions *options);

// One call of the driver of this type of problem, from the cold start z = 0. Returns Siconos' `info`, 0 for success.
int siconos_problem_drive(siconos_problem *problem, SolverOptions *options);

// The solution in our order, ts_problem_size() numbers.
void siconos_problem_solution(const siconos_problem *problem, double *z);

#endif
