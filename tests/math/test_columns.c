// The vectorized loops against plain ones, for sizes around the lengths of vectors.
#include "math/columns.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 37, COLUMNS = 11, LEADING = 40 };

typedef struct data {
  double A[COLUMNS * LEADING], x[ROWS], factor[COLUMNS];
} data;

static void fill(data *d)
{
  ts_random random;
  ts_random_init(&random, 5);
  for (int k = 0; k < COLUMNS * LEADING; ++k) d->A[k] = ts_random_normal(&random);
  for (int i = 0; i < ROWS; ++i) d->x[i] = ts_random_normal(&random);
  for (int c = 0; c < COLUMNS; ++c) d->factor[c] = c == 3 ? 0.0 : ts_random_normal(&random);
}

static void combine(void **state)
{
  (void)state;
  data d;
  fill(&d);
  const double *column[COLUMNS];
  for (int c = 0; c < COLUMNS; ++c) column[c] = d.A + c * LEADING;
  for (int rows = 0; rows <= ROWS; ++rows)
    for (int count = 0; count <= COLUMNS; ++count) {
      double y[ROWS + 1];
      for (int i = 0; i <= ROWS; ++i) y[i] = i;
      ts_columns_combine(rows, count, column, d.factor, y);
      for (int i = 0; i <= ROWS; ++i) {
        double expected = i;
        for (int c = 0; c < count && i < rows; ++c) expected += d.factor[c] * column[c][i];
        assert_true(fabs(y[i] - expected) <= 1e-14 * (1.0 + i));
      }
    }
}

static void dot(void **state)
{
  (void)state;
  data d;
  fill(&d);
  for (int rows = 0; rows <= ROWS; ++rows) {
    double product[COLUMNS];
    ts_columns_dot(rows, COLUMNS, d.A, LEADING, d.x, product);
    for (int c = 0; c < COLUMNS; ++c) {
      double expected = 0.0;
      for (int i = 0; i < rows; ++i) expected += d.A[c * LEADING + i] * d.x[i];
      assert_true(fabs(product[c] - expected) <= 1e-13);
    }
  }
}

static void rank_one(void **state)
{
  (void)state;
  for (int rows = 0; rows <= ROWS; ++rows) {
    data d, before;
    fill(&d);
    before = d;
    ts_columns_rank_one(rows, COLUMNS, d.x, d.factor, d.A, LEADING);
    for (int c = 0; c < COLUMNS; ++c)
      for (int i = 0; i < LEADING; ++i) {
        const double old = before.A[c * LEADING + i];
        assert_true(d.A[c * LEADING + i] == (i < rows ? old + d.factor[c] * d.x[i] : old));
      }
  }
}

static void raise_maxima(void **state)
{
  (void)state;
  data d;
  fill(&d);
  double weight[ROWS];
  for (int i = 0; i < ROWS; ++i) weight[i] = 1.0 + i % 3;
  for (int rows = 0; rows <= ROWS; ++rows) {
    double maxima[ROWS + 1], expected = 0.0;
    for (int i = 0; i <= ROWS; ++i) maxima[i] = 1.5;
    const double largest = ts_columns_raise_maxima(rows, d.x, weight, 0.5, maxima);
    for (int i = 0; i <= ROWS; ++i) {
      const double value = i < rows ? fabs(d.x[i]) * weight[i] * 0.5 : 0.0;
      assert_true(maxima[i] == fmax(1.5, value));
      expected = fmax(expected, value);
    }
    assert_true(largest == expected);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(combine),
      cmocka_unit_test(dot),
      cmocka_unit_test(rank_one),
      cmocka_unit_test(raise_maxima),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
