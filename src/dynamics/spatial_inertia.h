// Spatial vectors and symmetric 6x6 inertias at a centre of mass along world axes, in wide form (math/wide.h).
#ifndef TS_DYNAMICS_SPATIAL_INERTIA_H
#define TS_DYNAMICS_SPATIAL_INERTIA_H

#include "math/wide.h"

// A twist, or a wrench: force and moment.
typedef struct ts_spatial {
  ts_wide linear, angular;
} ts_spatial;

// force = A v + B w, moment = B^T v + C w; blocks by columns, A and C symmetric.
typedef struct ts_spatial_inertia {
  ts_wide A[3], B[3], C[3];
} ts_spatial_inertia;

TS_INLINE ts_spatial ts_spatial_zero(void)
{
  return (ts_spatial){ts_wide_zero(), ts_wide_zero()};
}

TS_INLINE ts_spatial ts_spatial_of_twist(ts_twist V)
{
  return (ts_spatial){ts_wide_of(V.linear), ts_wide_of(V.angular)};
}

TS_INLINE ts_spatial ts_spatial_of_wrench(ts_wrench f)
{
  return (ts_spatial){ts_wide_of(f.force), ts_wide_of(f.moment)};
}

TS_INLINE ts_twist ts_twist_of_spatial(ts_spatial V)
{
  return (ts_twist){ts_narrow(V.linear), ts_narrow(V.angular)};
}

TS_INLINE ts_spatial ts_spatial_add(ts_spatial a, ts_spatial b)
{
  return (ts_spatial){a.linear + b.linear, a.angular + b.angular};
}

TS_INLINE ts_spatial ts_spatial_sub(ts_spatial a, ts_spatial b)
{
  return (ts_spatial){a.linear - b.linear, a.angular - b.angular};
}

// a + s b
TS_INLINE ts_spatial ts_spatial_add_scaled(ts_spatial a, double s, ts_spatial b)
{
  return (ts_spatial){a.linear + s * b.linear, a.angular + s * b.angular};
}

// Power of a wrench on a twist
TS_INLINE double ts_spatial_dot(ts_spatial f, ts_spatial V)
{
  return ts_wide_sum(f.linear * V.linear + f.angular * V.angular);
}

// Velocity felt at a point that `l` leads to
TS_INLINE ts_spatial ts_carry_twist(ts_spatial V, ts_wide l)
{
  return (ts_spatial){V.linear + ts_wide_cross(V.angular, l), V.angular};
}

// A wrench felt at the point that `l` comes from
TS_INLINE ts_spatial ts_carry_wrench(ts_spatial f, ts_wide l)
{
  return (ts_spatial){f.linear, f.angular + ts_wide_cross(l, f.linear)};
}

// Momentum of a body
TS_INLINE ts_spatial ts_body_momentum(double mass, const ts_wide *inertia, ts_spatial V)
{
  return (ts_spatial){mass * V.linear, ts_wide_mul(inertia, ts_narrow(V.angular))};
}

// P += the inertia of a body
TS_INLINE void ts_inertia_add_body(ts_spatial_inertia *P, double mass, const ts_wide *inertia)
{
  P->A[0] += (ts_wide){mass, 0.0, 0.0, 0.0};
  P->A[1] += (ts_wide){0.0, mass, 0.0, 0.0};
  P->A[2] += (ts_wide){0.0, 0.0, mass, 0.0};
  for (int j = 0; j < 3; ++j) P->C[j] += inertia[j];
}

TS_INLINE ts_spatial_inertia ts_inertia_zero(void)
{
  ts_spatial_inertia P;
  for (int j = 0; j < 3; ++j) P.A[j] = P.B[j] = P.C[j] = ts_wide_zero();
  return P;
}

TS_INLINE void ts_inertia_add(ts_spatial_inertia *P, const ts_spatial_inertia *Q)
{
  for (int j = 0; j < 3; ++j) {
    P->A[j] += Q->A[j];
    P->B[j] += Q->B[j];
    P->C[j] += Q->C[j];
  }
}

// P V; `Bt` is the transpose of P's B.
TS_INLINE ts_spatial ts_inertia_mul(const ts_spatial_inertia *P, const ts_wide *Bt, const ts_spatial *V)
{
  const ts_vec3 v = ts_narrow(V->linear), w = ts_narrow(V->angular);
  return (ts_spatial){ts_wide_mul(P->A, v) + ts_wide_mul(P->B, w), ts_wide_mul(Bt, v) + ts_wide_mul(P->C, w)};
}

// P - u g^T, symmetric alone or with the other terms of a sum of such.
TS_INLINE void ts_inertia_subtract(ts_spatial_inertia *P, ts_spatial u, ts_spatial g)
{
  for (int j = 0; j < 3; ++j) {
    P->A[j] -= g.linear[j] * u.linear;
    P->B[j] -= g.angular[j] * u.linear;
    P->C[j] -= g.angular[j] * u.angular;
  }
}

// P - s u u^T: symmetric to the bit, and next to nothing has to wait for s.
TS_INLINE void ts_inertia_subtract_square(ts_spatial_inertia *P, double s, ts_spatial u)
{
  for (int j = 0; j < 3; ++j) {
    P->A[j] -= s * (u.linear[j] * u.linear);
    P->B[j] -= s * (u.angular[j] * u.linear);
    P->C[j] -= s * (u.angular[j] * u.angular);
  }
}

// Columns of A l~
TS_INLINE void times_cross_matrix(const ts_wide *A, ts_wide l, ts_wide *T)
{
  T[0] = l[2] * A[1] - l[1] * A[2];
  T[1] = l[0] * A[2] - l[2] * A[0];
  T[2] = l[1] * A[0] - l[0] * A[1];
}

// The same inertia felt at the point that `l` comes from: phi P phi^T, phi = [1 0; l~ 1] on (force, moment). Then
//   B' = B - A l~,  C' = C + l~ B' - B^T l~.
TS_INLINE ts_spatial_inertia ts_inertia_carry(const ts_spatial_inertia *P, const ts_wide *Bt, ts_wide l)
{
  ts_spatial_inertia Q;
  ts_wide Al[3], Btl[3];
  times_cross_matrix(P->A, l, Al);
  times_cross_matrix(Bt, l, Btl);
  for (int j = 0; j < 3; ++j) {
    Q.A[j] = P->A[j];
    Q.B[j] = P->B[j] - Al[j];
    Q.C[j] = (P->C[j] - Btl[j]) + ts_wide_cross(l, Q.B[j]);
  }
  return Q;
}

#endif
