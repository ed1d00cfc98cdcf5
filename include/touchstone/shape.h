/// Shapes of bodies, and distances between them.
#ifndef TOUCHSTONE_SHAPE_H
#define TOUCHSTONE_SHAPE_H

#include "touchstone/status.h"
#include "touchstone/vector.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Enumerator and name of every kind. New ones come last: runs on disk have the numbers.
#define TS_SHAPE_LIST(X)                                                                                               \
  X(PLANE, plane)                                                                                                      \
  X(POINT, point)                                                                                                      \
  X(SPHERE, sphere)                                                                                                    \
  X(BOX, box)                                                                                                          \
  X(CAPSULE, capsule)                                                                                                  \
  X(CYLINDER, cylinder)                                                                                                \
  X(ELLIPSOID, ellipsoid)                                                                                              \
  X(POLYTOPE, polytope)                                                                                                \
  X(DISC, disc)                                                                                                        \
  X(POLYGON, polygon)                                                                                                  \
  X(CONE, cone)                                                                                                        \
  X(SUPERELLIPSOID, superellipsoid)                                                                                    \
  X(SUPERELLIPSE, superellipse)                                                                                        \
  X(INTERSECTION, intersection)

#define TS_SHAPE_ENUM(name, text) TS_SHAPE_##name,
typedef enum ts_shape_kind {
  TS_SHAPE_LIST(TS_SHAPE_ENUM) TS_SHAPE_COUNT, ///< kinds that the library has
  TS_SHAPE_OWN = TS_SHAPE_COUNT                ///< one that an extension defines (touchstone/extension.h)
} ts_shape_kind;
#undef TS_SHAPE_ENUM

/// The definition of a kind of shape of one's own, in touchstone/extension.h.
typedef struct ts_shape_def ts_shape_def;

/// A member of an intersection, below.
typedef struct ts_shape_member ts_shape_member;

/// A shape about its own origin. Only the fields of its kind are read; in the plane z is 0.
typedef struct ts_shape {
  ts_shape_kind kind;
  ts_vec3 normal;          ///< plane: outward unit normal (normalized when taken over)
  double offset;           ///< plane: distance of its boundary from the origin along the normal [m]
  double radius;           ///< sphere, capsule, cylinder, disc; cone: at its bottom [m], > 0
  double top_radius;       ///< cone: at its top [m], >= 0; 0: it ends in a tip
  double length;           ///< capsule: between the centres of its caps; cylinder, cone: the height [m], > 0
  ts_vec3 size;            ///< box: full edge lengths; ellipsoid, superellipsoid, superellipse: semi-axes [m], > 0
  ts_vec3 exponents;       ///< superellipsoid, superellipse: of |x/a|, |y/b|, |z/c|, from 2 to 1000
  const ts_vec3 *vertices; ///< polytope: points whose hull it is; polygon: its corners in order, either way round [m]
  int vertex_count;        ///< polytope 4 .. 1e6 (not all in a plane), polygon 3 .. 1e4 (simple)
  const ts_shape_member *members; ///< intersection: convex shapes; at least one is no plane, or planes close it
  int member_count;               ///< 1 .. 64
  const ts_shape_def *own;        ///< own: its definition, which must outlive what is made of it
  const double *parameters;       ///< own: numbers in the order of the definition; NULL: its defaults
} ts_shape;

/// A convex shape of any kind but point, own and intersection, at a pose in the frame of the intersection.
struct ts_shape_member {
  ts_shape shape;
  ts_pose pose;
};

/// Neighbouring faces of a polytope are one face for contacts and pictures when their vertices are no further from its
/// plane than this share of the largest coordinate: what six significant digits leave of a plane (four corners, each
/// off by up to 5e-6).
#define TS_FLAT_SHARE 2e-5

/// The name of a kind in scene files, and one line about it (static text). That of TS_SHAPE_OWN is "own": the name of
/// the shape itself stands in its definition.
TS_API const char *ts_shape_name(ts_shape_kind kind);
/// One line of help about a kind of shape (static text).
TS_API const char *ts_shape_summary(ts_shape_kind kind);

/// Check parameters: signs, finite numbers (lengths between 1e-30 and 1e30), hulls that are solid, polygons that do not
/// cross themselves. What is smaller than 1e-12 of a hull or polygon counts as rounding. Allocates for hulls and
/// polygons.
TS_API ts_status ts_shape_check(const ts_shape *shape, ts_error *error);

/// How far a shape that passed ts_shape_check() reaches along a direction of unit length from its origin: the greatest
/// direction.x of its points (of a shape of one's own: of its box). INFINITY for planes.
/// Allocates for intersections, and is INFINITY where that fails.
TS_API double ts_shape_reach(const ts_shape *shape, ts_vec3 direction);

/// Takes a face of a shape's surface: its corners in order around it, either way (they are valid during the call), a
/// direction on its outer side, and whether it stands for a piece of a curved surface, so that its sides are no edges.
typedef void ts_shape_face(void *user, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved);

/// Hand all faces of a shape that passed ts_shape_check() to `face`, for drawing. Curved surfaces come as narrow faces
/// with corners on the surface; a planar shape is one face; planes and points have none. Shapes of one's own hand out
/// theirs, or those of their box. Allocates for polytopes.
TS_API ts_status ts_shape_draw(const ts_shape *shape, ts_shape_face *face, void *user, ts_error *error);

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

/// Signed distance of two convex shapes at the given poses, or of a shape of one's own by its query: then the nearest
/// touch. Two planes, polygons that are not convex, and pairs without a query are refused (TS_UNSUPPORTED). Allocates;
/// ts_sim_step() measures without.
TS_API ts_status ts_shape_distance(const ts_shape *first, const ts_pose *first_pose, const ts_shape *second,
                                   const ts_pose *second_pose, ts_separation *separation, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
