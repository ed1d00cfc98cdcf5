// The generators: problems that pass the library's own check, symmetric and positive semidefinite matrices of the
// expected rank, W from M and H, and the same problem from the same seed.
#include "friction_generator.h"

#include "math/matrix.h"

#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double *dense_contact_matrix(const ts_friction *p)
{
  const int d = p->dimension, n = d * p->contacts;
  double *W = calloc((size_t)(n * n), sizeof *W);
  for (int i = 0; i < p->contacts; ++i)
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k)
      for (int b = 0; b < d; ++b)
        for (int a = 0; a < d; ++a) W[(p->W.index[k] * d + b) * n + i * d + a] = p->W.value[k * d * d + b * d + a];
  return W;
}

// Eigenvalues, ascending, in place of the matrix' first column.
static void eigenvalues(int n, double *A, double *values)
{
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, values), 0);
}

static void assert_symmetric_semidefinite(int n, double *A, int most_rank)
{
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) // to round-off: BLAS sums in an order that depends on where vectors lie
      assert_true(fabs(A[j * n + i] - A[i * n + j]) <= 1e-14 * sqrt(fabs(A[i * n + i] * A[j * n + j])));
  double *values = malloc((size_t)n * sizeof *values);
  eigenvalues(n, A, values);
  const double round_off = 1e-12 * values[n - 1];
  int rank = 0;
  for (int k = 0; k < n; ++k) {
    assert_true(values[k] >= -round_off);
    rank += values[k] > round_off;
  }
  assert_true(rank <= most_rank);
  free(values);
}

static void random_problems_are_well_formed(void **state)
{
  (void)state;
  int deficient = 0, jointed = 0, elliptic = 0, dimensions[5] = {0};
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    const ts_friction *p = &sample->local.friction;
    ts_error error = {0};
    if (ts_problem_check(&sample->local, &error) || ts_problem_check(&sample->global, &error))
      fail_msg("%s", error.text);
    const int n = p->dimension * p->contacts, freedoms = sample->bodies.M.rows;
    double *W = dense_contact_matrix(p);
    assert_symmetric_semidefinite(n, W, freedoms);
    free(W);
    deficient += n > freedoms;
    jointed += p->bilaterals > 0;
    elliptic += p->ellipsoid != NULL;
    ++dimensions[p->dimension];
    friction_sample_destroy(sample);
  }
  assert_true(deficient >= 15 && jointed >= 10 && elliptic >= 15);
  for (int d = 2; d <= 4; ++d) assert_true(dimensions[d] >= 10);
}

static void a_redundant_joint_makes_R_singular(void **state)
{
  (void)state;
  const friction_recipe recipe = {
      .dimension = 3, .contacts = 3, .bodies = 3, .joints = 1, .redundant_joint = true, .most_mu = 1.0};
  friction_sample *sample = friction_sample_create(&recipe, 5);
  const ts_friction *p = &sample->local.friction;
  assert_int_equal(p->bilaterals, 6);
  double R[36];
  memcpy(R, p->R.value, sizeof R);
  assert_symmetric_semidefinite(6, R, 3);
  friction_sample_destroy(sample);
}

// The local problem's velocity u = W r + V l + q is H^T v of the velocity that M v = H r + G l + f gives.
static void local_and_global_form_agree(void **state)
{
  (void)state;
  const friction_recipe recipe = {.dimension = 4, .contacts = 5, .bodies = 3, .joints = 1, .most_mu = 1.0};
  friction_sample *sample = friction_sample_create(&recipe, 11);
  const ts_friction *p = &sample->local.friction;
  const ts_global_friction *g = &sample->global.global;
  const int n = g->M.rows, rows = 20;
  double r[20], l[3] = {0.3, -1.2, 0.7}, u[20], s[3], v[18], u_global[20] = {0}, s_global[3] = {0}, M[18 * 18];
  assert_int_equal(n, 18);
  for (int k = 0; k < rows; ++k) r[k] = sin(1.0 + k);
  memcpy(u, p->q, sizeof u);
  memcpy(s, p->s, sizeof s);
  memcpy(v, g->f, sizeof v);
  ts_block_multiply_add(&p->W, r, u);
  ts_matrix_multiply_add(&p->V, 1.0, l, u);
  ts_matrix_transpose_multiply_add(&p->V, 1.0, r, s);
  ts_matrix_multiply_add(&p->R, 1.0, l, s);
  ts_matrix_multiply_add(&g->H, 1.0, r, v);
  ts_matrix_multiply_add(&g->G, 1.0, l, v);
  memset(M, 0, sizeof M);
  ts_matrix_to_dense(&g->M, M, (size_t)n);
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, 1, M, n, v, n), 0);
  ts_matrix_transpose_multiply_add(&g->H, 1.0, v, u_global);
  ts_matrix_transpose_multiply_add(&g->G, 1.0, v, s_global);
  for (int k = 0; k < rows; ++k) assert_true(fabs(u[k] - u_global[k]) < 1e-12);
  for (int k = 0; k < 3; ++k) assert_true(fabs(s[k] - s_global[k]) < 1e-12);
  friction_sample_destroy(sample);
}

// A unit sphere alone on the ground: the contact's inverse inertia of 000's first example, diag(1, 3.5, 3.5).
static void one_sphere_has_the_inverse_inertia_of_the_paper(void **state)
{
  (void)state;
  friction_sample *sample = friction_sample_spheres(1, 1, 0.2, 3);
  const double expected[3] = {1.0, 3.5, 3.5};
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a < 3; ++a)
      assert_true(fabs(sample->local.friction.W.value[b * 3 + a] - (a == b ? expected[a] : 0.0)) < 1e-15);
  friction_sample_destroy(sample);
}

static void a_seed_gives_one_problem(void **state)
{
  (void)state;
  friction_sample *a = friction_sample_spheres(10, 16, 0.5, 7), *b = friction_sample_spheres(10, 16, 0.5, 7);
  friction_sample *c = friction_sample_spheres(10, 16, 0.5, 8);
  const size_t bytes = 48 * sizeof(double);
  assert_memory_equal(a->local.friction.q, b->local.friction.q, bytes);
  assert_memory_not_equal(a->local.friction.q, c->local.friction.q, bytes);
  friction_sample_destroy(a);
  friction_sample_destroy(b);
  friction_sample_destroy(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_are_well_formed),
      cmocka_unit_test(a_redundant_joint_makes_R_singular),
      cmocka_unit_test(local_and_global_form_agree),
      cmocka_unit_test(one_sphere_has_the_inverse_inertia_of_the_paper),
      cmocka_unit_test(a_seed_gives_one_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
