// Patches of parts that are round about their z axis: lines along their sides, flat ends.
#ifndef TS_SHAPE_ROUND_PATCH_H
#define TS_SHAPE_ROUND_PATCH_H

#include "shape/patch.h"

// Cosine of 45 degrees: a part whose side is turned away further stands rather than lies.
#define TS_STANDING 0.70710678118654752

// The line of a capsule or cylinder that faces the direction most, between the lowest points of its rims. A line that
// is too steep faces nothing: then the patch is a point.
void ts_patch_round_line(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, ts_patch *patch);

// The end of the part that faces the direction.
void ts_patch_round_end(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, double radius, ts_patch *patch);
ts_vec3 ts_round_end_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing);

// Along m from d to the far side of a ball about 0, or of an infinite cylinder when what is along its axis has been
// taken from both vectors: the greater h with |d + h m| = radius. False where there is none.
bool ts_far_side(ts_vec3 d, ts_vec3 m, double radius, double *h);

// How far a point is beyond an end of the part, along its axis.
ts_vec3 ts_round_beyond_end(const ts_patch *line, ts_vec3 y);

#endif
