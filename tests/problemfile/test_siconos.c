// The text formats of Siconos: solutions known from the literature hold on what was read, storages that repeat each
// other agree, and what breaks the format is pointed at.
#include "problem_files.h"

#include "touchstone/certificate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA   TEST_DATA "/problems/"
#define BANNER "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"

static void assert_solves(const char *path, const double *z)
{
  ts_problem_file *file = read_problem(path);
  const double residual = ts_problem_residual(ts_problem_file_problem(file), z);
  if (!(residual < 1e-12)) fail_msg("%s: residual %g", path, residual);
  ts_problem_file_destroy(file);
}

// The solutions are those of the data sets' documentation: column-major reading makes murty2's unique.
static void known_solutions_hold(void **state)
{
  (void)state;
  assert_solves(DATA "lcp/lcp_exp_murty2.dat", (const double[]){0, 0, 0, 0, 0, 64});
  assert_solves(DATA "lcp/lcp_ortiz.dat", (const double[]){2.0 / 3.0, 0, 1.0 / 3.0, 0});
  assert_solves(DATA "lcp/lcp_ortiz_block.dat", (const double[]){2.0 / 3.0, 0, 1.0 / 3.0, 0});
  assert_solves(DATA "lcp/lcp_CPS_1.dat", (const double[]){0.25, 0.75});
  assert_solves(DATA "mlcp/m2n1_mlcp.dat", (const double[]){1, 0, 3});
  assert_solves(DATA "mlcp/m3n2_mlcp.dat", (const double[]){1, -1, 0, 4, 0});
  // M = I, q = (-1/2, 1/2), bounds [-1, 1]: the solution is -q, inside the bounds.
  assert_solves(DATA "lcp/relay/relay_2x2.dat", (const double[]){0.5, -0.5});
}

static void row_major_reading_would_give_another_problem(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "lcp/lcp_exp_murty2.dat");
  const double z[] = {126, 0, 0, 0, 0, 0};
  assert_true(ts_problem_residual(ts_problem_file_problem(file), z) > 1e-3);
  ts_problem_file_destroy(file);
}

static void relays_have_their_bounds(void **state)
{
  (void)state;
  ts_problem_file *file = parse_text("2 0 2 2 2 2 1 0 0 1 -3 4 -1 -inf 1 2");
  const ts_problem *problem = ts_problem_file_problem(file);
  assert_int_equal(problem->type, TS_MLCP);
  assert_true(problem->mlcp.lower[0] == -1.0 && problem->mlcp.lower[1] == -INFINITY);
  assert_true(problem->mlcp.upper[0] == 1.0 && problem->mlcp.upper[1] == 2.0);
  // -(z + q) in the normal cone of the bounds: z_0 = 1 at the upper bound, as z_0 + q_0 = -2 <= 0; z_1 = -4 inside.
  const double z[] = {1, -4};
  assert_true(ts_problem_residual(problem, z) < 1e-15);
  ts_problem_file_destroy(file);
}

static void assert_same_numbers(double *a, double *b, size_t count)
{
  for (size_t i = 0; i < count; ++i) assert_true(a[i] == b[i]);
  free(a);
  free(b);
}

static void storages_of_a_local_problem_agree(void **state)
{
  (void)state;
  ts_problem_file *dense = read_problem(DATA "FC3D_Example1.dat"), *blocks = read_problem(DATA "FC3D_Example1_SBM.dat");
  const ts_friction *a = &ts_problem_file_problem(dense)->friction, *b = &ts_problem_file_problem(blocks)->friction;
  assert_string_equal(ts_problem_file_format(dense), "Siconos text, 3D friction");
  assert_int_equal(a->contacts, 3);
  assert_int_equal(b->contacts, 3);
  assert_same_numbers(dense_of_blocks(&a->W), dense_of_blocks(&b->W), 81);
  assert_memory_equal(a->q, b->q, 9 * sizeof *a->q);
  assert_memory_equal(a->mu, b->mu, 3 * sizeof *a->mu);
  ts_problem_file_destroy(dense);
  ts_problem_file_destroy(blocks);
}

