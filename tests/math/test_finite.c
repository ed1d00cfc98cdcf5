// Numbers that are not finite are found wherever they stand.
#include "math/finite.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 21 };

static void the_largest_and_smallest_numbers_are_finite(void **state)
{
  (void)state;
  const double some[] = {DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, 0.0, -0.0, 1.0};
  double values[MOST];
  for (size_t k = 0; k < MOST; ++k) values[k] = some[k % (sizeof some / sizeof some[0])];
  for (size_t count = 0; count <= MOST; ++count) assert_true(ts_all_finite(values, count));
}

static void one_that_is_not_is_found_at_any_place(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t b = 0; b < 3; ++b)
    for (size_t place = 0; place < MOST; ++place) {
      double values[MOST] = {0};
      values[place] = bad[b];
      for (size_t count = 0; count <= MOST; ++count) assert_true(ts_all_finite(values, count) == (count <= place));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_and_smallest_numbers_are_finite),
      cmocka_unit_test(one_that_is_not_is_found_at_any_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
