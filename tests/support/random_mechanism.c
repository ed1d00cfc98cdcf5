#include "random_mechanism.h"

#include "linkage.h"
#include "mechanism.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static ts_vec3 random_point(ts_space space, double size, ts_random *random)
{
  ts_vec3 point = random_in_cube(random, size);
  if (space == TS_SPACE_2D) point.z = 0.0;
  return point;
}

static void add_base(world *w, ts_random *random)
{
  ts_motion_def motion = ts_motion_def_default();
  ts_error error;
  int index;
  motion.body = mechanism_kinematic(w, "base", random_point(w->space, 1.0, random));
  for (int k = 0; k < 3; ++k) {
    const bool plane = w->space == TS_SPACE_2D;
    const ts_signal swing = {.kind = TS_SIGNAL_SINE,
                             .amplitude = ts_random_uniform(random, -1.0, 1.0),
                             .frequency = ts_random_uniform(random, 1.0, 3.0),
                             .phase = ts_random_uniform(random, 0.5, 1.5)};
    if (!plane || k < 2) motion.displacement[k] = swing;
    if (!plane || k == 2) motion.rotation[k] = swing;
  }
  accept(ts_builder_add_motion(w->builder, &motion, &index, &error), &error);
}

static void random_inertia(ts_space space, double inertia[6], ts_random *random)
{
  const ts_quat turn = space == TS_SPACE_2D ? ts_quat_identity() : random_rotation(random);
  const double x = ts_random_uniform(random, 0.5, 1.0), y = ts_random_uniform(random, 0.5, 1.0);
  mechanism_turned_inertia(turn, (ts_vec3){x, y, 0.9}, inertia); // any two exceed the third
}

static void add_body(world *w, int number, bool rotates, ts_random *random)
{
  ts_body_def def = ts_body_def_default();
  ts_error error;
  char name[16];
  int index;
  snprintf(name, sizeof name, "b%d", number);
  def.name = name;
  def.mass = ts_random_uniform(random, 0.5, 2.0);
  def.rotates = rotates;
  random_inertia(w->space, def.inertia, random);
  def.centre = random_point(w->space, 0.3, random);
  def.pose.position = random_point(w->space, 1.0, random);
  def.gravity_scale.x = 0.5;
  if (w->space == TS_SPACE_2D)
    def.angle = ts_random_uniform(random, -3.0, 3.0);
  else
    def.pose.orientation = random_rotation(random);
  accept(ts_builder_add_body(w->builder, &def, &index, &error), &error);
}

// Of the kinds that mechanisms of a seed have always had.
static ts_joint_def random_joint(ts_space space, int from, int to, ts_random *random)
{
  static const ts_joint_kind planar[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  const bool plane = space == TS_SPACE_2D;
  const ts_joint_kind kind =
      plane ? planar[ts_random_below(random, 3)] : (ts_joint_kind)ts_random_below(random, TS_JOINT_WELD + 1);
  ts_vec3 axis = random_direction(random);
  if (plane) axis = kind == TS_JOINT_PRISMATIC ? (ts_vec3){axis.x, axis.y + 2.0, 0.0} : (ts_vec3){0.0, 0.0, 1.0};
  const bool reversed = from >= 0 && ts_random_below(random, 2);
  return mechanism_joint(kind, reversed ? to : from, reversed ? from : to, random_point(space, 1.0, random), axis);
}

ts_model *random_mechanism(ts_space space, int bodies, int closures, uint64_t seed)
{
  ts_random random;
  ts_error error;
  world w;
  ts_random_init(&random, seed);
  world_init(&w, space);
  const ts_vec3 pull = random_point(space, 10.0, &random);
  ts_builder_set_gravity(w.builder, pull);
  add_base(&w, &random);
  for (int i = 1; i <= bodies; ++i) {
    const bool is_free = ts_random_below(&random, 8) == 0;
    add_body(&w, i, !is_free || ts_random_below(&random, 2), &random);
    if (is_free) continue;
    ts_joint_def joint = random_joint(space, ts_random_below(&random, i + 1) - 1, i, &random);
    joint.closes_loop = closures-- > 0;
    mechanism_add(&w, &joint);
  }
  ts_model *model;
  accept(ts_builder_finish(w.builder, &model, &error), &error);
  world_release(&w);
  return model;
}

void random_configuration(ts_dynamics *dynamics, ts_random *random)
{
  enum { MOST = 256 };
  double q[MOST], v[MOST];
  ts_error error;
  const int q_count = ts_dynamics_coordinate_count(dynamics), v_count = ts_dynamics_rate_count(dynamics);
  assert_true(q_count <= MOST);
  for (int i = 0; i < q_count; ++i) q[i] = ts_random_uniform(random, -2.0, 2.0);
  for (int i = 0; i < v_count; ++i) v[i] = ts_random_uniform(random, -1.0, 1.0);
  for (int i = 0; i < ts_dynamics_node_count(dynamics); ++i) {
    const ts_dynamics_node node = ts_dynamics_node_at(dynamics, i);
    const ts_quat turn = random_rotation(random);
    if (node.coordinate_count > node.rate_count) memcpy(q + node.coordinate, &turn, sizeof turn);
  }
  accept(ts_dynamics_set(dynamics, ts_random_uniform(random, 0.0, 3.0), q, v, &error), &error);
}
