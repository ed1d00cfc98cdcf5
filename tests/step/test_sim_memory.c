// Memory of a simulation: none is allocated once it has reached its size, whatever comes and goes; an allocation that
// fails anywhere is reported, leaks nothing, and the simulation goes on from where it was.
#include "effort.h"
#include "counting_allocator.h"
#include "library_calls.h"
#include "scene_generator.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- scenes --------------------------------------------------------------------------------------------------------

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

enum { VARIANTS = 10, FIRST_EVENT_DRIVEN = 8 };

static ts_step_options variant_options(int variant)
{
  ts_step_options options = ts_step_options_default();
  options.method = variant < FIRST_EVENT_DRIVEN ? fixed_stepper(variant % 2) : ts_stepper_find("event-driven");
  options.cone = variant & 2 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
  options.impacts = variant & 1 ? TS_IMPACT_POISSON : TS_IMPACT_INELASTIC;
  options.size = 2e-3;
  options.gyroscopic = TS_GYROSCOPIC_IMPLICIT; // light bodies are spun up by forces
  return options;
}

// Contacts are active, close, open, and chatter so that some are regularized, at little cost.
static const uint64_t event_driven_seeds[VARIANTS - FIRST_EVENT_DRIVEN] = {828, 769};

static ts_model *variant_model(int variant, int bodies)
{
  scene_recipe recipe = scene_recipe_random((uint64_t)variant + 50);
  recipe.space = variant & 4 ? TS_SPACE_2D : TS_SPACE_3D;
  recipe.bodies = bodies;
  recipe.ground = recipe.gravity = recipe.joints = recipe.drives = recipe.springs = recipe.forces = true;
  recipe.obstacles = recipe.anchors = false;
  if (variant >= FIRST_EVENT_DRIVEN) recipe.drives = recipe.springs = false; // stiff ones need very short steps there
  recipe.restitution = 0.5;
  const uint64_t seed =
      variant < FIRST_EVENT_DRIVEN ? (uint64_t)variant + 700 : event_driven_seeds[variant - FIRST_EVENT_DRIVEN];
  return scene_generate(&recipe, seed, (scene_variant){.turn = ts_quat_identity()});
}

static void step_many(ts_sim *sim, int count)
{
  ts_error error;
  for (int k = 0; k < count; ++k) accept(ts_sim_step(sim, &error), &error);
}

// The same stretch of time again and again: contacts come and go, and nothing is allocated from the second time on.
static void a_warm_simulation_allocates_nothing(void **state)
{
  (void)state;
  if (!LIBRARY_CALLS_ARE_COUNTED) print_message("calls of the library's allocator are not counted in this build\n");
  for (int variant = 0; variant < VARIANTS; ++variant) {
    allocation_count l = UNLIMITED_ALLOCATIONS;
    const ts_allocator allocator = counting_allocator(&l);
    const ts_step_options options = variant_options(variant);
    ts_model *model = variant_model(variant, 8);
    ts_error error;
    ts_sim *sim;
    accept(ts_sim_create(model, &options, &allocator, &sim, &error), &error);
    const size_t size = ts_sim_state_size(sim);
    double *start = calloc(size, sizeof *start);
    assert_non_null(start);
    assert_int_equal(ts_sim_save(sim, start, size, NULL), TS_OK);
    int least = 1 << 30, most = 0;
    for (int round = 0; round < 4; ++round) {
      accept(ts_sim_load(sim, start, size, &error), &error);
      const int own = l.calls, library = library_calls;
      int growths_before, growths;
      ts_sim_memory(sim, &growths_before);
      for (int k = 0; k < effort_part(60, 3, 4); ++k) {
        step_many(sim, 1);
        const int contacts = ts_sim_report(sim)->contacts;
        least = contacts < least ? contacts : least;
        most = contacts > most ? contacts : most;
      }
      ts_sim_memory(sim, &growths);
      // Two arenas take turns: each needs to have seen the longest step, and is put into one piece when it is emptied.
      if (round >= 2 && (l.calls != own || library_calls != library || growths != growths_before))
        fail_msg("variant %d, round %d: %d calls of the allocator, %d of the library's", variant, round, l.calls - own,
                 library_calls - library);
    }
    assert_true(most > least);
    free(start);
    ts_sim_destroy(sim);
    ts_model_destroy(model);
    assert_int_equal(l.held, 0);
  }
}

