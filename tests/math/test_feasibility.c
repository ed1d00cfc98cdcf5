// Systems of linear inequalities: points are put into them, multipliers are multiplied out, and both kinds of systems
// are made so that the answer is known.
#include "base/random.h"
#include "math/feasibility.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "gives_back.h"

enum { MOST_ROWS = 12, MOST_COLUMNS = 20, PIVOTS = 400 };

typedef struct specimen {
  double A[MOST_ROWS * MOST_COLUMNS], b[MOST_ROWS];
  bool equal[MOST_ROWS];
  ts_inequalities system;
} specimen;

static void random_specimen(specimen *s, ts_random *random)
{
  const int rows = 1 + ts_random_below(random, MOST_ROWS), columns = 1 + ts_random_below(random, MOST_COLUMNS);
  s->system = (ts_inequalities){rows, columns, s->A, s->b, s->equal};
  for (int k = 0; k < rows * columns; ++k) s->A[k] = ts_random_below(random, 3) ? ts_random_normal(random) : 0.0;
  for (int i = 0; i < rows; ++i) {
    s->b[i] = ts_random_below(random, 4) ? ts_random_normal(random) : 0.0;
    s->equal[i] = ts_random_below(random, 3) == 0;
  }
}

static double row_times(const specimen *s, int i, const double *x)
{
  double sum = 0.0;
  for (int j = 0; j < s->system.columns; ++j) sum += s->A[j * s->system.rows + i] * x[j];
  return sum;
}

static void assert_point(const specimen *s, const double *x)
{
  double size = 1.0;
  for (int j = 0; j < s->system.columns; ++j) {
    assert_true(x[j] >= 0.0);
    size = fmax(size, x[j]);
  }
  for (int i = 0; i < s->system.rows; ++i) {
    const double surplus = row_times(s, i, x) - s->b[i];
    assert_true(surplus >= -1e-9 * size);
    if (s->equal[i]) assert_true(surplus <= 1e-9 * size);
  }
}

static void assert_proof(const specimen *s, const double *y)
{
  double gap = 0.0;
  for (int i = 0; i < s->system.rows; ++i) {
    if (!s->equal[i]) assert_true(y[i] >= -1e-9);
    gap += y[i] * s->b[i];
  }
  assert_true(gap > 1e-10);
  for (int j = 0; j < s->system.columns; ++j) {
    double sum = 0.0;
    for (int i = 0; i < s->system.rows; ++i) sum += y[i] * s->A[j * s->system.rows + i];
    assert_true(sum <= 1e-6 * gap);
  }
}

static void check_answers(ts_arena *arena)
{
  ts_random random;
  ts_random_init(&random, 8);
  int count[3] = {0, 0, 0};
  for (int trial = 0; trial < 5000; ++trial) {
    specimen s;
    double x[MOST_COLUMNS], y[MOST_ROWS];
    random_specimen(&s, &random);
    ts_feasibility answer;
    assert_gives_back(arena, answer = ts_find_feasible(&s.system, PIVOTS, arena, x, y));
    ++count[answer];
    if (answer == TS_FEASIBLE) assert_point(&s, x);
    if (answer == TS_NOT_FEASIBLE) assert_proof(&s, y);
  }
  print_message("%d feasible, %d not, %d unknown\n", count[0], count[1], count[2]);
  assert_true(count[0] > 1000 && count[1] > 1000 && count[2] == 0);
}

// b = A x - s for known x, s >= 0: feasible. And b with y A <= 0, y b = 1 for known y: not.
static void check_planted_answers(ts_arena *arena)
{
  ts_random random;
  ts_random_init(&random, 9);
  for (int trial = 0; trial < 2000; ++trial) {
    specimen s;
    double x[MOST_COLUMNS], y[MOST_ROWS];
    random_specimen(&s, &random);
    const int rows = s.system.rows, columns = s.system.columns;
    for (int j = 0; j < columns; ++j) x[j] = ts_random_below(&random, 2) ? ts_random_uniform(&random, 0.0, 2.0) : 0.0;
    for (int i = 0; i < rows; ++i)
      s.b[i] = row_times(&s, i, x) - (s.equal[i] ? 0.0 : ts_random_uniform(&random, 0.0, 1.0));
    assert_int_equal(ts_find_feasible(&s.system, PIVOTS, arena, x, y), TS_FEASIBLE);
    assert_point(&s, x);

    double square = 0.0, gap = 0.0;
    for (int i = 0; i < rows; ++i) {
      y[i] = s.equal[i] ? ts_random_normal(&random) : fabs(ts_random_normal(&random));
      square += y[i] * y[i];
      gap += y[i] * s.b[i];
    }
    for (int i = 0; i < rows; ++i) s.b[i] += (1.0 - gap) * y[i] / square;
    for (int j = 0; j < columns; ++j) {
      double sum = 0.0;
      for (int i = 0; i < rows; ++i) sum += y[i] * s.A[j * rows + i];
      for (int i = 0; i < rows && sum > 0.0; ++i) s.A[j * rows + i] -= 1.1 * sum * y[i] / square;
    }
    assert_int_equal(ts_find_feasible(&s.system, PIVOTS, arena, x, y), TS_NOT_FEASIBLE);
    assert_proof(&s, y);
  }
}

// No rows, no columns, and limits that are too tight.
static void check_edges(ts_arena *arena)
{
  const double one = 1.0, minus = -1.0;
  const bool no = false;
  double x[1], y[1];
  const ts_inequalities nothing = {0, 0, NULL, NULL, NULL}, wanting = {1, 0, NULL, &one, &no},
                        content = {1, 0, NULL, &minus, &no}, simple = {1, 1, &one, &one, &no};
  assert_int_equal(ts_find_feasible(&nothing, PIVOTS, arena, x, y), TS_FEASIBLE);
  assert_int_equal(ts_find_feasible(&wanting, PIVOTS, arena, x, y), TS_NOT_FEASIBLE);
  assert_int_equal(ts_find_feasible(&content, PIVOTS, arena, x, y), TS_FEASIBLE);
  assert_int_equal(ts_find_feasible(&simple, 0, arena, x, y), TS_FEASIBILITY_UNKNOWN);
  assert_int_equal(ts_find_feasible(&simple, 1, arena, x, y), TS_FEASIBLE);
  assert_true(x[0] == 1.0);
}

static void with_arena(void (*check)(ts_arena *arena))
{
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  check(&arena);
  ts_arena_release(&arena);
}

static void answers_keep_their_word(void **state)
{
  (void)state;
  with_arena(check_answers);
}

static void planted_answers_are_found(void **state)
{
  (void)state;
  with_arena(check_planted_answers);
}

static void edges_are_survived(void **state)
{
  (void)state;
  with_arena(check_edges);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_keep_their_word),
      cmocka_unit_test(planted_answers_are_found),
      cmocka_unit_test(edges_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
