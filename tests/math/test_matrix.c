// Matrix views: every product and query against the plain triple loop, dense and sparse.
#include "math/matrix.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 400 };

// One random matrix in both storages; about half of its entries are zero.
typedef struct sample {
  int rows, columns;
  double dense[MOST], value[MOST];
  int start[MOST + 1], index[MOST];
} sample;

static void fill(sample *s, ts_random *random, int rows, int columns)
{
  s->rows = rows;
  s->columns = columns;
  s->start[0] = 0;
  int entries = 0;
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      const double x = ts_random_below(random, 2) ? ts_random_normal(random) : 0.0;
      s->dense[j * rows + i] = x;
      if (x == 0.0) continue;
      s->index[entries] = i;
      s->value[entries++] = x;
    }
    s->start[j + 1] = entries;
  }
}

static ts_matrix dense_view(const sample *s)
{
  return (ts_matrix){.rows = s->rows, .columns = s->columns, .value = s->dense};
}

static ts_matrix sparse_view(const sample *s)
{
  return (ts_matrix){s->rows, s->columns, s->start, s->index, s->value};
}

static void assert_near(const double *actual, const double *expected, int count)
{
  for (int i = 0; i < count; ++i) assert_true(fabs(actual[i] - expected[i]) < 1e-12);
}

static void random_numbers(ts_random *random, double *x, int count)
{
  for (int i = 0; i < count; ++i) x[i] = ts_random_normal(random);
}

static void products_agree_with_the_definition(void **state)
{
  (void)state;
  static const int shapes[][2] = {{7, 7}, {5, 11}, {11, 5}, {1, 9}, {9, 1}, {0, 4}, {4, 0}};
  ts_random random;
  ts_random_init(&random, 1);
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    sample s;
    fill(&s, &random, shapes[k][0], shapes[k][1]);
    double x[16], y[16], forward[16], backward[16];
    random_numbers(&random, x, 16);
    random_numbers(&random, y, 16);
    memcpy(forward, y, sizeof y);
    memcpy(backward, y, sizeof y);
    for (int i = 0; i < s.rows; ++i)
      for (int j = 0; j < s.columns; ++j) {
        forward[i] += 0.75 * s.dense[j * s.rows + i] * x[j];
        backward[j] += 0.75 * s.dense[j * s.rows + i] * x[i];
      }
    const ts_matrix views[] = {dense_view(&s), sparse_view(&s)};
    for (int v = 0; v < 2; ++v) {
      double result[16];
      memcpy(result, y, sizeof y);
      ts_matrix_multiply_add(&views[v], 0.75, x, result);
      assert_near(result, forward, 16);
      memcpy(result, y, sizeof y);
      ts_matrix_transpose_multiply_add(&views[v], 0.75, x, result);
      assert_near(result, backward, 16);
    }
  }
}

static void both_storages_answer_alike(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 2);
  sample s;
  fill(&s, &random, 9, 9);
  const ts_matrix dense = dense_view(&s), sparse = sparse_view(&s);
  assert_true(ts_matrix_is_dense(&dense));
  assert_false(ts_matrix_is_dense(&sparse));
  assert_int_equal(ts_matrix_entries(&dense), 81);
  assert_int_equal(ts_matrix_entries(&sparse), s.start[9]);

  const ts_matrix views[] = {dense, sparse};
  for (int v = 0; v < 2; ++v) {
    double diagonal[9], maxima[9], copy[9 * 12];
    ts_matrix_diagonal(&views[v], diagonal);
    for (int i = 0; i < 9; ++i) maxima[i] = i == 4 ? 100.0 : 0.0; // what is there already counts
    ts_matrix_row_and_column_maxima(&views[v], maxima);
    for (int i = 0; i < 9; ++i) {
      double largest = i == 4 ? 100.0 : 0.0;
      for (int j = 0; j < 9; ++j) largest = fmax(largest, fmax(fabs(s.dense[9 * j + i]), fabs(s.dense[9 * i + j])));
      assert_true(diagonal[i] == s.dense[10 * i]);
      assert_true(maxima[i] == largest);
    }
    for (int i = 0; i < 9 * 12; ++i) copy[i] = -7.0;
    ts_matrix_to_dense(&views[v], copy, 12);
    for (int j = 0; j < 9; ++j) {
      assert_memory_equal(copy + 12 * j, s.dense + 9 * j, 9 * sizeof *copy);
      for (int i = 9; i < 12; ++i) assert_true(copy[12 * j + i] == -7.0); // the gap between columns is not touched
    }
  }
}

// Block matrices of every block size, tridiagonal, with neighbours left out at random.
static void block_products_agree_with_the_definition(void **state)
{
  (void)state;
  enum { ROWS = 6 };
  ts_random random;
  ts_random_init(&random, 3);
  for (int d = 1; d <= 5; ++d) {
    int start[ROWS + 1] = {0}, index[3 * ROWS], blocks = 0;
    double value[3 * ROWS * 25], x[ROWS * 5], y[ROWS * 5], expected[ROWS * 5];
    for (int i = 0; i < ROWS; ++i) {
      for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; ++j)
        if (i == j || (i + j) % 3 != 0) index[blocks++] = j;
      start[i + 1] = blocks;
    }
    random_numbers(&random, value, blocks * d * d);
    random_numbers(&random, x, ROWS * d);
    random_numbers(&random, y, ROWS * d);
    memcpy(expected, y, sizeof y);
    for (int i = 0; i < ROWS; ++i)
      for (int k = start[i]; k < start[i + 1]; ++k)
        for (int r = 0; r < d; ++r)
          for (int c = 0; c < d; ++c) expected[i * d + r] += value[k * d * d + c * d + r] * x[index[k] * d + c];
    const ts_block_matrix A = {ROWS, d, start, index, value};
    ts_block_multiply_add(&A, x, y);
    assert_near(y, expected, ROWS * d);
    for (int i = 0; i < ROWS; ++i) {
      int k = start[i];
      while (index[k] != i) ++k;
      assert_ptr_equal(ts_block_diagonal(&A, i), value + k * d * d);
    }
  }
}

// Blocks end where their memory does, and rows may be empty: a sanitizer sees what is read beyond.
static void block_products_stay_inside_their_memory(void **state)
{
  (void)state;
  static const int starts[][4] = {{0, 1, 2, 3}, {0, 0, 2, 2}, {0, 2, 2, 3}, {0, 0, 0, 0}};
  for (size_t k = 0; k < sizeof starts / sizeof starts[0]; ++k) {
    const int blocks = starts[k][3], index[] = {2, 0, 1};
    double *value = malloc((size_t)blocks * 9 * sizeof *value), x[9], y[9] = {0}, expected[9] = {0};
    assert_true(value || blocks == 0);
    for (int e = 0; e < 9 * blocks; ++e) value[e] = e + 1;
    for (int e = 0; e < 9; ++e) x[e] = 1.0 / (e + 1);
    for (int i = 0; i < 3; ++i)
      for (int b = starts[k][i]; b < starts[k][i + 1]; ++b)
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) expected[3 * i + r] += value[9 * b + 3 * c + r] * x[3 * index[b] + c];
    ts_block_multiply_add(&(ts_block_matrix){3, 3, starts[k], index, value}, x, y);
    assert_near(y, expected, 9);
    free(value);
  }
  ts_block_multiply_add(&(ts_block_matrix){0, 3, NULL, NULL, NULL}, NULL, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_the_definition),
      cmocka_unit_test(both_storages_answer_alike),
      cmocka_unit_test(block_products_agree_with_the_definition),
      cmocka_unit_test(block_products_stay_inside_their_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
