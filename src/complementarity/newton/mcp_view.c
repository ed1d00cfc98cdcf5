#include "complementarity/newton/mcp_view.h"

#include "base/assert.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

// Below this size, or above this part of entries that are not zero, dense factorizations win. Measured per
// factorization: five-point grids cross at 40 to 60 unknowns in all solvers, random graphs of five entries a row at 80
// to 120 (pathsearch, fb-plm).
enum { SMALLEST_SPARSE = 80 };
static const double DENSEST_SPARSE = 0.1;

// ---- storage -------------------------------------------------------------------------------------------------------

static size_t nonzeros(const ts_matrix *A)
{
  if (!ts_matrix_is_dense(A) || !A->value) return ts_matrix_entries(A);
  size_t count = 0;
  const size_t entries = ts_matrix_entries(A);
  for (size_t k = 0; k < entries; ++k) count += A->value[k] != 0.0;
  return count;
}

// A dense Jacobian by callback has no pattern that could be trusted at the next point: it stays dense.
static bool stored_sparse(const ts_matrix *A, ts_mcp_storage storage)
{
  if (ts_matrix_is_dense(A) && !A->value) return false;
  if (storage != TS_STORE_AUTO) return storage == TS_STORE_SPARSE;
  const double size = A->rows;
  return A->rows >= SMALLEST_SPARSE && (double)nonzeros(A) <= DENSEST_SPARSE * size * size;
}

// Compressed columns with a full diagonal for the pattern of A (its entries that are not zero when A is dense).
// view->position[k] is where entry k of A goes.
static void make_pattern(ts_mcp_view *view, const ts_matrix *A, ts_arena *arena)
{
  const int n = A->rows;
  const size_t most = nonzeros(A) + (size_t)n;
  const bool dense = ts_matrix_is_dense(A);
  int *start = ts_arena_ints(arena, (size_t)n + 1), *index = ts_arena_ints(arena, most);
  int *diagonal = ts_arena_ints(arena, (size_t)n);
  view->position = ts_arena_ints(arena, ts_matrix_entries(A));
  int used = 0;
  for (int j = 0; j < n; ++j) {
    start[j] = used;
    diagonal[j] = -1;
    const size_t first = dense ? (size_t)j * (size_t)n : (size_t)A->start[j];
    const size_t end = dense ? first + (size_t)n : (size_t)A->start[j + 1];
    for (size_t k = first; k < end; ++k) {
      const int row = dense ? (int)(k - first) : A->index[k];
      if (diagonal[j] < 0 && row >= j) {
        diagonal[j] = used;
        if (row > j) index[used++] = j;
      }
      if (dense && A->value[k] == 0.0 && row != j) {
        view->position[k] = -1;
        continue;
      }
      index[used] = row;
      view->position[k] = used++;
    }
    if (diagonal[j] < 0) {
      diagonal[j] = used;
      index[used++] = j;
    }
  }
  start[n] = used;
  view->J = (ts_matrix){.rows = n, .columns = n, .start = start, .index = index};
  view->diagonal = diagonal;
}

static void make_dense(ts_mcp_view *view, const ts_matrix *A, ts_arena *arena)
{
  const int n = A->rows;
  view->J = (ts_matrix){.rows = n, .columns = n};
  if (ts_matrix_is_dense(A)) return;
  view->position = ts_arena_ints(arena, ts_matrix_entries(A));
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) view->position[k] = j * n + A->index[k];
}

// Spread values in the order of A over the view's storage.
static void scatter(ts_mcp_view *view, size_t entries, const double *values)
{
  if (!view->position) {
    if (entries && values != view->values) memcpy(view->values, values, entries * sizeof *values);
    return;
  }
  for (size_t k = 0; k < entries; ++k)
    if (view->position[k] >= 0) view->values[view->position[k]] = values[k];
}

static void make_storage(ts_mcp_view *view, const ts_matrix *A, ts_mcp_storage storage, ts_arena *arena)
{
  if (stored_sparse(A, storage))
    make_pattern(view, A, arena);
  else
    make_dense(view, A, arena);
  view->values = ts_arena_zeros(arena, ts_matrix_entries(&view->J));
  view->J.value = view->values;
}