// ---- failures ------------------------------------------------------------------------------------------------------

// The state after some steps, when allocation number `budget` fails and the step is tried again with memory at hand.
static bool run_with_failure(const ts_model *model, const ts_step_options *options, int budget, const double *expected,
                             size_t expected_size)
{
  enum { STEPS = 3 };
  allocation_count l = {.budget = budget};
  const ts_allocator allocator = counting_allocator(&l);
  ts_error error = {.status = TS_OK};
  ts_sim *sim;
  ts_status status = ts_sim_create(model, options, &allocator, &sim, &error);
  bool failed = status != TS_OK;
  if (failed) {
    assert_int_equal(status, TS_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "memory ran out"));
    assert_null(sim);
    assert_int_equal(l.held, 0);
    return true;
  }
  for (int k = 0; k < STEPS; ++k) {
    const double t = ts_sim_time(sim);
    status = ts_sim_step(sim, &error);
    if (status == TS_OK) continue;
    failed = true;
    assert_int_equal(status, TS_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "memory ran out"));
    assert_true(ts_sim_time(sim) == t);
    int count;
    ts_sim_contacts(sim, &count);
    assert_int_equal(count, 0);
    l.budget = 1 << 30;
    accept(ts_sim_step(sim, &error), &error);
  }
  double *reached = calloc(ts_sim_state_size(sim), sizeof *reached);
  assert_non_null(reached);
  assert_int_equal(ts_sim_state_size(sim), expected_size);
  assert_int_equal(ts_sim_save(sim, reached, expected_size, NULL), TS_OK);
  assert_memory_equal(reached, expected, expected_size * sizeof *reached);
  free(reached);
  ts_sim_destroy(sim);
  assert_int_equal(l.held, 0);
  return failed;
}

static void every_failed_allocation_is_survived(void **state)
{
  (void)state;
  for (int variant = 0; variant < VARIANTS; ++variant) {
    const ts_step_options options = variant_options(variant);
    ts_model *model = variant_model(variant, 5);
    ts_error error;
    ts_sim *sim;
    accept(ts_sim_create(model, &options, NULL, &sim, &error), &error);
    step_many(sim, 3);
    const size_t size = ts_sim_state_size(sim);
    double *expected = calloc(size, sizeof *expected);
    assert_non_null(expected);
    assert_int_equal(ts_sim_save(sim, expected, size, NULL), TS_OK);
    ts_sim_destroy(sim);
    int failures = 0;
    while (run_with_failure(model, &options, failures, expected, size)) ++failures;
    assert_true(failures > 5);
    free(expected);
    ts_model_destroy(model);
  }
}

// Finding contacts and loading a state survive as well.
static void other_calls_survive_too(void **state)
{
  (void)state;
  ts_model *model = variant_model(0, 5);
  const ts_step_options options = variant_options(0);
  for (int budget = 0; budget < 40; ++budget) {
    allocation_count l = UNLIMITED_ALLOCATIONS;
    const ts_allocator allocator = counting_allocator(&l);
    ts_error error;
    ts_sim *sim;
    accept(ts_sim_create(model, &options, &allocator, &sim, &error), &error);
    l.budget = budget;
    const ts_status status = ts_sim_find_contacts(sim, &error);
    assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
    int count;
    const ts_contact *contacts = ts_sim_contacts(sim, &count);
    for (int i = 0; i < count; ++i) assert_true(isfinite(contacts[i].gap));
    const size_t size = ts_sim_state_size(sim);
    double *saved = calloc(size, sizeof *saved);
    assert_non_null(saved);
    assert_int_equal(ts_sim_save(sim, saved, size, NULL), TS_OK);
    const ts_status loaded = ts_sim_load(sim, saved, size, &error);
    assert_true(loaded == TS_OK || loaded == TS_OUT_OF_MEMORY);
    l.budget = 1 << 30;
    step_many(sim, 2);
    free(saved);
    ts_sim_destroy(sim);
    assert_int_equal(l.held, 0);
  }
  ts_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warm_simulation_allocates_nothing),
      cmocka_unit_test(every_failed_allocation_is_survived),
      cmocka_unit_test(other_calls_survive_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
