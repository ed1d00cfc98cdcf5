// Random joints, drives and gears of the campaign.
#ifndef TS_CAMPAIGN_DRAW_JOINT_H
#define TS_CAMPAIGN_DRAW_JOINT_H

#include "scene.h"

#include "base/random.h"

// Join some of the dynamic bodies to earlier ones or to the world where they are. A linkage may have a closed loop.
void campaign_draw_joints(campaign_scene *scene, ts_random *random);

#endif
