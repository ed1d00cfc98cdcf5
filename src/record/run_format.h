// The format of a run by the name of its file.
#ifndef TS_RECORD_RUN_FORMAT_H
#define TS_RECORD_RUN_FORMAT_H

typedef enum ts_run_format { TS_RUN_HDF5, TS_RUN_CSV, TS_RUN_UNKNOWN } ts_run_format;

ts_run_format ts_run_format_of(const char *path); // .h5 and .hdf5, .csv

#endif
