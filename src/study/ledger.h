// Which trials of a study have rows: a byte for each.
#ifndef TS_STUDY_LEDGER_H
#define TS_STUDY_LEDGER_H

#include "study/study.h"

#include <stdatomic.h>

typedef struct ts_ledger {
  const ts_study *study;
  ts_journal_set *journals;
  _Atomic unsigned char *marks; // (trials): 0: no row; else 1 + generation of the best row, and FAILED
  double *results;              // room for those of a row
  uint64_t done;                // trials with a row
  uint64_t ends[TS_TRIAL_END_COUNT], uncertified;
  uint64_t beyond; // rows of trials that the study does not have
  char note[400];  // about a damaged journal, or empty
} ts_ledger;

enum { TS_LEDGER_GENERATION = 0x7f, TS_LEDGER_FAILED = 0x80 };

ts_status ts_ledger_open(const ts_study *study, const char *folder, ts_ledger *ledger, ts_error *error);
// Take note of rows that are new.
ts_status ts_ledger_read(ts_ledger *ledger, ts_error *error);
void ts_ledger_close(ts_ledger *ledger); // accepts a zeroed one

static inline unsigned char ts_ledger_mark(const ts_ledger *ledger, uint64_t trial)
{
  return atomic_load_explicit(&ledger->marks[trial], memory_order_relaxed);
}

#endif
