// Ramps, sums, periods and impulses against closed forms and differences.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <string.h>

#include "near.h"

#include "model/signal.h"

#include "base/status.h"

static ts_signal ramp(double from, double to, double start, double end)
{
  return (ts_signal){.kind = TS_SIGNAL_RAMP, .from = from, .to = to, .start = start, .end = end};
}

static ts_signal impulse(double time, double value)
{
  return (ts_signal){.kind = TS_SIGNAL_IMPULSE, .time = time, .impulse = value};
}

static ts_signal sum(const ts_signal *signals, int count)
{
  return (ts_signal){.kind = TS_SIGNAL_SUM, .count = count, .pieces = signals};
}

// ---- ramps ---------------------------------------------------------------------------------------------------------

// The polynomial of degree 5 that has six values at its ends, expanded about the middle instead: with s = 1/2 + x it is
// 1/2 + 15/8 x - 5 x^3 + 6 x^5.
static void a_ramp_is_the_polynomial_about_its_middle(void **state)
{
  (void)state;
  const ts_signal signal = ramp(-3.0, 2.0, 1.0, 5.0);
  for (int i = 0; i <= 400; ++i) {
    const double t = 1.0 + 0.01 * i, x = (t - 3.0) / 4.0;
    double rate;
    const double value = ts_signal_value(&signal, t, &rate);
    assert_near(value, -3.0 + 5.0 * (0.5 + 1.875 * x - 5.0 * x * x * x + 6.0 * pow(x, 5.0)), 2e-14);
    assert_near(rate, 5.0 / 4.0 * (1.875 - 15.0 * x * x + 30.0 * pow(x, 4.0)), 2e-14);
    assert_near(ts_signal_second_rate(&signal, t), 5.0 / 16.0 * (-30.0 * x + 120.0 * x * x * x), 2e-13);
  }
}

// From one double to the next one at the ends nothing jumps, and outside all is constant to the last bit.
static void a_ramp_has_no_jump_at_its_ends(void **state)
{
  (void)state;
  const ts_signal signal = ramp(0.1, 0.7, 0.3, 0.9);
  const double ends[][2] = {{0.3, 0.1}, {0.9, 0.7}};
  for (int e = 0; e < 2; ++e)
    for (int k = -3; k <= 3; ++k) {
      double rate;
      const double t = ends[e][0] + k * 1e-9;
      assert_near(ts_signal_value(&signal, t, &rate), ends[e][1], 1e-15);
      assert_near(rate, 0.0, 1e-14);
      assert_near(ts_signal_second_rate(&signal, t), 0.0, 1e-6); // 60 rise/duration^3 times 3e-9
    }
  static const double outside[] = {-1e300, 0.0, 0.3, 0.9, 2.0, 1e300};
  for (int i = 0; i < 6; ++i) {
    double rate;
    assert_true(ts_signal_value(&signal, outside[i], &rate) == (outside[i] < 0.5 ? 0.1 : 0.7));
    assert_true(rate == 0.0 && ts_signal_second_rate(&signal, outside[i]) == 0.0);
  }
}

// Mean value over the ramp by Simpson's rule, which is exact up to degree 3, on 100 pieces: (from + to)/2 by symmetry.
static void a_ramp_is_as_long_above_as_below(void **state)
{
  (void)state;
  const ts_signal signal = ramp(2.0, 6.0, 0.0, 1.0);
  double integral = 0.0, way = 0.0, rate;
  for (int i = 0; i <= 200; ++i) {
    const double weight = i == 0 || i == 200 ? 1.0 : i % 2 ? 4.0 : 2.0;
    integral += weight * ts_signal_value(&signal, i / 200.0, &rate) / 600.0;
    way += weight * rate / 600.0;
  }
  assert_near(integral, 4.0, 1e-9);
  assert_near(way, 4.0, 1e-8); // the rate's integral is the rise
}

// ---- sums ----------------------------------------------------------------------------------------------------------

