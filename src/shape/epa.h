// Directions in which overlapping parts may be closest to coming apart: an expanding polytope (van den Bergen 2001)
// grown inside the difference A - B. It bounds the depth from both sides over all directions, so that no way out is
// overlooked; the exact directions are left to a refinement that starts from these.
#ifndef TS_SHAPE_EPA_H
#define TS_SHAPE_EPA_H

#include "shape/gjk.h"

enum { TS_EPA_MOST_STARTS = 16 };

// A face that may lie nearest to the origin. No point of the difference's surface beyond it is nearer than `distance`.
typedef struct ts_epa_start {
  ts_vec3 outward; // unit normal
  double distance;
} ts_epa_start;

// The faces, nearest first, and how many. `accuracy` is how close the bounds have to come (a length), `guess` as for
// ts_gjk_run(). The origin should lie well inside the (inflated) difference; 0 where no polytope around it is found.
int ts_epa_starts(const ts_difference *difference, ts_vec3 guess, double accuracy,
                  ts_epa_start starts[TS_EPA_MOST_STARTS]);

#endif
