// The Fischer-Burmeister rows: values against long double, zeros against the definition of an MCP, derivatives against
// central differences in every bound case, and the rule at kinks against the limits it is defined by.
#include "complementarity/newton/fischer_burmeister.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct box {
  double lower, upper;
} box;

static const box boxes[] = {{0.0, INFINITY},       {-1.5, INFINITY}, {-INFINITY, 2.0},
                            {-INFINITY, INFINITY}, {-1.0, 2.0},      {0.0, 1e-3}};
enum { BOXES = sizeof boxes / sizeof boxes[0] };

static void values_keep_their_digits(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int trial = 0; trial < 20000; ++trial) {
    const double a = ts_random_normal(&random) * pow(10.0, ts_random_uniform(&random, -8.0, 8.0));
    const double b = ts_random_normal(&random) * pow(10.0, ts_random_uniform(&random, -8.0, 8.0));
    // In long double the conjugate form is accurate where a + b > 0, the printed one elsewhere.
    const long double norm = hypotl(a, b), sum = (long double)a + b;
    const long double exact = sum > 0 ? -2.0L * a * b / (norm + sum) : norm - sum;
    assert_true(fabsl(ts_fischer_burmeister(a, b) - exact) <= 4e-16L * fabsl(exact) + 2e-16L * fabsl(sum) * (sum <= 0));
  }
  assert_true(ts_fischer_burmeister(0.0, 3.0) == 0.0);
  assert_true(ts_fischer_burmeister(1e-10, 1.0) != 0.0);
  assert_true(ts_fischer_burmeister(1e200, 1e200) < 0.0); // no overflow on the way
  assert_true(isfinite(ts_fischer_burmeister(-1e200, 1e200)));
}

// Zero exactly where z and F are complementary in the box, of either sign elsewhere.
static void rows_vanish_at_solutions_only(void **state)
{
  (void)state;
  for (int k = 0; k < BOXES; ++k) {
    const double l = boxes[k].lower, u = boxes[k].upper;
    const double inside = isfinite(l) ? isfinite(u) ? 0.5 * (l + u) : l + 0.7 : isfinite(u) ? u - 0.7 : 0.3;
    assert_true(ts_fischer_burmeister_row(inside, 0.0, l, u, 1.0).value == 0.0);
    assert_true(fabs(ts_fischer_burmeister_row(inside, 0.5, l, u, 1.0).value) > 1e-5);
    assert_true(fabs(ts_fischer_burmeister_row(inside, -0.5, l, u, 1.0).value) > 1e-5);
    if (isfinite(l)) {
      assert_true(fabs(ts_fischer_burmeister_row(l, 0.5, l, u, 1.0).value) == 0.0);
      assert_true(fabs(ts_fischer_burmeister_row(l, -0.5, l, u, 1.0).value) > 1e-5);
      assert_true(fabs(ts_fischer_burmeister_row(l - 0.1, 0.5, l, u, 1.0).value) > 0.05);
    }
    if (isfinite(u)) {
      assert_true(fabs(ts_fischer_burmeister_row(u, -0.5, l, u, 1.0).value) < 1e-15);
      assert_true(fabs(ts_fischer_burmeister_row(u, 0.5, l, u, 1.0).value) > 1e-5);
    }
  }
  // A fixed variable is complementary to any F.
  assert_true(ts_fischer_burmeister_row(1.0, -3.0, 1.0, 1.0, 1.0).value == 0.0);
  assert_true(ts_fischer_burmeister_row(1.0, 3.0, 1.0, 1.0, 1.0).value == 0.0);
}

static void derivatives_are_those_of_the_values(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  const double h = 1e-6;
  for (int trial = 0; trial < 6000; ++trial) {
    const box b = boxes[trial % (BOXES - 1)];
    const double z = 2.0 * ts_random_normal(&random), F = 2.0 * ts_random_normal(&random);
    if (fabs(F) < 1e-2) continue; // kinks lie at F = 0
    const ts_fb_row row = ts_fischer_burmeister_row(z, F, b.lower, b.upper, 1.0);
    const double dz = (ts_fischer_burmeister_row(z + h, F, b.lower, b.upper, 1.0).value -
                       ts_fischer_burmeister_row(z - h, F, b.lower, b.upper, 1.0).value) /
                      (2.0 * h);
    const double dF = (ts_fischer_burmeister_row(z, F + h, b.lower, b.upper, 1.0).value -
                       ts_fischer_burmeister_row(z, F - h, b.lower, b.upper, 1.0).value) /
                      (2.0 * h);
    assert_true(fabs(row.dz - dz) < 1e-6);
    assert_true(fabs(row.dF - dF) < 1e-6);
  }
}

// At a kink the derivative is the one met when the kink is approached along (1, slope), from either bound.
static void kinks_take_the_limit_along_the_diagonal(void **state)
{
  (void)state;
  for (int k = 0; k < BOXES; ++k)
    for (int at_upper = 0; at_upper < 2; ++at_upper) {
      const double l = boxes[k].lower, u = boxes[k].upper, bound = at_upper ? u : l;
      if (!isfinite(bound)) continue;
      for (double slope = -2.0; slope <= 2.0; slope += 0.5) {
        const double step = 1e-9;
        const ts_fb_row kink = ts_fischer_burmeister_row(bound, 0.0, l, u, slope);
        const ts_fb_row near = ts_fischer_burmeister_row(bound + step, slope * step, l, u, slope);
        assert_true(kink.value == 0.0);
        assert_true(fabs(kink.dz - near.dz) < 1e-5);
        assert_true(fabs(kink.dF - near.dF) < 1e-5);
      }
    }
  // 000 as corrected: diagonal sqrt(1 + M^2) - 1 - M, off-diagonals (M/sqrt(1 + M^2) - 1) M_ij.
  const ts_fb_row row = ts_fischer_burmeister_row(0.0, 0.0, 0.0, INFINITY, 0.75);
  assert_true(fabs(row.dz + row.dF * 0.75 - (1.25 - 1.0 - 0.75)) < 1e-15);
  assert_true(fabs(row.dF - (0.6 - 1.0)) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_keep_their_digits),
      cmocka_unit_test(rows_vanish_at_solutions_only),
      cmocka_unit_test(derivatives_are_those_of_the_values),
      cmocka_unit_test(kinks_take_the_limit_along_the_diagonal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
