// In which order solids are painted so that those in front cover those behind.
#ifndef TS_CLI_DEPTH_ORDER_H
#define TS_CLI_DEPTH_ORDER_H

#include "cli/picture.h"

// Write the numbers of `count` solids, those behind first. Two convex bodies that do not overlap are parted by a plane,
// so that one of them cannot hide the other; these relations are exact and are obeyed wherever they do not form a ring.
void cli_depth_order(const cli_placed *const *solids, int count, const cli_camera *camera, int *order);

#endif
