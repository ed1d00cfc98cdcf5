// The arena: alignment, marks, growth into one chunk, and the way out when memory runs out.
#include "counting_allocator.h"
#include "base/arena.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void memory_is_aligned_and_separate(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double *a = ts_arena_doubles(&arena, 3), *b = ts_arena_doubles(&arena, 100000);
  int *c = ts_arena_ints(&arena, 1);
  assert_int_equal((uintptr_t)a % 64, 0);
  assert_int_equal((uintptr_t)b % 64, 0);
  assert_int_equal((uintptr_t)c % 64, 0);
  a[2] = 1.0;
  for (int i = 0; i < 100000; ++i) b[i] = 2.0;
  *c = 3;
  assert_true(a[2] == 1.0 && b[0] == 2.0 && b[99999] == 2.0);
  ts_arena_release(&arena);
}

static void restoring_a_mark_hands_out_the_same_memory(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_arena_doubles(&arena, 10);
  const ts_arena_mark mark = ts_arena_save(&arena);
  const double *first = ts_arena_doubles(&arena, 10);
  ts_arena_doubles(&arena, 1 << 20); // a second chunk
  ts_arena_restore(&arena, mark);
  assert_ptr_equal(ts_arena_doubles(&arena, 10), first);
  ts_arena_release(&arena);
}

// Of many chunks that came after a mark of an empty arena, or of one with a chunk, the first is kept alone.
static void restoring_a_mark_gives_chunks_back(void **state)
{
  (void)state;
  for (int begun = 0; begun < 2; ++begun) {
    allocation_count c = UNLIMITED_ALLOCATIONS;
    const ts_allocator allocator = counting_allocator(&c);
    ts_arena arena;
    ts_arena_init(&arena, &allocator);
    if (begun) ts_arena_doubles(&arena, 10);
    const ts_arena_mark mark = ts_arena_save(&arena);
    for (size_t size = 1000; size < 1000000; size *= 4) ts_arena_doubles(&arena, size);
    assert_true(c.held > 2);
    ts_arena_restore(&arena, mark);
    assert_int_equal(c.held, 1);
    ts_arena_release(&arena);
    assert_int_equal(c.held, 0);
  }
}

static void the_second_run_of_a_size_allocates_nothing(void **state)
{
  (void)state;
  allocation_count c = {.budget = 1000};
  ts_arena arena;
  const ts_allocator allocator = counting_allocator(&c);
  ts_arena_init(&arena, &allocator);
  int calls_of_third_run = -1;
  for (int run = 0; run < 3; ++run) {
    const int before = c.calls;
    ts_arena_reset(&arena);
    const int after_reset = c.calls;
    for (int i = 1; i < 200; ++i) ts_arena_doubles(&arena, (size_t)(37 * i));
    calls_of_third_run = c.calls - (run == 2 ? before : after_reset);
  }
  assert_int_equal(calls_of_third_run, 0);
  ts_arena_release(&arena);
}

static void skip_where_nothing_guards(void)
{
#if !defined(TS_ARENA_GUARDS) && !defined(TS_ARENA_SPOILS)
  skip();
#endif
}

// Whether reading the double would be seen as a mistake: builds without a guard see none.
static bool is_closed(const double *memory)
{
#if defined(TS_ARENA_GUARDS)
  return __asan_address_is_poisoned(memory) != 0;
#elif defined(TS_ARENA_SPOILS)
  return isnan(*memory);
#else
  (void)memory;
  return false;
#endif
}

static void memory_that_was_given_back_cannot_be_used(void **state)
{
  (void)state;
  skip_where_nothing_guards();
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double *kept = ts_arena_zeros(&arena, 3);
  const ts_arena_mark mark = ts_arena_save(&arena);
  double *restored = ts_arena_zeros(&arena, 3);
  assert_false(is_closed(&restored[2]));
  ts_arena_restore(&arena, mark);
  assert_true(is_closed(&restored[0]));
  assert_true(is_closed(&restored[2]));
  assert_false(is_closed(&kept[2]));
  double *again = ts_arena_zeros(&arena, 2);
  assert_ptr_equal(again, restored);
  assert_false(is_closed(&again[1]));
  assert_true(is_closed(&again[2])); // beyond its end
  ts_arena_reset(&arena);
  assert_true(is_closed(&kept[0]));
  ts_arena_release(&arena);
}

static void running_out_leaves_to_the_recovery_point(void **state)
{
  (void)state;
  allocation_count c = {.budget = 1};
  ts_arena arena;
  jmp_buf recovery;
  const ts_allocator allocator = counting_allocator(&c);
  ts_arena_init(&arena, &allocator);
  arena.recovery = &recovery;
  volatile int recovered = 0;
  if (setjmp(recovery))
    recovered = 1;
  else
    for (;;) ts_arena_doubles(&arena, 1000);
  assert_int_equal(recovered, 1);
  if (setjmp(recovery))
    recovered = 2;
  else
    ts_arena_bytes(&arena, SIZE_MAX / 2, 16); // would overflow
  assert_int_equal(recovered, 2);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_aligned_and_separate),
      cmocka_unit_test(restoring_a_mark_hands_out_the_same_memory),
      cmocka_unit_test(restoring_a_mark_gives_chunks_back),
      cmocka_unit_test(the_second_run_of_a_size_allocates_nothing),
      cmocka_unit_test(memory_that_was_given_back_cannot_be_used),
      cmocka_unit_test(running_out_leaves_to_the_recovery_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
