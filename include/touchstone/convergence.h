/// How results of a study come closer to a limit as a parameter becomes small: the size of steps, or one over the
/// number of friction directions.
///
/// Rows of a table that differ in this parameter alone are a series. The error of a run is the Euclidean distance of
/// its results from those of a reference, and the order of a series the slope of log(error) over log(size), by least
/// squares.
#ifndef TOUCHSTONE_CONVERGENCE_H
#define TOUCHSTONE_CONVERGENCE_H

#include "touchstone/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a series is compared with. X(enumerator, name, help)
#define TS_REFERENCE_LIST(X)                                                                                           \
  X(FINEST, finest, "the run with the smallest size")                                                                  \
  X(EXTRAPOLATED, extrapolated, "size 0, by Richardson: from the three finest runs, which say of what order they are") \
  X(TABLE, table, "the row of another table that has the same parameters")
#define TS_REFERENCE_ENUM(enumerator, name, help) TS_REFERENCE_##enumerator,
typedef enum ts_reference { TS_REFERENCE_LIST(TS_REFERENCE_ENUM) TS_REFERENCE_COUNT } ts_reference;
#undef TS_REFERENCE_ENUM
TS_API const char *ts_reference_name(ts_reference reference); ///< "finest" (static text)

/// What is asked.
typedef struct ts_convergence_def {
  const char *size;           ///< column that becomes small; its numbers have to be above 0
  bool inverse;               ///< the size is one over that column: of numbers of directions
  const char *const *results; ///< columns that are compared, all in one unit (result_count)
  int result_count;           ///< at least 1
  ts_reference reference;
  const ts_table *table; ///< of TS_REFERENCE_TABLE; otherwise NULL
} ts_convergence_def;

/// A run of a series.
typedef struct ts_convergence_run {
  int row;              ///< of the table
  double size;          ///< in the order of falling ones
  double error;         ///< 0 of the reference itself
  double order;         ///< from the run before to this one; NAN where there is none, or one of the errors is 0
  const double *values; ///< its results (result_count)
} ts_convergence_run;

/// Runs that differ in size alone.
typedef struct ts_convergence_series {
  const double *parameters; ///< what they have in common (ts_convergence_parameter_count())
  const ts_convergence_run *runs;
  int run_count;
  int left_out;            ///< rows of trials that failed or met a limit, or have no number for a result
  const double *reference; ///< what they are compared with (result_count); NULL where there is no reference
  const char *why_not;     ///< why there is none, in a sentence; "" where there is one (static text)
  double order;            ///< by least squares over all errors that are not 0; NAN of fewer than two
} ts_convergence_series;

/// What came of it. Owns all that is in it.
typedef struct ts_convergence ts_convergence;

/// Check before trials are run that the table of references has the results, and the parameters of the study that tell
/// series apart. TS_INVALID: it lacks a column. TS_OK for other references.
TS_API ts_status ts_convergence_check(const ts_study *study, const ts_convergence_def *def, ts_error *error);

/// Compare the runs of a table. Series are told apart by all parameters that vary, but not by those of the axis of the
/// grid that `def->size` is on; a table in CSV does not say what is a parameter:
/// ts_study_open_table() does, otherwise all its rows are one series.
/// TS_INVALID: columns that there are not (the error's file is that of the table which lacks it), units that differ,
/// sizes that are not above 0, or two rows of one series with the same size. On failure *convergence is NULL. Release
/// with ts_convergence_destroy().
TS_API ts_status ts_convergence_measure(const ts_table *table, const ts_convergence_def *def,
                                        ts_convergence **convergence, ts_error *error);
TS_API void ts_convergence_destroy(ts_convergence *convergence); ///< accepts NULL

/// Parameters that tell series apart.
TS_API int ts_convergence_parameter_count(const ts_convergence *convergence);
/// Name of one of them; valid as long as the table.
TS_API const char *ts_convergence_parameter_name(const ts_convergence *convergence, int parameter);
TS_API int ts_convergence_series_count(const ts_convergence *convergence); ///< in the order of their parameters
/// One of them; valid as long as the convergence.
TS_API const ts_convergence_series *ts_convergence_series_at(const ts_convergence *convergence, int series);

#ifdef __cplusplus
}
#endif

#endif
