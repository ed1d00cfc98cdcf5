// Panels of series that are chosen by name: one for each quantity.
#ifndef TS_PLOT_SERIES_PANELS_H
#define TS_PLOT_SERIES_PANELS_H

#include "plot/figure.h"

#include "touchstone/record.h"

typedef struct ts_series_choice {
  const char *y; // names of series (series.h)
  const char *x; // the series to draw them against; NULL: time
  bool log_scale;
} ts_series_choice;

ts_status ts_series_panels(const ts_record *record, const ts_series_choice *choice, ts_figure *figure, ts_error *error);

#endif
