// A push, predicted by the library.
#ifndef REAL_PUSHES_PREDICT_H
#define REAL_PUSHES_PREDICT_H

#include "record.h"

// How a push is predicted.
typedef struct assumption {
  const char *scene; // file: the triangle and the finger
  double friction;   // of the finger
  double offset;     // the finger touches when its recorded place is this far from the outline [mm]
  double surface;    // friction of the table
  int steps;         // a push
  bool dynamic;      // with inertia
} assumption;

typedef struct prediction {
  pose after;
  double force; // its mean size in the last 2 s [N]
  int uncertified, not_unique;
} prediction;

// Says what is wrong.
bool predict(const assumption *a, const folder *f, const push *p, prediction *result);

// How far two poses are apart: centres of mass, right-angled corners [mm], angles [rad].
typedef struct difference {
  double centre, corner, angle;
} difference;
difference difference_of(const pose *a, const pose *b);
// Place of the triangle's centre of mass [mm].
void centre_of(const pose *p, double *x, double *y);
// What one number is made of a difference [mm]: the way of the centre, and 70.7 mm, the distance of the corner from it,
// times the angle.
double combined(const difference *d);

#endif