static void storages_of_a_global_problem_agree(void **state)
{
  (void)state;
  ts_problem_file *dense = read_problem(DATA "GFC3D_Example0.dat"),
                  *blocks = read_problem(DATA "GFC3D_Example0_SBM.dat");
  const ts_global_friction *a = &ts_problem_file_problem(dense)->global, *b = &ts_problem_file_problem(blocks)->global;
  assert_string_equal(ts_problem_file_format(blocks), "Siconos text, global 3D friction");
  assert_same_numbers(dense_of_matrix(&a->M), dense_of_matrix(&b->M), 81);
  assert_same_numbers(dense_of_matrix(&a->H), dense_of_matrix(&b->H), 27);
  assert_memory_equal(a->f, b->f, 9 * sizeof *a->f);
  assert_memory_equal(a->w, b->w, 3 * sizeof *a->w);
  ts_problem_file_destroy(dense);
  ts_problem_file_destroy(blocks);
}

static void printed_sparse_columns_become_blocks(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "sparse_2d.dat");
  const ts_friction *p = &ts_problem_file_problem(file)->friction;
  const double expected[] = {4, 0.5, 0, 0, 0.25, 3, 0, 0, 0, -1, 5, 0, 0, 0, 0, 6};
  assert_int_equal(p->W.start[2], 4); // (1, 0) is there because (0, 1) is
  double *W = dense_of_blocks(&p->W);
  assert_memory_equal(W, expected, sizeof expected);
  assert_true(p->q[3] == 0.25 && p->mu[1] == 0.4);
  free(W);
  ts_problem_file_destroy(file);
}

static void printed_triplets_keep_their_place(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "sparse_global_2d.dat");
  const ts_global_friction *p = &ts_problem_file_problem(file)->global;
  const double mass[] = {2, 0, 0, 0, 2, 0, 0, 0, 0.5}, H[] = {0, 1, 0, 1, 0, 1};
  double *read_mass = dense_of_matrix(&p->M), *read_H = dense_of_matrix(&p->H);
  assert_memory_equal(read_mass, mass, sizeof mass);
  assert_memory_equal(read_H, H, sizeof H);
  assert_true(p->f[1] == -19.62 && p->w[1] == 0.125 && p->mu[0] == 0.7);
  free(read_mass);
  free(read_H);
  ts_problem_file_destroy(file);
}

// Blocks of unknowns may come in any order; the second storage always has the free ones first.
static void blocks_of_unknowns_in_any_order(void **state)
{
  (void)state;
  ts_problem_file *file = parse_text("1 1 1 2  0 1 2 3  1 0 1  0 3 3 3 3  1 2 3  4 5 6  7 8 9  -1 -2 -3 "
                                     "5  1 7 3 9  2 8  4 6  -2  -1 -3");
  const ts_mlcp *p = &ts_problem_file_problem(file)->mlcp;
  assert_true(p->lower[0] == 0.0 && p->lower[1] == -INFINITY && p->lower[2] == 0.0);
  assert_true(p->upper[0] == INFINITY && p->upper[1] == INFINITY);
  ts_problem_file_destroy(file);
}

static void empty_rows_at_the_end_of_a_block_matrix_may_be_left_out(void **state)
{
  (void)state;
  ts_problem_file *file = parse_text("3 1 3 3 1 2 2 2 3 2 3 2 1 0 1 0 0 1 2 3 4 -1 -1 -1");
  const double expected[] = {1, 2, 0, 3, 4, 0, 0, 0, 0};
  double *M = dense_of_matrix(&ts_problem_file_problem(file)->lcp.M);
  assert_memory_equal(M, expected, sizeof expected);
  free(M);
  ts_problem_file_destroy(file);
}

static void kinds_that_are_not_supported_are_named(void **state)
{
  (void)state;
  const struct {
    const char *path, *fragment;
  } files[] = {{DATA "RFC3D_sphere_1.dat", "rolling friction"},
               {DATA "GMP4.dat", "generic mechanical"},
               {DATA "mlcp/Rectangular_mlcp.dat", "rectangular, 3 rows for 2 unknowns"}};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    ts_problem_file *file;
    ts_error error;
    assert_int_equal(ts_problem_file_read(files[k].path, &file, &error), TS_UNSUPPORTED);
    assert_null(file);
    assert_non_null(strstr(error.text, files[k].fragment));
  }
}

