// Mesh files that documents name.
#ifndef TS_DOCUMENT_MESH_H
#define TS_DOCUMENT_MESH_H

#include "document/input.h"

#include "shape/mesh_file.h"

// The mesh file at `path` (OBJ, STL or COLLADA by its ending), in the arena; `place` is where it is called `name`.
// Coordinates are multiplied by `scale`.
ts_status ts_document_read_mesh(ts_document_input *in, const char *path, const char *name, ts_place place,
                                ts_vec3 scale, ts_mesh *mesh);

// Whether the hull of a mesh is the solid that the mesh describes.
typedef enum ts_hull_fit { TS_HULL_FITS, TS_HULL_LARGER, TS_HULL_OF_OPEN, TS_HULL_OF_TURNED } ts_hull_fit;
typedef struct ts_hull_doubt {
  ts_hull_fit kind;
  double ratio;  // TS_HULL_LARGER: of the volumes
  double volume; // of the hull [m^3]
  int edges;     // OF_OPEN: without a second face; OF_TURNED: whose faces are turned against each other
} ts_hull_doubt;
ts_hull_doubt ts_document_doubt_hull(ts_document_input *in, const ts_mesh *mesh);
// Warn where the hull of a mesh is not the solid that the mesh describes, or where that cannot be told. `what` begins
// the sentence: "mesh 'cup.obj'"; `advice` ends it.
void ts_document_question_hull(ts_document_input *in, const char *what, ts_place place, const ts_mesh *mesh,
                               const char *advice);

#endif
