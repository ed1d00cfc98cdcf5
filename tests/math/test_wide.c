// Wide vectors against the arithmetic of three-vectors: the same to the bit, and nothing in the fourth lane.
#include "math/wide.h"

#include "base/random.h"
#include "shapes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

static void assert_same(const ts_wide *a, ts_vec3 b)
{
  assert_vec_near(ts_narrow(*a), b, 0.0);
  assert_true((*a)[3] == 0.0);
}

static void wide_vectors_are_three_vectors(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 3);
  for (int round = 0; round < 1000; ++round) {
    const ts_vec3 a = random_vector(&random), b = random_vector(&random), c = random_vector(&random);
    const ts_mat3 M = {a, b, c}, T = ts_mat3_transpose(&M);
    const ts_wide wide[3] = {ts_wide_of(a), ts_wide_of(b), ts_wide_of(c)};
    ts_wide transposed[3];
    ts_wide_transpose(wide, transposed);
    assert_same(&transposed[0], T.x);
    assert_same(&transposed[1], T.y);
    assert_same(&transposed[2], T.z);
    const ts_wide cross = ts_wide_cross(wide[0], wide[1]), product = ts_wide_mul(wide, c);
    assert_same(&cross, ts_cross(a, b));
    assert_same(&product, ts_mul(&M, c));
    assert_true(ts_wide_sum(wide[0] * wide[1]) == ts_dot(a, b));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wide_vectors_are_three_vectors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
