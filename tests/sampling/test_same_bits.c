// A seed means the same points for ever, on every machine: sums over the bits of many numbers, recorded once. Who
// changes one of them changes every study that was made with it.
#include "sampling/distribution.h"
#include "sampling/halton.h"
#include "sampling/latin_hypercube.h"
#include "sampling/philox.h"
#include "sampling/sobol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { POINTS = 500, DIMENSIONS = 12 };

// FNV-1a of the bytes, low ones first.
static uint64_t add_bits(uint64_t sum, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 8; ++i) sum = (sum ^ (bits >> (8 * i) & 255)) * UINT64_C(1099511628211);
  return sum;
}

static const uint64_t START = UINT64_C(14695981039346656037), SEED = UINT64_C(0x0123456789abcdef);

static double random_point(uint64_t i, uint32_t d)
{
  return ts_philox_uniform(SEED, 1, i, d);
}

static double latin_point(uint64_t i, uint32_t d)
{
  return ts_latin_hypercube(SEED, POINTS, i, d);
}

static double scrambled_point(uint64_t i, uint32_t d)
{
  return ts_sobol_scrambled(SEED, i, d * 11);
}

static double permuted_point(uint64_t i, uint32_t d)
{
  return ts_halton_permuted(SEED, i, d * 11);
}

static void points_are_those_that_were_recorded(void **state)
{
  (void)state;
  static const struct {
    double (*point)(uint64_t i, uint32_t d);
    uint64_t sum;
  } recorded[] = {
      {random_point, UINT64_C(0xd5b3335f4ed12902)},
      {latin_point, UINT64_C(0xf9ddf20b401da5e8)},
      {scrambled_point, UINT64_C(0x28a87b91762ec886)},
      {permuted_point, UINT64_C(0x1f712aa1258dd409)},
  };
  for (size_t k = 0; k < sizeof recorded / sizeof *recorded; ++k) {
    uint64_t sum = START;
    for (uint64_t i = 0; i < POINTS; ++i)
      for (uint32_t d = 0; d < DIMENSIONS; ++d) sum = add_bits(sum, recorded[k].point(i, d));
    if (sum != recorded[k].sum) fail_msg("generator %d gives 0x%016llx", (int)k, (unsigned long long)sum);
  }
}

static void values_are_those_that_were_recorded(void **state)
{
  (void)state;
  static const double values[3] = {1.0, 2.0, 4.0}, weights[3] = {0.1, 0.2, 0.7};
  static const uint64_t recorded[6] = {UINT64_C(0xe8fc25709751ee94), UINT64_C(0xdaacd3c31a7dbcc4),
                                       UINT64_C(0xd952e247a4890de1), UINT64_C(0x43f936b352b51107),
                                       UINT64_C(0x8b932749e275993d), UINT64_C(0xc4e2ea76fa5723b8)};
  double sums[3];
  ts_distribution d[6];
  assert_int_equal(ts_distribution_uniform(&d[0], -0.1, 0.7, NULL), TS_OK);
  assert_int_equal(ts_distribution_log_uniform(&d[1], 1e-3, 7.0, NULL), TS_OK);
  assert_int_equal(ts_distribution_triangular(&d[2], 0.1, 0.4, 1.3, NULL), TS_OK);
  assert_int_equal(ts_distribution_normal(&d[3], 0.3, 1.7, NULL), TS_OK);
  assert_int_equal(ts_distribution_truncated_normal(&d[4], 0.3, 1.7, -4.0, 9.0, NULL), TS_OK);
  assert_int_equal(ts_distribution_discrete(&d[5], 3, values, weights, sums, NULL), TS_OK);
  for (int k = 0; k < 6; ++k) {
    uint64_t sum = START;
    for (uint64_t i = 0; i < 5000; ++i) sum = add_bits(sum, ts_distribution_quantile(&d[k], random_point(i, 0)));
    if (sum != recorded[k]) fail_msg("distribution %d gives 0x%016llx", k, (unsigned long long)sum);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_those_that_were_recorded),
      cmocka_unit_test(values_are_those_that_were_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