static void malformed_lcps_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"2", 1, 1, "the size of an LCP is 2, more than the rest"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1", 8, 3, "the file ends where a number of q"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1x\n-1 -1", 7, 3, "\"1x\" stands where a number of M"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 nan\n-1 -1", 7, 3, "a number of M is not finite"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -inf", 8, 4, "a number of q is not finite"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1e999\n-1 -1", 7, 3, "too large to be represented"},
      {"2\n0\n2\n2\n2 3\n1 0\n0 1\n-1 -1", 5, 3, "the number of columns of M is 3, expected is 2"},
      {"7\n3\n7\n7\n7 7 7 7 7", 2, 1, "the storage code of M is 3, allowed are 0 to 2"},
      {"30000\n0\n30000\n30000\n30000 30000\n1 2 3", 1, 1, "the size of an LCP is 30000, more than the rest"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -1\n0 0 1", 9, 6, "the file ends where a number of the upper bounds"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -1\n0 0 1 1 1", 9, 9, "\"1\" stands where the end of the file"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -1\n0 2 1 1", 9, 7, "variable 1 has the empty range [2, 1]"},
      {"2\n0\n2\n2\n2 2\n1 0\n0 1\n-1 -1\n0 nan 1 1", 9, 3, "a number of the lower bounds is not finite"},
  };
  assert_all_refused(table);
}

static void malformed_block_matrices_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"2 1 2 2 1 3 1 2 2 2 1 0 1 0 0 1 0 0 1 -1 -1", 1, 11, "the number of block rows of M is 3, allowed are 0 to 2"},
      {"2 1 2 2 1 1 1 1 2 2 1 0 1 0 0 1 0 0 1 -1 -1", 1, 15, "the end of a block row of M is 1, expected is 2"},
      {"2 1 2 2 1 1 1 2 2 2 2 0 1 0 0 1 0 0 1 -1 -1", 1, 21, "the number of block column indices of M is 2"},
      {"2 1 2 2 1 1 1 2 2 2 1 1 1 0 0 1 0 0 1 -1 -1", 1, 23, "an offset of a block row of M is 1, expected is 0"},
      {"2 1 2 2 1 1 1 2 2 2 1 0 1 1 0 1 0 0 1 -1 -1", 1, 27, "the column of a block of M is 1, expected is 0"},
      {"2 1 2 2 1 1 1 2 2 2 1 0 1 -1 0 1 0 0 1 -1 -1", 1, 27, "the column of a block of M is -1"},
      {"2 1 2 2 1 1 1 2 2 2 1 0 1 0 5 1 0 0 1 -1 -1", 1, 29, "the number of a block is 5, expected is 0"},
      {"2 1 2 2 2 1 1 2 2 2 2 0 2 0 0 0 1 0 0 1 1 1 0 0 1 -1 -1", 1, 43, "entry (0, 0) of M is given twice"},
      {"2 1 2 2 900000000 1 1 2 2 2 1 0 1 0 0 1 0 0 1 -1 -1", 1, 9, "more than the rest of the file can hold"},
      {"2 1 2 2 1 2 2 2 2 2 2 3 1 0 1 0 0 1 0 0 1 -1 -1", 1, 17, "a block row of M is empty"},
  };
  assert_all_refused(table);
}

static void malformed_mlcps_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"1 1 1 2\n0 1 4\n", 2, 5, "the end of a block of unknowns is 4, allowed are 2 to 3"},
      {"1 1 1 1\n0 1 2\n0 0\n0 2 2 2 2 1 0 0 1 -1 -1 ", 3, 3,
       "the blocks hold more free unknowns than the 1 announced"},
      {"1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n1 0\n-1 1\n-1 1\n1\n1\n-1\n0.5\n-1\n1\n", 11, 1,
       "D has 0.5 where the first storage has 0"},
      {"1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n1 0\n-1 1\n-1 1\n1\n1\n-1\n0\n-1\n", 13, 1,
       "the file ends where a number of b"},
      {"1 0 1 1\n0 1 2\n0 1\n0 2 2 2 2\n1 0\n-1 1\n-1 1\ntext", 8, 1, "\"text\" stands where a number of the solution"},
      {"1 1 2 99\n0 9 10\n0 1\n", 1, 7, "the number of complementary unknowns is 99, more than the rest"},
  };
  assert_all_refused(table);
}

