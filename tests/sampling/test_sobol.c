// Sobol's points against published ones, and against the theory of (t, m, s)-nets: what holds of the plain sequence
// holds of the scrambled one.
#include "sampling/sobol.h"

#include "sampling/philox.h"

#include "goodness_of_fit.h"
#include "touchstone/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

// The order in which published tables have them.
static double gray_point(uint64_t i, uint32_t dimension)
{
  return ts_sobol(i ^ (i >> 1), dimension);
}

enum { COLUMNS = 27 };

// Rows 0 to 4 and 118 to 122 of the points that the authors' program prints in 27 dimensions.
static const struct {
  uint64_t row;
  double x[COLUMNS];
} published[] = {
    {0, {0.0}},
    {1, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
         0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
    {2, {0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75, 0.75, 0.75, 0.75, 0.25, 0.25,
         0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.25, 0.75, 0.25}},
    {3, {0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.25, 0.25, 0.25, 0.75, 0.75,
         0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75, 0.75, 0.25, 0.75}},
    {4, {0.375, 0.375, 0.625, 0.875, 0.375, 0.125, 0.375, 0.875, 0.875, 0.625, 0.875, 0.375, 0.375, 0.625,
         0.375, 0.875, 0.375, 0.875, 0.875, 0.125, 0.125, 0.125, 0.375, 0.875, 0.875, 0.875, 0.375}},
    {118, {0.6953125, 0.4765625, 0.9921875, 0.3203125, 0.4140625, 0.5234375, 0.8046875, 0.3828125, 0.1015625,
           0.3515625, 0.6796875, 0.0234375, 0.5703125, 0.1953125, 0.7890625, 0.2109375, 0.6484375, 0.3984375,
           0.8671875, 0.1171875, 0.2265625, 0.3046875, 0.8515625, 0.6484375, 0.8046875, 0.9140625, 0.6015625}},
    {119, {0.1953125, 0.9765625, 0.4921875, 0.8203125, 0.9140625, 0.0234375, 0.3046875, 0.8828125, 0.6015625,
           0.8515625, 0.1796875, 0.5234375, 0.0703125, 0.6953125, 0.2890625, 0.7109375, 0.1484375, 0.8984375,
           0.3671875, 0.6171875, 0.7265625, 0.8046875, 0.3515625, 0.1484375, 0.3046875, 0.4140625, 0.1015625}},
    {120, {0.1328125, 0.0390625, 0.9296875, 0.5078125, 0.3515625, 0.2109375, 0.6171875, 0.6953125, 0.7890625,
           0.4140625, 0.2421875, 0.7109375, 0.2578125, 0.1328125, 0.7265625, 0.3984375, 0.8359375, 0.0859375,
           0.0546875, 0.1796875, 0.4140625, 0.1171875, 0.7890625, 0.9609375, 0.1171875, 0.8515625, 0.1640625}},
    {121, {0.6328125, 0.5390625, 0.4296875, 0.0078125, 0.8515625, 0.7109375, 0.1171875, 0.1953125, 0.2890625,
           0.9140625, 0.7421875, 0.2109375, 0.7578125, 0.6328125, 0.2265625, 0.8984375, 0.3359375, 0.5859375,
           0.5546875, 0.6796875, 0.9140625, 0.6171875, 0.2890625, 0.4609375, 0.6171875, 0.3515625, 0.6640625}},
    {122, {0.8828125, 0.2890625, 0.6796875, 0.7578125, 0.6015625, 0.9609375, 0.8671875, 0.4453125, 0.0390625,
           0.6640625, 0.9921875, 0.4609375, 0.0078125, 0.3828125, 0.4765625, 0.1484375, 0.0859375, 0.3359375,
           0.8046875, 0.4296875, 0.1640625, 0.8671875, 0.5390625, 0.7109375, 0.3671875, 0.1015625, 0.4140625}},
};

// The rest of the first eight, and one more, in eight dimensions.
static const struct {
  uint64_t row;
  double x[8];
} first_points[] = {
    {5, {0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375}},
    {6, {0.625, 0.125, 0.875, 0.625, 0.625, 0.875, 0.125, 0.125}},
    {7, {0.125, 0.625, 0.375, 0.125, 0.125, 0.375, 0.625, 0.625}},
    {16, {0.09375, 0.46875, 0.46875, 0.65625, 0.28125, 0.96875, 0.53125, 0.84375}},
};

static void points_are_those_that_are_published(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof *published; ++i)
    for (uint32_t d = 0; d < COLUMNS; ++d) assert_true(gray_point(published[i].row, d) == published[i].x[d]);
  for (size_t i = 0; i < sizeof first_points / sizeof *first_points; ++i)
    for (uint32_t d = 0; d < 8; ++d) assert_true(gray_point(first_points[i].row, d) == first_points[i].x[d]);
  static const double last_of_1000[5] = {0.2822265625, 0.4072265625, 0.9072265625, 0.6572265625, 0.1572265625};
  for (uint64_t i = 0; i < 5; ++i) assert_true(gray_point(995 + i, 0) == last_of_1000[i]);
}

