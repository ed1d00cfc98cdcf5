// Points of patches that one guess takes over from another: by their parts and features, wherever they stand.
#include "step/implicit/patches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { POINTS = 5, BOUNDED = 2, BLOCKS = POINTS + BOUNDED, DIMENSION = 4 };

// Points that are named by the number of their second part and their feature. Around the impulses lies some room.
typedef struct named_points {
  ts_contact contacts[POINTS];
  ts_part_pair parts[POINTS];
  double r[DIMENSION + BLOCKS * DIMENSION + DIMENSION];
  ts_patch_set set;
} named_points;

static void name_points(named_points *n, int count, const int names[][2], double first)
{
  *n = (named_points){.set = {.points = {.count = count, .contacts = n->contacts, .parts = n->parts},
                              .bounded = BOUNDED,
                              .r = n->r + DIMENSION}};
  for (int i = 0; i < count; ++i) {
    n->parts[i] = (ts_part_pair){0, names[i][0]};
    n->contacts[i].feature = (uint32_t)names[i][1];
  }
  const int numbers = (int)(sizeof n->r / sizeof *n->r);
  for (int k = 0; k < numbers; ++k) n->r[k] = first + k;
}

static double impulse(const named_points *n, int block, int row)
{
  return n->set.r[block * DIMENSION + row];
}

static void impulses_follow_parts_and_features(void **state)
{
  (void)state;
  static const int before[][2] = {{1, 7}, {1, 8}, {2, 7}, {3, 1}};
  static const int now[][2] = {{1, 8}, {1, 9}, {2, 7}, {3, 1}, {1, 7}};
  static const int taken[] = {1, -1, 2, 3, 0}; // from which of those before
  named_points old, new, given;
  name_points(&old, 4, before, 1000.0);
  name_points(&new, POINTS, now, 0.0);
  name_points(&given, POINTS, now, 0.0);
  ts_patches_recall(&new.set, &old.set, DIMENSION);
  for (int row = 0; row < DIMENSION; ++row) {
    for (int i = 0; i < POINTS; ++i) {
      const double expected = taken[i] < 0 ? impulse(&given, i, row) : impulse(&old, taken[i], row);
      assert_true(impulse(&new, i, row) == expected);
    }
    for (int k = 0; k < BOUNDED; ++k) assert_true(impulse(&new, POINTS + k, row) == impulse(&old, 4 + k, row));
    assert_true(impulse(&new, -1, row) == impulse(&given, -1, row)); // before and behind it nothing is written
    assert_true(impulse(&new, BLOCKS, row) == impulse(&given, BLOCKS, row));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_follow_parts_and_features)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
