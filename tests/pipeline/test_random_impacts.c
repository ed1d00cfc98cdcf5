// Impacts of random trees of bodies under Poisson's law: energy never grows, and minimal and redundant coordinates give
// the same velocities.
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_BODIES = 8, MOST_CONTACTS = 4 };

static ts_vec3 random_vector(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

static ts_vec3 random_direction(ts_random *random)
{
  return ts_normalize(random_vector(random, 1.0), (ts_vec3){0.0, 0.0, 1.0});
}

// Joined to the world, to a body before, or to nothing; by any kind of joint.
static void random_joint(world *w, int child, ts_vec3 at_child, const ts_vec3 *positions, ts_random *random)
{
  static const ts_joint_kind kinds[] = {TS_JOINT_REVOLUTE,  TS_JOINT_REVOLUTE,  TS_JOINT_PRISMATIC,
                                        TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL,
                                        TS_JOINT_PLANAR,    TS_JOINT_WELD};
  const int choice = ts_random_below(random, 8);
  if (choice == 0 && child > 0) return; // free
  ts_joint_def def = ts_joint_def_default();
  def.kind = kinds[ts_random_below(random, (int)(sizeof kinds / sizeof *kinds))];
  def.child = child;
  def.parent = child == 0 || choice == 1 ? TS_WORLD : choice < 5 ? child - 1 : ts_random_below(random, child);
  if (def.parent == TS_WORLD && def.kind == TS_JOINT_WELD) def.kind = TS_JOINT_SPHERICAL;
  const ts_vec3 at = ts_add(at_child, random_vector(random, 0.5));
  def.at = def.parent == TS_WORLD ? at : ts_sub(at, positions[def.parent]);
  def.axis = random_direction(random);
  if (def.kind == TS_JOINT_UNIVERSAL) def.axis2 = ts_normalize(ts_cross(def.axis, random_direction(random)), def.axis);
  ts_error error;
  if (ts_builder_add_joint(w->builder, &def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
}

// Balls fastened to the world overlap some of the bodies slightly, each with a restitution of its own if asked.
static void random_obstacles(world *w, int count, const ts_vec3 *positions, const double *radii, double *restitution,
                             ts_random *random)
{
  const int obstacles = 1 + ts_random_below(random, MOST_CONTACTS);
  for (int k = 0; k < obstacles; ++k) {
    const int body = ts_random_below(random, count);
    char name[16];
    snprintf(name, sizeof name, "obstacle%d", k);
    const ts_vec3 at = ts_add_scaled(positions[body], radii[body] + 0.3 - 1e-6, random_direction(random));
    const int obstacle = world_add(w, name, TS_FIXED, 0.0, shape_sphere(0.3), at);
    if (!restitution) continue;
    ts_contact_law law = ts_contact_law_default();
    law.friction = ts_random_uniform(random, 0.0, 1.0);
    law.restitution = restitution[ts_random_below(random, 2)];
    ts_error error;
    for (int b = 0; b < count; ++b)
      if (ts_builder_pair_bodies(w->builder, b, obstacle, &law, &error) != TS_OK) fail_msg("%s", error.text);
  }
}

// `restitution`: two to choose from for each obstacle; NULL: one for all contacts.
static world random_world(ts_random *random, double *restitution)
{
  ts_vec3 positions[MOST_BODIES];
  double radii[MOST_BODIES];
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  world_friction(&w, ts_random_uniform(random, 0.0, 1.0), ts_random_uniform(random, 0.0, 1.0));
  const int count = 1 + ts_random_below(random, MOST_BODIES);
  for (int b = 0; b < count; ++b) {
    const ts_vec3 near = b > 0 ? positions[b - 1] : (ts_vec3){0.0, 0.0, 0.0};
    char name[16];
    snprintf(name, sizeof name, "body%d", b);
    radii[b] = ts_random_uniform(random, 0.1, 0.3);
    positions[b] = ts_add_scaled(near, 0.6, random_direction(random));
    ts_body_def def = ts_body_def_default();
    def.name = name;
    def.kind = TS_DYNAMIC;
    def.mass = exp(ts_random_uniform(random, -1.5, 1.5));
    def.pose.position = positions[b];
    def.velocity = (ts_twist){random_vector(random, 1.0), random_vector(random, 1.0)};
    world_add_def(&w, &def, shape_sphere(radii[b]));
    random_joint(&w, b, positions[b], positions, random);
  }
  random_obstacles(&w, count, positions, radii, restitution, random);
  w.options.method = ts_stepper_find("velocity");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.tolerance = 1e-11;
  w.options.coordinates = TS_COORDINATES_MINIMAL;
  return w;
}

static void energy_never_grows(void **state)
{
  enum { WANTED = 10000 };
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  int impacts = 0, contacts = 0, scaled = 0, uncertified = 0, tries = 0;
  double worst = -1.0;
  for (; impacts < WANTED; ++tries) {
    world w = random_world(&random, NULL);
    w.options.size = 1e-10;
    world_start(&w);
    const double before = world_kinetic(&w);
    ts_error error;
    if (ts_sim_step(w.sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_step_report *report = ts_sim_report(w.sim);
    const double after = world_kinetic(&w), gain = (after - before) / before;
    impacts += gain < -1e-6;
    contacts += report->contacts;
    scaled += report->energy_scaled_back < 1.0;
    uncertified += !report->certified;
    if (gain > worst) {
      worst = gain;
      printf("try %d gain %g contacts %d residual %g scaled %g\n", tries, gain, report->contacts, report->residual,
             report->energy_scaled_back);
    }
    world_release(&w);
  }
  print_message("%d tries, %d impacts, %d contacts, %d scaled back, %d uncertified, worst gain %g\n", tries, impacts,
                contacts, scaled, uncertified, worst);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_never_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
