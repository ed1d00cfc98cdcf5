// Energy over whole runs: works add up to its change in every step, contacts and friction only take, and what the
// method adds stays below a thousandth of the kinetic energy, or steps are not certified. Tops, gyroscopes, chains and
// free trees at random, and scenes of the generator. TOUCHSTONE_MECHANISMS, TOUCHSTONE_SECONDS and
// TOUCHSTONE_SCENE_SECONDS make them more and longer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"
#include "scene_generator.h"
#include "spinning.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static double number_of(const char *name, double otherwise)
{
  const char *text = getenv(name);
  return text ? atof(text) : otherwise;
}

// ---- a run ---------------------------------------------------------------------------------------------------------

typedef struct run {
  double energy, largest; // at the last step; largest kinetic energy
  double added;           // by integration, since the start
  double most_added;
  double repaired; // by stabilization
  long steps, uncertified, cut;
} run;

static run begin(const ts_sim *sim)
{
  const ts_step_report *r = ts_sim_report(sim);
  return (run){.energy = r->kinetic_energy + r->potential_energy, .largest = r->kinetic_energy};
}

static double sum_of_works(const ts_step_report *r)
{
  return r->contact_work + r->damping_work + r->drive_work + r->applied_work + r->stabilization_work +
         r->correction_work + r->stagger_work + r->integration_work;
}

static void look(run *all, const ts_sim *sim, const char *what)
{
  const ts_step_report *r = ts_sim_report(sim);
  const double energy = r->kinetic_energy + r->potential_energy, open = energy - all->energy - sum_of_works(r);
  const double size = fabs(energy) + fabs(all->energy) + r->kinetic_energy + fabs(r->integration_work) +
                      fabs(r->contact_work) + fabs(r->drive_work) + fabs(r->stabilization_work);
  const double round_off = r->certified ? 1e-12 : 1e-6; // of an explosion that was taken back, too
  if (!(fabs(open) <= round_off * size))
    fail_msg("%s at %g s: works miss %g J of %g J", what, ts_sim_time(sim), open, size);
  if (r->contact_work > 1e-12 * size || r->damping_work > 1e-12 * size)
    fail_msg("%s at %g s: contacts give %g J, damping %g J", what, ts_sim_time(sim), r->contact_work, r->damping_work);
  all->energy = energy;
  all->largest = fmax(all->largest, r->kinetic_energy);
  all->added += r->integration_work;
  all->repaired += r->stabilization_work;
  all->most_added = fmax(all->most_added, all->added);
  ++all->steps;
  all->uncertified += !r->certified;
  all->cut += r->substeps > 1;
}

// From the end of the first step, for a report knows nothing of velocities that were set.
static run run_for(ts_sim *sim, double duration, const char *what)
{
  ts_error error;
  if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s: %s", what, error.text);
  run all = begin(sim);
  while (ts_sim_time(sim) < duration) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s: %s", what, error.text);
    look(&all, sim, what);
  }
  return all;
}

// ---- mechanisms in motion ------------------------------------------------------------------------------------------

typedef struct variant {
  const char *method;
  ts_coordinates coordinates;
  double share; // of the runs and of the time: event-driven steps cost more
} variant;

static const variant variants[] = {{"stewart-trinkle", TS_COORDINATES_REDUNDANT, 1.0},
                                   {"stewart-trinkle", TS_COORDINATES_MINIMAL, 1.0},
                                   {"velocity", TS_COORDINATES_REDUNDANT, 1.0},
                                   {"velocity", TS_COORDINATES_MINIMAL, 1.0},
                                   {"event-driven", TS_COORDINATES_MINIMAL, 0.1}};

typedef struct sweep {
  double worst; // share that was added where all steps are certified
  int runs, uncertified_runs;
  long steps, cut, uncertified;
} sweep;

static void run_one(spinning_kind kind, const variant *v, uint64_t seed, double duration, sweep *all)
{
  world w;
  spinning_build(&w, kind, seed);
  w.options.method = ts_stepper_find(v->method);
  w.options.coordinates = v->coordinates;
  spinning_start(&w, seed, 5.0, 100.0);
  char what[96];
  snprintf(what, sizeof what, "%s %d, %s, coordinates %d", spinning_names[kind], (int)seed, v->method, v->coordinates);
  const run one = run_for(w.sim, v->share * duration, what);
  const double share = (one.most_added + one.repaired) / one.largest;
  ++all->runs;
  all->steps += one.steps;
  all->cut += one.cut;
  all->uncertified += one.uncertified;
  all->uncertified_runs += one.uncertified > 0;
  if (one.uncertified == 0) all->worst = fmax(all->worst, share);
  if (share > 1e-3 && one.uncertified == 0) fail_msg("%s: %g of the energy added, all steps certified", what, share);
  world_release(&w);
}

static void mechanisms_gain_nothing(void **state)
{
  (void)state;
  const double count = number_of("TOUCHSTONE_MECHANISMS", 10.0), duration = number_of("TOUCHSTONE_SECONDS", 0.4);
  for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k)
    for (int kind = 0; kind < SPINNING_KINDS; ++kind) {
      sweep all = {0};
      for (int seed = 0; seed < fmax(1.0, variants[k].share * count); ++seed)
        run_one((spinning_kind)kind, &variants[k], (uint64_t)seed, duration, &all);
      print_message(
          "%s, %s coordinates, %s: %d runs, %ld steps, %.3g %% cut, %ld not certified in %d runs; added up to "
          "%.2g\n",
          variants[k].method, variants[k].coordinates == TS_COORDINATES_MINIMAL ? "minimal" : "redundant",
          spinning_names[kind], all.runs, all.steps, 100.0 * (double)all.cut / (double)all.steps, all.uncertified,
          all.uncertified_runs, all.worst);
    }
}

