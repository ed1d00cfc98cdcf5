// Names with wildcards.
#include "touchstone/wildcard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void wildcards_match(void **state)
{
  (void)state;
  static const struct {
    const char *pattern, *name;
    bool matches;
  } cases[] = {{"ball.vx", "ball.vx", true},
               {"ball*.vx", "ball12.vx", true},
               {"ball*.vx", "ball.vx", true},
               {"ball?.vx", "ball1.vx", true},
               {"ball?.vx", "ball.vx", false},
               {"*", "", true},
               {"*.x", "a.b.x", true},
               {"*.x", "a.xy", false},
               {"a*b*c", "aXbbYc", true},
               {"a*b*c", "aXcYb", false},
               {"", "", true},
               {"", "a", false},
               {"a", "", false},
               {"[a]", "a", false},
               {"**", "abc", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_int_equal(ts_wildcard_matches(cases[i].pattern, cases[i].name), cases[i].matches);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wildcards_match)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
