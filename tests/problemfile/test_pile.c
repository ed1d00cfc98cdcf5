// Contact piles: the bodies that are read must give the W that the file lists, W = H^T M^-1 H.
#include "problem_files.h"

#include "math/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA TEST_DATA "/problems/"

// Largest difference between W and H^T M^-1 H, over the largest entry of W; M is diagonal.
static double bodies_error(const ts_friction *p)
{
  const size_t m = (size_t)(3 * p->contacts), n = (size_t)p->bodies->M.rows;
  double *W = dense_of_blocks(&p->W), *H = dense_of_matrix(&p->bodies->H), *mass = malloc(n * sizeof *mass);
  ts_matrix_diagonal(&p->bodies->M, mass);
  double worst = 0.0, largest = 0.0;
  for (size_t j = 0; j < m; ++j)
    for (size_t i = 0; i < m; ++i) {
      double sum = 0.0;
      for (size_t k = 0; k < n; ++k) sum += H[i * n + k] * H[j * n + k] / mass[k];
      worst = fmax(worst, fabs(sum - W[j * m + i]));
      largest = fmax(largest, fabs(W[j * m + i]));
    }
  free(W);
  free(H);
  free(mass);
  return worst / largest;
}

static void two_spheres_have_the_compliance_worked_out_by_hand(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "two_spheres.txt");
  const ts_friction *p = &ts_problem_file_problem(file)->friction;
  assert_string_equal(ts_problem_file_format(file), "contact pile, 3D friction");
  assert_int_equal(p->contacts, 2);
  assert_int_equal(p->bodies->M.rows, 12);
  assert_int_equal(p->bodies->M.start[12], 12);
  assert_true(p->bodies->M.value[0] == 2.0 && p->bodies->M.value[3] == 0.25 && p->bodies->M.value[6] == 4.0);
  assert_true(p->mu[1] == 0.5 && p->q[0] == -1.0 && p->q[4] == 0.5);
  assert_true(bodies_error(p) < 1e-15);
  ts_problem_file_destroy(file);
}

static void piles_have_consistent_bodies(void **state)
{
  (void)state;
  const char *const names[] = {"K0005_impact", "K0005_rest",   "K0016_impact",
                               "K0016_rest",   "K0064_impact", "K0064_rest"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    char path[512];
    snprintf(path, sizeof path, DATA "piles/fc3d_np_%s.txt", names[k]);
    ts_problem_file *file = read_problem(path);
    assert_true(bodies_error(&ts_problem_file_problem(file)->friction) < 1e-12);
    ts_problem_file_destroy(file);
  }
}

#define HEAD    "fc3d 1\nK 1 nb 1 mu 0.5\nbodies\n1 2 0 0 0 0 0 0\ncontacts\n"
#define CONTACT "0 -1 0 0 1 1 0 0 0 1 0 0 0 -1 0 0 0 -1 0 0\n"

static void malformed_piles_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"fc3d 2\n", 1, 6, "the version of the format is 2, expected is 1"},
      {"fc3d 1\nK 500 nb 1 mu 0.5\n", 2, 3, "the number of contacts is 500, more than the rest"},
      {"fc3d 1\nK 0 nb 1 mu -0.5\nbodies\n1 2 0 0 0 0 0 0\n", 2, 13, "it must be at least 0"},
      {"fc3d 1\nK 0 nb 1 mu 0.5\nbodies\n0 2 0 0 0 0 0 0\n", 4, 1,
       "the inverse masses is 0, it must be greater than 0"},
      {"fc3d 1\nK 1 nb 1 mu 0.5\nbodies\n1 2 0 0 0 0 0\ncontacts\n", 5, 1,
       "\"contacts\" stands where a number of the velocity"},
      {HEAD "1 -1 0 0 1\n", 6, 1, "the first body of a contact is 1, expected is 0"},
      {HEAD "0 -2 0 0 1\n", 6, 3, "the second body of a contact is -2, allowed are -1 to 0"},
      {HEAD "0 0 0 0 1\n", 6, 3, "body 0 touches itself"},
      {HEAD CONTACT, 7, 1, "the file ends where \"W\""},
      {HEAD CONTACT "W 1\n0 3 1\n", 8, 3, "the column of an entry of W is 3, allowed are 0 to 2"},
      {HEAD CONTACT "W 2\n0 0 1\n0 0 1\n", 9, 1, "entry (0, 0) of W is given twice"},
      {HEAD CONTACT "W 1\n0 0 1\n0 0 1\n", 9, 1, "\"0\" stands where the end of the file"},
      {HEAD CONTACT "W 1\n0 0 nan\n", 8, 5, "a number of W is not finite"},
  };
  assert_all_refused(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_spheres_have_the_compliance_worked_out_by_hand),
      cmocka_unit_test(piles_have_consistent_bodies),
      cmocka_unit_test(malformed_piles_are_pointed_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
