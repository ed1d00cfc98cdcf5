// The possible inertia next to one that no body has, against the conditions that the nearest point of a convex cone
// obeys, against random other inertias, and against what is known of special ones.
#include "robot/urdf_inertia.h"

#include "base/random.h"
#include "math/vec3.h"
#include "model/builder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// ---- matrices xx yy zz xy xz yz ------------------------------------------------------------------------------------

static double product(const double A[6], const double B[6])
{
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += (i < 3 ? 1.0 : 2.0) * A[i] * B[i];
  return sum;
}

static void second_moment(const double I[6], double S[6])
{
  const double half = 0.5 * (I[0] + I[1] + I[2]);
  for (int i = 0; i < 6; ++i) S[i] = i < 3 ? half - I[i] : -I[i];
}

static void add_square(double S[6], double factor, const double v[3])
{
  const double square[6] = {v[0] * v[0], v[1] * v[1], v[2] * v[2], v[0] * v[1], v[0] * v[2], v[1] * v[2]};
  for (int i = 0; i < 6; ++i) S[i] += factor * square[i];
}

static void random_vector(ts_random *random, double v[3])
{
  for (int i = 0; i < 3; ++i) v[i] = ts_random_normal(random);
}

// Any positive semidefinite one is a sum of squares of three vectors.
static void random_body(ts_random *random, double S[6])
{
  double v[3];
  memset(S, 0, 6 * sizeof *S);
  for (int k = 0; k < 3; ++k) {
    random_vector(random, v);
    add_square(S, exp(2.0 * ts_random_normal(random)), v);
  }
}

static double distance(const double A[6], const double B[6])
{
  double difference[6];
  for (int i = 0; i < 6; ++i) difference[i] = A[i] - B[i];
  return sqrt(product(difference, difference));
}

// ---- tests ---------------------------------------------------------------------------------------------------------

// S' is the nearest point of the cone of all S >= 0 to S if and only if S - S' has no positive eigenvalue and its
// product with S' is 0. The extent that lines and points are given moves it by 1e-3 of its trace at most.
static void assert_nearest(ts_random *random, const double given[6], const double nearest[6])
{
  double S[6], N[6], less[6], v[3];
  second_moment(given, S);
  second_moment(nearest, N);
  const double size = sqrt(product(S, S)), slack = 3e-3 * (nearest[0] + nearest[1] + nearest[2]);
  for (int i = 0; i < 6; ++i) less[i] = S[i] - N[i];
  assert_true(fabs(product(less, N)) <= 1e-6 * size * size + slack * size);
  for (int k = 0; k < 100; ++k) {
    double square[6] = {0};
    random_vector(random, v);
    add_square(square, 1.0 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), v);
    assert_true(product(less, square) <= 1e-7 * size);
  }
  for (int k = 0; k < 100; ++k) { // far and near
    double other[6];
    random_body(random, other);
    const double share = k < 50 ? 0.0 : 0.99;
    for (int i = 0; i < 6; ++i) other[i] = share * N[i] + (1.0 - share) * other[i];
    assert_true(distance(S, other) >= distance(S, N) - slack - 1e-7 * size);
  }
}

static void no_possible_inertia_is_nearer(void **state)
{
  (void)state;
  ts_random random;
  int impossible = 0, lines = 0;
  ts_random_init(&random, 41);
  for (int k = 0; k < 3000; ++k) {
    double given[6], nearest[6];
    const double shift = ts_random_uniform(&random, -1.0, 3.0), scale = exp(6.0 * ts_random_normal(&random));
    for (int i = 0; i < 6; ++i) given[i] = scale * (ts_random_normal(&random) + (i < 3 ? shift : 0.0));
    memcpy(nearest, given, sizeof given);
    const double change = ts_inertia_make_possible(nearest, 1e-30 * scale);
    assert_true(ts_inertia_is_possible(nearest));
    if (ts_inertia_is_possible(given)) continue;
    ++impossible;
    lines += nearest[0] + nearest[1] + nearest[2] < 1e-12 * scale;
    assert_nearest(&random, given, nearest);
    assert_true(fabs(change - distance(given, nearest) / sqrt(product(nearest, nearest))) < 1e-9 * (1.0 + change));
  }
  print_message("%d impossible ones, %d of them without any second moment\n", impossible, lines);
  assert_true(impossible > 1000 && lines > 3);
}

static void possible_ones_stay(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 42);
  for (int k = 0; k < 3000; ++k) {
    double S[6], inertia[6], kept[6];
    random_body(&random, S);
    second_moment(S, inertia); // tr(S) 1 - S, but for tr(S)/2
    for (int i = 0; i < 3; ++i) inertia[i] += 0.5 * (S[0] + S[1] + S[2]);
    memcpy(kept, inertia, sizeof kept);
    assert_true(ts_inertia_make_possible(inertia, 1.0) == 0.0);
    assert_memory_equal(inertia, kept, sizeof kept);
  }
}

static void assert_moments(const double given[3], double mass, const double expected[3], double change)
{
  double inertia[6] = {given[0], given[1], given[2], 0.0, 0.0, 0.0};
  const double got = ts_inertia_make_possible(inertia, mass);
  for (int i = 0; i < 3; ++i)
    if (!(fabs(inertia[i] - expected[i]) <= 2e-8 * expected[i])) fail_msg("%g, not %g", inertia[i], expected[i]);
  for (int i = 3; i < 6; ++i) assert_true(inertia[i] == 0.0);
  if (!(fabs(got - change) <= 2e-8)) fail_msg("changed by %.12g, not %.12g", got, change);
}

// By hand: with p = half the sum less the moment, p < 0 becomes 0 and moments are sums of two.
static void special_ones(void **state)
{
  (void)state;
  assert_moments((const double[]){1, 1, 2.2}, 1, (const double[]){1.1, 1.1, 2.2}, 0.1 * sqrt(2.0 / 7.26));
  assert_moments((const double[]){0.002, 0, 0}, 1, (const double[]){0.002, 0.001, 0.001}, sqrt(2.0 / 6.0));
  assert_moments((const double[]){1, 1, 0}, 1, (const double[]){1.001, 1.001, 0.002}, // a line of trace 2
                 sqrt(1e-6 + 1e-6 + 4e-6) / sqrt(2.0 * 1.001 * 1.001 + 4e-6));
  assert_moments((const double[]){-3, 1, 1}, 1, (const double[]){0.005, 2.5025, 2.5025},
                 sqrt(3.005 * 3.005 + 2.0 * 1.5025 * 1.5025) / sqrt(0.005 * 0.005 + 2.0 * 2.5025 * 2.5025));
  const double mass = 1000.0 * 4.0 / 3.0 * TS_PI * 0.001, ball = 0.4 * mass * 0.01; // of 0.1 m
  assert_moments((const double[]){0, 0, 0}, mass, (const double[]){ball, ball, ball}, 1.0);
  assert_moments((const double[]){-ball, -ball, -ball}, mass, (const double[]){ball, ball, ball}, 2.0);
}

static void huge_ones_are_told(void **state)
{
  (void)state;
  assert_false(ts_inertia_is_finite((const double[]){1e308, 1e308, 1e308, 0, 0, 0}));
  assert_false(ts_inertia_is_finite((const double[]){1, NAN, 1, 0, 0, 0}));
  assert_true(ts_inertia_is_finite((const double[]){1e300, -1e300, 1e300, 0, 0, 0}));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_possible_inertia_is_nearer),
      cmocka_unit_test(possible_ones_stay),
      cmocka_unit_test(special_ones),
      cmocka_unit_test(huge_ones_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
