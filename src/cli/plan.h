// Which solvers run on which formulations of a problem.
#ifndef TS_CLI_PLAN_H
#define TS_CLI_PLAN_H

#include "cli/formulation.h"

#include "touchstone/solver.h"

typedef struct cli_pair {
  const ts_solver *solver;
  const cli_formulation *formulation;
} cli_pair;

typedef struct cli_plan {
  cli_formulation formulations[CLI_FORM_COUNT];
  int formulation_count;
  cli_pair *pairs;
  int count;
} cli_plan;

enum { CLI_DEFAULT_DIRECTIONS = 8 };

// One run of the named solver. `form` is a name of formulation.h, or NULL: directions > 0 then ask for the LCP, else
// the problem stays as it is, global ones being condensed for solvers of the local form. `directions` 0: the default.
// Both functions return false after one sentence on standard error; the plan then needs no destroying. The problem
// must outlive the plan.
bool cli_plan_one(const ts_problem *problem, const char *solver, const char *form, int directions, cli_plan *plan);

// Every solver that takes the problem in the form named; NULL: as it is, and condensed where it is global; "all": every
// form it can be brought into.
bool cli_plan_all(const ts_problem *problem, const char *form, int directions, cli_plan *plan);

void cli_plan_destroy(cli_plan *plan);

#endif
