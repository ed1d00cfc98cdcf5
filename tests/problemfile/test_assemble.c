// Compressed columns and blocks against sums over a dense array.
#include "problemfile/assemble.h"

#include "base/random.h"
#include "problem_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 12, COLUMNS = 9 };

static void fill(ts_triplets *triplets, ts_pool *memory, int rows, int columns, int count, ts_random *random,
                 double *dense)
{
  assert_int_equal(ts_triplets_init(triplets, memory, rows, columns, (size_t)count), TS_OK);
  memset(dense, 0, (size_t)(rows * columns) * sizeof *dense);
  for (int e = 0; e < count; ++e) {
    const int i = ts_random_below(random, rows), j = ts_random_below(random, columns);
    const double value = (double)(1 + ts_random_below(random, 100)); // whole, so that sums are exact
    ts_triplets_add(triplets, i, j, value);
    dense[j * rows + i] += value;
  }
}

static void check_pattern(const ts_matrix *A)
{
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j] + 1; k < A->start[j + 1]; ++k) assert_true(A->index[k] > A->index[k - 1]);
}

static void compressing_sums_entries(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int round = 0; round < 200; ++round) {
    ts_pool memory = {0};
    ts_triplets triplets;
    ts_matrix A;
    double expected[ROWS * COLUMNS];
    fill(&triplets, &memory, ROWS, COLUMNS, round, &random, expected);
    assert_int_equal(ts_triplets_compress(&triplets, &memory, &memory, &A, NULL), TS_OK);
    check_pattern(&A);
    double *dense = dense_of_matrix(&A);
    assert_memory_equal(dense, expected, sizeof expected);
    free(dense);
    ts_pool_release(&memory);
  }
}

static void compressing_names_the_first_entry_given_twice(void **state)
{
  (void)state;
  const int row[] = {3, 0, 2, 0, 3, 3}, column[] = {1, 1, 2, 1, 1, 2};
  ts_pool memory = {0};
  ts_triplets triplets;
  ts_matrix A;
  size_t twice;
  assert_int_equal(ts_triplets_init(&triplets, &memory, 4, 3, 6), TS_OK);
  for (int e = 0; e < 6; ++e) ts_triplets_add(&triplets, row[e], column[e], 1.0);
  assert_int_equal(ts_triplets_compress(&triplets, &memory, &memory, &A, &twice), TS_OK);
  assert_int_equal(twice, 3);
  ts_pool_release(&memory);
}

static void one_triangle_is_mirrored_two_are_left_alone(void **state)
{
  (void)state;
  const struct {
    int row[3], column[3];
    size_t entries;
  } cases[] = {
      {{0, 0, 1}, {0, 1, 2}, 5}, {{1, 2, 2}, {0, 0, 2}, 5}, {{0, 1, 2}, {1, 0, 0}, 3}, {{0, 1, 2}, {0, 1, 2}, 3}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    ts_pool memory = {0};
    ts_triplets triplets;
    ts_matrix A;
    assert_int_equal(ts_triplets_init(&triplets, &memory, 3, 3, 3), TS_OK);
    for (int e = 0; e < 3; ++e) ts_triplets_add(&triplets, cases[c].row[e], cases[c].column[e], 1.0 + e);
    assert_int_equal(ts_mirror_triangle(&triplets, &memory), TS_OK);
    assert_int_equal(triplets.count, cases[c].entries);
    assert_int_equal(ts_triplets_compress(&triplets, &memory, &memory, &A, NULL), TS_OK);
    double *dense = dense_of_matrix(&A);
    if (c != 2)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) assert_true(dense[3 * j + i] == dense[3 * i + j]);
    free(dense);
    ts_pool_release(&memory);
  }
}

static void check_blocks(const ts_matrix *A, int block, const double *expected, ts_pool *memory)
{
  ts_block_matrix W;
  ts_error error;
  assert_int_equal(ts_assemble_blocks(A, block, memory, memory, &W), TS_OK);
  double *dense = dense_of_blocks(&W);
  assert_memory_equal(dense, expected, (size_t)(ROWS * ROWS) * sizeof *dense);
  free(dense);
  // The checker of problems knows the rules of a block pattern.
  static const double zeros[ROWS];
  const ts_problem problem =
      ts_problem_friction((ts_friction){.dimension = block, .contacts = ROWS / block, .W = W, .q = zeros, .mu = zeros});
  assert_int_equal(ts_problem_check(&problem, &error), TS_OK);
}

static void blocks_hold_the_matrix(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  for (int round = 0; round < 90; ++round) {
    ts_pool memory = {0};
    ts_triplets triplets;
    ts_matrix sparse;
    double expected[ROWS * ROWS];
    fill(&triplets, &memory, ROWS, ROWS, round / 3, &random, expected);
    assert_int_equal(ts_triplets_compress(&triplets, &memory, &memory, &sparse, NULL), TS_OK);
    const ts_matrix dense = {.rows = ROWS, .columns = ROWS, .value = expected};
    check_blocks(&sparse, 2 + round % 3, expected, &memory);
    check_blocks(&dense, 2 + round % 3, expected, &memory);
    ts_pool_release(&memory);
  }
}

static void a_sparse_copy_leaves_out_zeros(void **state)
{
  (void)state;
  const double value[] = {0, 1, 2, 0, 0, -3};
  const ts_matrix dense = {.rows = 2, .columns = 3, .value = value};
  ts_pool memory = {0};
  ts_matrix sparse;
  assert_int_equal(ts_sparse_copy(&dense, &memory, &memory, &sparse), TS_OK);
  assert_int_equal(sparse.start[3], 3);
  double *copy = dense_of_matrix(&sparse);
  assert_memory_equal(copy, value, sizeof value);
  free(copy);
  ts_pool_release(&memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compressing_sums_entries),
      cmocka_unit_test(compressing_names_the_first_entry_given_twice),
      cmocka_unit_test(one_triangle_is_mirrored_two_are_left_alone),
      cmocka_unit_test(blocks_hold_the_matrix),
      cmocka_unit_test(a_sparse_copy_leaves_out_zeros),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
