/// Shapes of bodies, and distances between them.
#ifndef TOUCHSTONE_SHAPE_H
#define TOUCHSTONE_SHAPE_H

#include "touchstone/status.h"
#include "touchstone/vector.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// enumerator, name in scene files, spaces ("3d", "2d" or both), one line of help
#define TS_SHAPE_LIST(X)                                                                                               \
  X(PLANE, "plane", "3d 2d", "half-space (half-plane) on the far side of `normal`: all x with normal.x <= offset")     \
  X(POINT, "point", "3d 2d", "a particle")                                                                             \
  X(SPHERE, "sphere", "3d", "ball")                                                                                    \
  X(BOX, "box", "3d", "cuboid")                                                                                        \
  X(CAPSULE, "capsule", "3d", "all points within `radius` of a segment of `length` along local z")                     \
  X(CYLINDER, "cylinder", "3d", "solid cylinder of height `length` along local z")                                     \
  X(ELLIPSOID, "ellipsoid", "3d", "ellipsoid with semi-axes along the local axes")                                     \
  X(POLYTOPE, "polytope", "3d", "convex hull of points")                                                               \
  X(DISC, "disc", "2d", "disc")                                                                                        \
  X(POLYGON, "polygon", "2d", "polygon, convex or not")

#define TS_SHAPE_ENUM(name, text, space, help) TS_SHAPE_##name,
typedef enum ts_shape_kind { TS_SHAPE_LIST(TS_SHAPE_ENUM) TS_SHAPE_COUNT } ts_shape_kind;
#undef TS_SHAPE_ENUM

/// A shape about its own origin. Only the fields of its kind are read; in the plane z is 0.
typedef struct ts_shape {
  ts_shape_kind kind;
  ts_vec3 normal;          ///< plane: outward unit normal (normalized when taken over)
  double offset;           ///< plane: distance of its boundary from the origin along the normal [m]
  double radius;           ///< sphere, capsule, cylinder, disc [m], > 0
  double length;           ///< capsule: between the centres of its caps; cylinder: its height [m], > 0
  ts_vec3 size;            ///< box: full edge lengths; ellipsoid: semi-axes [m], > 0
  const ts_vec3 *vertices; ///< polytope: points whose hull it is; polygon: its corners in order, either way round [m]
  int vertex_count;        ///< polytope 4 .. 1e6 (not all in a plane), polygon 3 .. 1e4 (simple)
} ts_shape;

/// Neighbouring faces of a polytope are one face for contacts and pictures when their vertices are no further from its
/// plane than this share of the largest coordinate: what six significant digits leave of a plane (four corners, each
/// off by up to 5e-6).
#define TS_FLAT_SHARE 2e-5

/// The name of a kind in scene files, and one line about it (static text).
TS_API const char *ts_shape_name(ts_shape_kind kind);
/// One line of help about a kind of shape (static text).
TS_API const char *ts_shape_summary(ts_shape_kind kind);

/// Check parameters: signs, finite numbers (lengths between 1e-30 and 1e30), hulls that are solid, polygons that do not
/// cross themselves. What is smaller than 1e-12 of a hull or polygon counts as rounding. Allocates for hulls and
/// polygons.
TS_API ts_status ts_shape_check(const ts_shape *shape, ts_error *error);

/// Volume (area in the plane), centre of mass and inertia about it, for density 1. Planes and points have none: all 0.
typedef struct ts_mass_properties {
  double volume;     ///< [m^3]; in the plane [m^2]
  ts_vec3 centre;    ///< in the shape's frame [m]
  double inertia[6]; ///< xx yy zz xy xz yz about the centre, along the shape's axes [m^5]; a planar shape is a lamina
                     ///< [m^4]: zz is its inertia in the plane, and xx + yy = zz
} ts_mass_properties;

/// Checks the shape first.
TS_API ts_status ts_shape_mass_properties(const ts_shape *shape, ts_mass_properties *properties, ts_error *error);

/// The nearest points of two convex shapes, or where they overlap the shortest way out.
typedef struct ts_separation {
  double gap;      ///< signed distance [m]; negative: the least translation that parts them
  ts_vec3 normal;  ///< unit, from the second shape to the first (world)
  ts_vec3 point_1; ///< on the surface of the first (world)
  ts_vec3 point_2; ///< on the surface of the second (world): point_1 = point_2 + gap normal
} ts_separation;

/// Signed distance of two convex shapes at the given poses. Two planes, and polygons that are not convex, are refused
/// (TS_UNSUPPORTED). Allocates; ts_sim_step() measures without.
TS_API ts_status ts_shape_distance(const ts_shape *first, const ts_pose *first_pose, const ts_shape *second,
                                   const ts_pose *second_pose, ts_separation *separation, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
