// Features of cores: the vertex, edge, face, rim or curved surface that is nearest to the other core. Between two given
// features the normal of greatest gap (core.h) is a smooth problem of at most two unknowns, solved to rounding.
#ifndef TS_SHAPE_FEATURE_H
#define TS_SHAPE_FEATURE_H

#include "shape/core.h"

typedef enum ts_feature_kind {
  TS_FEATURE_VERTEX,
  TS_FEATURE_LINE, // an edge, a segment, a line along a cylinder's side: the normal is perpendicular to it
  TS_FEATURE_FLAT, // a face, a cylinder's end: its normal is the normal
  TS_FEATURE_RIM,  // the circle around a cylinder's end
  TS_FEATURE_ELLIPSOID
} ts_feature_kind;

typedef struct ts_feature {
  ts_feature_kind kind;
  const ts_core *core;
  ts_vec3 point;     // the vertex, a point of the line or the face, the centre of the rim or the ellipsoid
  ts_vec3 direction; // unit: along the line; outward from the face or the rim's end
  double radius;     // of the rim; of the side around its line; else 0
  int vertex, edge;  // of a hull
} ts_feature;

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

// The unit normal, from b to a, of greatest gap between the features, near `n`.
ts_vec3 ts_feature_normal(const ts_feature *a, const ts_feature *b, ts_vec3 n);

#endif
