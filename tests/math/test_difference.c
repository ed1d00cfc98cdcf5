// Derivatives by differences against closed forms, over time scales from seconds to microseconds.
#include "math/difference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// A sine, a cubic, and a constant.
static void waves(void *user, double t, double *values)
{
  const double w = *(const double *)user;
  values[0] = sin(w * t + 0.4);
  values[1] = t * t * t;
  values[2] = 7.0;
}

static void one_wave(void *user, double t, double *values)
{
  values[0] = sin(*(const double *)user * t + 0.4);
}

static void derivatives_are_those_of_closed_forms(void **state)
{
  (void)state;
  for (double w = 0.01; w < 2e5; w *= 10.0)
    for (double t = 0.0; t < 1.0; t += 0.0713) {
      double slope;
      ts_difference(one_wave, &w, t, 1, &slope);
      assert_true(fabs(slope - w * cos(w * t + 0.4)) < 1e-9 * (1.0 + w));
    }
}

static void several_values_go_together(void **state)
{
  (void)state;
  double w = 3.0, slope[3];
  for (double t = -1.0; t < 1.0; t += 0.0713) {
    ts_difference(waves, &w, t, 3, slope);
    assert_true(fabs(slope[0] - w * cos(w * t + 0.4)) < 1e-10);
    assert_true(fabs(slope[1] - 3.0 * t * t) < 1e-10);
    assert_true(fabs(slope[2]) < 1e-10);
  }
}

// What is not a number stays so, or becomes one that is not finite; nothing hangs.
static void broken(void *user, double t, double *values)
{
  (void)user;
  (void)t;
  values[0] = NAN;
}

static void functions_that_are_not_finite_are_not_hidden(void **state)
{
  (void)state;
  double slope = 0.0;
  ts_difference(broken, NULL, 0.0, 1, &slope);
  assert_true(isnan(slope));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_closed_forms),
      cmocka_unit_test(several_values_go_together),
      cmocka_unit_test(functions_that_are_not_finite_are_not_hidden),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
