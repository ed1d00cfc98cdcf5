// Planes and edges of a hull whose vertices and loops of faces are there.
#ifndef TS_SHAPE_HULL_FACES_H
#define TS_SHAPE_HULL_FACES_H

#include "shape/convex.h"

// A side of a face, or of a triangle.
typedef struct ts_hull_side {
  int low, high; // vertices
  int owner;     // half-edge, or face of a finished hull
  bool ascending;
} ts_hull_side;

ts_hull_side ts_hull_side_of(int from, int to, int owner);

// Sides sorted in pairs that run in opposite directions: each edge once a direction, the ascending one first. False
// when they are not.
bool ts_hull_pair_sides(ts_hull_side *sides, int count);

// Normal of a triangle times twice its area.
ts_vec3 ts_triangle_vector(ts_vec3 a, ts_vec3 b, ts_vec3 c);

// Where a wider face begins to grow: a face or triangle.
typedef struct ts_hull_seed {
  int face;
  double area;
} ts_hull_seed;

void ts_hull_sort_seeds(ts_hull_seed *seeds, int count); // the largest first

// The vector of a loop's area: its direction is the face's normal.
ts_vec3 ts_hull_face_vector(const ts_hull *hull, int face);

// Normals and offsets; no corner of a face lies outside its plane.
void ts_hull_add_planes(ts_hull *hull, ts_arena *arena);

// Edges and their faces. False when the loops do not fit together.
bool ts_hull_add_edges(ts_hull *hull, ts_arena *scratch, ts_arena *arena);

#endif
