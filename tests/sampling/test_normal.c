// The normal distribution against quantiles of high precision and against erfc() of the C library.
#include "sampling/normal.h"

#include "sampling/philox.h"

#include "touchstone/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// By Newton's method with 200 bits, of p as the double that it is. Wichura (1988) prints those of 0.25, 0.001 and
// 1e-20.
static void quantiles_are_those_of_the_table(void **state)
{
  (void)state;
  static const double table[][2] = {
      {0.4, -0.2533471031357997413},   {0.25, -0.6744897501960817432},   {0.1, -1.281551565544600435},
      {0.075, -1.439531470938455935},  {0.05, -1.644853626951472688},    {0.025, -1.959963984540054212},
      {0.01, -2.326347874040841093},   {0.005, -2.575829303548900754},   {0.001, -3.090232306167813535},
      {1e-4, -3.719016485455680552},   {1e-6, -4.753424308822898957},    {1e-8, -5.612001244174788728},
      {1e-10, -6.361340902404056199},  {1.3e-11, -6.667611456510740835}, {1e-16, -8.222082216130435615},
      {1e-20, -9.26234008979840758},   {1e-50, -14.93333753478848898},   {1e-100, -21.27345356096532429},
      {1e-200, -30.20559417957964306}, {1e-300, -37.04709629936119924},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    assert_true(fabs(ts_normal_quantile(table[i][0]) / table[i][1] - 1.0) < 1e-15);
  assert_true(ts_normal_quantile(0.5) == 0.0);
  assert_true(ts_normal_quantile(0.75) == -ts_normal_quantile(0.25));
  assert_true(ts_normal_quantile(0.9375) == -ts_normal_quantile(0.0625));
}

static void probabilities_are_those_of_the_table(void **state)
{
  (void)state;
  static const double table[][2] = {
      {0.0, 0.5},
      {-0.5, 0.3085375387259868964},
      {-1.0, 0.1586552539314570514},
      {-1.25, 0.1056497736668552577},
      {-2.0, 0.0227501319481792072},
      {-3.0, 0.001349898031630094527},
      {-5.0, 2.866515718791939117e-7},
      {-8.0, 6.220960574271784124e-16},
      {-10.0, 7.619853024160526066e-24},
      {-20.0, 2.753624118606233695e-89},
      {-37.0, 5.725571222524576823e-300},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    assert_true(fabs(ts_normal_probability(table[i][0]) / table[i][1] - 1.0) < 5e-15);
    assert_true(fabs(ts_normal_probability(-table[i][0]) - (1.0 - table[i][1])) < 5e-16);
  }
  assert_true(ts_normal_probability(-INFINITY) == 0.0 && ts_normal_probability(INFINITY) == 1.0);
}

static void probabilities_are_those_of_the_library(void **state)
{
  (void)state;
  for (uint64_t i = 0; i < 20000; ++i) {
    const double x = -37.0 + 42.0 * ts_philox_uniform(3, 0, i, 0), p = 0.5 * erfc(-x / sqrt(2.0));
    // x / sqrt(2) is rounded: that changes p by x^2 2^-53 of it
    assert_true(fabs(ts_normal_probability(x) - p) < (5e-15 + 3e-16 * x * x) * p);
  }
}

// One step of Newton's method by erfc() changes no quantile by more than erfc() is wrong: p (1e-15 + x^2 3e-16) /
// density.
static void quantiles_invert_the_librarys_probabilities(void **state)
{
  (void)state;
  for (uint64_t i = 0; i < 20000; ++i) {
    const double u = ts_philox_uniform(4, 0, i, 0), p = i % 2 ? 0.5 * u : exp(-300.0 * u) * 0.5;
    const double x = ts_normal_quantile(p), density = exp(-0.5 * x * x) / sqrt(2.0 * TS_PI);
    const double step = (0.5 * erfc(-x / sqrt(2.0)) - p) / density;
    assert_true(fabs(step) < 1e-15 * fabs(x) + p * (1e-15 + 3e-16 * x * x) / density);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_are_those_of_the_table),
      cmocka_unit_test(probabilities_are_those_of_the_table),
      cmocka_unit_test(probabilities_are_those_of_the_library),
      cmocka_unit_test(quantiles_invert_the_librarys_probabilities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
