// Nearly flat sides in the steppers that take the geometry of the end of the step: guesses turn the bodies, and the
// nearest point goes along. The points that serve other steppers after a turn (shape/turned_points.h) have no part.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"
#include "scene_run.h"

// Steps that were not certified, and the most iterations of a step.
typedef struct effort_of_run {
  int uncertified, iterations;
} effort_of_run;

// A superellipse falls by little onto its flat side, and lies there.
static effort_of_run drop(double exponent, double size)
{
  char text[600];
  snprintf(text, sizeof text,
           "touchstone: 1\n"
           "space: 2d\n"
           "contact: {friction: 0.5}\n"
           "bodies:\n"
           "- {name: g, kind: fixed, shape: {plane: {normal: [0, 1]}}}\n"
           "- {name: b, mass: 3.6, shape: {superellipse: {semi_axes: [0.1211, 0.0922], exponents: [%g, %g]}}, "
           "position: [0, 0.157], angle: 0.05}\n"
           "step: {size: %g, method: implicit}\n"
           "duration: 2\n",
           exponent, exponent, size);
  scene_run run = scene_run_text(text);
  effort_of_run all = {0};
  while (ts_sim_time(run.sim) < 2.0) {
    ts_error error;
    if (ts_sim_step(run.sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_step_report *report = ts_sim_report(run.sim);
    all.uncertified += !report->certified;
    all.iterations = report->iterations > all.iterations ? report->iterations : all.iterations;
  }
  const ts_vec3 end = scene_run_position(&run, "b");
  assert_near(end.y, 0.0922, 1e-6);
  scene_run_end(&run);
  return all;
}

static void a_superellipse_that_lies_still_takes_few_iterations(void **state)
{
  (void)state;
  static const double exponents[] = {6.0, 20.0, 100.0};
  for (int k = 0; k < 3; ++k) {
    const effort_of_run all = drop(exponents[k], 1.12e-3);
    print_message("exponent %g: at most %d iterations a step\n", exponents[k], all.iterations);
    assert_int_equal(all.uncertified, 0);
    assert_true(all.iterations < 200);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_superellipse_that_lies_still_takes_few_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
