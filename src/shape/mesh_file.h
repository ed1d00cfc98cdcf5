// Vertices of mesh files: Wavefront OBJ, and STL as text or binary. Their faces are not read: a polytope is the hull of
// its points.
#ifndef TS_SHAPE_MESH_FILE_H
#define TS_SHAPE_MESH_FILE_H

#include "touchstone/status.h"
#include "touchstone/vector.h"

#include "base/arena.h"

#include <stddef.h>

typedef enum ts_mesh_format { TS_MESH_OBJ, TS_MESH_STL } ts_mesh_format;

enum { TS_MESH_LARGEST_FILE = 1 << 27 }; // bytes: three million triangles

// Read the vertices of a file whose name ends in .obj or .stl (in either case), each place once, in the order in which
// they first appear. They lie in the arena, whose recovery point takes over when memory runs out. Errors say where in
// the file they are: line and column of a text, the byte in the sentence of a binary file.
ts_status ts_mesh_read(const char *path, ts_arena *arena, ts_vec3 **vertices, int *count, ts_error *error);

// The same from memory: `bytes` bytes of content, at most TS_MESH_LARGEST_FILE, which a zero byte follows.
ts_status ts_mesh_parse(ts_mesh_format format, const char *content, size_t bytes, ts_arena *arena, ts_vec3 **vertices,
                        int *count, ts_error *error);

#endif
