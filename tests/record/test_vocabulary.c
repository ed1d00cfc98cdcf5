// Names keep the numbers they were given, however many there are and whatever they begin with.
#include "record/vocabulary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void many_names_keep_their_numbers(void **state)
{
  (void)state;
  enum { COUNT = 20000 };
  ts_vocabulary words = {0};
  char name[32];
  assert_int_equal(ts_vocabulary_find(&words, "a", 1), -1);
  for (int i = 0; i < COUNT; ++i) {
    const int length = snprintf(name, sizeof name, "body%d", i);
    assert_int_equal(ts_vocabulary_add(&words, name, (size_t)length), i);
  }
  for (int i = COUNT - 1; i >= 0; --i) {
    const int length = snprintf(name, sizeof name, "body%d", i);
    assert_int_equal(ts_vocabulary_find(&words, name, (size_t)length), i);
    assert_int_equal(ts_vocabulary_add(&words, name, (size_t)length), i);
    assert_string_equal(words.names[i], name);
  }
  assert_int_equal(words.count, COUNT);
  assert_int_equal(ts_vocabulary_find(&words, "body", 4), -1);
  ts_vocabulary_release(&words);
}

// Only `length` characters count, and the empty name is one too.
static void beginnings_are_other_names(void **state)
{
  (void)state;
  ts_vocabulary words = {0};
  assert_int_equal(ts_vocabulary_add(&words, "abc", 3), 0);
  assert_int_equal(ts_vocabulary_add(&words, "abc", 2), 1);
  assert_int_equal(ts_vocabulary_add(&words, "abc", 0), 2);
  assert_int_equal(ts_vocabulary_find(&words, "abcd", 3), 0);
  assert_int_equal(ts_vocabulary_find(&words, "abcd", 4), -1);
  assert_string_equal(words.names[1], "ab");
  assert_string_equal(words.names[2], "");
  ts_vocabulary_release(&words);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_names_keep_their_numbers),
                                     cmocka_unit_test(beginnings_are_other_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
