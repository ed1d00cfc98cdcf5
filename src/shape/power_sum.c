// See power_sum.h. On the surface, with y_i = |x_i / a_i| and F the sum of y_i^p_i, let w = grad F, W = F'' (diagonal)
// and D = w.x. Then the gauge has the gradient n = w / D, and at g times that place the second derivative
//   P^T W P / (g D),  P = 1 - x n^T.
#include "shape/power_sum.h"

#include "shape/mass.h"

#include <float.h>

// Powers below this count as it where surfaces are asked how they bend: at the flat places of a surface its radius of
// curvature is infinite.
static const double LEAST_POWER = 1e-15;

typedef struct numbers {
  int count; // 3, or 2 in the plane
  double a[3], p[3];
} numbers;

static numbers numbers_of(const ts_convex *part)
{
  const ts_vec3 a = part->half, p = part->exponents;
  return (numbers){part->planar ? 2 : 3, {a.x, a.y, a.z}, {p.x, p.y, p.z}};
}

static void to_array(ts_vec3 v, double array[3])
{
  array[0] = v.x;
  array[1] = v.y;
  array[2] = v.z;
}

// The v with sum of exp(r_i (l_i + v)) = 1, r_i >= 1; l_i may be -INFINITY, but not all. The logarithm of the sum is
// convex in v, and linear for equal r: from the right Newton's method never overshoots, and mostly needs few steps.
static double level(int count, const double r[3], const double l[3])
{
  enum { MOST = 100 };
  double v = INFINITY;
  for (int i = 0; i < count; ++i) v = fmin(v, -l[i]); // one term is 1
  for (int k = 0; k < MOST; ++k) {
    double sum = 0.0, slope = 0.0;
    for (int i = 0; i < count; ++i) {
      const double term = exp(r[i] * (l[i] + v));
      sum += term;
      slope += r[i] * term;
    }
    const double next = v - log(sum) * sum / slope;
    if (!(next < v) || v - next <= DBL_EPSILON) return next;
    v = next;
  }
  return v;
}

// ---- the gauge

// A place x seen from the centre: g(x), and y of the surface there
typedef struct place {
  double gauge, y[3];
} place;

// In the plane for equal exponents: the larger of the two, and what the other adds.
static place even_place(const numbers *n, const double x[3])
{
  const double p = n->p[0], u = fabs(x[0]) / n->a[0], v = fabs(x[1]) / n->a[1], large = fmax(u, v);
  if (large == 0.0) return (place){0};
  const double gauge = large * pow(1.0 + pow(fmin(u, v) / large, p), 1.0 / p);
  return (place){gauge, {u / gauge, v / gauge}};
}

static place place_of(const numbers *n, const double x[3])
{
  if (n->count == 2 && n->p[0] == n->p[1]) return even_place(n, x);
  double l[3];
  for (int i = 0; i < n->count; ++i) l[i] = log(fabs(x[i]) / n->a[i]);
  double largest = -INFINITY;
  for (int i = 0; i < n->count; ++i) largest = fmax(largest, l[i]);
  if (largest == -INFINITY) return (place){0};
  const double v = level(n->count, n->p, l);
  place at = {.gauge = exp(-v)};
  for (int i = 0; i < n->count; ++i) at.y[i] = fabs(x[i]) / (n->a[i] * at.gauge);
  return at;
}

// w, with the signs of x, and the diagonal of W at a place of the surface; D is returned
static double slopes(const numbers *n, const double y[3], const double x[3], double w[3], double W[3])
{
  double D = 0.0;
  for (int i = 0; i < n->count; ++i) {
    const double p = n->p[i], power = pow(y[i], p - 2.0);
    w[i] = copysign(p * power * y[i] / n->a[i], x[i]);
    W[i] = p * (p - 1.0) * power / (n->a[i] * n->a[i]);
    D += p * power * y[i] * y[i];
  }
  return D;
}

double ts_power_sum_gauge(const ts_convex *part, ts_vec3 point)
{
  const numbers n = numbers_of(part);
  double x[3];
  to_array(point, x);
  return place_of(&n, x).gauge;
}

// ---- as a part

// The greatest |x|^2 is the least over L of L + sum of max over t in [0, 1] of a^2 t^(2/p) - L t, t = y^p: every L
// gives a bound.
static double bound_of_squares(const numbers *n, double L)
{
  double bound = L;
  for (int i = 0; i < n->count; ++i) {
    const double a2 = n->a[i] * n->a[i], p = n->p[i], ratio = 2.0 * a2 / (p * L);
    const double t = ratio >= 1.0 ? 1.0 : p > 2.0 ? pow(ratio, p / (p - 2.0)) : 0.0;
    bound += a2 * pow(t, 2.0 / p) - L * t;
  }
  return bound;
}