static void a_sum_adds_values_and_rates(void **state)
{
  (void)state;
  static const double coefficients[] = {1.0, -2.0, 0.5}, times[] = {0.0, 0.7};
  const ts_signal sine = {.kind = TS_SIGNAL_SINE, .amplitude = 2.0, .frequency = 3.0, .phase = 0.4};
  const ts_signal polynomial = {.kind = TS_SIGNAL_POLYNOMIAL, .count = 3, .coefficients = coefficients};
  const ts_signal inner[] = {sine, ramp(0.0, 3.0, 0.2, 1.3)}, outer[] = {polynomial, sum(inner, 2), impulse(0.5, 9.0)};
  const ts_signal all = sum(outer, 3), pieces[] = {all, sine};
  const ts_signal piecewise = {.kind = TS_SIGNAL_PIECEWISE, .count = 2, .times = times, .pieces = pieces};
  for (double t = -0.5; t < 2.0; t += 0.0625) {
    double rate, own[3], expected = 0.0;
    const double value = ts_signal_value(&all, t, &rate);
    expected += ts_signal_value(&sine, t, &own[0]) + ts_signal_value(&inner[1], t, &own[1]);
    expected += ts_signal_value(&polynomial, t, &own[2]);
    assert_near(value, expected, 1e-14);
    assert_near(rate, own[0] + own[1] + own[2], 1e-14);
    double before, after;
    const double e = 1e-6;
    ts_signal_value(&all, t - e, &before);
    ts_signal_value(&all, t + e, &after);
    assert_near(ts_signal_second_rate(&all, t), (after - before) / (2.0 * e), 1e-4);
    assert_near(ts_signal_value(&piecewise, t, NULL), t < 0.7 ? expected : ts_signal_value(&sine, t, NULL), 1e-14);
  }
}

static void breaks_of_sums_are_those_of_all(void **state)
{
  (void)state;
  static const double times[] = {0.25, 1.0}, values[] = {0.0, 1.0};
  const ts_signal signals[] = {{.kind = TS_SIGNAL_TABLE, .count = 2, .times = times, .values = values},
                               ramp(0.0, 1.0, 0.5, 2.0),
                               impulse(0.75, 1.0)};
  const ts_signal all = sum(signals, 3);
  static const double expected[] = {0.25, 0.5, 1.0, 2.0, INFINITY};
  double t = -1.0;
  for (int i = 0; i < 5; ++i) assert_true((t = ts_signal_next_break(&all, t)) == expected[i]);
}

static void copies_of_sums_do_not_share_memory(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  double coefficients[] = {5.0};
  ts_signal signals[] = {{.kind = TS_SIGNAL_POLYNOMIAL, .count = 1, .coefficients = coefficients}, impulse(1.0, 2.0)};
  const ts_signal all = sum(signals, 2), copy = ts_signal_copy(&all, &arena);
  coefficients[0] = NAN;
  memset(signals, 0, sizeof signals);
  assert_near(ts_signal_value(&copy, 0.0, NULL), 5.0, 0.0);
  assert_near(ts_signal_impulse(&copy, 0.0, 2.0), 2.0, 0.0);
  ts_arena_release(&arena);
}

// ---- impulses ------------------------------------------------------------------------------------------------------

static void impulses_count_from_their_time_on(void **state)
{
  (void)state;
  const ts_signal signals[] = {impulse(1.0, 2.0), impulse(1.0, 3.0), impulse(0.5, -1.0)};
  const ts_signal all = sum(signals, 3), constant = ts_signal_constant(4.0);
  const double past = nextafter(1.0, 2.0);
  assert_near(ts_signal_impulse(&all, 0.0, 1.0), -1.0, 0.0);
  assert_near(ts_signal_impulse(&all, 0.0, past), 4.0, 0.0);
  assert_near(ts_signal_impulse(&all, 1.0, past), 5.0, 0.0);
  assert_near(ts_signal_impulse(&all, past, INFINITY), 0.0, 0.0);
  assert_near(ts_signal_impulse(&all, -INFINITY, INFINITY), 4.0, 0.0);
  assert_near(ts_signal_impulse(&constant, 0.0, 1.0), 0.0, 0.0);
  assert_true(ts_signal_next_impulse(&all, (ts_interval){0.0, 1.0}) == 0.5);
  assert_true(ts_signal_next_impulse(&all, (ts_interval){0.6, 2.0}) == 1.0);
  assert_true(ts_signal_next_impulse(&all, (ts_interval){0.6, 1.0}) == INFINITY);
  assert_true(ts_signal_has_impulse(&all) && !ts_signal_has_impulse(&constant));
  double rate;
  assert_true(ts_signal_value(&signals[0], 1.0, &rate) == 0.0 && rate == 0.0);
}

