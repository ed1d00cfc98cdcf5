// Features of cores: the vertex, edge, face, rim or curved surface that is nearest to the other core. Between two given
// features the normal of greatest gap (core.h) is a smooth problem of at most two unknowns, solved to rounding.
#ifndef TS_SHAPE_FEATURE_H
#define TS_SHAPE_FEATURE_H

#include "shape/core.h"

typedef enum ts_feature_kind {
  TS_FEATURE_VERTEX,
  TS_FEATURE_LINE,  // an edge, a segment, a line along a round side: the normal lies on a circle about its direction
  TS_FEATURE_FLAT,  // a face, the end of a cylinder: its normal is the normal
  TS_FEATURE_RIM,   // the circle around such an end
  TS_FEATURE_SMOOTH // all of a smooth surface
} ts_feature_kind;

typedef struct ts_feature {
  ts_feature_kind kind;
  const ts_core *core;
  ts_vec3 point;     // the vertex, a point of the line or the face, the centre of the rim or the core
  ts_vec3 direction; // unit: along the line, or the axis that a round side is about; outward from the face or rim's end
  double radius;     // of the rim; of the side around the axis, at `point`; else 0
  double lean, rise; // outward normals of a line have the component `lean` along its direction, and `rise` across it,
                     // lean^2 + rise^2 = 1: 0 and 1 but for sides of cones. A rim's have more along its direction than
                     // `lean`, which is the component of the side's normals
  int vertex, edge;  // of a hull
} ts_feature;

// For tables of kinds. A flat feature with a radius is a rim.
ts_feature ts_feature_vertex(const ts_core *core, ts_vec3 point);
ts_feature ts_feature_line(const ts_core *core, ts_vec3 point, ts_vec3 direction, double radius, double lean,
                           double rise);
ts_feature ts_feature_flat(const ts_core *core, ts_vec3 point, ts_vec3 normal);
ts_feature ts_feature_rim(const ts_core *core, ts_vec3 point, ts_vec3 axis, double radius, double lean);

// Closer than this share of the core's size, a point counts as lying on an edge, a vertex or a rim.
#define TS_FEATURE_NEAR 1e-6

// The feature at a point of the core's surface with a normal of about `outward`; of those that meet there, the one of
// least dimension.
ts_feature ts_feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward);

// Does the core's support point along `outward` lie on the feature?
bool ts_feature_holds(const ts_feature *feature, ts_vec3 outward);

// The feature of next dimension on the way to that support point, for one that has just ceased to hold.
ts_feature ts_feature_raised(const ts_feature *feature, ts_vec3 outward);

// Is there one point only that the feature can be touched in, for a given normal?
bool ts_feature_has_one_point(const ts_feature *feature);
ts_vec3 ts_feature_point(const ts_feature *feature, ts_vec3 outward);

// A line parallel to the one that a line feature is touched along, `radius` further inside than it.
typedef struct ts_feature_axis {
  ts_vec3 point, direction;
  double radius;
} ts_feature_axis;
ts_feature_axis ts_feature_axis_of(const ts_feature *line, ts_vec3 outward);

// The unit normal, from b to a, of greatest gap between the features, near `n`.
ts_vec3 ts_feature_normal(const ts_feature *a, const ts_feature *b, ts_vec3 n);

#endif
