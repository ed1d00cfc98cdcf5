// The table of a study: a function of the set of rows, which needs no memory for them.
#define _POSIX_C_SOURCE 200809L // access
#include "study/pack.h"

#include "study/best_rows.h"
#include "study/folder_lock.h"
#include "study/table_format.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct packing {
  const ts_study *study;
  ts_pack_sink *sink;
  double *parameters; // of a row
} packing;

// Parameters that cannot be computed are NAN, as is what would be computed after them.
static ts_status write_row(void *user, const ts_trial_row *row, ts_error *error)
{
  const packing *p = user;
  for (int i = 0; i < p->study->design.column_count; ++i) p->parameters[i] = NAN;
  (void)ts_design_row(&p->study->design, row->trial, p->parameters, NULL);
  return p->sink->functions->append(p->sink, p->parameters, row, error);
}

static ts_status create_sink(const ts_study *study, const char *path, ts_pack_sink **sink, ts_error *error)
{
  char *times = ts_table_times_name(path);
  if (!times) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = ts_table_kind_of(path) == TS_TABLE_HDF5
                               ? ts_pack_hdf5_create(study, path, times, sink, error)
                               : ts_pack_csv_create(study, path, times, sink, error);
  free(times);
  return status;
}

static ts_status pack_folder(packing *p, const char *folder, const char *output, ts_error *error)
{
  p->parameters = malloc(((size_t)p->study->design.column_count + 1) * sizeof *p->parameters);
  if (!p->parameters) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  TS_TRY(create_sink(p->study, output, &p->sink, error));
  const ts_status status = ts_best_rows_visit(p->study, folder, write_row, p, error);
  if (status == TS_OK) return p->sink->functions->finish(p->sink, error);
  p->sink->functions->discard(p->sink);
  return status;
}

// One at a time: of several workers that end together the last one to write has seen all rows.
static ts_status pack_locked(const ts_study *study, const char *folder, const char *output, ts_error *error)
{
  ts_folder_lock lock;
  packing p = {.study = study};
  if (access(folder, F_OK) != 0)
    return ts_fail(error, TS_IO, "nothing of it has been run: there is no folder '%.200s'", folder);
  TS_TRY(ts_folder_lock_take(folder, TS_FOLDER_TABLE, &lock, error));
  const ts_status status = pack_folder(&p, folder, output, error);
  ts_folder_lock_release(&lock);
  free(p.parameters);
  return status;
}

ts_status ts_study_pack(const ts_study *study, const char *output, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  if (ts_table_kind_of(output) == TS_TABLE_KIND_COUNT) return ts_table_refuse_name(error);
  char *folder = ts_study_folder(output);
  if (!folder) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = pack_locked(study, folder, output, error);
  free(folder);
  return status;
}
