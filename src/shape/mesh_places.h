// From vertices as a file lists them to places.
#ifndef TS_SHAPE_MESH_PLACES_H
#define TS_SHAPE_MESH_PLACES_H

#include "shape/mesh_file.h"

#include <stdbool.h>

// A mesh in `arena` with each place once, out of a raw one that may have vertices in one place; `corners` of the raw
// mesh are not looked at, and its vertices do not survive. `numbered`: the file counts its vertices, so that those it
// lists twice are two corners; else places alone tell which triangles hang together. `scratch` lends memory.
void ts_mesh_join_places(const ts_mesh *raw, bool numbered, ts_arena *arena, ts_arena *scratch, ts_mesh *mesh);

#endif
