// Parameters and results as comma-separated values: kind, name, value, unit.
#ifndef TS_RECORD_CSV_ENDING_H
#define TS_RECORD_CSV_ENDING_H

#include "record/outcome.h"

#define TS_CSV_PARAMETER "parameter"
#define TS_CSV_RESULT    "result"

extern const char *const ts_csv_ending_columns[]; // then NULL

// Into a zeroed struct, which the caller releases whatever is returned. `error` is not NULL.
ts_status ts_csv_read_ending(const char *path, ts_run_ending *ending, ts_error *error);

#endif
