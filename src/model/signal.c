// Functions of time: see include/touchstone/signal.h.
#include "model/signal.h"

#include "base/require.h"
#include "base/status.h"
#include "math/difference.h"

#include <math.h>
#include <string.h>

// Pieces and sums within one another: deep enough for any use, and a signal that contains itself is refused.
enum { DEEPEST_NESTING = 8 };

ts_signal ts_signal_constant(double value)
{
  return (ts_signal){.kind = TS_SIGNAL_CONSTANT, .offset = value};
}

bool ts_signal_is_zero(const ts_signal *signal)
{
  return signal->kind == TS_SIGNAL_CONSTANT && signal->offset == 0.0;
}

static ts_status check_finite(const double *numbers, int count, const char *what, ts_error *error)
{
  for (int i = 0; i < count; ++i)
    if (!isfinite(numbers[i])) return ts_fail(error, TS_INVALID, "%s of a signal must be finite numbers", what);
  return TS_OK;
}

static ts_status check_array(const double *numbers, int count, const char *what, ts_error *error)
{
  if (count < 1 || !numbers) return ts_fail(error, TS_INVALID, "a signal needs at least one of its %s", what);
  return check_finite(numbers, count, what, error);
}

static ts_status check_times(const ts_signal *signal, ts_error *error)
{
  TS_TRY(check_array(signal->times, signal->count, "times", error));
  for (int i = 1; i < signal->count; ++i)
    if (!(signal->times[i - 1] < signal->times[i]))
      return ts_fail(error, TS_INVALID, "times of a signal must ascend: %g follows %g", signal->times[i],
                     signal->times[i - 1]);
  return TS_OK;
}

static ts_status check_nested(const ts_signal *signal, int depth, ts_error *error);

static ts_status check_pieces(const ts_signal *signal, int depth, ts_error *error)
{
  const bool sum = signal->kind == TS_SIGNAL_SUM;
  if (depth >= DEEPEST_NESTING)
    return ts_fail(error, TS_INVALID, "%s of a signal are nested more than %d deep", sum ? "sums" : "pieces",
                   DEEPEST_NESTING);
  if (!sum) TS_TRY(check_times(signal, error));
  if (!signal->pieces || signal->count < 1)
    return ts_fail(error, TS_INVALID, sum ? "a sum has no signals" : "a piecewise signal has no pieces");
  for (int i = 0; i < signal->count; ++i) TS_TRY(check_nested(&signal->pieces[i], depth + 1, error));
  return TS_OK;
}

static ts_status check_periodic(const ts_signal *signal, int depth, ts_error *error)
{
  if (depth >= DEEPEST_NESTING)
    return ts_fail(error, TS_INVALID, "periods of a signal are nested more than %d deep", DEEPEST_NESTING);
  if (!isfinite(signal->period) || !(signal->period > 0.0))
    return ts_fail(error, TS_INVALID, "the period of a signal must be above 0, not %g s", signal->period);
  if (!signal->pieces || signal->count != 1)
    return ts_fail(error, TS_INVALID, "a periodic signal has one signal that comes again");
  TS_TRY(check_nested(signal->pieces, depth + 1, error));
  if (ts_signal_has_impulse(signal->pieces))
    return ts_fail(error, TS_INVALID, "an impulse acts once, and cannot be part of a periodic signal");
  return TS_OK;
}

// Steepest in the middle, 15/8 of the mean slope; its second derivative is 10/sqrt(3) of rise/duration^2 at most.
static ts_status check_ramp(const ts_signal *signal, ts_error *error)
{
  const double numbers[] = {signal->from, signal->to, signal->start, signal->end};
  TS_TRY(check_finite(numbers, 4, "from, to, start and end", error));
  if (!(signal->start < signal->end))
    return ts_fail(error, TS_INVALID, "a ramp must end after it starts: it starts at %g s and ends at %g s",
                   signal->start, signal->end);
  const double duration = signal->end - signal->start, slope = (signal->to - signal->from) / duration;
  if (isinf(duration) || !isfinite(2.0 * slope) || !isfinite(6.0 * slope / duration))
    return ts_fail(error, TS_INVALID, "a ramp from %g to %g within %g s has no finite rates", signal->from, signal->to,
                   duration);
  return TS_OK;
}

static ts_status check_impulse(const ts_signal *signal, ts_error *error)
{
  const double numbers[] = {signal->time, signal->impulse};
  TS_TRY(check_finite(numbers, 2, "time and value of an impulse", error));
  if (signal->time < 0.0)
    return ts_fail(error, TS_INVALID, "an impulse at %g s never acts: time begins with 0", signal->time);
  return TS_OK;
}

