#include "study/ledger.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert((int)TS_TRIAL_END_COUNT <= (int)TS_LEDGER_END + 1, "an end has two bits of a mark");

static unsigned char mark_of(const ts_trial_row *row)
{
  const unsigned generation = row->generation < TS_LEDGER_LAST_GENERATION ? row->generation : TS_LEDGER_LAST_GENERATION;
  return (unsigned char)((generation + 1) << TS_LEDGER_SHIFT |
                         (row->outcome.uncertified > 0 ? (unsigned)TS_LEDGER_UNCERTIFIED : 0) |
                         (unsigned)row->outcome.end);
}

// Counts of what ended how are of best rows: one that is better takes its place.
static void take_mark(ts_ledger *ledger, uint64_t trial, unsigned char mark)
{
  const unsigned char before = ts_ledger_mark(ledger, trial);
  if (before != 0 && ts_ledger_generation(before) >= ts_ledger_generation(mark)) return;
  if (before == 0) {
    ++ledger->done;
  } else {
    --ledger->ends[ts_ledger_end(before)];
    ledger->uncertified -= ts_ledger_is_uncertified(before);
  }
  ++ledger->ends[ts_ledger_end(mark)];
  ledger->uncertified += ts_ledger_is_uncertified(mark);
  atomic_store_explicit(&ledger->marks[trial], mark, memory_order_relaxed);
}

static ts_status note_row(void *user, const ts_journal_row *from, ts_error *error)
{
  ts_ledger *ledger = user;
  ts_trial_row row = {.outcome.results = ledger->results};
  if (!ts_row_read(from->payload, from->size, ledger->study->result_count, &row))
    return ts_fail(error, TS_INVALID, "a row of '%.200s' does not fit the study",
                   ts_journal_set_path(ledger->journals, from->place.file));
  if (row.trial < ledger->study->design.trials) take_mark(ledger, row.trial, mark_of(&row)); // else of more samples
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
  ts_status status = !ledger->marks || !ledger->results
                         ? ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out")
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
