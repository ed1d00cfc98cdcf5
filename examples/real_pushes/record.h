// Recorded pushes: a folder with pushes.csv (push,x0,y0,theta0,x1,y1,theta1), finger.csv (push,t,x,y) and force.csv
// (push,t,fx,fy), in mm, rad, s and N. Pushes are numbered from 0 on; rows of a push stand together, in the order of
// time.
#ifndef REAL_PUSHES_RECORD_H
#define REAL_PUSHES_RECORD_H

#include <stdbool.h>

enum { MOST_PUSHES = 100, MOST_SAMPLES = 400, MOST_SUPPORTS = 64, MOST_FOLDERS = 16 };

typedef struct pose {
  double x, y, angle;
} pose;

typedef struct push {
  pose before, after;
  int samples;
  struct {
    double t, x, y;
  } finger[MOST_SAMPLES];
  double force; // its mean size in the last 2 s [N]
  double force_sum;
  int force_count;
} push;

typedef struct folder {
  const char *path;
  char name[64];
  bool is_patch; // stands on its flat bottom: a grid of points
  int supports;
  double support[MOST_SUPPORTS][2]; // [mm], body frame
  int pushes;
  push push[MOST_PUSHES];
} folder;

// `argument` is PATH or PATH:x,y:x,y:x,y, the points that the triangle stands on [mm]. Says what is wrong.
bool read_folder(const char *argument, folder *result);
void forget_folder(folder *f);

#endif
