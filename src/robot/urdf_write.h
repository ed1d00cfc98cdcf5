// A robot written down as part of a scene.
#ifndef TS_ROBOT_URDF_WRITE_H
#define TS_ROBOT_URDF_WRITE_H

#include "document/node.h"
#include "robot/urdf_place.h"

// Is there room for all values that the functions below make? They count on it.
ts_status ts_urdf_reserve_values(ts_urdf_robot *robot, int pair_count);

// A scene without bodies: gravity, step, duration.
ts_node *ts_urdf_write_settings(ts_urdf_robot *robot);

// Put bodies, joints and pairs that do not collide behind those that the scene has; the floor too where it is wanted.
void ts_urdf_write(ts_urdf_robot *robot, const ts_urdf_pair *pairs, int pair_count, ts_node *root);

#endif
