// The one-contact solver as inline code, for the sweeps and for ts_one_contact_solve(). See one_contact.h.
#ifndef TS_COMPLEMENTARITY_FRICTION_ONE_CONTACT_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_ONE_CONTACT_INLINE_H

#include "complementarity/friction/one_contact.h"

#include "base/hot.h"

#include <math.h>
#include <stdbool.h>

// The adjugate loses digits with the condition number, all of them for the stick of a block that is singular in a
// tangent: it serves where the determinant keeps this share of the diagonal's product.
static const double REGULAR = 1e-3;

// x = (S + a I)^-1 b by elimination along the diagonal, the largest pivot first: the residual stays at round-off for a
// block that is positive semidefinite up to round-off. False where a pivot is not positive.
static inline bool eliminate_shifted(int t, const double *S, double a, const double *b, double *x)
{
  double A[9];
  int order[3] = {0, 1, 2};
  for (int k = 0; k < t * t; ++k) A[k] = S[k];
  for (int k = 0; k < t; ++k) {
    A[k * t + k] += a;
    x[k] = b[k];
  }
  for (int k = 0; k < t; ++k) {
    int best = k;
    for (int i = k + 1; i < t; ++i)
      if (A[order[i] * (t + 1)] > A[order[best] * (t + 1)]) best = i;
    const int p = order[best];
    order[best] = order[k];
    order[k] = p;
    if (!(A[p * (t + 1)] > 0.0)) return false;
    for (int i = k + 1; i < t; ++i) {
      const int row = order[i];
      const double factor = A[p * t + row] / A[p * (t + 1)];
      for (int j = k + 1; j < t; ++j) A[order[j] * t + row] -= factor * A[order[j] * t + p];
      x[row] -= factor * x[p];
    }
  }
  for (int k = t - 1; k >= 0; --k) {
    const int p = order[k];
    for (int j = k + 1; j < t; ++j) x[p] -= A[order[j] * t + p] * x[order[j]];
    x[p] /= A[p * (t + 1)];
  }
  return true;
}

// x = (S + a I)^-1 b; false where the matrix is not positive definite.
TS_INLINE bool solve_shifted(int t, const double *S, double a, const double *b, double *x)
{
  if (t == 1) {
    const double s = S[0] + a;
    if (!(s > 0.0)) return false;
    x[0] = b[0] / s;
    return true;
  }
  if (t == 2) {
    const double s0 = S[0] + a, s3 = S[3] + a, determinant = s0 * s3 - S[1] * S[2];
    if (!(determinant > 0.0 && determinant > REGULAR * s0 * s3)) return eliminate_shifted(t, S, a, b, x);
    const double inverse = 1.0 / determinant;
    x[0] = (s3 * b[0] - S[2] * b[1]) * inverse;
    x[1] = (s0 * b[1] - S[1] * b[0]) * inverse;
    return true;
  }
  const double s0 = S[0] + a, s4 = S[4] + a, s8 = S[8] + a;
  const double c0 = s4 * s8 - S[7] * S[5], c1 = S[7] * S[2] - S[1] * s8, c2 = S[1] * S[5] - s4 * S[2];
  const double determinant = s0 * c0 + S[3] * c1 + S[6] * c2;
  if (!(determinant > 0.0 && determinant > REGULAR * s0 * s4 * s8)) return eliminate_shifted(t, S, a, b, x);
  const double inverse = 1.0 / determinant;
  x[0] = (c0 * b[0] + (S[6] * S[5] - S[3] * s8) * b[1] + (S[3] * S[7] - S[6] * s4) * b[2]) * inverse;
  x[1] = (c1 * b[0] + (s0 * s8 - S[6] * S[2]) * b[1] + (S[6] * S[1] - s0 * S[7]) * b[2]) * inverse;
  x[2] = (c2 * b[0] + (S[3] * S[2] - s0 * S[5]) * b[1] + (s0 * s4 - S[3] * S[1]) * b[2]) * inverse;
  return true;
}

