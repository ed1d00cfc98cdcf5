// fb-rlm and fb-plm: a complementarity problem as the equations phi(z) = 0 of the Fischer-Burmeister function (000 eqs.
// 23-25, with general bounds), solved by the two Levenberg-Marquardt methods of 000. The paper does not scale, nor do
// these. Its tolerance psi < 1e-30 cannot be reached where velocities are of order 10; corrections.md 6 says where to
// stop.
#include "complementarity/newton/fischer_burmeister.h"
#include "complementarity/newton/levenberg_marquardt.h"
#include "complementarity/newton/mcp_view.h"

#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double PAPER_PSI = 1e-30; // 000, tolerance of both algorithms
static const double PHI_FLOOR = 1e-12; // corrections.md 6: |phi| <= 1e-12 (1 + |q|)

typedef struct fb_system {
  ts_mcp_view view;
  double *F;       // of the last point that was evaluated
  double *at;      // point that F and the view's Jacobian belong to, when
  bool is_there;   // both are defined there
  double *dz, *dF; // derivatives of phi_i with respect to z_i and F_i
} fb_system;

static void init(fb_system *s, const ts_problem *problem, ts_arena *arena)
{
  const size_t n = ts_problem_size(problem);
  *s = (fb_system){.F = ts_arena_zeros(arena, n),
                   .at = ts_arena_zeros(arena, n),
                   .dz = ts_arena_doubles(arena, n),
                   .dF = ts_arena_doubles(arena, n)};
  ts_mcp_view_init(&s->view, problem, TS_STORE_AUTO, arena);
}

// The value of phi does not depend on the slope, which decides about derivatives at kinks only.
static bool residual(void *user, const double *z, double *phi)
{
  fb_system *s = user;
  const ts_mcp_view *view = &s->view;
  s->is_there = false;
  if (!ts_mcp_view_evaluate(&s->view, z, s->F)) return false;
  for (int i = 0; i < view->size; ++i)
    phi[i] = ts_fischer_burmeister_row(z[i], s->F[i], view->lower[i], view->upper[i], 1.0).value;
  return true;
}

// F and its Jacobian at z. The driver asks for measure and Jacobian at the same point: the second time is free.
static bool go_to(fb_system *s, const double *z)
{
  const size_t bytes = (size_t)s->view.size * sizeof *z;
  if (s->is_there && memcmp(s->at, z, bytes) == 0) return true;
  s->is_there = ts_mcp_view_evaluate(&s->view, z, s->F) && ts_mcp_view_jacobian(&s->view, z);
  memcpy(s->at, z, bytes);
  return s->is_there;
}

static double slope_of_row(const ts_mcp_view *view, int i)
{
  const size_t n = (size_t)view->size;
  return view->J.value[view->diagonal ? (size_t)view->diagonal[i] : (size_t)i * n + (size_t)i];
}

// Row i of the Jacobian of phi is dz_i e_i^T + dF_i (row i of dF/dz).
static bool jacobian(void *user, const double *z, double *values)
{
  fb_system *s = user;
  const ts_mcp_view *view = &s->view;
  const int n = view->size;
  if (!go_to(s, z)) return false;
  for (int i = 0; i < n; ++i) {
    const ts_fb_row row =
        ts_fischer_burmeister_row(z[i], s->F[i], view->lower[i], view->upper[i], slope_of_row(view, i));
    s->dz[i] = row.dz;
    s->dF[i] = row.dF;
  }
  for (int j = 0; j < n; ++j) {
    const size_t first = view->J.start ? (size_t)view->J.start[j] : (size_t)j * (size_t)n;
    const size_t end = view->J.start ? (size_t)view->J.start[j + 1] : first + (size_t)n;
    for (size_t k = first; k < end; ++k) {
      const int i = view->J.index ? view->J.index[k] : (int)(k - first);
      values[k] = s->dF[i] * view->J.value[k] + (i == j ? s->dz[i] : 0.0);
    }
  }
  return true;
}

static double measure(void *user, const double *z, const double *phi)
{
  fb_system *s = user;
  (void)phi;
  return go_to(s, z) ? ts_mcp_view_residual(&s->view, z, s->F) : (double)INFINITY;
}

// |phi| that rounding lets us reach, from the data at the start: 1 + |q|, q = F - J z.
static double reachable(fb_system *s, const double *z)
{
  const int n = s->view.size;
  if (!go_to(s, z)) return 0.0;
  double *q = s->dz;
  memcpy(q, s->F, (size_t)n * sizeof *q);
  ts_matrix_multiply_add(&s->view.J, -1.0, z, q);
  return fmax(sqrt(2.0 * PAPER_PSI), PHI_FLOOR * (1.0 + cblas_dnrm2(n, q, 1)));
}

// Move z into the box where that does no harm.
static void project(fb_system *s, ts_run *run, double *z)
{
  const size_t n = (size_t)s->view.size;
  double *projected = ts_arena_doubles(run->arena, n);
  memcpy(projected, z, n * sizeof *z);
  ts_mcp_view_project(&s->view, projected);
  const double left = measure(s, projected, NULL);
  if (!(left <= run->report->claimed)) return;
  run->report->claimed = left;
  memcpy(z, projected, n * sizeof *z);
}

typedef ts_outcome method(const ts_equations *equations, ts_run *run, double *x);

static ts_outcome solve(method *minimize, const ts_problem *problem, ts_run *run, double *z)
{
  fb_system s;
  init(&s, problem, run->arena);
  if (!run->options->warm_start) ts_mcp_view_cold_start(&s.view, z, s.F);
  const ts_equations equations = {.size = s.view.size,
                                  .residual = residual,
                                  .jacobian = jacobian,
                                  .measure = measure,
                                  .user = &s,
                                  .start = s.view.J.start,
                                  .index = s.view.J.index,
                                  .enough = reachable(&s, z)};
  const ts_outcome outcome = minimize(&equations, run, z);
  project(&s, run, z);
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

const ts_solver ts_solver_fb_rlm = {
    .name = "fb-rlm",
    .summary = "Fischer-Burmeister equations, regular Levenberg-Marquardt (000, MLCP-FB-RLM)",
    .takes = TS_LCP | TS_MLCP | TS_MCP,
    .limit = 500,
    .solve = solve_regular,
};

const ts_solver ts_solver_fb_plm = {
    .name = "fb-plm",
    .summary = "Fischer-Burmeister equations, Gauss-Newton with non-monotone line search (000, MLCP-FB-PLM)",
    .takes = TS_LCP | TS_MLCP | TS_MCP,
    .limit = 500,
    .solve = solve_projected,
};
