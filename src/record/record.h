// A run in memory, as its readers fill it in.
#ifndef TS_RECORD_RECORD_H
#define TS_RECORD_RECORD_H

#include "touchstone/record.h"

#include "record/layout.h"
#include "record/outcome.h"

struct ts_record {
  ts_run_layout layout;
  int rows[TS_RUN_TABLE_COUNT];
  double *values[TS_RUN_TABLE_COUNT]; // column after column, rows[table] numbers each
  double *checkpoint;                 // checkpoint_size numbers, or NULL
  size_t checkpoint_size;
  ts_run_ending ending;
};

// Fill a zeroed record, which the caller releases whatever is returned. `error` is not NULL.
ts_status ts_record_read_hdf5(const char *path, ts_record *record, ts_error *error);
ts_status ts_record_read_csv(const char *path, ts_record *record, ts_error *error);

// Room for the values of a table.
ts_status ts_record_make_room(ts_record *record, ts_run_table table, int rows, ts_error *error);

#endif
