// Impacts of random trees of bodies under Poisson's law: energy never grows, and minimal and redundant coordinates give
// the same velocities.
#include "world.h"

#include "base/random.h"
#include "math/dense.h"
#include "step/impact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_BODIES = 8, MOST_OBSTACLES = 4, MOST_CONTACTS = 100 };

typedef struct recipe {
  int least_bodies, most_obstacles;
  double most_friction;
  const double *restitution; // two to choose from for each obstacle; NULL: one for all contacts
} recipe;

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
static void random_obstacles(world *w, int count, const ts_vec3 *positions, const double *radii, const recipe *r,
                             ts_random *random)
{
  const int obstacles = 1 + ts_random_below(random, r->most_obstacles);
  for (int k = 0; k < obstacles; ++k) {
    const int body = ts_random_below(random, count);
    char name[24];
    snprintf(name, sizeof name, "obstacle%d", k);
    const ts_vec3 at = ts_add_scaled(positions[body], radii[body] + 0.3 - 1e-6, random_direction(random));
    const int obstacle = world_add(w, name, TS_FIXED, 0.0, shape_sphere(0.3), at);
    if (!r->restitution) continue;
    ts_contact_law law = ts_contact_law_default();
    law.friction = ts_random_uniform(random, 0.0, r->most_friction);
    law.restitution = r->restitution[ts_random_below(random, 2)];
    ts_error error;
    for (int b = 0; b < count; ++b)
      if (ts_builder_pair_bodies(w->builder, b, obstacle, &law, &error) != TS_OK) fail_msg("%s", error.text);
  }
}

static world random_world(ts_random *random, const recipe *r)
{
  ts_vec3 positions[MOST_BODIES];
  double radii[MOST_BODIES];
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  world_friction(&w, ts_random_uniform(random, 0.0, r->most_friction), ts_random_uniform(random, 0.0, 1.0));
  const int count = r->least_bodies + ts_random_below(random, MOST_BODIES + 1 - r->least_bodies);
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
  random_obstacles(&w, count, positions, radii, r, random);
  w.options.method = ts_stepper_find("velocity");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.start = TS_START_AS_GIVEN; // the overlap of 1e-6 m makes contacts closed
  w.options.tolerance = 1e-11;
  w.options.coordinates = TS_COORDINATES_MINIMAL;
  return w;
}

static void step(ts_sim *sim)
{
  ts_error error;
  if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
}

// Is there a contact whose bodies do not approach? It has nothing to give back, as if its restitution were 0.
static bool some_contact_opens(ts_sim *sim)
{
  ts_error error;
  int count;
  if (ts_sim_find_contacts(sim, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    const ts_twist v_1 = ts_sim_velocity(sim, c->body_1), v_2 = ts_sim_velocity(sim, c->body_2);
    if (ts_dot(c->normal, ts_sub(ts_twist_at(v_1, c->arm_1), ts_twist_at(v_2, c->arm_2))) >= 0.0) return true;
  }
  return false;
}

// ---- the impact alone, as the stepper takes it, without the step after it ----

static ts_sim *start_like(const world *w, ts_coordinates coordinates)
{
  ts_step_options options = w->options;
  options.coordinates = coordinates;
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(w->model, &options, NULL, &sim, &error) != TS_OK) fail_msg("%s", error.text);
  for (int b = 0; b < ts_model_body_count(w->model); ++b) {
    const ts_twist v = ts_sim_velocity(w->sim, b); // as the tree has it: joints are obeyed
    if (ts_model_body_kind(w->model, b) == TS_DYNAMIC && coordinates == TS_COORDINATES_REDUNDANT &&
        ts_sim_set_velocity(sim, b, &v, &error) != TS_OK)
      fail_msg("%s", error.text);
  }
  return sim;
}

typedef struct impact_alone {
  ts_sim *sim;
  ts_step step;
  jmp_buf recovery;
} impact_alone;

// All is set up for ts_step_impact(), where memory that runs out leads to `recovery`; release the simulation.
static void start_impact(impact_alone *alone, const world *w, ts_coordinates coordinates)
{
  ts_sim *sim = alone->sim = start_like(w, coordinates);
  ts_arena *arena = &sim->scratch[0];
  arena->recovery = &alone->recovery;
  alone->step = (ts_step){.sim = sim, .h = 1e-3, .theta = 1.0, .arena = arena};
  ts_step_joints(&alone->step);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, 1e-3, 1e-9, arena, &alone->step.contacts))
    fail_msg("numbers are not finite");
  ts_step_assemble(&alone->step);
}

// ---- energy ----

// The factor of rebounds when every contact gives back its share of what compressed it, whether it approached or not.
static double scaled_back_if_all_rebound(const world *w)
{
  double approach[MOST_CONTACTS];
  impact_alone alone;
  if (setjmp(alone.recovery)) fail_msg("memory ran out");
  start_impact(&alone, w, TS_COORDINATES_MINIMAL);
  assert_true(alone.step.system.count <= MOST_CONTACTS);
  for (int i = 0; i < MOST_CONTACTS; ++i) approach[i] = -INFINITY;
  ts_step_impact(&alone.step, approach);
  const double factor = alone.sim->report.energy_scaled_back;
  ts_sim_destroy(alone.sim);
  return factor;
}

typedef struct tally {
  int tries, impacts, scaled_back, uncertified;
  double gain; // largest share of the energy before
} tally;

