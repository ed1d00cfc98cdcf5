// Near pairs of boxes that move against a search from scratch at every step, kind and hostile; memory.
#include "shape/near_pairs.h"

#include "counting_allocator.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 150 };

typedef struct crowd {
  ts_bounds boxes[MOST];
  ts_vec3 velocity[MOST]; // a step
  double way[MOST];
  bool moves[MOST];
  int count;
} crowd;

static ts_vec3 random_vector(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

static void fill(crowd *c, int count, double speed, ts_random *random)
{
  c->count = count;
  for (int i = 0; i < count; ++i) {
    const ts_vec3 middle = random_vector(random, 1.0), half = {0.1, 0.1, 0.1};
    c->boxes[i] = (ts_bounds){ts_sub(middle, half), ts_add(middle, half)};
    c->moves[i] = ts_random_below(random, 4) > 0;
    c->velocity[i] = c->moves[i] ? random_vector(random, speed) : (ts_vec3){0.0, 0.0, 0.0};
    c->way[i] = ts_length(c->velocity[i]);
  }
}

static void move(crowd *c)
{
  for (int i = 0; i < c->count; ++i)
    c->boxes[i] = (ts_bounds){ts_add(c->boxes[i].low, c->velocity[i]), ts_add(c->boxes[i].high, c->velocity[i])};
}

// Every box is in its fat box, or is no box, and pairs that overlap are among those kept, in their order.
static void assert_all_kept(const ts_near_pairs *near, const crowd *c, const ts_box_pair *expected, int expected_count)
{
  const ts_bounds *fat_boxes = ts_near_pairs_fat_boxes(near, c->count);
  assert_true(fat_boxes != NULL || c->count == 0);
  assert_null(ts_near_pairs_fat_boxes(near, c->count + 1));
  for (int i = 0; i < c->count; ++i)
    if (ts_bounds_are_proper(&c->boxes[i])) assert_true(ts_bounds_overlap(&fat_boxes[i], &c->boxes[i]));
  int kept_count, next = 0;
  const ts_box_pair *kept = ts_near_pairs_kept(near, &kept_count);
  for (int k = 0; k < kept_count && next < expected_count; ++k)
    next += kept[k].first == expected[next].first && kept[k].second == expected[next].second;
  assert_int_equal(next, expected_count);
}

static int assert_as_from_scratch(ts_near_pairs *near, ts_broad_phase *broad_phase, const crowd *c)
{
  const ts_box_pair *pairs, *expected;
  int count, expected_count;
  assert_true(ts_near_pairs_find(near, c->boxes, c->way, c->moves, c->count, &pairs, &count));
  assert_true(ts_broad_phase_find(broad_phase, c->boxes, c->moves, c->count, &expected, &expected_count));
  assert_int_equal(count, expected_count);
  if (count > 0) assert_memory_equal(pairs, expected, (size_t)count * sizeof *pairs);
  assert_all_kept(near, c, expected, expected_count);
  return count;
}

// Slow and fast, few and many, one crowd after another in the same object; ways that are true, far too short, and far
// too long.
static void crowds_that_move_agree(void **state)
{
  (void)state;
  static const int counts[] = {0, 1, 2, 7, 40, 63, 64, MOST};
  static const double speeds[] = {0.0, 1e-4, 1e-2, 0.5}, factors[] = {0.0, 1.0, 100.0};
  ts_random random;
  ts_random_init(&random, 3);
  ts_near_pairs *near = ts_near_pairs_create(0, NULL);
  ts_broad_phase *broad_phase = ts_broad_phase_create(0, NULL);
  int found = 0;
  for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n)
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; ++s)
      for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
        crowd c;
        fill(&c, counts[n], speeds[s], &random);
        for (int i = 0; i < c.count; ++i) c.way[i] *= factors[f];
        for (int step = 0; step < 20; ++step, move(&c)) found += assert_as_from_scratch(near, broad_phase, &c);
      }
  assert_true(found > 1000);
  ts_near_pairs_destroy(near);
  ts_broad_phase_destroy(broad_phase);
}

// Boxes that jump, that begin and cease to move, that have no end, no sense or no numbers, and ways that have none.
static void hostile_boxes_agree(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY, -1.0, 1e308, 0.0};
  enum { BAD = sizeof bad / sizeof *bad };
  ts_random random;
  ts_random_init(&random, 4);
  ts_near_pairs *near = ts_near_pairs_create(MOST, NULL);
  ts_broad_phase *broad_phase = ts_broad_phase_create(MOST, NULL);
  crowd c, good;
  fill(&good, 30, 1e-3, &random);
  for (int trial = 0; trial < 3000; ++trial) {
    if (trial % 10 == 0) c = good;
    const int i = ts_random_below(&random, c.count);
    const double value = bad[ts_random_below(&random, BAD)];
    switch (ts_random_below(&random, 6)) {
    case 0:
      c.boxes[i].low.x = value;
      break;
    case 1:
      c.boxes[i].high.y = value;
      break;
    case 2:
      c.way[i] = value;
      break;
    case 3:
      c.moves[i] = !c.moves[i];
      break;
    case 4: {
      const ts_bounds box = c.boxes[i];
      c.boxes[i] = (ts_bounds){box.high, box.low};
      break;
    }
    default:
      move(&c);
    }
    assert_as_from_scratch(near, broad_phase, &c);
  }
  ts_near_pairs_destroy(near);
  ts_broad_phase_destroy(broad_phase);
}

static void grown_memory_is_kept(void **state)
{
  (void)state;
  allocation_count l = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&l);
  ts_near_pairs *near = ts_near_pairs_create(4, &allocator);
  ts_broad_phase *broad_phase = ts_broad_phase_create(4, NULL);
  for (int round = 0; round < 2; ++round) {
    ts_random random;
    ts_random_init(&random, 5);
    const int before = l.calls;
    crowd c;
    fill(&c, MOST, 0.02, &random);
    for (int step = 0; step < 50; ++step, move(&c)) assert_as_from_scratch(near, broad_phase, &c);
    if (round > 0) assert_int_equal(l.calls, before);
  }
  ts_near_pairs_destroy(near);
  ts_broad_phase_destroy(broad_phase);
  assert_int_equal(l.held, 0);
}

// Memory that runs out at any moment is reported, and the object stays usable.
static void memory_running_out_is_survived(void **state)
{
  (void)state;
  ts_random random;
  crowd c;
  ts_random_init(&random, 6);
  fill(&c, MOST, 0.1, &random);
  ts_broad_phase *broad_phase = ts_broad_phase_create(MOST, NULL);
  int failures = 0;
  for (int budget = 0; budget < 60; ++budget) {
    allocation_count l = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&l);
    ts_near_pairs *near = ts_near_pairs_create(4, &allocator);
    const ts_box_pair *pairs;
    int count;
    if (near && !ts_near_pairs_find(near, c.boxes, c.way, c.moves, c.count, &pairs, &count)) {
      ++failures;
      assert_int_equal(count, 0);
      l.budget = 1000;
      assert_as_from_scratch(near, broad_phase, &c);
    }
    ts_near_pairs_destroy(near);
    assert_int_equal(l.held, 0);
  }
  assert_true(failures > 0);
  ts_near_pairs_destroy(NULL);
  ts_broad_phase_destroy(broad_phase);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crowds_that_move_agree),
      cmocka_unit_test(hostile_boxes_agree),
      cmocka_unit_test(grown_memory_is_kept),
      cmocka_unit_test(memory_running_out_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
