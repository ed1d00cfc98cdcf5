// Sines and cosines of many angles at once.
#ifndef TS_MATH_SINCOS_H
#define TS_MATH_SINCOS_H

// sine[i], cosine[i] of scale angle[i], to 2e-16; the same bits wherever an angle stands in the list. NaN where the
// angle is not finite.
void ts_sincos(int count, double scale, const double *angle, double *sine, double *cosine);

#endif
