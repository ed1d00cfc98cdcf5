// Formats of pictures and figures: the ending of a name chooses one.
#include "draw/image_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void endings_choose_formats(void **state)
{
  (void)state;
  for (int i = 0; i < ts_image_format_count(); ++i) {
    char name[32];
    snprintf(name, sizeof name, "a.b%s", ts_image_format_at(i)->suffix);
    assert_ptr_equal(ts_image_format_of(name), ts_image_format_at(i));
  }
  assert_ptr_equal(ts_image_format_of("A.SVG"), ts_image_format_of("a.svg"));
  static const char *const none[] = {"", "svg", ".svg", "a.svg.txt", "a.sv", "a.bmp"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) assert_null(ts_image_format_of(none[i]));
}

// A format that takes neither would be of no use.
static void every_format_takes_something(void **state)
{
  (void)state;
  for (int i = 0; i < ts_image_format_count(); ++i)
    assert_true(ts_image_format_at(i)->create_canvas || ts_image_format_at(i)->write_terminal);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(endings_choose_formats),
                                     cmocka_unit_test(every_format_takes_something)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
