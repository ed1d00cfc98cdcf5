#include "lcp_generator.h"

#include "base/random.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t count)
{
  double *x = calloc(count > 0 ? count : 1, sizeof *x);
  if (!x) abort();
  return x;
}

static void fill_normal(ts_random *random, size_t count, double *x)
{
  for (size_t k = 0; k < count; ++k) x[k] = ts_random_normal(random);
}

// M += factor A A^T / rank, A of size n x rank with normal entries.
static void add_gram(ts_random *random, int n, int rank, double factor, double *M)
{
  double *A = numbers((size_t)n * (size_t)rank);
  fill_normal(random, (size_t)n * (size_t)rank, A);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, rank, factor / rank, A, n, A, n, 1.0, M, n);
  free(A);
}

static void add_skew(ts_random *random, int n, double factor, double *M)
{
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) {
      const double x = factor * ts_random_normal(random);
      M[j * n + i] += x;
      M[i * n + j] -= x;
    }
}

// q = w - M z
static void set_q(int n, const double *M, const double *z, const double *w, double *q)
{
  memcpy(q, w, (size_t)n * sizeof *q);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, -1.0, M, n, z, 1, 1.0, q, 1);
}

// z and w >= 0 with z.w = 0; both zero with probability `degenerate`. Integers where asked.
static void complementary_point(ts_random *random, int n, double degenerate, bool integers, double *z, double *w)
{
  for (int i = 0; i < n; ++i) {
    z[i] = w[i] = 0.0;
    const double size = integers ? 1.0 + ts_random_below(random, 3) : ts_random_uniform(random, 0.1, 2.0);
    if (ts_random_uniform(random, 0.0, 1.0) < degenerate) continue;
    *(ts_random_below(random, 2) ? &z[i] : &w[i]) = size;
  }
}

static void make_psd(ts_random *random, int n, double *M, double *q, double *z)
{
  double *w = numbers((size_t)n);
  add_gram(random, n, 1 + ts_random_below(random, n), 1.0, M);
  if (ts_random_below(random, 2)) add_skew(random, n, 0.3, M);
  complementary_point(random, n, 0.1, false, z, w);
  set_q(n, M, z, w, q);
  free(w);
}

static void make_spd(ts_random *random, int n, double *M, double *q)
{
  add_gram(random, n, n, 1.0, M);
  for (int i = 0; i < n; ++i) M[i * n + i] += 0.1;
  fill_normal(random, (size_t)n, q);
}

static void make_p(ts_random *random, int n, double *M, double *q)
{
  double *left = numbers((size_t)n), *right = numbers((size_t)n), *sum = numbers((size_t)n);
  for (int i = 0; i < n; ++i) left[i] = exp2(ts_random_uniform(random, -3.0, 3.0));
  for (int i = 0; i < n; ++i) right[i] = exp2(ts_random_uniform(random, -3.0, 3.0));
  fill_normal(random, (size_t)n * (size_t)n, M);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) sum[i] += i == j ? 0.0 : fabs(M[j * n + i]);
  for (int i = 0; i < n; ++i) M[i * n + i] = sum[i] * ts_random_uniform(random, 1.01, 1.5) + 0.1;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) M[j * n + i] *= left[i] * right[j];
  for (int i = 0; i < n; ++i) q[i] = left[i] * ts_random_normal(random);
  free(left);
  free(right);
  free(sum);
}

// M = [Q -A^T; A 0] with `above` rows of Q. With u = (x, y) >= 0: u.M u = x.Q x, which is 0 only for x = 0, and then
// (M + M^T) u = 0: copositive-plus.
static void fill_copositive(ts_random *random, int n, int above, double *M)
{
  for (int j = 0; j < above; ++j) {
    for (int i = 0; i < above; ++i) M[j * n + i] = ts_random_uniform(random, 0.05, 1.0);
    for (int i = above; i < n; ++i) {
      M[j * n + i] = ts_random_normal(random);
      M[i * n + j] = -M[j * n + i];
    }
  }
}

static void make_copositive(ts_random *random, int n, double *M, double *q)
{
  double *z = numbers((size_t)n), *w = numbers((size_t)n);
  fill_copositive(random, n, (n + 1) / 2, M);
  for (int i = 0; i < n; ++i) z[i] = ts_random_uniform(random, 0.0, 1.0);
  for (int i = 0; i < n; ++i) w[i] = ts_random_uniform(random, 0.0, 1.0); // feasible, not complementary
  set_q(n, M, z, w, q);
  free(z);
  free(w);
}

