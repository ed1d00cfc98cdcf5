// What is far away from the rest: limits in closed form, and that only proportions count.
#include "draw/outlier.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

enum { MOST = 101 };

static ts_scope cube(double x, double y, double z, double half)
{
  return (ts_scope){{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}

static int count_outliers(const ts_scope *boxes, int count, bool *outlying)
{
  ts_heap heap = {0};
  bool counted[MOST] = {false}, unused[MOST];
  for (int i = 0; i < count; ++i) counted[i] = true;
  outlying = outlying ? outlying : unused;
  ts_outliers_find(boxes, counted, count, outlying, &heap);
  assert_false(heap.exhausted);
  int found = 0;
  for (int i = 0; i < count; ++i) found += outlying[i];
  return found;
}

// Three cubes in one place reach sqrt(3) halves of a side from their middle: a fourth is outside from five times that.
static void the_limit_is_five_times_what_the_others_reach(void **state)
{
  (void)state;
  const double limit = 5.0 * sqrt(3.0) * 0.5;
  ts_scope boxes[4] = {cube(0, 0, 0, 0.5), cube(0, 0, 0, 0.5), cube(0, 0, 0, 0.5)};
  bool outlying[4];
  boxes[3] = cube(0, 0, -(limit + 0.51), 0.5); // its near side lies 0.01 beyond
  assert_int_equal(count_outliers(boxes, 4, outlying), 1);
  assert_true(outlying[3]);
  boxes[3] = cube(0, 0, -(limit + 0.49), 0.5);
  assert_int_equal(count_outliers(boxes, 4, NULL), 0);
}

static void one_of_two_is_never_outside(void **state)
{
  (void)state;
  const ts_scope boxes[2] = {cube(0, 0, 0, 0.5), cube(1e9, 0, 0, 0.5)};
  assert_int_equal(count_outliers(boxes, 0, NULL), 0);
  assert_int_equal(count_outliers(boxes, 1, NULL), 0);
  assert_int_equal(count_outliers(boxes, 2, NULL), 0);
}

// Specks in a long row, far apart for their size, belong together; one as far again as twenty rows does not.
static void rows_of_small_things_belong_together(void **state)
{
  (void)state;
  ts_scope boxes[MOST];
  bool outlying[MOST];
  for (int i = 0; i < MOST; ++i) boxes[i] = cube(10.0 * i, 0, 0, 1e-3);
  assert_int_equal(count_outliers(boxes, MOST, NULL), 0);
  boxes[MOST - 1] = cube(2e4, 0, 0, 1e-3);
  assert_int_equal(count_outliers(boxes, MOST, outlying), 1);
  assert_true(outlying[MOST - 1]);
}

// A way of steps that each are no larger than five times what went before leads anywhere.
static void steps_lead_outwards(void **state)
{
  (void)state;
  ts_scope boxes[20];
  for (int i = 0; i < 20; ++i) boxes[i] = cube(i < 11 ? 0.0 : pow(3.0, i - 10), 0, 0, 0.5);
  assert_int_equal(count_outliers(boxes, 20, NULL), 0);
  boxes[15] = boxes[16] = boxes[0]; // 81 to 2187 is more than five times
  assert_int_equal(count_outliers(boxes, 20, NULL), 3);
}

static void points_in_one_place_have_no_outlier(void **state)
{
  (void)state;
  const ts_scope boxes[5] = {cube(1, 2, 3, 0), cube(1, 2, 3, 0), cube(1, 2, 3, 0), cube(1, 2, 3, 0), cube(1, 2, 4, 0)};
  assert_int_equal(count_outliers(boxes, 4, NULL), 0);
  assert_int_equal(count_outliers(boxes, 5, NULL), 0);
}

static void what_does_not_count_is_no_outlier(void **state)
{
  (void)state;
  ts_heap heap = {0};
  const ts_scope boxes[4] = {cube(0, 0, 0, 0.5), cube(1e9, 0, 0, 1e8), cube(0, 0, 0, 0.5), cube(0, 0, 99, 0.5)};
  const bool counted[4] = {true, false, true, true};
  bool outlying[4] = {true, true, true, true};
  ts_outliers_find(boxes, counted, 4, outlying, &heap);
  assert_false(outlying[0] || outlying[1] || outlying[2]);
  assert_true(outlying[3]);
}

// Clouds with a few points thrown far out: never half of them, and the same however the cloud is moved and scaled.
static void only_proportions_count(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 51);
  int thrown = 0;
  for (int trial = 0; trial < 300; ++trial) {
    ts_scope boxes[MOST], scaled[MOST];
    bool outlying[MOST], again[MOST];
    const int count = 1 + (int)ts_random_below(&random, MOST - 1);
    const double scale = pow(2.0, (double)ts_random_below(&random, 40) - 20.0); // exact
    for (int i = 0; i < count; ++i) {
      const double spread = ts_random_below(&random, 8) == 0 ? 100.0 : 1.0;
      boxes[i] = cube(spread * ts_random_normal(&random), spread * ts_random_normal(&random),
                      spread * ts_random_normal(&random), 0.1);
      scaled[i] = (ts_scope){ts_vector_scale(scale, boxes[i].low), ts_vector_scale(scale, boxes[i].high)};
    }
    const int found = count_outliers(boxes, count, outlying);
    assert_true(2 * found < count);
    assert_int_equal(count_outliers(scaled, count, again), found);
    for (int i = 0; i < count; ++i) assert_int_equal(outlying[i], again[i]);
    thrown += found;
  }
  assert_true(thrown > 300);
}

static void huge_numbers_are_survived(void **state)
{
  (void)state;
  const ts_scope boxes[4] = {cube(0, 0, 0, 0.5), cube(0, 1, 0, 0.5), cube(1, 0, 0, 0.5), cube(1e308, -1e308, 1e308, 1)};
  bool outlying[4];
  assert_int_equal(count_outliers(boxes, 4, outlying), 1);
  assert_true(outlying[3]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_limit_is_five_times_what_the_others_reach),
      cmocka_unit_test(one_of_two_is_never_outside),
      cmocka_unit_test(rows_of_small_things_belong_together),
      cmocka_unit_test(steps_lead_outwards),
      cmocka_unit_test(points_in_one_place_have_no_outlier),
      cmocka_unit_test(what_does_not_count_is_no_outlier),
      cmocka_unit_test(only_proportions_count),
      cmocka_unit_test(huge_numbers_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