static ts_status check_nested(const ts_signal *signal, int depth, ts_error *error)
{
  switch (signal->kind) {
  case TS_SIGNAL_CONSTANT:
    return check_finite(&signal->offset, 1, "offsets", error);
  case TS_SIGNAL_SINE: {
    const double numbers[] = {signal->offset, signal->amplitude, signal->frequency, signal->phase};
    return check_finite(numbers, 4, "offset, amplitude, frequency and phase", error);
  }
  case TS_SIGNAL_POLYNOMIAL:
    return check_array(signal->coefficients, signal->count, "coefficients", error);
  case TS_SIGNAL_PIECEWISE:
  case TS_SIGNAL_SUM:
    return check_pieces(signal, depth, error);
  case TS_SIGNAL_PERIODIC:
    return check_periodic(signal, depth, error);
  case TS_SIGNAL_RAMP:
    return check_ramp(signal, error);
  case TS_SIGNAL_IMPULSE:
    return check_impulse(signal, error);
  case TS_SIGNAL_TABLE:
    TS_TRY(check_times(signal, error));
    return check_array(signal->values, signal->count, "values", error);
  case TS_SIGNAL_CALLBACK:
    return signal->callback ? TS_OK : ts_fail(error, TS_INVALID, "a callback signal has no function");
  case TS_SIGNAL_COUNT:
    break;
  }
  return ts_fail(error, TS_INVALID, "a signal has the unknown kind %d", (int)signal->kind);
}

ts_status ts_signal_check(const ts_signal *signal, ts_error *error)
{
  TS_REFUSE_UNLESS(signal, error);
  return check_nested(signal, 0, error);
}

static double polynomial_value(const ts_signal *signal, double t, double *rate)
{
  double value = 0.0;
  *rate = 0.0;
  for (int i = signal->count - 1; i >= 0; --i) { // Horner, and its derivative
    *rate = *rate * t + value;
    value = value * t + signal->coefficients[i];
  }
  return value;
}

// The last of the times that has come, or -1.
static int last_begun(const ts_signal *signal, double t)
{
  int begun = 0, later = signal->count; // times[i] <= t for i < begun, not for i >= later
  while (begun < later) {
    const int middle = begun + (later - begun) / 2;
    if (signal->times[middle] <= t)
      begun = middle + 1;
    else
      later = middle;
  }
  return begun - 1;
}

static double table_value(const ts_signal *signal, double t, double *rate)
{
  const int i = last_begun(signal, t);
  *rate = 0.0;
  if (i < 0) return signal->values[0];
  if (i == signal->count - 1) return signal->values[i];
  *rate = (signal->values[i + 1] - signal->values[i]) / (signal->times[i + 1] - signal->times[i]);
  return signal->values[i] + *rate * (t - signal->times[i]);
}

static const ts_signal *piece_at(const ts_signal *signal, double t)
{
  const int i = last_begun(signal, t);
  return &signal->pieces[i > 0 ? i : 0];
}

static double sine_value(const ts_signal *signal, double t, double *rate)
{
  const double angle = signal->frequency * t + signal->phase;
  *rate = signal->amplitude * signal->frequency * cos(angle);
  return signal->offset + signal->amplitude * sin(angle);
}

// How much of a ramp lies behind, s in [0, 1]: its value is from + (to - from) s^3 (10 - 15 s + 6 s^2), whose first and
// second derivatives vanish at both ends.
static double share_of_ramp(const ts_signal *signal, double t)
{
  return fmin(1.0, fmax(0.0, (t - signal->start) / (signal->end - signal->start)));
}

static double ramp_value(const ts_signal *signal, double t, double *rate)
{
  const double s = share_of_ramp(signal, t), rise = signal->to - signal->from, left = 1.0 - s;
  *rate = rise / (signal->end - signal->start) * 30.0 * s * s * left * left;
  if (s < 0.5) return signal->from + rise * s * s * s * (10.0 + s * (6.0 * s - 15.0));
  return signal->to - rise * left * left * left * (10.0 + left * (6.0 * left - 15.0)); // the same, exact at the end
}

static double ramp_second_rate(const ts_signal *signal, double t)
{
  const double s = share_of_ramp(signal, t), duration = signal->end - signal->start;
  return (signal->to - signal->from) / duration / duration * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
}

static double sum_value(const ts_signal *signal, double t, double *rate)
{
  double value = 0.0, slope;
  for (int i = 0; i < signal->count; ++i) {
    value += ts_signal_value(&signal->pieces[i], t, &slope);
    *rate += slope;
  }
  return value;
}

