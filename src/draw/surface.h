// The surface of a solid as flat faces, for drawing.
#ifndef TS_DRAW_SURFACE_H
#define TS_DRAW_SURFACE_H

#include "draw/geometry.h"

typedef struct ts_surface_face {
  int first, count; // its corners, counter-clockwise seen from outside
  ts_vec3 normal;   // outward, unit
  bool curved;      // part of a curved surface: its sides are no edges of the solid
} ts_surface_face;

typedef struct ts_surface {
  ts_vec3 *corners; // face after face
  ts_surface_face *faces;
  int corner_count, face_count;
  ts_heap *heap; // faces that it has no memory for are left out
} ts_surface;

// The faces of a shape at a pose, see ts_shape_draw().
void ts_surface_init(ts_surface *surface, const ts_shape *shape, const ts_pose *pose, ts_heap *heap);
void ts_surface_destroy(ts_surface *surface);

// Append a face; the order of its corners is turned round where that is needed for `outward`, a direction on the
// outer side.
void ts_surface_add(ts_surface *surface, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved);

#endif
