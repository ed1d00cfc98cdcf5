#include "dynamics/gyroscopic.h"

ts_vec3 ts_gyroscopic_explicit(const ts_mat3 *inertia, const ts_mat3 *inverse_inertia, double h, ts_vec3 w)
{
  const ts_vec3 torque = ts_cross(w, ts_mul(inertia, w));
  return ts_scale(-h, ts_mul(inverse_inertia, torque));
}

// f(x) = I (x - w) + h x X I x
static ts_vec3 residual_of(const ts_mat3 *I, double h, ts_vec3 w, ts_vec3 x)
{
  return ts_add_scaled(ts_mul(I, ts_sub(x, w)), h, ts_cross(x, ts_mul(I, x)));
}

// f'(x) = I + h (x X I - (I x) X), by columns.
static ts_mat3 jacobian_of(const ts_mat3 *I, double h, ts_vec3 x)
{
  const ts_vec3 L = ts_mul(I, x);
  const ts_vec3 e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, columns[3] = {I->x, I->y, I->z};
  ts_vec3 J[3];
  for (int i = 0; i < 3; ++i) J[i] = ts_add_scaled(columns[i], h, ts_sub(ts_cross(x, columns[i]), ts_cross(L, e[i])));
  return (ts_mat3){J[0], J[1], J[2]};
}

// A^-1 b by Cramer's rule; not finite where A is singular.
static ts_vec3 solve(const ts_mat3 *A, ts_vec3 b)
{
  const ts_vec3 yz = ts_cross(A->y, A->z);
  const double scale = 1.0 / ts_dot(A->x, yz);
  return (ts_vec3){scale * ts_dot(b, yz), scale * ts_dot(A->x, ts_cross(b, A->z)),
                   scale * ts_dot(A->x, ts_cross(A->y, b))};
}

// One Newton step, halved until the residual falls; false when it does not.
static bool improve(const ts_mat3 *I, double h, ts_vec3 w, ts_vec3 *x, ts_vec3 *f)
{
  const ts_mat3 J = jacobian_of(I, h, *x);
  const ts_vec3 step = solve(&J, *f);
  for (double length = 1.0; length > 1e-4; length *= 0.5) {
    const ts_vec3 trial = ts_add_scaled(*x, -length, step), residual = residual_of(I, h, w, trial);
    if (ts_dot(residual, residual) < ts_dot(*f, *f)) {
      *x = trial;
      *f = residual;
      return true;
    }
  }
  return false;
}

// Newton's method from x; true when it solves f(x) = 0 to rounding.
static bool solve_from(const ts_mat3 *I, double h, ts_vec3 w, ts_vec3 *x)
{
  enum { MOST_STEPS = 20 };
  const ts_vec3 momentum = ts_mul(I, w);
  const double small = 1e-30 * ts_dot(momentum, momentum); // of squares
  ts_vec3 f = residual_of(I, h, w, *x);
  for (int i = 0; i < MOST_STEPS && ts_dot(f, f) > small; ++i)
    if (!improve(I, h, w, x, &f)) break;
  return ts_dot(f, f) <= 1e6 * small;
}

// x, shortened to the energy of w where it has more: by round-off, or because a solve has failed.
static ts_vec3 without_gain(const ts_mat3 *inertia, ts_vec3 w, ts_vec3 x)
{
  const double before = ts_dot(w, ts_mul(inertia, w)), after = ts_dot(x, ts_mul(inertia, x));
  return after > before ? ts_scale(sqrt(before / after), x) : x;
}

// Bodies that turn by radians a step may lie outside of what Newton's method reaches from w: then the solutions for
// shorter times lead there. Multiplying f(x) = 0 by x gives x.I x = x.I w, so that |x| <= |w| in the energy norm; where
// even that fails the bound is imposed.
ts_vec3 ts_gyroscopic_implicit(const ts_mat3 *inertia, double h, ts_vec3 w)
{
  ts_vec3 x = w;
  if (!solve_from(inertia, h, w, &x)) {
    x = w;
    for (double part = 1.0 / 1024.0; part <= 1.0; part *= 2.0) solve_from(inertia, part * h, w, &x);
  }
  return without_gain(inertia, w, x);
}

// With w' = 2 m - w the midpoint rule is 2 I (m - w) + h m x I m = 0: the implicit rule of half the time leads to m.
ts_vec3 ts_gyroscopic_midpoint(const ts_mat3 *inertia, double h, ts_vec3 w)
{
  const ts_vec3 m = ts_gyroscopic_implicit(inertia, 0.5 * h, w);
  return without_gain(inertia, w, ts_sub(ts_scale(2.0, m), w));
}

// A turn by h r as orientations take it (004 eq. 2.16) is x - y = h/2 r x (x + y). With r = weight x + (1 - weight) w
// that is linear in x: (1 + a X) x = y + b x y, and (1 + a X)^-1 c = (c - a x c + a a.c)/(1 + a.a).
ts_vec3 ts_gyroscopic_carry(double h, double weight, ts_vec3 w, ts_vec3 y)
{
  if (weight >= 1.0) return y; // it turns about itself
  const ts_vec3 b = ts_scale(0.5 * h * (1.0 - weight), w), a = ts_sub(ts_scale(0.5 * h * weight, y), b);
  const ts_vec3 c = ts_add(y, ts_cross(b, y));
  const ts_vec3 sum = ts_add_scaled(ts_sub(c, ts_cross(a, c)), ts_dot(a, c), a);
  return ts_scale(1.0 / (1.0 + ts_dot(a, a)), sum);
}
