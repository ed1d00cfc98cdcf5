#include "spinning.h"

#include "linkage.h"
#include "mechanism.h"

#include "model/model.h"

#include "touchstone/dynamics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

const char *const spinning_names[SPINNING_KINDS] = {"top", "gyroscope", "chain", "free tree"};

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// Of a solid: any two moments exceed the third.
static void random_inertia(double mass, double size, ts_random *random, double inertia[6])
{
  const double a = ts_random_uniform(random, 0.2, 1.0), b = ts_random_uniform(random, 0.2, 1.0),
               c = ts_random_uniform(random, 0.2, 1.0), scale = mass * size * size / 5.0;
  mechanism_turned_inertia(random_rotation(random), ts_scale(scale, (ts_vec3){b + c, a + c, a + b}), inertia);
}

static int add_body(world *w, int number, ts_vec3 position, ts_random *random)
{
  ts_body_def def = ts_body_def_default();
  ts_error error;
  char name[16];
  int index;
  snprintf(name, sizeof name, "b%d", number);
  def.name = name;
  def.mass = ts_random_uniform(random, 0.2, 2.0);
  random_inertia(def.mass, ts_random_uniform(random, 0.05, 0.2), random, def.inertia);
  def.centre = random_in_cube(random, 0.03);
  def.pose.position = position;
  def.pose.orientation = random_rotation(random);
  accept(ts_builder_add_body(w->builder, &def, &index, &error), &error);
  return index;
}

static void join(world *w, ts_joint_kind kind, int parent, int child, ts_random *random)
{
  const ts_joint_def joint =
      mechanism_joint(kind, parent, child, random_in_cube(random, 0.1), random_direction(random));
  mechanism_add(w, &joint);
}

static void build_chain(world *w, int bodies, ts_random *random)
{
  static const ts_joint_kind kinds[] = {TS_JOINT_REVOLUTE, TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL};
  for (int k = 0; k < bodies; ++k) {
    const int body = add_body(w, k, (ts_vec3){0.15 * k, 0.0, 0.0}, random);
    join(w, kinds[ts_random_below(random, 3)], body - 1, body, random); // the first hangs on the world
  }
}

// Two rings that turn about axes normal to each other, and a rotor.
static void build_gyroscope(world *w, ts_random *random)
{
  static const ts_vec3 axes[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  const ts_vec3 shift = random_in_cube(random, 0.02); // so that gravity pulls
  for (int k = 0; k < 3; ++k) {
    const double mass = ts_random_uniform(random, 0.1, 1.0), thin = ts_random_uniform(random, 0.4, 1.0);
    const ts_vec3 moments =
        ts_scale(mass * 0.002, k < 2 ? (ts_vec3){1.0, thin, 1.2} : (ts_vec3){thin, 1.4 * thin, thin});
    char name[16];
    snprintf(name, sizeof name, "b%d", k);
    const int body = mechanism_body(w, name, mass, moments, k < 2 ? (ts_vec3){0.0, 0.0, 0.0} : shift);
    mechanism_hinge(w, body - 1, body, (ts_vec3){0.0, 0.0, 0.0}, axes[k]);
  }
}

// Joints of the kinds before welds; nothing hangs on the world.
static void build_tree(world *w, int bodies, ts_random *random)
{
  for (int k = 0; k < bodies; ++k) {
    const int body = add_body(w, k, random_in_cube(random, 0.2), random);
    ts_joint_kind kind = TS_JOINT_WELD;
    while (kind == TS_JOINT_WELD) kind = (ts_joint_kind)ts_random_below(random, TS_JOINT_WELD + 1);
    if (k > 0) join(w, kind, ts_random_below(random, k), body, random);
  }
}

void spinning_build(world *w, spinning_kind kind, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  world_init(w, TS_SPACE_3D);
  if (kind == SPINNING_TOP) {
    const int body = add_body(w, 0, (ts_vec3){0.0, 0.0, 0.1}, &random);
    join(w, TS_JOINT_SPHERICAL, TS_WORLD, body, &random);
  } else if (kind == SPINNING_GYROSCOPE) {
    build_gyroscope(w, &random);
  } else if (kind == SPINNING_CHAIN) {
    build_chain(w, 2 + ts_random_below(&random, 4), &random);
  } else {
    build_tree(w, 2 + ts_random_below(&random, 4), &random);
    if (ts_random_below(&random, 2)) ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  }
}

static bool slides(const ts_model *model, const ts_dynamics *dynamics, int rate)
{
  for (int i = 0; i < ts_dynamics_node_count(dynamics); ++i) {
    const ts_dynamics_node node = ts_dynamics_node_at(dynamics, i);
    const int k = rate - node.rate;
    if (k < 0 || k >= node.rate_count) continue;
    if (node.joint < 0) return k >= 3; // a free body turns first
    const ts_joint_kind kind = model->joints[node.joint].kind;
    return kind == TS_JOINT_PRISMATIC || (kind == TS_JOINT_CYLINDRICAL && k == 1) || (kind == TS_JOINT_PLANAR && k < 2);
  }
  return false;
}

// Rates of the tree's coordinates; twists follow, so that joints are obeyed. What slides has rates in m/s.
static void set_rates(world *w, ts_random *random, double slow, double fast)
{
  enum { MOST = 64 };
  double v[MOST];
  ts_dynamics *dynamics;
  ts_error error;
  accept(ts_dynamics_create(w->model, NULL, &dynamics, &error), &error);
  const int rates = ts_dynamics_rate_count(dynamics);
  assert_true(rates <= MOST);
  const double size = slow * pow(fast / slow, ts_random_uniform(random, 0.0, 1.0));
  for (int k = 0; k < rates; ++k) {
    v[k] = size * (slides(w->model, dynamics, k) ? 0.1 : 1.0) * ts_random_uniform(random, -1.0, 1.0);
  }
  accept(ts_dynamics_set(dynamics, 0.0, NULL, v, &error), &error);
  for (int b = 0; b < ts_model_body_count(w->model); ++b) {
    const ts_twist twist = ts_dynamics_velocity(dynamics, b);
    accept(ts_sim_set_velocity(w->sim, b, &twist, &error), &error);
  }
  ts_dynamics_destroy(dynamics);
}

void spinning_start(world *w, uint64_t seed, double slow, double fast)
{
  ts_random random;
  ts_random_init(&random, seed + 1000003);
  world_start(w);
  set_rates(w, &random, slow, fast);
}
