#include "plate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define TURN(share) ((share)*2.0 * TS_PI)

static const double FREQUENCY = 66.0 * TS_PI, PER_METRE = 100.0;

static const plate_field fields[] = {
    {"source", {10, 10, 0, 100, 100, 0}, {TURN(0.25), TURN(0.5), 0, TURN(0.25), TURN(0.5), 0}},
    {"centrifuge", {10, 10, 0, 100, 100, 0}, {TURN(0.125), TURN(0.375), 0, TURN(0.25), TURN(0.5), 0}},
    {"circle", {0, 0, 8, 0, 0, 100}, {0, 0, TURN(0.75), 0, 0, 0}},
    {"scaled circle", {0, 0, 8, 0, 0, 500}, {0, 0, TURN(0.75), 0, 0, 0}},
    {"circle learned", {0, 0, 16.3305, 0, 0, 40.7791}, {0, 0, 6.91229, 0, 0, 0}},
    {"saddle learned", {3.88479, -4.31188, 0, 155.816, 204.171, 0}, {-1.08465, -2.0938, 0, 0.430032, 5.77261, 0}},
};

const plate_field *plate_field_find(const char *name)
{
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    if (strcmp(fields[i].name, name) == 0) return &fields[i];
  fail_msg("there is no field '%s'", name);
  return NULL;
}

void plate_init(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.3, 0.0);
  w->options.size = 1e-4;
  w->options.arms = TS_ARMS_SURFACE;
}

static void add_plate(world *w, const plate_field *field, ts_orientation_rule rule)
{
  ts_error error;
  ts_motion_def motion = ts_motion_def_default();
  motion.kind = TS_MOTION_ACCELERATION;
  motion.orientation = rule;
  motion.frequency = FREQUENCY;
  memcpy(motion.amplitude, field->amplitude, sizeof motion.amplitude);
  memcpy(motion.phase, field->phase, sizeof motion.phase);
  motion.body =
      world_add(w, "plate", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0), (ts_vec3){0.0, 0.0, 0.0});
  if (ts_builder_add_motion(w->builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
}

void plate_start(world *w, const plate_field *field, ts_orientation_rule rule, double x, double y)
{
  add_plate(w, field, rule);
  ts_body_def def = ts_body_def_default();
  def.name = "particle";
  def.kind = TS_DYNAMIC;
  def.mass = 0.001;
  def.rotates = false;
  def.pose.position = (ts_vec3){0.0, 0.0, 1.0};
  world_add_def(w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_start(w);
  const ts_pose pose = ts_sim_pose(w->sim, PLATE_BODY);
  const ts_twist twist = ts_sim_velocity(w->sim, PLATE_BODY);
  const ts_vec3 arm = ts_quat_rotate(pose.orientation, (ts_vec3){x / PER_METRE, y / PER_METRE, 0.0});
  const ts_pose on_it = {ts_add(pose.position, arm), ts_quat_identity()};
  ts_error error;
  if (ts_sim_set_pose(w->sim, PLATE_PARTICLE, &on_it, &error) != TS_OK) fail_msg("%s", error.text);
  world_move(w, PLATE_PARTICLE, ts_add(twist.linear, ts_cross(twist.angular, arm)), (ts_vec3){0.0, 0.0, 0.0});
}

ts_vec3 plate_particle(const world *w)
{
  const ts_pose pose = ts_sim_pose(w->sim, PLATE_BODY), particle = ts_sim_pose(w->sim, PLATE_PARTICLE);
  const ts_vec3 place = ts_quat_rotate(ts_quat_conjugate(pose.orientation), ts_sub(particle.position, pose.position));
  return ts_scale(PER_METRE, place);
}
