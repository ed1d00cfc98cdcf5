// fmax() of numbers within loops and small steps, where a call into libm costs more than what it is called for. Where
// one of them is not a number the second is the answer.
#ifndef TS_MATH_LARGER_H
#define TS_MATH_LARGER_H

static inline double ts_larger(double a, double b)
{
  return a > b ? a : b;
}

static inline double ts_smaller(double a, double b)
{
  return a < b ? a : b;
}

#endif
