#include "study/best_rows.h"

#include "study/row_places.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct visiting {
  const ts_study *study;
  ts_journal_set *journals;
  ts_row_places *places;
  double *results; // of a row
} visiting;

static ts_status read_row(const visiting *v, const ts_journal_row *from, ts_trial_row *row, ts_error *error)
{
  *row = (ts_trial_row){.outcome.results = v->results};
  if (ts_row_read(from->payload, from->size, v->study->result_count, row)) return TS_OK;
  return ts_fail(error, TS_INVALID, "a row of '%.200s' does not fit the study",
                 ts_journal_set_path(v->journals, from->place.file));
}

// Rows of trials that the study does not have are of one with more samples.
static ts_status note_row(void *user, const ts_journal_row *from, ts_error *error)
{
  const visiting *v = user;
  ts_trial_row row;
  TS_TRY(read_row(v, from, &row, error));
  if (row.trial >= v->study->design.trials) return TS_OK;
  const ts_row_place place = {from->place, row.generation, ts_row_sum(from->payload, from->size)};
  return ts_row_places_note(v->places, row.trial, &place, error);
}

static ts_status visit_trial(visiting *v, uint64_t trial, ts_row_visitor *visit, void *user, ts_error *error)
{
  ts_row_place place;
  ts_journal_row from;
  ts_trial_row row;
  bool there;
  TS_TRY(ts_row_places_find(v->places, trial, &place, &there, error));
  if (!there) return TS_OK;
  TS_TRY(ts_journal_set_read(v->journals, place.at, &from, error));
  TS_TRY(read_row(v, &from, &row, error));
  return visit(user, &row, error);
}

static ts_status visit_folder(visiting *v, const char *folder, ts_row_visitor *visit, void *user, ts_error *error)
{
  const ts_journal_identity identity = ts_study_identity(v->study);
  const ts_journal_listener listener = {.user = v, .row = note_row};
  v->results = malloc(((size_t)v->study->result_count + 1) * sizeof *v->results);
  if (!v->results) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  TS_TRY(ts_journal_set_open(folder, &identity, &v->journals, error));
  TS_TRY(ts_row_places_create(folder, &v->places, error));
  TS_TRY(ts_journal_set_scan(v->journals, &listener, NULL, error));
  for (uint64_t trial = 0; trial < v->study->design.trials; ++trial) TS_TRY(visit_trial(v, trial, visit, user, error));
  return TS_OK;
}

ts_status ts_best_rows_visit(const ts_study *study, const char *folder, ts_row_visitor *visit, void *user,
                             ts_error *error)
{
  visiting v = {.study = study};
  const ts_status status = visit_folder(&v, folder, visit, user, error);
  ts_row_places_destroy(v.places);
  ts_journal_set_close(v.journals);
  free(v.results);
  return status;
}
