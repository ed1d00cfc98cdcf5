/// What a table of a study says: how its trials ended, what its results are on average and how sure that is, how they
/// depend on parameters, and which parameters they depend on most.
///
/// Numbers that are not finite (NAN: a trial has no such result) are left out and counted as missing. Columns are those
/// of ts_table_column_name().
#ifndef TOUCHSTONE_SUMMARY_H
#define TOUCHSTONE_SUMMARY_H

#include "touchstone/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The summary of one table, which it borrows. What its functions hand out is its own, and valid until it is destroyed.
/// Not thread-safe; any number of summaries may share a table.
typedef struct ts_summary ts_summary;

typedef struct ts_summary_options {
  double level; ///< share of the intervals that hold the truth, in (0, 1)
  /// Draws that intervals of sensitivities come from (bootstrap), of all rows each. 0: no such intervals, they are NAN.
  /// -1: 1000; above 10 000 rows fewer, so that 10 million rows are drawn, and above 50 000 rows 200 draws of 50 000 of
  /// them that are picked by chance, scaled to the number of all.
  int replicates;
  uint64_t seed;   ///< of these draws, and of the points that a smooth trend is taken through
  uint32_t cookie; ///< set by ts_summary_options_default()
} ts_summary_options;
TS_API ts_summary_options ts_summary_options_default(void); ///< level 0.95, replicates -1, seed 1

/// `options` may be NULL. On failure *summary is NULL. Release with ts_summary_destroy().
TS_API ts_status ts_summary_create(const ts_table *table, const ts_summary_options *options, ts_summary **summary,
                                   ts_error *error);
TS_API void ts_summary_destroy(ts_summary *summary); ///< accepts NULL

/// An estimate and the interval about it. NAN: the table does not tell.
typedef struct ts_summary_number {
  double value, low, high;
} ts_summary_number;

// ---- outcomes ------------------------------------------------------------------------------------------------------

typedef struct ts_summary_outcome {
  ts_trial_end end;
  const char *text; ///< of the table
  int rows;
} ts_summary_outcome;

typedef struct ts_summary_outcomes {
  int rows;                     ///< of the table
  int ends[TS_TRIAL_END_COUNT]; ///< how often trials ended so
  int uncertified;              ///< rows with steps that are not certified
  double worst_residual;        ///< of all rows that have one; NAN: none has
  int count;
  const ts_summary_outcome *list; ///< those that differ, the most frequent first (count)
} ts_summary_outcomes;

/// How the trials ended.
TS_API ts_status ts_summary_outcomes_of(ts_summary *summary, ts_summary_outcomes *outcomes, ts_error *error);

// ---- a column ------------------------------------------------------------------------------------------------------

/// Quantiles that a column is told by: share of the numbers that are below, and its text.
#define TS_SUMMARY_QUANTILE_LIST(X) X(0.05, "5 %") X(0.25, "25 %") X(0.5, "50 %") X(0.75, "75 %") X(0.95, "95 %")
enum { TS_SUMMARY_QUANTILE_COUNT = 5 };

typedef struct ts_summary_column {
  int count, missing;
  bool is_share;          ///< all numbers are 0 or 1, and there is one
  ts_summary_number mean; ///< with Student's interval; of 0 and 1 the share of 1, with Wilson's
  double deviation;       ///< standard deviation, over count - 1; NAN of fewer than two
  double low, high;       ///< NAN of none
  double quantiles[TS_SUMMARY_QUANTILE_COUNT]; ///< NAN of none
} ts_summary_column;

/// The numbers of one column.
TS_API ts_status ts_summary_column_of(ts_summary *summary, int column, ts_summary_column *told, ts_error *error);

// ---- groups --------------------------------------------------------------------------------------------------------

/// Rows by one column or two: a group for each value where there are few, or for each bin.
typedef struct ts_summary_grouping {
  int result;        ///< whose mean is taken, or -1: rows are only counted
  int columns[2];    ///< by which rows are grouped
  int column_count;  ///< 1 or 2
  int bins[2];       ///< of columns that are binned, >= 1; 0: as many as the rows allow
  bool always_bin;   ///< also columns of few values
} ts_summary_grouping;

/// The groups of one column, in growing order. Group i reaches from edges[i] to edges[i + 1].
typedef struct ts_summary_axis {
  int column, count;
  bool is_binned;      ///< false: a group is a value, and edges lie halfway between neighbours
  bool is_logarithmic; ///< numbers are spread over decades: bins and edges are even in the logarithm
  const double *values; ///< the value, or the middle of the bin (count)
  const double *edges;  ///< (count + 1)
} ts_summary_axis;