static double *filled(size_t n, double value, ts_arena *arena)
{
  double *x = ts_arena_doubles(arena, n);
  for (size_t i = 0; i < n; ++i) x[i] = value;
  return x;
}

static void init_affine(ts_mcp_view *view, const ts_matrix *M, const double *q, ts_mcp_storage storage, ts_arena *arena)
{
  const size_t n = (size_t)view->size;
  view->affine = true;
  make_storage(view, M, storage, arena);
  scatter(view, ts_matrix_entries(M), M->value);
  view->q = ts_arena_doubles(arena, n);
  if (n) memcpy(view->q, q, n * sizeof *q);
}

static void init_mcp(ts_mcp_view *view, const ts_mcp *p, ts_mcp_storage storage, ts_arena *arena)
{
  const ts_matrix pattern = {.rows = p->size, .columns = p->size, .start = p->start, .index = p->index};
  view->lower = p->lower;
  view->upper = p->upper;
  make_storage(view, &pattern, storage, arena);
  view->native = view->position ? ts_arena_doubles(arena, ts_matrix_entries(&pattern)) : view->values;
}

void ts_mcp_view_init(ts_mcp_view *view, const ts_problem *problem, ts_mcp_storage storage, ts_arena *arena)
{
  const size_t n = ts_problem_size(problem);
  *view = (ts_mcp_view){.size = (int)n, .problem = problem};
  view->unscaled = ts_arena_doubles(arena, n);
  view->maxima = ts_arena_doubles(arena, n);
  view->scale_storage = ts_arena_doubles(arena, 3 * n);
  switch (problem->type) {
  case TS_LCP:
    view->lower = ts_arena_zeros(arena, n);
    view->upper = filled(n, INFINITY, arena);
    init_affine(view, &problem->lcp.M, problem->lcp.q, storage, arena);
    break;
  case TS_MLCP:
    view->lower = problem->mlcp.lower;
    view->upper = problem->mlcp.upper;
    init_affine(view, &problem->mlcp.M, problem->mlcp.q, storage, arena);
    break;
  default:
    init_mcp(view, &problem->mcp, storage, arena);
    break;
  }
  view->own_lower = view->lower;
  view->own_upper = view->upper;
}

// ---- scale ---------------------------------------------------------------------------------------------------------

static void scale_jacobian(ts_mcp_view *view, const double *s)
{
  const int n = view->size;
  for (int j = 0; j < n; ++j) {
    const size_t first = view->J.start ? (size_t)view->J.start[j] : (size_t)j * (size_t)n;
    const size_t end = view->J.start ? (size_t)view->J.start[j + 1] : first + (size_t)n;
    for (size_t k = first; k < end; ++k) {
      const int i = view->J.index ? view->J.index[k] : (int)(k - first);
      view->values[k] *= s[i] * s[j];
    }
  }
}

// s_i = 1/sqrt(c_i), c_i the largest entry of row i and column i of the problem's own Jacobian; where there is none,
// the largest of all.
static void symmetric_scale(ts_mcp_view *view, double *s)
{
  const int n = view->size;
  double *inverse = view->unscaled;
  for (int i = 0; view->scale && i < n; ++i) inverse[i] = 1.0 / view->scale[i];
  if (view->scale) scale_jacobian(view, inverse); // powers of two: there and back changes nothing
  memset(s, 0, (size_t)n * sizeof *s);
  ts_matrix_row_and_column_maxima(&view->J, s);
  if (view->scale) scale_jacobian(view, view->scale);
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = fmax(largest, s[i]);
  if (largest == 0.0) largest = 1.0;
  for (int i = 0; i < n; ++i) s[i] = 1.0 / sqrt(s[i] > 0.0 ? s[i] : largest);
}

void ts_mcp_view_scale(ts_mcp_view *view)
{
  TS_ASSERT(!view->scale);
  const size_t n = (size_t)view->size;
  double *s = view->scale_storage, *lower = s + n, *upper = lower + n;
  symmetric_scale(view, s);
  for (size_t i = 0; i < n; ++i) {
    s[i] = exp2(round(log2(s[i])));
    lower[i] = view->lower[i] / s[i];
    upper[i] = view->upper[i] / s[i];
    if (view->affine) view->q[i] *= s[i];
  }
  view->scale = s;
  view->lower = lower;
  view->upper = upper;
  scale_jacobian(view, s);
}

