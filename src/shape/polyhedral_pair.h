// Signed distance of polyhedral cores: every maximum of g(n) of core.h lies along the normal of a face, or across an
// edge of each, while they overlap. The list of these is short for boxes and small hulls.
#ifndef TS_SHAPE_POLYHEDRAL_PAIR_H
#define TS_SHAPE_POLYHEDRAL_PAIR_H

#include "shape/core.h"

void ts_box_box_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

// The segment is the first; above a face it needs no search.
void ts_segment_box_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

// A point, a segment or a hull, and a hull.
void ts_polyhedral_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

#endif
