// How the numbers of a table are spread, and how two columns go together.
#include "study/summary.h"

#include "base/require.h"
#include "statistics/histogram.h"
#include "statistics/local_regression.h"
#include "statistics/trend.h"

#include <math.h>

// ---- histograms ----------------------------------------------------------------------------------------------------

typedef struct histogram_request {
  int column, most;
  ts_summary_histogram *histogram;
} histogram_request;

static ts_status make_histogram(ts_summary *summary, void *user, ts_error *error)
{
  const histogram_request *request = user;
  ts_summary_histogram *made = request->histogram;
  const int rows = ts_table_row_count(summary->table);
  ts_histogram found;
  TS_TRY(ts_histogram_make((size_t)rows, ts_summary_numbers(summary, request->column), request->most, &summary->scratch,
                           &found, error));
  double *edges = ts_arena_doubles(&summary->kept, (size_t)found.bins + 1);
  int *counts = ts_arena_ints(&summary->kept, (size_t)found.bins);
  for (int i = 0; found.bins > 0 && i <= found.bins; ++i) edges[i] = ts_histogram_edge(&found, i);
  for (int i = 0; i < found.bins; ++i) counts[i] = (int)found.counts[i];
  *made = (ts_summary_histogram){(int)found.count, (int)found.missing, found.bins, edges, counts};
  return TS_OK;
}

ts_status ts_summary_histogram_of(ts_summary *summary, int column, int most, ts_summary_histogram *histogram,
                                  ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(histogram, error);
  TS_REFUSE_UNLESS(most >= 1, error);
  TS_TRY(ts_summary_check_column(summary, column, error));
  histogram_request request = {column, most, histogram};
  return ts_summary_work(summary, make_histogram, &request, error);
}

// ---- trends --------------------------------------------------------------------------------------------------------

typedef struct trend_request {
  const ts_summary_trend_axes *axes;
  ts_summary_trend *trend;
} trend_request;

// The numbers that the line is one of: those of a column, or their logarithms.
static double *trend_numbers(ts_summary *summary, int column, bool logarithmic)
{
  double *numbers = ts_summary_numbers(summary, column);
  for (int i = 0; logarithmic && i < ts_table_row_count(summary->table); ++i)
    numbers[i] = numbers[i] > 0.0 ? log10(numbers[i]) : NAN;
  return numbers;
}

static double back(double number, bool logarithmic)
{
  return logarithmic ? pow(10.0, number) : number;
}

// Places from the least x to the greatest.
static void set_places(int rows, const double *x, const double *y, double places[static TS_SUMMARY_TREND_PLACES])
{
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < rows; ++i) {
    if (isnan(x[i]) || isnan(y[i])) continue;
    low = fmin(low, x[i]);
    high = fmax(high, x[i]);
  }
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k) {
    const double part = (double)k / (TS_SUMMARY_TREND_PLACES - 1);
    places[k] = low > high ? NAN : (1.0 - part) * low + part * high;
  }
}

// The curve costs some thousand times the rows: of very many some are drawn, by chance, for a regular choice from a
// sequence that fills space would leave out parts of it. x and y are changed. Results of 0 and 1 have no outliers: the
// rarer of both would be taken for such.
static ts_status add_smooth(ts_summary *summary, int rows, double *x, double *y, const double *places,
                            ts_summary_trend *trend, ts_error *error)
{
  enum { MOST_ROWS = 20000 };
  ts_local_regression fit = {.span = 0.5, .passes = ts_summary_are_shares(rows, y) ? 0 : 3};
  if (trend->count > MOST_ROWS) {
    ts_random random;
    ts_random_init(&random, summary->options.seed);
    const double share = (double)MOST_ROWS / trend->count;
    for (int i = 0; i < rows; ++i)
      if (ts_random_uniform(&random, 0.0, 1.0) >= share) x[i] = NAN;
  }
  const ts_status status = ts_local_regression_fit(&fit, (size_t)rows, x, y, TS_SUMMARY_TREND_PLACES, places,
                                                   &summary->scratch, trend->smooth, error);
  trend->smooth_count = (int)fit.count;
  return status;
}

// From the coordinates of the line to those of the columns.
static void take_back(const ts_summary_trend_axes *axes, const double *places, ts_summary_trend *trend)
{
  const bool of_y = axes->y_logarithmic;
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k) {
    ts_summary_number *line = &trend->line[k];
    trend->x[k] = back(places[k], axes->x_logarithmic);
    *line = (ts_summary_number){back(line->value, of_y), back(line->low, of_y), back(line->high, of_y)};
    trend->smooth[k] = back(trend->smooth[k], of_y);
  }
}

static ts_status find_trend(ts_summary *summary, void *user, ts_error *error)
{
  const trend_request *request = user;
  const ts_summary_trend_axes *axes = request->axes;
  ts_summary_trend *trend = request->trend;
  const int rows = ts_table_row_count(summary->table);
  const size_t n = (size_t)rows;
  double *x = trend_numbers(summary, axes->x, axes->x_logarithmic),
         *y = trend_numbers(summary, axes->y, axes->y_logarithmic), places[TS_SUMMARY_TREND_PLACES];
  ts_trend_line line;
  *trend = (ts_summary_trend){0};
  TS_TRY(ts_trend_line_fit(n, x, y, &line, error));
  TS_TRY(ts_rank_correlation(n, x, y, &summary->scratch, &trend->rank_correlation, error));
  trend->count = (int)line.count;
  trend->missing = (int)line.missing;
  trend->slope = line.slope;
  trend->intercept = line.intercept;
  trend->correlation = line.correlation;
  set_places(rows, x, y, places);
  for (int k = 0; k < TS_SUMMARY_TREND_PLACES; ++k) {
    const ts_confidence_interval band = ts_trend_line_band(&line, places[k], summary->options.level);
    trend->line[k] = (ts_summary_number){ts_trend_line_at(&line, places[k]), band.low, band.high};
  }
  TS_TRY(add_smooth(summary, rows, x, y, places, trend, error));
  take_back(axes, places, trend);
  return TS_OK;
}

ts_status ts_summary_trend_of(ts_summary *summary, const ts_summary_trend_axes *axes, ts_summary_trend *trend,
                              ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(axes, error);
  TS_REFUSE_UNLESS(trend, error);
  TS_TRY(ts_summary_check_column(summary, axes->x, error));
  TS_TRY(ts_summary_check_column(summary, axes->y, error));
  trend_request request = {axes, trend};
  return ts_summary_work(summary, find_trend, &request, error);
}
