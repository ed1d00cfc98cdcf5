// Problem descriptions: wrapping and checking. See include/touchstone/problem.h.
#include "touchstone/problem.h"

#include "base/require.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>

ts_problem ts_problem_lcp(ts_lcp lcp)
{
  return (ts_problem){.type = TS_LCP, .lcp = lcp};
}

ts_problem ts_problem_mlcp(ts_mlcp mlcp)
{
  return (ts_problem){.type = TS_MLCP, .mlcp = mlcp};
}

ts_problem ts_problem_mcp(ts_mcp mcp)
{
  return (ts_problem){.type = TS_MCP, .mcp = mcp};
}

ts_problem ts_problem_friction(ts_friction friction)
{
  return (ts_problem){.type = TS_FRICTION, .friction = friction};
}

ts_problem ts_problem_global_friction(ts_global_friction global)
{
  return (ts_problem){.type = TS_GLOBAL_FRICTION, .global = global};
}

size_t ts_problem_size(const ts_problem *problem)
{
  TS_REQUIRE(problem);
  switch (problem->type) {
  case TS_LCP:
    return (size_t)problem->lcp.size;
  case TS_MLCP:
    return (size_t)problem->mlcp.size;
  case TS_MCP:
    return (size_t)problem->mcp.size;
  case TS_FRICTION: {
    const ts_friction *p = &problem->friction;
    return (size_t)p->dimension * (size_t)p->contacts + (size_t)p->bilaterals;
  }
  case TS_GLOBAL_FRICTION: {
    const ts_global_friction *p = &problem->global;
    return (size_t)p->dimension * (size_t)p->contacts + (size_t)p->bilaterals + (size_t)p->M.rows;
  }
  }
  return 0;
}

const char *ts_problem_type_name(ts_problem_type type)
{
  switch (type) {
  case TS_LCP:
    return "lcp";
  case TS_MLCP:
    return "mlcp";
  case TS_MCP:
    return "mcp";
  case TS_FRICTION:
    return "friction";
  case TS_GLOBAL_FRICTION:
    return "global-friction";
  }
  return "unknown";
}

// x - x is 0 for every finite x and NAN for the others: a sum without branches finds out whether there are any.
static bool all_finite(const double *values, size_t count)
{
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; ++k) sum[k] += values[i + k] - values[i + k];
  for (; i < count; ++i) sum[0] += values[i] - values[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

static ts_status check_finite(const double *values, size_t count, const char *name, ts_error *error)
{
  if (all_finite(values, count)) return TS_OK;
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i]))
      return ts_fail(error, TS_INVALID, "%s[%zu] is %g, not a finite number", name, i, values[i]);
  return TS_OK;
}

static ts_status check_size(int size, const char *name, ts_error *error)
{
  if (size < 0) return ts_fail(error, TS_INVALID, "%s is %d, it cannot be negative", name, size);
  return TS_OK;
}

// Compressed columns (or block rows): offsets that do not fall, indices in range and ascending.
static ts_status check_pattern(int columns, int rows, const int *start, const int *index, const char *name,
                               ts_error *error)
{
  if (start[0] != 0) return ts_fail(error, TS_INVALID, "the offsets of %s do not begin with 0", name);
  for (int j = 0; j < columns; ++j) {
    if (start[j + 1] < start[j]) return ts_fail(error, TS_INVALID, "the offsets of %s fall after column %d", name, j);
    for (int k = start[j]; k < start[j + 1]; ++k) {
      if (index[k] < 0 || index[k] >= rows)
        return ts_fail(error, TS_INVALID, "entry %d of %s has index %d, allowed are 0 to %d", k, name, index[k],
                       rows - 1);
      if (k > start[j] && index[k] <= index[k - 1])
        return ts_fail(error, TS_INVALID, "entry %d of %s is out of order or there twice", k, name);
    }
  }
  return TS_OK;
}

static ts_status check_matrix(const ts_matrix *A, int rows, int columns, const char *name, ts_error *error)
{
  if (A->rows != rows || A->columns != columns)
    return ts_fail(error, TS_INVALID, "%s is %d x %d, expected is %d x %d", name, A->rows, A->columns, rows, columns);
  if (!A->start) return check_finite(A->value, (size_t)rows * (size_t)columns, name, error);
  TS_TRY(check_pattern(columns, rows, A->start, A->index, name, error));
  return check_finite(A->value, (size_t)A->start[columns], name, error);
}