// An impulse acts while its piece holds, as everything else in it does; the first piece holds before its time.
static void impulses_of_pieces_act_in_their_piece(void **state)
{
  (void)state;
  static const double times[] = {0.5, 1.0};
  const ts_signal first[] = {impulse(0.25, 1.0), impulse(0.75, 10.0), impulse(1.0, 100.0)};
  const ts_signal second[] = {impulse(0.9, 1000.0), impulse(1.0, 2000.0), impulse(7.0, 4000.0)};
  const ts_signal pieces[] = {sum(first, 3), sum(second, 3)};
  const ts_signal all = {.kind = TS_SIGNAL_PIECEWISE, .count = 2, .times = times, .pieces = pieces};
  assert_near(ts_signal_impulse(&all, 0.0, 10.0), 1.0 + 10.0 + 2000.0 + 4000.0, 0.0);
  assert_near(ts_signal_impulse(&all, 0.8, 1.5), 2000.0, 0.0);
  assert_true(ts_signal_next_impulse(&all, (ts_interval){0.8, 8.0}) == 1.0);
}

// ---- bad ones ------------------------------------------------------------------------------------------------------

static void refuse(const ts_signal *signal, const char *sentence)
{
  ts_error error;
  assert_int_equal(ts_signal_check(signal, &error), TS_INVALID);
  assert_string_equal(error.text, sentence);
  assert_int_equal(ts_signal_check(signal, NULL), TS_INVALID);
}

static void bad_forms_are_refused(void **state)
{
  (void)state;
  const ts_signal bad = ts_signal_constant(NAN);
  const struct {
    ts_signal signal;
    const char *sentence;
  } cases[] = {
      {ramp(0.0, 1.0, 1.0, 1.0), "a ramp must end after it starts: it starts at 1 s and ends at 1 s"},
      {ramp(0.0, 1.0, 2.0, 1.0), "a ramp must end after it starts: it starts at 2 s and ends at 1 s"},
      {ramp(NAN, 1.0, 0.0, 1.0), "from, to, start and end of a signal must be finite numbers"},
      {ramp(0.0, 1.0, 0.0, INFINITY), "from, to, start and end of a signal must be finite numbers"},
      {ramp(-1e308, 1e308, 0.0, 1.0), "a ramp from -1e+308 to 1e+308 within 1 s has no finite rates"},
      {ramp(0.0, 1.0, 0.0, 1e-200), "a ramp from 0 to 1 within 1e-200 s has no finite rates"},
      {ramp(0.0, 1.0, -1e308, 1e308), "a ramp from 0 to 1 within inf s has no finite rates"},
      {sum(NULL, 1), "a sum has no signals"},
      {sum(&bad, 0), "a sum has no signals"},
      {sum(&bad, -1), "a sum has no signals"},
      {sum(&bad, 1), "offsets of a signal must be finite numbers"},
      {impulse(-1.0, 1.0), "an impulse at -1 s never acts: time begins with 0"},
      {impulse(NAN, 1.0), "time and value of an impulse of a signal must be finite numbers"},
      {impulse(0.0, INFINITY), "time and value of an impulse of a signal must be finite numbers"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) refuse(&cases[i].signal, cases[i].sentence);
}

static void nesting_of_sums_has_a_limit(void **state)
{
  (void)state;
  ts_signal circle = sum(NULL, 1);
  circle.pieces = &circle;
  refuse(&circle, "sums of a signal are nested more than 8 deep");
  ts_signal chain[9];
  chain[8] = ts_signal_constant(5.0);
  for (int i = 7; i >= 0; --i) chain[i] = sum(&chain[i + 1], 1);
  assert_int_equal(ts_signal_check(&chain[0], NULL), TS_OK);
  assert_near(ts_signal_value(&chain[0], 0.0, NULL), 5.0, 0.0);
}

// ---- periods -------------------------------------------------------------------------------------------------------

static ts_signal periodic(const ts_signal *again, double period)
{
  return (ts_signal){.kind = TS_SIGNAL_PERIODIC, .count = 1, .pieces = again, .period = period};
}

// A sine of the same period is what it was, rates included, before time 0 as well.
static void a_period_of_a_sine_is_the_sine(void **state)
{
  (void)state;
  const ts_signal sine = {.kind = TS_SIGNAL_SINE, .offset = 0.3, .amplitude = 2.0, .frequency = 4.0, .phase = 0.7};
  const ts_signal signal = periodic(&sine, 0.5 * TS_PI);
  for (double t = -5.0; t < 20.0; t += 0.0371) {
    double rate, own_rate;
    assert_near(ts_signal_value(&signal, t, &rate), ts_signal_value(&sine, t, &own_rate), 1e-13);
    assert_near(rate, own_rate, 1e-12);
    assert_near(ts_signal_second_rate(&signal, t), ts_signal_second_rate(&sine, t), 1e-11);
  }
}

// A saw of three pieces a period: breaks are where they were in the first one, and the period's end is one.
static void breaks_come_again(void **state)
{
  (void)state;
  static const double times[] = {0.0, 0.25, 1.5}, values[] = {0.0, 1.0, 0.0};
  const ts_signal saw = {.kind = TS_SIGNAL_TABLE, .count = 3, .times = times, .values = values};
  const ts_signal signal = periodic(&saw, 2.0);
  double t = 1.5;
  for (int k = 1; k < 50; ++k)
    for (int i = 0; i < 3; ++i) {
      const double next = ts_signal_next_break(&signal, t);
      assert_near(next, 2.0 * k + times[i], 0.0);
      t = next;
    }
}

// Where 0.03 k is not what k times 0.03 adds up to: one break a period all the same.
static void breaks_lie_ahead(void **state)
{
  (void)state;
  const ts_signal constant = ts_signal_constant(1.0), signal = periodic(&constant, 0.03);
  double t = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    const double next = ts_signal_next_break(&signal, t);
    assert_true(next > t);
    t = next;
  }
  assert_near(t, 30.0, 1e-13);
}

