#include "complementarity/friction/cone_problem.h"

#include "complementarity/friction/cone_product_inline.h"
#include "complementarity/friction/cone_residual_inline.h"

#include "base/hot.h"
#include "math/matrix.h"
#include "math/quad.h"

#include <math.h>
#include <string.h>

// ---- building ------------------------------------------------------------------------------------------------------

static inline double semi_axis(const ts_friction *problem, int i, int k)
{
  if (k == 0 || !problem->ellipsoid) return 1.0;
  return problem->ellipsoid[(size_t)i * (size_t)(problem->dimension - 1) + (size_t)(k - 1)];
}

// Numbers of the diagonal blocks, and s_i.
TS_INLINE void set_contact_scales(const ts_friction *problem, int *diagonal, double *s, const int d)
{
  double mean = 0.0;
  for (int i = 0; i < problem->contacts; ++i) {
    int b = problem->W.start[i];
    while (problem->W.index[b] != i) ++b;
    diagonal[i] = b;
    const double *block = problem->W.value + (size_t)b * (size_t)(d * d);
    s[i] = block[0];
    for (int k = 1; k < d; ++k) {
      const double e = semi_axis(problem, i, k);
      s[i] += e * e * block[k * d + k];
    }
    mean += s[i];
  }
  mean /= problem->contacts;
  for (int i = 0; i < problem->contacts; ++i) {
    const double size = s[i] > 0.0 ? s[i] : mean;
    const double squared = size > 0.0 ? d / size : 1.0;
    s[i] = squared > 0.0 && isfinite(squared) ? sqrt(squared) : 1.0;
  }
}

// |D q| without squares that overflow or vanish; s may be NULL: |E q|. 1 where there is no such number.
static double careful_length(const ts_friction *problem, const double *s)
{
  const int d = problem->dimension;
  double largest = 0.0, sum = 0.0;
  for (int pass = 0; pass < 2; ++pass)
    for (int k = 0; k < d * problem->contacts; ++k) {
      const double value = fabs((s ? s[k / d] : 1.0) * semi_axis(problem, k / d, k % d) * problem->q[k]);
      if (pass == 0)
        largest = fmax(largest, value);
      else
        sum += largest > 0.0 ? value / largest * (value / largest) : 0.0;
    }
  const double length = largest * sqrt(sum);
  return length > 0.0 && isfinite(length) ? length : 1.0;
}

// Whether a sum of squares kept its digits.
static bool is_ordinary(double sum)
{
  return sum > 1e-200 && sum < 1e200;
}

// D (not yet times |D q|) and the scaled q.
TS_INLINE void scale_data(ts_cone_problem *p, const ts_friction *problem, double *scale, double *q, const int d)
{
  const size_t stride = d == 2 ? 2 : 4;
  double size = 0.0, raw = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double s = p->contact_scale[i], *from = problem->q + (size_t)i * (size_t)d;
    double *to = q + (size_t)i * stride, *si = scale + (size_t)i * stride, sum = 0.0;
    for (int k = 0; k < d; ++k) {
      const double e = semi_axis(problem, i, k), value = e * from[k];
      si[k] = s * e;
      to[k] = s * value;
      sum += value * value;
    }
    for (size_t k = (size_t)d; k < stride; ++k) si[k] = to[k] = 0.0;
    raw += sum;
    size += s * s * sum;
  }
  p->data_size = is_ordinary(size) ? sqrt(size) : careful_length(problem, p->contact_scale);
  p->raw_data = is_ordinary(raw) ? sqrt(raw) : careful_length(problem, NULL);
  const double inverse = 1.0 / p->data_size;
  for (size_t k = 0; k < p->length; ++k) q[k] = isfinite(inverse) ? q[k] * inverse : q[k] / p->data_size;
}

TS_INLINE void scale_blocks(const ts_cone_problem *p, const ts_friction *problem, const double *scale, double *W,
                            const int d)
{
  const size_t stride = d == 2 ? 2 : 4;
  for (int i = 0; i < p->contacts; ++i) {
    const double *restrict si = scale + (size_t)i * stride;
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const double *restrict from = problem->W.value + (size_t)b * (size_t)(d * d);
      const double *restrict sj = scale + (size_t)p->index[b] * stride;
      double *restrict to = W + (size_t)b * stride * (size_t)d;
      for (int c = 0; c < d; ++c) {
        double *restrict column = to + (size_t)c * stride;
        if (d > 2) { // four rows at once; of three the fourth becomes 0
          const ts_quad rows = {from[c * d], from[c * d + 1], from[c * d + 2], d > 3 ? from[c * d + 3] : 0.0};
          TS_QUAD(column) = TS_CONST_QUAD(si) * rows * sj[c];
        } else {
          for (int r = 0; r < d; ++r) column[r] = si[r] * from[c * d + r] * sj[c];
        }
      }
    }
  }
}

