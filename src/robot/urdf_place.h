// Where a robot's shapes are at time 0: which of them overlap, and how low they reach.
#ifndef TS_ROBOT_URDF_PLACE_H
#define TS_ROBOT_URDF_PLACE_H

#include "robot/urdf_robot.h"

// Two bodies, first < second.
typedef struct ts_urdf_pair {
  int first, second;
} ts_urdf_pair;

// Bodies that overlap though no joint is between them: coarse shapes do, and would push one another apart. Each pair
// once, in order, in the arena.
ts_status ts_urdf_find_overlaps(ts_urdf_robot *robot, ts_urdf_pair **pairs, int *count);

// Move a free robot up or down until its lowest point is `clearance` above z = 0. Under a fixed one whose moving links
// begin below z = 0 the floor is put that far below them.
void ts_urdf_put_on_floor(ts_urdf_robot *robot, double clearance);

#endif
