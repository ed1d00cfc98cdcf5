// Writing: what is read back is what was written, bit for bit, and a failure leaves nothing behind.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "problem_files.h"

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64], path[96];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/touchstone-write-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/problem.txt", folder);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  remove(path);
  return rmdir(folder); // fails when something was left behind
}

static int files_in_folder(void)
{
  int count = 0;
  DIR *listing = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(listing));) count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static void assert_round_trip(const ts_problem *problem)
{
  ts_error error = {0};
  if (ts_problem_file_write(path, problem, &error) != TS_OK) fail_msg("%s", error.text);
  ts_problem_file *file = read_problem(path);
  assert_same_problem(problem, ts_problem_file_problem(file));
  ts_problem_file_destroy(file);
  assert_int_equal(files_in_folder(), 1);
}

// Numbers that are hard to print: the smallest, the largest, a negative zero, and some that need all 17 digits.
static const double hard[] = {DBL_TRUE_MIN,
                              -DBL_MAX,
                              -0.0,
                              0.1,
                              1.0 / 3.0,
                              2.2250738585072011e-308,
                              1e23,
                              5e-324,
                              1 + DBL_EPSILON,
                              0.30000000000000004,
                              6755399441055744.0,
                              -1e-5};

static const ts_matrix dense_3 = {.rows = 3, .columns = 3, .value = hard};
static const int start_3[] = {0, 2, 2, 4}, index_3[] = {0, 2, 1, 2};
static const ts_matrix sparse_3 = {.rows = 3, .columns = 3, .start = start_3, .index = index_3, .value = hard + 5};

static void complementarity_problems_come_back(void **state)
{
  (void)state;
  const double lower[] = {-INFINITY, -1.0, 0.0}, upper[] = {INFINITY, 0.1, INFINITY};
  const ts_matrix *const matrices[] = {&dense_3, &sparse_3};
  for (int k = 0; k < 2; ++k) {
    const ts_problem lcp = ts_problem_lcp((ts_lcp){3, *matrices[k], hard + 9});
    assert_round_trip(&lcp);
    const ts_problem mlcp = ts_problem_mlcp((ts_mlcp){3, *matrices[k], hard + 9, lower, upper});
    assert_round_trip(&mlcp);
  }
}

// Three contacts of any dimension: every block full, with numbers of all sizes. The block (1, 2) is zero and stays.
static void contact_problems_come_back(void **state)
{
  (void)state;
  const int start[] = {0, 1, 3, 5}, index[] = {0, 1, 2, 1, 2}, bilateral_start[] = {0, 1}, bilateral_index[] = {1};
  double value[5 * 16] = {0};
  for (int k = 0; k < 16; ++k) value[k] = hard[k % 12];
  for (int d = 2; d <= 4; ++d) {
    const ts_matrix V = {
        .rows = 3 * d, .columns = 1, .start = bilateral_start, .index = bilateral_index, .value = hard};
    ts_friction p = {.dimension = d,
                     .contacts = 3,
                     .W = {.rows = 3, .block = d, .start = start, .index = index, .value = value},
                     .q = hard,
                     .mu = (const double[]){0.0, 0.1, 1e300}};
    ts_problem problem = ts_problem_friction(p);
    assert_round_trip(&problem);
    p.ellipsoid = (const double[]){1, 2, 3, 0.1, 0.2, 0.3, 1e-30, 1e30, 5};
    p.bilaterals = 1;
    p.V = V;
    p.R = (ts_matrix){.rows = 1, .columns = 1, .value = hard + 3};
    p.s = hard + 4;
    problem = ts_problem_friction(p);
    assert_round_trip(&problem);
  }
}

