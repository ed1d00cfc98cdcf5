// Spatial inertias against 6x6 matrices.
#include "dynamics/spatial_inertia.h"

#include "base/random.h"
#include "shapes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

typedef struct matrix6 {
  double a[6][6]; // rows, columns
} matrix6;

static void to_numbers(ts_spatial x, double *to)
{
  for (int i = 0; i < 3; ++i) {
    to[i] = x.linear[i];
    to[3 + i] = x.angular[i];
  }
}

static matrix6 dense(const ts_spatial_inertia *P)
{
  matrix6 M;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      M.a[i][j] = P->A[j][i];
      M.a[i][3 + j] = M.a[3 + j][i] = P->B[j][i];
      M.a[3 + i][3 + j] = P->C[j][i];
    }
  return M;
}

static ts_spatial random_spatial(ts_random *random)
{
  return (ts_spatial){ts_wide_of(random_vector(random)), ts_wide_of(random_vector(random))};
}

// A sum of squares
static ts_spatial_inertia random_inertia(ts_random *random)
{
  ts_spatial_inertia P = ts_inertia_zero();
  for (int i = 0; i < 8; ++i) ts_inertia_subtract_square(&P, -1.0, random_spatial(random));
  return P;
}

static void assert_near_matrix(const ts_spatial_inertia *P, const matrix6 *M)
{
  const matrix6 mine = dense(P);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) assert_near(mine.a[i][j], M->a[i][j], 1e-12);
}

static void products_and_squares_are_those_of_matrices(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 4);
  for (int round = 0; round < 200; ++round) {
    ts_spatial_inertia P = random_inertia(&random);
    matrix6 M = dense(&P);
    const ts_spatial V = random_spatial(&random), g = random_spatial(&random);
    ts_wide Bt[3];
    double v[6], f[6], u[6];
    ts_wide_transpose(P.B, Bt);
    to_numbers(V, v);
    to_numbers(ts_inertia_mul(&P, Bt, &V), f);
    for (int i = 0; i < 6; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 6; ++j) sum += M.a[i][j] * v[j];
      assert_near(f[i], sum, 1e-12);
    }
    to_numbers(g, u);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) M.a[i][j] -= 0.3 * u[i] * u[j] + 2.0 * v[i] * v[j];
    ts_inertia_subtract_square(&P, 0.3, g);
    ts_inertia_subtract(&P, V, (ts_spatial){2.0 * V.linear, 2.0 * V.angular});
    assert_near_matrix(&P, &M);
  }
}

// phi P phi^T, where phi is what ts_carry_wrench() does to the six unit wrenches
static void inertias_are_carried_like_wrenches(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  for (int round = 0; round < 200; ++round) {
    const ts_spatial_inertia P = random_inertia(&random);
    const ts_wide l = ts_wide_of(random_vector(&random));
    const matrix6 M = dense(&P);
    matrix6 phi, half = {{{0.0}}}, all = {{{0.0}}};
    ts_wide Bt[3];
    for (int j = 0; j < 6; ++j) {
      ts_spatial unit = ts_spatial_zero();
      if (j < 3)
        unit.linear[j] = 1.0;
      else
        unit.angular[j - 3] = 1.0;
      double column[6];
      to_numbers(ts_carry_wrench(unit, l), column);
      for (int i = 0; i < 6; ++i) phi.a[i][j] = column[i];
    }
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) half.a[i][j] += phi.a[i][k] * M.a[k][j];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) all.a[i][j] += half.a[i][k] * phi.a[j][k];
    ts_wide_transpose(P.B, Bt);
    const ts_spatial_inertia carried = ts_inertia_carry(&P, Bt, l);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) assert_near(dense(&carried).a[i][j], all.a[i][j], 1e-11);
    // Power is the same on both sides: f.(phi^T V) = (phi f).V
    const ts_spatial f = random_spatial(&random), V = random_spatial(&random);
    assert_near(ts_spatial_dot(f, ts_carry_twist(V, l)), ts_spatial_dot(ts_carry_wrench(f, l), V), 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_and_squares_are_those_of_matrices),
      cmocka_unit_test(inertias_are_carried_like_wrenches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
