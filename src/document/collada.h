// COLLADA 1.4 and 1.5 (.dae): the triangles of the scene that the file shows, or, where it shows none, of all its
// geometries. Lengths are in metres (<unit>); axes are those of the file, whatever its <up_axis> says
// (docs/decisions.md). Anything that has no faces is passed over: materials, cameras, lights, animations.
#ifndef TS_DOCUMENT_COLLADA_H
#define TS_DOCUMENT_COLLADA_H

#include "document/input.h"

#include "shape/mesh_file.h"

// The mesh in a text of at most TS_MESH_LARGEST_FILE bytes, in `arena`; all else is in the arena of `in`, whose file
// `file` it is. Corners are counted anew for every instance of a geometry. The locale must have a point.
ts_status ts_collada_parse(ts_document_input *in, const char *text, size_t length, int file, ts_arena *arena,
                           ts_mesh *mesh);

#endif
