// Poses, velocities and pushes of the bodies of a simulation. See include/touchstone/sim.h.
#include "step/sim.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>

// From the centre of mass to the origin that the user sees, in world axes.
static ts_vec3 origin_arm(const ts_sim *sim, int body)
{
  const ts_vec3 arm = ts_negate(sim->model->bodies[body].centre);
  return ts_quat_rotate(sim->state.pose[body].orientation, arm);
}

ts_pose ts_sim_pose(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  const ts_pose *pose = &sim->state.pose[body];
  return (ts_pose){ts_add(pose->position, origin_arm(sim, body)), pose->orientation};
}

double ts_sim_angle(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  return sim->state.angle[body];
}

ts_twist ts_sim_velocity(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  const ts_twist v = sim->state.velocity[body];
  return (ts_twist){ts_twist_at(v, origin_arm(sim, body)), v.angular};
}

static ts_status check_dynamic(const ts_sim *sim, int body, const char *what, ts_error *error)
{
  if (body < 0 || body >= sim->model->body_count)
    return ts_fail(error, TS_INVALID, "there is no body %d to %s", body, what);
  if (sim->model->bodies[body].kind == TS_DYNAMIC) return TS_OK;
  return ts_fail(error, TS_INVALID, "body '%s' is not dynamic, it is not possible to %s it",
                 sim->model->bodies[body].name, what);
}

// In the plane nothing goes along z or turns about x and y.
static ts_status check_free(const ts_sim *sim, int body, const char *what, ts_vec3 along, ts_vec3 about,
                            ts_error *error)
{
  if (ts_may_move(sim->model->bodies[body].freedoms, along, about)) return TS_OK;
  return ts_fail(error, TS_INVALID, "body '%s' moves in the plane, its %s must lie in it",
                 sim->model->bodies[body].name, what);
}

// The angle nearest to `old` that turns as the quaternion (about z) does.
static double angle_near(double old, ts_quat q)
{
  static const double FULL_TURN = 2.0 * TS_PI;
  const double angle = 2.0 * atan2(q.z, q.w);
  return angle + FULL_TURN * round((old - angle) / FULL_TURN);
}

ts_status ts_sim_set_pose(ts_sim *sim, int body, const ts_pose *pose, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_REFUSE_UNLESS(pose, error);
  TS_TRY(check_dynamic(sim, body, "place", error));
  const double length = ts_quat_length(pose->orientation);
  if (!ts_vec3_is_finite(pose->position) || !(fabs(length - 1.0) < 1e-6))
    return ts_fail(error, TS_INVALID, "body '%s': the pose needs finite numbers and a quaternion of length 1",
                   sim->model->bodies[body].name);
  const ts_quat q = pose->orientation;
  TS_TRY(check_free(sim, body, "pose", pose->position, (ts_vec3){q.x, q.y, q.z}, error));
  ts_pose *own = &sim->state.pose[body];
  own->orientation = ts_quat_normalize(pose->orientation);
  if (ts_has_angle(sim->model->bodies[body].freedoms))
    sim->state.angle[body] = angle_near(sim->state.angle[body], own->orientation);
  own->position = ts_sub(pose->position, origin_arm(sim, body));
  sim->account.is_known = false;
  ts_mechanics_read(&sim->mechanics);
  ts_mechanics_follow(&sim->mechanics);
  sim->placed = true;
  return TS_OK;
}

ts_status ts_sim_set_velocity(ts_sim *sim, int body, const ts_twist *velocity, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_REFUSE_UNLESS(velocity, error);
  TS_TRY(check_dynamic(sim, body, "set a velocity of", error));
  if (!ts_vec3_is_finite(velocity->linear) || !ts_vec3_is_finite(velocity->angular))
    return ts_fail(error, TS_INVALID, "body '%s': the velocity needs finite numbers", sim->model->bodies[body].name);
  TS_TRY(check_free(sim, body, "velocity", velocity->linear, velocity->angular, error));
  const ts_vec3 to_centre = ts_negate(origin_arm(sim, body));
  sim->state.velocity[body] = (ts_twist){ts_twist_at(*velocity, to_centre), velocity->angular};
  sim->account.is_known = false;
  ts_mechanics_adopt(&sim->mechanics);
  return TS_OK;
}

ts_status ts_sim_push(ts_sim *sim, int body, const ts_wrench *wrench, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(wrench, error);
  TS_TRY(check_dynamic(sim, body, "push", error));
  if (!ts_vec3_is_finite(wrench->force) || !ts_vec3_is_finite(wrench->moment))
    return ts_fail(error, TS_INVALID, "body '%s': the wrench needs finite numbers", sim->model->bodies[body].name);
  TS_TRY(check_free(sim, body, "push", wrench->force, wrench->moment, error));
  ts_wrench *push = &sim->pushes[body];
  *push = (ts_wrench){ts_add(push->force, wrench->force), ts_add(push->moment, wrench->moment)};
  sim->pushed = sim->pushed || ts_wrench_is_something(wrench);
  return TS_OK;
}
