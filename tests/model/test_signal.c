// Signals against closed forms, rates against central differences, and what is refused.
#include "model/signal.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static double cubed(void *user, double t, double *rate)
{
  const double scale = *(const double *)user;
  *rate = 3.0 * scale * t * t;
  return scale * t * t * t;
}

static const double coefficients[] = {1.0, -2.0, 0.5, 0.25};
static const double times[] = {-1.0, 0.5, 2.0}, values[] = {3.0, -1.0, 4.0};
static double scale = 0.125;

static ts_signal sine_signal(void)
{
  return (ts_signal){.kind = TS_SIGNAL_SINE, .offset = 0.5, .amplitude = 2.0, .frequency = 3.0, .phase = 0.7};
}

static ts_signal polynomial_signal(void)
{
  return (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 4, .coefficients = coefficients};
}

static ts_signal table_signal(void)
{
  return (ts_signal){.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = values};
}

static ts_signal callback_signal(void)
{
  return (ts_signal){.kind = TS_SIGNAL_CALLBACK, .callback = cubed, .user = &scale};
}

// Sine, then polynomial from 0.5 on, then a table (which is constant there) from 2 on.
static ts_signal piecewise_signal(ts_signal pieces[3])
{
  pieces[0] = sine_signal();
  pieces[1] = polynomial_signal();
  pieces[2] = table_signal();
  return (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = 3, .times = times, .pieces = pieces};
}

static void values_are_those_of_the_closed_forms(void **state)
{
  (void)state;
  ts_signal pieces[3];
  const ts_signal zero = {0}, nine = ts_signal_constant(9.0), sine = sine_signal(), polynomial = polynomial_signal();
  const ts_signal table = table_signal(), callback = callback_signal(), piecewise = piecewise_signal(pieces);
  double rate;
  for (double t = -3.0; t < 3.0; t += 0.37) {
    const double s = 0.5 + 2.0 * sin(3.0 * t + 0.7), p = 1.0 - 2.0 * t + 0.5 * t * t + 0.25 * t * t * t;
    assert_near(ts_signal_value(&zero, t, NULL), 0.0, 0.0);
    assert_near(ts_signal_value(&nine, t, &rate), 9.0, 0.0);
    assert_near(rate, 0.0, 0.0);
    assert_near(ts_signal_value(&sine, t, NULL), s, 1e-15);
    assert_near(ts_signal_value(&polynomial, t, NULL), p, 1e-13);
    assert_near(ts_signal_value(&callback, t, NULL), 0.125 * t * t * t, 1e-15);
    assert_near(ts_signal_value(&piecewise, t, NULL), t < 0.5 ? s : t < 2.0 ? p : 4.0, 1e-13);
  }
  const double at[][2] = {{-9.0, 3.0}, {-1.0, 3.0}, {-0.25, 1.0}, {0.5, -1.0}, {1.25, 1.5}, {2.0, 4.0}, {99.0, 4.0}};
  for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i)
    assert_near(ts_signal_value(&table, at[i][0], NULL), at[i][1], 1e-15);
}

static void rates_are_derivatives(void **state)
{
  (void)state;
  ts_signal pieces[3];
  const ts_signal signals[] = {sine_signal(), polynomial_signal(), table_signal(), callback_signal(),
                               piecewise_signal(pieces)};
  const double e = 1e-5;
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
    for (double t = -2.97; t < 3.0; t += 0.311) { // never within e of a corner
      double rate;
      ts_signal_value(&signals[i], t, &rate);
      const double slope =
          (ts_signal_value(&signals[i], t + e, NULL) - ts_signal_value(&signals[i], t - e, NULL)) / (2.0 * e);
      assert_near(rate, slope, 1e-8);
    }
}

static void second_rates_are_derivatives_of_rates(void **state)
{
  (void)state;
  ts_signal pieces[3];
  const ts_signal signals[] = {sine_signal(),     polynomial_signal(),      table_signal(),
                               callback_signal(), piecewise_signal(pieces), ts_signal_constant(2.0)};
  const double e = 1e-5;
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
    for (double t = -2.97; t < 3.0; t += 0.311) {
      double before, after;
      ts_signal_value(&signals[i], t - e, &before);
      ts_signal_value(&signals[i], t + e, &after);
      assert_near(ts_signal_second_rate(&signals[i], t), (after - before) / (2.0 * e), 1e-8);
    }
}

// All breaks of a signal, from -10 on, one after the other.
static void assert_breaks(const ts_signal *signal, const double *expected, int count)
{
  double t = -10.0;
  for (int i = 0; i < count; ++i) {
    t = ts_signal_next_break(signal, t);
    assert_true(t == expected[i]);
    assert_true(ts_signal_next_break(signal, nextafter(t, -INFINITY)) == t);
  }
  assert_true(ts_signal_next_break(signal, t) == INFINITY);
}

// The first piece holds before its time. The table in it has breaks until it ends, at 0.75; pieces of the second one
// count from then on.
static void breaks_are_where_pieces_and_slopes_change(void **state)
{
  (void)state;
  static const double outer_times[] = {0.25, 0.75}, nested[] = {-1.0, 0.5, 0.75, 2.0};
  ts_signal pieces[3], within[3], outer_pieces[2] = {table_signal(), piecewise_signal(within)};
  const ts_signal sine = sine_signal(), polynomial = polynomial_signal(), callback = callback_signal();
  const ts_signal table = table_signal(), piecewise = piecewise_signal(pieces);
  const ts_signal outer = {.kind = TS_SIGNAL_PIECEWISE, .count = 2, .times = outer_times, .pieces = outer_pieces};
  assert_breaks(&sine, NULL, 0);
  assert_breaks(&polynomial, NULL, 0);
  assert_breaks(&callback, NULL, 0);
  assert_breaks(&table, times, 3);
  assert_breaks(&piecewise, times + 1, 2);
  assert_breaks(&outer, nested, 4);
}