// Farkas: y > 0 on the lower rows with A^T y <= 0 and b.y = -1 leaves A x + b >= 0 no solution x >= 0.
static void make_infeasible(ts_random *random, int n, double *M, double *q)
{
  const int above = n / 2, last = n - 1;
  double *y = numbers((size_t)n);
  fill_copositive(random, n, above, M);
  fill_normal(random, (size_t)n, q);
  for (int i = above; i < n; ++i) y[i] = ts_random_uniform(random, 0.2, 1.0);
  for (int j = 0; j < above; ++j) {
    double sum = ts_random_uniform(random, 0.0, 1.0);
    for (int i = above; i < last; ++i) sum += y[i] * M[j * n + i];
    M[j * n + last] = -sum / y[last];
    M[last * n + j] = sum / y[last];
  }
  double sum = 1.0;
  for (int i = above; i < last; ++i) sum += y[i] * q[i];
  q[last] = -sum / y[last];
  free(y);
}

static void make_degenerate(ts_random *random, int n, double *M, double *q, double *z)
{
  const int rank = 1 + ts_random_below(random, n);
  double *B = numbers((size_t)n * (size_t)rank), *w = numbers((size_t)n);
  for (int k = 0; k < n * rank; ++k) B[k] = ts_random_below(random, 3) - 1;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, rank, 1.0, B, n, B, n, 0.0, M, n);
  complementary_point(random, n, 0.5, true, z, w);
  set_q(n, M, z, w, q);
  free(B);
  free(w);
}

lcp_instance lcp_generate(lcp_class class, int n, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed * LCP_CLASS_COUNT + class);
  double *M = numbers((size_t)n * (size_t)n), *q = numbers((size_t)n), *z = NULL;
  if (class == LCP_PSD || class == LCP_DEGENERATE) z = numbers((size_t)n);
  switch (class) {
  case LCP_PSD:
    make_psd(&random, n, M, q, z);
    break;
  case LCP_SPD:
    make_spd(&random, n, M, q);
    break;
  case LCP_P:
    make_p(&random, n, M, q);
    break;
  case LCP_COPOSITIVE:
    make_copositive(&random, n, M, q);
    break;
  case LCP_INFEASIBLE:
    make_infeasible(&random, n, M, q);
    break;
  case LCP_DEGENERATE:
    make_degenerate(&random, n, M, q, z);
    break;
  case LCP_CLASS_COUNT:
    abort();
  }
  return (lcp_instance){{.size = n, .M = {.rows = n, .columns = n, .value = M}, .q = q}, z};
}

void lcp_instance_release(lcp_instance *instance)
{
  free((void *)instance->lcp.M.value);
  free((void *)instance->lcp.q);
  free(instance->solution);
}

const char *lcp_class_name(lcp_class class)
{
  static const char *const names[] = {"positive semidefinite", "positive definite", "P-matrix",
                                      "copositive-plus",       "infeasible",        "degenerate"};
  return names[class];
}

// One variable of a mixed problem: its bounds, its value and the sign of its w.
static void choose_variable(ts_random *random, double *lower, double *upper, double *z, double *w)
{
  const double x = ts_random_uniform(random, -1.0, 1.0), width = ts_random_uniform(random, 0.1, 2.0);
  const int kind = ts_random_below(random, 8);
  const bool inside = ts_random_below(random, 2), at_lower = ts_random_below(random, 2);
  *lower = -(double)INFINITY;
  *upper = (double)INFINITY;
  *z = x;
  *w = 0.0;
  if (kind == 0) return;                                             // free
  if (kind == 1) *lower = *upper = x, *w = ts_random_normal(random); // fixed
  if (kind >= 2 && kind <= 3) {                                      // bounded below
    *lower = inside ? x - width : x;
    *w = inside ? 0.0 : width;
  }
  if (kind == 4) { // bounded above
    *upper = inside ? x + width : x;
    *w = inside ? 0.0 : -width;
  }
  if (kind >= 5) { // bounded on both sides
    *lower = inside ? x - width : at_lower ? x : x - 2.0 * width;
    *upper = inside ? x + width : at_lower ? x + 2.0 * width : x;
    *w = inside ? 0.0 : at_lower ? width : -width;
  }
}

mlcp_instance mlcp_generate(int n, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  double *M = numbers((size_t)n * (size_t)n), *q = numbers((size_t)n), *z = numbers((size_t)n);
  double *lower = numbers((size_t)n), *upper = numbers((size_t)n), *w = numbers((size_t)n);
  add_gram(&random, n, 1 + ts_random_below(&random, n), 1.0, M);
  add_skew(&random, n, 0.3, M);
  for (int i = 0; i < n; ++i) choose_variable(&random, &lower[i], &upper[i], &z[i], &w[i]);
  for (int i = 0; i < n; ++i)
    if (isinf(lower[i]) && isinf(upper[i])) M[i * n + i] += 0.1;
  set_q(n, M, z, w, q);
  free(w);
  return (mlcp_instance){
      {.size = n, .M = {.rows = n, .columns = n, .value = M}, .q = q, .lower = lower, .upper = upper}, z};
}

void mlcp_instance_release(mlcp_instance *instance)
{
  free((void *)instance->mlcp.M.value);
  free((void *)instance->mlcp.q);
  free((void *)instance->mlcp.lower);
  free((void *)instance->mlcp.upper);
  free(instance->solution);
}
