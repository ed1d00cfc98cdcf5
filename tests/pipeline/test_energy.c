// Energy over whole runs: works add up to its change in every step, contacts and friction only take, and what the
// method adds stays below a thousandth of the energy, or steps are not certified. Tops, gyroscopes, chains and free
// trees at random, and scenes of the generator. The environment makes them more and longer: TOUCHSTONE_MECHANISMS and
// TOUCHSTONE_SECONDS, TOUCHSTONE_ENERGY_SCENES and TOUCHSTONE_SCENE_SECONDS; TOUCHSTONE_FIRST leaves out as many before
// them, TOUCHSTONE_VARIANT takes one of the methods and coordinates alone, TOUCHSTONE_EVENT_SHARE says how many runs,
// and how much of their time, are event-driven.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "effort.h"
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
  double energy;     // at the last step
  double largest;    // kinetic energy
  double added;      // by integration and stabilization, since the start or the last step that is not certified
  double most_added; // of that, the largest
  double integrated; // by integration, since the start
  double repaired;   // by stabilization
  double taken;      // by contacts and damping
  long steps, uncertified, cut;
  bool gives; // a work that may only take has given, or works do not add up: said at once
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

static void check_works(run *all, const ts_sim *sim, double energy, const char *what)
{
  const ts_step_report *r = ts_sim_report(sim);
  const double open = energy - all->energy - sum_of_works(r);
  const double size = fabs(energy) + fabs(all->energy) + r->kinetic_energy + fabs(r->integration_work) +
                      fabs(r->contact_work) + fabs(r->drive_work) + fabs(r->stabilization_work);
  const double round_off = r->certified ? 1e-12 : 1e-6; // of an explosion that was taken back, too
  const bool adds_up = fabs(open) <= round_off * size;
  const bool takes = r->contact_work <= 1e-12 * size && r->damping_work <= 1e-12 * size;
  if (adds_up && takes) return;
  all->gives = true;
  print_message("%s at %g s: works miss %g J of %g J, contacts give %g J, damping %g J\n", what, ts_sim_time(sim), open,
                size, r->contact_work, r->damping_work);
}

