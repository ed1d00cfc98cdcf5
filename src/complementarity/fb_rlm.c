// fb-rlm: the complementarity problem as equations by the Fischer-Burmeister function, solved by the regular
// Levenberg-Marquardt algorithm of 000 (after Bazaraa et al.), with the corrections of ERRATA: the step is
// -(J^T J + lambda I)^-1 J^T phi, it is taken iff the reduction ratio is positive, lambda is divided by the step factor
// and floored, and a vanishing step ends the run where psi < 1e-30 cannot be reached.
#include "complementarity/fb_system.h"

#include "math/matrix.h"

#include <math.h>
#include <string.h>

static const double LAMBDA = 1e-3, LAMBDA_STEP = 20.0, LAMBDA_MIN = 1e-25; // 000, RLM
static const double LAMBDA_MAX = 1e25; // beyond it steps are below rounding whatever the gradient
static const double POOR_RATIO = 0.3, GOOD_RATIO = 0.8;

// Change of the quadratic model, phi^T J d + |J d|^2/2 < 0.
static double predicted_change(ts_fb_system *s)
{
  const int n = s->view.size;
  double *Jd = s->trial_phi, sum = 0.0;
  memset(Jd, 0, (size_t)n * sizeof *Jd);
  ts_matrix_multiply_add(&s->J, 1.0, s->d, Jd);
  for (int i = 0; i < n; ++i) sum += Jd[i] * (s->phi[i] + 0.5 * Jd[i]);
  return sum;
}

// Actual over predicted decrease for the step d; -1 where the trial point is of no use. Leaves the trial point behind.
static double reduction_ratio(ts_fb_system *s)
{
  const double predicted = predicted_change(s);
  for (int i = 0; i < s->view.size; ++i) s->trial_z[i] = s->z[i] + s->d[i];
  if (!ts_fb_try(s)) return -1.0;
  const double actual = s->trial_psi - s->psi;
  if (!(predicted < 0.0)) return actual < 0.0 ? 1.0 : -1.0; // 0/0 next to the solution
  return actual / predicted;
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_fb_system s;
  double lambda = run->options->damping > 0.0 ? run->options->damping : LAMBDA;
  ts_outcome outcome = TS_ITERATION_LIMIT;
  if (!ts_fb_init(&s, problem, TS_NORMAL_EQUATIONS, run, z) || !ts_fb_linearize(&s)) {
    memcpy(z, s.best_z, (size_t)s.view.size * sizeof *z);
    return TS_BROKE_DOWN;
  }
  for (int k = 0; k < run->limit; ++k) {
    if (ts_fb_converged(&s, run->options->tolerance)) {
      outcome = TS_SOLVED;
      break;
    }
    if (ts_run_out_of_time(run)) {
      outcome = TS_TIME_LIMIT;
      break;
    }
    if (lambda > LAMBDA_MAX) {
      outcome = TS_STALLED;
      break;
    }
    ++run->report->factorizations;
    const bool solved = ts_damped_step_solve(&s.step, lambda, s.phi, s.d);
    if (solved && ts_fb_step_vanishes(&s, 1.0)) {
      outcome = TS_STALLED;
      break;
    }
    const double ratio = solved ? reduction_ratio(&s) : -1.0;
    ts_run_record(run, s.residual, ratio > 0.0 ? 1.0 : 0.0, lambda, 0);
    if (ratio < POOR_RATIO) lambda *= LAMBDA_STEP;
    if (ratio > GOOD_RATIO) lambda = fmax(lambda / LAMBDA_STEP, LAMBDA_MIN);
    if (!(ratio > 0.0)) continue;
    ts_fb_accept(&s);
    if (!ts_fb_linearize(&s)) {
      outcome = TS_BROKE_DOWN;
      break;
    }
  }
  ts_fb_finish(&s, run, z);
  return outcome;
}

const ts_solver ts_solver_fb_rlm = {
    .name = "fb-rlm",
    .summary = "Fischer-Burmeister equations, regular Levenberg-Marquardt (Mylapilli and Jain 2014)",
    .takes = TS_LCP | TS_MLCP | TS_MCP,
    .limit = 500,
    .solve = solve,
};
