// Principal pivoting of Dantzig and Cottle (Cottle, Pang and Stone, "The Linear Complementarity Problem", section 4.3,
// the asymmetric version), with bounds.
//
// z stays within its bounds throughout; w may have wrong signs, and one of them after the other is put right: for a
// distinguished i with a wrong w_i, z_i leaves its bound and complementary pivoting goes on until w_i has reached 0 (or
// z_i its other bound). Signs that are right stay right, so there are at most n such paths. For row-sufficient
// matrices, positive semidefinite and P-matrices among them, w_i moves steadily towards 0 (where it does not, z_i may
// come back to where it was: then the method gives up); only pivots that block are used, hence a singular M needs no
// special care. Where nothing blocks, the problem is infeasible (for positive semidefinite M).
//
// A pivot costs O(k^2 + n k) for k basic variables (basis.h), less where M is sparse; the typical number of pivots is
// that of the variables that change sides.
#include "complementarity/linear/pivoting.h"

#include <math.h>

enum { LIMIT = 100000 }; // pivots

static const double DOUBTFUL = 1e-7; // violation below which the values are computed anew before it is believed

// The i with the worst sign of w_i, or -1 when all are right: up to rounding, or to a tenth of the tolerance. Where M
// is singular, rows that depend on the core carry its rounding errors, and to put them right is neither possible nor
// needed.
static int worst_sign(const ts_pivoting *s)
{
  double worst = fmax(TS_PIVOTING_TIE * ts_pivoting_size(s), 0.1 * s->run->options->tolerance);
  int found = -1;
  for (int i = 0; i < s->p->size; ++i) {
    if (s->basis.row_place[i] >= 0 || ts_pivoting_w_violation(s, i) <= worst) continue;
    worst = ts_pivoting_w_violation(s, i);
    found = i;
  }
  return found;
}

// Whether the basic z lie within their bounds.
static bool starts_within_bounds(const ts_pivoting *s)
{
  const double allowed = TS_PIVOTING_TIE * ts_pivoting_size(s);
  for (int c = 0; c < s->basis.core; ++c) {
    const int j = s->basis.columns[c];
    if (s->z[j] < s->p->lower[j] - allowed || s->z[j] > s->p->upper[j] + allowed) return false;
  }
  return true;
}

static bool start(ts_pivoting *s, const double *warm)
{
  if (warm && ts_pivoting_start_warm(s, warm) && ts_pivoting_refresh(s) && starts_within_bounds(s)) return true;
  ts_pivoting_start_cold(s);
  return ts_pivoting_refresh(s) && starts_within_bounds(s);
}

static ts_pivoting_end put_signs_right(ts_pivoting *s)
{
  for (;;) {
    s->distinguished = worst_sign(s);
    const double violation = s->distinguished < 0 ? 0.0 : ts_pivoting_w_violation(s, s->distinguished);
    if (violation < DOUBTFUL) { // may be an error of the values, which have been updated along the path
      if (!ts_pivoting_refresh(s)) return TS_PIVOTING_TROUBLE;
      ts_pivoting_keep_best(s); // the next path may chase rounding errors
      s->distinguished = worst_sign(s);
    }
    if (s->distinguished < 0) return ts_pivoting_is_solution(s) ? TS_PIVOTING_SOLVED : TS_PIVOTING_TROUBLE;
    const double direction = s->side[s->distinguished] == TS_AT_LOWER ? 1.0 : -1.0;
    const ts_pivoting_end end = ts_pivoting_follow(s, (ts_entering){s->distinguished, direction});
    if (end != TS_PIVOTING_SOLVED) return end;
    const bool back = s->basis.row_place[s->distinguished] < 0;
    if (back && ts_pivoting_w_violation(s, s->distinguished) > DOUBTFUL) return TS_PIVOTING_TROUBLE;
  }
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_boxed p;
  ts_pivoting s;
  ts_boxed_init(&p, problem, run->arena);
  ts_pivoting_init(&s, &p, run);
  const ts_pivoting_end end = start(&s, ts_pivoting_warm_point(&s, z)) ? put_signs_right(&s) : TS_PIVOTING_TROUBLE;
  ts_pivoting_keep_best(&s);
  return ts_pivoting_finish(&s, problem, end, z);
}

const ts_solver ts_solver_dantzig = {
    .name = "dantzig",
    .summary = "principal pivoting of Dantzig and Cottle (Cottle, Pang and Stone, section 4.3)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve,
};
