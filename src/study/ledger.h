// Which trials of a study have rows: a byte for each.
#ifndef TS_STUDY_LEDGER_H
#define TS_STUDY_LEDGER_H

#include "study/study.h"

#include <stdatomic.h>

typedef struct ts_ledger {
  const ts_study *study;
  ts_journal_set *journals;
  _Atomic unsigned char *marks;                   // (trials): 0: no row; else of the best row
  double *results;                                // room for those of a row
  uint64_t done;                                  // trials with a row
  uint64_t ends[TS_TRIAL_END_COUNT], uncertified; // of best rows
  char note[TS_SWEEP_NOTE_SIZE];                  // about a damaged journal, or empty
} ts_ledger;

// A mark: its lowest bits are the end, the next says that steps are not certified, and the others have 1 + generation.
// Later generations count as the last one.
enum { TS_LEDGER_END = 3, TS_LEDGER_UNCERTIFIED = 4, TS_LEDGER_SHIFT = 3, TS_LEDGER_LAST_GENERATION = 30 };

static inline int ts_ledger_generation(unsigned char mark)
{
  return (mark >> TS_LEDGER_SHIFT) - 1;
}

static inline ts_trial_end ts_ledger_end(unsigned char mark)
{
  return (ts_trial_end)(mark & TS_LEDGER_END);
}

static inline bool ts_ledger_is_uncertified(unsigned char mark)
{
  return mark & TS_LEDGER_UNCERTIFIED;
}

// ts_row_has_failed() of the row.
static inline bool ts_ledger_has_failed(unsigned char mark)
{
  return mark != 0 && (ts_ledger_end(mark) == TS_TRIAL_FAILED || ts_ledger_is_uncertified(mark));
}

ts_status ts_ledger_open(const ts_study *study, const char *folder, ts_ledger *ledger, ts_error *error);
// Take note of rows that are new.
ts_status ts_ledger_read(ts_ledger *ledger, ts_error *error);
void ts_ledger_close(ts_ledger *ledger); // accepts a zeroed one

static inline unsigned char ts_ledger_mark(const ts_ledger *ledger, uint64_t trial)
{
  return atomic_load_explicit(&ledger->marks[trial], memory_order_relaxed);
}

#endif
