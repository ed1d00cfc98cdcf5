// Our own text format: what is read is what was written down, and every way to break the format is pointed at.
#include "problem_files.h"
#include "whole_file.h"

#include "touchstone/certificate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA TEST_DATA "/problems/"

static void assert_dense(const ts_matrix *A, const double *expected, size_t bytes)
{
  double *dense = dense_of_matrix(A);
  assert_memory_equal(dense, expected, bytes);
  free(dense);
}

static void an_lcp_is_read(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "lcp.txt");
  const ts_problem *p = ts_problem_file_problem(file);
  const double M[] = {2, 0, 1, 2};
  assert_int_equal(p->type, TS_LCP);
  assert_string_equal(ts_problem_file_format(file), "Touchstone text, LCP");
  assert_dense(&p->lcp.M, M, sizeof M);
  assert_true(p->lcp.M.start && p->lcp.q[0] == -5 && p->lcp.q[1] == -6);
  ts_problem_file_destroy(file);
}

static void an_mlcp_is_read(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "mlcp.txt");
  const ts_mlcp *p = &ts_problem_file_problem(file)->mlcp;
  const double M[] = {2, 1.5, 0, -1, 0.5, -3, 0, 0, 1e-3};
  assert_int_equal(p->size, 3);
  assert_null(p->M.start);
  assert_dense(&p->M, M, sizeof M);
  assert_true(p->lower[0] == 0 && p->lower[1] == -INFINITY && p->lower[2] == -1);
  assert_true(p->upper[0] == INFINITY && p->upper[1] == INFINITY && p->upper[2] == 1);
  ts_problem_file_destroy(file);
}

static void a_friction_problem_is_read(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "friction.txt");
  const ts_friction *p = &ts_problem_file_problem(file)->friction;
  const double W[] = {4, 0.5, 0, 0, 0.25, 3, 0, 0, 0, -1, 5, 0, 0, 0, 0, 6}, V[] = {1, 0, 0, -1}, R[] = {2};
  double *dense = dense_of_blocks(&p->W);
  assert_memory_equal(dense, W, sizeof W);
  free(dense);
  assert_int_equal(p->W.start[2], 4);
  assert_dense(&p->V, V, sizeof V);
  assert_dense(&p->R, R, sizeof R);
  assert_true(p->mu[0] == 0.5 && p->mu[1] == 0 && p->ellipsoid[1] == 2 && p->s[0] == 0.125 && !p->bodies);
  ts_problem_file_destroy(file);
}

static void a_global_problem_is_read(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "global.txt");
  const ts_global_friction *p = &ts_problem_file_problem(file)->global;
  const double H[] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, G[] = {0, 1, 0};
  assert_dense(&p->H, H, sizeof H);
  assert_dense(&p->G, G, sizeof G);
  assert_true(p->f[2] == -0.5 && p->mu[0] == 0.25 && !p->ellipsoid);
  ts_problem_file_destroy(file);
}

static void storages_agree(void **state)
{
  (void)state;
  const char *const storages[] = {"dense 2 1 0 0  3 4 0 0  0 0 5 6  0 0 7 8",
                                  "sparse 8 3 3 8 2 2 5 0 0 2 1 1 4 2 3 6 0 1 1 1 0 3 3 2 7",
                                  "blocks 2 2  1 1 5 6 7 8  0 0 2 1 3 4"};
  const double expected[] = {2, 3, 0, 0, 1, 4, 0, 0, 0, 0, 5, 7, 0, 0, 6, 8};
  for (int k = 0; k < 3; ++k) {
    char text[200] = "touchstone problem 1 type lcp size 4 q 1 2 3 4 M ";
    strcat(strcat(text, storages[k]), " end");
    ts_problem_file *file = parse_text(text);
    assert_dense(&ts_problem_file_problem(file)->lcp.M, expected, sizeof expected);
    ts_problem_file_destroy(file);
  }
}

static void bodies_become_sparse(void **state)
{
  (void)state;
  ts_problem_file *file = parse_text("touchstone problem 1 type friction dimension 2 contacts 1 velocities 2 mu 0 "
                                     "W dense 1 0 0 1 q 0 0 M dense 1 0 0 1 H dense 1 0 0 1 end");
  const ts_bodies *bodies = ts_problem_file_problem(file)->friction.bodies;
  assert_non_null(bodies);
  assert_int_equal(bodies->M.start[2], 2);
  assert_int_equal(bodies->H.start[2], 2);
  ts_problem_file_destroy(file);
}

