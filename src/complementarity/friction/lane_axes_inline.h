// Principal axes of four symmetric matrices of up to three rows at a time, by Jacobi's rotations. Friction is the same
// in all tangential directions of round variables, so that a contact may be turned into the axes in which S, what is
// left of its block without the normal row, is diagonal: a shift is then added and inverted number by number.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_AXES_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_AXES_INLINE_H

#include "math/quad.h"

enum { TS_MOST_TANGENTS = 3 };

typedef struct ts_lane_axes {
  ts_quad value[TS_MOST_TANGENTS]; // a matrix' own values, in no order
  ts_quad axis[TS_MOST_TANGENTS]
              [TS_MOST_TANGENTS]; // axis[k][r]: component r of the unit vector that belongs to value k
} ts_lane_axes;

// The tangent of the angle that takes out the element `off` between the diagonal elements `p` and `q`: the smaller one.
TS_INLINE ts_quad lanes_rotation(ts_quad p, ts_quad q, ts_quad off)
{
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, apart = q - p, twice = off + off;
  const ts_quad root = ts_quad_sqrt(apart * apart + twice * twice);
  const ts_quad tangent = twice / (apart + ts_quad_select(apart < zero, -root, root));
  return ts_quad_select(off == zero, zero, tangent); // 0/0 included
}

// One rotation in the plane of rows p and q < p. S is symmetric, by rows.
TS_INLINE void lanes_rotate(const int t, ts_quad S[][TS_MOST_TANGENTS], int p, int q, ts_lane_axes *axes)
{
  const ts_quad tangent = lanes_rotation(S[p][p], S[q][q], S[p][q]);
  const ts_quad cosine = 1.0 / ts_quad_sqrt(1.0 + tangent * tangent), sine = tangent * cosine;
  S[p][p] -= tangent * S[p][q];
  S[q][q] += tangent * S[p][q];
  S[p][q] = S[q][p] = tangent - tangent;
  for (int r = 0; r < t; ++r) {
    const ts_quad axis = axes->axis[p][r], with = S[p][r];
    axes->axis[p][r] = cosine * axis - sine * axes->axis[q][r];
    axes->axis[q][r] = sine * axis + cosine * axes->axis[q][r];
    if (r == p || r == q) continue;
    S[p][r] = S[r][p] = cosine * with - sine * S[q][r];
    S[q][r] = S[r][q] = sine * with + cosine * S[q][r];
  }
}

// Of S, by rows, which is overwritten. Two rows need one rotation; of three rows what is left is cubed by every round.
TS_INLINE void ts_lanes_principal_axes(const int t, ts_quad S[][TS_MOST_TANGENTS], ts_lane_axes *axes)
{
  enum { ROUNDS = 6 };
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0};
  for (int k = 0; k < t; ++k)
    for (int r = 0; r < t; ++r) axes->axis[k][r] = zero + (k == r ? 1.0 : 0.0);
  for (int round = 0; round < (t == 3 ? ROUNDS : 1); ++round)
    for (int p = 1; p < t; ++p)
      for (int q = 0; q < p; ++q) lanes_rotate(t, S, p, q, axes);
  for (int k = 0; k < t; ++k) axes->value[k] = S[k][k];
}

#endif