TS_INLINE void scale_problem(ts_cone_problem *p, const ts_friction *problem, int *diagonal, double *s, double *scale,
                             double *q, double *W, const int d)
{
  set_contact_scales(problem, diagonal, s, d);
  scale_data(p, problem, scale, q, d);
  scale_blocks(p, problem, scale, W, d);
  for (size_t k = 0; k < p->length; ++k) scale[k] *= p->data_size;
}

TS_HOT static void scale_problem_as(ts_cone_problem *p, const ts_friction *problem, int *diagonal, double *s,
                                    double *scale, double *q, double *W)
{
  switch (p->d) { // a constant dimension lets the compiler unroll
  case 2:
    scale_problem(p, problem, diagonal, s, scale, q, W, 2);
    break;
  case 3:
    scale_problem(p, problem, diagonal, s, scale, q, W, 3);
    break;
  default:
    scale_problem(p, problem, diagonal, s, scale, q, W, 4);
    break;
  }
}

void ts_cone_problem_init(ts_cone_problem *p, const ts_friction *problem, ts_arena *arena)
{
  const int d = problem->dimension, stride = d == 2 ? 2 : 4;
  const size_t contacts = (size_t)problem->contacts, length = (size_t)stride * contacts;
  const size_t blocks = contacts ? (size_t)problem->W.start[contacts] : 0;
  double *scale = ts_arena_doubles(arena, length), *q = ts_arena_doubles(arena, length);
  double *s = ts_arena_doubles(arena, contacts), *W = ts_arena_doubles(arena, blocks * (size_t)(stride * d));
  int *diagonal = ts_arena_ints(arena, contacts);
  *p = (ts_cone_problem){.d = d,
                         .stride = stride,
                         .contacts = problem->contacts,
                         .length = length,
                         .start = problem->W.start,
                         .index = problem->W.index,
                         .diagonal = diagonal,
                         .W = W,
                         .q = q,
                         .mu = problem->mu,
                         .scale = scale,
                         .contact_scale = s,
                         .bodies = problem->bodies};
  scale_problem_as(p, problem, diagonal, s, scale, q, W);
}

void ts_cone_import(const ts_cone_problem *p, const double *r, double *scaled)
{
  for (int i = 0; i < p->contacts; ++i)
    for (int k = 0; k < p->stride; ++k) {
      const size_t at = (size_t)i * (size_t)p->stride + (size_t)k;
      scaled[at] = k < p->d ? r[(size_t)i * (size_t)p->d + (size_t)k] / p->scale[at] : 0.0;
    }
}

void ts_cone_export(const ts_cone_problem *p, const double *scaled, double *r)
{
  for (int i = 0; i < p->contacts; ++i)
    for (int k = 0; k < p->d; ++k) {
      const size_t at = (size_t)i * (size_t)p->stride + (size_t)k;
      const double value = p->scale[at] * scaled[at];
      r[(size_t)i * (size_t)p->d + (size_t)k] = isfinite(value) ? value : 0.0; // an overflow leaves 0
    }
}

// ---- products ------------------------------------------------------------------------------------------------------

TS_INLINE void multiply_quads(const ts_cone_problem *p, const double *x, const double *add, double *y, const int d)
{
  for (int i = 0; i < p->contacts; ++i) {
    ts_quad sum[4] = {{0.0}};
    if (add) sum[0] = TS_CONST_QUAD(add + 4 * (size_t)i);
    ts_cone_add_products(p, p->start[i], p->start[i + 1], x, sum, d);
    TS_QUAD(y + 4 * (size_t)i) = ts_cone_sum_of_columns(sum, d);
  }
}

TS_INLINE void multiply_pairs(const ts_cone_problem *p, const double *x, const double *add, double *y)
{
  for (int i = 0; i < p->contacts; ++i) {
    double s0 = add ? add[2 * i] : 0.0, s1 = add ? add[2 * i + 1] : 0.0;
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const double *block = p->W + 4 * (size_t)b, *xj = x + 2 * (size_t)p->index[b];
      s0 += block[0] * xj[0] + block[2] * xj[1];
      s1 += block[1] * xj[0] + block[3] * xj[1];
    }
    y[2 * i] = s0;
    y[2 * i + 1] = s1;
  }
}

