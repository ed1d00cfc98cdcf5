// The triangles of a <geometry> of a COLLADA file, in its own coordinates.
#ifndef TS_DOCUMENT_COLLADA_GEOMETRY_H
#define TS_DOCUMENT_COLLADA_GEOMETRY_H

#include "document/collada_file.h"

// Only vertices that a triangle has are in it.
typedef struct ts_collada_geometry {
  const ts_vec3 **vertices;
  int vertex_count, vertex_room;
  int (*triangles)[3]; // turned as in the file
  int triangle_count, triangle_room;
} ts_collada_geometry;

// Read once, and then remembered where it has an id. Triangles, polygons (as fans; holes are filled), strips and fans
// of its <mesh>; lines and points are passed over, and so are splines.
ts_status ts_collada_read_geometry(ts_collada_file *file, const ts_xml_element *element,
                                   const ts_collada_geometry **geometry);

#endif
