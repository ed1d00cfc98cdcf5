// The surface of a solid as flat faces, for drawing.
#ifndef TS_CLI_MESH_H
#define TS_CLI_MESH_H

#include "cli/geometry.h"

typedef struct cli_face {
  int first, count; // its corners, counter-clockwise seen from outside
  ts_vec3 normal;   // outward, unit
  bool curved;      // part of a curved surface: its sides are no edges of the solid
} cli_face;

typedef struct cli_mesh {
  ts_vec3 *corners; // face after face
  cli_face *faces;
  int corner_count, face_count;
} cli_mesh;

// The faces of a box, polytope, cylinder, capsule or ellipsoid at a pose; none for other kinds.
void cli_mesh_init(cli_mesh *mesh, const ts_shape *shape, const ts_pose *pose);
void cli_mesh_destroy(cli_mesh *mesh);

// Append a face; the order of its corners is turned round where that is needed for `outward`, a direction on the
// outer side.
void cli_mesh_add(cli_mesh *mesh, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved);

#endif