static ts_status check_bounds(const double *lower, const double *upper, int size, ts_error *error)
{
  for (int i = 0; i < size; ++i) {
    if (isnan(lower[i]) || isnan(upper[i]))
      return ts_fail(error, TS_INVALID, "a bound of variable %d is not a number", i);
    if (lower[i] > upper[i] || lower[i] == (double)INFINITY || upper[i] == -(double)INFINITY)
      return ts_fail(error, TS_INVALID, "variable %d has the empty range [%g, %g]", i, lower[i], upper[i]);
  }
  return TS_OK;
}

static ts_status check_lcp(const ts_lcp *p, ts_error *error)
{
  TS_TRY(check_size(p->size, "size", error));
  TS_TRY(check_matrix(&p->M, p->size, p->size, "M", error));
  return check_finite(p->q, (size_t)p->size, "q", error);
}

static ts_status check_mlcp(const ts_mlcp *p, ts_error *error)
{
  TS_TRY(check_lcp(&(ts_lcp){p->size, p->M, p->q}, error));
  return check_bounds(p->lower, p->upper, p->size, error);
}

static ts_status check_mcp(const ts_mcp *p, ts_error *error)
{
  TS_TRY(check_size(p->size, "size", error));
  if (!p->evaluate || !p->jacobian) return ts_fail(error, TS_INVALID, "a callback of the problem is missing");
  if (p->start) TS_TRY(check_pattern(p->size, p->size, p->start, p->index, "the Jacobian", error));
  return check_bounds(p->lower, p->upper, p->size, error);
}

static ts_status check_contacts(int dimension, int contacts, int bilaterals, const double *mu, const double *ellipsoid,
                                ts_error *error)
{
  if (dimension < 2 || dimension > 4)
    return ts_fail(error, TS_INVALID, "a contact has %d components, allowed are 2, 3 and 4", dimension);
  TS_TRY(check_size(contacts, "the number of contacts", error));
  TS_TRY(check_size(bilaterals, "the number of bilateral rows", error));
  if (contacts > INT_MAX / dimension)
    return ts_fail(error, TS_INVALID, "%d contacts of %d components are more than can be numbered", contacts,
                   dimension);
  for (int i = 0; i < contacts; ++i)
    if (!isfinite(mu[i]) || mu[i] < 0.0)
      return ts_fail(error, TS_INVALID, "the friction coefficient of contact %d is %g, it must be at least 0", i,
                     mu[i]);
  if (!ellipsoid) return TS_OK;
  for (int k = 0; k < contacts * (dimension - 1); ++k)
    if (!isfinite(ellipsoid[k]) || ellipsoid[k] <= 0.0)
      return ts_fail(error, TS_INVALID, "semi-axis %d of contact %d is %g, it must be positive", k % (dimension - 1),
                     k / (dimension - 1), ellipsoid[k]);
  return TS_OK;
}

// W: a diagonal block in every row, and block (i, j) wherever there is (j, i). The columns of a row ascend, so a
// binary search finds the partner.
static ts_status check_contact_matrix(const ts_block_matrix *W, int contacts, int dimension, ts_error *error)
{
  if (W->rows != contacts || W->block != dimension)
    return ts_fail(error, TS_INVALID, "W has %d rows of blocks of size %d, expected are %d and %d", W->rows, W->block,
                   contacts, dimension);
  if (contacts == 0) return TS_OK;
  TS_TRY(check_pattern(contacts, contacts, W->start, W->index, "W", error));
  for (int i = 0; i < contacts; ++i) {
    bool diagonal = false;
    for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
      const int j = W->index[k];
      if (j == i) {
        diagonal = true;
        continue;
      }
      int low = W->start[j], high = W->start[j + 1];
      while (low < high) {
        const int middle = low + (high - low) / 2;
        if (W->index[middle] < i)
          low = middle + 1;
        else
          high = middle;
      }
      if (low == W->start[j + 1] || W->index[low] != i)
        return ts_fail(error, TS_INVALID, "W has block (%d, %d) but not block (%d, %d)", i, j, j, i);
    }
    if (!diagonal) return ts_fail(error, TS_INVALID, "W lacks the diagonal block of contact %d", i);
  }
  return check_finite(W->value, (size_t)W->start[contacts] * (size_t)(dimension * dimension), "W", error);
}

