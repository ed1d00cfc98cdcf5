// Members of a team share the work of a region, wait for each other at barriers, and sleep where there is nothing to
// do.
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

enum { MOST = 5, THINGS = 1003 };

static ts_team *make_team(int size)
{
  ts_team *team = ts_team_create(size, NULL);
  assert_non_null(team);
  assert_int_equal(ts_team_size(team), size);
  return team;
}

// ---- shares --------------------------------------------------------------------------------------------------------

static void shares_are_even_and_in_order(void **state)
{
  (void)state;
  const int counts[] = {0, 1, 2, 7, 64, 1000, INT32_MAX};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (int size = 1; size <= 256; ++size) {
      int next = 0;
      for (int member = 0; member < size; ++member) {
        int first, end;
        ts_team_share(counts[c], member, size, &first, &end);
        assert_int_equal(first, next);
        assert_true(end - first == counts[c] / size || end - first == counts[c] / size + 1);
        next = end;
      }
      assert_int_equal(next, counts[c]);
    }
}

// ---- regions -------------------------------------------------------------------------------------------------------

typedef struct squares {
  int64_t of[THINGS];
  int calls[MOST];
  int size;
} squares;

static void square(void *argument, int member, int size)
{
  squares *s = argument;
  int first, end;
  ts_team_share(THINGS, member, size, &first, &end);
  for (int i = first; i < end; ++i) s->of[i] += (int64_t)i * i;
  ++s->calls[member];
  if (member == 0) s->size = size;
}

static void all_members_work_once_a_region(void **state)
{
  (void)state;
  for (int size = 1; size <= MOST; ++size) {
    ts_team *team = make_team(size);
    squares s = {0};
    for (int k = 1; k <= 300; ++k) {
      ts_team_run(team, square, &s);
      for (int i = 0; i < THINGS; ++i) assert_int_equal(s.of[i], (int64_t)k * i * i); // all is there
    }
    for (int member = 0; member < size; ++member) assert_int_equal(s.calls[member], 300);
    assert_int_equal(s.size, size);
    ts_team_destroy(team);
  }
}

static void without_a_team_the_caller_works_alone(void **state)
{
  (void)state;
  squares s = {0};
  assert_int_equal(ts_team_size(NULL), 1);
  ts_team_run(NULL, square, &s);
  ts_team_barrier(NULL, 0);
  assert_int_equal(s.calls[0], 1);
  assert_int_equal(s.size, 1);
  assert_int_equal(s.of[THINGS - 1], (int64_t)(THINGS - 1) * (THINGS - 1));
  ts_team_destroy(NULL);
}

// ---- barriers ------------------------------------------------------------------------------------------------------

// A line of cells: in each round a cell becomes what its left neighbour was, and the first one counts rounds. A member
// that ran ahead or lagged behind would see a number of another round.
typedef struct shift_line {
  ts_team *team;
  int rounds;
  int cells[2][MOST];
} shift_line;

static void shift(void *argument, int member, int size)
{
  shift_line *line = argument;
  (void)size;
  for (int k = 1; k <= line->rounds; ++k) {
    const int *old = line->cells[(k + 1) % 2];
    line->cells[k % 2][member] = member == 0 ? k : old[member - 1];
    ts_team_barrier(line->team, member);
  }
}

static void barriers_keep_members_together(void **state)
{
  (void)state;
  for (int size = 1; size <= MOST; ++size) {
    shift_line line = {.team = make_team(size), .rounds = 500};
    for (int k = 0; k < 4; ++k) { // regions with an odd number of barriers as well
      memset(line.cells, 0, sizeof line.cells);
      line.rounds += k;
      ts_team_run(line.team, shift, &line);
      for (int member = 0; member < size; ++member)
        assert_int_equal(line.cells[line.rounds % 2][member], line.rounds - member);
    }
    ts_team_destroy(line.team);
  }
}

// ---- sleep ---------------------------------------------------------------------------------------------------------