static void bad_periods_are_refused(void **state)
{
  (void)state;
  const ts_signal constant = ts_signal_constant(1.0), blow = impulse(0.5, 1.0);
  static const double never[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t k = 0; k < sizeof never / sizeof *never; ++k) {
    const ts_signal signal = periodic(&constant, never[k]);
    assert_int_equal(ts_signal_check(&signal, NULL), TS_INVALID);
  }
  const ts_signal good = periodic(&constant, 1.0), struck = periodic(&blow, 1.0), empty = periodic(NULL, 1.0);
  assert_int_equal(ts_signal_check(&good, NULL), TS_OK);
  assert_int_equal(ts_signal_check(&struck, NULL), TS_INVALID);
  assert_int_equal(ts_signal_check(&empty, NULL), TS_INVALID);
  ts_signal own = good;
  own.pieces = &own; // contains itself
  assert_int_equal(ts_signal_check(&own, NULL), TS_INVALID);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ramp_is_the_polynomial_about_its_middle),
      cmocka_unit_test(a_ramp_has_no_jump_at_its_ends),
      cmocka_unit_test(a_period_of_a_sine_is_the_sine),
      cmocka_unit_test(breaks_come_again),
      cmocka_unit_test(breaks_lie_ahead),
      cmocka_unit_test(bad_periods_are_refused),
      cmocka_unit_test(a_ramp_is_as_long_above_as_below),
      cmocka_unit_test(a_sum_adds_values_and_rates),
      cmocka_unit_test(breaks_of_sums_are_those_of_all),
      cmocka_unit_test(copies_of_sums_do_not_share_memory),
      cmocka_unit_test(impulses_count_from_their_time_on),
      cmocka_unit_test(impulses_of_pieces_act_in_their_piece),
      cmocka_unit_test(bad_forms_are_refused),
      cmocka_unit_test(nesting_of_sums_has_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
