#include "study/ledger.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

// Counts of what ended how are of best rows: one that is better takes its place.
static ts_status note_row(void *user, const ts_journal_row *from, ts_error *error)
{
  ts_ledger *ledger = user;
  ts_trial_row row = {.outcome.results = ledger->results};
  if (!ts_row_read(from->payload, from->size, ledger->study->result_count, &row))
    return ts_fail(error, TS_INVALID, "a row of '%.200s' does not fit the study",
                   ts_journal_set_path(ledger->journals, from->place.file));
  if (row.trial >= ledger->study->design.trials) {
    ++ledger->beyond;
    return TS_OK;
  }
  const unsigned char mark = ts_ledger_mark(ledger, row.trial);
  const unsigned generation = row.generation < TS_LEDGER_GENERATION - 1 ? row.generation + 1 : TS_LEDGER_GENERATION;
  if ((mark & TS_LEDGER_GENERATION) >= generation) return TS_OK;
  const unsigned char flag = ts_row_has_failed(&row) ? TS_LEDGER_FAILED : 0;
  atomic_store_explicit(&ledger->marks[row.trial], (unsigned char)(generation | flag), memory_order_relaxed);
  if (mark == 0) {
    ++ledger->done;
    ++ledger->ends[row.outcome.end];
    ledger->uncertified += row.outcome.uncertified > 0;
  }
  return TS_OK;
}

static void note_damage(void *user, const char *path, uint64_t offset)
{
  ts_ledger *ledger = user;
  snprintf(ledger->note, sizeof ledger->note, "'%.300s' is damaged from byte %llu on; what came after it is run again",
           path, (unsigned long long)offset);
}

ts_status ts_ledger_open(const ts_study *study, const char *folder, ts_ledger *ledger, ts_error *error)
{
  const ts_journal_identity identity = ts_study_identity(study);
  *ledger = (ts_ledger){.study = study};
  ledger->marks = calloc(study->design.trials + 1, sizeof *ledger->marks);
  ledger->results = malloc(((size_t)study->result_count + 1) * sizeof *ledger->results);
  ts_status status = !ledger->marks || !ledger->results ? ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out")
                                                        : ts_journal_set_open(folder, &identity, &ledger->journals, error);
  if (status == TS_OK) status = ts_ledger_read(ledger, error);
  if (status != TS_OK) ts_ledger_close(ledger);
  return status;
}

ts_status ts_ledger_read(ts_ledger *ledger, ts_error *error)
{
  const ts_journal_listener listener = {ledger, note_row, note_damage};
  return ts_journal_set_scan(ledger->journals, &listener, NULL, error);
}

void ts_ledger_close(ts_ledger *ledger)
{
  ts_journal_set_close(ledger->journals);
  free(ledger->marks);
  free(ledger->results);
  *ledger = (ts_ledger){0};
}
