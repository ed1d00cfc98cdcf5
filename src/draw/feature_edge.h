// Edges of a solid that are worth a line: those along which its surface turns sharply. Edges between the many triangles
// of a mesh are not.
#ifndef TS_DRAW_FEATURE_EDGE_H
#define TS_DRAW_FEATURE_EDGE_H

#include "draw/surface.h"

typedef struct ts_feature_edge {
  ts_vec3 from, to;
  int face_1, face_2; // of the surface, that meet there
} ts_feature_edge;

// All of them; NULL where memory ran out. Release with free().
ts_feature_edge *ts_feature_edges(const ts_surface *surface, int *count, ts_heap *heap);

#endif
