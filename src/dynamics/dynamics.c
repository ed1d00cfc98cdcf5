// Dynamics in minimal coordinates for users: checks, and calls of the tree's algorithms.
#include "dynamics/dynamics.h"

#include "dynamics/loops.h"
#include "dynamics/tree_names.h"
#include "model/joint/type.h"

#include "base/require.h"
#include "base/status.h"
#include "math/finite.h"

#include <string.h>

static const double UNIT_TOLERANCE = 1e-6; // of the length of quaternions, as for ts_sim_set_pose()

// ---- creation ------------------------------------------------------------------------------------------------------

static void allocate_arrays(ts_dynamics *d)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(d->tree);
  const size_t bodies = (size_t)d->model->body_count;
  ts_arena *memory = &d->memory;
  d->coordinate_names = ts_tree_coordinate_names(d->tree, d->model, memory);
  d->rate_names = ts_tree_rate_names(d->tree, d->model, memory);
  d->state = ts_state_allocate(d->model, sizes.q, sizes.v, memory);
  d->kinematics.frame = ts_arena_bytes(memory, bodies, sizeof *d->kinematics.frame);
  d->kinematics.inverse_inertia = ts_arena_bytes(memory, bodies, sizeof *d->kinematics.inverse_inertia);
  d->base_acceleration = ts_arena_bytes(memory, bodies, sizeof *d->base_acceleration);
  d->body_acceleration = ts_arena_bytes(memory, bodies, sizeof *d->body_acceleration);
  d->wrench = ts_arena_bytes(memory, bodies, sizeof *d->wrench);
  bool *in_tree = ts_arena_bytes(memory, (size_t)d->model->joint_count, sizeof *in_tree);
  bool *on_tree = ts_arena_bytes(memory, bodies, sizeof *on_tree);
  ts_tree_mark(d->tree, in_tree, on_tree);
  d->in_tree = in_tree;
  d->state.on_tree = on_tree;
}

ts_status ts_dynamics_create(const ts_model *model, const ts_allocator *allocator, ts_dynamics **dynamics,
                             ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  *dynamics = NULL;
  TS_REFUSE_UNLESS(model, error);
  ts_arena probe; // knows what NULL means
  ts_arena_init(&probe, allocator);
  ts_dynamics *d = probe.allocator.allocate(probe.allocator.user, sizeof *d);
  if (!d) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the dynamics");
  *d = (ts_dynamics){.model = model};
  ts_arena_init(&d->memory, &probe.allocator);
  ts_arena_init(&d->scratch, &probe.allocator);
  jmp_buf recovery;
  d->memory.recovery = &recovery;
  if (setjmp(recovery)) {
    ts_dynamics_destroy(d);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the dynamics");
  }
  d->tree = ts_tree_create(model, false, &d->memory);
  allocate_arrays(d);
  d->memory.recovery = NULL;
  ts_state_init(model, &d->state);
  ts_tree_read(d->tree, &d->state, d->state.q, d->state.rates);
  ts_dynamics_follow(d);
  *dynamics = d;
  return TS_OK;
}

void ts_dynamics_destroy(ts_dynamics *dynamics)
{
  if (!dynamics) return;
  const ts_allocator allocator = dynamics->memory.allocator;
  ts_arena_release(&dynamics->scratch);
  ts_arena_release(&dynamics->memory);
  allocator.release(allocator.user, dynamics);
}

const ts_model *ts_dynamics_model(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return dynamics->model;
}

// ---- what there is -------------------------------------------------------------------------------------------------

int ts_dynamics_node_count(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return ts_tree_sizes(dynamics->tree).nodes;
}

ts_dynamics_node ts_dynamics_node_at(const ts_dynamics *dynamics, int node)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(node >= 0 && node < ts_dynamics_node_count(dynamics));
  const ts_tree_node *n = ts_tree_node_at(dynamics->tree, node);
  return (ts_dynamics_node){.body = n->body,
                            .parent = n->parent >= 0 ? ts_tree_node_at(dynamics->tree, n->parent)->body : n->base,
                            .joint = n->joint,
                            .reversed = n->reversed,
                            .coordinate = n->q,
                            .coordinate_count = n->q_count,
                            .rate = n->v,
                            .rate_count = n->v_count};
}

