// Surfaces as faces for drawing (ts_shape_draw()).
#ifndef TS_SHAPE_FACES_H
#define TS_SHAPE_FACES_H

#include "touchstone/shape.h"

#include "shape/convex.h"

typedef struct ts_face_sink {
  ts_shape_face *face;
  void *user;
  ts_arena *arena; // for what has to be computed
} ts_face_sink;

// A circle about z.
typedef struct ts_ring {
  double radius, height;
} ts_ring;

// The faces between two rings; a ring of radius 0 is a pole. `stretch` scales the axes. The origin is inside.
void ts_draw_band(const ts_face_sink *sink, ts_ring lower, ts_ring upper, ts_vec3 stretch);

// The flat face that a ring bounds; `up` is 1 or -1.
void ts_draw_end(const ts_face_sink *sink, ts_ring ring, double up);

// Half balls above `height` and, mirrored, below -height.
void ts_draw_domes(const ts_face_sink *sink, double radius, double height, ts_vec3 stretch);

// The faces of a hull.
void ts_draw_hull(const ts_face_sink *sink, const ts_hull *hull);

#endif