// The number of the period that t lies in. Where round-off of the quotient has it the other way, the products decide:
// k T is the beginning of period k to the last bit.
static double period_at(const ts_signal *signal, double t)
{
  const double k = floor(t / signal->period);
  if (t < k * signal->period) return k - 1.0;
  return (k + 1.0) * signal->period <= t ? k + 1.0 : k;
}

// Since that period began.
static double time_within(const ts_signal *signal, double t)
{
  return t - period_at(signal, t) * signal->period;
}

static double periodic_value(const ts_signal *signal, double t, double *rate)
{
  return ts_signal_value(signal->pieces, time_within(signal, t), rate);
}

double ts_signal_value(const ts_signal *signal, double t, double *rate)
{
  TS_REQUIRE(signal);
  double unwanted;
  double *slope = rate ? rate : &unwanted;
  *slope = 0.0;
  switch (signal->kind) {
  case TS_SIGNAL_SINE:
    return sine_value(signal, t, slope);
  case TS_SIGNAL_POLYNOMIAL:
    return polynomial_value(signal, t, slope);
  case TS_SIGNAL_PIECEWISE:
    return ts_signal_value(piece_at(signal, t), t, slope);
  case TS_SIGNAL_TABLE:
    return table_value(signal, t, slope);
  case TS_SIGNAL_RAMP:
    return ramp_value(signal, t, slope);
  case TS_SIGNAL_SUM:
    return sum_value(signal, t, slope);
  case TS_SIGNAL_PERIODIC:
    return periodic_value(signal, t, slope);
  case TS_SIGNAL_CALLBACK:
    return signal->callback(signal->user, t, slope);
  case TS_SIGNAL_IMPULSE:
    return 0.0;
  case TS_SIGNAL_CONSTANT:
  case TS_SIGNAL_COUNT:
    break;
  }
  return signal->offset;
}

static double polynomial_second_rate(const ts_signal *signal, double t)
{
  double second = 0.0;
  for (int i = signal->count - 1; i >= 2; --i)
    second = second * t + (double)i * (double)(i - 1) * signal->coefficients[i];
  return second;
}

static void rate_of_callback(void *user, double t, double *values)
{
  const ts_signal *signal = user;
  values[0] = 0.0;
  signal->callback(signal->user, t, values);
}

static double callback_second_rate(const ts_signal *signal, double t)
{
  ts_signal copy = *signal;
  double second;
  ts_difference(rate_of_callback, &copy, t, 1, &second);
  return second;
}

static double sum_second_rate(const ts_signal *signal, double t)
{
  double second = 0.0;
  for (int i = 0; i < signal->count; ++i) second += ts_signal_second_rate(&signal->pieces[i], t);
  return second;
}

double ts_signal_second_rate(const ts_signal *signal, double t)
{
  switch (signal->kind) {
  case TS_SIGNAL_SINE:
    return -signal->amplitude * signal->frequency * signal->frequency * sin(signal->frequency * t + signal->phase);
  case TS_SIGNAL_POLYNOMIAL:
    return polynomial_second_rate(signal, t);
  case TS_SIGNAL_PIECEWISE:
    return ts_signal_second_rate(piece_at(signal, t), t);
  case TS_SIGNAL_CALLBACK:
    return callback_second_rate(signal, t);
  case TS_SIGNAL_RAMP:
    return ramp_second_rate(signal, t);
  case TS_SIGNAL_SUM:
    return sum_second_rate(signal, t);
  case TS_SIGNAL_PERIODIC:
    return ts_signal_second_rate(signal->pieces, time_within(signal, t));
  case TS_SIGNAL_CONSTANT:
  case TS_SIGNAL_TABLE:
  case TS_SIGNAL_IMPULSE:
  case TS_SIGNAL_COUNT:
    break;
  }
  return 0.0;
}

// A ramp has kinks in its third derivative, which integration of high order would feel.
static double next_end_of_ramp(const ts_signal *signal, double t)
{
  return t < signal->start ? signal->start : t < signal->end ? signal->end : INFINITY;
}

static double next_break_of_sum(const ts_signal *signal, double t)
{
  double next = INFINITY;
  for (int i = 0; i < signal->count; ++i) next = fmin(next, ts_signal_next_break(&signal->pieces[i], t));
  return next;
}

// The end of a period is one, too. A break that round-off puts at t itself lies behind.
static double next_break_of_period(const ts_signal *signal, double t)
{
  const double k = period_at(signal, t), begun = k * signal->period, end = (k + 1.0) * signal->period;
  double within = t - begun, next;
  do {
    within = ts_signal_next_break(signal->pieces, within);
    next = fmin(begun + within, end);
  } while (next <= t && isfinite(within));
  return next;
}

