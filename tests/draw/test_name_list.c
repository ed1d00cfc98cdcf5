// Lists of names.
#include "draw/name_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

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
      cmocka_unit_test(lists_are_split_at_commas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