// Impacts until there are `wanted` of them, in steps so short that nothing else happens.
static tally collide(int wanted, uint64_t seed, const recipe *r)
{
  ts_random random;
  ts_random_init(&random, seed);
  tally all = {.gain = -1.0};
  for (; all.impacts < wanted; ++all.tries) {
    world w = random_world(&random, r);
    w.options.size = 1e-10;
    world_start(&w);
    const bool opens = some_contact_opens(w.sim);
    const double before = world_kinetic(&w);
    step(w.sim);
    const ts_step_report *report = ts_sim_report(w.sim);
    const double gain = world_kinetic(&w) / before - 1.0;
    all.gain = fmax(all.gain, gain);
    all.impacts += gain < -1e-6;
    all.scaled_back += report->energy_scaled_back < 1.0;
    all.uncertified += !report->certified;
    if (!r->restitution && report->energy_scaled_back < 1.0)
      assert_true(opens && scaled_back_if_all_rebound(&w) == 1.0);
    world_release(&w);
  }
  print_message("%d tries, %d impacts: energy grew by at most %.1g, scaled back %d times, %d uncertified\n", all.tries,
                all.impacts, all.gain, all.scaled_back, all.uncertified);
  return all;
}

// One restitution for all contacts. Rebounds are scaled back only where some contact does not approach, which makes
// restitutions unequal; they need not be where that contact rebounds as well. Every problem is certified: contacts that
// joints hold, and contacts that are stuck, have velocities that are nothing but round-off.
static void energy_never_grows(void **state)
{
  (void)state;
  const tally all = collide(10000, 7, &(recipe){1, MOST_OBSTACLES, 1.0, NULL});
  assert_true(all.gain < 1e-12);
  assert_int_equal(all.uncertified, 0);
}

// Unequal restitutions: Poisson's law itself may gain energy (corrections.md 4), which is noticed and taken back.
static void gains_of_unequal_restitutions_are_scaled_back(void **state)
{
  (void)state;
  const tally all = collide(2000, 11, &(recipe){1, MOST_OBSTACLES, 1.0, (double[]){0.0, 0.98}});
  assert_true(all.gain < 1e-12);
  assert_true(all.scaled_back > 0);
  assert_int_equal(all.uncertified, 0);
}

// ---- minimal and redundant coordinates ----

// Smallest eigenvalue of W above a thousandth of its largest diagonal entry? Otherwise impulses, and with Poisson's law
// what comes after them, are as good as not unique.
static bool is_well_conditioned(const ts_block_matrix *W, ts_arena *arena)
{
  const int d = W->block, n = d * W->rows;
  double *dense = ts_arena_zeros(arena, (size_t)(n * n)), largest = 0.0;
  for (int i = 0; i < W->rows; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      for (int c = 0; c < d * d; ++c)
        dense[(d * W->index[k] + c / d) * n + d * i + c % d] = W->value[(size_t)(k * d * d + c)];
  for (int i = 0; i < n; ++i) largest = fmax(largest, dense[i * n + i]);
  for (int i = 0; i < n; ++i) dense[i * n + i] -= 1e-3 * largest;
  return ts_cholesky_factor(n, dense);
}

// False: the solution is not certified, or there may be several.
static bool velocities_after_impact(const world *w, ts_coordinates coordinates, ts_twist *after)
{
  impact_alone alone;
  if (setjmp(alone.recovery)) fail_msg("memory ran out");
  start_impact(&alone, w, coordinates);
  const bool unique = is_well_conditioned(&alone.step.system.problem.W, alone.step.arena);
  bool impact;
  const double *approach = ts_step_approach(&alone.step, 0.0, &impact);
  if (unique && impact) ts_step_impact(&alone.step, approach);
  for (int b = 0; b < ts_model_body_count(w->model); ++b) after[b] = ts_sim_velocity(alone.sim, b);
  const bool certified = alone.sim->report.certified;
  ts_sim_destroy(alone.sim);
  return certified && unique && impact;
}

static double largest_difference(const ts_twist *a, const ts_twist *b, int count)
{
  double apart = 0.0;
  for (int k = 0; k < count; ++k) {
    apart = fmax(apart, ts_distance_of(a[k].linear, b[k].linear));
    apart = fmax(apart, ts_distance_of(a[k].angular, b[k].angular));
  }
  return apart;
}

static void redundant_coordinates_agree(void **state)
{
  enum { TRIES = 1000 };
  const recipe r = {3, 2, 0.5, NULL};
  (void)state;
  ts_random random;
  ts_random_init(&random, 13);
  int compared = 0;
  double worst = 0.0;
  for (int k = 0; k < TRIES; ++k) {
    world w = random_world(&random, &r);
    world_start(&w);
    ts_twist minimal[MOST_BODIES + MOST_OBSTACLES], redundant[MOST_BODIES + MOST_OBSTACLES];
    if (velocities_after_impact(&w, TS_COORDINATES_MINIMAL, minimal) &&
        velocities_after_impact(&w, TS_COORDINATES_REDUNDANT, redundant)) {
      ++compared;
      const double apart = largest_difference(minimal, redundant, ts_model_body_count(w.model));
      worst = fmax(worst, apart);
    }
    world_release(&w);
  }
  print_message("%d impacts compared: velocities at most %.2g apart\n", compared, worst);
  assert_true(compared > 100 && worst < 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(gains_of_unequal_restitutions_are_scaled_back),
      cmocka_unit_test(redundant_coordinates_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
