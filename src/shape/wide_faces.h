// Faces as a mesh meant them. Coordinates of a mesh have few digits, so that the corners of what was drawn as one flat
// face lie in no common plane, and the hull of the points has triangles there. Distances are those of that hull.
// Contact manifolds want the face: all its corners, and one normal.
#ifndef TS_SHAPE_WIDE_FACES_H
#define TS_SHAPE_WIDE_FACES_H

#include "shape/convex.h"

// A hull of the same vertices with wider faces (TS_FLAT_SHARE) and their edges, `slack` being how far the vertices of
// joined faces are from their plane at most; no vertex lies outside. Vertices inside wide faces belong to no face.
// NULL: no faces can be joined such that all are convex. Memory running out goes to the arena's recovery point.
const ts_hull *ts_wide_faces(const ts_hull *hull, ts_arena *arena);

#endif