/// One group: rows that have both parameters and the result.
typedef struct ts_summary_group {
  int count, missing; ///< rows with the result, and without
  ts_summary_number mean; ///< as ts_summary_column has it; NAN of no row
  /// Standard error: deviation over the root of count, NAN of fewer than two; of shares from the width of the interval,
  /// which is not 0 where all rows agree.
  double error;
} ts_summary_group;

typedef struct ts_summary_groups {
  ts_summary_axis axes[2];
  int axis_count;
  bool is_share; ///< the whole column is 0 or 1
  int count;     ///< groups: the product of those of the axes
  const ts_summary_group *list; ///< the last axis goes round first (count)
  int left_out; ///< rows without one of the parameters
} ts_summary_groups;

/// Mean, share and their errors over groups. Without rows there are no groups.
TS_API ts_status ts_summary_group_rows(ts_summary *summary, const ts_summary_grouping *grouping,
                                       ts_summary_groups *groups, ts_error *error);

// ---- shapes --------------------------------------------------------------------------------------------------------

typedef struct ts_summary_histogram {
  int count, missing;
  int bins;            ///< 0: no number
  const double *edges; ///< (bins + 1)
  const int *counts;   ///< (bins)
} ts_summary_histogram;

/// How often the numbers of a column lie where, in at most `most` >= 1 bins of equal width.
TS_API ts_status ts_summary_histogram_of(ts_summary *summary, int column, int most, ts_summary_histogram *histogram,
                                         ts_error *error);

enum { TS_SUMMARY_TREND_PLACES = 101 };

/// Which columns, and whether lines and curves are those of their logarithms: x and y above 0 then, other rows count as
/// missing.
typedef struct ts_summary_trend_axes {
  int x, y;
  bool x_logarithmic, y_logarithmic;
} ts_summary_trend_axes;

typedef struct ts_summary_trend {
  int count, missing;       ///< rows that have both numbers, and the others
  double slope, intercept;  ///< of the line by least squares, of decadic logarithms where asked; NAN: all x are equal
  double correlation;       ///< Pearson's r
  double rank_correlation;  ///< Spearman's
  int smooth_count;         ///< rows that the smooth trend goes by: all, or some by chance where there are very many
  double x[TS_SUMMARY_TREND_PLACES];      ///< from the least to the greatest; even in the logarithm where asked for
  ts_summary_number line[TS_SUMMARY_TREND_PLACES]; ///< there, with the interval of the mean
  double smooth[TS_SUMMARY_TREND_PLACES]; ///< locally weighted regression there; NAN: the rows do not tell
} ts_summary_trend;

/// How y goes with x: by a line, and by a curve that follows the points.
TS_API ts_status ts_summary_trend_of(ts_summary *summary, const ts_summary_trend_axes *axes, ts_summary_trend *trend,
                                     ts_error *error);

// ---- sensitivities -------------------------------------------------------------------------------------------------

/// What share of the variance of a result is due to one parameter (Sobol' indices); points of a grid count as equally
/// likely. Where nothing is random the axis of a grid has an index that is exact for the rows there are, and an interval
/// of this number alone.
typedef struct ts_summary_sensitivity {
  int column;              ///< the parameter
  ts_summary_number first; ///< that would vanish if this parameter were known
  ts_summary_number total; ///< that would be left if all others were; NAN but of random ones of `saltelli`
} ts_summary_sensitivity;

typedef struct ts_summary_sensitivities {
  bool is_designed; ///< by trials of sampling `saltelli`; else first-order ones from the rows as they are
  /// Parameters: of the grid and random ones, not what follows from them, nor what numbers the points of an axis beside
  /// others that are on it; 0: nobody knows which.
  int count;
  const ts_summary_sensitivity *list; ///< (count)
  int used, missing; ///< rows that were used, and those that were left out
} ts_summary_sensitivities;

/// Which parameters a column depends on. Of sampling `saltelli` a sample of which any trial is missing is left out as a
/// whole. With a grid beside it, first-order indices come from its independent trials, for those that share a sample
/// share the point of the grid, too.
TS_API ts_status ts_summary_sensitivities_of(ts_summary *summary, int column, ts_summary_sensitivities *sensitivities,
                                             ts_error *error);

// ---- files ---------------------------------------------------------------------------------------------------------

/// Write a table as CSV: what ts_study_pack() would write under that name, seconds left out.
TS_API ts_status ts_table_write_csv(const ts_table *table, const char *path, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
