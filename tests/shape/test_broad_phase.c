// Broad phase against comparing each box with each, on arrangements kind and hostile.
#include "shape/broad_phase.h"

#include "counting_allocator.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 400 };

typedef struct crowd {
  ts_bounds boxes[MOST];
  bool moves[MOST];
  int count;
} crowd;

static bool intervals_meet(double low_1, double high_1, double low_2, double high_2)
{
  return fmax(low_1, low_2) <= fmin(high_1, high_2);
}

static bool boxes_meet(const ts_bounds *a, const ts_bounds *b)
{
  return intervals_meet(a->low.x, a->high.x, b->low.x, b->high.x) &&
         intervals_meet(a->low.y, a->high.y, b->low.y, b->high.y) &&
         intervals_meet(a->low.z, a->high.z, b->low.z, b->high.z);
}

static void assert_as_brute_force(ts_broad_phase *broad_phase, const crowd *c)
{
  const ts_box_pair *pairs;
  int pair_count, k = 0;
  assert_true(ts_broad_phase_find(broad_phase, c->boxes, c->moves, c->count, &pairs, &pair_count));
  for (int i = 0; i < c->count; ++i)
    for (int j = i + 1; j < c->count; ++j) {
      if (!(c->moves[i] || c->moves[j]) || !boxes_meet(&c->boxes[i], &c->boxes[j])) continue;
      assert_true(k < pair_count);
      assert_int_equal(pairs[k].first, i);
      assert_int_equal(pairs[k].second, j);
      ++k;
    }
  assert_int_equal(k, pair_count);
}

static ts_bounds box_at(ts_vec3 middle, ts_vec3 half)
{
  return (ts_bounds){ts_sub(middle, half), ts_add(middle, half)};
}

static ts_vec3 random_point(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

static void fill(crowd *c, int count, double room, double half, ts_random *random)
{
  c->count = count;
  for (int i = 0; i < count; ++i) {
    const double h = half * ts_random_uniform(random, 0.2, 1.0);
    c->boxes[i] = box_at(random_point(random, room), ts_vec3_make(h, h, h));
    c->moves[i] = ts_random_below(random, 4) > 0;
  }
}

static void random_crowds_agree(void **state)
{
  static const int counts[] = {0, 1, 2, 3, 31, 32, 33, 36, 63, 64, 65, 129, 255, 256, 257, MOST};
  ts_broad_phase *broad_phase = ts_broad_phase_create(0, NULL);
  ts_random random;
  ts_random_init(&random, 1);
  (void)state;
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k)
    for (int sparse = 0; sparse < 4; ++sparse) {
      crowd c;
      fill(&c, counts[k], pow(3.0, sparse), 0.5, &random);
      assert_as_brute_force(broad_phase, &c);
    }
  ts_broad_phase_destroy(broad_phase);
}

static void degenerate_crowds_agree(void **state)
{
  ts_broad_phase *broad_phase = ts_broad_phase_create(8, NULL);
  ts_random random;
  ts_random_init(&random, 2);
  (void)state;
  for (int few = 0; few < 2; ++few) {
    const int count = few ? 20 : 150;
    crowd c;
    fill(&c, count, 0.1, 5.0, &random); // all overlapping
    assert_as_brute_force(broad_phase, &c);
    for (int i = 0; i < count; ++i) c.boxes[i] = c.boxes[0]; // all equal
    assert_as_brute_force(broad_phase, &c);
    for (int i = 0; i < count; ++i) c.boxes[i] = box_at(random_point(&random, 0.0), (ts_vec3){0.0, 0.0, 0.0}); // points
    assert_as_brute_force(broad_phase, &c);
    for (int i = 0; i < count; ++i) // a row of boxes whose faces touch exactly
      c.boxes[i] = (ts_bounds){{i, 0.0, 0.0}, {i + 1.0, 1.0, 1.0}};
    assert_as_brute_force(broad_phase, &c);
    fill(&c, count, 3.0, 0.5, &random); // one huge box among small ones, another far away, a third nearly everywhere
    c.boxes[3] = box_at(ts_vec3_make(0.0, 0.0, -100.0), ts_vec3_make(100.0, 100.0, 100.0));
    c.boxes[5] = box_at(ts_vec3_make(1e30, 0.0, 0.0), ts_vec3_make(1.0, 1.0, 1.0));
    c.boxes[7] = (ts_bounds){{-1.7e308, -1.7e308, 0.0}, {1.7e308, 1.7e308, 0.1}};
    assert_as_brute_force(broad_phase, &c);
    for (int i = 0; i < count; ++i) c.moves[i] = false; // nothing moves
    assert_as_brute_force(broad_phase, &c);
  }
  ts_broad_phase_destroy(broad_phase);
}