// Whether x has the order 2^s - 1 modulo the polynomial, which is what primitive means.
static bool is_primitive(unsigned polynomial, int degree)
{
  unsigned power = 1;
  for (unsigned k = 1;; ++k) {
    power <<= 1;
    if (power >> degree & 1) power ^= polynomial;
    if (power <= 1) return power == 1 && k == (1u << degree) - 1;
  }
}

// All primitive polynomials up to the last, in the order of their coefficients; initial numbers odd and small enough.
// Their sums, and those times 1, 2, 3, .., were taken from another copy of the authors' numbers than the table.
static void table_has_the_primitive_polynomials(void **state)
{
  (void)state;
  int found = 0;
  long count = 0, sum = 0, weighted = 0;
  for (int degree = 1; found < TS_SOBOL_DIMENSIONS - 1; ++degree)
    for (unsigned inner = 0; inner < 1u << (degree - 1) && found < TS_SOBOL_DIMENSIONS - 1; ++inner) {
      if (!is_primitive(1u << degree | inner << 1 | 1u, degree)) continue;
      const ts_sobol_numbers *row = &ts_sobol_table[found++];
      assert_int_equal(row->degree, degree);
      assert_int_equal(row->coefficients, inner);
      for (int j = 0; j < 10; ++j)
        assert_true(j < degree ? row->initial[j] % 2 == 1 && row->initial[j] < 2 << j : row->initial[j] == 0);
      for (int j = 0; j < degree; ++j) {
        sum += row->initial[j];
        weighted += ++count * row->initial[j];
      }
    }
  assert_true(count == 1039 && sum == 59915 && weighted == 40891246);
}

// Sobol's property A, which Joe and Kuo (2008) give their numbers: of 2^d points in d dimensions, each of the 2^d boxes
// with half the side holds one. So it is where the first bits of the points 2^k make a regular matrix modulo 2; here up
// to 53.
static void boxes_of_half_the_side_hold_one_point(void **state)
{
  (void)state;
  uint64_t rows[53];
  for (int d = 0; d < 53; ++d) {
    rows[d] = 0;
    for (int k = 0; k < 53; ++k)
      if (ts_sobol(UINT64_C(1) << k, (uint32_t)d) >= 0.5) rows[d] |= UINT64_C(1) << k;
  }
  for (int size = 1; size <= 53; ++size) {
    uint64_t a[53];
    for (int d = 0; d < size; ++d) a[d] = rows[d] & ((UINT64_C(2) << (size - 1)) - 1);
    int rank = 0;
    for (int column = 0; column < size; ++column) {
      int pivot = rank;
      while (pivot < size && !(a[pivot] >> column & 1)) ++pivot;
      assert_true(pivot < size);
      const uint64_t row = a[pivot];
      a[pivot] = a[rank];
      a[rank++] = row;
      for (int d = rank; d < size; ++d)
        if (a[d] >> column & 1) a[d] ^= row;
    }
  }
}

// seed 0: plain
static double point(uint64_t seed, uint64_t i, uint32_t dimension)
{
  return seed == 0 ? ts_sobol(i, dimension) : ts_sobol_scrambled(seed, i, dimension);
}

// In each dimension, each interval of 2^-m holds one of 2^m points, of the first ones and of later ones.
static void intervals_hold_one_point(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (uint32_t d = 0; d < TS_SOBOL_DIMENSIONS; ++d)
      for (int m = 0; m <= 9; m += m < 8 ? 4 : 1)
        for (uint64_t block = 0; block <= 5; block += 5) {
          char seen[512] = {0};
          for (uint64_t i = 0; i < UINT64_C(1) << m; ++i) {
            const int cell = (int)(ldexp(point(seed, (block << m) + i, d), m));
            assert_true(!seen[cell]);
            seen[cell] = 1;
          }
        }
}

static int degree_of(uint32_t dimension)
{
  return dimension == 0 ? 1 : ts_sobol_table[dimension - 1].degree;
}

// Sobol (1967): of 2^m points, boxes of area 2^(t-m) whose sides are powers of 1/2 hold 2^t each, where t is the sum of
// degrees, each less 1: 0 for the first two dimensions.
static void boxes_of_two_dimensions_hold_their_share(void **state)
{
  (void)state;
  enum { M = 10 };
  static double x[1 << M], y[1 << M];
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (uint32_t second = 1; second < 10; ++second)
      for (uint32_t first = 0; first < second; ++first) {
        const int t = degree_of(first) + degree_of(second) - 2;
        for (uint64_t i = 0; i < 1 << M; ++i) {
          x[i] = point(seed, i, first);
          y[i] = point(seed, i, second);
        }
        for (int a = 0; a <= M - t; ++a) {
          const int b = M - t - a;
          int counts[1 << M] = {0};
          for (int i = 0; i < 1 << M; ++i) ++counts[(int)ldexp(x[i], a) << b | (int)ldexp(y[i], b)];
          for (int k = 0; k < 1 << (M - t); ++k) assert_int_equal(counts[k], 1 << t);
        }
      }
}