void ts_mcp_view_unscale(ts_mcp_view *view)
{
  TS_ASSERT(!view->affine);
  view->scale = NULL;
  view->lower = view->own_lower;
  view->upper = view->own_upper;
}

void ts_mcp_view_from_problem(const ts_mcp_view *view, const double *own, double *z)
{
  for (int i = 0; i < view->size; ++i) z[i] = view->scale ? own[i] / view->scale[i] : own[i];
}

void ts_mcp_view_to_problem(const ts_mcp_view *view, const double *z, double *own)
{
  for (int i = 0; i < view->size; ++i) own[i] = view->scale ? z[i] * view->scale[i] : z[i];
}

// ---- values --------------------------------------------------------------------------------------------------------

static bool all_finite(const double *x, size_t n)
{
  double sum = 0.0; // 0 x stays 0 exactly for finite x
  for (size_t i = 0; i < n; ++i) sum += 0.0 * x[i];
  return sum == 0.0;
}

bool ts_mcp_view_evaluate(ts_mcp_view *view, const double *z, double *F)
{
  const size_t n = (size_t)view->size;
  if (view->affine) {
    memcpy(F, view->q, n * sizeof *F);
    ts_matrix_multiply_add(&view->J, 1.0, z, F);
    return all_finite(F, n);
  }
  const ts_mcp *p = &view->problem->mcp;
  ts_mcp_view_to_problem(view, z, view->unscaled);
  if (p->evaluate(p->user, view->unscaled, F)) return false;
  for (size_t i = 0; view->scale && i < n; ++i) F[i] *= view->scale[i];
  return all_finite(F, n);
}

bool ts_mcp_view_jacobian(ts_mcp_view *view, const double *z)
{
  if (view->affine) return true;
  const ts_mcp *p = &view->problem->mcp;
  ts_mcp_view_to_problem(view, z, view->unscaled);
  if (p->jacobian(p->user, view->unscaled, view->native)) return false;
  const ts_matrix pattern = {.rows = p->size, .columns = p->size, .start = p->start, .index = p->index};
  scatter(view, ts_matrix_entries(&pattern), view->native);
  if (view->scale) scale_jacobian(view, view->scale);
  return all_finite(view->values, ts_matrix_entries(&view->J));
}

static double clamp(double x, double low, double high)
{
  return fmin(fmax(x, low), high);
}

void ts_mcp_view_project(const ts_mcp_view *view, double *z)
{
  for (int i = 0; i < view->size; ++i) z[i] = clamp(z[i], view->lower[i], view->upper[i]);
}

bool ts_mcp_view_cold_start(ts_mcp_view *view, double *z, double *F)
{
  static const double components[] = {0.0, 1.0, 0.1, 10.0, -1.0, 1e-3};
  for (size_t k = 0; k < sizeof components / sizeof components[0]; ++k) {
    for (int i = 0; i < view->size; ++i) z[i] = clamp(components[k], view->lower[i], view->upper[i]);
    if (ts_mcp_view_evaluate(view, z, F)) return true;
  }
  for (int i = 0; i < view->size; ++i) z[i] = clamp(0.0, view->lower[i], view->upper[i]);
  return false;
}

double ts_mcp_view_residual(ts_mcp_view *view, const double *z, const double *F)
{
  double *s = view->maxima, *q = view->unscaled;
  symmetric_scale(view, s);
  memcpy(q, F, (size_t)view->size * sizeof *q);
  ts_matrix_multiply_add(&view->J, -1.0, z, q);
  double worst = 0.0, data = 0.0;
  for (int i = 0; i < view->size; ++i) {
    const double shown = view->scale ? view->scale[i] : 1.0; // the view has z/shown and shown F
    const double low = view->own_lower[i] / s[i], high = view->own_upper[i] / s[i], x = z[i] * shown / s[i];
    worst = fmax(worst, fabs(x - clamp(x - s[i] / shown * F[i], low, high)));
    data = fmax(data, fmax(fabs(s[i] / shown * q[i]), fabs(clamp(0.0, low, high))));
  }
  return data > 0.0 ? worst / data : worst;
}
