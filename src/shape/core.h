// What is left of a convex part when its rounding is taken off: a ball is a point and a radius, a capsule a segment and
// a radius. The signed distance of two parts is that of their cores less both radii, apart or overlapping, because
//   gap = max over unit n of  g(n),   g(n) = min{n.x : x in A} - max{n.x : x in B}
// and a radius shifts g by the same amount in every direction. Any n gives a lower bound of the gap; every method of
// this layer looks for the n that gives the greatest.
#ifndef TS_SHAPE_CORE_H
#define TS_SHAPE_CORE_H

#include "shape/convex.h"

// In the order in which pairs are sorted before they are measured.
typedef enum ts_core_kind {
  TS_CORE_POINT,
  TS_CORE_SEGMENT,
  TS_CORE_HULL,
  TS_CORE_SOLID, // anything else; its table says how it is measured (shape_type.h)
  TS_CORE_COUNT,
  TS_CORE_NONE = TS_CORE_COUNT // half-spaces: measured without
} ts_core_kind;

typedef struct ts_core {
  const ts_convex *part;
  ts_core_kind kind;
  double rounding; // radius taken off
  ts_frame frame;  // relative to the pair's common origin, along the world's axes
} ts_core;

ts_core ts_core_make(const ts_convex *part, const ts_frame *frame, ts_vec3 common_origin); // not for planes

// The point of the core that is furthest along `direction`.
ts_vec3 ts_core_support(const ts_core *core, ts_vec3 direction);

// A point inside.
ts_vec3 ts_core_middle(const ts_core *core);

// The ends of a segment.
void ts_core_ends(const ts_core *segment, ts_vec3 ends[2]);

// Half the width of the core where it is thinnest, roughly: 0 for points and segments.
double ts_core_thickness(const ts_core *core);

// How far the point lies outside the core, to first order near the surface; negative inside.
double ts_core_outside(const ts_core *core, ts_vec3 point);

// g(n) of the head comment; `a` and `b` (may be NULL) receive the points where it is attained.
double ts_core_gap_along(const ts_core *first, const ts_core *second, ts_vec3 n, ts_vec3 *a, ts_vec3 *b);

// The same separation with the parts' order exchanged.
TS_INLINE void ts_separation_flip(ts_separation *separation)
{
  const ts_vec3 point = separation->point_1;
  separation->point_1 = separation->point_2;
  separation->point_2 = point;
  separation->normal = ts_negate(separation->normal);
}

#endif
