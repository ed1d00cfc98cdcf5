// Columns of numbers in a run, chosen by name.
#ifndef TS_PLOT_SERIES_H
#define TS_PLOT_SERIES_H

#include "touchstone/record.h"

typedef struct ts_series {
  const char *name;
  char label[64]; // what it measures, with its unit: "position [m]"
  const double *values, *times;
  int count;
  bool scattered; // of contacts and impacts: several rows may have the same time, points make more sense than a line
  char *own_name; // what `name` and `values` point to where they are not the record's
  double *own_values; // else NULL
} ts_series;

// The series of that name, with its own times. False: there is none.
bool ts_series_find(const ts_record *record, const char *name, ts_series *series);

// The series that a list of names names (commas; * and ? as wildcards), each once, in the order of the list, and pairs
// of bodies (pair_series.h). Release them with ts_series_release(); *chosen is NULL after a failure.
ts_status ts_series_choose(const ts_record *record, const char *list, ts_series **chosen, int *count, ts_error *error);
void ts_series_release(ts_series *list, int count); // accepts NULL

// Say that there is no such series, with the nearest name. Returns TS_INVALID.
ts_status ts_series_refuse(const ts_record *record, const char *name, ts_error *error);

#endif
