// Rows of two columns: which are kept, and in which order.
#include "statistics/pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct rig {
  ts_arena arena;
  jmp_buf recovery;
} rig;

static void rig_init(rig *r)
{
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
}

static void rows_are_kept_and_sorted(void **state)
{
  static const double x[] = {2.0, NAN, -1.0, 2.0, 0.0, -1.0, 3.0}, y[] = {10.0, 11.0, 12.0, 13.0, NAN, 15.0, 16.0};
  static const size_t order[] = {2, 5, 0, 3, 6};
  (void)state;
  rig r;
  rig_init(&r);
  ts_pairs pairs;
  assert_int_equal(ts_pairs_gather(7, x, y, &r.arena, &pairs, NULL), TS_OK);
  assert_int_equal(pairs.count, 5);
  assert_int_equal(pairs.missing, 2);
  assert_int_equal(pairs.list[1].row, 2);
  ts_pairs_sort(&pairs);
  for (size_t k = 0; k < 5; ++k) {
    assert_int_equal(pairs.list[k].row, order[k]);
    assert_true(pairs.list[k].x == x[order[k]] && pairs.list[k].y == y[order[k]]);
  }
  ts_arena_release(&r.arena);
}

static void no_rows_are_no_pairs(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_pairs pairs;
  assert_int_equal(ts_pairs_gather(0, NULL, NULL, &r.arena, &pairs, NULL), TS_OK);
  ts_pairs_sort(&pairs);
  assert_int_equal(pairs.count + pairs.missing, 0);
  ts_arena_release(&r.arena);
}

// Also where the other number is missing.
static void infinite_numbers_are_refused(void **state)
{
  static const double x[] = {1.0, NAN, 2.0}, y[] = {1.0, -INFINITY, 2.0};
  (void)state;
  ts_error error;
  assert_int_equal(ts_check_columns(3, x, y, &error), TS_INVALID);
  assert_string_equal(error.text, "row 2 has an infinite value");
  assert_int_equal(ts_check_columns(1, x, y, NULL), TS_OK);
  assert_int_equal(ts_check_columns(3, y, x, NULL), TS_INVALID);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_kept_and_sorted),
      cmocka_unit_test(no_rows_are_no_pairs),
      cmocka_unit_test(infinite_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
