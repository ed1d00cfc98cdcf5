// Points of a nearly flat surface around the one that is nearest. A superellipse with large exponents touches a plane
// in one point, but a turn by a fraction of a degree moves that point from one end of a side to the other. A step that
// has this point alone turns the body about it, and the other end of the side sinks in. The points that are nearest
// after a turn by the angle that the margin allows bound the patch, as the corners of a box do: they are points of the
// body, so their gaps may not become negative either.
#ifndef TS_SHAPE_TURNED_POINTS_H
#define TS_SHAPE_TURNED_POINTS_H

#include "shape/manifold_pairs.h"

enum { TS_TURNED_POINTS = 8 };

// Points of the part that are nearest along `outward` (world, unit) after turns about axes across it, in the world;
// `turn` is the angle: of a step in which no point moves by more than the margin, margin/reach. Points that are as
// close to the nearest one as on a round surface are left out. `features` has their ids. Returns how many there are: 0
// for kinds whose surfaces are not nearly flat.
int ts_turned_points(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, double turn,
                     ts_vec3 points[TS_TURNED_POINTS], uint32_t features[TS_TURNED_POINTS]);

// True if a touch with this feature is at one of them, given that a part of the pair is nearly flat.
TS_INLINE bool ts_feature_is_turned(uint32_t feature)
{
  const uint32_t nearest = ts_feature_id(TS_FEATURE_ID_NEAREST, 0); // both bits of the kind are set
  const uint32_t sides[] = {feature >> 16, feature & 0xffffu};
  for (int k = 0; k < 2; ++k)
    if ((sides[k] & nearest) == nearest && sides[k] != nearest) return true;
  return false;
}

// Touches of such points of either part with the surface of the other, as far as the two face each other along
// `normal`, from b to a.
void ts_touches_after_turns(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            ts_vec3 normal, ts_touch_list *list);

// True if the surface between two of its points, with outward unit normals m and n, bends so little that it is nearly
// flat; all in the frame of the part.
bool ts_is_nearly_flat_between(const ts_convex *part, ts_vec3 x, ts_vec3 m, ts_vec3 y, ts_vec3 n);

#endif