int ts_dynamics_closure_count(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return ts_tree_sizes(dynamics->tree).closures;
}

int ts_dynamics_closure_at(const ts_dynamics *dynamics, int i)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(i >= 0 && i < ts_dynamics_closure_count(dynamics));
  return ts_tree_closures(dynamics->tree)[i];
}

int ts_dynamics_coordinate_count(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return ts_tree_sizes(dynamics->tree).q;
}

int ts_dynamics_rate_count(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return ts_tree_sizes(dynamics->tree).v;
}

const char *ts_dynamics_coordinate_name(const ts_dynamics *dynamics, int coordinate)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(coordinate >= 0 && coordinate < ts_dynamics_coordinate_count(dynamics));
  return dynamics->coordinate_names[coordinate];
}

const char *ts_dynamics_rate_name(const ts_dynamics *dynamics, int rate)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(rate >= 0 && rate < ts_dynamics_rate_count(dynamics));
  return dynamics->rate_names[rate];
}

// ---- configuration -------------------------------------------------------------------------------------------------

// How often joints have turned: the coordinates know of theirs.
static void count_turns(ts_dynamics *d)
{
  for (int i = 0; i < ts_dynamics_node_count(d); ++i) {
    const ts_tree_node *node = ts_tree_node_at(d->tree, i);
    if (node->joint >= 0 && ts_joint_has_angle(d->model->joints[node->joint].kind))
      d->state.turned[node->joint] = d->state.q[node->q];
  }
  ts_state_follow_joints(d->model, &d->kinematics, d->in_tree, &d->state);
}

void ts_dynamics_follow(ts_dynamics *dynamics)
{
  ts_dynamics *d = dynamics;
  ts_state_follow_motions(d->model, d->state.time, &d->state);
  ts_motion_accelerations(d->model, d->state.time, d->base_acceleration);
  ts_tree_update(d->tree, d->state.q, d->state.rates, &d->state, &d->kinematics);
  count_turns(d);
  d->factored = false;
}

static ts_status check_numbers(const double *x, int count, const char *what, ts_error *error)
{
  if (!x || ts_all_finite(x, (size_t)count)) return TS_OK;
  return ts_fail(error, TS_INVALID, "the %s must be finite numbers", what);
}

static double length_of(const double *quaternion)
{
  const double *q = quaternion;
  return ts_quat_length((ts_quat){q[0], q[1], q[2], q[3]});
}

static bool begins_with_quaternion(const ts_tree_node *node)
{
  return node->q_count > node->v_count;
}

static ts_status check_quaternions(const ts_dynamics *d, const double *q, ts_error *error)
{
  for (int i = 0; i < ts_dynamics_node_count(d); ++i) {
    const ts_tree_node *node = ts_tree_node_at(d->tree, i);
    if (begins_with_quaternion(node) && !(fabs(length_of(q + node->q) - 1.0) < UNIT_TOLERANCE))
      return ts_fail(error, TS_INVALID, "the quaternion that begins with '%s' must have length 1, not %g",
                     d->coordinate_names[node->q], length_of(q + node->q));
  }
  return TS_OK;
}

static void normalize_quaternions(ts_dynamics *d)
{
  for (int i = 0; i < ts_dynamics_node_count(d); ++i) {
    const ts_tree_node *node = ts_tree_node_at(d->tree, i);
    if (!begins_with_quaternion(node)) continue;
    double *q = d->state.q + node->q;
    const double length = length_of(q);
    for (int k = 0; k < 4; ++k) q[k] /= length;
  }
}

