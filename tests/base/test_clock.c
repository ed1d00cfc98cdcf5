// The clock never goes back, and counts seconds.
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

static void time_does_not_run_backwards(void **state)
{
  (void)state;
  double last = ts_clock_seconds();
  for (int i = 0; i < 10000; ++i) {
    const double now = ts_clock_seconds();
    assert_true(now >= last);
    last = now;
  }
}

// The system promises to sleep at least as long as asked; a clock in other units would not see 2 ms as 0.002.
static void a_sleep_is_seen_in_seconds(void **state)
{
  (void)state;
  const double start = ts_clock_seconds();
  nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  const double slept = ts_clock_seconds() - start;
  assert_true(slept >= 0.0019);
  assert_true(slept < 1000.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_does_not_run_backwards),
      cmocka_unit_test(a_sleep_is_seen_in_seconds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
