// Faces of the convex hull of points, for drawing polytopes.
#ifndef TS_DRAW_POLYTOPE_FACES_H
#define TS_DRAW_POLYTOPE_FACES_H

#include "draw/heap.h"

#include "touchstone/vector.h"

// Takes the corners of one face, in order around it, and its outward normal.
typedef void ts_polytope_face(void *user, const ts_vec3 *corners, int count, ts_vec3 outward);

// Hand every face to `face`; faces in one plane are one. Points that span no volume have none. Where the heap
// is exhausted faces are missing.
void ts_polytope_faces(const ts_vec3 *points, int count, ts_polytope_face *face, void *user, ts_heap *heap);

#endif
