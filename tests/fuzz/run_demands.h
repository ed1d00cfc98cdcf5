// What fuzz targets demand of a run that was read: every number of it can be, and a refusal has a sentence.
#ifndef TS_TESTS_FUZZ_RUN_DEMANDS_H
#define TS_TESTS_FUZZ_RUN_DEMANDS_H

#include "touchstone/record.h"

#include <stdlib.h>
#include <string.h>

static inline double sum_of_series(const ts_record *record)
{
  double sum = 0.0;
  for (int i = 0; i < ts_record_series_count(record); ++i) {
    int count;
    const double *values = ts_record_series(record, ts_record_series_name(record, i), &count);
    for (int k = 0; values && k < count; ++k) sum += values[k];
  }
  return sum;
}

static inline void demand_run_or_sentence(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  const ts_status status = ts_record_open(path, &record, &error);
  if (status != TS_OK) {
    if (record || error.status != status || !error.text[0] || strchr(error.text, '\n')) abort();
    return;
  }
  volatile double sum = sum_of_series(record);
  ts_pose *poses = calloc((size_t)ts_record_body_count(record) + 1, sizeof *poses);
  for (int k = 0; k < ts_record_state_count(record) && k < 10; ++k) ts_record_poses(record, k, poses);
  for (int k = 0; k < ts_record_contact_count(record) && k < 10; ++k) sum = ts_record_contact(record, k).gap;
  free(poses);
  for (int k = 0; k < ts_record_parameter_count(record); ++k) sum = (double)strlen(ts_record_parameter(record, k).unit);
  for (int k = 0; k < ts_record_result_count(record); ++k) sum = (double)strlen(ts_record_result(record, k).name);
  size_t size;
  const double *watched = ts_record_watched(record, &size);
  for (size_t k = 0; watched && k < size; ++k) sum = watched[k];
  const double *checkpoint = ts_record_checkpoint(record, &size);
  for (size_t k = 0; checkpoint && k < size; ++k) sum = checkpoint[k];
  (void)sum;
  ts_record_close(record);
}

#endif
