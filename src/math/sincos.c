// Four at a time: x = k pi/2 + r with |r| <= pi/4, by Cody and Waite with pi/2 in three parts of which the first two
// have 33 bits, so that their products with k < 2^20 are exact; Taylor series of r; signs and exchange by k mod 4.
// Angles beyond that range are left to the C library.
#include "math/sincos.h"

#include "math/quad.h"
#include "math/wide.h"

typedef long long wide_bits __attribute__((vector_size(32)));

static const double LARGEST_ANGLE = 1e6;
// Adding it leaves the nearest integer in the last bits of the sum.
static const double ROUNDER = 6755399441055744.0; // 1.5 2^52

TS_INLINE ts_wide sine_of_rest(ts_wide r, ts_wide z)
{
  ts_wide sum = z * (1.0 / 355687428096000.0) - 1.0 / 1307674368000.0; // 1/17!, 1/15!
  sum = z * sum + 1.0 / 6227020800.0;
  sum = z * sum - 1.0 / 39916800.0;
  sum = z * sum + 1.0 / 362880.0;
  sum = z * sum - 1.0 / 5040.0;
  sum = z * sum + 1.0 / 120.0;
  sum = z * sum - 1.0 / 6.0;
  return r + r * (z * sum);
}

TS_INLINE ts_wide cosine_of_rest(ts_wide z)
{
  ts_wide sum = z * (1.0 / 20922789888000.0) - 1.0 / 87178291200.0; // 1/16!, 1/14!
  sum = z * sum + 1.0 / 479001600.0;
  sum = z * sum - 1.0 / 3628800.0;
  sum = z * sum + 1.0 / 40320.0;
  sum = z * sum - 1.0 / 720.0;
  sum = z * sum + 1.0 / 24.0;
  return 1.0 - (0.5 * z - z * (z * sum));
}

// a where the mask is set, else b
TS_INLINE ts_wide select(wide_bits mask, ts_wide a, ts_wide b)
{
  return (ts_wide)(((wide_bits)a & mask) | ((wide_bits)b & ~mask));
}

// Change the sign where bit 1 is set
TS_INLINE ts_wide signed_by(wide_bits quadrant, ts_wide a)
{
  return (ts_wide)((wide_bits)a ^ ((quadrant & 2) << 62));
}

TS_INLINE void sincos_in_range(ts_wide x, ts_wide *sine, ts_wide *cosine)
{
  const ts_wide shifted = x * 0.63661977236758134308 + ROUNDER, k = shifted - ROUNDER;
  const wide_bits quadrant = (wide_bits)shifted;
  const ts_wide r = ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
  const ts_wide z = r * r, s = sine_of_rest(r, z), c = cosine_of_rest(z);
  const wide_bits exchanged = -(quadrant & 1);
  *sine = signed_by(quadrant, select(exchanged, c, s));
  *cosine = signed_by(quadrant + 1, select(exchanged, s, c));
}

// Four angles; results are written one after the other.
TS_INLINE void sincos_of_four(ts_wide x, double *sine, double *cosine)
{
  const wide_bits near = (x <= LARGEST_ANGLE) & (x >= -LARGEST_ANGLE); // false of NaN
  ts_wide s, c;
  sincos_in_range(x, &s, &c);
  TS_QUAD(sine) = s;
  TS_QUAD(cosine) = c;
  if (near[0] & near[1] & near[2] & near[3]) return;
  for (int i = 0; i < 4; ++i)
    if (!near[i]) {
      sine[i] = sin(x[i]);
      cosine[i] = cos(x[i]);
    }
}

TS_HOT void ts_sincos(int count, double scale, const double *angle, double *sine, double *cosine)
{
  int i = 0;
  for (; i + 4 <= count; i += 4) sincos_of_four(scale * TS_CONST_QUAD(angle + i), sine + i, cosine + i);
  if (i == count) return;
  // one to three are left; not through memory: a processor waits for numbers that are read wider than written
  const double second = i + 1 < count ? angle[i + 1] : 0.0, third = i + 2 < count ? angle[i + 2] : 0.0;
  double s[4], c[4];
  sincos_of_four(scale * (ts_wide){angle[i], second, third, 0.0}, s, c);
  for (int k = 0; i + k < count; ++k) {
    sine[i + k] = s[k];
    cosine[i + k] = c[k];
  }
}
