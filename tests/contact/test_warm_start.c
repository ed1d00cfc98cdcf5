// Impulses from one step to the next: found again whatever else comes and goes, in frames that have turned, for steps
// of another length.
#include "counting_allocator.h"

#include "contact/warm_start.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST = 8 };

// Contacts by pair of parts and feature, without bodies: all that remembering looks at.
typedef struct touching {
  int dimension, count;
  ts_contact contacts[MOST];
  ts_part_pair parts[MOST];
  ts_block blocks[MOST + 2];
  ts_contact_set set;
  ts_system system;
  ts_bounded_row bounded[2];
  int bounded_count;
} touching;

static void touching_init(touching *t, int dimension)
{
  *t = (touching){.dimension = dimension};
}

static void touch(touching *t, int first, int second, uint32_t feature, double angle)
{
  const double c = cos(angle), s = sin(angle);
  t->contacts[t->count] =
      (ts_contact){.feature = feature, .normal = {0.0, 0.0, 1.0}, .tangent = {c, s, 0.0}, .other = {-s, c, 0.0}};
  t->parts[t->count] = (ts_part_pair){first, second};
  t->blocks[t->count] = (ts_block){.kind = TS_BLOCK_CONTACT, .source = t->count};
  ++t->count;
}

static void bound(touching *t, int joint, uint32_t feature, bool limit)
{
  const int k = t->bounded_count++;
  t->bounded[k] = (ts_bounded_row){.joint = joint, .feature = feature};
  t->blocks[t->count + k] = (ts_block){.kind = limit ? TS_BLOCK_LIMIT : TS_BLOCK_MOTOR, .source = k};
}

static void finish(touching *t)
{
  t->set = (ts_contact_set){.count = t->count, .contacts = t->contacts, .parts = t->parts};
  t->system = (ts_system){.dimension = t->dimension, .count = t->count + t->bounded_count, .blocks = t->blocks};
}

static ts_warm_start remember(const touching *t, const ts_warm_start *old, const double *r, double h, ts_arena *arena)
{
  static const ts_warm_start nothing = {0};
  return ts_remember(old ? old : &nothing, &t->system, &t->set, t->bounded, r, h, arena);
}

static void impulses_are_found_again(void **state)
{
  jmp_buf recovery;
  ts_arena *arena = *state;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  touching before, after;
  touching_init(&before, 3);
  touch(&before, 0, 1, 7, 0.0);
  touch(&before, 0, 1, 9, 0.0);
  touch(&before, 0, 2, 7, 0.0);
  touch(&before, 3, 1, 7, 0.0); // the moving part first, whatever its number
  touch(&before, 2, 3, 1, 0.0);
  bound(&before, 4, TS_UPPER_STOP, true);
  bound(&before, 4, TS_DRIVE, false);
  finish(&before);
  double r[21];
  for (int k = 0; k < 21; ++k) r[k] = k + 1.0;
  const ts_warm_start memory = remember(&before, NULL, r, 0.01, arena);

  // The points of the first pair in another order, the second pair gone, one that is new, frames turned by 90 degrees,
  // and half the length of step.
  const double quarter = 0.5 * TS_PI;
  touching_init(&after, 3);
  touch(&after, 0, 1, 9, quarter);
  touch(&after, 0, 1, 7, quarter);
  touch(&after, 1, 2, 7, quarter);
  touch(&after, 3, 1, 7, quarter);
  touch(&after, 2, 3, 2, quarter);
  bound(&after, 4, TS_DRIVE, false);
  bound(&after, 5, TS_DRIVE, false);
  finish(&after);
  double found[21];
  for (int k = 0; k < 21; ++k) found[k] = 1e9;
  assert_true(ts_recall(&memory, &after.system, &after.set, after.bounded, 0.005, found));
  const double expected[21] = {2.0,  3.0, -2.5, 0.5, 1.5, -1.0, 0.0, 0.0, 0.0, 5.0, 6.0,
                               -5.5, 0.0, 0.0,  0.0, 9.5, 10.0, 0.0, 0.0, 0.0, 0.0};
  for (int k = 0; k < 21; ++k) assert_near(found[k], expected[k], 1e-12);
}

