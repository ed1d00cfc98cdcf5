// Names with wildcards, and lists of them.
#include "draw/wildcard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

static void lists_are_split_at_commas(void **state)
{
  (void)state;
  int count = 0;
  char **words = ts_list_split(" a, b c ,,\td,", &count);
  assert_int_equal(count, 3);
  assert_string_equal(words[0], "a");
  assert_string_equal(words[1], "b c");
  assert_string_equal(words[2], "d");
  free(words);
  free(ts_list_split("", &count));
  assert_int_equal(count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wildcards_match),
      cmocka_unit_test(lists_are_split_at_commas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
