#include "model/check_signals.h"

#include "model/signal.h"

#include "base/status.h"
#include "math/vec3.h"

#include <math.h>

ts_status ts_check_signals(const ts_signal *signals, int count, const char *what, const char *name, ts_error *error)
{
  ts_error reason;
  for (int i = 0; i < count; ++i)
    if (ts_signal_check(&signals[i], &reason) != TS_OK)
      return ts_fail(error, reason.status, "%s '%s': %s", what, name, reason.text);
  return TS_OK;
}

ts_status ts_check_signals_without_impulse(const ts_signal *signals, int count, const char *why, const char *what,
                                           const char *name, ts_error *error)
{
  TS_TRY(ts_check_signals(signals, count, what, name, error));
  for (int i = 0; i < count; ++i)
    if (ts_signal_has_impulse(&signals[i])) return ts_fail(error, TS_INVALID, "%s '%s': %s", what, name, why);
  return TS_OK;
}

// How far a periodic signal strays from where it begins, as far as a few places tell.
static double range_of(const ts_signal *again, double period)
{
  enum { PLACES = 16 };
  const double start = ts_signal_value(again, 0.0, NULL);
  double range = 0.0;
  for (int k = 1; k < PLACES; ++k) range = fmax(range, fabs(ts_signal_value(again, period * k / PLACES, NULL) - start));
  return range;
}

// From the end of a period to the beginning of the next; angles of whole turns are one. Periods that were written with
// few digits do not close to the last.
static double jump_of(const ts_signal *periodic, bool angle)
{
  static const double ROUNDED = 1e-4; // of the range
  const ts_signal *again = periodic->pieces;
  const double end = ts_signal_value(again, nextafter(periodic->period, 0.0), NULL);
  const double whole = ts_signal_value(again, 0.0, NULL) - end;
  const double jump = angle ? remainder(whole, 2.0 * TS_PI) : whole;
  return fabs(jump) > ROUNDED * fmax(fabs(whole), range_of(again, periodic->period)) ? jump : 0.0;
}

// The first periodic signal that jumps at the end of its period, in one that has passed ts_signal_check(), or NULL.
static const ts_signal *jumping(const ts_signal *signal, bool angle)
{
  const bool periodic = signal->kind == TS_SIGNAL_PERIODIC;
  if (!periodic && signal->kind != TS_SIGNAL_PIECEWISE && signal->kind != TS_SIGNAL_SUM) return NULL;
  for (int i = 0; i < signal->count; ++i) {
    const ts_signal *within = jumping(&signal->pieces[i], angle);
    if (within) return within;
  }
  return periodic && jump_of(signal, angle) != 0.0 ? signal : NULL;
}

ts_status ts_check_periods_close(const ts_signal signals[3], bool angles, const char *name, ts_error *error)
{
  for (int i = 0; i < 3; ++i) {
    const ts_signal *open = jumping(&signals[i], angles);
    if (open)
      return ts_fail(error, TS_INVALID,
                     "motion of '%s': its periodic %s jumps by %.6g %s at the end of every period of %.6g s, and what "
                     "it touches would be thrown; let it end where it begins",
                     name, angles ? "rotation" : "displacement", jump_of(open, angles), angles ? "rad" : "m",
                     open->period);
  }
  return TS_OK;
}

// 1 for the signals that are not zero for ever.
static ts_vec3 present(const ts_signal signals[3])
{
  return (ts_vec3){!ts_signal_is_zero(&signals[0]), !ts_signal_is_zero(&signals[1]), !ts_signal_is_zero(&signals[2])};
}

ts_status ts_check_free_signals(const ts_builder *builder, const ts_signal linear[3], const ts_signal angular[3],
                                const char *what, const char *name, ts_error *error)
{
  if (ts_may_move(builder->freedoms, present(linear), present(angular))) return TS_OK;
  return ts_fail(error, TS_INVALID, "%s '%s': in the plane there is no z component, and none about x and y", what,
                 name);
}