// A contact that was there twice starts from the mean of the two; one that is new from its only force.
static void two_steps_are_averaged(void **state)
{
  jmp_buf recovery;
  ts_arena *arena = *state;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  touching t;
  touching_init(&t, 4);
  touch(&t, 0, 1, 3, 0.0);
  touch(&t, 0, 1, 4, 0.0);
  finish(&t);
  const double first[8] = {1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0};
  const double second[8] = {3.0, 0.0, 1.0, 8.0, 5.0, 1.0, 1.0, 1.0};
  const ts_warm_start once = remember(&t, NULL, first, 1.0, arena);
  const ts_warm_start twice = remember(&t, &once, second, 1.0, arena);
  double found[8];
  assert_true(ts_recall(&twice, &t.system, &t.set, t.bounded, 1.0, found));
  const double mean[4] = {2.0, 1.0, 2.0, 6.0};
  for (int k = 0; k < 4; ++k) assert_near(found[k], mean[k], 1e-12);
}

static double change_of(const ts_warm_start *memory, const touching *t)
{
  return ts_remembered_change(memory, &t->system, &t->set, t->bounded);
}

// The components of a contact's force in the world count together: normal, tangents, spin.
static void changes_are_measured(void **state)
{
  jmp_buf recovery;
  ts_arena *arena = *state;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  touching t;
  touching_init(&t, 4);
  touch(&t, 0, 1, 3, 0.0);
  finish(&t);
  const double first[4] = {2.0, 0.0, 0.0, 1.0}, second[4] = {3.0, 0.0, 0.0, 0.5}, none[4] = {0.0};
  const ts_warm_start empty = {0}, once = remember(&t, NULL, first, 1.0, arena);
  const ts_warm_start twice = remember(&t, &once, second, 1.0, arena);
  const ts_warm_start same = remember(&t, &twice, second, 1.0, arena), gone = remember(&t, &same, none, 1.0, arena);
  assert_near(change_of(&empty, &t), 0.0, 0.0);
  assert_near(change_of(&once, &t), 0.0, 0.0); // what is new has no other force
  assert_near(change_of(&twice, &t), 1.5 / 3.5, 1e-15);
  assert_near(change_of(&same, &t), 0.0, 0.0);
  assert_true(isinf(change_of(&gone, &t)));
}

// A force limit is data of the problem: neither its size nor its change counts. Contacts of other islands do not count.
static void limits_and_other_islands_do_not_count(void **state)
{
  jmp_buf recovery;
  ts_arena *arena = *state;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  touching all, island;
  touching_init(&all, 3);
  touch(&all, 0, 1, 3, 0.0);
  touch(&all, 0, 2, 3, 0.0);
  bound(&all, 4, TS_DRIVE, false);
  finish(&all);
  touching_init(&island, 3);
  touch(&island, 0, 2, 3, 0.0);
  finish(&island);
  island.system.origin = (const int[]){1};
  const double first[9] = {1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1e12, 1.0, 0.0};
  const double second[9] = {2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 5e12, 1.0, 0.0};
  const ts_warm_start once = remember(&all, NULL, first, 1.0, arena);
  const ts_warm_start twice = remember(&all, &once, second, 1.0, arena);
  assert_near(change_of(&twice, &all), 1.0 / 5.0, 1e-15);
  assert_near(change_of(&twice, &island), 0.0, 0.0);
}

static void nothing_is_made_up(void **state)
{
  jmp_buf recovery;
  ts_arena *arena = *state;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  touching t, other;
  touching_init(&t, 2);
  touch(&t, 0, 1, 3, 0.0);
  finish(&t);
  touching_init(&other, 2);
  touch(&other, 0, 2, 3, 0.0);
  touch(&other, 0, 3, 3, 0.0);
  finish(&other);
  const ts_warm_start empty = {0};
  double found[4] = {7.0, 7.0, 7.0, 7.0};
  const double r[2] = {1.0, 0.5}, zero[2] = {0.0, 0.0};
  assert_false(ts_recall(&empty, &t.system, &t.set, t.bounded, 1.0, found));
  assert_near(found[0], 0.0, 0.0);
  const ts_warm_start memory = remember(&t, NULL, r, 1.0, arena), idle = remember(&t, NULL, zero, 1.0, arena);
  assert_false(ts_recall(&memory, &other.system, &other.set, other.bounded, 1.0, found));
  for (int k = 0; k < 4; ++k) assert_near(found[k], 0.0, 0.0);
  assert_false(ts_recall(&idle, &t.system, &t.set, t.bounded, 1.0, found)); // no force is nothing to begin with
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_are_found_again), cmocka_unit_test(two_steps_are_averaged),
      cmocka_unit_test(changes_are_measured),     cmocka_unit_test(limits_and_other_islands_do_not_count),
      cmocka_unit_test(nothing_is_made_up),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
