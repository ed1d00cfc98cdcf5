#include "complementarity/fb_system.h"

#include "complementarity/fischer_burmeister.h"

#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double PAPER_PSI = 1e-30;     // 000, tolerance of both algorithms
static const double PHI_FLOOR = 1e-12;     // ERRATA A11: |phi| <= 1e-12 (1 + |q|)
static const double MARGIN = 1e-2;         // stop this far within the tolerance asked for
static const double SMALLEST_STEP = 1e-16; // relative, ERRATA A11

static double slope_of_row(const ts_mcp_view *view, int i)
{
  const size_t n = (size_t)view->size;
  return view->J.value[view->diagonal ? (size_t)view->diagonal[i] : (size_t)i * n + (size_t)i];
}

bool ts_fb_init(ts_fb_system *system, const ts_problem *problem, ts_damped_method method, const ts_run *run,
                const double *start)
{
  ts_arena *arena = run->arena;
  const size_t n = ts_problem_size(problem);
  *system = (ts_fb_system){.best_psi = INFINITY, .best_residual = INFINITY};
  ts_mcp_view_init(&system->view, problem, TS_STORE_AUTO, arena);
  double **const vectors[] = {&system->z,       &system->F,         &system->phi, &system->trial_z,
                              &system->trial_F, &system->trial_phi, &system->d,   &system->best_z};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = ts_arena_zeros(arena, n);
  system->J = system->view.J;
  system->J.value = system->values = ts_arena_doubles(arena, ts_matrix_entries(&system->J));
  ts_damped_step_init(&system->step, &system->J, method, arena);
  if (run->options->warm_start)
    memcpy(system->trial_z, start, n * sizeof *start);
  else
    ts_mcp_view_cold_start(&system->view, system->trial_z, system->trial_F);
  memcpy(system->best_z, system->trial_z, n * sizeof *system->best_z);
  if (!ts_fb_try(system)) return false;
  ts_fb_accept(system);
  return true;
}

// The value of phi does not depend on the slope, which is needed only for derivatives at kinks.
bool ts_fb_try(ts_fb_system *system)
{
  const ts_mcp_view *view = &system->view;
  system->trial_psi = INFINITY;
  if (!ts_mcp_view_evaluate(&system->view, system->trial_z, system->trial_F)) return false;
  double sum = 0.0;
  for (int i = 0; i < view->size; ++i) {
    const double phi =
        ts_fischer_burmeister_row(system->trial_z[i], system->trial_F[i], view->lower[i], view->upper[i], 1.0).value;
    system->trial_phi[i] = phi;
    sum += phi * phi;
  }
  system->trial_psi = 0.5 * sum;
  return isfinite(sum);
}

static void swap(double **a, double **b)
{
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

void ts_fb_accept(ts_fb_system *system)
{
  swap(&system->z, &system->trial_z);
  swap(&system->F, &system->trial_F);
  swap(&system->phi, &system->trial_phi);
  system->psi = system->trial_psi;
}

// Row i of the Jacobian of phi is dz_i e_i^T + dF_i (row i of dF/dz).
static void fill_jacobian(ts_fb_system *system)
{
  const ts_mcp_view *view = &system->view;
  const int n = view->size;
  double *dz = system->trial_z, *dF = system->trial_F; // free between a step accepted and the next trial
  for (int i = 0; i < n; ++i) {
    const ts_fb_row row =
        ts_fischer_burmeister_row(system->z[i], system->F[i], view->lower[i], view->upper[i], slope_of_row(view, i));
    dz[i] = row.dz;
    dF[i] = row.dF;
  }
  for (int j = 0; j < n; ++j) {
    const size_t first = view->J.start ? (size_t)view->J.start[j] : (size_t)j * (size_t)n;
    const size_t end = view->J.start ? (size_t)view->J.start[j + 1] : first + (size_t)n;
    for (size_t k = first; k < end; ++k) {
      const int i = view->J.index ? view->J.index[k] : (int)(k - first);
      system->values[k] = dF[i] * view->J.value[k] + (i == j ? dz[i] : 0.0);
    }
  }
}

bool ts_fb_linearize(ts_fb_system *system)
{
  ts_mcp_view *view = &system->view;
  const int n = view->size;
  if (!ts_mcp_view_jacobian(view, system->z)) return false;
  fill_jacobian(system);
  ts_damped_step_load(&system->step, &system->J, system->phi);
  system->residual = ts_mcp_view_residual(view, system->z, system->F);
  double *q = system->trial_F;
  memcpy(q, system->F, (size_t)n * sizeof *q);
  ts_matrix_multiply_add(&view->J, -1.0, system->z, q);
  system->data = 1.0 + cblas_dnrm2(n, q, 1);
  if (system->psi < system->best_psi) {
    system->best_psi = system->psi;
    system->best_residual = system->residual;
    memcpy(system->best_z, system->z, (size_t)n * sizeof *system->best_z);
  }
  return true;
}

bool ts_fb_converged(const ts_fb_system *system, double tolerance)
{
  const bool at_floor = system->psi < PAPER_PSI || sqrt(2.0 * system->psi) <= PHI_FLOOR * system->data;
  return at_floor && system->residual <= MARGIN * tolerance;
}

bool ts_fb_step_vanishes(const ts_fb_system *system, double length)
{
  const int n = system->view.size;
  return length * cblas_dnrm2(n, system->d, 1) <= SMALLEST_STEP * cblas_dnrm2(n, system->z, 1);
}

double ts_fb_slope(const ts_fb_system *system)
{
  return cblas_ddot(system->view.size, system->step.gradient, 1, system->d, 1);
}

void ts_fb_finish(ts_fb_system *system, ts_run *run, double *z)
{
  ts_mcp_view *view = &system->view;
  memcpy(z, system->best_z, (size_t)view->size * sizeof *z);
  memcpy(system->trial_z, z, (size_t)view->size * sizeof *z);
  ts_mcp_view_project(view, system->trial_z);
  if (ts_mcp_view_evaluate(view, system->trial_z, system->trial_F) && ts_mcp_view_jacobian(view, system->trial_z)) {
    const double projected = ts_mcp_view_residual(view, system->trial_z, system->trial_F);
    if (projected <= system->best_residual) {
      system->best_residual = projected;
      memcpy(z, system->trial_z, (size_t)view->size * sizeof *z);
    }
  }
  run->report->claimed = system->best_residual;
}
