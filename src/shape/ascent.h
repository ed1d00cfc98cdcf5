// Signed distance of any two cores of which at least one has volume, by climbing g(n) of core.h.
#ifndef TS_SHAPE_ASCENT_H
#define TS_SHAPE_ASCENT_H

#include "shape/core.h"

// For all kinds; meant for pairs with a curved core and for large hulls.
void ts_ascent_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

// Its two halves: the first fills the separation if the cores are clearly apart, the second takes those that are not.
bool ts_ascent_if_apart(const ts_core *a, const ts_core *b, ts_separation *separation);
void ts_ascent_overlap(const ts_core *a, const ts_core *b, ts_separation *separation);

// The maximum that is reached from the unit vector n: the only one, if the cores are apart along n.
void ts_ascent_from(const ts_core *a, const ts_core *b, ts_vec3 n, ts_separation *separation);

// Fill the separation for the normal n, the best there is. Where the cores touch in more than one point, the points are
// some that they have in common; `lines` (or NULL) are the directions of two edges that touch. Returns how far a point
// is outside its core: rounding, if n is indeed the best.
double ts_ascent_witnesses(const ts_core *a, const ts_core *b, ts_vec3 n, const ts_vec3 lines[2],
                           ts_separation *separation);

#endif