static void bodies_come_back(void **state)
{
  (void)state;
  const int start[] = {0, 1}, index[] = {0}, none[] = {0, 0, 0, 0};
  const ts_bodies bodies = {.M = sparse_3,
                            .H = {.rows = 3, .columns = 3, .start = none, .index = index, .value = hard}};
  const ts_problem problem = ts_problem_friction((ts_friction){.dimension = 3,
                                                               .contacts = 1,
                                                               .W = {1, 3, start, index, hard},
                                                               .q = hard,
                                                               .mu = (const double[]){0.5},
                                                               .bodies = &bodies});
  assert_round_trip(&problem);
}

static void global_problems_come_back(void **state)
{
  (void)state;
  ts_global_friction p = {.dimension = 3,
                          .contacts = 1,
                          .M = sparse_3,
                          .H = dense_3,
                          .f = hard,
                          .w = hard + 3,
                          .mu = (const double[]){0.25}};
  ts_problem problem = ts_problem_global_friction(p);
  assert_round_trip(&problem);
  p.bilaterals = 2;
  p.G = (ts_matrix){.rows = 3, .columns = 2, .value = hard + 6};
  p.b = hard;
  p.ellipsoid = (const double[]){0.5, 2.0};
  problem = ts_problem_global_friction(p);
  assert_round_trip(&problem);
}

static void empty_problems_come_back(void **state)
{
  (void)state;
  const int none[] = {0};
  const ts_matrix dense = {0}, sparse = {.start = none};
  const ts_problem problems[] = {
      ts_problem_lcp((ts_lcp){.M = dense}), ts_problem_lcp((ts_lcp){.M = sparse}),
      ts_problem_friction((ts_friction){.dimension = 3, .W = {.block = 3}}),
      ts_problem_global_friction((ts_global_friction){.dimension = 2, .M = dense_3, .H = {.rows = 3}, .f = hard})};
  for (size_t k = 0; k < sizeof problems / sizeof *problems; ++k) assert_round_trip(&problems[k]);
}

static void the_locale_does_not_matter(void **state)
{
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
    print_message("no locale with a decimal comma is installed\n");
    skip();
  }
  complementarity_problems_come_back(state);
  setlocale(LC_NUMERIC, "C");
}

static int evaluate_nothing(void *user, const double *z, double *F)
{
  (void)user, (void)z, (void)F;
  return 0;
}

static void callbacks_cannot_be_written(void **state)
{
  (void)state;
  ts_error error;
  const ts_problem mcp = ts_problem_mcp((ts_mcp){.evaluate = evaluate_nothing, .jacobian = evaluate_nothing});
  assert_int_equal(ts_problem_file_write(path, &mcp, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "callbacks"));
}

static void failures_leave_nothing_behind(void **state)
{
  (void)state;
  ts_error error;
  const ts_problem lcp = ts_problem_lcp((ts_lcp){3, dense_3, hard + 9});
  const ts_problem broken = ts_problem_lcp((ts_lcp){3, dense_3, (const double[]){0, NAN, 0}});
  assert_round_trip(&lcp);
  assert_int_equal(ts_problem_file_write(path, &broken, &error), TS_INVALID);
  ts_problem_file_destroy(read_problem(path)); // what was there before is still there
  char other[128];
  snprintf(other, sizeof other, "%s/no/such/folder", folder);
  assert_int_equal(ts_problem_file_write(other, &lcp, &error), TS_IO);
  assert_non_null(strstr(error.text, "cannot be written"));
  snprintf(other, sizeof other, "%s/taken", folder);
  assert_int_equal(mkdir(other, 0700), 0);
  assert_int_equal(ts_problem_file_write(other, &lcp, &error), TS_IO); // a folder cannot be replaced by a file
  assert_int_equal(rmdir(other), 0);
  assert_int_equal(files_in_folder(), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complementarity_problems_come_back),
      cmocka_unit_test(contact_problems_come_back),
      cmocka_unit_test(bodies_come_back),
      cmocka_unit_test(global_problems_come_back),
      cmocka_unit_test(empty_problems_come_back),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(callbacks_cannot_be_written),
      cmocka_unit_test(failures_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
