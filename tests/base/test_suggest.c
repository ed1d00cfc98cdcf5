// Names that were probably meant.
#include "touchstone/suggest.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const names[] = {"lemke", "psor", "pgs", "newton", "nsgs", "fb-rlm", "fb-plm", "h", "e", "mu"};

static const char *name_at(int i, const void *user)
{
  (void)user;
  return names[i];
}

static const char *suggest(const char *word)
{
  return ts_suggest(word, sizeof names / sizeof names[0], name_at, NULL);
}

static void slips_are_recognized(void **state)
{
  (void)state;
  assert_string_equal(suggest("lemk"), "lemke");    // one left out
  assert_string_equal(suggest("lemkee"), "lemke");  // one too many
  assert_string_equal(suggest("newtin"), "newton"); // one wrong
  assert_string_equal(suggest("fb_rlm"), "fb-rlm");
  assert_string_equal(suggest("pgz"), "pgs");
}

static void case_comes_first(void **state)
{
  (void)state;
  assert_string_equal(suggest("E"), "e");
  assert_string_equal(suggest("MU"), "mu");
  assert_string_equal(suggest("NEWTON"), "newton");
}

static void strangers_are_not(void **state)
{
  (void)state;
  assert_null(suggest("k"));     // shares no letter with those of one letter
  assert_null(suggest("lemke")); // there it is
  assert_null(suggest("interior-point"));
  assert_null(suggest("x"));
  assert_null(suggest(""));
  char word[500];
  for (size_t i = 0; i < sizeof word - 1; ++i) word[i] = 'a';
  word[sizeof word - 1] = '\0';
  assert_null(suggest(word));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_are_recognized),
      cmocka_unit_test(case_comes_first),
      cmocka_unit_test(strangers_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
