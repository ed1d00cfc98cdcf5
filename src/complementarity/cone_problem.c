#include "complementarity/cone_problem.h"

#include "base/hot.h"
#include "math/matrix.h"
#include "math/quad.h"

#include <math.h>
#include <string.h>

enum { MAX_DIMENSION = 4 };

// ---- building ------------------------------------------------------------------------------------------------------

static double semi_axis(const ts_friction *problem, int i, int k)
{
  return k > 0 && problem->ellipsoid ? problem->ellipsoid[(size_t)i * (size_t)(problem->dimension - 1) + (size_t)(k - 1)]
                                     : 1.0;
}

static double block_trace(const ts_friction *problem, int i)
{
  const int d = problem->dimension;
  const double *block = ts_block_diagonal(&problem->W, i);
  double trace = 0.0;
  for (int k = 0; k < d; ++k) {
    const double e = semi_axis(problem, i, k);
    trace += e * e * block[k * d + k];
  }
  return trace;
}

static void set_contact_scales(const ts_friction *problem, double *s)
{
  double mean = 0.0;
  for (int i = 0; i < problem->contacts; ++i) mean += block_trace(problem, i) / problem->contacts;
  for (int i = 0; i < problem->contacts; ++i) {
    const double trace = block_trace(problem, i), size = trace > 0.0 ? trace : mean;
    s[i] = size > 0.0 ? sqrt(problem->dimension / size) : 1.0;
  }
}

// D (not yet times |D q|) and the scaled q.
static void scale_data(ts_cone_problem *p, const ts_friction *problem, double *scale, double *q)
{
  double size = 0.0, raw = 0.0;
  for (int i = 0; i < p->contacts; ++i)
    for (int k = 0; k < p->stride; ++k) {
      const size_t at = (size_t)i * (size_t)p->stride + (size_t)k;
      const double e = k < p->d ? semi_axis(problem, i, k) : 0.0;
      const double value = k < p->d ? e * problem->q[(size_t)i * (size_t)p->d + (size_t)k] : 0.0;
      scale[at] = p->contact_scale[i] * e;
      q[at] = p->contact_scale[i] * value;
      size += q[at] * q[at];
      raw += value * value;
    }
  p->data_size = size > 0.0 ? sqrt(size) : 1.0;
  p->raw_data = raw > 0.0 ? sqrt(raw) : 1.0;
  for (size_t k = 0; k < p->length; ++k) q[k] /= p->data_size;
}

static void scale_blocks(const ts_cone_problem *p, const ts_friction *problem, const double *scale, double *W,
                         int *diagonal)
{
  const size_t d = (size_t)p->d, stride = (size_t)p->stride;
  for (int i = 0; i < p->contacts; ++i) {
    const double *si = scale + (size_t)i * stride;
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const double *from = problem->W.value + (size_t)b * d * d, *sj = scale + (size_t)p->index[b] * stride;
      double *to = W + (size_t)b * stride * d;
      if (p->index[b] == i) diagonal[i] = b;
      for (size_t c = 0; c < d; ++c)
        for (size_t r = 0; r < stride; ++r) to[c * stride + r] = r < d ? si[r] * from[c * d + r] * sj[c] : 0.0;
    }
  }
}

// Largest eigenvalue of the symmetric part of a block, by power steps: a step parameter needs no more than a few digits.
static double largest_eigenvalue(const double *block, int d, int stride)
{
  double x[MAX_DIMENSION] = {1.0, 0.5, 0.25, 0.125}, size = 0.0;
  for (int step = 0; step < 30; ++step) {
    double y[MAX_DIMENSION] = {0};
    size = 0.0;
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < d; ++r) y[r] += 0.5 * (block[c * stride + r] + block[r * stride + c]) * x[c];
    for (int k = 0; k < d; ++k) size += y[k] * y[k];
    size = sqrt(size);
    if (size == 0.0) return 0.0;
    for (int k = 0; k < d; ++k) x[k] = y[k] / size;
  }
  return size;
}

