// The list of solvers. A new one is a file with its table, and a line here.
#include "complementarity/solver.h"
#include "base/require.h"

#include <string.h>

#define TS_SOLVERS(X)                                                                                                  \
  X(auto)                                                                                                              \
  X(lemke)                                                                                                             \
  X(dantzig)                                                                                                           \
  X(murty)                                                                                                             \
  X(pgs)                                                                                                               \
  X(psor)                                                                                                              \
  X(fb_rlm)                                                                                                            \
  X(fb_plm)                                                                                                            \
  X(pathsearch)                                                                                                        \
  X(ncp_rlm)                                                                                                           \
  X(ncp_plm)                                                                                                           \
  X(ncp_dogleg)                                                                                                        \
  X(splitting)                                                                                                         \
  X(nsgs)                                                                                                              \
  X(newton)                                                                                                            \
  X(proximal)                                                                                                          \
  X(smooth)                                                                                                            \
  X(arclength)

#define DECLARE(name) extern const ts_solver ts_solver_##name;
TS_SOLVERS(DECLARE)
#undef DECLARE

#define ENTRY(name) &ts_solver_##name,
static const ts_solver *const solvers[] = {TS_SOLVERS(ENTRY) NULL};
#undef ENTRY

int ts_solver_count(void)
{
  return (int)(sizeof solvers / sizeof solvers[0]) - 1;
}

const ts_solver *ts_solver_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_solver_count());
  return solvers[i];
}

const ts_solver *ts_solver_find(const char *name)
{
  TS_REQUIRE(name);
  for (int i = 0; i < ts_solver_count(); ++i)
    if (strcmp(solvers[i]->name, name) == 0) return solvers[i];
  return NULL;
}

const char *ts_solver_name(const ts_solver *solver)
{
  TS_REQUIRE(solver);
  return solver->name;
}

const char *ts_solver_summary(const ts_solver *solver)
{
  TS_REQUIRE(solver);
  return solver->summary;
}

unsigned ts_solver_takes(const ts_solver *solver)
{
  TS_REQUIRE(solver);
  return solver->takes;
}

int ts_solver_default_limit(const ts_solver *solver)
{
  TS_REQUIRE(solver);
  return solver->limit;
}
