#include "mcp_generator.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mcp_instance {
  ts_problem problem;
  int n;
  double *dense, *q, *lower, *upper, *solution, *cubic;
  int *start, *index;
  double *value;
};

static double *doubles(int count)
{
  return calloc((size_t)count + 1, sizeof(double));
}

// Off-diagonals at random; each diagonal is one more than the sum of its row.
static void fill_dominant(double *M, int n, double density, ts_random *random)
{
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
      if (i == j || ts_random_uniform(random, 0.0, 1.0) >= density) continue;
      M[j * n + i] = ts_random_normal(random);
      sum += fabs(M[j * n + i]);
    }
    M[i * n + i] = 1.0 + sum;
  }
}

// Multiply rows and columns by factors between 0.3 and 3.
static void scale_at_random(double *M, int n, ts_random *random)
{
  for (int k = 0; k < n; ++k) {
    const double row = pow(10.0, ts_random_uniform(random, -0.5, 0.5));
    const double column = pow(10.0, ts_random_uniform(random, -0.5, 0.5));
    for (int l = 0; l < n; ++l) {
      M[l * n + k] *= row;
      M[k * n + l] *= column;
    }
  }
}

// A A^T with A of n/2 columns, plus a skew part, plus 1 on the diagonal of free variables.
static void fill_semidefinite(double *M, int n, const double *lower, const double *upper, ts_random *random)
{
  const int rank = (n + 1) / 2;
  double *A = doubles(n * rank);
  for (int k = 0; k < n * rank; ++k) A[k] = ts_random_normal(random) / sqrt(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = 0; k < rank; ++k) sum += A[k * n + i] * A[k * n + j];
      const double skew = i == j ? 0.0 : 0.3 * ts_random_normal(random);
      M[j * n + i] = sum + skew;
      M[i * n + j] = sum - skew;
    }
  for (int i = 0; i < n; ++i)
    if (isinf(lower[i]) && isinf(upper[i])) M[i * n + i] += 1.0;
  free(A);
}

// Bounds, the solution within them, and w there. A tenth of the variables is degenerate: at a bound with w = 0.
static void choose_solution(mcp_instance *p, double *w, ts_random *random)
{
  for (int i = 0; i < p->n; ++i) {
    const int kind = ts_random_below(random, 8);
    p->lower[i] = kind == 0 || kind == 1 ? -INFINITY : ts_random_below(random, 2) ? 0.0 : ts_random_normal(random);
    p->upper[i] = INFINITY;
    if (kind == 1) p->upper[i] = ts_random_normal(random);
    if (kind == 2 || kind == 3) p->upper[i] = p->lower[i] + ts_random_uniform(random, 0.1, 2.0);
    if (kind == 4 && ts_random_below(random, 4) == 0) p->upper[i] = p->lower[i];
    const double size = ts_random_below(random, 10) ? ts_random_uniform(random, 0.01, 2.0) : 0.0;
    const int place = ts_random_below(random, 3);
    const double low = p->lower[i], high = p->upper[i];
    w[i] = 0.0;
    if (place == 0 && isfinite(low)) {
      p->solution[i] = low;
      w[i] = size;
    } else if (place == 1 && isfinite(high)) {
      p->solution[i] = high;
      w[i] = -size;
    } else if (isfinite(low) && isfinite(high)) {
      p->solution[i] = low + (high - low) * ts_random_uniform(random, 0.0, 1.0);
    } else {
      const double inside = fabs(ts_random_normal(random));
      p->solution[i] = isfinite(low) ? low + inside : isfinite(high) ? high - inside : ts_random_normal(random);
    }
  }
}

static void compress(mcp_instance *p)
{
  const int n = p->n;
  int used = 0;
  p->start = calloc((size_t)n + 1, sizeof *p->start);
  p->index = calloc((size_t)(n * n) + 1, sizeof *p->index);
  p->value = doubles(n * n);
  for (int j = 0; j < n; ++j) {
    p->start[j] = used;
    for (int i = 0; i < n; ++i)
      if (p->dense[j * n + i] != 0.0) {
        p->index[used] = i;
        p->value[used++] = p->dense[j * n + i];
      }
  }
  p->start[n] = used;
}

static int evaluate(void *user, const double *z, double *F)
{
  const mcp_instance *p = user;
  for (int i = 0; i < p->n; ++i) {
    const double d = z[i] - p->solution[i] - 0.5;
    F[i] = p->q[i] + p->cubic[i] * d * d * d;
  }
  for (int j = 0; j < p->n; ++j)
    for (int i = 0; i < p->n; ++i) F[i] += p->dense[j * p->n + i] * z[j];
  return 0;
}

static int jacobian(void *user, const double *z, double *values)
{
  const mcp_instance *p = user;
  memcpy(values, p->dense, (size_t)(p->n * p->n) * sizeof *values);
  for (int i = 0; i < p->n; ++i) {
    const double d = z[i] - p->solution[i] - 0.5;
    values[i * p->n + i] += 3.0 * p->cubic[i] * d * d;
  }
  return 0;
}

static ts_problem wrap(mcp_instance *p, mcp_class class)
{
  if (class == MCP_NONLINEAR)
    return ts_problem_mcp((ts_mcp){
        .size = p->n, .lower = p->lower, .upper = p->upper, .evaluate = evaluate, .jacobian = jacobian, .user = p});
  ts_matrix M = {p->n, p->n, NULL, NULL, p->dense};
  if (class == MCP_SPARSE_P) {
    compress(p);
    M = (ts_matrix){p->n, p->n, p->start, p->index, p->value};
  }
  return ts_problem_mlcp((ts_mlcp){p->n, M, p->q, p->lower, p->upper});
}

mcp_instance *mcp_generate(mcp_class class, int n, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  mcp_instance *p = calloc(1, sizeof *p);
  *p = (mcp_instance){.n = n,
                      .dense = doubles(n * n),
                      .q = doubles(n),
                      .lower = doubles(n),
                      .upper = doubles(n),
                      .solution = doubles(n),
                      .cubic = doubles(n)};
  choose_solution(p, p->q, &random); // q = w for now
  if (class == MCP_PSD) {
    fill_semidefinite(p->dense, n, p->lower, p->upper, &random);
  } else {
    fill_dominant(p->dense, n, class == MCP_SPARSE_P ? 4.0 / n : 0.7, &random);
    scale_at_random(p->dense, n, &random);
  }
  for (int i = 0; i < n; ++i) {
    if (class == MCP_NONLINEAR) p->cubic[i] = ts_random_uniform(&random, 0.0, 2.0);
    p->q[i] += p->cubic[i] * 0.125; // (z - z0)^3 at the solution is (-1/2)^3
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) p->q[i] -= p->dense[j * n + i] * p->solution[j];
  p->problem = wrap(p, class);
  return p;
}

const ts_problem *mcp_instance_problem(const mcp_instance *instance)
{
  return &instance->problem;
}

const double *mcp_instance_solution(const mcp_instance *instance)
{
  return instance->solution;
}

void mcp_instance_destroy(mcp_instance *instance)
{
  if (!instance) return;
  free(instance->dense);
  free(instance->q);
  free(instance->lower);
  free(instance->upper);
  free(instance->solution);
  free(instance->cubic);
  free(instance->start);
  free(instance->index);
  free(instance->value);
  free(instance);
}