static double processor_seconds(void)
{
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Four threads that stay awake would take the time of all processors there are; sleeping ones take none, whatever else
// runs on the machine. They come back for the next region.
static void idle_members_sleep(void **state)
{
  (void)state;
  ts_team *team = make_team(MOST);
  squares s = {0};
  for (int k = 1; k <= 3; ++k) {
    ts_team_run(team, square, &s);
    const double before = processor_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    assert_true(processor_seconds() - before < 0.1);
    assert_int_equal(s.of[10], k * 100);
  }
  ts_team_destroy(team);
}

// Regions come when members are awake, about to sleep and asleep.
static void no_region_is_missed_on_the_way_to_sleep(void **state)
{
  (void)state;
  ts_team *team = make_team(3);
  squares s = {0};
  for (int k = 1; k <= 400; ++k) {
    ts_team_run(team, square, &s);
    assert_int_equal(s.of[THINGS - 1], (int64_t)k * (THINGS - 1) * (THINGS - 1));
    nanosleep(&(struct timespec){.tv_nsec = 1000 * k}, NULL);
  }
  ts_team_destroy(team);
}

// ---- the rest ------------------------------------------------------------------------------------------------------

static void note_rounding(void *argument, int member, int size)
{
  (void)size;
  ((int *)argument)[member] = fegetround();
}

static void members_round_as_the_caller_does(void **state)
{
  (void)state;
  ts_team *team = make_team(3);
  const int ways[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
    int seen[3];
    fesetround(ways[k]);
    ts_team_run(team, note_rounding, seen);
    fesetround(FE_TONEAREST);
    for (int member = 0; member < 3; ++member) assert_int_equal(seen[member], ways[k]);
  }
  ts_team_destroy(team);
}

typedef struct account {
  int asked, held;
  bool empty;
} account;

static void *take(void *user, size_t bytes)
{
  account *a = user;
  ++a->asked;
  if (a->empty) return NULL;
  ++a->held;
  return malloc(bytes + 1); // aligned no better than malloc's
}

static void give_back(void *user, void *memory)
{
  account *a = user;
  --a->held;
  free(memory);
}

static void memory_comes_from_the_allocator(void **state)
{
  (void)state;
  account a = {0};
  const ts_allocator allocator = {take, give_back, &a};
  ts_team *team = ts_team_create(2, &allocator);
  squares s = {0};
  assert_non_null(team);
  const int asked = a.asked;
  for (int k = 0; k < 10; ++k) ts_team_run(team, square, &s);
  assert_int_equal(a.asked, asked);
  ts_team_destroy(team);
  assert_int_equal(a.held, 0);
  a.empty = true;
  assert_null(ts_team_create(2, &allocator));
  assert_int_equal(a.held, 0);
}

// Creation and destruction without a region between, and of teams side by side.
static void teams_come_and_go(void **state)
{
  (void)state;
  for (int k = 0; k < 50; ++k) {
    ts_team *one = make_team(1 + k % 4), *two = make_team(3);
    squares s = {0}, t = {0};
    if (k % 2) ts_team_run(one, square, &s);
    if (k % 3) ts_team_run(two, square, &t);
    assert_int_equal(s.of[7], k % 2 ? 49 : 0);
    assert_int_equal(t.of[7], k % 3 ? 49 : 0);
    ts_team_destroy(one);
    ts_team_destroy(two);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_even_and_in_order),
      cmocka_unit_test(all_members_work_once_a_region),
      cmocka_unit_test(without_a_team_the_caller_works_alone),
      cmocka_unit_test(barriers_keep_members_together),
      cmocka_unit_test(idle_members_sleep),
      cmocka_unit_test(no_region_is_missed_on_the_way_to_sleep),
      cmocka_unit_test(members_round_as_the_caller_does),
      cmocka_unit_test(memory_comes_from_the_allocator),
      cmocka_unit_test(teams_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
