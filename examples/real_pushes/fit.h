// What is fitted to recorded pushes: an offset of the finger a folder, one friction of the finger for all, and the
// friction of each surface.
#ifndef REAL_PUSHES_FIT_H
#define REAL_PUSHES_FIT_H

#include "predict.h"

typedef struct fit {
  int folders;
  const folder *folder[MOST_FOLDERS];
  assumption assumption[MOST_FOLDERS]; // start values in, fitted ones out
} fit;

// Mean of combined() over pushes `first` to `last` - 1 of a folder [mm]; NAN where a prediction failed.
double mean_error(const assumption *a, const folder *f, int first, int last);

// Offsets and the friction of the finger, one after the other by golden section, `rounds` times, on the first half of
// the pushes of every folder. Returns the mean error of these; NAN where a prediction failed.
double fit_motion(fit *all, int rounds);

// The offsets alone.
double fit_offsets(fit *all, int rounds);

// Friction of the surface: the median of recorded over predicted force on the first half of the pushes. False where a
// prediction failed.
bool fit_surface(assumption *a, const folder *f);

// Sorts the values.
double median(double *values, int count);

#endif