void ts_cone_problem_init(ts_cone_problem *p, const ts_friction *problem, ts_arena *arena)
{
  const int d = problem->dimension, stride = d == 2 ? 2 : 4;
  const size_t contacts = (size_t)problem->contacts, length = (size_t)stride * contacts;
  const size_t blocks = contacts ? (size_t)problem->W.start[contacts] : 0;
  double *scale = ts_arena_doubles(arena, length), *q = ts_arena_doubles(arena, length);
  double *s = ts_arena_doubles(arena, contacts), *rho = ts_arena_doubles(arena, contacts);
  double *W = ts_arena_doubles(arena, blocks * (size_t)(stride * d));
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
                         .rho = rho,
                         .scale = scale,
                         .contact_scale = s,
                         .bodies = problem->bodies};
  set_contact_scales(problem, s);
  scale_data(p, problem, scale, q);
  scale_blocks(p, problem, scale, W, diagonal);
  for (size_t k = 0; k < length; ++k) scale[k] *= p->data_size;
  for (int i = 0; i < p->contacts; ++i) {
    const double largest = largest_eigenvalue(W + (size_t)diagonal[i] * (size_t)(stride * d), d, stride);
    rho[i] = largest > 0.0 ? 1.0 / largest : 1.0;
  }
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
      r[(size_t)i * (size_t)p->d + (size_t)k] = p->scale[at] * scaled[at];
    }
}

// ---- products ------------------------------------------------------------------------------------------------------

TS_INLINE void multiply_quads(const ts_cone_problem *p, const double *x, const double *add, double *y, const int d)
{
  for (int i = 0; i < p->contacts; ++i) {
    ts_quad sum = {0, 0, 0, 0};
    if (add) sum = TS_CONST_QUAD(add + 4 * (size_t)i);
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const double *block = p->W + (size_t)b * (size_t)(4 * d), *xj = x + 4 * (size_t)p->index[b];
      for (int c = 0; c < d; ++c) sum += TS_CONST_QUAD(block + 4 * c) * xj[c];
    }
    TS_QUAD(y + 4 * (size_t)i) = sum;
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
  case 2: multiply_pairs(p, x, add, y); break;
  case 3: multiply_quads(p, x, add, y, 3); break;
  default: multiply_quads(p, x, add, y, 4); break;
  }
}

void ts_cone_velocity(const ts_cone_problem *p, const double *r, double *u)
{
  multiply(p, r, p->q, u);
}

void ts_cone_multiply(const ts_cone_problem *p, const double *x, double *y)
{
  multiply(p, x, NULL, y);
}

// ---- residuals -----------------------------------------------------------------------------------------------------

static inline double tangent_norm(const double *x, int d)
{
  double sum = x[1] * x[1];
  for (int k = 2; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

void ts_cone_project(int d, double mu, double *x)
{
  const double tangent = tangent_norm(x, d);
  if (tangent <= mu * x[0]) return;
  if (mu * tangent <= -x[0]) {
    memset(x, 0, (size_t)d * sizeof *x);
    return;
  }
  const double normal = (x[0] + mu * tangent) / (1.0 + mu * mu);
  x[0] = normal;
  for (int k = 1; k < d; ++k) x[k] *= mu * normal / tangent;
}

// |r - P_K(r - u - mu |u_t| n)|^2 with r multiplied and u divided by s.
static inline double natural_squared(int d, double mu, const double *r, const double *u, double s)
{
  double x[MAX_DIMENSION], sum = 0.0;
  for (int k = 0; k < d; ++k) x[k] = s * r[k] - u[k] / s;
  x[0] -= mu * tangent_norm(u, d) / s;
  ts_cone_project(d, mu, x);
  for (int k = 0; k < d; ++k) sum += (s * r[k] - x[k]) * (s * r[k] - x[k]);
  return sum;
}

double ts_cone_contact_residual(const ts_cone_problem *p, int i, const double *r, const double *u)
{
  const size_t at = (size_t)i * (size_t)p->stride;
  return natural_squared(p->d, p->mu[i], r + at, u + at, 1.0);
}

double ts_cone_residual(const ts_cone_problem *p, const double *r, const double *u)
{
  double sum = 0.0;
  for (int i = 0; i < p->contacts; ++i) sum += ts_cone_contact_residual(p, i, r, u);
  return sqrt(sum);
}

double ts_cone_raw_residual(const ts_cone_problem *p, const double *r, const double *u)
{
  double sum = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const size_t at = (size_t)i * (size_t)p->stride;
    sum += natural_squared(p->d, p->mu[i], r + at, u + at, p->contact_scale[i]);
  }
  return sqrt(sum) * p->data_size / p->raw_data;
}

double ts_cone_error(const ts_cone_problem *p, const double *r, const double *u)
{
  return fmax(ts_cone_residual(p, r, u), ts_cone_raw_residual(p, r, u));
}