static void malformed_friction_problems_are_pointed_at(void **state)
{
  (void)state;
  const refusal table[] = {
      {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n-0.5\n", 9, 1, "a number of the friction coefficients is -0.5"},
      {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n", 9, 1, "the file ends where a number of the friction"},
      {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n0.5\n2\n", 10, 1,
       "the flag at the end is 2, allowed are 0 to 1"},
      {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n0.5\n1\n1", 11, 1, "\"1\" stands where the end of the file"},
      {"3\n1\n0\n3\n4\n3 4\n1 0 0 0 1 0 0 0 1 0 0 0\n-1 0 0\n0.5\n", 3, 1,
       "the first matrix is 3 x 4, it must be square"},
      {"3\n1\n0\n4\n4\n4 4\n1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n0 4 2 4 2", 8, 5,
       "the number of columns of H is 2, expected is 3"},
      {"4\n1\n0\n4\n4\n4 4\n1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n1 1 1 1 .5", 1, 1, "the dimension of a contact is 4"},
      {"2\n2\n2\n4\n4\n3\n" BANNER, 6, 1, "the origin of a sparse matrix is 3, allowed are 1 to 2"},
      {"2\n2\n2\n4\n4\n2\nGSparse\n", 7, 1, "\"GSparse\" stands where \"CSparse\""},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-3, nzmax: 2 nnz: 2, 1-norm: 1\n", 8, 6, "the number of columns is 3"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 99, 1-norm: 1\n", 8, 26,
       "has 99 numbers, more than the rest"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 1 : locations 0 to 1\n", 9, 5,
       "the number of a column is 1, expected is 0"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 0 : locations 0 to 5\n", 9, 24,
       "the last location of a column is 5, allowed are -1 to 1"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 0 : locations 0 to 0\n-1 : 2\n", 10, 1,
       "the row of an entry is -1, allowed are 0 to 1"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 0 : locations 0 to 1\n1 : 2\n1 : 3\n"
       "col 1 : locations 2 to 1\n-1 0 0.5",
       11, 1, "entry (1, 0) of the first matrix is given twice"},
      {"2\n1\n2\n2\n2\n2\n" BANNER "2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\ncol 0 : locations 0 to 0\n1 : 2\n"
       "col 1 : locations 1 to 0\n-1 0 0.5",
       11, 25, "the first matrix has 1 entries, 2 were announced"},
      {"2\n1\n2\n2\n2\n1\n" BANNER "triplet: 2-by-2, nzmax: 2 nnz: 1\n0 2 : 1\n-1 0 0.5", 9, 3,
       "the column of an entry is 2, allowed are 0 to 1"},
      {"2\n1\n2\n2\n2\n1\n" BANNER "triplet: 2-by-2, nzmax: 2 nnz: 1\n0 1 1\n-1 0 0.5", 9, 5,
       "\"1\" stands where \":\""},
  };
  assert_all_refused(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_solutions_hold),
      cmocka_unit_test(row_major_reading_would_give_another_problem),
      cmocka_unit_test(relays_have_their_bounds),
      cmocka_unit_test(storages_of_a_local_problem_agree),
      cmocka_unit_test(storages_of_a_global_problem_agree),
      cmocka_unit_test(printed_sparse_columns_become_blocks),
      cmocka_unit_test(printed_triplets_keep_their_place),
      cmocka_unit_test(blocks_of_unknowns_in_any_order),
      cmocka_unit_test(empty_rows_at_the_end_of_a_block_matrix_may_be_left_out),
      cmocka_unit_test(kinds_that_are_not_supported_are_named),
      cmocka_unit_test(malformed_lcps_are_pointed_at),
      cmocka_unit_test(malformed_block_matrices_are_pointed_at),
      cmocka_unit_test(malformed_mlcps_are_pointed_at),
      cmocka_unit_test(malformed_friction_problems_are_pointed_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
