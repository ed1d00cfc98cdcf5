// The generator against the known answers of its authors, and against their own header where it is installed; numbers
// of neighbouring seeds, streams, indices and dimensions against independence.
#include "sampling/philox.h"

#include "goodness_of_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#if defined(__has_include)
#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#define HAS_RANDOM123
#endif
#endif

// tests/kat_vectors of Random123, the lines "philox4x32 10": the digits of pi in the last one.
static void blocks_are_the_known_answers(void **state)
{
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], block[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    uint32_t block[4];
    ts_philox_block(known[i].counter, known[i].key, block);
    assert_memory_equal(block, known[i].block, sizeof block);
  }
}

static void blocks_are_those_of_random123(void **state)
{
  (void)state;
#ifdef HAS_RANDOM123
  for (uint32_t i = 0; i < 10000; ++i) {
    const uint32_t counter[4] = {i * 2654435761u, i, ~i, i << 16 | i >> 16}, key[2] = {i * 40503u, i ^ 0x5bd1e995u};
    const philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t k = {{key[0], key[1]}};
    const philox4x32_ctr_t theirs = philox4x32(c, k);
    uint32_t ours[4];
    ts_philox_block(counter, key, ours);
    assert_memory_equal(ours, theirs.v, sizeof ours);
  }
#else
  skip();
#endif
}

// The layout that the header promises, with the third known answer: index, dimension and stream make the counter.
static void seed_and_counter_are_laid_out_as_promised(void **state)
{
  (void)state;
  const uint64_t seed = UINT64_C(0x299f31d0a4093822), index = UINT64_C(0x85a308d3243f6a88);
  const uint64_t bits = ts_philox_bits(seed, 0x03707344, index, 0x13198a2e);
  assert_true(bits == UINT64_C(0x94fdccebd16cfe09));
  assert_true(ts_philox_uniform(seed, 0x03707344, index, 0x13198a2e) == (double)(bits >> 11) / 9007199254740992.0);
}

// Moments of n numbers: mean 1/2 with deviation 1/sqrt(12 n), mean square 1/3 with sqrt(4/45/n). Bounds are 4
// deviations.
static void numbers_are_uniform(void **state)
{
  (void)state;
  enum { COUNT = 100000 };
  static double values[COUNT];
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    const double u = values[i] = ts_philox_uniform(2, 0, (uint64_t)i, 0);
    assert_true(u >= 0.0 && u < 1.0);
    sum += u;
    squares += u * u;
  }
  assert_true(fabs(sum / COUNT - 0.5) < 4.0 / sqrt(12.0 * COUNT));
  assert_true(fabs(squares / COUNT - 1.0 / 3.0) < 4.0 * sqrt(4.0 / 45.0 / COUNT));
  assert_true(kolmogorov_distance(values, COUNT, uniform_probability) < kolmogorov_bound(COUNT));
}

// Pairs of neighbours in one of the four arguments: 16 x 16 cells, all alike. Both ends of the bits are looked at.
static void neighbours_are_independent(void **state)
{
  (void)state;
  enum { COUNT = 100000, SIDE = 16 };
  for (int which = 0; which < 4; ++which)
    for (int shift = 11; shift <= 60; shift += 49) {
      int counts[SIDE * SIDE] = {0};
      for (uint32_t i = 0; i < COUNT; ++i) {
        const uint64_t seed = which == 0 ? 2 * i : 7, index = which == 2 ? 2 * i : i % 1000;
        const uint32_t stream = which == 1 ? 2 * i : i / 1000, dimension = which == 3 ? 2 * i : 3;
        const uint64_t first = ts_philox_bits(seed, stream, index, dimension);
        const uint64_t second =
            ts_philox_bits(seed + (which == 0), stream + (which == 1), index + (which == 2), dimension + (which == 3));
        ++counts[(first >> shift & 15) * SIDE + (second >> shift & 15)];
      }
      assert_true(chi_square(counts, SIDE * SIDE, (double)COUNT / (SIDE * SIDE)) < chi_square_bound(SIDE * SIDE - 1));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_the_known_answers),
      cmocka_unit_test(blocks_are_those_of_random123),
      cmocka_unit_test(seed_and_counter_are_laid_out_as_promised),
      cmocka_unit_test(numbers_are_uniform),
      cmocka_unit_test(neighbours_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
