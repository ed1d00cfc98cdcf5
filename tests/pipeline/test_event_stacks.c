// Boxes on boxes that slide, between events: forces of many contacts jump again whatever the substep, and some substeps
// are taken with eyes shut. Such steps are certified, and lead to where steps that are 500 times shorter lead.
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

enum { BOXES = 3, STACKS = 20, STEPS = 2, SHORT = 500 };
static const double SIZE = 0.01, HALF = 0.1;

// Three boxes in the plane, each somewhat beside the one below, that slide either way. Body 0 is the floor.
static void start_stack(world *w, int seed, const char *method, double size)
{
  static const char *const names[BOXES] = {"a", "b", "c"};
  static ts_vec3 room[BOXES][4];
  ts_random random;
  ts_random_init(&random, (uint64_t)seed);
  world_init(w, TS_SPACE_2D);
  w->options.method = ts_stepper_find(method);
  w->options.size = size;
  w->options.start = TS_START_AS_GIVEN;
  world_friction(w, ts_random_uniform(&random, 0.1, 0.8), 0.0);
  world_floor(w);
  for (int i = 0; i < BOXES; ++i) {
    const double mass = ts_random_uniform(&random, 0.2, 2.0), x = ts_random_uniform(&random, -0.05, 0.05);
    world_add(w, names[i], TS_DYNAMIC, mass, shape_rectangle(room[i], -HALF, -HALF, HALF, HALF),
              (ts_vec3){x, HALF * (2 * i + 1), 0.0});
  }
  world_start(w);
  for (int i = 1; i <= BOXES; ++i)
    world_move(w, i, (ts_vec3){ts_random_uniform(&random, -1.0, 1.0), 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
}

// Places differ by the error of the short steps: 1 m/s over one of them. A blind substep has 1e-5 s at most, and each
// in a row is twice as long as the one before, from 1e-7 s on: a step of nothing else would have 8 and SIZE/1e-5.
static void stacks_slide_on_with_eyes_shut(void **state)
{
  (void)state;
  int certified = 0;
  for (int k = 0; k < STACKS; ++k) {
    world events, fine;
    ts_error error;
    bool all = true;
    start_stack(&events, k, "event-driven", SIZE);
    start_stack(&fine, k, "stewart-trinkle", SIZE / SHORT);
    for (int step = 0; step < STEPS; ++step) {
      if (ts_sim_step(events.sim, &error) != TS_OK) fail_msg("%s", error.text);
      const ts_step_report *report = ts_sim_report(events.sim);
      assert_true(report->fallbacks <= 1008);
      all = all && report->certified;
    }
    for (int step = 0; step < SHORT * STEPS; ++step)
      if (ts_sim_step(fine.sim, &error) != TS_OK) fail_msg("%s", error.text);
    certified += all;
    for (int b = 1; all && b <= BOXES; ++b)
      assert_vec_near(ts_sim_pose(events.sim, b).position, ts_sim_pose(fine.sim, b).position, 2.5 * SIZE / SHORT);
    world_release(&events);
    world_release(&fine);
  }
  assert_true(certified >= STACKS - 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_slide_on_with_eyes_shut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