// ---- scenes of the generator ---------------------------------------------------------------------------------------

static void scenes_gain_nothing(void **state)
{
  (void)state;
  const int count = (int)number_of("TOUCHSTONE_MECHANISMS", 10.0) * 4;
  const double duration = number_of("TOUCHSTONE_SCENE_SECONDS", 0.05);
  int quiet = 0, repaired = 0, uncertified = 0, runs = 0;
  for (int k = 0; k < count; ++k) {
    const uint64_t seed = 900000 + (uint64_t)k;
    scene_recipe recipe = scene_recipe_random(seed);
    recipe.restitution = 0.0;
    recipe.uneven = recipe.drives = recipe.obstacles = recipe.forces = false;
    for (size_t v = 0; v < 4; ++v) {
      ts_step_options options = ts_step_options_default();
      ts_error error;
      ts_sim *sim;
      options.method = ts_stepper_find(variants[v].method);
      options.coordinates = variants[v].coordinates;
      ts_model *model = scene_generate(&recipe, seed, (scene_variant){.turn = ts_quat_identity()});
      if (ts_sim_create(model, &options, NULL, &sim, &error) != TS_OK) fail_msg("%s", error.text);
      char what[64];
      snprintf(what, sizeof what, "scene %d, variant %d", (int)seed, (int)v);
      const run one = run_for(sim, duration, what);
      ++runs;
      uncertified += one.uncertified > 0;
      repaired += one.repaired > 1e-3 * one.largest;
      quiet += one.uncertified == 0 && one.most_added <= 1e-3 * one.largest;
      ts_model_destroy(model);
    }
  }
  print_message("%d runs of scenes: %d have steps that are not certified, %d are certified and integration adds less "
                "than 1e-3, repairs add more in %d\n",
                runs, uncertified, quiet, repaired);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

// 0.5 kg on a spherical joint, spinning at 150 rad/s along its axis, which leans by 0.5 rad.
static double top_departure(double h, const char *method)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(method);
  w.options.size = h;
  ts_body_def def = ts_body_def_default();
  const double inertia[6] = {0.002, 0.002, 0.0008, 0.0, 0.0, 0.0};
  def.name = "top";
  def.mass = 0.5;
  memcpy(def.inertia, inertia, sizeof inertia);
  def.pose = (ts_pose){{0.0479, 0.0, 0.0878}, {cos(0.25), 0.0, sin(0.25), 0.0}};
  def.velocity.angular = (ts_vec3){71.9, 0.0, 131.6};
  ts_error error;
  int body;
  if (ts_builder_add_body(w.builder, &def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_joint_def joint = mechanism_joint(TS_JOINT_SPHERICAL, TS_WORLD, body, NONE, (ts_vec3){0.0, 0.0, 1.0});
  mechanism_add(&w, &joint);
  world_start(&w);
  const double start = begin(w.sim).energy;
  double worst = 0.0;
  while (ts_sim_time(w.sim) < 10.0) {
    world_step(&w); // certified
    const ts_step_report *r = ts_sim_report(w.sim);
    worst = fmax(worst, fabs(r->kinetic_energy + r->potential_energy - start));
  }
  world_release(&w);
  return worst;
}

// The energy is a constant of the motion: 9.43 J became 208 J.
static void a_heavy_top_keeps_its_energy_in_redundant_coordinates(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int m = 0; m < 2; ++m) {
    const double coarse = top_departure(1e-3, methods[m]), fine = top_departure(5e-4, methods[m]);
    print_message("%s: energy of the top departs by %.3g J at 1 ms, %.3g J at 0.5 ms\n", methods[m], coarse, fine);
    assert_true(coarse < 1e-3 * 9.43 && fine < 0.6 * coarse);
  }
}

// Two cubes that slide over each other and turn at 100 rad/s, nothing else: 17.3 J became 21 J at 2 ms, 8e6 J at 8 ms.
static void sliding_cubes_keep_their_energy(void **state)
{
  (void)state;
  static const double sizes[] = {2e-3, 8e-3};
  for (int k = 0; k < 2; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.coordinates = TS_COORDINATES_MINIMAL;
    w.options.size = sizes[k];
    ts_builder_set_gravity(w.builder, NONE);
    const ts_vec3 moments = {1.0 / 600.0, 1.0 / 600.0, 1.0 / 600.0};
    const int a = mechanism_body(&w, "a", 1.0, moments, NONE);
    const int b = mechanism_body(&w, "b", 1.0, moments, (ts_vec3){0.1, 0.0, 0.0});
    const ts_joint_def joint = mechanism_joint(TS_JOINT_PLANAR, a, b, NONE, (ts_vec3){0.0, 0.0, 1.0});
    mechanism_add(&w, &joint);
    world_start(&w);
    const ts_vec3 spin = {100.0, 3.0, 1.0};
    world_move(&w, a, NONE, spin);
    world_move(&w, b, (ts_vec3){1.0, 0.5, 0.0}, spin);
    world_step(&w);
    const double start = begin(w.sim).energy;
    while (ts_sim_time(w.sim) < 10.0) world_step(&w);
    assert_near(begin(w.sim).energy, start, 1e-3 * start);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mechanisms_gain_nothing),
      cmocka_unit_test(scenes_gain_nothing),
      cmocka_unit_test(a_heavy_top_keeps_its_energy_in_redundant_coordinates),
      cmocka_unit_test(sliding_cubes_keep_their_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
