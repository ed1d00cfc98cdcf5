// A plug-in that adds a solver under a name that is taken.
#include <touchstone/extension.h>

static ts_outcome solve(void *user, const ts_problem *problem, ts_solver_run *run, double *z)
{
  (void)user, (void)problem, (void)run, (void)z;
  return TS_STALLED;
}

static ts_status add(ts_extensions *extensions, ts_error *error)
{
  static const ts_solver_def def = {
      .name = "lemke", .summary = "not Lemke's", .takes = TS_LCP, .limit = 1, .solve = solve};
  return ts_extensions_add_solver(extensions, &def, error);
}

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "twice", add};
