// The table of a study. Rows are looked through twice: where the best one of every trial is goes to a file
// (row_places.h), and then they are read in the order of trials. So the table is a function of the set of rows, and
// needs no memory for them.
#include "study/pack.h"

#include "study/row_places.h"
#include "study/table_format.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct packing {
  const ts_study *study;
  ts_journal_set *journals;
  ts_row_places *places;
  double *results, *parameters; // of a row
} packing;

static ts_status read_row(const packing *p, const ts_journal_row *from, ts_trial_row *row, ts_error *error)
{
  *row = (ts_trial_row){.outcome.results = p->results};
  if (ts_row_read(from->payload, from->size, p->study->result_count, row)) return TS_OK;
  return ts_fail(error, TS_INVALID, "a row of '%.200s' does not fit the study",
                 ts_journal_set_path(p->journals, from->place.file));
}

// Rows of trials that the study does not have are of one with more samples.
static ts_status note_row(void *user, const ts_journal_row *from, ts_error *error)
{
  const packing *p = user;
  ts_trial_row row;
  TS_TRY(read_row(p, from, &row, error));
  if (row.trial >= p->study->design.trials) return TS_OK;
  const ts_row_place place = {from->place, row.generation, ts_row_sum(from->payload, from->size)};
  return ts_row_places_note(p->places, row.trial, &place, error);
}

static ts_status find_rows(packing *p, ts_error *error)
{
  const ts_journal_listener listener = {.user = p, .row = note_row};
  return ts_journal_set_scan(p->journals, &listener, NULL, error);
}

// What cannot be computed is NAN, as is what would be computed after it.
static void find_parameters(const packing *p, uint64_t trial)
{
  for (int i = 0; i < p->study->design.column_count; ++i) p->parameters[i] = NAN;
  (void)ts_design_row(&p->study->design, trial, p->parameters, NULL);
}

static ts_status write_trial(packing *p, uint64_t trial, ts_pack_sink *sink, ts_error *error)
{
  ts_row_place place;
  ts_journal_row from;
  ts_trial_row row;
  bool there;
  TS_TRY(ts_row_places_find(p->places, trial, &place, &there, error));
  if (!there) return TS_OK;
  TS_TRY(ts_journal_set_read(p->journals, place.at, &from, error));
  TS_TRY(read_row(p, &from, &row, error));
  find_parameters(p, trial);
  return sink->functions->append(sink, p->parameters, &row, error);
}

static ts_status write_table(packing *p, ts_pack_sink *sink, ts_error *error)
{
  ts_status status = TS_OK;
  for (uint64_t trial = 0; trial < p->study->design.trials && status == TS_OK; ++trial)
    status = write_trial(p, trial, sink, error);
  if (status == TS_OK) return sink->functions->finish(sink, error);
  sink->functions->discard(sink);
  return status;
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
  const ts_journal_identity identity = ts_study_identity(p->study);
  ts_pack_sink *sink;
  p->results = malloc(((size_t)p->study->result_count + 1) * sizeof *p->results);
  p->parameters = malloc(((size_t)p->study->design.column_count + 1) * sizeof *p->parameters);
  if (!p->results || !p->parameters) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  TS_TRY(ts_journal_set_open(folder, &identity, &p->journals, error));
  TS_TRY(ts_row_places_create(folder, &p->places, error));
  TS_TRY(find_rows(p, error));
  TS_TRY(create_sink(p->study, output, &sink, error));
  return write_table(p, sink, error);
}

ts_status ts_study_pack(const ts_study *study, const char *output, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  if (ts_table_kind_of(output) == TS_TABLE_KIND_COUNT) return ts_table_refuse_name(error);
  char *folder = ts_study_folder(output);
  if (!folder) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  packing p = {.study = study};
  const ts_status status = pack_folder(&p, folder, output, error);
  ts_row_places_destroy(p.places);
  ts_journal_set_close(p.journals);
  free(p.results);
  free(p.parameters);
  free(folder);
  return status;
}