// Over seeds, a point is uniform; two points, and two coordinates, are independent but for the first bit in which they
// differ: points 0 and 1 of dimension 0 lie in different halves, and there anywhere.
static void scrambled_points_are_uniform(void **state)
{
  (void)state;
  enum { SEEDS = 20000 };
  static double values[SEEDS];
  int points[64] = {0}, further[64] = {0}, coordinates[64] = {0}, deep[64] = {0};
  for (int s = 0; s < SEEDS; ++s) {
    const uint64_t seed = (uint64_t)s + 1;
    const double x = values[s] = ts_sobol_scrambled(seed, 0, 0), next = ts_sobol_scrambled(seed, 1, 0);
    assert_true(x >= 0.0 && x < 1.0 && (x < 0.5) != (next < 0.5));
    ++points[(int)(16.0 * x) % 8 * 8 + (int)(16.0 * next) % 8];
    ++further[(int)ldexp(x, 10) % 8 * 8 + (int)ldexp(next, 10) % 8]; // bits 8 to 10
    ++coordinates[(int)(8.0 * x) * 8 + (int)(8.0 * ts_sobol_scrambled(seed, 0, 1))];
    ++deep[(int)(ldexp(x, 53) - 64.0 * floor(ldexp(x, 47)))]; // the last six bits
  }
  assert_true(chi_square(points, 64, SEEDS / 64.0) < chi_square_bound(63));
  assert_true(chi_square(further, 64, SEEDS / 64.0) < chi_square_bound(63));
  assert_true(chi_square(coordinates, 64, SEEDS / 64.0) < chi_square_bound(63));
  assert_true(chi_square(deep, 64, SEEDS / 64.0) < chi_square_bound(63));
  assert_true(kolmogorov_distance(values, SEEDS, uniform_probability) < kolmogorov_bound(SEEDS));
}

// The product of pi/2 sin(pi x_d): its integral is 1.
static double wave(const double *x, int dimensions)
{
  double product = 1.0;
  for (int d = 0; d < dimensions; ++d) product *= 0.5 * TS_PI * sin(TS_PI * x[d]);
  return product;
}

// Root of the mean square error over seeds of the integral in five dimensions from n points.
static double integration_error(int n, double (*coordinate)(uint64_t seed, uint64_t i, uint32_t dimension))
{
  enum { SEEDS = 30, DIMENSIONS = 5 };
  double squares = 0.0;
  for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
    double sum = 0.0;
    for (uint64_t i = 0; i < (uint64_t)n; ++i) {
      double x[DIMENSIONS];
      for (uint32_t d = 0; d < DIMENSIONS; ++d) x[d] = coordinate(seed, i, d);
      sum += wave(x, DIMENSIONS);
    }
    squares += (sum / n - 1.0) * (sum / n - 1.0);
  }
  return sqrt(squares / SEEDS);
}

static double random_coordinate(uint64_t seed, uint64_t i, uint32_t dimension)
{
  return ts_philox_uniform(seed, 0, i, dimension);
}

// The integrand has variance (pi^2/8)^5 - 1 = 1.86: chance errs by 1.36 / sqrt(n), and the mean over 30 seeds of its
// square by 26 % once in 22 times. Of nets the error falls at least as 1/n up to powers of ln n.
static void integrals_converge_faster_than_by_chance(void **state)
{
  (void)state;
  const double chance = sqrt(pow(TS_PI * TS_PI / 8.0, 5) - 1.0);
  for (int n = 128; n <= 2048; n *= 16)
    assert_true(fabs(integration_error(n, random_coordinate) * sqrt(n) / chance - 1.0) < 0.35);
  const double coarse = integration_error(128, point), fine = integration_error(2048, point);
  assert_true(log(coarse / fine) / log(16.0) > 1.0);
  assert_true(fine < 0.1 * chance / sqrt(2048.0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_those_that_are_published),      cmocka_unit_test(table_has_the_primitive_polynomials),
      cmocka_unit_test(boxes_of_half_the_side_hold_one_point),    cmocka_unit_test(intervals_hold_one_point),
      cmocka_unit_test(boxes_of_two_dimensions_hold_their_share), cmocka_unit_test(scrambled_points_are_uniform),
      cmocka_unit_test(integrals_converge_faster_than_by_chance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
