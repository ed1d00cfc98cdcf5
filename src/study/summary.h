// The inside of a summary.
#ifndef TS_STUDY_SUMMARY_H
#define TS_STUDY_SUMMARY_H

#include "touchstone/summary.h"

#include "base/arena.h"
#include "statistics/bootstrap.h"
#include "statistics/moments.h"

struct ts_summary {
  const ts_table *table;
  ts_summary_options options;
  ts_arena kept;    // what was handed out
  ts_arena scratch; // of one call
};

// Do some work, and give back its scratch memory. TS_OUT_OF_MEMORY: it ended before its time.
typedef ts_status ts_summary_task(ts_summary *summary, void *request, ts_error *error);
ts_status ts_summary_work(ts_summary *summary, ts_summary_task *task, void *request, ts_error *error);

// Refuses what is no column.
ts_status ts_summary_check_column(const ts_summary *summary, int column, ts_error *error);

// The numbers of a column in scratch memory; what is not finite is NAN.
double *ts_summary_numbers(ts_summary *summary, int column);

// Whether all that is not NAN is 0 or 1, and there is such.
bool ts_summary_are_shares(int count, const double *numbers);

// The mean with its interval; of shares Wilson's.
ts_summary_number ts_summary_mean(const ts_moments *moments, bool is_share, double level);

// How intervals of sensitivities are drawn from so many rows.
ts_bootstrap ts_summary_bootstrap(const ts_summary *summary, int rows);

#endif
