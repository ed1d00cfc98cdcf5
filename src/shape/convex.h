// Convex parts, made from shapes once and queried every step: support points, bounds.
#ifndef TS_SHAPE_CONVEX_H
#define TS_SHAPE_CONVEX_H

#include "touchstone/shape.h"

#include "math/vec3.h"

#include "base/arena.h"

enum { TS_HULL_OUTPOSTS = 14 };

// Surface of a polytope, or outline of a convex polygon (then z = 0, faces are its edges with normals in the plane, a
// face has two vertices, and there are no edges). Faces list their vertices counter-clockwise seen from outside.
typedef struct ts_hull {
  int vertex_count, face_count, edge_count;
  const ts_vec3 *vertices;
  const ts_vec3 *normals; // outward unit normals of the faces
  const double *offsets;  // face f is normals[f].x = offsets[f]
  const int *face_start;  // face_count+1 offsets into face_vertices
  const int *face_vertices;
  const int (*edges)[2];      // vertices of each edge, ascending
  const int (*edge_faces)[2]; // its two faces: first the one whose loop runs along the edge as listed
  const int *neighbour_start; // vertex_count+1 offsets into neighbours
  const int *neighbours;      // vertices joined to a vertex by an edge
  const int *outposts;        // TS_HULL_OUTPOSTS vertices far apart, where a search for a support point begins; or NULL
  const struct ts_hull *wide; // the same with wider faces, for manifolds (see wide_faces.h); or NULL
  double slack;               // of a hull with wider faces: how far vertices of a face may be from its plane; else 0
  const struct ts_hull *exact; // of a hull with wider faces: the one whose faces were joined; else NULL
  const bool *inner;           // of a polygon that was cut into convex pieces: this face is a cut, not surface; or NULL
} ts_hull;

typedef struct ts_intersection ts_intersection;

// A convex shape about its own origin. Which fields count depends on the kind, as in ts_shape. A disc lies in the plane
// z = 0; boxes and polytopes have hulls, so do convex polygons.
typedef struct ts_convex {
  ts_shape_kind kind;
  ts_vec3 normal;    // plane; cone: of its side, where y = 0 and x > 0
  double offset;     // plane
  double radius;     // sphere, capsule, cylinder, disc; cone: at its bottom; own, intersection: inner; 0 for the others
  double top_radius; // cone
  double half_length; // capsule, cylinder, cone
  ts_vec3 half;       // box: half edge lengths; ellipsoid, superellipsoid, superellipse: semi-axes; own: of its box
  ts_vec3 exponents;  // superellipsoid, superellipse
  bool planar;        // superellipse, intersection in the plane
  const ts_intersection *meet; // intersection
  const ts_hull *hull;         // box, polytope, polygon
  ts_vec3 middle;              // a point inside (of a plane: on its boundary; own: of its box)
  double reach;                // no point is further from the origin; INFINITY for planes
  const ts_shape *shape;       // what ts_convex_pieces() made it of; not of polygons
} ts_convex;

// A shape of an extension is a part, too: it need not be convex, and is asked about pairs (own_shape.h).
TS_INLINE bool ts_either_is_own(const ts_convex *a, const ts_convex *b)
{
  return a->kind == TS_SHAPE_OWN || b->kind == TS_SHAPE_OWN;
}

// The convex pieces of a shape that ts_shape_check() passed: one, or several for a polygon that is not convex. Memory
// from the arena, except what `shape` points to, which is copied; pieces refer to `shape` itself. The number of pieces
// is written; NULL never (memory running out goes to the arena's recovery point).
const ts_convex *ts_convex_pieces(const ts_shape *shape, ts_arena *arena, int *count);

// The point of the part that is furthest along `direction` (not necessarily of unit length), all in the part's frame.
// Not for planes.
ts_vec3 ts_convex_support(const ts_convex *part, ts_vec3 direction);

// Radius of a ball about a point inside that fits into the part: half of its least width, or less. INFINITY of planes.
double ts_convex_inner_radius(const ts_convex *part);

// How far apart two parts are along a unit direction from b to a (world): nothing of them is closer along it. Not for
// planes.
double ts_convex_separation_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                  const ts_frame *frame_b, ts_vec3 normal);

// Axis-aligned box around the part in a frame; infinite where a plane is.
typedef struct ts_bounds {
  ts_vec3 low, high;
} ts_bounds;

TS_INLINE ts_bounds ts_bounds_about(ts_vec3 centre, ts_vec3 extent)
{
  return (ts_bounds){ts_sub(centre, extent), ts_add(centre, extent)};
}

ts_bounds ts_convex_bounds(const ts_convex *part, const ts_frame *frame);

#endif
