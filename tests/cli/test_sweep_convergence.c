// touchstone sweep --convergence as its users see it, on a body that falls: x = -g t^2/2 - g t h/2 of steps of first
// order, so that errors are proportional to h with a constant that is known.
#include "command.h"
#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "near.h"

static const char scene[] = "touchstone: 1\n"
                            "gravity: [0, 0, =-g]\n"
                            "parameters: {g: 10, h: 0.1, v: 0}\n"
                            "bodies:\n"
                            "  - {name: ball, mass: 1, rotates: false, shape: {point: {}}, velocity: [0, 0, =v]}\n"
                            "step: {size: =h}\n"
                            "duration: 1\n"
                            "results:\n"
                            "  z: {final: ball.z, unit: m}\n"
                            "  w: {final: ball.vz, unit: m/s}\n";

static const char study[] = "study: 1\nname: falls\nscene: scene.yaml\n"
                            "vary: {h: [0.1, 0.05, 0.02, 0.01], g: [10, 20]}\n";
static const char truth[] = "study: 1\nscene: scene.yaml\nvary: {g: [10, 20]}\nset: [h=1e-5]\n";

static command_result result; // large

static void write_text(scratch_folder *folder, const char *name, const char *text)
{
  scratch_write(scratch_path(folder, name), text, strlen(text));
}

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  write_text(*state, "scene.yaml", scene);
  write_text(*state, "study.yaml", study);
  write_text(*state, "truth.yaml", truth);
  return 0;
}

// The number behind the n-th `"key": ` of the output.
static double number_at(const char *key, int n)
{
  char words[64];
  snprintf(words, sizeof words, "\"%s\": ", key);
  const char *at = result.out;
  for (int i = 0; i <= n; ++i) {
    at = strstr(at, words);
    if (!at) fail_msg("there is no %s number %d", key, n);
    at += strlen(words);
  }
  return strtod(at, NULL);
}

static void errors_are_those_of_the_closed_form(void **state)
{
  static const double sizes[] = {0.1, 0.05, 0.02, 0.01};
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -c h:z -r extrapolated --json", &result);
  assert_true(json_is_valid(result.out));
  const char *convergence = json_member(result.out, "convergence");
  assert_non_null(convergence);
  assert_int_equal(json_count(json_member(convergence, "series")), 2);
  for (int k = 0; k < 2; ++k) {
    assert_near(number_at("g", k), k ? 20.0 : 10.0, 0.0);
    for (int i = 0; i < 4; ++i) {
      assert_near(number_at("size", 4 * k + i + 1), sizes[i], 0.0); // the first is the name of the column
      assert_near(number_at("error", 4 * k + i), 0.5 * (k ? 20.0 : 10.0) * sizes[i], 1e-8);
    }
  }
}

static void text_has_errors_and_orders(void **state)
{
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c h:z -r extrapolated", &result);
  assert_non_null(strstr(result.out, "errors [m] against the run that is extrapolated\n"));
  assert_non_null(strstr(result.out, "\n  g = 10\n"));
  assert_non_null(strstr(result.out, "\n             0.1            0.5                      -5.5\n"));
  assert_non_null(strstr(result.out, "\n            0.05           0.25     1.000           -5.25\n"));
  assert_non_null(strstr(result.out, "\n  order               1.000 by least squares\n  g = 20\n"));
}

// CSV does not hold the roles of columns: the study has them.
static void tables_in_csv_have_series(void **state)
{
  static char of_hdf5[sizeof result.out];
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c h:z -r extrapolated", &result);
  memcpy(of_hdf5, result.out, sizeof of_hdf5);
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv -q -c h:z -r extrapolated", &result);
  assert_non_null(strstr(result.out, "\n  order               1.000 by least squares\n  g = 20\n"));
  assert_string_equal(result.out, of_hdf5);
}

static void runs_are_held_against_another_table(void **state)
{
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep truth.yaml -o truth.h5 -q", &result);
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c h:z -r truth.h5", &result);
  assert_non_null(strstr(result.out, "against the table truth.h5\n"));
  assert_non_null(strstr(result.out, "0.1        0.49995"));
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q --pack -c h:z", &result);
  assert_non_null(strstr(result.out, "0.1           0.45")); // 0.5 - 0.05: the finest one is wrong itself
}

static void mistakes_get_a_sentence(void **state)
{
  static const char *const words[] = {"h", "h:", ":z", "h:z,", "h:z,,w", "h:a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"};
  char arguments[128];
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    snprintf(arguments, sizeof arguments, "sweep study.yaml -o out.h5 -c %s", words[i]);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, arguments, "--convergence takes SIZE:RESULT,...");
  }
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml --summary -c h:z", "do not go together");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -r finest", "goes with --convergence");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o new.h5 -q -c h:zz", "no column 'zz'");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o new.h5 -q -c hh:z", "did you mean 'h'?");
  assert_int_not_equal(access(scratch_path(*state, "new.h5.work"), F_OK), 0); // nothing was run
  write_text(*state, "bad.csv", "trial,g\n0,10\n");
  write_text(*state, "short.csv", "trial,g,outcome,steps,uncertified,residual,attempt\n0,10,finished,1,0,0,0\n");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o new.h5 -q -c h:z -r none.h5", "none.h5: ");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o new.h5 -q -c h:z -r bad.csv", "bad.csv:");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o new.h5 -q -c h:z -r short.csv",
                         "short.csv: the table has no column 'z'");
  assert_int_not_equal(access(scratch_path(*state, "new.h5.work"), F_OK), 0); // nothing was run
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c h:z,w",
                         "'z' is in m and 'w' in m/s");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c h:z -r none.h5", "none.h5: ");
  // the truth has no h to be measured, and what is missing is missing there
  command_run_well(*state, TOUCHSTONE_COMMAND, "sweep truth.yaml -o truth.h5 -q", &result);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 -q -c g:z -r truth.h5",
                         "truth.h5: the table has no column 'h'");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(errors_are_those_of_the_closed_form), TEST(text_has_errors_and_orders), TEST(tables_in_csv_have_series),
      TEST(runs_are_held_against_another_table), TEST(mistakes_get_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