// The first piece holds before its time, too.
double ts_signal_next_break(const ts_signal *signal, double t)
{
  if (signal->kind == TS_SIGNAL_RAMP) return next_end_of_ramp(signal, t);
  if (signal->kind == TS_SIGNAL_SUM) return next_break_of_sum(signal, t);
  if (signal->kind == TS_SIGNAL_PERIODIC) return next_break_of_period(signal, t);
  if (signal->kind != TS_SIGNAL_TABLE && signal->kind != TS_SIGNAL_PIECEWISE) return INFINITY;
  const bool pieces = signal->kind == TS_SIGNAL_PIECEWISE;
  const int begun = last_begun(signal, t), next = pieces && begun < 0 ? 1 : begun + 1;
  const double end = next < signal->count ? signal->times[next] : INFINITY;
  return pieces ? fmin(end, ts_signal_next_break(piece_at(signal, t), t)) : end;
}

// ---- impulses ------------------------------------------------------------------------------------------------------

// The span in which piece i of a signal holds, or a sum's signal: always.
static ts_interval span_of_piece(const ts_signal *signal, int i, ts_interval span)
{
  if (signal->kind == TS_SIGNAL_SUM) return span;
  const double from = i > 0 ? signal->times[i] : -INFINITY;
  const double until = i + 1 < signal->count ? signal->times[i + 1] : INFINITY;
  return (ts_interval){fmax(span.from, from), fmin(span.until, until)};
}

static bool has_pieces(const ts_signal *signal)
{
  return signal->kind == TS_SIGNAL_PIECEWISE || signal->kind == TS_SIGNAL_SUM;
}

static bool is_within(double t, ts_interval span)
{
  return span.from <= t && t < span.until;
}

double ts_signal_impulse(const ts_signal *signal, double from, double until)
{
  TS_REQUIRE(signal);
  const ts_interval span = {from, until};
  double sum = 0.0;
  if (signal->kind == TS_SIGNAL_IMPULSE) return is_within(signal->time, span) ? signal->impulse : 0.0;
  for (int i = 0; has_pieces(signal) && i < signal->count; ++i) {
    const ts_interval own = span_of_piece(signal, i, span);
    sum += ts_signal_impulse(&signal->pieces[i], own.from, own.until);
  }
  return sum;
}

double ts_signal_next_impulse(const ts_signal *signal, ts_interval span)
{
  double next = INFINITY;
  if (signal->kind == TS_SIGNAL_IMPULSE) return is_within(signal->time, span) ? signal->time : INFINITY;
  for (int i = 0; has_pieces(signal) && i < signal->count; ++i)
    next = fmin(next, ts_signal_next_impulse(&signal->pieces[i], span_of_piece(signal, i, span)));
  return next;
}

bool ts_signal_has_impulse(const ts_signal *signal)
{
  if (signal->kind == TS_SIGNAL_IMPULSE) return true;
  for (int i = 0; has_pieces(signal) && i < signal->count; ++i)
    if (ts_signal_has_impulse(&signal->pieces[i])) return true;
  return false;
}

// ---- copies --------------------------------------------------------------------------------------------------------

static const double *copy_numbers(const double *numbers, int count, ts_arena *arena)
{
  double *copy = ts_arena_doubles(arena, (size_t)count);
  memcpy(copy, numbers, (size_t)count * sizeof *copy);
  return copy;
}

static const ts_signal *copy_pieces(const ts_signal *signal, ts_arena *arena)
{
  ts_signal *pieces = ts_arena_bytes(arena, (size_t)signal->count, sizeof *pieces);
  for (int i = 0; i < signal->count; ++i) pieces[i] = ts_signal_copy(&signal->pieces[i], arena);
  return pieces;
}

ts_signal ts_signal_copy(const ts_signal *signal, ts_arena *arena)
{
  ts_signal copy = *signal;
  if (signal->kind == TS_SIGNAL_POLYNOMIAL)
    copy.coefficients = copy_numbers(signal->coefficients, signal->count, arena);
  if (signal->kind == TS_SIGNAL_TABLE || signal->kind == TS_SIGNAL_PIECEWISE)
    copy.times = copy_numbers(signal->times, signal->count, arena);
  if (signal->kind == TS_SIGNAL_TABLE) copy.values = copy_numbers(signal->values, signal->count, arena);
  if (has_pieces(signal) || signal->kind == TS_SIGNAL_PERIODIC) copy.pieces = copy_pieces(signal, arena);
  return copy;
}

void ts_signal_copy_vector(const ts_signal from[3], ts_signal to[3], ts_arena *arena)
{
  for (int i = 0; i < 3; ++i) to[i] = ts_signal_copy(&from[i], arena);
}
