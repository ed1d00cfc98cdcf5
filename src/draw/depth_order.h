// In which order solids are painted so that those in front cover those behind.
#ifndef TS_DRAW_DEPTH_ORDER_H
#define TS_DRAW_DEPTH_ORDER_H

#include "draw/picture.h"

// Write the numbers of `count` solids, those behind first. Two convex bodies that do not overlap are parted by a plane,
// so that one of them cannot hide the other; these relations are exact and are obeyed wherever they do not form a ring.
// False: memory ran out.
bool ts_depth_order(const ts_placed_shape *const *solids, int count, const ts_camera *camera, int *order,
                    ts_heap *heap);

#endif