TS_HOT static void multiply(const ts_cone_problem *p, const double *x, const double *add, double *y)
{
  switch (p->d) {
  case 2:
    multiply_pairs(p, x, add, y);
    break;
  case 3:
    multiply_quads(p, x, add, y, 3);
    break;
  default:
    multiply_quads(p, x, add, y, 4);
    break;
  }
}

// y = D H^T M^-1 H D x + add.
static void multiply_through_bodies(const ts_cone_problem *p, const double *x, const double *add, double *y)
{
  const ts_compliance *c = p->compliance;
  const size_t d = (size_t)p->d, stride = (size_t)p->stride;
  memset(c->body, 0, (size_t)c->H->rows * sizeof *c->body);
  for (size_t i = 0; i < (size_t)p->contacts; ++i)
    for (size_t k = 0; k < d; ++k) {
      const size_t at = i * stride + k, column = i * d + k;
      const double xk = p->scale[at] / p->data_size * x[at];
      for (int e = c->H->start[column]; e < c->H->start[column + 1]; ++e)
        c->body[c->H->index[e]] += c->H->value[e] * xk;
    }
  ts_sparse_cholesky_solve(c->mass, c->body, c->scratch);
  for (size_t i = 0; i < (size_t)p->contacts; ++i)
    for (size_t k = 0; k < stride; ++k) {
      const size_t at = i * stride + k, column = i * d + k;
      double sum = 0.0;
      if (k < d)
        for (int e = c->H->start[column]; e < c->H->start[column + 1]; ++e)
          sum += c->H->value[e] * c->body[c->H->index[e]];
      y[at] = p->scale[at] / p->data_size * sum + (add ? add[at] : 0.0);
    }
}

void ts_cone_velocity(const ts_cone_problem *p, const double *r, double *u)
{
  if (p->compliance)
    multiply_through_bodies(p, r, p->q, u);
  else
    multiply(p, r, p->q, u);
}

void ts_cone_multiply(const ts_cone_problem *p, const double *x, double *y)
{
  if (p->compliance)
    multiply_through_bodies(p, x, NULL, y);
  else
    multiply(p, x, NULL, y);
}

// ---- residuals -----------------------------------------------------------------------------------------------------

void ts_cone_project(int d, double mu, double *x)
{
  const double tangent = ts_tangent_norm(x, d);
  if (x[0] >= 0.0 && tangent <= mu * x[0]) return;
  if (mu * tangent <= -x[0]) {
    memset(x, 0, (size_t)d * sizeof *x);
    return;
  }
  const double normal = (x[0] + mu * tangent) / (1.0 + mu * mu);
  x[0] = normal;
  for (int k = 1; k < d; ++k) x[k] *= mu * normal / tangent;
}

TS_INLINE double sum_natural(const ts_cone_problem *p, const double *r, const double *u, const double *s, const int d)
{
  const size_t stride = d == 2 ? 2 : 4;
  double sum = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double *ri = r + (size_t)i * stride, *ui = u + (size_t)i * stride;
    sum += s ? ts_natural_squared(d, p->mu[i], ri, ui, s[i]) : ts_lawful_squared(d, p->mu[i], ri, ui, 1.0);
  }
  return sum;
}

// Over all contacts; s may be NULL: all 1, and with mu > 1 the normal law counts by itself too.
static double natural_norm(const ts_cone_problem *p, const double *r, const double *u, const double *s)
{
  switch (p->d) { // a constant dimension lets the compiler unroll
  case 2:
    return sqrt(sum_natural(p, r, u, s, 2));
  case 3:
    return sqrt(sum_natural(p, r, u, s, 3));
  default:
    return sqrt(sum_natural(p, r, u, s, 4));
  }
}

double ts_cone_contact_residual(const ts_cone_problem *p, int i, const double *r, const double *u)
{
  const size_t at = (size_t)i * (size_t)p->stride;
  return ts_lawful_squared(p->d, p->mu[i], r + at, u + at, 1.0);
}

double ts_cone_velocity_error(const ts_cone_problem *p, const double *r, const double *u)
{
  double worst = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double s = p->contact_scale[i], error = ts_cone_contact_residual(p, i, r, u) / (s * s);
    if (!(error <= worst)) worst = error; // keeps NAN
  }
  return sqrt(worst) * p->data_size;
}

double ts_cone_data_speed(const ts_cone_problem *p)
{
  return p->contacts > 0 ? p->raw_data / sqrt(p->contacts) : 0.0;
}

double ts_cone_residual(const ts_cone_problem *p, const double *r, const double *u)
{
  return natural_norm(p, r, u, NULL);
}

double ts_cone_raw_residual(const ts_cone_problem *p, const double *r, const double *u)
{
  return natural_norm(p, r, u, p->contact_scale) * p->data_size / p->raw_data;
}
