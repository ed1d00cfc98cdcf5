// Mesh files: Wavefront OBJ, and STL as text or binary; COLLADA, which is XML, is read elsewhere
// (document/collada.h). A polytope is the hull of the vertices; faces tell what the hull fills up, and which of them
// hang together (mesh_solid.h).
#ifndef TS_SHAPE_MESH_FILE_H
#define TS_SHAPE_MESH_FILE_H

#include "touchstone/status.h"
#include "touchstone/vector.h"

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum ts_mesh_format { TS_MESH_OBJ, TS_MESH_STL } ts_mesh_format;

enum { TS_MESH_LARGEST_FILE = 1 << 27 }; // bytes: three million triangles

typedef struct ts_mesh {
  ts_vec3 *vertices; // each place once, in the order in which they first appear
  int vertex_count;
  int (*triangles)[3]; // numbers of vertices, turned as in the file; polygons are cut into fans
  int (*corners)[3];   // the same as the file counts: places that it lists twice are two. STL: as `triangles`
  int triangle_count;  // 0: the file has points only
} ts_mesh;

// Read a file whose name ends in .obj or .stl (in either case). The mesh lies in the arena, whose recovery point takes
// over when memory runs out. Errors say where in the file they are: line and column of a text, the byte in the sentence
// of a binary file.
ts_status ts_mesh_read(const char *path, ts_arena *arena, ts_mesh *mesh, ts_error *error);

// The same from memory: `bytes` bytes of content, at most TS_MESH_LARGEST_FILE, which a zero byte follows.
ts_status ts_mesh_parse(ts_mesh_format format, const char *content, size_t bytes, ts_arena *arena, ts_mesh *mesh,
                        ts_error *error);

// The content of a regular file of at most TS_MESH_LARGEST_FILE bytes, in the arena, and a zero byte behind it.
ts_status ts_mesh_load(const char *path, ts_arena *arena, char **content, size_t *bytes, ts_error *error);

bool ts_mesh_name_ends(const char *path, const char *ending); // in either case; a name that is nothing else does not

#endif
