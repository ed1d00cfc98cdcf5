// Velocities of bodies, TS_BODY_NUMBERS a body, into lanes and back: component k of all lanes is c[k], of TS_BODY_ROWS
// components. `body` has one body a lane; they may all be what does not move.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_BODIES_INLINE_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_BODIES_INLINE_H

#include "complementarity/friction/body_batches.h"

TS_INLINE void ts_quad_gather(const double *v, const int *body, ts_quad *c)
{
  const double *b0 = v + (size_t)body[0] * TS_BODY_NUMBERS, *b1 = v + (size_t)body[1] * TS_BODY_NUMBERS,
               *b2 = v + (size_t)body[2] * TS_BODY_NUMBERS, *b3 = v + (size_t)body[3] * TS_BODY_NUMBERS;
  const ts_quad low01 = TS_QUAD_PICK(TS_CONST_QUAD(b0), TS_CONST_QUAD(b1), 0, 4, 2, 6),
                high01 = TS_QUAD_PICK(TS_CONST_QUAD(b0), TS_CONST_QUAD(b1), 1, 5, 3, 7),
                low23 = TS_QUAD_PICK(TS_CONST_QUAD(b2), TS_CONST_QUAD(b3), 0, 4, 2, 6),
                high23 = TS_QUAD_PICK(TS_CONST_QUAD(b2), TS_CONST_QUAD(b3), 1, 5, 3, 7);
  c[0] = TS_QUAD_PICK(low01, low23, 0, 1, 4, 5);
  c[1] = TS_QUAD_PICK(high01, high23, 0, 1, 4, 5);
  c[2] = TS_QUAD_PICK(low01, low23, 2, 3, 6, 7);
  c[3] = TS_QUAD_PICK(high01, high23, 2, 3, 6, 7);
  const ts_quad last01 = TS_QUAD_PICK(TS_CONST_QUAD(b0 + 4), TS_CONST_QUAD(b1 + 4), 0, 4, 1, 5),
                last23 = TS_QUAD_PICK(TS_CONST_QUAD(b2 + 4), TS_CONST_QUAD(b3 + 4), 0, 4, 1, 5);
  c[4] = TS_QUAD_PICK(last01, last23, 0, 1, 4, 5);
  c[5] = TS_QUAD_PICK(last01, last23, 2, 3, 6, 7);
}

// What does not move, `nobody`, is not written.
TS_INLINE void ts_quad_scatter(const ts_quad *c, const int *body, int nobody, double *v)
{
  const ts_quad low01 = TS_QUAD_PICK(c[0], c[1], 0, 4, 2, 6), high01 = TS_QUAD_PICK(c[0], c[1], 1, 5, 3, 7),
                low23 = TS_QUAD_PICK(c[2], c[3], 0, 4, 2, 6), high23 = TS_QUAD_PICK(c[2], c[3], 1, 5, 3, 7);
  const ts_quad first[TS_LANES] = {TS_QUAD_PICK(low01, low23, 0, 1, 4, 5), TS_QUAD_PICK(high01, high23, 0, 1, 4, 5),
                                   TS_QUAD_PICK(low01, low23, 2, 3, 6, 7), TS_QUAD_PICK(high01, high23, 2, 3, 6, 7)};
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, even = TS_QUAD_PICK(c[4], c[5], 0, 4, 2, 6),
                odd = TS_QUAD_PICK(c[4], c[5], 1, 5, 3, 7);
  const ts_quad last[TS_LANES] = {TS_QUAD_PICK(even, zero, 0, 1, 4, 5), TS_QUAD_PICK(odd, zero, 0, 1, 4, 5),
                                  TS_QUAD_PICK(even, zero, 2, 3, 4, 5), TS_QUAD_PICK(odd, zero, 2, 3, 4, 5)};
  for (int lane = 0; lane < TS_LANES; ++lane) {
    if (body[lane] == nobody) continue;
    double *own = v + (size_t)body[lane] * TS_BODY_NUMBERS;
    TS_QUAD(own) = first[lane];
    TS_QUAD(own + 4) = last[lane];
  }
}

// Rows of eight numbers into columns. The first two exchanges stay within halves of registers, which is what is cheap.
TS_INLINE void ts_oct_transpose(const ts_oct *row, ts_oct *column)
{
  ts_oct two[8], four[8];
  for (int k = 0; k < 8; k += 2) {
    two[k] = TS_OCT_PICK(row[k], row[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    two[k + 1] = TS_OCT_PICK(row[k], row[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int half = 0; half < 2; ++half) {
      four[k + 2 * half] = TS_OCT_PICK(two[k + half], two[k + 2 + half], 0, 1, 8, 9, 4, 5, 12, 13);
      four[k + 2 * half + 1] = TS_OCT_PICK(two[k + half], two[k + 2 + half], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    column[k] = TS_OCT_PICK(four[k], four[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    column[k + 4] = TS_OCT_PICK(four[k], four[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

TS_INLINE void ts_oct_gather(const float *v, const int *body, ts_oct *c)
{
  ts_oct row[2 * TS_LANES], column[TS_BODY_NUMBERS];
  for (int lane = 0; lane < 2 * TS_LANES; ++lane) row[lane] = TS_CONST_OCT(v + (size_t)body[lane] * TS_BODY_NUMBERS);
  ts_oct_transpose(row, column);
  for (int k = 0; k < TS_BODY_ROWS; ++k) c[k] = column[k];
}

TS_INLINE void ts_oct_scatter(const ts_oct *c, const int *body, int nobody, float *v)
{
  ts_oct row[2 * TS_LANES], column[TS_BODY_NUMBERS] = {{0}};
  for (int k = 0; k < TS_BODY_ROWS; ++k) column[k] = c[k];
  ts_oct_transpose(column, row);
  for (int lane = 0; lane < 2 * TS_LANES; ++lane)
    if (body[lane] != nobody) TS_OCT(v + (size_t)body[lane] * TS_BODY_NUMBERS) = row[lane];
}

#endif
