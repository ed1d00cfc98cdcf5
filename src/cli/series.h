// Columns of numbers in a run, chosen by name.
#ifndef TS_CLI_SERIES_H
#define TS_CLI_SERIES_H

#include "touchstone/record.h"

typedef struct cli_series {
  const char *name;
  char label[64]; // what it measures, with its unit: "position [m]"
  const double *values, *times;
  int count;
  bool scattered; // of contacts: several rows have the same time, so that points make more sense than a line
} cli_series;

// The series of that name, with its own times. False: there is none.
bool cli_series_find(const ts_record *record, const char *name, cli_series *series);

// The series that a list of names names (commas; * and ? as wildcards), each once, in the order of the list. NULL after
// one sentence on standard error. Release with free().
cli_series *cli_series_choose(const ts_record *record, const char *list, int *count);

// Say that there is no such series, with the nearest name.
void cli_series_refuse(const ts_record *record, const char *name);

#endif
