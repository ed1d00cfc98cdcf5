// Definitions to start from: see include/touchstone/model.h.
#include "model/builder.h"

static const double DEFAULT_DENSITY = 1000.0; // water [kg/m^3]

ts_contact_law ts_contact_law_default(void)
{
#define NUMBER(name, value, range, rule, help) .name = value,
  return (ts_contact_law){TS_LAW_NUMBER_LIST(NUMBER).ellipsoid = {1.0, 1.0, 0.0}};
#undef NUMBER
}

ts_body_def ts_body_def_default(void)
{
  return (ts_body_def){.kind = TS_DYNAMIC,
                       .mass = NAN,
                       .density = DEFAULT_DENSITY,
                       .inertia = {NAN},
                       .centre = {NAN, 0.0, 0.0},
                       .rotates = true,
                       .pose = ts_pose_identity(),
                       .gravity_scale = {1.0, 1.0, 1.0},
                       .cookie = TS_BODY_COOKIE};
}

ts_part_def ts_part_def_default(void)
{
  return (ts_part_def){.body = TS_WORLD, .pose = ts_pose_identity(), .material = -1, .cookie = TS_PART_COOKIE};
}

ts_joint_def ts_joint_def_default(void)
{
  return (ts_joint_def){.parent = TS_WORLD,
                        .child = TS_WORLD,
                        .axis = {0.0, 0.0, 1.0},
                        .axis2 = {1.0, 0.0, 0.0},
                        .lower = -INFINITY,
                        .upper = INFINITY,
                        .motor = {.max_force = INFINITY},
                        .cookie = TS_JOINT_COOKIE};
}

ts_gear_def ts_gear_def_default(void)
{
  return (ts_gear_def){.joint = -1, .cookie = TS_GEAR_COOKIE};
}

ts_spring_def ts_spring_def_default(void)
{
  return (ts_spring_def){.body = {TS_WORLD, TS_WORLD}, .length = NAN, .implicit = true, .cookie = TS_SPRING_COOKIE};
}

ts_bushing_def ts_bushing_def_default(void)
{
  return (ts_bushing_def){.body = {TS_WORLD, TS_WORLD}, .orientation = ts_quat_identity(), .cookie = TS_BUSHING_COOKIE};
}

ts_support_def ts_support_def_default(void)
{
  return (ts_support_def){
      .body = TS_WORLD, .on = TS_WORLD, .friction = NAN, .ellipsoid = {1.0, 1.0, 0.0}, .cookie = TS_SUPPORT_COOKIE};
}

ts_force_def ts_force_def_default(void)
{
  return (ts_force_def){.body = TS_WORLD, .at = {NAN, 0.0, 0.0}, .cookie = TS_FORCE_COOKIE};
}

ts_motion_def ts_motion_def_default(void)
{
  return (ts_motion_def){.body = TS_WORLD, .cookie = TS_MOTION_COOKIE};
}

ts_group_def ts_group_def_default(void)
{
  return (ts_group_def){.cookie = TS_GROUP_COOKIE};
}
