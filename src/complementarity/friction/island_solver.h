// Friction problems that fall apart into islands: each is solved by itself, with its own stopping and its own
// fall-backs, so that nobody waits for a hard one or is spoilt by it.
#ifndef TS_COMPLEMENTARITY_FRICTION_ISLAND_SOLVER_H
#define TS_COMPLEMENTARITY_FRICTION_ISLAND_SOLVER_H

#include "complementarity/solver.h"

// Solve the islands of a friction problem one after another by `solve`, which takes a connected problem, and put their
// solutions into z. False, and nothing is done, where there are not several, or the problem has bilateral rows or data
// whose squares are lost.
//
// *outcome is the worst of them, a proof that one has no solution being worse than all else: report->jam then names its
// contacts only. Iterations, factorizations and fall-backs add up; solver and trail are those of the island with the
// worst outcome, and among equals of the one that took the most iterations. Islands that no time or iterations are left
// for keep their start.
bool ts_islands_solve(const ts_problem *problem, ts_run *run, double *z,
                      ts_outcome (*solve)(const ts_problem *island, ts_run *run, double *z), ts_outcome *outcome);

#endif