ts_status ts_dynamics_set(ts_dynamics *dynamics, double time, const double *q, const double *v, ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  ts_dynamics *d = dynamics;
  TS_TRY(check_numbers(&time, 1, "time", error));
  TS_TRY(check_numbers(q, ts_dynamics_coordinate_count(d), "coordinates", error));
  TS_TRY(check_numbers(v, ts_dynamics_rate_count(d), "rates", error));
  if (q) TS_TRY(check_quaternions(d, q, error));
  d->state.time = time;
  if (q) {
    memmove(d->state.q, q, (size_t)ts_dynamics_coordinate_count(d) * sizeof *q); // may be the view of them
    normalize_quaternions(d);
  }
  if (v) memmove(d->state.rates, v, (size_t)ts_dynamics_rate_count(d) * sizeof *v);
  ts_dynamics_follow(d);
  return TS_OK;
}

const double *ts_dynamics_coordinates(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return dynamics->state.q;
}

const double *ts_dynamics_rates(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return dynamics->state.rates;
}

double ts_dynamics_time(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return dynamics->state.time;
}

void ts_dynamics_advance(const ts_dynamics *dynamics, double h, const double *v, double *q)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(v || ts_dynamics_rate_count(dynamics) == 0);
  TS_REQUIRE(q || ts_dynamics_coordinate_count(dynamics) == 0);
  ts_tree_advance(dynamics->tree, h, v, q);
}

// From the centre of mass to a point of the body's frame, in world axes.
static ts_vec3 arm_to(const ts_dynamics *d, int body, ts_vec3 at)
{
  return ts_mul(&d->kinematics.frame[body].axes, ts_sub(at, d->model->bodies[body].centre));
}

static const ts_vec3 ORIGIN = {0.0, 0.0, 0.0};

ts_pose ts_dynamics_pose(const ts_dynamics *dynamics, int body)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(body >= 0 && body < ts_model_body_count(ts_dynamics_model(dynamics)));
  const ts_pose *pose = &dynamics->state.pose[body];
  return (ts_pose){ts_add(pose->position, arm_to(dynamics, body, ORIGIN)), pose->orientation};
}

ts_twist ts_dynamics_velocity(const ts_dynamics *dynamics, int body)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(body >= 0 && body < ts_model_body_count(ts_dynamics_model(dynamics)));
  const ts_twist velocity = dynamics->state.velocity[body];
  return (ts_twist){ts_twist_at(velocity, arm_to(dynamics, body, ORIGIN)), velocity.angular};
}

// ---- forces and accelerations --------------------------------------------------------------------------------------

static void gather_wrenches(ts_dynamics *d, const ts_wrench *wrench)
{
  for (int b = 0; b < d->model->body_count; ++b) {
    const ts_body *body = &d->model->bodies[b];
    d->wrench[b] = (ts_wrench){ts_scale(body->mass, body->gravity), ORIGIN};
    if (!wrench) continue;
    d->wrench[b].force = ts_add(d->wrench[b].force, wrench[b].force);
    d->wrench[b].moment = wrench[b].moment;
  }
}

static ts_status check_wrenches(const ts_dynamics *d, const ts_wrench *wrench, ts_error *error)
{
  const int numbers = (int)(sizeof *wrench / sizeof(double));
  return check_numbers((const double *)wrench, numbers * d->model->body_count, "wrenches", error);
}

// NULL: no base moves, and sweeps are shorter.
static const ts_twist *moving_bases(const ts_dynamics *d)
{
  return d->model->motion_count > 0 ? d->base_acceleration : NULL;
}

void ts_dynamics_mass_matrix(ts_dynamics *dynamics, double *M)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(M || ts_dynamics_rate_count(dynamics) == 0);
  ts_tree_mass_matrix(dynamics->tree, M);
}

void ts_dynamics_bias(ts_dynamics *dynamics, double *b)
{
  TS_REQUIRE(dynamics);
  TS_REQUIRE(b || ts_dynamics_rate_count(dynamics) == 0);
  ts_dynamics_inverse(dynamics, NULL, NULL, b, NULL); // which refuses numbers, not their absence
}

