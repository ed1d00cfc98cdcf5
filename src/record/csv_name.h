// Names of the tables of a run in CSV: run.csv, run.contacts.csv, run.steps.csv and, where there are
// such tables, run.joints.csv, run.impacts.csv.
#ifndef TS_RECORD_CSV_NAME_H
#define TS_RECORD_CSV_NAME_H

#include "record/layout.h"

// The file of a table, for a `path` that ends in .csv. NULL: memory ran out. Release with free().
char *ts_csv_name_of_results(const char *path); // likewise, of parameters and results
char *ts_csv_name(const char *path, ts_run_table table);

#endif
