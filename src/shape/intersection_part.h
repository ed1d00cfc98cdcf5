// Intersections of convex parts, each at a place of its own. What has flat sides only becomes a polytope or polygon;
// the others are described by the implicit functions of their members.
#ifndef TS_SHAPE_INTERSECTION_PART_H
#define TS_SHAPE_INTERSECTION_PART_H

#include "shape/convex.h"

#include "base/status.h"

typedef struct ts_intersection_member {
  const ts_convex *part;
  ts_frame frame; // in that of the intersection
  int first;      // of its functions
} ts_intersection_member;

struct ts_intersection {
  int member_count, function_count;
  const ts_intersection_member *members;
  double size; // largest extent along an axis
  // Its flat faces, in the plane straight sides: vertices, loops and planes, without edges. Where an outline is curved,
  // the corners are points of it.
  const ts_hull *flats;
  const int *flat_functions; // which function each is of
};

enum { TS_INTERSECTION_MOST_MEMBERS = 64 };

// The member that a function is of.
const ts_intersection_member *ts_intersection_member_at(const ts_intersection *meet, int function);

// Do all members lie in the plane z = 0? Half-spaces alone do if their normals do.
bool ts_intersection_is_planar(const ts_shape *shape);

// The part, or what is wrong: a member that may not be one, no inside, no end. Memory from the arena; where that runs
// out, control goes to its recovery point.
ts_status ts_intersection_build(const ts_shape *shape, ts_arena *arena, const ts_convex **part, ts_error *error);

// From a point inside along a unit direction to the surface; `function` (or NULL) is the one that ends it, `skipped`
// one that is not asked, or -1.
double ts_intersection_exit(const ts_convex *part, ts_vec3 from, ts_vec3 direction, int skipped, int *function);

// For the table of the kind.
ts_vec3 ts_intersection_support(const ts_convex *part, ts_vec3 direction);
double ts_intersection_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);
double ts_intersection_outside(const ts_convex *part, ts_vec3 point);
ts_mass_properties ts_intersection_mass(const ts_convex *part);

#endif