static double reach_of(const numbers *n)
{
  enum { CUTS = 120 };
  double low = 0.0, high = 0.0;
  for (int i = 0; i < n->count; ++i) high += n->a[i] * n->a[i];
  for (int k = 0; k < CUTS; ++k) { // the bound is convex in L
    const double left = low + 0.45 * (high - low), right = low + 0.55 * (high - low);
    if (bound_of_squares(n, left) < bound_of_squares(n, right))
      high = right;
    else
      low = left;
  }
  return sqrt(bound_of_squares(n, high)) * (1.0 + 4.0 * DBL_EPSILON);
}

void ts_power_sum_measure(const ts_shape *shape, ts_convex *part)
{
  part->half = shape->size;
  part->exponents = shape->exponents;
  const numbers n = numbers_of(part);
  part->reach = reach_of(&n);
}

// Where w is along d: y_i^(p_i - 1) = s a_i |d_i| / p_i with the factor s that makes the sum of y_i^p_i 1.
static void support_place(const numbers *n, const double d[3], double y[3])
{
  double r[3], l[3];
  bool none = true;
  for (int i = 0; i < n->count; ++i) {
    r[i] = n->p[i] / (n->p[i] - 1.0);
    l[i] = log(n->a[i] * fabs(d[i]) / n->p[i]);
    none = none && d[i] == 0.0;
  }
  const double v = none ? 0.0 : level(n->count, r, l);
  for (int i = 0; i < n->count; ++i) y[i] = exp((l[i] + v) / (n->p[i] - 1.0));
}

// The same in the plane for equal exponents: y_i is the (p - 1)st root of a_i |d_i|, of both as shares of the larger.
// An exponent of 4 has roots that take half as long.
static ts_vec3 even_support(const ts_convex *part, ts_vec3 d)
{
  const double p = part->exponents.x, u = part->half.x * fabs(d.x), v = part->half.y * fabs(d.y);
  const double large = fmax(u, v), share = large > 0.0 ? fmin(u, v) / large : 1.0;
  const double root = p == 4.0 ? cbrt(share) : pow(share, 1.0 / (p - 1.0)), sum = 1.0 + share * root;
  const double most = p == 4.0 ? 1.0 / sqrt(sqrt(sum)) : pow(sum, -1.0 / p), least = root * most;
  return ts_vec3_make(copysign(part->half.x * (u < v ? least : most), d.x),
                      copysign(part->half.y * (u < v ? most : least), d.y), 0.0);
}

ts_vec3 ts_power_sum_support(const ts_convex *part, ts_vec3 direction)
{
  if (part->planar && part->exponents.x == part->exponents.y) return even_support(part, direction);
  const numbers n = numbers_of(part);
  double d[3], y[3], x[3] = {0.0, 0.0, 0.0};
  to_array(direction, d);
  support_place(&n, d, y);
  for (int i = 0; i < n.count; ++i) x[i] = copysign(n.a[i] * y[i], d[i]);
  return ts_vec3_make(x[0], x[1], x[2]);
}

static double extent(const ts_convex *part, ts_vec3 row)
{
  return ts_dot(row, ts_power_sum_support(part, row));
}

ts_bounds ts_power_sum_bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_mat3 rows = ts_mat3_transpose(&frame->axes);
  const bool flat = part->planar && rows.z.x == 0.0 && rows.z.y == 0.0;
  const double height = flat ? 0.0 : extent(part, rows.z);
  return ts_bounds_about(frame->origin, ts_vec3_make(extent(part, rows.x), extent(part, rows.y), height));
}

double ts_power_sum_inner_radius(const ts_convex *part)
{
  const double least = fmin(part->half.x, part->half.y);
  return part->planar ? least : fmin(least, part->half.z);
}

// Integrals of Dirichlet: with q_i = 1/p_i over the set in which the sum of y_i^p_i is at most 1 and all y_i >= 0, that
// of 1 is the product of G(1 + q_i) over G(1 + sum of q_i), and that of y_k^2 the same with 3 q_k for q_k, over 3.
static double integral(const numbers *n, int k)
{
  double product = 1.0, sum = 1.0;
  for (int i = 0; i < n->count; ++i) {
    const double q = (i == k ? 3.0 : 1.0) / n->p[i];
    product *= 2.0 * n->a[i] * tgamma(1.0 + q);
    sum += q;
  }
  return product / tgamma(sum);
}

