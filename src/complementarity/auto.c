// Solver `auto`: chooses by type and size, and falls down a declared chain. Friction problems have a chain of their
// own, whose stages share one scaled problem (auto_friction.c); here whole solvers follow each other, each from its own
// cold start, and the best certified point is kept.
#include "complementarity/friction/auto_friction.h"
#include "complementarity/solver.h"

#include "math/matrix.h"

#include <math.h>
#include <string.h>

// Pivoting is exact and ends on every problem of the classes its theory covers; pathsearch covers the rest and does not
// slow down with the number of pivots; the Fischer-Burmeister methods and principal pivoting now and then solve what
// both miss.
static const char *const pivoting_first[] = {"lemke", "pathsearch", "fb-plm", "dantzig", "fb-rlm", NULL};
static const char *const newton_first[] = {"pathsearch", "lemke", "fb-plm", "fb-rlm", NULL};
static const char *const nonlinear[] = {"pathsearch", "fb-plm", "fb-rlm", NULL};

// Sparse problems beyond this size start with pathsearch: its crash finds most of the active set at once, where Lemke's
// method needs about as many pivots as there are variables.
enum { LARGE = 2000 };

static const char *const *choose_chain(const ts_problem *problem)
{
  if (problem->type == TS_MCP) return nonlinear;
  const ts_matrix *M = problem->type == TS_LCP ? &problem->lcp.M : &problem->mlcp.M;
  return M->rows > LARGE && !ts_matrix_is_dense(M) ? newton_first : pivoting_first;
}

static ts_outcome run_chain(const ts_problem *problem, const char *const *chain, ts_run *run, double *z)
{
  const size_t bytes = ts_problem_size(problem) * sizeof *z;
  double *trial = ts_arena_bytes(run->arena, bytes, 1), best = INFINITY;
  const char *producer = chain[0];
  ts_outcome result = TS_STALLED;
  bool warm = run->options->warm_start;
  ts_report *report = run->report;
  for (const char *const *name = chain; *name; ++name) {
    memcpy(trial, z, bytes);
    const ts_outcome outcome = ts_run_stage(ts_solver_find(*name), problem, run, warm, trial);
    if (outcome == TS_RAY || (result != TS_RAY && outcome != TS_SOLVED)) result = outcome;
    if (name == chain || report->residual < best || isnan(best)) {
      best = report->residual;
      producer = *name;
      memcpy(z, trial, bytes);
    }
    if (outcome == TS_SOLVED) {
      result = TS_SOLVED;
      break;
    }
    if (ts_run_is_over(run)) {
      result = ts_run_ending(run, result);
      break;
    }
    if (name[1]) ++report->fallbacks;
    warm = false;
  }
  report->claimed = best;
  report->solver = producer;
  return result;
}

static ts_outcome solve_auto(const ts_problem *problem, ts_run *run, double *z)
{
  if (problem->type == TS_FRICTION || problem->type == TS_GLOBAL_FRICTION) return ts_auto_friction(problem, run, z);
  return run_chain(problem, choose_chain(problem), run, z);
}

const ts_solver ts_solver_auto = {"auto", "chooses by type and size, and falls down a chain until one is certified",
                                  TS_LCP | TS_MLCP | TS_MCP | TS_FRICTION | TS_GLOBAL_FRICTION, 1000000, solve_auto};