static void comments_and_lines_mean_nothing(void **state)
{
  (void)state;
  ts_problem_file *a = read_problem(DATA "lcp.txt");
  ts_problem_file *b =
      parse_text("#c\n# touchstone\ntouchstone#\nproblem 1 type lcp\r\nsize 2#two\nq\n-5#x 7\n-6 M sparse 3 1 "
                 "1 2 0 1 1 0 0 2 end # over\n#");
  assert_same_problem(ts_problem_file_problem(a), ts_problem_file_problem(b));
  ts_problem_file_destroy(a);
  ts_problem_file_destroy(b);
}

static void problems_may_be_empty(void **state)
{
  (void)state;
  const char *const texts[] = {
      "touchstone problem 1 type lcp size 0 M dense q end", "touchstone problem 1 type lcp size 0 M sparse 0 q end",
      "touchstone problem 1 type friction dimension 3 contacts 0 W dense q mu end",
      "touchstone problem 1 type global-friction dimension 3 contacts 0 velocities 1 M dense 2 H dense f 1 w mu end"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) ts_problem_file_destroy(parse_text(texts[k]));
}

// The example of docs/formats/problem.md: the ball sticks, with r = (2, -1/3.5, 0) inside its cone.
static void the_example_of_the_manual_is_right(void **state)
{
  (void)state;
  size_t bytes;
  char *manual = read_bytes(TEST_DATA "/../../docs/formats/problem.md", &bytes);
  manual[bytes - 1] = '\0';
  char *example = strstr(manual, "touchstone problem 1\ntype friction");
  assert_non_null(example);
  *strstr(example, "```") = '\0';
  ts_problem_file *file = parse_text(example);
  const double r[] = {2.0, -1.0 / 3.5, 0.0};
  assert_true(ts_problem_residual(ts_problem_file_problem(file), r) < 1e-15);
  ts_problem_file_destroy(file);
  free(manual);
}

#define LCP      "touchstone problem 1\ntype lcp\nsize 2\n"
#define MLCP     "touchstone problem 1\ntype mlcp\nsize 1\nM dense 1\nq 1\n"
#define FRICTION "touchstone problem 1\ntype friction\ndimension 2\ncontacts 1\n"