ts_mass_properties ts_power_sum_mass(const ts_convex *part)
{
  const numbers n = numbers_of(part);
  double second[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < n.count; ++k) second[k] = n.a[k] * n.a[k] * integral(&n, k) / 3.0;
  return ts_mass_of_moments(integral(&n, -1), second[0], second[1], second[2]);
}

// ---- as a function

static ts_mat3 matrix_of(double A[3][3])
{
  return (ts_mat3){{A[0][0], A[1][0], A[2][0]}, {A[0][1], A[1][1], A[2][1]}, {A[0][2], A[1][2], A[2][2]}};
}

// s (n n^T + P^T W P / D) with the point x of the surface; at the centre that of an ellipsoid.
static ts_mat3 second_derivative(const numbers *n, double s, const double x[3], const double g[3], const double W[3],
                                 double D)
{
  double A[3][3] = {{0.0}};
  double xWx = 0.0;
  for (int k = 0; k < n->count; ++k) xWx += x[k] * W[k] * x[k];
  for (int i = 0; i < n->count; ++i)
    for (int j = 0; j < n->count; ++j) {
      const double own = i == j ? W[i] : 0.0;
      A[i][j] = s * (g[i] * g[j] + (own - W[i] * x[i] * g[j] - g[i] * W[j] * x[j] + xWx * g[i] * g[j]) / D);
    }
  return matrix_of(A);
}

static ts_mat3 at_centre(const numbers *n, double s)
{
  double A[3][3] = {{0.0}};
  for (int i = 0; i < n->count; ++i) A[i][i] = s / (n->a[i] * n->a[i]);
  return matrix_of(A);
}

double ts_power_sum_value(const ts_convex *part, int i, ts_vec3 point, ts_vec3 *gradient, ts_mat3 *hessian)
{
  (void)i;
  const numbers n = numbers_of(part);
  const double s = sqrt(part->reach * ts_power_sum_inner_radius(part));
  double x[3], w[3], W[3], g[3] = {0.0, 0.0, 0.0};
  to_array(point, x);
  const place at = place_of(&n, x);
  const double value = 0.5 * s * (at.gauge - 1.0) * (at.gauge + 1.0);
  if (!gradient && !hessian) return value;
  if (at.gauge == 0.0) {
    if (gradient) *gradient = ts_vec3_make(0.0, 0.0, 0.0);
    if (hessian) *hessian = at_centre(&n, s);
    return value;
  }
  const double D = slopes(&n, at.y, x, w, W);
  for (int k = 0; k < n.count; ++k) g[k] = w[k] / D, x[k] /= at.gauge;
  if (gradient) *gradient = ts_scale(s * at.gauge, ts_vec3_make(g[0], g[1], g[2]));
  if (hessian) *hessian = second_derivative(&n, s, x, g, W, D);
  return value;
}

// The gauge less 1, over the length of its gradient: the distance to first order.
double ts_power_sum_outside(const ts_convex *part, ts_vec3 point)
{
  const numbers n = numbers_of(part);
  double x[3], w[3], W[3], square = 0.0;
  to_array(point, x);
  const place at = place_of(&n, x);
  if (at.gauge == 0.0) return -ts_power_sum_inner_radius(part);
  const double D = slopes(&n, at.y, x, w, W);
  for (int i = 0; i < n.count; ++i) square += w[i] * w[i];
  return (at.gauge - 1.0) * D / sqrt(square);
}

// With w = u m, m.dx = 0 and W dx = u t + (du) m:  dx = u (V t - V m (m.V t) / (m.V m)),  V = W^-1.
ts_vec3 ts_power_sum_bend(const ts_core *core, ts_vec3 m, ts_vec3 t)
{
  const numbers n = numbers_of(core->part);
  double d[3], e[3], y[3], moved[3] = {0.0, 0.0, 0.0}, V[3], mVt = 0.0, mVm = 0.0, D = 0.0, height = 0.0;
  to_array(ts_mul_transposed(&core->frame.axes, m), d);
  to_array(ts_mul_transposed(&core->frame.axes, t), e);
  support_place(&n, d, y);
  for (int i = 0; i < n.count; ++i) {
    const double p = n.p[i], power = fmax(pow(y[i], p - 2.0), LEAST_POWER);
    V[i] = n.a[i] * n.a[i] / (p * (p - 1.0) * power);
    mVt += d[i] * V[i] * e[i];
    mVm += d[i] * V[i] * d[i];
    D += p * pow(y[i], p);
    height += n.a[i] * y[i] * fabs(d[i]);
  }
  for (int i = 0; i < n.count; ++i) moved[i] = D / height * V[i] * (e[i] - d[i] * mVt / mVm);
  return ts_mul(&core->frame.axes, ts_vec3_make(moved[0], moved[1], moved[2]));
}
