/// What a run yields, and when it is over: named numbers and conditions, written as expressions of what bodies, joints,
/// contacts and steps do. docs/results.md has the names that there are.
///
/// A watch is made for a model, told what to watch, and handed the simulation after every step:
///
///     ts_watch_create(model, &watch, &error);
///     ts_watch_add_result(watch, &(ts_result_def){.name = "top", .expression = "ball.z"}, &error);
///
///     ts_watch_begin(watch, sim, &error);
///
///     while (ts_watch_stopped(watch) < 0 && ts_sim_step(sim, &error) == TS_OK)
///       ts_watch_step(watch, sim, &error);
///
///     ts_watch_end(watch, sim, &error);
#ifndef TOUCHSTONE_WATCH_H
#define TOUCHSTONE_WATCH_H

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_watch ts_watch;

/// What is made of the values of an expression at the start and at the ends of all steps: name in scenes, and help.
/// Expressions of what belongs to a step, as forces of contacts, have a value for every step and none at the start.
#define TS_RESULT_LIST(X)                                                                                              \
  X(FINAL, final, "its last value")                                                                                    \
  X(FIRST, first, "its first value")                                                                                   \
  X(MIN, min, "its least value")                                                                                       \
  X(MAX, max, "its largest value")                                                                                     \
  X(MEAN, mean, "its mean over time")                                                                                  \
  X(INTEGRAL, integral, "its integral over time")                                                                      \
  X(TIME, time, "the time when it is first not 0, as a comparison that holds [s]")                                     \
  X(COUNT, count, "how often it begins to be not 0")                                                                   \
  X(VALUE, value, "its value at the time `at`, between steps on a straight line; for steps that of the step at `at`")
#define TS_RESULT_ENUM(enumerator, name, help) TS_RESULT_##enumerator,
typedef enum ts_result_kind { TS_RESULT_LIST(TS_RESULT_ENUM) TS_RESULT_COUNT_OF } ts_result_kind;
#undef TS_RESULT_ENUM
TS_API const char *ts_result_kind_name(ts_result_kind kind); ///< "mean" (static text)

/// A number that a run yields. Where no value counts (no step in its time, a condition that never holds) it is NAN.
typedef struct ts_result_def {
  const char *name; ///< letters, digits and _
  ts_result_kind kind;
  const char *expression;  ///< names of quantities and parameters; of `final` also results that were added before
  const char *when;        ///< only where this holds; NULL: always
  double from, to;         ///< only at these times [s]; both 0: always; of `value` both are its time
  double last;             ///< only in so long a time before the end [s]; 0: always
  const char *unit, *help; ///< or NULL
} ts_result_def;

/// A condition that ends a run.
typedef struct ts_stop_def {
  const char *name; ///< what it is called when it has ended a run; NULL: `when`
  const char *when; ///< expression; not 0: it holds
  double duration;  ///< for so long without a break [s], >= 0
  int steps;        ///< at the ends of so many steps in a row; 0: 1
} ts_stop_def;

/// A name that expressions may use. BODY, JOINT, NAMES and so on stand for names of the model.
typedef struct ts_quantity_info {
  char name[64];           ///< "BODY.vx"
  const char *unit, *help; ///< "" where there is none
  bool in_space, in_plane; ///< where it exists
} ts_quantity_info;
/// How many there are.
TS_API int ts_quantity_count(void);
TS_API ts_quantity_info ts_quantity_at(int i); ///< 0 <= i < ts_quantity_count()
/// The functions and constants of expressions: name with arguments ("atan2(y, x)"), and one line; NULL after the last.
TS_API const char *ts_watch_function_at(int i, const char **help);

/// A watch of simulations of `model`, which it refers to. On failure *watch is NULL. Release with ts_watch_destroy().
TS_API ts_status ts_watch_create(const ts_model *model, ts_watch **watch, ts_error *error);
TS_API void ts_watch_destroy(ts_watch *watch); ///< accepts NULL