ts_status ts_dynamics_inverse(ts_dynamics *dynamics, const double *a, const ts_wrench *wrench, double *f,
                              ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  TS_REFUSE_UNLESS(f || ts_dynamics_rate_count(dynamics) == 0, error);
  TS_TRY(check_numbers(a, ts_dynamics_rate_count(dynamics), "accelerations", error));
  TS_TRY(check_wrenches(dynamics, wrench, error));
  gather_wrenches(dynamics, wrench);
  ts_tree_inverse_dynamics(dynamics->tree, dynamics->wrench, moving_bases(dynamics), a, f);
  return TS_OK;
}

static ts_status factor(ts_dynamics *d, ts_error *error)
{
  if (!d->factored) TS_TRY(ts_tree_try_factor(d->tree, NULL, error));
  d->factored = true;
  return TS_OK;
}

static ts_status hold_loops(ts_dynamics *d, double *a, ts_error *error)
{
  if (!ts_loops_are_there(d->tree, d->model)) return TS_OK;
  jmp_buf recovery;
  ts_arena_reset(&d->scratch);
  d->scratch.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the loops");
  ts_loops_hold(d->tree, d->model, &d->state, &d->kinematics, d->base_acceleration, a, NULL, &d->scratch);
  return TS_OK;
}

ts_status ts_dynamics_forward(ts_dynamics *dynamics, const double *f, const ts_wrench *wrench, double *a,
                              ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  TS_REFUSE_UNLESS(a || ts_dynamics_rate_count(dynamics) == 0, error);
  TS_TRY(check_numbers(f, ts_dynamics_rate_count(dynamics), "forces", error));
  TS_TRY(check_wrenches(dynamics, wrench, error));
  TS_TRY(factor(dynamics, error));
  gather_wrenches(dynamics, wrench);
  ts_tree_accelerate(dynamics->tree, dynamics->wrench, f, moving_bases(dynamics), a);
  return hold_loops(dynamics, a, error);
}

double ts_dynamics_loop_error(const ts_dynamics *dynamics)
{
  TS_REQUIRE(dynamics);
  return ts_loops_error(dynamics->tree, dynamics->model, &dynamics->state, &dynamics->kinematics);
}

// ---- points --------------------------------------------------------------------------------------------------------

static ts_point_motion motion_of_point(ts_dynamics *d, int body, ts_vec3 arm)
{
  const ts_twist velocity = d->state.velocity[body];
  ts_twist *a = d->body_acceleration;
  memcpy(a, d->base_acceleration, (size_t)d->model->body_count * sizeof *a);
  ts_tree_body_accelerations(d->tree, moving_bases(d), NULL, a);
  const ts_vec3 centripetal = ts_cross(velocity.angular, ts_cross(velocity.angular, arm));
  return (ts_point_motion){
      .position = ts_add(d->state.pose[body].position, arm),
      .velocity = {ts_twist_at(velocity, arm), velocity.angular},
      .bias = {ts_add(ts_twist_at(a[body], arm), centripetal), a[body].angular},
  };
}

ts_status ts_dynamics_point(ts_dynamics *dynamics, int body, ts_vec3 at, double *jacobian, ts_point_motion *motion,
                            ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  ts_dynamics *d = dynamics;
  if (body < 0 || body >= d->model->body_count)
    return ts_fail(error, TS_INVALID, "there is no body %d with points", body);
  TS_TRY(check_numbers((const double[]){at.x, at.y, at.z}, 3, "coordinates of the point", error));
  const ts_vec3 arm = arm_to(d, body, at), point = ts_add(d->state.pose[body].position, arm);
  if (jacobian) {
    const size_t half = 3 * (size_t)ts_dynamics_rate_count(d);
    ts_tree_point_jacobian(d->tree, body, point, jacobian, jacobian + half);
  }
  if (motion) *motion = motion_of_point(d, body, arm);
  return TS_OK;
}
