// Joints, springs and bushings of a simulation as they stand, and what is asked of joints. See
// include/touchstone/sim.h.
#include "step/joint_loads.h"
#include "step/snapshot.h"

#include "dynamics/bushings.h"
#include "dynamics/joint_frames.h"
#include "model/joint/type.h"
#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

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

// ---- what acts in joints -------------------------------------------------------------------------------------------

static ts_load_balance *create_balance(ts_sim *sim)
{
  const size_t bodies = (size_t)sim->model->body_count, joints = (size_t)sim->model->joint_count;
  ts_load_balance *made = ts_arena_bytes(&sim->memory, 1, sizeof *made);
  *made = (ts_load_balance){.momentum = ts_arena_bytes(&sim->memory, bodies, sizeof *made->momentum),
                            .center = ts_arena_bytes(&sim->memory, bodies, sizeof *made->center),
                            .joints = ts_arena_bytes(&sim->memory, joints, sizeof *made->joints)};
  return made;
}

ts_status ts_sim_measure_joints(ts_sim *sim, bool measured, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  if (!measured || sim->loads) {
    if (!measured) sim->loads = NULL;
    return TS_OK;
  }
  const size_t joints = (size_t)sim->model->joint_count;
  jmp_buf recovery;
  sim->memory.recovery = &recovery;
  if (setjmp(recovery)) {
    sim->memory.recovery = NULL;
    return ts_arena_reason(&sim->memory, error, "for the loads of joints");
  }
  if (!sim->before->loads) {
    if (sim->mechanics.tree) sim->balance = create_balance(sim);
    sim->load_memory = ts_arena_bytes(&sim->memory, joints, sizeof *sim->load_memory);
    sim->before->loads = ts_arena_bytes(&sim->memory, joints, sizeof *sim->before->loads);
  }
  sim->memory.recovery = NULL;
  sim->loads = sim->load_memory;
  ts_loads_forget(sim);
  return TS_OK;
}

bool ts_sim_measures_joints(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return sim->loads;
}

ts_joint_forces ts_sim_joint_forces(const ts_sim *sim, int joint)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(joint >= 0 && joint < sim->model->joint_count);
  if (!sim->loads) return (ts_joint_forces){0};
  const double per_time = 1.0 / sim->options.size;
  const ts_joint_load *load = &sim->loads[joint];
  return (ts_joint_forces){per_time * load->drive,
                           {ts_scale(per_time, load->wrench.force), ts_scale(per_time, load->wrench.moment)}};
}

// ---- what is asked of joints ---------------------------------------------------------------------------------------

static ts_status check_joint(const ts_sim *sim, int joint, const char *what, ts_error *error)
{
  if (joint >= 0 && joint < sim->model->joint_count) return TS_OK;
  return ts_fail(error, TS_INVALID, "there is no joint %d to %s", joint, what);
}

static ts_joint_command *command_of(ts_sim *sim, int joint)
{
  if (!sim->state.commands) memset(sim->commands, 0, (size_t)sim->model->joint_count * sizeof *sim->commands);
  sim->state.commands = sim->commands;
  return &sim->commands[joint];
}

ts_status ts_sim_push_joint(ts_sim *sim, int joint, double force, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_TRY(check_joint(sim, joint, "push along", error));
  const ts_joint *j = &sim->model->joints[joint];
  if (!ts_joint_has_coordinate(j->kind))
    return ts_fail(error, TS_INVALID, "joint '%s' is %s, it has no coordinate to push along", j->name,
                   ts_joint_kind_name(j->kind));
  if (!isfinite(force)) return ts_fail(error, TS_INVALID, "joint '%s': the push must be finite", j->name);
  if (force == 0.0) return TS_OK;
  command_of(sim, joint)->push += force;
  sim->pushed = true;
  return TS_OK;
}

static ts_status check_motor(const ts_sim *sim, int joint, ts_error *error)
{
  TS_TRY(check_joint(sim, joint, "set a target of", error));
  if (sim->model->joints[joint].motor.kind != TS_MOTOR_NONE) return TS_OK;
  return ts_fail(error, TS_INVALID, "joint '%s' has no motor that would follow a target",
                 sim->model->joints[joint].name);
}

ts_status ts_sim_set_target(ts_sim *sim, int joint, double target, double rate, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_TRY(check_motor(sim, joint, error));
  if (!isfinite(target) || !isfinite(rate))
    return ts_fail(error, TS_INVALID, "joint '%s': target and rate must be finite", sim->model->joints[joint].name);
  ts_joint_command *command = command_of(sim, joint);
  command->has_target = true;
  command->target = target;
  command->rate = rate;
  return TS_OK;
}

ts_status ts_sim_clear_target(ts_sim *sim, int joint, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_TRY(check_motor(sim, joint, error));
  if (!sim->state.commands) return TS_OK;
  ts_joint_command *command = &sim->commands[joint];
  command->has_target = false;
  command->target = command->rate = 0.0;
  return TS_OK;
}

// ---- springs and bushings ------------------------------------------------------------------------------------------

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
