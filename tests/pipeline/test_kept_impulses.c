// Dominoes that have fallen lie on each other in a way that sweeps do not improve for long: their impulses are kept
// from step to step, certified in each, and what is known of them is saved with the state.
#include "world.h"

#include "step/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

enum { DOMINOES = 20, FLOOR = 1, FALLEN = 900, FUTILE = 16 }; // place of that number in a saved state

static void start_row(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.3, 0.0);
  world_floor(w);
  for (int k = 0; k < DOMINOES; ++k) {
    char name[16];
    snprintf(name, sizeof name, "domino %d", k);
    world_add(w, name, TS_DYNAMIC, 0.01, shape_box(0.008, 0.024, 0.048), (ts_vec3){0.022 * k, 0.0, 0.024});
  }
  world_start(w);
}

static void fell(world *w)
{
  start_row(w);
  world_move(w, FLOOR, (ts_vec3){0.15, 0.0, 0.0}, (ts_vec3){0.0, 6.0, 0.0});
  world_steps(w, FALLEN);
}

// A certified step; counts those whose impulses were kept though they are not to the tolerance.
static void step_and_count(world *w, int *kept)
{
  world_step(w);
  const ts_step_report *report = ts_sim_report(w->sim);
  assert_true(report->contacts > 60);
  *kept += report->iterations == 0 && report->residual > ts_sim_options(w->sim)->tolerance;
  assert_true(report->length_error <= 1e-5 * 0.004); // half the least width
}

// Impulses are kept while the last of the dominoes settle; all of them come to rest, and stay there.
static void kept_impulses_hold(void **state)
{
  (void)state;
  world w;
  fell(&w);
  ts_vec3 at[DOMINOES];
  int kept = 0;
  for (int step = 0; step < 1000 && (step < 100 || world_kinetic(&w) > 1e-14); ++step) step_and_count(&w, &kept);
  assert_true(world_kinetic(&w) <= 1e-14);
  for (int k = 0; k < DOMINOES; ++k) at[k] = ts_sim_pose(w.sim, FLOOR + k).position;
  for (int step = 0; step < 500; ++step) step_and_count(&w, &kept);
  if (kept < 3) fail_msg("impulses that are not to the tolerance were kept in %d steps", kept);
  assert_true(world_kinetic(&w) <= 1e-14);
  for (int k = 0; k < DOMINOES; ++k) assert_true(ts_distance_of(at[k], ts_sim_pose(w.sim, FLOOR + k).position) <= 1e-7);
  world_release(&w);
}

// In time the row comes to the tolerance, stands to round-off, and is hardly swept any more. Impulses are kept until
// their residual passes the tolerance; the sweep that follows may end just above it, within the length.
static void balanced_impulses_last(void **state)
{
  (void)state;
  enum { STEPS = 400 };
  world w;
  fell(&w);
  world_steps(&w, 3000);
  int swept = 0, above = 0;
  for (int step = 0; step < STEPS; ++step) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    const double tolerance = ts_sim_options(w.sim)->tolerance;
    assert_true(report->contacts > 60 && report->residual <= 1.01 * tolerance);
    above += report->residual > tolerance;
    assert_true(world_kinetic(&w) <= 1e-20);
    swept += report->iterations > 0;
  }
  if (above > STEPS / 100) fail_msg("%d of %d steps are above the tolerance", above, STEPS);
  if (swept > STEPS / 10) fail_msg("%d of %d steps were swept", swept, STEPS);
  world_release(&w);
}

// Taken up again where impulses are being kept, all is the same to the last bit; a number that cannot be is refused.
static void what_is_kept_is_saved(void **state)
{
  (void)state;
  world first, second;
  fell(&first);
  start_row(&second);
  for (int k = 0; k < 500 && first.sim->remembered.futile == 0.0; ++k) world_step(&first);
  assert_true(first.sim->remembered.futile > 0.0);
  double *saved;
  size_t size;
  ts_error error;
  assert_int_equal(ts_sim_snapshot(first.sim, &saved, &size, &error), TS_OK);
  assert_true(saved[FUTILE] == first.sim->remembered.futile);
  saved[FUTILE] = -saved[FUTILE];
  assert_int_equal(ts_sim_load(second.sim, saved, size, &error), TS_INVALID);
  saved[FUTILE] = -saved[FUTILE];
  assert_int_equal(ts_sim_load(second.sim, saved, size, &error), TS_OK);
  for (int step = 0; step < 50; ++step) {
    world_step(&first);
    world_step(&second);
    assert_int_equal(ts_sim_report(first.sim)->iterations, ts_sim_report(second.sim)->iterations);
    for (int k = 0; k < DOMINOES; ++k) {
      const ts_pose a = ts_sim_pose(first.sim, FLOOR + k), b = ts_sim_pose(second.sim, FLOOR + k);
      assert_memory_equal(&a, &b, sizeof a);
    }
  }
  free(saved);
  world_release(&first);
  world_release(&second);
}

// A solver that is named runs in every step.
static void named_solvers_are_not_left_out(void **state)
{
  (void)state;
  world w;
  fell(&w);
  w.sim->options.solver = ts_solver_find("nsgs");
  for (int step = 0; step < 20; ++step) {
    ts_error error;
    assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
    assert_true(ts_sim_report(w.sim)->iterations > 0);
  }
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_impulses_hold),
      cmocka_unit_test(balanced_impulses_last),
      cmocka_unit_test(what_is_kept_is_saved),
      cmocka_unit_test(named_solvers_are_not_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
