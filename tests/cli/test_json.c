// The JSON writer against a reader that shares nothing with it.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "cli/json.h"

#include "json.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct recorder {
  cli_json json;
  FILE *stream;
  char *text;
  size_t size;
} recorder;

static void start(recorder *r)
{
  r->stream = open_memstream(&r->text, &r->size);
  cli_json_init(&r->json, r->stream);
}

static const char *finish(recorder *r)
{
  fclose(r->stream);
  return r->text;
}

static void the_reader_refuses_what_is_not_json(void **state)
{
  (void)state;
  static const char *const good[] = {"{}", " [ ] ", "[1, -0.5e+3, 0]", "{\"a\": [true, null], \"b\": \"\\u00e9\\n\"}",
                                     "0"};
  static const char *const bad[] = {"",      "{",    "[1,]",     "{\"a\" 1}", "{a: 1}", "[nan]",
                                    "[01]",  "[1.]", "\"\\x\"",  "[1] 2",     "[inf]",  "\"a\nb\"",
                                    "[1 2]", "[-]",  "{\"a\":}", "nul",       "\"abc",  "[1e]"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) assert_true(json_is_valid(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) assert_false(json_is_valid(bad[i]));
}

static void nested_values_are_valid(void **state)
{
  (void)state;
  recorder r;
  start(&r);
  cli_json_open_object(&r.json, NULL);
  cli_json_integer(&r.json, "whole", -12);
  cli_json_boolean(&r.json, "yes", true);
  cli_json_open_array(&r.json, "empty");
  cli_json_close(&r.json);
  cli_json_open_array(&r.json, "full");
  cli_json_text(&r.json, NULL, "one");
  cli_json_open_object(&r.json, NULL);
  cli_json_close(&r.json);
  cli_json_text(&r.json, NULL, NULL);
  cli_json_close(&r.json);
  cli_json_numbers(&r.json, "numbers", (const double[]){1.0, NAN, -INFINITY}, 3);
  cli_json_close(&r.json);
  const char *text = finish(&r);
  assert_true(json_is_valid(text));
  assert_int_equal(json_count(text), 5);
  assert_int_equal(json_count(json_member(text, "full")), 3);
  assert_int_equal(strncmp(json_member(text, "whole"), "-12", 3), 0);
  assert_int_equal(strncmp(json_member(text, "numbers"), "[1, null, null]", 15), 0);
  free(r.text);
}

static void numbers_read_back_as_they_were(void **state)
{
  (void)state;
  const double numbers[] = {0.1, 1.0 / 3.0, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -0.0, 1e22, 123456789.123456789, 5e-324};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    recorder r;
    start(&r);
    cli_json_number(&r.json, NULL, numbers[i]);
    const char *text = finish(&r);
    assert_true(json_is_valid(text));
    const double back = strtod(text, NULL);
    assert_memory_equal(&back, &numbers[i], sizeof back);
    free(r.text);
  }
}

// Every byte, alone and between letters, makes a valid string; well-formed UTF-8 is kept.
static void any_text_becomes_a_valid_string(void **state)
{
  (void)state;
  for (int byte = 1; byte < 256; ++byte) {
    const char input[] = {'a', (char)byte, 'b', '\0'};
    recorder r;
    start(&r);
    cli_json_text(&r.json, NULL, input);
    const char *text = finish(&r);
    assert_true(json_is_valid(text));
    for (const char *c = text; *c; ++c) assert_true((unsigned char)*c < 0x80); // a lone byte above is not UTF-8
    free(r.text);
  }
  static const char *const kept[] = {"\xc3\xa9", "\xe2\x88\x9e", "\xf0\x9f\x8c\x8d"};
  static const char *const replaced[] = {"\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xe2\x88"};
  for (int i = 0; i < 3; ++i) {
    recorder r;
    start(&r);
    cli_json_text(&r.json, NULL, kept[i]);
    assert_non_null(strstr(finish(&r), kept[i]));
    free(r.text);
  }
  for (int i = 0; i < 5; ++i) {
    recorder r;
    start(&r);
    cli_json_text(&r.json, NULL, replaced[i]);
    assert_non_null(strstr(finish(&r), "\\ufffd"));
    free(r.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_reader_refuses_what_is_not_json),
      cmocka_unit_test(nested_values_are_valid),
      cmocka_unit_test(numbers_read_back_as_they_were),
      cmocka_unit_test(any_text_becomes_a_valid_string),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
