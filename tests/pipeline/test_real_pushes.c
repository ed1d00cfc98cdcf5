// The program of examples/real_pushes on a few recorded pushes, which are not part of the repository; and on records
// that are none.
#include "command.h"
#include "shared_data.h"
#include "whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PROGRAM EXAMPLE_PROGRAMS "/pushes"
#define SCENE   EXAMPLES "/real_pushes/push.yaml"
#define RECORDS SHARED_DATA "/data/pushes/"

static command_result result; // large

// The number that stands after some words of the output.
static double number_after(const char *words)
{
  const char *at = strstr(result.out, words);
  if (!at) fail_msg("'%s' is not in: %s", words, result.out);
  return strtod(at + strlen(words), NULL);
}

// Four pushes of each folder on points, predicted without a fit: all steps certified, errors not above what is asked of
// all, and inertia no matter.
static void few_pushes(void **state)
{
  command_run_well(*state, PROGRAM,
                   SCENE " -n 8 -r 0 -d 500 " RECORDS "board_130:10,10:130,10:10,130 " RECORDS
                         "board_30_90:30,30:90,30:30,90 " RECORDS "wood_90:10,10:90,30:10,130 " RECORDS
                         "wood_63:30,30:63.33,43.33:43.33,63.33",
                   &result);
  assert_true(number_after("combined mean error ") <= 2.9);
  for (const char *at = result.out; (at = strstr(at, "with inertia within ")); ++at)
    assert_true(strtod(at + strlen("with inertia within "), NULL) <= 0.1);
  char *picture = read_text(scratch_path(*state, "pushes.svg"));
  assert_non_null(strstr(picture, "</svg>"));
  free(picture);
}

static void assert_refused(scratch_folder *folder, const char *arguments, const char *words)
{
  command_run(folder, PROGRAM, arguments, &result);
  assert_int_equal(result.status, 2);
  assert_string_equal(result.out, "");
  if (!strstr(result.err, words)) fail_msg("'%s' is not in '%s'", words, result.err);
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1); // one line
}

static void bad_records(void **state)
{
  assert_refused(*state, SCENE " nowhere:1,1:2,1:1,2", "nowhere/pushes.csv: cannot be opened");
  assert_refused(*state, SCENE " nowhere:1,1:2,1", "three points are needed");
  assert_refused(*state, SCENE " nowhere:1-1", "written as :x,y");
  assert_refused(*state, SCENE, "usage: ");
  static const char rows[] = "push,x0,y0,theta0,x1,y1,theta1\n0,1,2,3,4,5\n";
  scratch_write(scratch_path(*state, "pushes.csv"), rows, sizeof rows - 1);
  assert_refused(*state, SCENE " .", "./pushes.csv:2: ");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bad_records)};
  const struct CMUnitTest shared[] = {cmocka_unit_test(few_pushes)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared, scratch_folder_set_up, scratch_folder_tear_down);
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