static void look(run *all, const ts_sim *sim, const char *what)
{
  const ts_step_report *r = ts_sim_report(sim);
  const double energy = r->kinetic_energy + r->potential_energy;
  if (!all->gives) check_works(all, sim, energy, what);
  all->energy = energy;
  all->largest = fmax(all->largest, r->kinetic_energy);
  all->added = r->certified ? all->added + r->integration_work + r->stabilization_work : 0.0;
  all->most_added = fmax(all->most_added, all->added);
  all->integrated += r->integration_work;
  all->repaired += r->stabilization_work;
  all->taken -= r->contact_work + r->damping_work;
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

// ---- many runs -----------------------------------------------------------------------------------------------------

typedef struct variant {
  const char *method;
  ts_coordinates coordinates;
} variant;

static const variant variants[] = {{"stewart-trinkle", TS_COORDINATES_REDUNDANT},
                                   {"stewart-trinkle", TS_COORDINATES_MINIMAL},
                                   {"velocity", TS_COORDINATES_REDUNDANT},
                                   {"velocity", TS_COORDINATES_MINIMAL},
                                   {"event-driven", TS_COORDINATES_MINIMAL}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool is_wanted(int k)
{
  const int wanted = (int)number_of("TOUCHSTONE_VARIANT", -1.0);
  return wanted < 0 || wanted == k;
}

// Of the runs and of the time: event-driven steps cost more.
static double share_of(const variant *v)
{
  return strcmp(v->method, "event-driven") == 0 ? number_of("TOUCHSTONE_EVENT_SHARE", 0.1) : 1.0;
}

static uint64_t first_seed(void)
{
  return (uint64_t)number_of("TOUCHSTONE_FIRST", 0.0);
}

static void set_variant(const variant *v, ts_step_options *options)
{
  options->method = ts_stepper_find(v->method);
  options->coordinates = v->coordinates;
}

typedef struct sweep {
  double worst, worst_repairs; // shares that were added while steps were certified; by stabilization in whole runs
  int runs, uncertified_runs, wrong;
  long steps, cut, uncertified;
} sweep;

// The energy of a run is the largest kinetic one and what was lost on the way.
static void count_run(const run *one, const char *what, sweep *all)
{
  const double scale = one->largest + one->taken;
  const double share = one->most_added / scale;
  const bool wrong = one->gives || share > 1e-3;
  ++all->runs;
  all->steps += one->steps;
  all->cut += one->cut;
  all->uncertified += one->uncertified;
  all->uncertified_runs += one->uncertified > 0;
  all->worst = fmax(all->worst, share);
  all->worst_repairs = fmax(all->worst_repairs, one->repaired / scale);
  all->wrong += wrong;
  if (wrong)
    print_message("%s: %.3g of %.3g J added in certified steps (in all: integration %.3g J, stabilization %.3g J), "
                  "%ld of %ld steps not certified\n",
                  what, share, scale, one->integrated, one->repaired, one->uncertified, one->steps);
}

static void conclude(const sweep *all, const variant *v, const char *what)
{
  if (all->runs == 0) return;
  print_message(
      "%s, %s coordinates, %s: %d runs, %ld steps, %.3g %% cut, %.3g %% (%ld in %d runs) not certified; added "
      "up to %.2g, by repairs %.2g; %d wrong\n",
      v->method, v->coordinates == TS_COORDINATES_MINIMAL ? "minimal" : "redundant", what, all->runs, all->steps,
      100.0 * (double)all->cut / (double)all->steps, 100.0 * (double)all->uncertified / (double)all->steps,
      all->uncertified, all->uncertified_runs, all->worst, all->worst_repairs, all->wrong);
  fflush(stdout);
}

// ---- mechanisms in motion ------------------------------------------------------------------------------------------

static void run_mechanism(spinning_kind kind, const variant *v, uint64_t seed, double duration, sweep *all)
{
  world w;
  spinning_build(&w, kind, seed);
  set_variant(v, &w.options);
  spinning_start(&w, seed, 5.0, 100.0);
  char what[96];
  snprintf(what, sizeof what, "%s %d, %s, coordinates %d", spinning_names[kind], (int)seed, v->method, v->coordinates);
  const run one = run_for(w.sim, duration, what);
  count_run(&one, what, all);
  world_release(&w);
}

static void mechanisms_gain_nothing(void **state)
{
  (void)state;
  const double count = number_of("TOUCHSTONE_MECHANISMS", effort_part(10, 2, 5)),
               duration = number_of("TOUCHSTONE_SECONDS", 0.4);
  int wrong = 0;
  for (int k = 0; k < VARIANTS; ++k)
    for (int kind = 0; kind < SPINNING_KINDS && is_wanted(k); ++kind) {
      const double share = share_of(&variants[k]);
      sweep all = {0};
      for (int i = 0; i < ceil(share * count); ++i)
        run_mechanism((spinning_kind)kind, &variants[k], first_seed() + (uint64_t)i, share * duration, &all);
      conclude(&all, &variants[k], spinning_names[kind]);
      wrong += all.wrong;
    }
  assert_int_equal(wrong, 0);
}

// ---- scenes of the generator ---------------------------------------------------------------------------------------

static void run_scene(const scene_recipe *recipe, uint64_t seed, const variant *v, double duration, sweep *all)
{
  ts_step_options options = ts_step_options_default();
  ts_error error;
  ts_sim *sim;
  set_variant(v, &options);
  ts_model *model = scene_generate(recipe, seed, (scene_variant){.turn = ts_quat_identity()});
  if (ts_sim_create(model, &options, NULL, &sim, &error) != TS_OK) fail_msg("%s", error.text);
  char what[320], scene[192];
  scene_recipe_describe(recipe, scene, sizeof scene);
  snprintf(what, sizeof what, "scene %d (%s), %s, coordinates %d", (int)seed, scene, v->method, v->coordinates);
  const run one = run_for(sim, duration, what);
  count_run(&one, what, all);
  ts_sim_destroy(sim);
  ts_model_destroy(model);
}

// Nothing bounces, nothing overlaps at the start, no motor works.
static scene_recipe recipe_without_drives(uint64_t seed)
{
  scene_recipe recipe = scene_recipe_random(seed);
  recipe.restitution = recipe.penetration = 0.0;
  recipe.uneven = recipe.drives = false;
  return recipe;
}

// With and without what moves as it is told and forces.
static void scenes_gain_nothing(void **state)
{
  (void)state;
  static const char *const names[] = {"scenes", "scenes with obstacles or forces"};
  const double count = number_of("TOUCHSTONE_ENERGY_SCENES", effort_part(40, 3, 5));
  const double duration = number_of("TOUCHSTONE_SCENE_SECONDS", 0.05);
  int wrong = 0;
  for (int k = 0; k < VARIANTS; ++k) {
    const double share = share_of(&variants[k]);
    sweep all[2] = {0};
    for (int i = 0; i < ceil(share * count) && is_wanted(k); ++i) {
      const uint64_t seed = 900000 + first_seed() + (uint64_t)i;
      const scene_recipe recipe = recipe_without_drives(seed);
      run_scene(&recipe, seed, &variants[k], share * duration, &all[recipe.obstacles || recipe.forces]);
    }
    for (int j = 0; j < 2; ++j) {
      conclude(&all[j], &variants[k], names[j]);
      wrong += all[j].wrong;
    }
  }
  assert_int_equal(wrong, 0);
}

// Gears, bushings and impulses, of seeds of their own. What moves as it is told is a drive, for which no gain is
// measured: through joints it would be one here.
static void scenes_with_couplings_gain_nothing(void **state)
{
  (void)state;
  const double count = number_of("TOUCHSTONE_ENERGY_SCENES", effort_part(20, 3, 5));
  const double duration = number_of("TOUCHSTONE_SCENE_SECONDS", 0.05);
  int wrong = 0;
  for (int k = 0; k < VARIANTS; ++k) {
    const double share = share_of(&variants[k]);
    sweep all = {0};
    for (int i = 0; i < ceil(share * count) && is_wanted(k); ++i) {
      const uint64_t seed = 950000 + first_seed() + (uint64_t)i;
      scene_recipe recipe = recipe_without_drives(seed);
      recipe.couplings = recipe.joints = true;
      recipe.obstacles = false;
      run_scene(&recipe, seed, &variants[k], share * duration, &all);
    }
    conclude(&all, &variants[k], "scenes with couplings");
    wrong += all.wrong;
  }
  assert_int_equal(wrong, 0);
}

// Bodies on joints that a force spins ever faster, until impacts take 100 J a step: 1 % of that was forgiven.
static void impacts_of_what_a_force_spins_gain_nothing(void **state)
{
  (void)state;
  const uint64_t seed = 900070;
  const scene_recipe recipe = recipe_without_drives(seed);
  sweep all = {0};
  run_scene(&recipe, seed, &variants[0], 8.5, &all);
  conclude(&all, &variants[0], "what a force spins");
  assert_int_equal(all.wrong, 0);
}

// Works between events are extrapolated: contacts gave 1.7e-8 J of 113 J in a step.
static void contacts_take_between_events(void **state)
{
  (void)state;
  const uint64_t seed = 900001;
  const scene_recipe recipe = recipe_without_drives(seed);
  sweep all = {0};
  run_scene(&recipe, seed, &variants[VARIANTS - 1], 0.4, &all);
  assert_int_equal(all.wrong, 0);
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
      cmocka_unit_test(scenes_with_couplings_gain_nothing),
      cmocka_unit_test(impacts_of_what_a_force_spins_gain_nothing),
      cmocka_unit_test(contacts_take_between_events),
      cmocka_unit_test(a_heavy_top_keeps_its_energy_in_redundant_coordinates),
      cmocka_unit_test(sliding_cubes_keep_their_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
