// Signed distances of cores that have closed forms. Points come first, then the other core; results are in the pair's
// common frame.
#ifndef TS_SHAPE_CLOSED_FORM_H
#define TS_SHAPE_CLOSED_FORM_H

#include "shape/core.h"

void ts_point_point_distance(const ts_core *a, const ts_core *b, ts_separation *separation);
void ts_point_segment_distance(const ts_core *point, const ts_core *segment, ts_separation *separation);
void ts_segment_segment_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

// For tables of kinds: the separation of a point that is `gap` outside a solid along `normal`, which is in the solid's
// frame.
void ts_place_distance(const ts_core *point, const ts_core *solid, double gap, ts_vec3 normal,
                       ts_separation *separation);

// The nearest points p + s u and q + t v of two lines; false where they are parallel.
bool ts_nearest_on_lines(ts_vec3 p, ts_vec3 u, ts_vec3 q, ts_vec3 v, double *s, double *t);

#endif
