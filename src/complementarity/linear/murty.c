// Murty's least-index method for P-matrices (K. G. Murty, "Linear Complementarity, Linear and Nonlinear Programming",
// section 3.2; with two bounds a variable as in Judice and Pires, Computers and Operations Research 21, 1994).
//
// All bases are complementary. Of the variables that violate a bound the one with the least index changes sides: a z_i
// outside its bounds goes to the bound it violates, a w_i with the wrong sign makes z_i basic. For P-matrices no basis
// comes back, and the only feasible one is found; otherwise the iteration limit ends a cycle, and a zero pivot the run.
// Free variables are basic from the start and never violate anything.
//
// A pivot costs O(k^2 + n k) for k basic variables (basis.h). Their number can grow exponentially with n in contrived
// cases.
#include "complementarity/linear/pivoting.h"

#include <math.h>

enum {
  LIMIT = 100000, // pivots
  REFRESH = 32    // pivots between computing the values anew
};

static const double SMALLEST_PIVOT = 1e-11; // relative to 1, the size of the entries of M

// z_i, basic, goes to a bound, and w_i becomes basic.
static bool make_nonbasic(ts_pivoting *s, int i, bool to_lower)
{
  const int w_i = ts_basis_w(&s->basis, i);
  const double bound = to_lower ? s->p->lower[i] : s->p->upper[i];
  ts_basis_column(&s->basis, w_i);
  const double rate = -s->basis.y[s->basis.column_place[i]];
  if (!(fabs(rate) > SMALLEST_PIVOT)) return false;
  ts_pivoting_move(s, (ts_entering){w_i, 1.0}, (bound - s->z[i]) / rate);
  if (!ts_pivoting_exchange(s, w_i, i)) return false;
  ts_pivoting_leave(s, (ts_blocker){.variable = i, .rate = to_lower ? -1.0 : 1.0});
  return true;
}

// z_i leaves its bound for the value that makes w_i zero.
static bool make_basic(ts_pivoting *s, int i)
{
  ts_basis_column(&s->basis, i);
  const double rate = s->basis.slope[i];
  if (!(fabs(rate) > SMALLEST_PIVOT)) return false;
  ts_pivoting_move(s, (ts_entering){i, 1.0}, -s->w[i] / rate);
  if (!ts_pivoting_exchange(s, i, ts_basis_w(&s->basis, i))) return false;
  ts_pivoting_leave(s, (ts_blocker){.variable = ts_basis_w(&s->basis, i)});
  return true;
}

// Let the first variable that violates a bound change sides. TS_PIVOTING_SOLVED when there is none.
static ts_pivoting_end change_least_index(ts_pivoting *s)
{
  const double allowed = TS_PIVOTING_TIE * ts_pivoting_size(s);
  for (int i = 0; i < s->p->size; ++i) {
    const bool basic = s->basis.column_place[i] >= 0;
    const bool low = basic && s->z[i] < s->p->lower[i] - allowed, high = basic && s->z[i] > s->p->upper[i] + allowed;
    const bool wrong_sign = s->basis.row_place[i] < 0 && ts_pivoting_w_violation(s, i) > allowed;
    if (!low && !high && !wrong_sign) continue;
    const bool done = wrong_sign ? make_basic(s, i) : make_nonbasic(s, i, low);
    return done ? TS_PIVOTING_GOES_ON : TS_PIVOTING_TROUBLE;
  }
  return TS_PIVOTING_SOLVED;
}

static ts_pivoting_end pivot_by_least_index(ts_pivoting *s)
{
  bool fresh = true; // values just computed
  for (;;) {
    if (s->pivots >= s->run->limit) return TS_PIVOTING_LIMIT;
    if (ts_run_out_of_time(s->run)) return TS_PIVOTING_TIME;
    const ts_pivoting_end end = change_least_index(s);
    if (end == TS_PIVOTING_SOLVED && fresh)
      return ts_pivoting_is_solution(s) ? TS_PIVOTING_SOLVED : TS_PIVOTING_TROUBLE;
    if (end == TS_PIVOTING_TROUBLE) return end;
    if (end == TS_PIVOTING_GOES_ON) {
      ++s->pivots;
      ts_run_record(s->run, ts_pivoting_worst_violation(s), 0.0, 0.0, s->basis.core);
    }
    fresh = end == TS_PIVOTING_SOLVED || s->pivots % REFRESH == 0;
    if (fresh && !ts_pivoting_refresh(s)) return TS_PIVOTING_TROUBLE;
  }
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  ts_boxed p;
  ts_pivoting s;
  ts_boxed_init(&p, problem, run->arena);
  ts_pivoting_init(&s, &p, run);
  const double *warm = ts_pivoting_warm_point(&s, z);
  if (!warm || !ts_pivoting_start_warm(&s, warm)) ts_pivoting_start_cold(&s);
  const ts_pivoting_end end = ts_pivoting_refresh(&s) ? pivot_by_least_index(&s) : TS_PIVOTING_TROUBLE;
  ts_pivoting_keep_best(&s);
  return ts_pivoting_finish(&s, problem, end, z);
}

const ts_solver ts_solver_murty = {
    .name = "murty",
    .summary = "least-index principal pivoting for P-matrices (Murty 1988, section 3.2)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve,
};
