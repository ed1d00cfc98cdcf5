/// Functions of time for forces, motors and motions.
#ifndef TOUCHSTONE_SIGNAL_H
#define TOUCHSTONE_SIGNAL_H

#include "touchstone/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// enumerator, name in scene files, one line of help
#define TS_SIGNAL_LIST(X)                                                                                              \
  X(CONSTANT, "constant", "the same number always: `offset`")                                                          \
  X(SINE, "sine", "offset + amplitude sin(frequency t + phase), frequency in rad/s")                                   \
  X(POLYNOMIAL, "polynomial", "c0 + c1 t + c2 t^2 + ...")                                                              \
  X(PIECEWISE, "piecewise", "one function after another: the last one whose time has come")                            \
  X(TABLE, "table", "linear between points, constant outside")                                                         \
  X(RAMP, "ramp", "smooth from one value to another: value, rate and second rate have no jump")                        \
  X(SUM, "sum", "of signals, sums among them")                                                                         \
  X(PERIODIC, "periodic", "a signal again and again: it sees the time since its period began")                         \
  X(IMPULSE, "impulse", "a force without duration: all of it at one time, else 0; of forces alone")                    \
  X(CALLBACK, "callback", "a function of the program")

#define TS_SIGNAL_ENUM(name, text, help) TS_SIGNAL_##name,
typedef enum ts_signal_kind { TS_SIGNAL_LIST(TS_SIGNAL_ENUM) TS_SIGNAL_COUNT } ts_signal_kind;
#undef TS_SIGNAL_ENUM

/// A number that depends on time. A zeroed struct is the constant 0. Whoever takes a signal over copies its arrays.
typedef struct ts_signal ts_signal;
struct ts_signal {
  ts_signal_kind kind;
  double offset;              ///< constant, sine
  double amplitude;           ///< sine
  double frequency;           ///< sine [rad/s]
  double phase;               ///< sine [rad]
  int count;                  ///< of the arrays
  const double *coefficients; ///< polynomial: count >= 1
  const double *times;        ///< piecewise and table: ascending [s], count >= 1; a piece holds from its time on, the
                              ///< first one also before
  const double *values;       ///< table
  const ts_signal *pieces;    ///< piecewise, and what a sum adds (count >= 1); they see the time itself, not the time
                              ///< since they began. Of a periodic signal the one that comes again (count 1). All may
                              ///< be nested 8 deep
  double period;              ///< periodic [s] > 0; periods begin at 0
  double from, to;            ///< ramp: values before `start` and after `end`, a polynomial of degree 5 in between
  double start, end;          ///< ramp [s], start < end
  double time;                ///< impulse [s] >= 0
  double impulse;             ///< impulse: force times time [N s, N m s]
  double (*callback)(void *user, double t, double *rate); ///< callback: returns the value, writes d/dt
  void *user;                                             ///< handed to `callback`
};

/// The constant `value`.
TS_API ts_signal ts_signal_constant(double value);

/// Check counts, order of times and that numbers are finite.
TS_API ts_status ts_signal_check(const ts_signal *signal, ts_error *error);

/// Value at time t [s]; `rate`, if not NULL, receives the derivative (from the right where it jumps). An impulse has
/// the value 0 always.
TS_API double ts_signal_value(const ts_signal *signal, double t, double *rate);

/// Sum of the impulses at times t with from <= t < until; 0 where there are none.
TS_API double ts_signal_impulse(const ts_signal *signal, double from, double until);

#ifdef __cplusplus
}
#endif

#endif
