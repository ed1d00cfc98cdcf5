/// When a run is over before its time: conditions on what steps report.
#ifndef TOUCHSTONE_STOP_H
#define TOUCHSTONE_STOP_H

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_STOP_LIST(X)                                                                                                \
  X(JAM, "jam", "no solution exists: bodies are driven against each other without limit")                              \
  X(UNCERTIFIED, "uncertified", "the step is not certified, jammed ones included")
#define TS_STOP_ENUM(name, text, help) TS_STOP_##name,
typedef enum ts_stop_kind { TS_STOP_LIST(TS_STOP_ENUM) TS_STOP_COUNT } ts_stop_kind;
#undef TS_STOP_ENUM

/// Something that holds for steps in a row.
typedef struct ts_stop_condition {
  ts_stop_kind kind;
  int steps;       ///< for so many steps, >= 1
  double duration; ///< and for so long, >= 0 [s]
} ts_stop_condition;

enum { TS_STOP_CONDITIONS = 8 };

/// Conditions, the first to be met counts, and how long each has held. Plain data, copied freely; one for every run.
typedef struct ts_stop {
  int count;
  ts_stop_condition conditions[TS_STOP_CONDITIONS];
  int steps[TS_STOP_CONDITIONS];    ///< in a row, up to now
  double since[TS_STOP_CONDITIONS]; ///< time when the first of them began [s]
  double time;                      ///< end of the last step [s]; negative: there was none
} ts_stop;

/// Conditions from a text: words of TS_STOP_LIST with commas between; "jam:10" for ten steps in a row, "jam:0.5s" for
/// half a second. NULL or "": none.
TS_API ts_status ts_stop_read(const char *text, ts_stop *stop, ts_error *error);
/// After a step that ended at time t. The condition that is met, a view into `stop`, or NULL.
TS_API const ts_stop_condition *ts_stop_met(ts_stop *stop, double t, const ts_step_report *report);
/// "jam for 10 steps". Returns `text`.
TS_API const char *ts_stop_describe(const ts_stop_condition *condition, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
