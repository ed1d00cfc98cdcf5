// What a builder refuses of functions of time.
#ifndef TS_MODEL_CHECK_SIGNALS_H
#define TS_MODEL_CHECK_SIGNALS_H

#include "model/builder.h"

// Each of them by itself. `what` and `name` say whose they are.
ts_status ts_check_signals(const ts_signal *signals, int count, const char *what, const char *name, ts_error *error);

// The same, and none has an impulse: `why` says what is wrong with one.
ts_status ts_check_signals_without_impulse(const ts_signal *signals, int count, const char *why, const char *what,
                                           const char *name, ts_error *error);

// Places or angles of a kinematic body, which have passed the above: no period ends elsewhere than it begins. Forces
// may jump, bodies may not.
ts_status ts_check_periods_close(const ts_signal signals[3], bool angles, const char *name, ts_error *error);

// In the plane only two components of a force and one of a torque exist.
ts_status ts_check_free_signals(const ts_builder *builder, const ts_signal linear[3], const ts_signal angular[3],
                                const char *what, const char *name, ts_error *error);

#endif
