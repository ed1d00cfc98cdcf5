// Functions of time inside a model.
#ifndef TS_MODEL_SIGNAL_H
#define TS_MODEL_SIGNAL_H

#include "touchstone/signal.h"

#include "base/arena.h"

#include <stdbool.h>

// An interval of time: from <= t < until.
typedef struct ts_interval {
  double from, until;
} ts_interval;

// A copy whose arrays lie in the arena. The signal has passed ts_signal_check().
ts_signal ts_signal_copy(const ts_signal *signal, ts_arena *arena);

// The same for the components of a vector; `from` and `to` may be one.
void ts_signal_copy_vector(const ts_signal from[3], ts_signal to[3], ts_arena *arena);

// Is it the constant 0, which a zeroed struct is?
bool ts_signal_is_zero(const ts_signal *signal);

// The second derivative, in the piece that holds from t on; of a callback by differences of its rate.
double ts_signal_second_rate(const ts_signal *signal, double t);

// The next time after t where the signal, its rate or a higher derivative may jump, impulses aside; INFINITY: there is
// none. Callbacks do not tell theirs.
double ts_signal_next_break(const ts_signal *signal, double t);

// The time of the first impulse within the span, or INFINITY; and whether there is any at all.
double ts_signal_next_impulse(const ts_signal *signal, ts_interval span);
bool ts_signal_has_impulse(const ts_signal *signal);

#endif
