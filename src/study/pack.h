// Writers of tables: a table and the times beside it, which take one row after another in the order of trials.
#ifndef TS_STUDY_PACK_H
#define TS_STUDY_PACK_H

#include "study/study.h"

typedef struct ts_pack_sink ts_pack_sink;

typedef struct ts_pack_functions {
  // `parameters` are of the trial (columns of the design).
  ts_status (*append)(ts_pack_sink *sink, const double *parameters, const ts_trial_row *row, ts_error *error);
  // Put both files in place. The sink is gone after it.
  ts_status (*finish)(ts_pack_sink *sink, ts_error *error);
  void (*discard)(ts_pack_sink *sink); // nothing is left
} ts_pack_functions;

// What every writer begins with.
struct ts_pack_sink {
  const ts_pack_functions *functions;
};

// On failure *sink is NULL, and nothing is left behind. The study must outlive it.
ts_status ts_pack_hdf5_create(const ts_study *study, const char *path, const char *times, ts_pack_sink **sink,
                              ts_error *error);
ts_status ts_pack_csv_create(const ts_study *study, const char *path, const char *times, ts_pack_sink **sink,
                             ts_error *error);

#endif
