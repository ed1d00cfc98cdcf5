// Friction problems by Levenberg-Marquardt on the hybrid variable: MNCP-RLM and MNCP-PLM of 000. Cold start p = 0, z =
// q.
#include "complementarity/newton/levenberg_marquardt.h"
#include "complementarity/friction/mncp.h"
#include "complementarity/solver.h"

static bool residual(void *user, const double *x, double *phi)
{
  ts_mncp_residual(user, x, phi);
  return true;
}

static bool jacobian(void *user, const double *x, double *J)
{
  ts_mncp_jacobian(user, x, J);
  return true;
}

static double measure(void *user, const double *x, const double *phi)
{
  return ts_mncp_measure(user, x, phi);
}

typedef ts_outcome method(const ts_equations *equations, ts_run *run, double *x);

static ts_outcome solve(method *minimize, const ts_problem *problem, ts_run *run, double *z)
{
  ts_mncp mncp;
  ts_mncp_init(&mncp, &problem->friction, run->options->impulse_scale, run->arena);
  double *x = ts_arena_doubles(run->arena, (size_t)mncp.size);
  if (run->options->warm_start)
    ts_mncp_start_at(&mncp, z, x);
  else
    ts_mncp_start_free(&mncp, x);
  const ts_equations equations = {
      .size = mncp.size, .residual = residual, .jacobian = jacobian, .measure = measure, .user = &mncp};
  const ts_outcome outcome = minimize(&equations, run, x);
  ts_mncp_recover(&mncp, x, z);
  return outcome;
}

static ts_outcome solve_regular(const ts_problem *problem, ts_run *run, double *z)
{
  return solve(ts_levenberg_marquardt_regular, problem, run, z);
}

static ts_outcome solve_projected(const ts_problem *problem, ts_run *run, double *z)
{
  return solve(ts_levenberg_marquardt_projected, problem, run, z);
}

const ts_solver ts_solver_ncp_rlm = {
    .name = "ncp-rlm",
    .summary = "hybrid impulse-velocity variable, regular Levenberg-Marquardt (000, MNCP-RLM)",
    .takes = TS_FRICTION,
    .limit = 500,
    .solve = solve_regular,
};

const ts_solver ts_solver_ncp_plm = {
    .name = "ncp-plm",
    .summary = "hybrid impulse-velocity variable, Gauss-Newton with non-monotone line search (000, MNCP-PLM)",
    .takes = TS_FRICTION,
    .limit = 200,
    .solve = solve_projected,
};