// Half-spaces, slabs, everything, nothing, and boxes that are not numbers
static void infinite_boxes_and_bad_ones_agree(void **state)
{
  const double inf = INFINITY;
  const ts_bounds special[] = {
      {{-inf, -inf, -inf}, {inf, inf, inf}}, {{-inf, -inf, -inf}, {inf, inf, 0.0}},
      {{-1.0, -inf, -inf}, {1.0, inf, inf}}, {{-inf, -inf, 2.0}, {inf, inf, 3.0}},
      {{inf, inf, inf}, {-inf, -inf, -inf}},
  };
  const int special_count = sizeof special / sizeof special[0];
  ts_broad_phase *broad_phase = ts_broad_phase_create(8, NULL);
  ts_random random;
  ts_random_init(&random, 3);
  (void)state;
  for (int few = 0; few < 2; ++few) {
    crowd c;
    fill(&c, few ? 20 : 200, 3.0, 0.5, &random);
    for (int i = 0; i < special_count; ++i) c.boxes[3 * i + 1] = special[i];
    assert_as_brute_force(broad_phase, &c);
    const ts_box_pair *pairs;
    int pair_count;
    c.boxes[0].low.y = NAN;
    c.boxes[2].high.z = NAN;
    assert_true(ts_broad_phase_find(broad_phase, c.boxes, c.moves, c.count, &pairs, &pair_count));
    for (int k = 0; k < pair_count; ++k) {
      assert_true(pairs[k].first != 0 && pairs[k].first != 2);
      assert_true(pairs[k].second != 2);
    }
  }
  ts_broad_phase_destroy(broad_phase);
}

// The same boxes in another order give the same pairs under their new names, in the order of those.
static void permutation_of_boxes_permutes_pairs(void **state)
{
  enum { COUNT = 120 };
  ts_broad_phase *one = ts_broad_phase_create(COUNT, NULL), *other = ts_broad_phase_create(COUNT, NULL);
  ts_random random;
  ts_random_init(&random, 4);
  (void)state;
  for (int trial = 0; trial < 10; ++trial) {
    crowd c, permuted;
    int place[COUNT], pair_count, permuted_count;
    static bool paired[COUNT][COUNT];
    const ts_box_pair *pairs, *permuted_pairs;
    fill(&c, COUNT, 2.0, 0.5, &random);
    for (int i = 0; i < COUNT; ++i) place[i] = i;
    for (int i = COUNT - 1; i > 0; --i) {
      const int j = ts_random_below(&random, i + 1), kept = place[i];
      place[i] = place[j];
      place[j] = kept;
    }
    permuted.count = COUNT;
    for (int i = 0; i < COUNT; ++i) {
      permuted.boxes[place[i]] = c.boxes[i];
      permuted.moves[place[i]] = c.moves[i];
    }
    assert_true(ts_broad_phase_find(one, c.boxes, c.moves, COUNT, &pairs, &pair_count));
    assert_true(ts_broad_phase_find(other, permuted.boxes, permuted.moves, COUNT, &permuted_pairs, &permuted_count));
    assert_int_equal(pair_count, permuted_count);
    memset(paired, 0, sizeof paired);
    for (int k = 0; k < permuted_count; ++k) {
      paired[permuted_pairs[k].first][permuted_pairs[k].second] = true;
      paired[permuted_pairs[k].second][permuted_pairs[k].first] = true;
    }
    for (int k = 0; k < pair_count; ++k) assert_true(paired[place[pairs[k].first]][place[pairs[k].second]]);
  }
  ts_broad_phase_destroy(one);
  ts_broad_phase_destroy(other);
}

static void grown_memory_is_kept(void **state)
{
  allocation_count count = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&count);
  ts_broad_phase *broad_phase = ts_broad_phase_create(4, &allocator);
  ts_random random;
  crowd c;
  (void)state;
  ts_random_init(&random, 5);
  fill(&c, MOST, 1.0, 0.5, &random);
  assert_as_brute_force(broad_phase, &c);
  const int calls = count.calls;
  for (int trial = 0; trial < 5; ++trial) assert_as_brute_force(broad_phase, &c);
  assert_int_equal(count.calls, calls);
  ts_broad_phase_destroy(broad_phase);
}

// Memory that runs out at any moment is reported, and the object stays usable.
static void memory_running_out_is_survived(void **state)
{
  ts_random random;
  crowd c;
  (void)state;
  ts_random_init(&random, 6);
  fill(&c, MOST, 1.0, 0.5, &random);
  for (int budget = 0; budget < 40; ++budget) {
    const ts_box_pair *pairs;
    int pair_count;
    allocation_count count = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&count);
    ts_broad_phase *broad_phase = ts_broad_phase_create(4, &allocator);
    if (!broad_phase) continue;
    if (!ts_broad_phase_find(broad_phase, c.boxes, c.moves, c.count, &pairs, &pair_count)) {
      assert_int_equal(pair_count, 0);
      count.budget = 1000;
      assert_as_brute_force(broad_phase, &c);
    }
    ts_broad_phase_destroy(broad_phase);
  }
  ts_broad_phase_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_crowds_agree),
      cmocka_unit_test(degenerate_crowds_agree),
      cmocka_unit_test(infinite_boxes_and_bad_ones_agree),
      cmocka_unit_test(permutation_of_boxes_permutes_pairs),
      cmocka_unit_test(grown_memory_is_kept),
      cmocka_unit_test(memory_running_out_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