/// A name with a value for expressions that are added from then on.
TS_API ts_status ts_watch_add_parameter(ts_watch *watch, const char *name, double value, ts_error *error);
/// Change the value of the i-th of them. Not between ts_watch_begin() and ts_watch_end().
TS_API void ts_watch_set_parameter(ts_watch *watch, int i, double value);
/// On failure error->column is the place in the expression, from 1, or in `when` where error->line is 2; 0: it is about
/// something else. A run that has begun has to begin anew.
TS_API ts_status ts_watch_add_result(ts_watch *watch, const ts_result_def *def, ts_error *error);
/// Likewise, of `when`.
TS_API ts_status ts_watch_add_stop(ts_watch *watch, const ts_stop_def *def, ts_error *error);
/// Conditions from a text with commas between: `jam` (no solution exists), `uncertified`, or an expression;
/// "jam:10" for ten steps in a row, "ball.z < 0.1:0.5s" for half a second. NULL or "": none.
TS_API ts_status ts_watch_add_stops(ts_watch *watch, const char *text, ts_error *error);

/// The start of a run: the present state counts. TS_INVALID: an expression cannot be evaluated, as by a division by
/// zero. The watch may be used for one run after another, of any simulations of its model.
TS_API ts_status ts_watch_begin(ts_watch *watch, const ts_sim *sim, ts_error *error);
/// After a step.
TS_API ts_status ts_watch_step(ts_watch *watch, const ts_sim *sim, ts_error *error);
/// After the last. Results have their values from then on.
TS_API ts_status ts_watch_end(ts_watch *watch, const ts_sim *sim, ts_error *error);

/// What has been gathered, as ts_watch_state_size() numbers, for a run that is resumed; the number grows with time.
TS_API size_t ts_watch_state_size(const ts_watch *watch);
/// Between ts_watch_begin() and ts_watch_end(), or after that.
TS_API ts_status ts_watch_save(const ts_watch *watch, double *state, size_t capacity, ts_error *error);
/// In the place of ts_watch_begin(): go on as the watch that was saved, which had the same results. `sim` stands where
/// it stood then. Conditions are told by their texts; those that are new begin now. TS_INVALID: it is of other results.
TS_API ts_status ts_watch_load(ts_watch *watch, const ts_sim *sim, const double *state, size_t size, ts_error *error);

/// The first condition that was met, by its number in the order they were added, or -1.
TS_API int ts_watch_stopped(const ts_watch *watch);
TS_API int ts_watch_stop_count(const ts_watch *watch); ///< conditions
/// Go on with a run after a condition was met: it has to be met anew.
TS_API void ts_watch_go_on(ts_watch *watch);
/// "settled", or "jam for 10 steps" of a condition without a name. Valid as long as the watch.
TS_API const char *ts_watch_stop_name(const ts_watch *watch, int stop);
/// A condition as it was added, with that name and at least one step; texts are valid as long as the watch.
TS_API ts_stop_def ts_watch_stop_at(const ts_watch *watch, int stop);

TS_API int ts_watch_result_count(const ts_watch *watch);                    ///< results
TS_API const char *ts_watch_result_name(const ts_watch *watch, int result); ///< valid as long as the watch
TS_API const char *ts_watch_result_unit(const ts_watch *watch, int result); ///< "" where there is none
/// A result as it was added; texts are valid as long as the watch, unit and help "" where there is none.
TS_API ts_result_def ts_watch_result_at(const ts_watch *watch, int result);
TS_API double ts_watch_result(const ts_watch *watch, int result);         ///< NAN before ts_watch_end()
TS_API int ts_watch_find_result(const ts_watch *watch, const char *name); ///< or -1
/// Whether some expression asks what acts in joints: then ts_sim_measure_joints() is needed.
TS_API bool ts_watch_needs_joint_forces(const ts_watch *watch);

#ifdef __cplusplus
}
#endif

#endif
