// The work between events is bounded, whatever contacts do: counted in problems, not in seconds. And a step can be
// interrupted.
#include "effort.h"
#include "mechanism.h"
#include "scene_generator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// What docs/theory/minimal.md states: 4000 problems at once and 400 a millisecond, and where that is not enough 2000,
// 1000, 500, and 250 a millisecond that fixed steps take, with at most 2 x 256 problems of these; a quarter more after
// each millisecond without trouble. The limit may be passed by what a last trial has begun.
static double most_problems(double size)
{
  const double steps = ceil(size / 1e-3);
  return 4000.0 + 3750.0 + (400.0 + 1000.0 + 512.0) * steps + 200.0;
}

static ts_sim *start(const ts_model *model, double size)
{
  ts_sim *sim;
  ts_error error;
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_find("event-driven");
  options.impacts = TS_IMPACT_POISSON;
  options.size = size;
  if (ts_sim_create(model, &options, NULL, &sim, &error) == TS_OK) return sim;
  if (error.status == TS_UNSUPPORTED) return NULL; // massless bodies in a row and their like
  fail_msg("%s", error.text);
  return NULL;
}

// Steps whose work is within the bound, and whose report says what was regularized.
static void check_steps(ts_sim *sim, double size, int steps, double *regularized)
{
  ts_error error;
  for (int k = 0; k < steps; ++k) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_step_report *report = ts_sim_report(sim);
    const int attempts = 2 * report->substeps - 1; // a step that is not certified is taken again in halves
    if (report->problems > attempts * most_problems(size))
      fail_msg("%d problems in the step to %g s", report->problems, ts_sim_time(sim));
    assert_true(report->regularized >= 0.0 && report->regularized <= size * (1.0 + 1e-9));
    assert_true(report->regularized_size <= 1.5 * fmin(size, 1e-3 / 16.0) * (1.0 + 1e-9));
    assert_int_equal(report->regularized > 0.0, report->regularized_size > 0.0);
    *regularized += report->regularized;
  }
}

static void random_scenes_take_bounded_work(void **state)
{
  (void)state;
  const char *asked = getenv("TOUCHSTONE_SCENES");
  const int scenes = asked ? atoi(asked) : effort_share(6, 2);
  double regularized = 0.0;
  for (int k = 0; k < scenes; ++k) {
    scene_recipe recipe = scene_recipe_random((uint64_t)k);
    recipe.penetration = 0.0;
    ts_model *model = scene_generate(&recipe, (uint64_t)k, (scene_variant){ts_quat_identity(), false});
    ts_sim *sim = start(model, 0.01);
    if (sim) check_steps(sim, 0.01, 4, &regularized);
    ts_sim_destroy(sim);
    ts_model_destroy(model);
  }
}

// Four bricks stacked askew topple over each other.
static void build_bricks(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.5, 0.2);
  world_floor(w);
  static const char *const names[] = {"b0", "b1", "b2", "b3"};
  for (int k = 0; k < 4; ++k) {
    ts_body_def def = ts_body_def_default();
    def.name = names[k];
    def.mass = 1.0;
    def.pose = (ts_pose){{0.06 * k, 0.01 * k, 0.06 + 0.13 * k}, ts_quat_exp((ts_vec3){0.05 * k, 0.1, 0.3 * k})};
    world_add_def(w, &def, shape_box(0.2, 0.1, 0.06));
  }
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.size = 0.01;
  world_start(w);
}

static void bricks_topple_in_bounded_work(void **state)
{
  (void)state;
  world w;
  build_bricks(&w);
  double regularized = 0.0, energy = INFINITY;
  for (int k = 0; k < effort_part(25, 2, 2); ++k) {
    check_steps(w.sim, 0.01, 1, &regularized);
    const ts_step_report *report = ts_sim_report(w.sim);
    const double now = report->kinetic_energy + report->potential_energy;
    assert_true(now < energy + 1e-6); // whatever was regularized
    energy = now;
    assert_true(report->penetration < 1e-3);
  }
  world_release(&w);
}

// A ball that bounces more than a hundred times in one step, and comes to rest, is nothing to regularize.
static void many_bounces_are_no_trouble(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.9);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1 + 0.01});
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.size = 2.0;
  world_start(&w);
  world_step(&w); // ends at t1 (1 + e)/(1 - e) = 0.86 s
  assert_true(ts_sim_report(w.sim)->regularized == 0.0);
  assert_true(ts_sim_report(w.sim)->events > 100);
  assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - 0.1) < 1e-12);
  assert_true(fabs(ts_sim_velocity(w.sim, ball).linear.z) < 1e-12);
  world_release(&w);
}

// ---- interrupts ----------------------------------------------------------------------------------------------------

typedef struct countdown {
  int left, asked;
} countdown;

static bool is_over(void *user)
{
  countdown *c = user;
  ++c->asked;
  return --c->left < 0;
}

// Wherever it comes the state is that before the step, and the step that follows is the same as without it.
static void an_interrupted_step_never_was(void **state)
{
  (void)state;
  static const char *const methods[] = {"event-driven", "stewart-trinkle", "velocity"};
  for (int m = 0; m < 3; ++m) {
    world w;
    build_bricks(&w);
    ts_sim_destroy(w.sim);
    w.options.method = ts_stepper_find(methods[m]);
    if (m == 1) w.options.impacts = TS_IMPACT_INELASTIC;
    world_simulate(&w);
    world_steps(&w, 15);
    world_state before, after, again;
    world_save(&w, &before);
    countdown all = {.left = 1 << 30};
    ts_sim_set_interrupt(w.sim, is_over, &all);
    world_step(&w);
    world_save(&w, &after);
    assert_true(all.asked > 0);
    world_load(&w, &before);
    for (int k = 0; k < 5; ++k) {
      countdown c = {.left = all.asked * k / 5};
      ts_error error;
      ts_sim_set_interrupt(w.sim, is_over, &c);
      assert_int_equal(ts_sim_step(w.sim, &error), TS_INTERRUPTED);
      assert_non_null(strstr(error.text, "interrupted"));
      world_save(&w, &again);
      assert_int_equal(again.size, before.size);
      assert_memory_equal(again.numbers, before.numbers, before.size * sizeof before.numbers[0]);
    }
    ts_sim_set_interrupt(w.sim, NULL, NULL);
    world_step(&w);
    world_save(&w, &again);
    assert_memory_equal(again.numbers, after.numbers, after.size * sizeof after.numbers[0]);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_scenes_take_bounded_work),
      cmocka_unit_test(bricks_topple_in_bounded_work),
      cmocka_unit_test(many_bounces_are_no_trouble),
      cmocka_unit_test(an_interrupted_step_never_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