static void malformed_files_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"touchstone\n", 2, 1, "the file ends where \"problem\""},
      {"touchstone problems 1\n", 1, 12, "\"problems\" stands where \"problem\""},
      {"touchstone problem 2\n", 1, 20, "the version of the format is 2, expected is 1"},
      {"touchstone problem 1\ntype mcp\n", 2, 6,
       "\"mcp\" stands where a type (lcp, mlcp, friction or global-friction)"},
      {"touchstone problem 1\ntype lcp\nM dense 1\n", 3, 1, "\"M\" stands where \"size\""},
      {"touchstone problem 1\ntype lcp\ncontacts 2\n", 3, 1, "a problem of type lcp has no contacts"},
      {"touchstone problem 1\ntype lcp\nsize 2 size 2\nend", 3, 8, "size is given twice"},
      {"touchstone problem 1\ntype lcp\nsize 2000000000\nend", 3, 6, "size is 2000000000, more than the rest"},
      {"touchstone problem 1\ntype lcp\nsize -1\nend", 3, 6, "size is -1, it must be at least 0"},
      {"touchstone problem 1\ntype lcp\nsize 1.5\nend", 3, 6, "\"1.5\" stands where size (a whole number)"},
      {"touchstone problem 1\ntype friction\ndimension 5\n", 3, 11, "dimension is 5, allowed are 2 to 4"},
      {"touchstone problem 1\ntype friction\ndimension 3\nmu 1\n", 4, 1, "\"mu\" stands where \"contacts\""},
      {"touchstone problem 1\ntype global-friction\ndimension 3\ncontacts 0\nmu\n", 5, 1,
       "\"mu\" stands where \"velocities\""},
      {LCP "N dense", 4, 1, "\"N\" stands where the name of a section or \"end\""},
      {LCP "mu 1 1 end", 4, 1, "this problem of type lcp has no section mu"},
      {LCP "q 1 2\nq 1 2\nend", 5, 1, "section q is given twice"},
      {LCP "q 1 2\nend", 5, 1, "section M is missing"},
      {LCP "M dense 1 2 3 4\nend", 5, 1, "section q is missing"},
      {LCP "M dense 1 2 3 4\nq 1 2\n", 6, 1, "the file ends where the name of a section or \"end\""},
      {LCP "M dense 1 2 3 4\nq 1 2\nend\n7", 7, 1, "\"7\" stands where the end of the file"},
      {LCP "M dense 1 2 3\nq 1 2\nend\n", 5, 1, "\"q\" stands where a number of M"},
      {LCP "M dense 1 2 3 4 5\nq 1 2\nend\n", 4, 17, "\"5\" stands where the name of a section"},
      {LCP "M dense 1 inf 3 4\nq 1 2\nend\n", 4, 11, "a number of M is not finite"},
      {LCP "M full 1 2 3 4\n", 4, 3, "\"full\" stands where a storage (dense, sparse or blocks)"},
      {LCP "M sparse 99\n0 0 1\nq 1 1\nend", 4, 10, "the number of entries is 99, more than the rest"},
      {LCP "M sparse 2\n0 0 1\n0 2 1\nq 1 1\nend", 6, 3, "the column of an entry is 2, allowed are 0 to 1"},
      {LCP "M sparse 2\n0 0 1\n-1 0 1\nq 1 1\nend", 6, 1, "the row of an entry is -1, allowed are 0 to 1"},
      {LCP "M sparse 3\n1 0 1\n0 0 1\n1 0 1\nq 1 1\nend", 7, 1, "entry (1, 0) of M is given twice"},
      {LCP "M blocks 3 1\n0 0 1 1 1 1 1 1 1 1 1\n", 4, 10, "M is 2 x 2, which is no multiple of the block size 3"},
      {LCP "M blocks 2 2\n0 0 1 1 1 1\n0 0 1 1 1 1\nq 1 1\nend", 6, 1, "entry (0, 0) of M is given twice"},
      {LCP "M blocks 1001 1\n", 4, 10, "the size of a block is 1001, allowed are 1 to 1000"},
      {MLCP "upper 1\nlower 2\nend", 6, 1, "variable 0 has the empty range [2, 1]"},
      {MLCP "upper nan\nlower 2\nend", 6, 7, "a number of upper is not finite"},
      {FRICTION "mu -0.1\n", 5, 4, "a number of mu is -0.1, it must be at least 0"},
      {FRICTION "mu 1\nellipsoid 0\n", 6, 11, "a number of ellipsoid is 0, it must be greater than 0"},
      {FRICTION "V dense 1 1\n", 5, 1, "this problem of type friction has no section V"},
      {FRICTION "H dense 1 1\n", 5, 1, "this problem of type friction has no section H"},
      {"touchstone problem 1\ntype friction\ndimension 2\ncontacts 200\nmu 1\n", 4, 10,
       "contacts is 200, more than the rest"},
  };
  assert_all_refused(table);
}

static void bodies_go_without_bilateral_rows(void **state)
{
  (void)state;
  const refusal table[] = {{"touchstone problem 1 type friction dimension 2 contacts 1 velocities 1 bilaterals 1 mu 0 "
                            "W dense 1 0 0 1 q 0 0 M dense 1 H dense 1 0 V dense 1 1 R dense 1 s 1 end",
                            0, 0, "bodies are for problems without bilateral rows"}};
  assert_all_refused(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_lcp_is_read),
      cmocka_unit_test(an_mlcp_is_read),
      cmocka_unit_test(a_friction_problem_is_read),
      cmocka_unit_test(a_global_problem_is_read),
      cmocka_unit_test(storages_agree),
      cmocka_unit_test(bodies_become_sparse),
      cmocka_unit_test(comments_and_lines_mean_nothing),
      cmocka_unit_test(problems_may_be_empty),
      cmocka_unit_test(the_example_of_the_manual_is_right),
      cmocka_unit_test(malformed_files_are_pointed_at),
      cmocka_unit_test(bodies_go_without_bilateral_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
