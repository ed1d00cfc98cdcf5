// What a mesh is as a solid: whether it is closed, its volume, and the pieces that hang together.
#ifndef TS_SHAPE_MESH_SOLID_H
#define TS_SHAPE_MESH_SOLID_H

#include "shape/mesh_file.h"

typedef struct ts_mesh_solid {
  int open_edges;   // edges that do not have as many triangles on one side as on the other; 0: closed
  int turned_edges; // of those, the ones that would be closed if neighbouring triangles were turned alike
  double volume;    // enclosed, where the mesh is closed [m^3]; >= 0
} ts_mesh_solid;

// Triangles without an area count for nothing. `scratch` lends memory, whose recovery point takes over.
ts_mesh_solid ts_mesh_measure(const ts_mesh *mesh, ts_arena *scratch);

// The pieces of a mesh, by their vertices: each a mesh of its own in the arena, in the order of their first triangles.
// Triangles hang together that share a vertex of the file; where pieces so found are not closed, that share a place
// (some programs write every vertex anew for every face). A mesh without triangles has no pieces.
ts_mesh *ts_mesh_pieces(const ts_mesh *mesh, ts_arena *arena, int *count);

#endif
