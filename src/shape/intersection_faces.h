// Faces of intersections for drawing.
#ifndef TS_SHAPE_INTERSECTION_FACES_H
#define TS_SHAPE_INTERSECTION_FACES_H

#include "shape/faces.h"

// A part that ts_intersection_build() made.
void ts_draw_part(const ts_face_sink *sink, const ts_convex *part);

#endif