TS_INLINE double dot(int n, const double *x, const double *y)
{
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// Impulse for a given multiplier: r_t = -(S + a I)^-1 b and the normal impulse that keeps u_n = 0.
TS_INLINE bool impulse_at(int t, const ts_one_contact *c, double a, const double *b, double q_n, double *r)
{
  if (!solve_shifted(t, c->S, a, b, r + 1)) return false;
  for (int k = 1; k <= t; ++k) r[k] = -r[k];
  r[0] = -q_n * c->inverse_normal - dot(t, c->nt, r + 1);
  return true;
}

// The multiplier of a contact whose block is a multiple of the identity in the tangents and does not couple them with
// the normal: where the search begins.
TS_INLINE double first_multiplier(int t, double mu, const ts_one_contact *c, const double *b, double q_n,
                                  double tangential)
{
  const double guess = sqrt(dot(t, b, b)) / (-mu * q_n * c->inverse_normal) - tangential / t;
  return guess > 1e-3 * tangential && guess < 1e300 ? guess : 1e-3 * tangential;
}

// Where to go on where a Newton step leaves ]low, high[.
TS_INLINE double inside_bracket(double low, double high)
{
  return low > 0.0 ? sqrt(low * high) : 0.5 * high;
}

// Root of h(a) = mu r_n/|r_t| - 1, which rises from h(0) < 0; [low, high] keeps it. A search that starts from the last
// sweep's multiplier and is near the root ends with one more Newton step: the next sweep starts from there anyway, and
// the error is squared every time. A block that is singular in a tangent has its root next to 0, many powers of ten
// below where the search begins: a step that would leave at that end is taken from 0, where h is as good as linear.
TS_INLINE bool solve_sliding(int t, double mu, ts_one_contact *c, const double *b, double q_n, double tangential,
                             double *r)
{
  const bool warm = c->a > 0.0;
  double low = 0.0, high = INFINITY, a = warm ? c->a : first_multiplier(t, mu, c, b, q_n, tangential), size = 0.0;
  bool last = false, from_zero = false;
  for (int step = 0; step < 200; ++step) {
    if (!impulse_at(t, c, a, b, q_n, r)) {
      low = a; // too small a multiplier for a block that is not positive definite
      a = isinf(high) ? 10.0 * a : inside_bracket(low, high);
      continue;
    }
    size = sqrt(dot(t, r + 1, r + 1));
    if (last) break;
    const double bound = mu * r[0], excess = size - bound;
    if (excess > 0.0)
      low = a;
    else
      high = a;
    if (fabs(excess) <= 1e-15 * (size + fabs(bound)) || (isfinite(high) && high - low <= 1e-15 * high)) break;
    double slope[3];
    solve_shifted(t, c->S, a, r + 1, slope); // -dr_t/da
    const double normal_slope = dot(t, c->nt, slope), h = bound / size - 1.0;
    const double dh = mu * (normal_slope + r[0] * dot(t, r + 1, slope) / (size * size)) / size;
    const double next = a - h / dh;
    const bool inside = next > low && next < high;
    last = warm && inside && fabs(h) < 1e-3;
    const bool to_zero = !inside && low == 0.0 && isfinite(high) && !from_zero;
    from_zero = from_zero || to_zero;
    a = inside ? next : isinf(high) ? 10.0 * a : to_zero ? 0.0 : inside_bracket(low, high);
  }
  c->a = isfinite(a) ? a : 0.0; // a search that ran away must not be where the next one starts
  if (!(r[0] >= 0.0) || !isfinite(size)) return false;
  if (size > 0.0)
    for (int k = 1; k <= t; ++k) r[k] *= mu * r[0] / size; // onto the cone exactly
  return true;
}

// r <- P_K(r - (W r + q + mu |u_t| n)/trace): for blocks that no exact solution fits.
TS_INLINE void projected_step(int d, double mu, const ts_one_contact *c, const double *block, int stride,
                              const double *q, double *r)
{
  double u[4] = {0};
  for (int k = 0; k < d; ++k) u[k] = q[k];
  for (int column = 0; column < d; ++column)
    for (int k = 0; k < d; ++k) u[k] += block[column * stride + k] * r[column];
  u[0] += mu * sqrt(dot(d - 1, u + 1, u + 1));
  const double step = c->trace > 0.0 ? 1.0 / c->trace : 1.0;
  for (int k = 0; k < d; ++k) r[k] -= step * u[k];
  ts_cone_project(d, mu, r);
}

TS_INLINE void ts_solve_one_contact(const int d, double mu, ts_one_contact *c, const double *block, int stride,
                                    const double *q, double *r)
{
  const int t = d - 1;
  if (q[0] >= 0.0) {
    for (int k = 0; k < d; ++k) r[k] = 0.0;
    return;
  }
  if (c->inverse_normal > 0.0) {
    double b[3], trial[4] = {0}, tangential = 0.0;
    for (int k = 0; k < t; ++k) {
      b[k] = q[k + 1] - c->tn[k] * q[0];
      tangential += c->S[k * t + k];
    }
    if (mu == 0.0) {
      trial[0] = -q[0] * c->inverse_normal;
      for (int k = 0; k < d; ++k) r[k] = trial[k];
      return;
    }
    const bool sticks = impulse_at(t, c, 0.0, b, q[0], trial) && trial[0] >= 0.0 &&
                        dot(t, trial + 1, trial + 1) <= mu * mu * trial[0] * trial[0];
    if (sticks || solve_sliding(t, mu, c, b, q[0], tangential > 0.0 ? tangential : c->trace, trial)) {
      for (int k = 0; k < d; ++k) r[k] = trial[k];
      return;
    }
  }
  projected_step(d, mu, c, block, stride, q, r);
}

#endif
