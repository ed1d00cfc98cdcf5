#include "model/check_signals.h"

#include "model/signal.h"

#include "base/status.h"

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
