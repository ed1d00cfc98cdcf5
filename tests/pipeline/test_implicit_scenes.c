// Scenes of many patches with the implicit stepper: twenty bodies of ten shapes in a bin, a linkage with a contact on
// its coupler and a gripper. Steps are certified, nothing overlaps, and few steps need another way than the reduced
// problem at a guess.
#include "scene_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef struct tally {
  int steps, cut;
  double deepest; // [m]
} tally;

// Every step has to be certified.
static tally run(const char *path, const char *const *overrides, int count, double until)
{
  tally all = {0};
  scene_run r = scene_run_start(path, overrides, count);
  while (ts_sim_time(r.sim) < until - 1e-9) {
    ts_error error;
    assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
    const ts_step_report *report = ts_sim_report(r.sim);
    assert_true(report->certified);
    ++all.steps;
    all.cut += report->substeps > 1;
    all.deepest = fmax(all.deepest, report->penetration);
  }
  scene_run_end(&r);
  print_message("%s: %d steps, %d cut, overlap %g m\n", path, all.steps, all.cut, all.deepest);
  return all;
}

// Until most of them lie; the whole run is in the example.
static void twenty_bodies_fall_into_a_bin(void **state)
{
  (void)state;
  const tally all = run(EXAMPLES "/line_and_surface_contact/twenty_in_a_bin.yaml", NULL, 0, 0.7);
  assert_true(1000 * all.cut <= 3 * all.steps);
  assert_true(all.deepest <= 1e-8 * 0.1); // of the size of bodies
}

static void mechanisms_take_no_other_way(void **state)
{
  (void)state;
  const char *const four_bar[] = {"step.method=implicit", "step.coordinates=redundant", "step.impacts=inelastic"};
  const char *const gripper[] = {"step.method=implicit", "step.coordinates=redundant",
                                 "contact.ellipsoid=[1, 1, 0.02]"};
  const tally linkage = run(EXAMPLES "/four_bar/four_bar.yaml", four_bar, 3, 2.0);
  assert_int_equal(linkage.cut, 0);
  assert_true(linkage.deepest <= 1e-9);
  const tally hand = run(EXAMPLES "/gripper/gripper.yaml", gripper, 3, 2.0);
  assert_int_equal(hand.cut, 0);
  assert_true(hand.deepest <= 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(twenty_bodies_fall_into_a_bin),
                                     cmocka_unit_test(mechanisms_take_no_other_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