// Whose rows are whose, where that is said.
static ts_status check_body_rows(const ts_bodies *bodies, ts_error *error)
{
  TS_TRY(check_size(bodies->count, "the number of bodies", error));
  if (bodies->count == 0) return TS_OK;
  const int *first = bodies->first, rows = bodies->M.rows;
  if (!first)
    return ts_fail(error, TS_INVALID, "there are %d bodies, but nothing says which rows of M are theirs",
                   bodies->count);
  if (!bodies->M.start || !bodies->H.start) return ts_fail(error, TS_INVALID, "M and H of bodies must be sparse");
  if (first[0] != 0 || first[bodies->count] != rows)
    return ts_fail(error, TS_INVALID, "the bodies have the rows %d to %d of M, which has %d", first[0],
                   first[bodies->count], rows);
  for (int b = 0; b < bodies->count; ++b)
    if (first[b + 1] < first[b]) return ts_fail(error, TS_INVALID, "body %d has rows that end before they begin", b);
  for (int b = 0; b < bodies->count; ++b)
    for (int j = first[b]; j < first[b + 1]; ++j)
      for (int k = bodies->M.start[j]; k < bodies->M.start[j + 1]; ++k)
        if (bodies->M.index[k] < first[b] || bodies->M.index[k] >= first[b + 1])
          return ts_fail(error, TS_INVALID, "M couples row %d of body %d with row %d of another", j, b,
                         bodies->M.index[k]);
  return TS_OK;
}

static ts_status check_friction(const ts_friction *p, ts_error *error)
{
  TS_TRY(check_contacts(p->dimension, p->contacts, p->bilaterals, p->mu, p->ellipsoid, error));
  TS_TRY(check_contact_matrix(&p->W, p->contacts, p->dimension, error));
  const int m = p->dimension * p->contacts;
  TS_TRY(check_finite(p->q, (size_t)m, "q", error));
  if (p->bilaterals > 0) {
    TS_TRY(check_matrix(&p->V, m, p->bilaterals, "V", error));
    TS_TRY(check_matrix(&p->R, p->bilaterals, p->bilaterals, "R", error));
    TS_TRY(check_finite(p->s, (size_t)p->bilaterals, "s", error));
  }
  if (!p->bodies) return TS_OK;
  if (p->bilaterals > 0) return ts_fail(error, TS_INVALID, "bodies are for problems without bilateral rows");
  TS_TRY(check_size(p->bodies->M.rows, "the number of rows of M", error));
  TS_TRY(check_matrix(&p->bodies->M, p->bodies->M.rows, p->bodies->M.rows, "M", error));
  TS_TRY(check_matrix(&p->bodies->H, p->bodies->M.rows, m, "H", error));
  return check_body_rows(p->bodies, error);
}

static ts_status check_global(const ts_global_friction *p, ts_error *error)
{
  TS_TRY(check_contacts(p->dimension, p->contacts, p->bilaterals, p->mu, p->ellipsoid, error));
  const int m = p->dimension * p->contacts, n = p->M.rows;
  TS_TRY(check_size(n, "the number of rows of M", error));
  TS_TRY(check_matrix(&p->M, n, n, "M", error));
  TS_TRY(check_matrix(&p->H, n, m, "H", error));
  TS_TRY(check_finite(p->f, (size_t)n, "f", error));
  TS_TRY(check_finite(p->w, (size_t)m, "w", error));
  if (p->bilaterals == 0) return TS_OK;
  TS_TRY(check_matrix(&p->G, n, p->bilaterals, "G", error));
  return check_finite(p->b, (size_t)p->bilaterals, "b", error);
}

ts_status ts_problem_check(const ts_problem *problem, ts_error *error)
{
  TS_REFUSE_UNLESS(problem, error);
  switch (problem->type) {
  case TS_LCP:
    return check_lcp(&problem->lcp, error);
  case TS_MLCP:
    return check_mlcp(&problem->mlcp, error);
  case TS_MCP:
    return check_mcp(&problem->mcp, error);
  case TS_FRICTION:
    return check_friction(&problem->friction, error);
  case TS_GLOBAL_FRICTION:
    return check_global(&problem->global, error);
  }
  return ts_fail(error, TS_INVALID, "the problem has no type");
}
