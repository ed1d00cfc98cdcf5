// Symmetric 6x6 inertias at a centre of mass along world axes, in blocks: force = A v + B w, moment = B^T v + C w.
#ifndef TS_DYNAMICS_SPATIAL_INERTIA_H
#define TS_DYNAMICS_SPATIAL_INERTIA_H

#include "math/vec3.h"

typedef struct ts_sym3 {
  double xx, yy, zz, xy, xz, yz;
} ts_sym3;

typedef struct ts_spatial_inertia {
  ts_sym3 A;
  ts_mat3 B; // by columns
  ts_sym3 C;
} ts_spatial_inertia;

TS_INLINE ts_vec3 ts_sym3_mul(const ts_sym3 *S, ts_vec3 v)
{
  return (ts_vec3){S->xx * v.x + S->xy * v.y + S->xz * v.z, S->xy * v.x + S->yy * v.y + S->yz * v.z,
                   S->xz * v.x + S->yz * v.y + S->zz * v.z};
}

TS_INLINE ts_sym3 ts_sym3_of(const ts_mat3 *M)
{
  return (ts_sym3){M->x.x, M->y.y, M->z.z, M->y.x, M->z.x, M->z.y};
}

// R S R^T
TS_INLINE ts_sym3 ts_sym3_rotate(const ts_mat3 *R, const ts_sym3 *S)
{
  const ts_mat3 T = {ts_add_scaled(ts_add_scaled(ts_scale(S->xx, R->x), S->xy, R->y), S->xz, R->z),
                     ts_add_scaled(ts_add_scaled(ts_scale(S->xy, R->x), S->yy, R->y), S->yz, R->z),
                     ts_add_scaled(ts_add_scaled(ts_scale(S->xz, R->x), S->yz, R->y), S->zz, R->z)};
  return (ts_sym3){T.x.x * R->x.x + T.y.x * R->y.x + T.z.x * R->z.x, T.x.y * R->x.y + T.y.y * R->y.y + T.z.y * R->z.y,
                   T.x.z * R->x.z + T.y.z * R->y.z + T.z.z * R->z.z, T.x.x * R->x.y + T.y.x * R->y.y + T.z.x * R->z.y,
                   T.x.x * R->x.z + T.y.x * R->y.z + T.z.x * R->z.z, T.x.y * R->x.z + T.y.y * R->y.z + T.z.y * R->z.z};
}

TS_INLINE ts_spatial_inertia ts_spatial_inertia_of(double mass, const ts_sym3 *inertia)
{
  return (ts_spatial_inertia){.A = {mass, mass, mass, 0.0, 0.0, 0.0}, .C = *inertia};
}

TS_INLINE ts_wrench ts_spatial_mul(const ts_spatial_inertia *P, ts_twist V)
{
  return (ts_wrench){ts_add(ts_sym3_mul(&P->A, V.linear), ts_mul(&P->B, V.angular)),
                     ts_add(ts_mul_transposed(&P->B, V.linear), ts_sym3_mul(&P->C, V.angular))};
}

TS_INLINE ts_sym3 ts_sym3_sum(ts_sym3 a, ts_sym3 b)
{
  return (ts_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

// S - a b^T, where a and b are parallel
TS_INLINE ts_sym3 ts_sym3_less(ts_sym3 S, ts_vec3 a, ts_vec3 b)
{
  return (ts_sym3){S.xx - a.x * b.x, S.yy - a.y * b.y, S.zz - a.z * b.z,
                   S.xy - a.x * b.y, S.xz - a.x * b.z, S.yz - a.y * b.z};
}

TS_INLINE void ts_spatial_add(ts_spatial_inertia *P, const ts_spatial_inertia *Q)
{
  P->A = ts_sym3_sum(P->A, Q->A);
  P->B = (ts_mat3){ts_add(P->B.x, Q->B.x), ts_add(P->B.y, Q->B.y), ts_add(P->B.z, Q->B.z)};
  P->C = ts_sym3_sum(P->C, Q->C);
}

// P - g u^T, which is symmetric alone or with the other terms of a sum of such.
TS_INLINE void ts_spatial_subtract(ts_spatial_inertia *P, ts_wrench g, ts_wrench u)
{
  P->A = ts_sym3_less(P->A, g.force, u.force);
  P->B = (ts_mat3){ts_add_scaled(P->B.x, -u.moment.x, g.force), ts_add_scaled(P->B.y, -u.moment.y, g.force),
                   ts_add_scaled(P->B.z, -u.moment.z, g.force)};
  P->C = ts_sym3_less(P->C, g.moment, u.moment);
}

// The same inertia felt at a point from which `l` leads here: phi P phi^T, phi = [1 0; l~ 1] on (force, moment). Then
//   B' = B - A l~,  C' = C + l~ B' + (l~ B)^T.
TS_INLINE ts_spatial_inertia ts_spatial_shift(const ts_spatial_inertia *P, ts_vec3 l)
{
  const ts_sym3 *A = &P->A, *C = &P->C;
  const ts_mat3 *B = &P->B;
  const ts_mat3 D = {{B->x.x - (l.z * A->xy - l.y * A->xz), B->x.y - (l.z * A->yy - l.y * A->yz),
                      B->x.z - (l.z * A->yz - l.y * A->zz)},
                     {B->y.x - (l.x * A->xz - l.z * A->xx), B->y.y - (l.x * A->yz - l.z * A->xy),
                      B->y.z - (l.x * A->zz - l.z * A->xz)},
                     {B->z.x - (l.y * A->xx - l.x * A->xy), B->z.y - (l.y * A->xy - l.x * A->yy),
                      B->z.z - (l.y * A->xz - l.x * A->yz)}};
  return (ts_spatial_inertia){
      .A = *A,
      .B = D,
      .C = {C->xx + l.y * (D.x.z + B->x.z) - l.z * (D.x.y + B->x.y),
            C->yy + l.z * (D.y.x + B->y.x) - l.x * (D.y.z + B->y.z),
            C->zz + l.x * (D.z.y + B->z.y) - l.y * (D.z.x + B->z.x),
            C->xy + l.y * D.y.z - l.z * D.y.y + l.z * B->x.x - l.x * B->x.z,
            C->xz + l.y * D.z.z - l.z * D.z.y + l.x * B->x.y - l.y * B->x.x,
            C->yz + l.z * D.z.x - l.x * D.z.z + l.x * B->y.y - l.y * B->y.x},
  };
}

// Velocity felt at a point that `l` leads to, and a wrench felt where `l` comes from.
TS_INLINE ts_twist ts_twist_shift(ts_twist V, ts_vec3 l)
{
  return (ts_twist){ts_twist_at(V, l), V.angular};
}

TS_INLINE ts_wrench ts_wrench_shift(ts_wrench f, ts_vec3 l)
{
  return (ts_wrench){f.force, ts_add(f.moment, ts_cross(l, f.force))};
}

// Power of a wrench on a twist
TS_INLINE double ts_power(ts_wrench f, ts_twist V)
{
  return ts_dot(f.force, V.linear) + ts_dot(f.moment, V.angular);
}

// a + s b
TS_INLINE ts_wrench ts_wrench_add_scaled(ts_wrench a, double s, ts_wrench b)
{
  return (ts_wrench){ts_add_scaled(a.force, s, b.force), ts_add_scaled(a.moment, s, b.moment)};
}

#endif
