// The exposed face of a convex part along a direction: its points that are furthest along it. Of parts without a hull
// that is a point, a line or a disc.
#ifndef TS_SHAPE_EXPOSED_FACE_H
#define TS_SHAPE_EXPOSED_FACE_H

#include "math/vec3.h"

// Directions this close (sine) to being across a line or along the normal of a disc count as that.
#define TS_EXPOSED_LEVEL 1e-6

typedef enum ts_exposed_kind { TS_EXPOSED_POINT, TS_EXPOSED_LINE, TS_EXPOSED_DISC } ts_exposed_kind;

typedef struct ts_exposed_face {
  ts_exposed_kind kind;
  ts_vec3 ends[2]; // line: the one through the point that was asked for
  double radius;   // disc, about the part's axis
  double height;   // disc: along the direction from the part's origin
} ts_exposed_face;

#endif