static void rates_at_jumps_are_those_from_the_right(void **state)
{
  (void)state;
  const ts_signal table = table_signal();
  double rate;
  ts_signal_value(&table, -1.0, &rate);
  assert_near(rate, -4.0 / 1.5, 1e-15);
  ts_signal_value(&table, 2.0, &rate);
  assert_near(rate, 0.0, 0.0);
}

static void copies_do_not_share_memory(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double t[] = {0.0, 1.0}, v[] = {2.0, 3.0}, c[] = {5.0};
  ts_signal inner[2] = {{.kind = TS_SIGNAL_TABLE, .count = 2, .times = t, .values = v},
                        {.kind = TS_SIGNAL_POLYNOMIAL, .count = 1, .coefficients = c}};
  const ts_signal outer = {.kind = TS_SIGNAL_PIECEWISE, .count = 2, .times = t, .pieces = inner};
  const ts_signal copy = ts_signal_copy(&outer, &arena);
  memset(t, -1, sizeof t);
  memset(v, -1, sizeof v);
  memset(c, -1, sizeof c);
  memset(inner, -1, sizeof inner);
  assert_near(ts_signal_value(&copy, 0.5, NULL), 2.5, 0.0);
  assert_near(ts_signal_value(&copy, 1.5, NULL), 5.0, 0.0);
  ts_arena_release(&arena);
}

static void refuse(const ts_signal *signal, const char *sentence)
{
  ts_error error;
  assert_int_equal(ts_signal_check(signal, &error), TS_INVALID);
  assert_string_equal(error.text, sentence);
  assert_int_equal(ts_signal_check(signal, NULL), TS_INVALID);
}

static void bad_signals_are_refused(void **state)
{
  (void)state;
  const double falling[] = {0.0, 1.0, 1.0}, bad[] = {0.0, NAN, 1.0};
  const struct {
    ts_signal signal;
    const char *sentence;
  } cases[] = {
      {{.kind = (ts_signal_kind)77}, "a signal has the unknown kind 77"},
      {{.kind = TS_SIGNAL_COUNT}, "a signal has the unknown kind 10"},
      {{.offset = INFINITY}, "offsets of a signal must be finite numbers"},
      {{.kind = TS_SIGNAL_SINE, .phase = NAN},
       "offset, amplitude, frequency and phase of a signal must be finite numbers"},
      {{.kind = TS_SIGNAL_POLYNOMIAL}, "a signal needs at least one of its coefficients"},
      {{.kind = TS_SIGNAL_POLYNOMIAL, .count = -1, .coefficients = bad},
       "a signal needs at least one of its coefficients"},
      {{.kind = TS_SIGNAL_POLYNOMIAL, .count = 3, .coefficients = bad},
       "coefficients of a signal must be finite numbers"},
      {{.kind = TS_SIGNAL_TABLE, .count = 3, .values = values}, "a signal needs at least one of its times"},
      {{.kind = TS_SIGNAL_TABLE, .count = 3, .times = times}, "a signal needs at least one of its values"},
      {{.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = bad},
       "values of a signal must be finite numbers"},
      {{.kind = TS_SIGNAL_TABLE, .count = 3, .times = falling, .values = values},
       "times of a signal must ascend: 1 follows 1"},
      {{.kind = TS_SIGNAL_PIECEWISE, .count = 3, .times = times}, "a piecewise signal has no pieces"},
      {{.kind = TS_SIGNAL_CALLBACK}, "a callback signal has no function"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) refuse(&cases[i].signal, cases[i].sentence);
}

static void nesting_has_a_limit(void **state)
{
  (void)state;
  const double zero = 0.0;
  ts_signal circle = {.kind = TS_SIGNAL_PIECEWISE, .count = 1, .times = &zero};
  circle.pieces = &circle;
  refuse(&circle, "pieces of a signal are nested more than 8 deep");
  ts_signal chain[9];
  chain[8] = ts_signal_constant(5.0);
  for (int i = 7; i >= 0; --i)
    chain[i] = (ts_signal){.kind = TS_SIGNAL_PIECEWISE, .count = 1, .times = &zero, .pieces = &chain[i + 1]};
  assert_int_equal(ts_signal_check(&chain[0], NULL), TS_OK);
  assert_near(ts_signal_value(&chain[0], -1.0, NULL), 5.0, 0.0);
}

static void good_signals_pass(void **state)
{
  (void)state;
  ts_signal pieces[3];
  const ts_signal signals[] = {
      {0}, sine_signal(), polynomial_signal(), table_signal(), callback_signal(), piecewise_signal(pieces)};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
    assert_int_equal(ts_signal_check(&signals[i], NULL), TS_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_closed_forms),
      cmocka_unit_test(rates_are_derivatives),
      cmocka_unit_test(second_rates_are_derivatives_of_rates),
      cmocka_unit_test(breaks_are_where_pieces_and_slopes_change),
      cmocka_unit_test(rates_at_jumps_are_those_from_the_right),
      cmocka_unit_test(copies_do_not_share_memory),
      cmocka_unit_test(bad_signals_are_refused),
      cmocka_unit_test(nesting_has_a_limit),
      cmocka_unit_test(good_signals_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
