// What a scene says of joints and links of a robot, by the names that they have in its file.
#ifndef TS_ROBOT_URDF_SETTINGS_H
#define TS_ROBOT_URDF_SETTINGS_H

#include "robot/urdf_robot.h"

extern const ts_section ts_urdf_joints_section, ts_urdf_links_section; // keys `joints` and `links` of a robot

// Joints get their settings, and where they start follows. Links and joints have been read.
ts_status ts_urdf_set_joints(ts_urdf_robot *robot);

// Damping of a joint as it is simulated: the scene's, or else the file's.
double ts_urdf_damping(const ts_urdf_edge *joint);

// Links get theirs: masses change, shapes that shall not touch go. Shapes and masses have been read.
ts_status ts_urdf_set_links(ts_urdf_robot *robot);

#endif
