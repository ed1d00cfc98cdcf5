// Joints, springs and bushings of a simulation as they stand. See include/touchstone/sim.h.
#include "step/sim.h"

#include "dynamics/bushings.h"
#include "dynamics/joint_frames.h"
#include "model/joint/type.h"
#include "base/require.h"

double ts_sim_joint_position(const ts_sim *sim, int joint, double *rate)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(joint >= 0 && joint < sim->model->joint_count);
  return ts_joint_position(sim->model, &sim->state, &sim->kinematics, joint, rate);
}

ts_joint_state ts_sim_joint(const ts_sim *sim, int joint)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(joint >= 0 && joint < sim->model->joint_count);
  const ts_joint_frames at = ts_joint_frames_at(sim->model, &sim->kinematics, joint);
  const bool second = ts_joint_type_of(sim->model->joints[joint].kind)->traits.axes > 1;
  ts_joint_state state = {.point = {at.frame[0].origin, at.frame[1].origin},
                          .axis = {at.frame[0].axes.z, second ? at.frame[1].axes.x : at.frame[1].axes.z}};
  state.position = ts_sim_joint_position(sim, joint, &state.rate);
  return state;
}

static ts_vec3 velocity_at(const ts_sim *sim, int body, ts_vec3 point)
{
  if (body == TS_WORLD) return (ts_vec3){0.0, 0.0, 0.0};
  return ts_twist_at(sim->state.velocity[body], ts_sub(point, sim->state.pose[body].position));
}

ts_spring_state ts_sim_spring(const ts_sim *sim, int spring)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(spring >= 0 && spring < sim->model->spring_count);
  const int *body = sim->model->springs[spring].body;
  const ts_vec3 first = ts_spring_end(sim->model, &sim->state, spring, 0);
  const ts_vec3 second = ts_spring_end(sim->model, &sim->state, spring, 1);
  const ts_vec3 line = ts_sub(second, first), direction = ts_normalize(line, (ts_vec3){0.0, 0.0, 0.0});
  const ts_vec3 apart = ts_sub(velocity_at(sim, body[1], second), velocity_at(sim, body[0], first));
  return (ts_spring_state){{first, second}, ts_length(line), ts_dot(direction, apart)};
}

ts_bushing_state ts_sim_bushing(const ts_sim *sim, int bushing)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(bushing >= 0 && bushing < sim->model->bushing_count);
  const ts_bushing_place at = ts_bushing_place_at(sim->model, &sim->state, bushing);
  return (ts_bushing_state){{at.frame[0].position, at.frame[1].position}, at.measure[0], at.measure[1]};
}
